"""The dense profile: at which sizes, and in which order."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any
from anytile.tuner.settle.profile_sizes import affordable, chunks, profile_sizes, refining

W = dense(Any("m"), 768, 768)


@given(st.lists(st.integers(1, 32), min_size=1, max_size=3))
def test_profiles_visit_every_residue_of_every_tile(tiles: list[int]) -> None:
    sizes = profile_sizes(tiles, (384,))
    assert set(range(1, 65)) <= set(sizes)
    assert {384, 256, 512, 1024, 4096} <= set(sizes)
    stepped = [m for m in sizes if 64 < m <= 256]
    for tile in tiles:
        if tile < len(stepped):  # 256 is there in any case, and may be no step
            assert {m % tile for m in stepped} == set(range(tile))


@given(st.sets(st.integers(1, 5000), max_size=60))
def test_refining_is_a_permutation_that_starts_with_the_ends(sizes: set[int]) -> None:
    order = refining(sorted(sizes))
    assert sorted(order) == sorted(sizes)
    if len(sizes) > 1:
        assert set(order[:2]) == {min(sizes), max(sizes)}


@given(st.sets(st.integers(1, 4096), min_size=1, max_size=60), st.sets(st.integers(1, 4096), max_size=20))
def test_refining_begins_with_what_counts_most(sizes: set[int], first: set[int]) -> None:
    order = refining(sizes, first)
    assert sorted(order) == sorted(sizes)
    there = sizes & first
    assert order[: len(there)] == refining(there)
    assert {min(sizes), max(sizes)} <= set(order[: len(there) + 2])


def test_wherever_a_profile_is_cut_off_it_covers_the_line() -> None:
    first = next(chunks(refining(profile_sizes((8,)))))
    assert len(first) == 12
    assert first[0] == 1
    assert first[-1] == 4096
    assert max(b / a for a, b in pairwise(first)) <= 4


@given(st.lists(st.integers(1, 4096), max_size=80, unique=True), st.integers(1, 12), st.integers(1, 9000))
def test_chunks_are_the_sizes_in_order_and_neither_long_nor_heavy(sizes: list[int], most: int, heavy: int) -> None:
    found = list(chunks(sizes, most, heavy))
    assert [m for chunk in found for m in sorted(chunk, key=sizes.index)] == sizes
    assert all(len(chunk) <= most and (len(chunk) == 1 or sum(chunk) <= heavy) for chunk in found)


def test_sizes_that_cost_too_much_are_left_out() -> None:
    sizes = profile_sizes((8,))
    assert affordable(W, "m", {}, sizes) == sizes
    huge = dense(Any("m"), 30522, 768)
    kept = affordable(huge, "m", {}, sizes)
    assert 64 in kept
    assert 4096 not in kept
    assert affordable(dense(Any("m"), 2**20, 2**16), "m", {}, sizes) == (1,)
