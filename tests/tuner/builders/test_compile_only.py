"""Compiling without measuring ends when its time does, and says what it did not come to."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import pytest

from anytile.codegen.artifact import Artifact
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any as Dim
from anytile.tuner.builders import compile_only as module
from anytile.tuner.builders.builder_pool import BuilderPool
from anytile.tuner.builders.compile_only import CONFIGS, Compiled, compile_only
from anytile.tuner.protocol.candidate import Candidate
from anytile.tuner.protocol.messages import Built
from anytile.tuner.requests.request import TuneRequest


class Clock:
    now = 0.0

    def read(self) -> float:
        return self.now


class SlowFarm(BuilderPool):
    """Two builders that take a second for each candidate."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(2)
        self.clock = clock

    def build(self, candidates: Sequence[Candidate], timeout: float) -> list[Built]:
        self.clock.now += -(-len(candidates) // self.count)
        return [Built(c, Artifact(b"", "kernel")) for c in candidates]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=clock.read, perf_counter=clock.read))
    return clock


def compiled(clock: Clock, seconds: float | None) -> list[Compiled]:
    shapes = tuple(dense(Dim("m"), n, 24, const=("w",)) for n in (16, 32))
    request = TuneRequest(shapes, Target.parse("llvm -threads=1"), strategy="random", template="dense.cpu", seconds=1)
    return list(compile_only(request, SlowFarm(clock), seconds))


def test_without_a_time_every_config_is_built(clock: Clock) -> None:
    assert [(c.built, c.untried) for c in compiled(clock, None)] == [(CONFIGS, 0)] * 2
    assert clock.now == CONFIGS


def test_templates_share_the_time(clock: Clock) -> None:
    found = compiled(clock, 6.0)
    assert [(c.built, c.untried) for c in found] == [(6, CONFIGS - 6)] * 2
    assert clock.now == 6.0
    assert "6 of 6 configs compile" in str(found[0])
    assert str(found[0]).endswith("; the time was up before 26 more configs")


def test_the_first_has_what_was_begun_and_the_last_may_have_nothing(clock: Clock) -> None:
    assert [(c.built, c.untried) for c in compiled(clock, 0.5)] == [(2, CONFIGS - 2), (0, CONFIGS)]
