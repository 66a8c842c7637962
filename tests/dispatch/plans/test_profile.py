"""Profiles: what was measured is answered as measured, what was not is modelled, and cuts must pay for themselves."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.core.errors import SpecError
from anytile.dispatch.plans.profile import MIN_RUN, Profile, Series, _range, doubtful, in_words, ranges, segment

SIZES = (*range(1, 65), *range(71, 257, 7), 256, 512, 1024, 4096)


def tiled(m: int, tile: int, per_tile: float, start: float = 1e-6) -> float:
    """A kernel as they are: so much per tile, a rest that costs more than its share."""
    q, r = divmod(m, tile)
    return start + q * per_tile + (r / tile) ** 0.7 * per_tile


@given(tile=st.integers(1, 32), per_tile=st.floats(1e-7, 1e-3), start=st.floats(0, 1e-5))
def test_a_tiled_kernel_is_modelled_between_and_beyond_what_was_measured(
    tile: int, per_tile: float, start: float
) -> None:
    series = Series(0, tile, {m: tiled(m, tile, per_tile, start) for m in SIZES})
    wanted = [65, 66, 100, 255, 257, 300, 511, 999, 3000, 4095, 5000, 10007]
    expected = np.array([tiled(m, tile, per_tile, start) for m in wanted])
    assert np.abs(series.at(wanted) / expected - 1).max() < 0.08
    assert series.at(SIZES).tolist() == [series.seconds[m] for m in SIZES]


@given(
    tile=st.integers(1, 32),
    seconds=st.dictionaries(st.integers(1, 5000), st.floats(1e-9, 1e3), min_size=1, max_size=12),
)
def test_any_measurement_gives_positive_finite_times(tile: int, seconds: dict[int, float]) -> None:
    found = Series(0, tile, seconds).at(np.arange(1, 600))
    assert np.isfinite(found).all()
    assert (found > 0).all()


def profile(**series: dict[int, float]) -> Profile:
    named = {("blas" if n == "blas" else int(n[1:])): s for n, s in series.items()}
    return Profile(tuple(Series(n, 1, s) for n, s in named.items()), noise=0.02)


def names(p: Profile) -> dict[int | str, str]:
    return {s.runner: f"<{s.runner}>" for s in p.series}


def spans(p: Profile) -> list[tuple[int, int | None, int | str]]:
    return [(r.low, r.high, r.runs) for r in ranges(p, names(p))]


def test_each_range_goes_to_who_is_fastest_there() -> None:
    p = profile(v0={m: m * 1e-6 for m in range(1, 101)}, v1={m: 1e-5 + m * 0.5e-6 for m in range(1, 101)})
    cut = spans(p)
    assert [runs for *_, runs in cut] == [0, 1]
    assert abs(cut[1][0] - 20) <= 2


def test_a_switch_inside_the_noise_is_no_switch() -> None:
    wobble = {m: m * 1e-6 * (1 + 0.01 * (-1) ** m) for m in range(1, 101)}
    assert len(spans(profile(v0={m: m * 1e-6 for m in range(1, 101)}, v1=wobble))) == 1


def test_of_equals_the_first_is_taken() -> None:
    same = {m: m * 1e-6 for m in range(1, 101)}
    assert spans(profile(v0=same, v1=same, blas=same)) == [(0, None, 0)]


def test_one_lucky_size_is_not_worth_a_range_of_its_own() -> None:
    lucky = {m: m * 1.05e-6 for m in range(1, 101)} | {50: 50 * 0.96e-6}
    assert spans(profile(v0={m: m * 1e-6 for m in range(1, 101)}, v1=lucky)) == [(0, None, 0)]


def test_one_size_that_is_much_faster_is() -> None:
    v1 = {m: m * 1.5e-6 for m in range(1, 101)} | {1: 0.5e-6}
    assert spans(profile(v0={m: m * 1e-6 for m in range(1, 101)}, v1=v1))[0] == (0, 1, 1)


def test_a_library_needs_more_than_the_noise() -> None:
    mine = {m: m * 1e-6 for m in range(1, 101)}
    barely = {m: s * 0.985 for m, s in mine.items()}
    clearly = {m: s * 0.9 for m, s in mine.items()}
    assert spans(profile(v0=mine, blas=barely)) == [(0, None, 0)]
    assert spans(profile(v0=mine, blas=clearly)) == [(0, None, "blas")]


def test_islands_and_narrow_ranges_are_doubtful_and_broad_ones_are_not() -> None:
    sizes = range(1, 65)
    calm = {"v0": {m: m * (1.0 if m < 32 else 1.5) for m in sizes}, "v1": {m: m * 1.2 for m in sizes}}
    assert [runs for _, _, runs in spans(profile(**calm))] == [0, 1]
    assert doubtful(profile(**calm)) == ()
    steady = {"v0": dict.fromkeys(sizes, 1.0), "v1": dict.fromkeys(sizes, 1.2)}
    island = {**steady, "v1": {m: 0.5 if 10 <= m < 20 else 1.2 for m in sizes}}
    assert doubtful(profile(**island)) == tuple(range(10, 20))
    narrow = {**steady, "v1": {m: 0.2 if m < 3 else 1.2 for m in sizes}}
    assert doubtful(profile(**narrow)) == (1, 2)
    assert doubtful(profile(v0=calm["v0"])) == ()


def test_reasons_hold_the_figures() -> None:
    p = profile(v0={m: m * 1e-6 for m in range(1, 101)}, v1={m: m * 2e-6 for m in range(1, 101)})
    (only,) = ranges(p, names(p))
    assert only.at == 10
    assert only.seconds == pytest.approx(10e-6)
    assert only.because == "<0> took 10 us at 10; over 0.. the next best, <1>, took 2.00x as long"


def test_reasons_own_up_to_what_is_faster() -> None:
    p = profile(v0=dict.fromkeys(range(1, 101), 1e-6), blas=dict.fromkeys(range(1, 101), 0.99e-6))
    (only,) = ranges(p, names(p))  # a library has to win by more than the noise
    assert only.because == "<0> took 1 us at 10; over 0.. <blas> is 1.0% faster, inside the noise"
    p = profile(v0={1: 1e-6, 2: 1e-6}, v1={1: 2e-6, 2: 0.9e-6})
    told = [_range(p, names(p), row, 2, 2, 2).because for row in (0, 1)]
    assert told == [
        "<0> took 1 us at 2; <1> is 11.1% faster, less than another range would be worth",
        "<1> took 0.9 us at 2; the next best, <0>, took 1.11x as long",
    ]


@given(
    times=st.lists(st.lists(st.floats(1e-6, 1e-5), min_size=6, max_size=6), min_size=1, max_size=4),
    noise=st.floats(0.01, 0.1),
)
def test_ranges_cover_everything_once(times: list[list[float]], noise: float) -> None:
    p = Profile(tuple(Series(i, 1, dict(enumerate(row, 1))) for i, row in enumerate(times)), noise)
    cut = ranges(p, names(p))
    assert cut[0].low == 0
    assert cut[-1].high is None
    assert all(a.high is not None and b.low == a.high + 1 and a.runs != b.runs for a, b in pairwise(cut))
    assert cut == ranges(p, names(p))


def brute_force(times: np.ndarray, noise: float) -> float:
    """The least total over all assignments, by trying each."""
    import itertools

    return min(total(times, noise, path) for path in itertools.product(range(len(times)), repeat=times.shape[1]))


def total(times: np.ndarray, noise: float, path: tuple[int, ...] | list[int]) -> float:
    ratio = np.log(times / times.min(axis=0))
    cost = np.where(ratio > np.log1p(noise), ratio, ratio * 1e-3)
    cuts = sum(a != b for a, b in pairwise(path))
    return float(sum(cost[r, j] for j, r in enumerate(path))) + cuts * MIN_RUN * float(np.log1p(noise))


@pytest.mark.slow
@given(data=st.data(), noise=st.floats(0.01, 0.1))
def test_the_segmentation_is_optimal(data: st.DataObject, noise: float) -> None:
    cells = st.lists(st.floats(1.0, 1.6), min_size=6, max_size=6)
    times = np.array([data.draw(cells) for _ in range(3)])
    assert total(times, noise, segment(times, noise)) == pytest.approx(brute_force(times, noise), abs=1e-9)


def test_times_of_nothing_are_refused() -> None:
    with pytest.raises(SpecError, match="nothing was measured"):
        Series(0, 8, {})
    with pytest.raises(SpecError, match="positive"):
        Series(0, 8, {4: 0.0})
    with pytest.raises(SpecError, match="twice"):
        Profile((Series(0, 1, {1: 1.0}), Series(0, 1, {1: 1.0})), 0.1)


@pytest.mark.parametrize(
    ("seconds", "words"), [(1.234e-6, "1.23 us"), (4.56e-3, "4.56 ms"), (2.0, "2 s"), (9.5e-4, "950 us")]
)
def test_durations_read_well(seconds: float, words: str) -> None:
    assert in_words(seconds) == words
