"""8-bit integers by one range: kernels agree with numpy to the last bit, whatever comes and however it lies."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.reference import evaluate
from anytile.schedules.workloads.workload import Workload
from tests.support.cases.small_operators import SSE, Array, compiled, interpreted, nest_of, walled

WORKLOAD = Workload.parse("quantise_within(n=?n)")


def given(x: Array, by: float, zero: float) -> dict[str, Array]:
    return {"x": x, "by": np.float32([by]), "zero": np.float32([zero])}


def quantised(x: Array, by: float, zero: float) -> Array:
    """Integers by the kernel, which numpy's meaning of it must equal."""
    inputs = given(x, by, zero)
    found = walled(compiled(WORKLOAD, Target.host(1)), WORKLOAD, inputs, {"n": len(x)})["y"]
    np.testing.assert_array_equal(found, evaluate(WORKLOAD, inputs)["y"])
    assert found.dtype == np.uint8
    return found


def test_the_nest_says_the_same() -> None:
    inputs = given(np.random.default_rng(0).standard_normal(37, np.float32), 40.0, 100.0)
    found = interpreted(nest_of(WORKLOAD, SSE), inputs, {"n": 37})["y"]
    np.testing.assert_array_equal(found, evaluate(WORKLOAD, inputs)["y"])


@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 63, 64, 65, 1009])
def test_integers_stand_for_what_came(n: int) -> None:
    x = np.random.default_rng(n).uniform(-2, 3, n).astype(np.float32)
    y = quantised(x, 51.0, 102.0)
    assert (abs((y.astype(np.float64) - 102) / 51 - x) <= 0.5001 / 51).all()


def test_halves_go_to_even_integers_and_what_is_beyond_to_the_ends() -> None:
    x = np.float32([0.5, 1.5, 2.5, -0.5, 254.5, 255.5, 300, -300, np.inf, -np.inf, 3e38, -3e38, 0.0, -0.0])
    wanted = [0, 2, 2, 0, 254, 255, 255, 0, 255, 0, 255, 0, 0, 0]
    assert quantised(x, 1.0, 0.0).tolist() == wanted


BACK = Workload.parse("dequantise_within(n=?n)")


@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 63, 64, 65, 1009])
def test_what_integers_stand_for_is_near_what_they_were_made_of(n: int) -> None:
    x = np.random.default_rng(n).uniform(-2, 3, n).astype(np.float32)
    inputs = {"x": quantised(x, 51.0, 102.0), "scale": np.float32([1 / 51]), "plus": np.float32([-2])}
    found = walled(compiled(BACK, Target.host(1)), BACK, inputs, {"n": n})["y"]
    np.testing.assert_allclose(found, evaluate(BACK, inputs)["y"], rtol=0, atol=1e-6)
    assert (abs(found - x) <= 0.5001 / 51).all()
    np.testing.assert_allclose(interpreted(nest_of(BACK, SSE), inputs, {"n": n})["y"], found, rtol=0, atol=1e-6)
