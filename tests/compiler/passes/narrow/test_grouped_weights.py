"""Weights in 4 bits by groups: what bytes and scales stand for is near what they were made of."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.compiler.passes.narrow.grouped_weights import GROUP, grouped_weight, weight_of
from tests.support.cases.compiled_modules import random


@pytest.mark.parametrize("k", [1, 31, 32, 33, 67, 96])
def test_a_weight_is_within_a_step_of_what_it_was(k: int) -> None:
    w = random(k, 300, k)
    made = grouped_weight(w)
    assert made is not None
    packed, scales = made
    assert (packed.shape, scales.shape) == ((300, -(-k // 2)), (300, -(-k // GROUP)))
    step = abs(scales.astype(np.float64)).repeat(GROUP, axis=1)[:, :k]
    off = abs(weight_of(packed, scales, k) - w)
    assert (off <= 1.01 * step).all()  # what is cut off; the scale itself is rounded, too
    assert (off <= 0.51 * step).mean() > 0.98


def test_the_largest_of_a_group_stays_whatever_its_sign() -> None:
    w = np.zeros((2, 64), np.float32)
    w[0, 3], w[0, 40], w[1, 5] = 2.0, -0.5, 1.0
    made = grouped_weight(w)
    assert made is not None
    np.testing.assert_array_equal(weight_of(*made, 64), w)  # powers of two, and groups of nothing but 0


def test_groups_have_scales_of_their_own() -> None:
    w = np.concatenate([random(1, 7, 32) * np.float32(by) for by in (1e-3, 1, 1e3)], axis=1)
    made = grouped_weight(w)
    assert made is not None
    for part in range(3):
        own = slice(32 * part, 32 * part + 32)
        off = weight_of(*made, 96)[:, own] - w[:, own]
        assert np.linalg.norm(off) < 0.12 * np.linalg.norm(w[:, own])


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 1e6])
def test_numbers_that_scales_do_not_hold_are_refused(number: float) -> None:
    w = random(1, 5, 40)
    w[3, 39] = number
    assert grouped_weight(w) is None


def test_the_weight_that_is_given_is_not_written() -> None:
    w = random(1, 5, 64)
    w.flags.writeable = False
    assert grouped_weight(w) is not None
