"""Samples while cores are missing are taken again, for as long as waiting may take; with an invented clock."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from anytile.tuner.measure.quiet_machine import LASTING, SAVED, SHARE, Steady
from anytile.tuner.protocol.machine_state import Part

MOMENT, SAMPLE = 1e-4, 4e-3


class Machine:
    """Everything takes twice as long on it while `shared` says so of the time."""

    def __init__(self, shared: Callable[[float], bool]) -> None:
        self.now, self._shared = 0.0, shared
        self.samples = 0

    def _spend(self, seconds: float) -> float:
        took = seconds * (2 if self._shared(self.now) else 1)
        self.now += took
        return took

    def look(self) -> dict[Part, float]:
        return {Part.ARITHMETIC: self._spend(MOMENT)}

    def sample(self) -> float:
        self.samples += 1
        return self._spend(SAMPLE)

    def steady(self) -> Steady:
        return Steady(self.look, MOMENT, lambda: self.now)


def test_a_machine_that_is_whole_is_sampled_once() -> None:
    machine = Machine(lambda now: False)
    steady = machine.steady()
    assert [steady.sample(machine.sample).seconds for _ in range(100)] == [SAMPLE] * 100
    assert machine.samples == 100


@pytest.mark.parametrize(("begin", "end"), [(0.0, 0.05), (1.0, 1.2), (1.002, 1.1)])
def test_a_phase_of_missing_cores_is_waited_out(begin: float, end: float) -> None:
    """Also one that is there from the beginning, when nothing better was ever seen."""
    machine = Machine(lambda now: begin <= now < end)
    steady = machine.steady()
    assert {steady.sample(machine.sample).seconds for _ in range(500)} == {SAMPLE}
    assert machine.samples <= 501


def test_waiting_has_its_share_of_the_time_and_no_more() -> None:
    machine = Machine(lambda now: now > 10 and now % 4 > 0.5)
    steady = machine.steady()
    while machine.now < 10:
        steady.sample(machine.sample)
    machine.samples, begin = 0, machine.now
    while machine.now < begin + 40:
        steady.sample(machine.sample)
    most = (40 - 40 * SHARE - SAVED) / (2 * SAMPLE + 4 * MOMENT)
    assert machine.samples >= 0.95 * most


@pytest.mark.slow
def test_bursts_of_two_seconds_are_waited_out() -> None:
    machine = Machine(lambda now: now % 4 > 2)
    steady = machine.steady()
    found = []
    while machine.now < 60:
        found.append(steady.sample(machine.sample))
    clean = [s for s in found if s.seconds == pytest.approx(SAMPLE)]
    assert len(clean) >= 0.98 * len(found)
    assert len(clean) * SAMPLE >= 0.4 * 60
    assert all(s.state.disturbed for s in found if s.seconds > 1.5 * SAMPLE), "what could not be waited out is said"


def test_what_lasts_is_the_machines_pace_and_is_said() -> None:
    machine = Machine(lambda now: now > 10)
    steady = machine.steady()
    while machine.now < 12 + 2 * LASTING:
        steady.sample(machine.sample)
    before, begin = machine.samples, machine.now
    found = [steady.sample(machine.sample) for _ in range(100)]
    assert machine.samples == before + 100
    assert machine.now - begin == pytest.approx(100 * (2 * SAMPLE + 2 * MOMENT), rel=0.05)
    assert all(s.state.arithmetic == pytest.approx(2) for s in found)


def test_each_part_is_looked_at_by_those_whom_it_slows() -> None:
    """A kernel that fits the core's own caches is measured while the memory is somebody else's."""
    machine = Machine(lambda now: False)
    steady = machine.steady()

    def memory(seconds: float) -> dict[Part, float]:
        return {**machine.look(), Part.MEMORY: seconds}

    for _ in range(10):
        steady.sample(machine.sample, lambda: memory(1e-5))
    machine.samples = 0
    assert not steady.sample(machine.sample).state.disturbed
    assert machine.samples == 1
    assert steady.sample(machine.sample, lambda: memory(3e-5)).state.memory == pytest.approx(3)
    assert machine.samples == 2, "and taken again meanwhile"


def test_cores_that_are_slower_together_are_whole() -> None:
    """All cores clock lower than one: not more than a fifth is not taken for missing cores."""
    machine = Machine(lambda now: False)
    steady = Steady(machine.look, MOMENT / 1.3, lambda: machine.now)
    assert [steady.sample(machine.sample).seconds for _ in range(10)] == [SAMPLE] * 10
    assert machine.samples == 10
