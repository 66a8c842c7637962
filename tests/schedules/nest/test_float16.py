"""Rounding to bfloat16 against its definition, and against ml_dtypes where that is installed."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.schedules.nest.float16 import bits_of, from_bits, held_as, rounded


def test_values_are_the_nearest_and_ties_go_to_even() -> None:
    one, step = 1.0, 2.0**-7
    given = np.array([one, one + step / 2, one + step * 1.5, one + step * 0.51, -one - step / 2, 3e38, 1e-45])
    expected = [one, one, one + 2 * step, one + step, -one, np.float32(3e38), 0.0]
    found = rounded(given.astype(np.float32), "bfloat16")
    np.testing.assert_allclose(found, expected, rtol=2**-8)
    np.testing.assert_array_equal(found[:5], expected[:5])
    assert found.dtype == np.dtype(held_as("bfloat16"))


def test_what_is_no_number_stays_so() -> None:
    found = rounded(np.array([np.nan, np.inf, -np.inf], np.float32), "bfloat16")
    np.testing.assert_array_equal(found, [np.nan, np.inf, -np.inf])


def test_against_ml_dtypes() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    bits = np.random.default_rng(0).integers(0, 2**32, 20000, dtype=np.uint32)
    values = bits.view(np.float32)
    values = values[np.isfinite(values)]
    with np.errstate(over="ignore"):
        expected = values.astype(ml_dtypes.bfloat16).astype(np.float32)
    np.testing.assert_array_equal(rounded(values, "bfloat16"), expected)


@pytest.mark.parametrize("dtype", ["float16", "float32", "int32"])
def test_what_numpy_has_is_numpy_s(dtype: str) -> None:
    values = np.array([1.00049, 2.5, -3.0])
    np.testing.assert_array_equal(rounded(values, dtype), values.astype(dtype))
    assert held_as(dtype) == dtype


@pytest.mark.parametrize("shape", [(), (1,), (0, 3), (2, 3)])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_bits_have_the_shape_of_their_values_and_come_back(dtype: str, shape: tuple[int, ...]) -> None:
    values = rounded(np.random.default_rng(0).standard_normal(shape).astype(np.float32), dtype)
    bits = bits_of(values.T, dtype)
    assert isinstance(bits, np.ndarray)
    assert bits.shape == values.T.shape
    assert bits.flags.c_contiguous
    np.testing.assert_array_equal(from_bits(bits, dtype), values.T)
