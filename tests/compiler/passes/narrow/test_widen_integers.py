"""What no kernel of a GPU does with bytes: the same numbers, to the last bit, as steps that have kernels there."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.compiler.evaluate import evaluate
from anytile.compiler.ir.nodes import Array
from anytile.compiler.module import Module
from anytile.compiler.passes.narrow.integers.widen_integers import widen_integers
from anytile.compiler.pipeline import optimise

X = np.random.default_rng(3).standard_normal((5, 7), np.float32)
ROWS: dict[str, Array] = {
    "any": X,
    "positive": np.abs(X) + 1,
    "negative": -np.abs(X) - 1,
    "zeros": np.zeros((2, 7), np.float32),
    "tiny": X * np.float32(2.0**-130),
    "large": X * np.float32(1e37),
    "halves": np.float32([[0.5, 1.5, 2.5, -0.5, 127.5, -127.5, 0.0]]),
}


def module(shape: str) -> Module:
    return Module.parse(f"def main(x: Tensor[{shape}, float32]) {{ quantise_rows(x) }}")


@pytest.mark.parametrize("rows", ROWS)
def test_ranges_of_rows_are_found_step_by_step(rows: str) -> None:
    made = optimise(module("(?t, 7)"), device=1, upto="widen_integers")
    assert "quantise_rows(" not in str(made)
    for mine, other in zip(evaluate(made, [ROWS[rows]]), evaluate(module("(?t, 7)"), [ROWS[rows]]), strict=True):
        assert mine.dtype == other.dtype
        np.testing.assert_array_equal(mine, other)


def test_rows_of_any_rank() -> None:
    x = np.random.default_rng(4).standard_normal((2, 3, 7), np.float32)
    made = optimise(module("(?b, ?t, 7)"), device=1, upto="widen_integers")
    for mine, other in zip(evaluate(made, [x]), evaluate(module("(?b, ?t, 7)"), [x]), strict=True):
        np.testing.assert_array_equal(mine, other)


def test_a_module_without_such_rows_stays() -> None:
    plain = optimise(Module.parse("def main(x: Tensor[(?t, 7), float32]) { relu(x) }"), upto="inline")
    assert str(widen_integers(plain)) == str(plain)
