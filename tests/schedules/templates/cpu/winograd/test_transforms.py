"""The transforms of minimal filtering, in fractions: what they make of each other is the sum of three taps."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from anytile.schedules.templates.cpu.winograd.transforms import FILTERINGS, TAPS, Filtering, Transform


def _made(transform: Transform, given: list[Fraction]) -> list[Fraction]:
    found = {f"a{i}": value for i, value in enumerate(given)}
    for name, terms in transform.sums:
        found[name] = sum((factor * found[source] for factor, source in terms), Fraction(0))
    return [found[f"r{i}"] for i in range(transform.results)]


def _unit(count: int, at: int) -> list[Fraction]:
    return [Fraction(int(i == at)) for i in range(count)]


@pytest.mark.parametrize("by", FILTERINGS.values(), ids=lambda by: f"F({by.outputs}, 3)")
def test_products_of_transforms_become_the_sums(by: Filtering) -> None:
    """Every input with every tap: all is linear in both."""
    for d, tap in itertools.product(range(by.points), range(TAPS)):
        inputs, weights = _made(by.inputs, _unit(by.points, d)), _made(by.weights, _unit(TAPS, tap))
        found = _made(by.products, [a * b for a, b in zip(inputs, weights, strict=True)])
        assert found == [Fraction(int(y + tap == d)) for y in range(by.outputs)]


@pytest.mark.parametrize("by", FILTERINGS.values(), ids=lambda by: f"F({by.outputs}, 3)")
def test_what_is_done_at_run_time_has_exact_factors(by: Filtering) -> None:
    factors = {f for t in (by.inputs, by.products) for _, terms in t.sums for f, _ in terms}
    assert all(Fraction(float(np.float32(f))) == f for f in factors)


def test_a_row_of_text() -> None:
    read = Transform.of("t0 = a1 + -4 a0", "r0 = 1/2 t0")
    assert read.sums == (("t0", ((1, "a1"), (-4, "a0"))), ("r0", ((Fraction(1, 2), "t0"),)))
    assert (read.held, read.results) == (("t0",), 1)
