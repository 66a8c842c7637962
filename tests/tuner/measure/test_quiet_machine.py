"""Samples while cores are missing are taken again, for as long as waiting may take; with an invented clock."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from anytile.tuner.measure.quiet_machine import SAVED, SHARE, Steady

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

    def moment(self) -> float:
        return self._spend(MOMENT)

    def sample(self) -> float:
        self.samples += 1
        return self._spend(SAMPLE)

    def steady(self) -> Steady:
        return Steady(self.moment, MOMENT, lambda: self.now)


def test_a_machine_that_is_whole_is_sampled_once() -> None:
    machine = Machine(lambda now: False)
    steady = machine.steady()
    assert [steady.sample(machine.sample) for _ in range(100)] == [SAMPLE] * 100
    assert machine.samples == 100


@pytest.mark.parametrize(("begin", "end"), [(0.0, 0.05), (1.0, 1.2), (1.002, 1.1)])
def test_a_phase_of_missing_cores_is_waited_out(begin: float, end: float) -> None:
    """Also one that is there from the beginning, when nothing better was ever seen."""
    machine = Machine(lambda now: begin <= now < end)
    steady = machine.steady()
    assert {steady.sample(machine.sample) for _ in range(500)} == {SAMPLE}
    assert machine.samples <= 501


def test_waiting_has_its_share_of_the_time_and_no_more() -> None:
    machine = Machine(lambda now: now > 10)
    steady = machine.steady()
    while machine.now < 10:
        steady.sample(machine.sample)
    machine.samples, begin = 0, machine.now
    while machine.now < begin + 40:
        assert steady.sample(machine.sample) == 2 * SAMPLE
    most = (40 - 40 * SHARE - SAVED) / (2 * SAMPLE + 4 * MOMENT)
    assert machine.samples >= 0.95 * most


def test_what_lasts_for_a_minute_is_the_machines_pace() -> None:
    machine = Machine(lambda now: now > 10)
    steady = machine.steady()
    while machine.now < 75:
        steady.sample(machine.sample)
    before, begin = machine.samples, machine.now
    for _ in range(100):
        steady.sample(machine.sample)
    assert machine.samples == before + 100
    assert machine.now - begin == pytest.approx(100 * (2 * SAMPLE + 4 * MOMENT), rel=0.01)


def test_cores_that_are_slower_together_are_whole() -> None:
    """All cores clock lower than one: not more than a fifth is not taken for missing cores."""
    machine = Machine(lambda now: False)
    steady = Steady(machine.moment, MOMENT / 1.3, lambda: machine.now)
    assert [steady.sample(machine.sample) for _ in range(10)] == [SAMPLE] * 10
    assert machine.samples == 10
