"""Weights of convolutions with channels last: which of them, and that the module means what it did."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.compiler.evaluate import evaluate
from anytile.compiler.ir.nodes import Constant, is_operator_call
from anytile.compiler.ir.traverse import nodes
from anytile.compiler.passes.convolutional.lay_filters import lay_filters
from anytile.compiler.passes.to_anf import to_anf
from anytile.compiler.pipeline import typed
from anytile.schedules.nest.stored_floats import bits_of
from tests.support.cases.compiled_modules import random
from tests.support.cases.narrow_modules import module

X = "x: Tensor[(?n, 7, 6, 8), float32]"
OF_FLOATS = 'x="float32", out="float32"'
W, DEEP = random(1, 5, 8, 3, 2), random(2, 8, 1, 3, 3)
GIVEN = {
    "w": bits_of(W, "bfloat16"),
    "half": bits_of(W, "float16"),
    "deep": bits_of(DEEP, "float16"),
    "codes": np.arange(240, dtype=np.int8).reshape(5, 8, 3, 2),
    "floats": W,
}


def weights(body: str) -> tuple[list[tuple[int, ...]], bool]:
    """The shapes of constants behind the pass, and whether the module means what it meant, to the last bit."""
    given = typed(to_anf(typed(module(body, X, **{name: a for name, a in GIVEN.items() if f"${name}" in body}))))
    laid = typed(lay_filters(given))
    found = [e.array.shape for e in nodes(laid.main.body) if isinstance(e, Constant)]
    assert sum(is_operator_call(e) for e in nodes(laid.main.body)) == sum(map(is_operator_call, nodes(given.main.body)))
    x = random(3, 2, 7, 6, 8)
    return found, np.array_equal(evaluate(laid, [x]), evaluate(given, [x]))


@pytest.mark.parametrize(
    ("name", "attrs"),
    [
        ("w", 'weight="bfloat16", layout="nhwc", pad=(1, 0, 1, 1)'),
        ("half", 'weight="float16", layout="nhwc", stride=(2, 1), products="rounded"'),
    ],
)
def test_channels_of_a_weight_in_16_bits_are_last(name: str, attrs: str) -> None:
    assert weights(f"quantised_conv2d(x, ${name}, {attrs}, {OF_FLOATS})") == ([(5, 3, 2, 8)], True)


@pytest.mark.parametrize(
    ("body", "shape"),
    [
        ('conv2d(x, $floats, layout="nhwc")', (5, 8, 3, 2)),
        (f'quantised_conv2d(x, $deep, layout="nhwc", groups=8, weight="float16", {OF_FLOATS})', (8, 1, 3, 3)),
        ('quantised_conv2d(cast(x, dtype="uint8"), $codes, layout="nhwc")', (5, 8, 3, 2)),
    ],
)
def test_other_weights_stay(body: str, shape: tuple[int, ...]) -> None:
    assert weights(body) == ([shape], True)


def test_what_lies_so_is_not_turned_again() -> None:
    body = f'quantised_conv2d(x, $half, layout="nhwc", weight="float16", {OF_FLOATS})'
    once = lay_filters(typed(to_anf(typed(module(body, X, half=GIVEN["half"])))))
    assert str(lay_filters(once)) == str(once)
