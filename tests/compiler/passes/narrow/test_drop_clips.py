"""What integers cut off by themselves is not cut off before them, and comes out the same."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.compiler.evaluate import evaluate
from anytile.compiler.ir.nodes import Module, is_operator_call
from anytile.compiler.ir.traverse import steps
from anytile.compiler.passes.dead_code import dead_code
from anytile.compiler.passes.narrow.drop_clips import drop_clips
from tests.support.cases.compiled_modules import stages
from tests.support.cases.narrow_modules import module

X = "x: Tensor[(?n, 9), float32]"
BY = np.float32([255 / 6])  # a range from 0 to 6
ZERO, MOVED = np.float32([0]), np.float32([3])
EDGES = np.float32([-np.inf, -7, -0.01, 0, 0.01, 3, 5.99, 6, 9])


def cut(body: str) -> tuple[Module, Module]:
    _, before = stages("fold_constants", module(body, X, by=BY, zero=ZERO, moved=MOVED))
    return before, dead_code(drop_clips(before))


def kept(after: Module) -> int:
    return sum(is_operator_call(value, "relu", "clip", "maximum", "minimum") for _, value in steps(after.main.body))


@pytest.mark.parametrize(
    "clip",
    [
        *("relu(h)", "clip(h, min=0.0, max=6.0)", "clip(h, min=-1.0, max=7.0)", "clip(h, max=6.0)"),
        *("minimum(maximum(h, 0.0), 6.0)", "maximum(minimum(h, 6.0), 0.0)", "relu(clip(h, max=6.0))"),
    ],
)
def test_what_is_cut_off_anyway_is_not_cut_off_before(clip: str) -> None:
    before, after = cut(f"let h = add(x, x); let y = {clip}; quantise_within(y, $by, $zero)")
    assert kept(before) > 0
    assert kept(after) == 0
    for x in (EDGES[None] / 2, np.linspace(-9, 9, 90, dtype=np.float32).reshape(-1, 9)):
        np.testing.assert_array_equal(evaluate(after, [x]), evaluate(before, [x]))


@pytest.mark.parametrize(
    "body",
    [
        "let y = clip(h, min=0.0, max=3.0); quantise_within(y, $by, $zero)",  # below the end of the range
        "let y = clip(h, min=1.0, max=6.0); quantise_within(y, $by, $zero)",
        "let y = relu(h); quantise_within(y, $by, $moved)",  # 0 is not the least integer
        "let y = relu(h); (quantise_within(y, $by, $zero), y)",  # somebody else reads it
        "let y = relu(h); (quantise_within(y, $by, $zero), h)",
        "let y = minimum(h, 5.0); quantise_within(y, $by, $zero)",
        "let y = maximum(h, h); quantise_within(y, $by, $zero)",
    ],
)
def test_what_is_not_stays(body: str) -> None:
    before, after = cut(f"let h = add(x, x); {body}")
    assert kept(after) == kept(before) == 1
