"""Rows that are normalised by operators of their own are one kernel; what only looks like it stays as it is."""

from __future__ import annotations

import pytest

from anytile.compiler.ir.nodes import Call, is_operator_call
from anytile.compiler.ir.traverse import nodes
from tests.support.cases.compiled_modules import check, compile_text, random

MEAN = "mean({}, axis=(1,), keepdims=true)"
RMS = f"add({MEAN.format('square(x)')}, 0.001)"
CENTRED = f"let d = subtract(x, {MEAN.format('x')}); let v = add({MEAN.format('square(d)')}, 0.001); "


def norms(body: str) -> list[Call]:
    """The normalisations of a model, which is checked at some sizes."""
    made = compile_text(
        f"def main(x: Tensor[(?t, 6), float32]) {{ {body} }}", g=random(1, 6), b=random(2, 6), one=random(3, 1)
    )
    for t in (0, 1, 7):
        check(made, random(9, t, 6), tolerance=1e-4)
    found = nodes(dict(made.stages)["match_norms"].main.body)
    return [e for e in found if is_operator_call(e, "rms_norm", "layer_norm")]


@pytest.mark.parametrize(
    "body",
    [
        f"multiply(multiply(x, reciprocal(sqrt({RMS}))), $g)",
        f"multiply($g, multiply(rsqrt({RMS}), x))",
        f"multiply($g, divide(x, sqrt({RMS})))",
        f"multiply($g, multiply(x, divide(1.0, sqrt({RMS}))))",
        f"multiply($g, multiply(x, rsqrt(add(0.001, {MEAN.format('multiply(x, x)')}))))",
    ],
)
def test_rows_over_their_root_mean_square(body: str) -> None:
    (call,) = norms(body)
    assert is_operator_call(call, "rms_norm")
    assert call.attr("eps", None) == pytest.approx(0.001)


@pytest.mark.parametrize(
    "body",
    [
        "add(multiply(divide(d, sqrt(v)), $g), $b)",
        "add($b, multiply($g, multiply(d, rsqrt(v))))",
    ],
)
def test_rows_without_their_means(body: str) -> None:
    (call,) = norms(CENTRED + body)
    assert is_operator_call(call, "layer_norm")


@pytest.mark.parametrize(
    "body",
    [
        f"multiply(multiply(x, sqrt({RMS})), $g)",  # multiplied by the root
        f"multiply(multiply(exp(x), rsqrt({RMS})), $g)",  # other rows than those that are squared
        f"multiply(multiply(x, rsqrt({RMS})), $one)",  # no weight for each element
        f"multiply(multiply(x, divide(2.0, sqrt({RMS}))), $g)",
        f"let y = multiply(x, rsqrt({RMS})); (multiply(y, $g), y)",  # somebody else reads the rows
        "multiply(multiply(x, rsqrt(add(mean(square(x), axis=(0,), keepdims=true), 0.001))), $g)",  # over columns
        f"multiply(multiply(x, rsqrt(add({MEAN.format('square(x)')}, -0.5))), $g)",
        CENTRED + "multiply(multiply(d, rsqrt(v)), $g)",  # nothing is added behind it
    ],
)
def test_what_looks_like_it_stays(body: str) -> None:
    assert norms(body) == []


def test_rows_without_something_else_are_rows() -> None:
    d = f"let d = subtract(x, {MEAN.format('exp(x)')}); let v = add({MEAN.format('square(d)')}, 0.001); "
    (call,) = norms(f"{d}add(multiply(multiply(d, rsqrt(v)), $g), $b)")
    assert is_operator_call(call, "rms_norm")
