"""The evaluator: recursion as deep as the data, loops that do not grow, checks that name their place."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from anytile.compiler import evaluate as evaluator
from anytile.compiler.evaluate import Closure, Data, Value, evaluate
from anytile.compiler.ir.nodes import ConstructorRef
from anytile.compiler.module import Module
from anytile.core.errors import ArgumentError, ResourceError, SpecError

LIST = "data List[a] { Nil, Cons(a, List[a]) }\n"


def listed(*items: Value) -> Data:
    made = Data(ConstructorRef("List", "Nil"))
    for item in reversed(items):
        made = Data(ConstructorRef("List", "Cons"), (item, made))
    return made


@pytest.mark.slow
def test_recursion_is_as_deep_as_the_data() -> None:
    module = Module.parse(
        LIST
        + """
def copy(xs: List[Tensor[(), int64]]) -> List[Tensor[(), int64]] {
  match (xs) { Nil => Nil(), Cons(x, rest) => Cons(x, copy(rest)) }
}
def last(xs: List[Tensor[(), int64]], or: Tensor[(), int64]) -> Tensor[(), int64] {
  match (xs) { Nil => or, Cons(x, rest) => last(rest, x) }
}
def main(xs: List[Tensor[(), int64]]) { last(copy(xs), -1) }
"""
    )
    items = [np.asarray(i) for i in range(20_000)]  # twenty times what Python's own stack has room for
    assert evaluate(module, [listed(*items)]) == 19_999
    assert evaluate(module, [listed()]) == -1


def test_a_loop_does_not_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluator, "DEEPEST", 50)
    module = Module.parse(
        """
def loop(i: Tensor[(), int64], x: Tensor[(?n,), float32]) -> Tensor[(?,), float32] {
  if (less_equal(i, 0)) { x } else { let next = subtract(i, 1); loop(next, pad(x, after=(1,), value=1.0)) }
}
def deep(i: Tensor[(), int64]) -> Tensor[(), int64] {
  if (less_equal(i, 0)) { 0 } else { add(1, deep(subtract(i, 1))) }
}
def main(i: Tensor[(), int64], x: Tensor[(?n,), float32]) { loop(i, x) }
"""
    )
    found = evaluate(module, {"i": np.asarray(500), "x": np.zeros(0, np.float32)})
    np.testing.assert_array_equal(found, np.ones(500, np.float32))
    assert evaluate(module, [np.asarray(20)], "deep") == 20
    with pytest.raises(ResourceError, match="deep: more than 50 calls in each other; expected recursion to end"):
        evaluate(module, [np.asarray(500)], "deep")


def test_trees_closures_and_shadows() -> None:
    module = Module.parse(
        """
data Tree { Leaf(Tensor[(1,), float32]), Node(Tree, Tree) }
def fold(f: fn(Tensor[(1,), float32], Tensor[(1,), float32]) -> Tensor[(1,), float32], t: Tree)
  -> Tensor[(1,), float32] {
  match (t) { Leaf(x) => x, Node(l, r) => f(fold(f, l), fold(f, r)) }
}
def main(t: Tree, scale: Tensor[(1,), float32]) {
  let f = fn (a, b) { let s = scale; fn () { add(a, multiply(b, s)) }() };
  (fold(f, t), fold(fn (a, b) { b }, t))
}
"""
    )

    def leaf(x: float) -> Data:
        return Data(ConstructorRef("Tree", "Leaf"), (np.asarray([x], np.float32),))

    def node(a: Data, b: Data) -> Data:
        return Data(ConstructorRef("Tree", "Node"), (a, b))

    tree = node(node(leaf(1), leaf(2)), node(leaf(3), leaf(4)))
    found = evaluate(module, [tree, np.asarray([10], np.float32)])
    assert isinstance(found, tuple)
    assert [np.asarray(f).item() for f in found] == [1 + 20 + 10 * (3 + 40), 4]


def test_rounding_is_once_per_operator() -> None:
    module = Module.parse("def main(x: Tensor[(), float32]) { let y = add(x, 1.0); subtract(y, 1.0) }")
    assert evaluate(module, [np.asarray(1e-9, np.float32)]) == 0
    found = evaluate(
        Module.parse("def main(x: Tensor[(2, 300), float32]) { sum(x, axis=1) }"), [np.full((2, 300), 0.1, "f")]
    )
    np.testing.assert_array_equal(found, np.full(2, np.float32(300 * np.float64(np.float32(0.1)))))


@pytest.mark.parametrize(
    ("text", "args", "said"),
    [
        ('def main(x: Tensor[(?n,), float32], y: Tensor[(?m,), float32]) { add(x, y) @"head.3" }', [(3,), (4,)],
         "main: add at head.3 of Tensor[(3,), float32] and Tensor[(4,), float32]: 3 and 4 cannot be broadcast"),
        ("def main(x: Tensor[(?n, ?n), float32]) { x }", [(3, 4)],
         "main: argument x is Tensor[(3, 4), float32] where ?n is 3; expected Tensor[(?n, ?n), float32]"),
        ("def main(x: Tensor[(?n,), int64]) { x }", [(3,)],
         "main: argument x is Tensor[(3,), float32]; expected Tensor[(?n,), int64]"),
        ("def f(a: Tensor[(4,), float32]) { a } def main(x: Tensor[(?n,), float32]) { f(x) @\"top\" }", [(3,)],
         "main: call of f at top: argument a is Tensor[(3,), float32]; expected Tensor[(4,), float32]"),
        ("def main(x: Tensor[(?n,), float32]) { x }", [], "main: 0 arguments; expected 1"),
        ("def main(x: Tensor[(?n,), float32]) { take(x, 7) }", [(3,)],
         "main: take of Tensor[(3,), float32] and Tensor[(), int64]: index 7 is out of bounds for axis 0 with size 3"),
        ("def main() { arange(0, 5, 0) }", [], "main: arange of Tensor[(), int64] and Tensor[(), int64]"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_one_line(text: str, args: list[tuple[int, ...]], said: str) -> None:
    with pytest.raises(ArgumentError) as refused:
        evaluate(Module.parse(text), [np.ones(shape, np.float32) for shape in args])
    assert str(refused.value).startswith(said)
    assert "\n" not in str(refused.value)


def test_modules_that_went_through_no_inference_fail_in_words() -> None:
    x = np.ones(3, np.float32)
    for body, said in (
        ("if (x) { x } else { x }", r"main: if on Tensor\[\(3,\), float32\]; expected a scalar bool"),
        ("x.1", r"main: field 1 of Tensor\[\(3,\), float32\]; expected a tuple that has it"),
        ("x(x)", r"main: call of Tensor\[\(3,\), float32\]; expected a function"),
        ("match (x) { Nil => x }", r"main: match of Tensor\[\(3,\), float32\]: no clause fits"),
    ):
        with pytest.raises(SpecError, match=said):
            evaluate(Module.parse(f"{LIST} def main(x) {{ {body} }}"), [x])
    with pytest.raises(ArgumentError, match="main: got y; expected x"):
        evaluate(Module.parse("def main(x) { x }"), {"y": x})


def test_functions_are_values() -> None:
    found = evaluate(Module.parse("def f(x) { x } def main() { (f, fn (x) { x }) }"), [])
    assert isinstance(found, tuple)
    assert all(isinstance(f, Closure) for f in found)


def test_it_stands_on_nothing_of_what_it_judges() -> None:
    """The oracle shares no code with kernels, plans or the machine that it is compared with."""
    code = "import anytile.compiler.evaluate, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    rooms = {name.split(".")[1] for name in done.stdout.split() if name.startswith("anytile.")}
    assert rooms.isdisjoint({"tuner", "vm", "dispatch", "db", "codegen"})
    assert "llvmlite" not in done.stdout.split()
