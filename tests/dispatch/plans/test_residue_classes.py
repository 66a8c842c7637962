"""Residue classes: merged where that costs little, and never worse than it has to be."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.dispatch.plans.profile import Series
from anytile.dispatch.plans.residue_classes import BRANCHES, GUARD, Losses, as_run, losses, merged, partitions


def stepped(tile: int, steps: dict[int, float]) -> Series:
    """A kernel whose rest costs the step of the largest listed residue at or below it."""

    def tail(r: int) -> float:
        return 0.0 if r == 0 else steps[max(s for s in steps if s <= r)]

    return Series(0, tile, {m: m // tile * 8e-6 + tail(m % tile) for m in range(1, 6 * tile)})


def covers(classes: tuple[tuple[int, int], ...], tile: int) -> bool:
    return [r for low, high in classes for r in range(low, high + 1)] == list(range(tile))


def test_residues_that_measure_alike_share_a_kernel() -> None:
    series = stepped(8, {1: 2e-6, 4: 5e-6, 6: 7e-6})
    assert merged(losses(series), GUARD) == ((0, 3), (4, 5), (6, 7))


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
    table = Losses(np.triu(np.array(cells).reshape(tile, tile), 1), 0.0)
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


def shared(tile: int) -> Series:
    """A row takes 1 us; a small rest alone 4 us more, but half a row less where it shares the last full tile."""

    def seconds(m: int) -> float:
        rest = m % tile
        small = 0 < 2 * rest < tile
        return 1e-6 * (m + (0.0 if not small else 4.0 if m < tile else -0.5))

    return Series(0, tile, {m: seconds(m) for m in range(1, 6 * tile)})


def test_no_rest_loses_nothing_in_any_class() -> None:
    table = losses(stepped(8, {1: 2e-6, 4: 5e-6}))
    assert table.table[0].tolist() == pytest.approx([GUARD] * 8)


def test_a_small_rest_loses_its_share_of_the_last_full_tile() -> None:
    table = losses(shared(8))
    assert table.of_class(2, 2) == 0.0
    # 10 rows as a full tile and 2 rows alone: 8 + 6 instead of 9.5.
    assert table.table[2, 2] == pytest.approx(14 / 9.5 - 1 + GUARD)
    assert table.table[5, 7] == pytest.approx(7 / 5 - 1 + GUARD)  # nothing is shared by rests of 4 and more


def test_a_large_rest_shares_no_tile_and_loses_none() -> None:
    """Each call costs 2 us, however many rows it has: a full tile and a rest apart would pay that twice."""
    table = losses(Series(0, 8, {m: 1e-6 * (m + 2) for m in range(1, 48)}))
    assert table.table[7, 7] == pytest.approx(GUARD)
    assert table.table[4, 4] == pytest.approx(GUARD)
    assert table.table[3, 3] == pytest.approx((10 + 5) / 13 - 1 + GUARD)


def test_none_loses_what_is_shared_and_what_the_registers_cost() -> None:
    apart = (8 + 1 + 4) / 8.5  # a rest of 1 after one tile is the worst
    assert losses(shared(8)).of(()) == pytest.approx(apart * (1 + GUARD) - 1)
    assert losses(shared(8), crowding=0.5).of(()) == pytest.approx(apart * 1.5 * (1 + GUARD) - 1)
    assert losses(stepped(8, {1: 2e-6})).of(()) == pytest.approx(GUARD)


def test_branches_take_longer_than_a_very_cheap_rest() -> None:
    cheap = 0.5e-6
    series = stepped(8, {1: cheap})
    assert losses(series).of(()) == pytest.approx(BRANCHES * 8e-6 / cheap * (1 + GUARD) - 1)
    assert as_run(series, ()).seconds[9] == pytest.approx((1 + BRANCHES) * 8e-6 * (1 + GUARD))


def test_a_series_as_run_in_classes_and_in_none() -> None:
    series = shared(8)
    assert as_run(series, tuple((r, r) for r in range(8))).seconds == series.seconds
    classes = as_run(series, ((0, 0), (1, 1), (2, 7))).seconds
    assert [classes[m] * 1e6 for m in (1, 5, 8, 9, 10, 13)] == pytest.approx([5, 7, 8, 8.5, 15, 15])
    none = as_run(series, (), crowding=0.5).seconds
    assert [none[m] * 1e6 for m in (1, 5, 8, 9)] == pytest.approx([s * 1.5 * (1 + GUARD) for s in (5, 5, 8, 13)])
