"""Histograms of activations: the same in any order, and ranges that hold what they should."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.compiler.ir.nodes import Array
from anytile.compiler.passes.narrow.histograms import BINS, Histogram, Range, chooser
from anytile.core.errors import SpecError

METHODS = ("extremes", "percentile", "percentile:99", "divergence")


def histogram(*parts: Array) -> Histogram:
    found = Histogram()
    for part in parts:
        found.add(part)
    return found


def normal(count: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(count).astype(np.float32)


def step(values: Array, within: Range) -> float:
    """The root mean square of what is lost of some values."""
    codes = np.clip(np.rint(values * within.by + within.zero), 0, 255)
    return float(np.sqrt(np.mean(np.square((codes - within.zero) * within.scale - values))))


def test_the_order_of_values_does_not_matter() -> None:
    parts = [normal(500), np.zeros(7, np.float32), normal(300, 1) * np.float32(1e4), normal(200, 2) * np.float32(1e-30)]
    one, other = histogram(*parts), histogram(*reversed(parts))
    whole = histogram(np.concatenate(parts))
    for found in (other, whole):
        np.testing.assert_array_equal(found.counts, one.counts)
        assert (found.exponent, found.low, found.high, found.zeros) == (one.exponent, one.low, one.high, one.zeros)
    assert one.counts.sum() == 1007
    assert one.zeros == 7


def test_values_stand_in_their_bins() -> None:
    values = np.float32([-4, -3.99, -1, 0, 1e-9, 1, 3.99])
    found = histogram(values)
    assert found.exponent == 3
    np.testing.assert_array_equal(found.counts, np.histogram(values, found.edges)[0])
    counts, edges = found.columns(100)
    assert len(counts) <= 100
    assert counts.sum() == len(values)
    np.testing.assert_array_equal(counts, np.histogram(values, edges)[0])


def test_the_largest_and_the_smallest_floats_have_bins() -> None:
    info = np.finfo(np.float32)
    found = histogram(np.float32([info.max / 2, info.smallest_subnormal, -info.max / 4]))
    assert found.counts.sum() == 3
    assert len(found.counts) == BINS
    tiny = histogram(np.float32([info.smallest_subnormal]))
    assert tiny.counts.sum() == 1
    assert Range(0.0, tiny.high).scale == 1  # which has a reciprocal


def test_what_is_no_number_is_remembered_and_not_counted() -> None:
    for number in (np.nan, np.inf, -np.inf):
        found = histogram(np.float32([1, 2]), np.float32([number, 5]))
        assert not found.is_finite
        assert found.counts.sum() == 2


def test_nothing_and_zeros_alone_have_a_range() -> None:
    for found in (histogram(), histogram(np.zeros((0, 3), np.float32)), histogram(np.zeros(9, np.float32))):
        for method in METHODS:
            within = chooser(method)(found)
            assert (within.low, within.high, within.scale, within.zero) == (0, 0, 1, 0)


@pytest.mark.parametrize("method", METHODS)
def test_ranges_hold_zero_and_do_not_leave_the_extremes(method: str) -> None:
    for values in (normal(3000), abs(normal(3000)) + 3, -abs(normal(3000)) - 3, np.float32([7])):
        found = histogram(values)
        within = chooser(method)(found)
        assert found.low <= within.low <= 0 <= within.high <= found.high
        assert 0 <= within.zero <= 255
        np.testing.assert_allclose((0 - within.zero) * within.scale, within.low, atol=float(within.scale) * 0.51)


def test_a_percentile_leaves_out_as_much_as_it_says() -> None:
    values = normal(100_000)
    found = histogram(values)
    for percent in (99.99, 99, 90):
        within = chooser(f"percentile:{percent}")(found)
        out = np.mean((values < within.low) | (values > within.high))
        assert out <= 1 - percent / 100 + 1e-9
        assert out > 0.6 * (1 - percent / 100)
        assert abs(found.beyond(within) - out) < 2e-3
    assert chooser("percentile:100")(found) == Range(found.low, found.high)
    assert chooser("percentile")(found) == chooser("percentile:99.99")(found)


def test_divergence_cuts_off_what_stands_alone_and_keeps_what_does_not() -> None:
    values = normal(200_000)
    found = chooser("divergence")(histogram(values))
    assert step(values, found) < 1.1 * step(values, chooser("extremes")(histogram(values)))
    far = np.concatenate([values, np.float32([60, -60])])
    cut = chooser("divergence")(histogram(far))
    assert max(-cut.low, cut.high) < 30
    assert step(values, cut) < step(values, chooser("extremes")(histogram(far))) / 2
    positive = np.maximum(values, 0)  # half of it is 0, which an integer stands for anyway
    assert chooser("divergence")(histogram(positive)).high > 3.5


@pytest.mark.parametrize("method", ["", "least", "percentile:x", "percentile:50", "percentile:101", "extremes:1"])
def test_methods_that_are_none_are_said(method: str) -> None:
    with pytest.raises(SpecError, match=r"^ranges '.*': expected .*percentile:99\.9"):
        chooser(method)
