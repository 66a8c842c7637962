"""GELU and SiLU as exporters write them are operators, and a product's tail; what only looks like them stays."""

from __future__ import annotations

import pytest

from anytile.compiler.ir.nodes import operator_of
from anytile.compiler.ir.traverse import nodes
from tests.support.cases.compiled_modules import Compiled, check, compile_text, random

ROOT = "1.4142135"


def made(body: str) -> tuple[Compiled, list[str]]:
    """A model and the operators that main calls in the end; it is checked at some sizes."""
    found = compile_text(f"def main(x: Tensor[(?t, 6), float32]) {{ {body} }}", w=random(0, 5, 6))
    for t in (0, 1, 5, 17):
        check(found, random(9, t, 6), tolerance=1e-4)
    return found, [name for e in nodes(dict(found.stages)["dead_code"].main.body) if (name := operator_of(e))]


@pytest.mark.parametrize(
    "body",
    [
        f"multiply(multiply(y, add(erf(divide(y, {ROOT})), 1.0)), 0.5)",
        f"multiply(multiply(y, 0.5), add(1.0, erf(divide(y, {ROOT}))))",
        "multiply(multiply(0.5, add(erf(multiply(0.70710677, y)), 1.0)), y)",
        f"multiply(0.5, multiply(add(erf(divide(y, {ROOT})), 1.0), y))",
    ],
)
def test_it_is_the_tail_of_a_product(body: str) -> None:
    found, left = made(f"let y = dense(x, $w); {body}")
    assert left == ["dense", "gelu"]
    assert [k.workload for k in found.exe.kernels if k.kind == "kernel" and "tail=gelu(y)" in k.workload]


@pytest.mark.parametrize(
    "body",
    [
        f"multiply(multiply(y, add(erf(divide(y, {ROOT})), 1.0)), 0.25)",
        "multiply(multiply(y, add(erf(divide(y, 1.5)), 1.0)), 0.5)",
        f"multiply(multiply(y, add(erf(divide(y, {ROOT})), 2.0)), 0.5)",
        f"multiply(multiply(y, add(erf(divide(exp(y), {ROOT})), 1.0)), 0.5)",
        f"multiply(multiply(exp(y), add(erf(divide(y, {ROOT})), 1.0)), 0.5)",
        f"multiply(multiply(y, add(erf(divide({ROOT}, y)), 1.0)), 0.5)",
        f"let z = multiply(y, add(erf(divide(y, {ROOT})), 1.0)); (multiply(z, 0.5), z)",
    ],
)
def test_what_looks_like_it_stays(body: str) -> None:
    assert "gelu" not in made(f"let y = dense(x, $w); {body}")[1]


@pytest.mark.parametrize("body", ["multiply(y, sigmoid(y))", "multiply(sigmoid(y), y)"])
def test_a_number_times_its_sigmoid_is_the_tail_of_a_product(body: str) -> None:
    found, left = made(f"let y = dense(x, $w); {body}")
    assert left == ["dense", "silu"]
    assert [k.workload for k in found.exe.kernels if k.kind == "kernel" and "tail=y * sigmoid(y)" in k.workload]


@pytest.mark.parametrize(
    "body",
    [
        "multiply(y, sigmoid(exp(y)))",
        "multiply(exp(y), sigmoid(y))",
        "add(y, sigmoid(y))",
        "let z = sigmoid(y); (multiply(y, z), z)",
    ],
)
def test_another_number_times_a_sigmoid_stays(body: str) -> None:
    assert "silu" not in made(f"let y = dense(x, $w); {body}")[1]
