"""Residue classes: merged where that costs little, and never worse than it has to be."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.dispatch.classes import GUARD, Losses, losses, merged, partitions
from anytile.dispatch.profile import Series


def stepped(tile: int, steps: dict[int, float]) -> Series:
    """A kernel whose rest costs the step of the largest listed residue at or below it."""

    def tail(r: int) -> float:
        return 0.0 if r == 0 else steps[max(s for s in steps if s <= r)]

    return Series(0, tile, {m: m // tile * 8e-6 + tail(m % tile) for m in range(1, 6 * tile)})


def covers(classes: tuple[tuple[int, int], ...], tile: int) -> bool:
    return [r for low, high in classes for r in range(low, high + 1)] == list(range(tile))


def test_residues_that_measure_alike_share_a_kernel() -> None:
    series = stepped(8, {1: 2e-6, 4: 5e-6, 6: 7e-6})
    assert merged(losses(series), GUARD) == ((0, 0), (1, 3), (4, 5), (6, 7))


def test_nothing_is_merged_for_free() -> None:
    series = stepped(8, {1: 2e-6})
    assert merged(losses(series), 0.0) == tuple((r, r) for r in range(8))


@pytest.mark.parametrize("tile", [1, 2, 13])
def test_partitions_exist_for_every_count(tile: int) -> None:
    found = partitions(losses(stepped(tile, {1: 1e-6})))
    assert [len(p) for p in found] == list(range(1, tile + 1))
    assert all(covers(p, tile) for p in found)


@given(st.integers(1, 6).flatmap(lambda t: st.lists(st.floats(0, 1), min_size=t * t, max_size=t * t)))
def test_partitions_lose_least(cells: list[float]) -> None:
    tile = round(len(cells) ** 0.5)
    table = Losses(np.triu(np.array(cells).reshape(tile, tile), 1))
    for count, found in enumerate(partitions(table), 1):
        best = min(
            sum(table.of_class(lo, hi - 1) for lo, hi in itertools.pairwise((0, *cut, tile)))
            for cut in itertools.combinations(range(1, tile), count - 1)
        )
        assert sum(table.of_class(lo, hi) for lo, hi in found) == pytest.approx(best)


@given(st.floats(0, 0.5), st.dictionaries(st.integers(2, 12), st.floats(1e-6, 9e-6), max_size=4))
def test_no_residue_loses_more_than_tolerated(tolerance: float, steps: dict[int, float]) -> None:
    table = losses(stepped(13, {1: 1e-6, **steps}))
    classes = merged(table, tolerance)
    assert covers(classes, 13)
    assert table.of(classes) <= tolerance
