"""Search tasks: when a search has nothing more to gain."""

from __future__ import annotations

from anytile.db.records.records import Status, Trial
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any
from anytile.tuner.tasks.search_task import stalled

W = dense(Any("m"), 768, 768)
TARGET = Target("llvm")


def config(number: int) -> Config:
    return Config.of(knob=number)


def trial(number: int, seconds: float, m: int = 64, status: Status = Status.OK, drift: float = 1.0) -> Trial:
    samples = (seconds * drift,) if status is Status.OK else ()
    return Trial(W, TARGET, "t", config(number), {"m": m}, status, samples, drift=drift)


def test_a_search_stalls_only_after_its_patience() -> None:
    falling = [trial(i, 1.0 / (i + 1)) for i in range(40)]
    flat = [*falling, *(trial(100 + i, 1.0) for i in range(10))]
    assert not stalled(falling, 10)
    assert stalled(flat, 10)
    assert not stalled(flat, 11)
    assert not stalled(flat, None)
    failed = [trial(i, 0.0, status=Status.CRASHED) for i in range(40)]
    assert not stalled(failed, 10)
