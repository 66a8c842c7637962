"""Cross-evaluation: which configs are timed at which sizes, and in which order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from anytile.db.records.records import Status, Trial
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any
from anytile.tuner.protocol.candidate import Contender
from anytile.tuner.settle.crosseval import finalists, following, opening, opening_sizes, spoiled

W = dense(Any("m"), 768, 768)
TARGET = Target("llvm")


def config(number: int) -> Config:
    return Config.of(knob=number)


def contender(number: int) -> Contender:
    return Contender("t", config(number))


def trial(number: int, seconds: float, m: int = 64, status: Status = Status.OK, drift: float = 1.0) -> Trial:
    samples = (seconds * drift,) if status is Status.OK else ()
    return Trial(W, TARGET, "t", config(number), {"m": m}, status, samples, drift=drift)


def test_finalists_are_the_fastest_and_break_ties_by_name() -> None:
    rows = [trial(3, 2.0), trial(1, 1.0), trial(2, 2.0), trial(4, 0.1, status=Status.WRONG), trial(5, 3.0, drift=4.0)]
    assert finalists(rows, 3) == [contender(1), contender(2), contender(3)]
    assert finalists(rows, 9) == [contender(1), contender(2), contender(3), contender(5)]


def test_the_opening_and_what_follows_are_the_whole_matrix_once() -> None:
    sizes = (1, 2, 4, 8, 16, 32, 64, 128, 256)
    contenders = [contender(i) for i in range(7)]
    jobs = opening(contenders, sizes)
    cells = {(j.contender, size): 1.0 + j.contender.config.int("knob") for j in jobs for size in j.sizes}
    jobs += following(contenders, sizes, cells, {})
    done = [(j.contender, size) for j in jobs for size in j.sizes]
    assert sorted(done, key=str) == sorted(((c, size) for c in contenders for size in sizes), key=str)
    assert {j.sizes for j in jobs[:7]} == {(1, 16, 128)}


def test_the_promising_follow_first_on_average_and_at_each_size() -> None:
    sizes, contenders = (1, 2, 4), [contender(i) for i in range(4)]
    cells = {(contender(0), 1): 1.0, (contender(0), 2): 9.0, (contender(1), 1): 3.0, (contender(1), 2): 2.0}
    cells |= {(contender(2), 1): 4.0, (contender(2), 2): 1.0, (contender(3), 1): 9.0}
    order = [j.contender for j in following(contenders, sizes, cells, {})]
    assert order == [contender(2), contender(0), contender(1)]  # 3 failed at 2, and is out
    weighted = [j.contender for j in following(contenders, sizes, cells, {1: 1.0})]
    assert weighted[0] == contender(0)
    assert [j.contender for j in following(contenders, sizes, cells, {}, first=[contender(1), contender(3)])][:2] == [
        contender(1),
        contender(2),
    ]


@given(st.sets(st.integers(1, 4096), min_size=1, max_size=12))
def test_opening_sizes_are_some_of_the_sizes(sizes: set[int]) -> None:
    first = opening_sizes(tuple(sizes))
    assert set(first) <= sizes
    assert min(sizes) in first
    assert len(first) <= 3


def test_a_failure_anywhere_spoils_and_what_could_not_be_measured_does_not() -> None:
    rows = [trial(1, 1.0), trial(1, 0.0, 4, Status.WRONG), trial(2, 1.0), trial(2, 0.0, 4, Status.CONSTRAINT)]
    assert spoiled(rows) == {contender(1)}
