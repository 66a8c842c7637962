"""Stored floats against their definitions, and against ml_dtypes where that is installed."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.core.dtypes import FLOAT8, STORED_FLOATS
from anytile.schedules.nest.stored_floats import bits_of, from_bits, held_as, rounded


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


@pytest.mark.parametrize(
    ("dtype", "numbers"),
    [
        # in words: the exponents from 2^-6 on and three digits, those of 2^-6 below it, and 448 instead of infinity
        (
            "float8_e4m3fn",
            [*(d / 512 for d in range(8)), *((8 + d) / 8 * 2.0**e for e in range(-6, 9) for d in range(8))],
        ),
        (
            "float8_e5m2",
            [*(d / 65536 for d in range(4)), *((4 + d) / 4 * 2.0**e for e in range(-14, 16) for d in range(4))],
        ),
    ],
)
def test_numbers_of_8_bits_are_those_of_their_definition(dtype: str, numbers: list[float]) -> None:
    found = from_bits(np.arange(256, dtype=np.uint8), dtype)
    if dtype == "float8_e4m3fn":
        numbers = numbers[:-1]  # of the last exponent the largest digits are NaN
    np.testing.assert_array_equal(found[: len(numbers)], np.array(numbers, np.float32))
    beyond = [np.nan] if dtype == "float8_e4m3fn" else [np.inf, np.nan, np.nan, np.nan]
    np.testing.assert_array_equal(found[len(numbers) : 128], beyond)
    np.testing.assert_array_equal(found[128:], -found[:128])
    np.testing.assert_array_equal(np.signbit(found[128:]), True)


@pytest.mark.parametrize("dtype", FLOAT8)
def test_of_8_bits_the_nearest_is_found_and_ties_go_to_even(dtype: str) -> None:
    ordered = from_bits(np.arange(128, dtype=np.uint8), dtype)
    ordered = ordered[np.isfinite(ordered)]
    ties = (ordered[1:] + ordered[:-1]) / 2
    bits = np.arange(ordered.size - 1)
    np.testing.assert_array_equal(bits_of(ties, dtype), bits + bits % 2)
    np.testing.assert_array_equal(bits_of(np.nextafter(ties, np.float32(0)), dtype), bits)
    np.testing.assert_array_equal(bits_of(-np.nextafter(ties, np.float32(np.inf)), dtype), bits + 1 | 0x80)
    np.testing.assert_array_equal(bits_of(-ordered, dtype), np.arange(ordered.size) | 0x80)


def test_what_is_beyond_the_largest_of_8_bits_is_that_or_infinity() -> None:
    given = np.array([448, 480, 1e9, np.inf, -np.inf, 57344, 61439, 61440, np.nan, -3e38], np.float32)
    largest = np.float32([448, 448, 448, 448, -448, 448, 448, 448, np.nan, -448])
    np.testing.assert_array_equal(rounded(given, "float8_e4m3fn"), largest)
    infinite = np.float32([448, 512, np.inf, np.inf, -np.inf, 57344, 57344, np.inf, np.nan, -np.inf])
    np.testing.assert_array_equal(rounded(given, "float8_e5m2"), infinite)


def test_against_ml_dtypes() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    bits = np.random.default_rng(0).integers(0, 2**32, 20000, dtype=np.uint32)
    values = bits.view(np.float32)
    values = values[np.isfinite(values)]
    with np.errstate(over="ignore"):
        expected = values.astype(ml_dtypes.bfloat16).astype(np.float32)
    np.testing.assert_array_equal(rounded(values, "bfloat16"), expected)
    for dtype in FLOAT8:
        found, expected = rounded(values, dtype), values.astype(getattr(ml_dtypes, dtype)).astype(np.float32)
        same = np.isfinite(expected) | (dtype == "float8_e5m2")  # the other has NaN beyond the largest
        np.testing.assert_array_equal(found[same], expected[same])
        assert (np.abs(values[~same]) > 464).all()


@pytest.mark.parametrize("dtype", ["float16", "float32", "int32"])
def test_what_numpy_has_is_numpy_s(dtype: str) -> None:
    values = np.array([1.00049, 2.5, -3.0])
    np.testing.assert_array_equal(rounded(values, dtype), values.astype(dtype))
    assert held_as(dtype) == dtype


@pytest.mark.parametrize("shape", [(), (1,), (0, 3), (2, 3)])
@pytest.mark.parametrize("dtype", [*STORED_FLOATS, "float32"])
def test_bits_have_the_shape_of_their_values_and_come_back(dtype: str, shape: tuple[int, ...]) -> None:
    values = rounded(np.random.default_rng(0).standard_normal(shape).astype(np.float32), dtype)
    bits = bits_of(values.T, dtype)
    assert isinstance(bits, np.ndarray)
    assert bits.shape == values.T.shape
    assert bits.flags.c_contiguous
    np.testing.assert_array_equal(from_bits(bits, dtype), values.T)
