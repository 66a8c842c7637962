"""Rows as 8-bit integers: kernels agree with numpy to the last bit, and what they make stands for what came."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.reference import evaluate
from anytile.schedules.workloads.workload import Workload
from tests.support.cases.small_operators import SSE, Array, compiled, interpreted, nest_of, walled

WORKLOAD = Workload.parse("quantise_rows(m=?m, k=?k)")


def quantised(x: Array) -> tuple[Array, Array, Array]:
    """Integers, scales and zero points by the kernel, which numpy's meaning of it must equal."""
    symbols = dict(zip("mk", x.shape, strict=True))
    wanted = evaluate(WORKLOAD, {"x": x})
    found = walled(compiled(WORKLOAD, Target.host(1)), WORKLOAD, {"x": x}, symbols)
    for name, array in wanted.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype
    return found["y"], found["scale"], found["zero"]


def test_the_nest_says_the_same() -> None:
    x = np.random.default_rng(0).standard_normal((3, 21), np.float32)
    found = interpreted(nest_of(WORKLOAD, SSE), {"x": x}, {"m": 3, "k": 21})
    for name, array in evaluate(WORKLOAD, {"x": x}).items():
        np.testing.assert_array_equal(found[name], array)


@pytest.mark.parametrize("k", [0, 1, 15, 16, 17, 63, 64, 65, 1009])
def test_integers_stand_for_rows(k: int) -> None:
    x = np.random.default_rng(k).standard_normal((5, k), np.float32) * np.float32(10)
    x[1], x[2], x[3] = abs(x[1]), -abs(x[2]), 0
    y, scale, zero = quantised(x)
    back = (y.astype(np.float64) - zero) * scale
    assert (abs(back - x) <= scale * 0.5001 + 1e-30).all()  # half a step at most
    assert (back[3] == 0).all()


def test_zero_is_an_integer_of_every_row() -> None:
    x = np.float32([[5, 6, 0, 7], [-5, -6, 0, -7], [0.1, 0, -0.3, 1]])
    y, _, zero = quantised(x)
    assert (y[x == 0] == zero[:, 0]).all()


def test_what_is_no_number_makes_scales_that_are_none() -> None:
    x = np.ones((5, 33), np.float32)
    x[0, 3], x[1, 5], x[2, 7] = np.nan, np.inf, -np.inf
    x[3] *= np.float32(1e-38)
    y, scale, _ = quantised(x)
    assert not np.isfinite(scale[:3]).any()
    assert (y[3] == 0).all()  # the steps of so small a range have no reciprocal
    assert np.isfinite(scale[3:]).all()


def test_the_widest_range_does_not_overflow() -> None:
    y, scale, _ = quantised(np.float32([[3e38, -3e38, 0]]))
    assert np.isfinite(scale).all()
    assert y[0, 0] > y[0, 2] > y[0, 1]
