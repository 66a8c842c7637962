"""Inlining: which functions go, that names stay apart, and that it computes the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anytile.compiler.evaluate import evaluate
from anytile.compiler.ir.nodes import Call, Expr, Function, GlobalRef
from anytile.compiler.ir.traverse import steps
from anytile.compiler.module import Module
from anytile.compiler.passes import inline as inlining
from anytile.compiler.passes.inline import inline
from anytile.compiler.passes.verify import verify
from anytile.compiler.pipeline import passes
from tests.support.cases.compiled_modules import check, compile_text, for_machine, node, random, same

ROW = "Tensor[(?n,), float32]"
STATE = f"x: {ROW}, i: Tensor[(), int64]"


def stages(text: str) -> tuple[Module, Module]:
    """Before inlining and after it."""
    module = Module.parse(text)
    for name, run in passes():
        if name == "inline":
            return module, run(module)
        module = run(module)
    raise AssertionError("no pass inlines")


def left(text: str) -> list[str]:
    before, after = stages(text)
    verify(before)
    verify(after)
    for n in (0, 1, 5):
        x = random(n, n)
        same(for_machine(evaluate(after, (x,))), for_machine(evaluate(before, (x,))))
    return list(after.functions)


def main(body: str) -> str:
    return f"def main(x: {ROW}) -> {ROW} {{ {body} }}\n"


def test_what_is_called_once_or_is_small_goes() -> None:
    twice = f"def twice(x: {ROW}) -> {ROW} {{ let a = half(x); let b = half(a); add(a, b) }}\n"
    half = f"def half(y: {ROW}) -> {ROW} {{ let a = multiply(y, 0.5); tanh(a) }}\n"
    assert left(main("let a = exp(x); twice(a)") + twice + half) == ["main"]


def test_what_is_large_and_called_often_stays() -> None:
    large = f"def large(x: {ROW}) -> {ROW} {{ {'exp(tanh(' * 20}x{'))' * 20} }}\n"
    assert left(main("large(x)") + large) == ["main"]
    assert left(main("large(large(x))") + large) == ["main", "large"]


def test_what_is_a_value_or_makes_closures_stays() -> None:
    half = f"def half(y: {ROW}) -> {ROW} {{ multiply(y, 0.5) }}\n"
    text = main("let f = if (less(sum(x), 0.0)) { half } else { half }; f(half(x))") + half
    assert left(text) == ["main", "half"]
    closing = f"def closing(y: {ROW}) -> {ROW} {{ let f = fn(z: {ROW}) -> {ROW} {{ add(z, y) }}; f(y) }}\n"
    assert left(main("closing(x)") + closing) == ["main", "closing"]


def test_two_that_call_each_other_become_one() -> None:
    even = f"def even({STATE}) -> {ROW} {{ if (less(i, 1)) {{ x }} else {{ odd(tanh(x), subtract(i, 1)) }} }}\n"
    odd = f"def odd({STATE}) -> {ROW} {{ if (less(i, 1)) {{ exp(x) }} else {{ even(abs(x), subtract(i, 1)) }} }}\n"
    assert left(main("even(x, 7)") + even + odd) in (["main", "even"], ["main", "odd"])


TREES = """
data Tree { Leaf(Tensor[(1, 3), float32]), Node(Trees) }
data Trees { Nil(), Cons(Tree, Trees) }
def main(tree: Tree) -> Tensor[(1, 3), float32] { state(tree) }
def state(tree: Tree) -> Tensor[(1, 3), float32] {
  match (tree) { Leaf(x) => tanh(dense(x, $w)), Node(children) => relu(sums(children, $zero)) }
}
def sums(trees: Trees, h: Tensor[(1, 3), float32]) -> Tensor[(1, 3), float32] {
  match (trees) { Nil() => h, Cons(first, rest) => sums(rest, add(h, state(first))) }
}
"""


def test_a_walk_of_trees_is_one_function() -> None:
    made = compile_text(TREES, w=random(0, 3, 3), zero=np.zeros((1, 3), np.float32))
    assert [f.name for f in made.exe.functions] == ["main", "sums"]
    tree, nil = node("Tree", "Leaf", random(1, 1, 3)), node("Trees", "Nil")
    for seed in range(4):
        leaf = node("Tree", "Leaf", random(seed, 1, 3))
        tree = node("Tree", "Node", node("Trees", "Cons", tree, node("Trees", "Cons", leaf, nil)))
    check(made, tree)


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Functions of a row and a counter, each of which calls any of them with a smaller counter, or those after it."""
    count = draw(st.integers(1, 4))

    def expression(number: int, deep: int) -> str:
        """A row made of x and of what later functions make."""
        kind = draw(st.sampled_from(["x", "unary", "binary", "later", "tuple", "if"]))
        if kind == "x" or deep == 0:
            return "x"
        one = expression(number, deep - 1)
        if kind == "unary":
            return f"{draw(st.sampled_from(['tanh', 'abs', 'relu']))}({one})"
        if kind == "binary":
            return f"maximum({one}, {expression(number, deep - 1)})"
        if kind == "later" and number + 1 < count:
            return f"f{draw(st.integers(number + 1, count - 1))}({one}, i)"
        if kind == "tuple":
            return f"({one}, x).0"
        return f"(if (less(sum({one}), 1.0)) {{ {expression(number, deep - 1)} }} else {{ x }})"

    texts = [main(f"f0(x, {draw(st.integers(0, 4))})")]
    for number in range(count):
        back = f"f{draw(st.integers(0, count - 1))}({expression(number, 1)}, subtract(i, 1))"
        base = expression(number, 3)
        body = f"if (less(i, 1)) {{ {base} }} else {{ add({back}, {expression(number, 1)}) }}"
        texts.append(f"def f{number}({STATE}) -> {ROW} {{ {body} }}\n")
    return "".join(texts)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(programs(), st.integers(0, 4))
def test_random_programs_compute_the_same(text: str, n: int) -> None:
    before, after = stages(text)
    verify(after)
    x = random(n, n)
    same(for_machine(evaluate(after, (x,))), for_machine(evaluate(before, (x,))))
    assert len(after.functions) <= len(before.functions)
    again = inline(after)
    assert list(again.functions) == list(after.functions)  # at rest


@pytest.mark.parametrize("calls", [1, 2, 3])
def test_code_grows_by_what_is_small(calls: int) -> None:
    """Each call brings the steps of what it called, and no more."""
    chain = "x"
    for _ in range(calls):
        chain = f"f({chain})"
    before, after = stages(main(chain) + f"def f(x: {ROW}) -> {ROW} {{ exp(tanh(x)) }}\n")
    assert sum(1 for _ in steps(before.main.body)) == calls
    found = [v for _, v in steps(after.main.body)]
    assert len(found) == 2 * calls
    assert not any(isinstance(v, Call) and isinstance(v.callee, GlobalRef) for v in found)


def test_a_chain_of_calls_costs_what_its_steps_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only functions that call the one that goes are looked at again."""
    count, rewritten = 200, []
    links = "".join(f"def f{i}(x: {ROW}) -> {ROW} {{ f{i + 1}(x) }}\n" for i in range(count))
    before, _ = stages(main("f0(x)") + links + f"def f{count}(x: {ROW}) -> {ROW} {{ tanh(x) }}\n")
    real = inlining._put

    def put(name: str, called: Function, body: Expr) -> Expr:
        rewritten.append(name)
        return real(name, called, body)

    monkeypatch.setattr(inlining, "_put", put)
    assert list(inline(before).functions) == ["main"]
    assert rewritten == [f"f{i}" for i in range(count + 1)]
