"""Cross-evaluation: which configs are timed at which sizes, and in which order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from anytile.db.records.records import Status, Trial
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any
from anytile.tuner.protocol.candidate import Way
from anytile.tuner.settle.crosseval import finalists, following, opening, opening_sizes, spoiled

W = dense(Any("m"), 768, 768)
TARGET = Target("llvm")


def config(number: int) -> Config:
    return Config.of(knob=number)


def way(number: int) -> Way:
    return Way("t", config(number))


def trial(number: int, seconds: float, m: int = 64, status: Status = Status.OK, drift: float = 1.0) -> Trial:
    samples = (seconds * drift,) if status is Status.OK else ()
    return Trial(W, TARGET, "t", config(number), {"m": m}, status, samples, drift=drift)


def test_finalists_are_the_fastest_and_break_ties_by_name() -> None:
    rows = [trial(3, 2.0), trial(1, 1.0), trial(2, 2.0), trial(4, 0.1, status=Status.WRONG), trial(5, 3.0, drift=4.0)]
    assert finalists(rows, 3) == [way(1), way(2), way(3)]
    assert finalists(rows, 9) == [way(1), way(2), way(3), way(5)]


def test_the_opening_and_what_follows_are_the_whole_matrix_once() -> None:
    sizes = (1, 2, 4, 8, 16, 32, 64, 128, 256)
    ways = [way(i) for i in range(7)]
    jobs = opening(ways, sizes)
    cells = {(j.way, size): 1.0 + j.way.config.int("knob") for j in jobs for size in j.sizes}
    jobs += following(ways, sizes, cells, {})
    done = [(j.way, size) for j in jobs for size in j.sizes]
    assert sorted(done, key=str) == sorted(((c, size) for c in ways for size in sizes), key=str)
    assert {j.sizes for j in jobs[:7]} == {(1, 16, 128)}


def test_the_promising_follow_first_on_average_and_at_each_size() -> None:
    sizes, ways = (1, 2, 4), [way(i) for i in range(4)]
    cells = {(way(0), 1): 1.0, (way(0), 2): 9.0, (way(1), 1): 3.0, (way(1), 2): 2.0}
    cells |= {(way(2), 1): 4.0, (way(2), 2): 1.0, (way(3), 1): 9.0}
    order = [j.way for j in following(ways, sizes, cells, {})]
    assert order == [way(2), way(0), way(1)]  # 3 failed at 2, and is out
    weighted = [j.way for j in following(ways, sizes, cells, {1: 1.0})]
    assert weighted[0] == way(0)
    assert [j.way for j in following(ways, sizes, cells, {}, first=[way(1), way(3)])][:2] == [way(1), way(2)]


@given(st.sets(st.integers(1, 4096), min_size=1, max_size=12))
def test_opening_sizes_are_some_of_the_sizes(sizes: set[int]) -> None:
    first = opening_sizes(tuple(sizes))
    assert set(first) <= sizes
    assert min(sizes) in first
    assert len(first) <= 3


def test_a_failure_anywhere_spoils_and_what_could_not_be_measured_does_not() -> None:
    rows = [trial(1, 1.0), trial(1, 0.0, 4, Status.WRONG), trial(2, 1.0), trial(2, 0.0, 4, Status.CONSTRAINT)]
    assert spoiled(rows) == {way(1)}
