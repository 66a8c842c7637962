"""Search tasks: when a search has nothing more to gain, and what each of several proposes."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from anytile.db.records.records import Status, Trial
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any
from anytile.tuner.tasks.search_task import History, SearchTask, stalled
from tests.support.stand_ins import synthetic_campaign as world

W = dense(Any("m"), 768, 768)
TARGET = Target("llvm")


def config(number: int) -> Config:
    return Config.of(knob=number)


def trial(number: int, seconds: float, m: int = 64, status: Status = Status.OK, drift: float = 1.0) -> Trial:
    samples = (seconds * drift,) if status is Status.OK else ()
    return Trial(W, TARGET, "t", config(number), {"m": m}, status, samples, drift=drift)


def measured(task: SearchTask, configs: Iterable[Config]) -> History:
    return {W: [Trial(W, TARGET, task.template.name, c, {"m": 64}, Status.OK, (1.0,)) for c in configs]}


def test_a_search_stalls_only_after_its_patience() -> None:
    falling = [trial(i, 1.0 / (i + 1)) for i in range(40)]
    flat = [*falling, *(trial(100 + i, 1.0) for i in range(10))]
    assert not stalled(falling, 10)
    assert stalled(flat, 10)
    assert not stalled(flat, 11)
    assert not stalled(flat, None)
    failed = [trial(i, 0.0, status=Status.CRASHED) for i in range(40)]
    assert not stalled(failed, 10)


@pytest.mark.parametrize("strategy", ["grid", "random", "evolve"])
def test_several_propose_different_configs_and_together_all(strategy: str) -> None:
    """Each knows nothing of what the others think of meanwhile."""
    task = SearchTask.of(world.request(strategy=strategy), W, world.Landscape(), (("m", 64),), lambda configs: [])
    batches = [task.propose({}, 16, part=(place, 3)) for place in range(3)]
    assert len({c for batch in batches for c in batch}) == 48
    whole = [set(task.propose({}, len(task.space) // 4, part=(place, 3))) for place in range(3)]
    assert sum(map(len, whole)) == len(set().union(*whole))
    assert task.propose({}, 16) == task.propose({}, 16, part=(0, 1))


def test_who_has_too_little_left_of_his_own_part_takes_of_the_others() -> None:
    task = SearchTask.of(world.request(), W, world.Landscape(), (("m", 64),), lambda configs: [])
    mine = set(task.propose({}, 60, part=(1, 3)))
    done = measured(task, mine)
    left = task.propose(done, len(task.space), part=(1, 3))
    assert set(left) == set(task.space) - mine
    pending = frozenset(left[8:])
    assert set(task.propose(done, 16, pending, part=(1, 3))) == set(left[:8])
