"""Products of fields made at once: what is, what must not be, and that trees of any form give what they gave."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anytile.compiler.evaluate import Data, evaluate
from anytile.compiler.ir.nodes import Call, OperatorRef
from anytile.compiler.ir.traverse import steps
from anytile.compiler.ir.types import TensorType
from anytile.compiler.module import Module
from anytile.compiler.passes.recurrence import by_row
from anytile.compiler.passes.recurrence.batch_fields import batch_fields
from anytile.compiler.passes.verify import verify
from tests.support.cases.compiled_modules import check, compile_text, for_machine, node, random, same, stages

ROW, STATE = "Tensor[(1, 3), float32]", "Tensor[(1, 4), float32]"
DEFAULTS = {name: getattr(by_row, name) for name in ("WORTH", "WORTH_TOO")}
WEIGHTS = {"w": random(0, 4, 3), "v": random(1, 4, 4), "b": random(2, 4), "zero": np.zeros((1, 4), np.float32)}
WEIGHTS |= {"cell": random(4, 1, 4, 3), "joined": random(5, 4, 7), "gates": random(6, 2, 4, 7)}
WEIGHTS |= {"starts": random(7, 2, 4)}
DECLARED = "".join(f"const ${n}: {TensorType(a.shape, a.dtype.name)};\n" for n, a in WEIGHTS.items())

BINARY = f"""
data Tree {{ Leaf({ROW}), Node(Tree, Tree) }}
def main(tree: Tree) -> {STATE} {{ walk(tree) }}
def walk(tree: Tree) -> {STATE} {{
  match (tree) {{
    Leaf(x) => tanh(add(dense(x, $w), $b)),
    Node(l, r) => {{ let left = walk(l); let right = walk(r); tanh(dense(add(left, multiply(right, 0.5)), $v)) }}
  }}
}}
"""
CHILDREN = f"""
data Tree {{ Leaf({ROW}), Node(Trees) }}
data Trees {{ Nil(), Cons(Tree, Trees) }}
def main(tree: Tree) -> {STATE} {{ state(tree) }}
def state(tree: Tree) -> {STATE} {{
  match (tree) {{ Leaf(x) => tanh(dense(x, $w)), Node(children) => relu(sums(children, $zero)) }}
}}
def sums(trees: Trees, h: {STATE}) -> {STATE} {{
  match (trees) {{ Nil() => h, Cons(first, rest) => {{ let s = state(first); sums(rest, add(h, dense(s, $v))) }} }}
}}
"""
LISTS = f"""
data List {{ Nil(), Cons({ROW}, List) }}
def main(list: List) -> {STATE} {{ walk(list, $zero) }}
def walk(list: List, h: {STATE}) -> {STATE} {{
  match (list) {{ Nil() => h, Cons(x, rest) => walk(rest, tanh(add(dense(x, $w), dense(h, $v)))) }}
}}
"""
WORDS = f"""
data Tree {{ Empty(), Node(Tree, {ROW}, Tree, {ROW}) }}
def main(tree: Tree) -> ({STATE}, {STATE}) {{ walk(tree) }}
def walk(tree: Tree) -> ({STATE}, {STATE}) {{
  match (tree) {{
    Empty() => ($zero, $zero),
    Node(l, x, r, y) => {{
      let right = walk(r);
      let left = walk(l);
      let c = gated_dense(x, $cell, gates=1, cell="y0 = tanh(z0)");
      (add(add(left.0, right.1), c.0), add(multiply(right.0, 0.5), sigmoid(dense(y, $w))))
    }}
  }}
}}
"""


@pytest.fixture(autouse=True, scope="module")
def every_weight() -> Iterator[None]:
    """The weights of these models are small; what is worth it is asked for in a test of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(by_row, "WORTH", 0)
        patch.setattr(by_row, "WORTH_TOO", 0)
        yield


GENERIC = f"""
data List[a] {{ Nil(), Cons(a, List[a]) }}
def main(list: List[{ROW}]) -> {STATE} {{ walk(list, $zero) }}
def walk(list: List[{ROW}], h: {STATE}) -> {STATE} {{
  match (list) {{ Nil() => h, Cons(x, rest) => walk(rest, tanh(add(dense(concat(x, h, axis=1), $joined), $b))) }}
}}
"""
CELLS = LISTS.replace(
    "tanh(add(dense(x, $w), dense(h, $v)))",
    'gated_dense(concat(x, h, axis=1), $gates, $starts, gates=2, cell="y = tanh(z0) * z1", start="b[g, u]").0',
)


def batched(text: str) -> tuple[Module, Module]:
    """Before fields are batched and after it."""
    return stages("batch_fields", Module.parse(DECLARED + text, WEIGHTS))


def products(module: Module) -> list[str]:
    """The rows of every product, by function."""
    found = []
    for name, f in module.functions.items():
        for _, value in steps(f.body):
            if isinstance(value, Call) and value.callee in (OperatorRef("dense"), OperatorRef("gated_dense")):
                kind = value.args[0].type  # type: ignore[union-attr]  # a variable of a tensor
                found.append(f"{name}: {'many' if kind.shape[0] != 1 else 'one'}")  # type: ignore[union-attr]
    return sorted(found)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (BINARY, ["main: many", "walk: one"]),
        (CHILDREN, ["main: many", "main: many", "main: one", "sums: one"]),
        (LISTS, ["main: many", "walk: one"]),
        (WORDS, ["main: many", "main: many"]),
    ],
)
def test_products_of_fields_are_made_before(text: str, found: list[str]) -> None:
    before, after = batched(text)
    verify(after)
    assert products(after) == found
    assert not any(p.endswith("many") for p in products(before))


def test_a_field_that_is_joined_with_the_state_has_a_product_of_its_own() -> None:
    for text in (GENERIC, CELLS):
        before, after = batched(text)
        verify(after)
        assert products(before) == ["walk: one"]
        assert products(after) == ["main: many", "walk: one"]


def test_the_text(golden: Callable[[str, str], None]) -> None:
    golden("fields", str(batched(BINARY)[1]))


@st.composite
def forms(draw: st.DrawFn) -> Any:
    """How trees may look: a leaf is None, a node the list of its children."""
    return draw(st.recursive(st.none(), lambda inner: st.lists(inner, max_size=3), max_leaves=12))


class Maker:
    """Values of a form, every leaf another row."""

    def __init__(self) -> None:
        self.met = 0

    def row(self) -> Any:
        self.met += 1
        return random(self.met, 1, 3)

    def binary(self, form: Any) -> Data:
        if not form:
            return node("Tree", "Leaf", self.row())
        made = self.binary(form[0])
        for other in form[1:] or [None]:
            made = node("Tree", "Node", made, self.binary(other))
        return made

    def children(self, form: Any) -> Data:
        if form is None:
            return node("Tree", "Leaf", self.row())
        made = node("Trees", "Nil")
        for child in reversed([self.children(c) for c in form]):
            made = node("Trees", "Cons", child, made)
        return node("Tree", "Node", made)

    def list(self, form: Any) -> Data:
        made = node("List", "Nil")
        for _ in form or ():
            made = node("List", "Cons", self.row(), made)
        return made

    generic = cells = list

    def words(self, form: Any) -> Data:
        if form is None:
            return node("Tree", "Empty")
        left, right = (self.words(form[i] if i < len(form) else None) for i in (0, 1))
        return node("Tree", "Node", left, self.row(), right, self.row())


MODELS = {"binary": BINARY, "children": CHILDREN, "list": LISTS, "words": WORDS, "generic": GENERIC, "cells": CELLS}


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=25, deadline=None)
@given(form=forms())
def test_any_tree_gives_what_it_gave(name: str, form: Any) -> None:
    before, after = batched(MODELS[name])
    value = getattr(Maker(), name)(form)
    same(for_machine(evaluate(after, (value,))), for_machine(evaluate(before, (value,))))


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_the_machine_computes_it(name: str) -> None:
    made = compile_text(MODELS[name], **WEIGHTS)
    for form in (None, [], [None], [None, None], [[None, [None] * 3], [], [[None] * 2] * 3], [None] * 40):
        check(made, getattr(Maker(), name)(form), stages=False)


@pytest.mark.slow
def test_a_long_chain_needs_no_deep_stack() -> None:
    """It leans left and right in turn."""
    made = compile_text(BINARY, **WEIGHTS)
    rows = random(0, 20_001, 3)
    leaves = [node("Tree", "Leaf", row[None]) for row in rows]
    tree, state = leaves[0], np.tanh(rows[0] @ WEIGHTS["w"].T + WEIGHTS["b"])
    words = np.tanh(rows @ WEIGHTS["w"].T + WEIGHTS["b"])
    for i, (leaf, word) in enumerate(zip(leaves[1:], words[1:], strict=True)):
        first, second = ((tree, state), (leaf, word)) if i % 2 else ((leaf, word), (tree, state))
        tree = node("Tree", "Node", first[0], second[0])
        state = np.tanh((first[1] + 0.5 * second[1]) @ WEIGHTS["v"].T)
    np.testing.assert_allclose(made.session(True)(for_machine(tree))[0], state, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(("units", "found"), [(150, False), (160, True)])
def test_weights_that_a_row_alone_reads_fast_stay(units: int, found: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """By default only what does not come out of the first level cache is made at once."""
    for name, value in DEFAULTS.items():
        monkeypatch.setattr(by_row, name, value)
    text = walk("add(walk(rest), dense(x, $w))").replace("3", str(units)).replace("4", str(units))
    arrays = {"w": random(0, units, units), "zero": np.zeros((1, units), np.float32)}
    made = compile_text(text.replace("float" + str(units) + "2", "float32"), **arrays)
    assert any(f.name == "walk_fields" for f in made.exe.functions) == found


# -- what stays ------------------------------------------------------------------------------------------------


def walk(clause: str, more: str = "", other: str = "$zero", call: str = "walk(tree)") -> str:
    """A walk over a list whose clause of a cell is as given."""
    return f"""
data List {{ Nil(), Cons({ROW}, List) }}
def main(tree: List) -> {STATE} {{ {call} }}
def walk(tree: List) -> {STATE} {{ match (tree) {{ Nil() => {other}, Cons(x, rest) => {{ {clause} }} }} }}
{more}"""


STAYS = {
    "the field is behind what it is joined with": walk(
        "let h = walk(rest); tanh(add(dense(concat(h, x, axis=1), $joined), $b))"
    ),
    "it goes where numbers say with a joined field": walk(
        "let h = if (less(sum(x), 0.0)) { walk(rest) } else { walk(Nil()) }; dense(concat(x, h, axis=1), $joined)"
    ),
    "where it goes follows from numbers": walk(
        "if (less(sum(x), 0.0)) { add(walk(rest), dense(x, $w)) } else { walk(Nil()) }"
    ),
    "it goes into data that it makes": walk("add(walk(Cons(x, Nil())), dense(x, $w))"),
    "what it matches is computed": walk(
        "match (later(rest)) { Nil() => dense(x, $w), Cons(y, far) => add(walk(far), dense(y, $w)) }",
        "def later(l: List) -> List { match (l) { Nil() => l, Cons(a, r) => if (less(sum(a), 0.0)) { l } "
        "else { later(r) } } }",
    ),
    "it is a value somewhere": walk(
        "add(walk(rest), dense(x, $w))", call="let f = match (tree) { Nil() => walk, Cons(_, _) => walk }; f(tree)"
    ),
    "who calls it is called by it": walk(
        "add(far(rest), add(walk(rest), dense(x, $w)))",
        f"def far(l: List) -> {STATE} {{ {'tanh(' * 20}add(walk(l), add(far2(l), far2(l))){')' * 20} }}\n"
        f"def far2(l: List) -> {STATE} {{ match (l) {{ Nil() => $zero, Cons(_, r) => add(walk(r), far2(r)) }} }}",
    ),
    "the weight is no constant": walk("add(walk(rest), dense($zero, dense(multiply($v, sum(x)), $v)))"),
    "rows are mixed before": walk("add(walk(rest), dense(multiply(x, sum(x)), $w))"),
    "nothing is multiplied": walk("let a = sum(tanh(x)); add(walk(rest), a)"),
}


@pytest.mark.parametrize("why", STAYS)
def test_what_stays(why: str) -> None:
    before, after = batched(STAYS[why])
    assert after is before or str(after) == str(before)


def test_a_tensor_of_many_rows_stays() -> None:
    text = BINARY.replace(f"Leaf({ROW})", "Leaf(Tensor[(?, 3), float32])").replace(
        "tanh(add(dense(x, $w), $b))", "sum(tanh(add(dense(x, $w), $b)), axis=0, keepdims=true)"
    )
    before, after = batched(text)
    assert str(after) == str(before)


def test_a_step_that_others_need_too_is_made_once() -> None:
    """What is batched is given back row by row, to whoever reads it; what does not lead to a product stays."""
    text = walk("let a = tanh(x); let p = dense(a, $w); add(add(walk(rest), add(p, sum(a))), tanh(p))")
    before, after = batched(text)
    assert products(after) == ["main: many"]
    value = Maker().list([None] * 5)
    same(for_machine(evaluate(after, (value,))), for_machine(evaluate(before, (value,))))
    assert batch_fields(after) is after


def test_each_caller_makes_its_own() -> None:
    text = walk(
        "add(walk(rest), dense(x, $w))", call="add(walk(tree), walk(match (tree) { Nil() => tree, Cons(_, r) => r }))"
    )
    before, after = batched(text)
    assert products(after) == ["main: many", "main: many"]
    for count in (0, 1, 6):
        value = Maker().list([None] * count)
        same(for_machine(evaluate(after, (value,))), for_machine(evaluate(before, (value,))))
