"""Cheap steps that several others read are computed by each of these; what is dear, or better made before, stays."""

from __future__ import annotations

import pytest

from anytile.compiler.ir.nodes import Call, OperatorRef
from anytile.compiler.ir.traverse import bindings_of, steps
from tests.support.cases.compiled_modules import Compiled, check, compile_text, random

PARAMS = "x: Tensor[(?n, 6, ?t), float32], z: Tensor[(?n, 6, ?t), float32], c: Tensor[(?n, 6, 1), float32]"
VARIANCE = "mean(square(d), axis=(2,), keepdims=true)"


def groups(made: Compiled) -> list[str]:
    """The steps of each kernel, in the order of the calls."""
    fused = dict(made.stages)["common_kernels"]
    found = []
    for _, value in steps(fused.main.body):
        if isinstance(value, Call) and not isinstance(value.callee, OperatorRef):
            called = fused.functions[value.callee.name]  # type: ignore[union-attr]  # the name of a function
            found.append(" ".join(s.callee.name for _, s in bindings_of(called.body)))  # type: ignore[union-attr]  # operators
    return found


def compiled(body: str, params: str = PARAMS) -> Compiled:
    return compile_text(f"def main({params}) {{ {body} }}")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # a variance, and what is divided by its root: d is never stored
        (
            f"let d = subtract(x, mean(x, axis=(2,), keepdims=true)); multiply(d, rsqrt(add({VARIANCE}, 0.001)))",
            ["mean", "subtract square mean", "add rsqrt subtract multiply"],
        ),
        ("let d = subtract(x, c); (sum(d, axis=(2,)), max(d, axis=(0,)), sum(x))",
         ["subtract sum", "subtract max", "sum"]),
        ("let d = multiply(2.0, x); (tanh(d), add(x, sum(square(d), axis=(2,), keepdims=true)))",
         ["multiply tanh", "multiply square sum", "add"]),
        # two tensors are more to read than one
        ("let d = subtract(x, z); (tanh(d), exp(d), abs(x), abs(z))", ["subtract", "tanh", "exp", "abs", "abs"]),
        # dear
        ("let d = tanh(x); (sum(d, axis=(2,)), abs(d), sum(x))", ["tanh", "sum", "abs", "sum"]),
        # nothing else reads what it is made of, which has it as its last step
        ("let e = exp(x); let d = subtract(e, c); (tanh(d), abs(d))", ["exp subtract", "tanh", "abs"]),
        # it is read as a result
        ("let d = subtract(x, c); (tanh(d), d, abs(x))", ["subtract", "tanh", "abs"]),
        # one of the readers cannot take it in
        ("let d = subtract(x, c); (tanh(d), batch_matmul(d, d, rhs=\"bnk\"), abs(x))",
         ["subtract", "tanh", "batch_matmul", "abs"]),
        # a copy is not copied: two kernels would compute all of a chain
        (
            "let d = subtract(x, c); let e = multiply(d, c); (tanh(e), exp(e), sqrt(d), abs(x))",
            ["subtract multiply", "tanh", "exp", "subtract sqrt", "abs"],
        ),
    ],
)  # fmt: skip
def test_what_is_computed_again(body: str, expected: list[str]) -> None:
    made = compiled(body)
    assert sorted(groups(made)) == sorted(expected)
    used = made.module.main.params
    for n, t in ((1, 1), (2, 17), (3, 0), (2, 33)):
        shapes = {"x": (n, 6, t), "z": (n, 6, t), "c": (n, 6, 1)}
        check(made, *(random(i, *shapes[v.name]) for i, v in enumerate(used)), tolerance=1e-4)


def test_copies_that_were_not_joined_are_one_again() -> None:
    """Both readers are full of other steps, so that the copies made for them stay kernels."""
    halves = "; ".join(f"let {v}0 = {'sin(' * 31}{of}{')' * 31}" for v, of in (("a", "z"), ("b", "x")))
    long = [f"{'sin(' * 32}{v}0{')' * 32}" for v in "ab"]
    made = compiled(f"let d = subtract(x, c); {halves}; (add({long[0]}, d), add({long[1]}, d))")
    found = groups(made)
    assert found.count("subtract") == 1
    assert sum("subtract" in group for group in found) == 1
