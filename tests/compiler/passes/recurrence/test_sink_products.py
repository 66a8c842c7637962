"""Products moved into the clauses of a match: where that lets them be batched, and that it changes no result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from anytile.compiler.evaluate import evaluate
from anytile.compiler.ir.nodes import Call, Match, OperatorRef
from anytile.compiler.ir.traverse import bindings_of, blocks, steps
from anytile.compiler.ir.types import TensorType
from anytile.compiler.module import Module
from anytile.compiler.passes.recurrence import by_row
from anytile.compiler.passes.recurrence.sink_products import sink_products
from anytile.compiler.passes.verify import verify
from tests.support.cases.compiled_modules import check, compile_text, for_machine, node, random, same, stages

ROW = "Tensor[(1, 3), float32]"
WEIGHTS = {"w": random(0, 3, 3), "v": random(1, 3, 3), "b": random(2, 3)}
DECLARED = "".join(f"const ${n}: {TensorType(a.shape, a.dtype.name)};\n" for n, a in WEIGHTS.items())


@pytest.fixture(autouse=True, scope="module")
def every_weight() -> Iterator[None]:
    """The weights of these models are small; what is worth it is asked for in a test of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(by_row, "WORTH", 0)
        patch.setattr(by_row, "WORTH_TOO", 0)
        yield


def module(match: str, after: str, result: str = ROW) -> str:
    return f"""
data Tree {{ Leaf({ROW}), Node(Tree, Tree) }}
def main(tree: Tree) -> {result} {{ walk(tree) }}
def walk(tree: Tree) -> {result} {{
  match (tree) {{
    Leaf(x) => {"x" if result == ROW else "(x, x)"},
    Node(l, r) => {{ let s = match (l) {{ {match} }}; {after} }}
  }}
}}
"""


def sunk(text: str) -> tuple[Module, Module]:
    """Before products sink and after it."""
    return stages("sink_products", Module.parse(DECLARED + text, WEIGHTS))


def inside(made: Module) -> list[int]:
    """How many products each clause of the match of `walk` has, of one that has two clauses with steps."""
    for _, value in steps(made.functions["walk"].body):
        if isinstance(value, Match) and all(bindings_of(b) for b in blocks(value)):
            found = [sum(1 for _, v in bindings_of(b) if _is_product(v)) for b in blocks(value)]
            if found != [0, 1] or len(blocks(value)) == 2:
                inner = [v for b in blocks(value) for _, v in bindings_of(b) if isinstance(v, Match)]
                if not inner:
                    return found
    return []


def _is_product(value: Any) -> bool:
    return isinstance(value, Call) and value.callee == OperatorRef("dense")


def trees() -> list[Any]:
    leaves = [node("Tree", "Leaf", random(i, 1, 3)) for i in range(6)]
    small = node("Tree", "Node", leaves[0], leaves[1])
    return [leaves[2], small, node("Tree", "Node", node("Tree", "Node", leaves[3], small), leaves[4])]


def unchanged_in_value(text: str) -> tuple[Module, Module]:
    before, after = sunk(text)
    verify(after)
    for tree in trees():
        same(for_machine(evaluate(after, (tree,))), for_machine(evaluate(before, (tree,))))
    return before, after


LEAF = "Leaf(x) => tanh(dense(x, $w)), Node(a, _) => tanh(walk(a))"
BOTH = "Leaf(x) => (tanh(dense(x, $w)), relu(x)), Node(a, _) => walk(a)"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "found"),
    [
        (module(LEAF, "add(walk(r), tanh(add(dense(s, $v), $b)))"), [2, 1]),
        (module(LEAF, "let p = tanh(dense(s, $v)); add(walk(r), add(s, dense(p, $w)))"), [3, 2]),  # and s is read, too
        (module(LEAF, "add(walk(r), tanh(s))"), [1, 0]),  # nothing is multiplied
        (module(LEAF, "let sum = add(walk(r), s); dense(sum, $v)"), [1, 0]),  # of something else, too
        (module("Leaf(x) => x, Node(a, _) => tanh(walk(a))", "add(walk(r), dense(s, $v))"), [1, 1]),
        (module("Leaf(_) => walk(r), Node(a, _) => tanh(walk(a))", "add(walk(r), dense(s, $v))"), [0, 0]),
    ],
)
def test_where_products_go(text: str, found: list[int]) -> None:
    before, after = unchanged_in_value(text)
    assert inside(after) == found
    assert (after is before) == (found[1] == 0)
    check(compile_text(text, **WEIGHTS), trees()[2])


@pytest.mark.slow
def test_fields_of_a_tuple() -> None:
    """The clause that makes none of its own takes the tuple apart."""
    pair = f"({ROW}, {ROW})"
    text = module(BOTH, "let t = walk(r); (add(t.0, dense(s.0, $v)), add(s.1, t.1))", pair)
    _, after = unchanged_in_value(text)
    assert inside(after) == [2, 1]
    check(compile_text(text, **WEIGHTS), trees()[2])


def test_a_field_that_the_clause_has_from_elsewhere_stays() -> None:
    pair = f"({ROW}, {ROW})"
    clauses = "Leaf(x) => { let o = walk(r); (tanh(dense(x, $w)), o.1) }, Node(a, _) => walk(a)"
    text = module(clauses, "(dense(s.1, $v), s.0)", pair)
    before, after = unchanged_in_value(text)
    assert after is before
    _, after = unchanged_in_value(module(clauses, "(dense(s.0, $v), s.1)", pair))
    assert inside(after) == [2, 1]


def test_it_is_at_rest_after_it_ran() -> None:
    for after in (
        "add(walk(r), tanh(add(dense(s, $v), $b)))",
        "let p = tanh(dense(s, $v)); add(walk(r), dense(p, $w))",
    ):
        made = sunk(module(LEAF, after))[1]
        again = sink_products(made)
        assert again is made


def test_a_match_that_is_met_once_stays() -> None:
    text = module(LEAF, "add(walk(r), s)").replace("{ walk(tree) }", f"{{ dense(match (tree) {{ {LEAF} }}, $v) }}")
    before, after = sunk(text)
    assert after is before


def test_a_weight_that_is_read_fast_is_not_worth_a_row_more(monkeypatch: pytest.MonkeyPatch) -> None:
    text = module(LEAF, "add(walk(r), tanh(add(dense(s, $v), $b)))")
    monkeypatch.setattr(by_row, "WORTH_TOO", WEIGHTS["v"].nbytes + 1)
    before, after = sunk(text)
    assert after is before
    monkeypatch.setattr(by_row, "WORTH_TOO", WEIGHTS["v"].nbytes)
    assert sunk(text)[1] is not before
    monkeypatch.setattr(by_row, "WORTH", WEIGHTS["w"].nbytes + WEIGHTS["v"].nbytes + 1)  # both will not be batched
    before, after = sunk(text)
    assert after is before
