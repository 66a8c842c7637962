"""Campaigns on a machine that neighbours disturb choose what they would have chosen in quiet; on a simulated clock."""

from __future__ import annotations

import functools
import tempfile

import pytest

from anytile.db.store import Store
from anytile.dispatch.backends import CpuBackend
from anytile.dispatch.plans.why import disturbed, explained, why
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.templates.base.space import Config
from anytile.tuner.campaign import run_campaign
from anytile.tuner.protocol.machine_state import Part
from anytile.tuner.requests.request import TuneRequest
from tests.support.stand_ins import synthetic_campaign as world
from tests.support.stand_ins.simulated_machine import (
    SimulatedMachine,
    SimulatedRunner,
    Slow,
    bursts,
    lasting_neighbour,
    quiet,
    seconds_of,
    sinking_frequency,
)

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("landscape", "with_library")]

SIZES = (*range(1, 17), 18, 20, 23, 28, 31, 37, 48, 61, 64, 77, 97, 128, 200, 256)
CLOSE = 1.05
CLOCK_ALONE = (Part.ARITHMETIC,)


@pytest.fixture
def with_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CpuBackend, "library_build", lambda self: "a BLAS")
    monkeypatch.setattr(CpuBackend, "has_library", lambda self, name: name == "blas")


def asked() -> TuneRequest:
    return world.request(seconds=60.0, trials=None, top_k=20, strategy="random", cold=True)


@functools.cache
def tuned(slow: Slow, parts: tuple[Part, ...] = tuple(Part)) -> tuple[DispatchPlan, SimulatedMachine]:
    machine = SimulatedMachine(slow)
    request = asked()
    with tempfile.TemporaryDirectory() as folder, Store.open(f"{folder}/tuning.db") as store:
        found = run_campaign(store, SimulatedRunner(machine, parts), request, clock=machine.clock)
        return found.plans[request.workloads[0]], machine


def quiet_seconds(plan: DispatchPlan, m: int) -> float:
    """What the plan takes when nobody disturbs it."""
    runs = plan.range_at(m).runs
    return seconds_of(plan.variants[runs].config if isinstance(runs, int) else Config.of(name="blas"), m)


def worst(plan: DispatchPlan) -> float:
    undisturbed, _ = tuned(quiet)
    return max(quiet_seconds(plan, m) / quiet_seconds(undisturbed, m) for m in SIZES)


@pytest.mark.parametrize("slow", [bursts, sinking_frequency])
def test_the_plan_is_that_of_the_quiet_machine(slow: Slow) -> None:
    plan, _ = tuned(slow)
    assert worst(plan) < CLOSE
    assert not disturbed(plan)


def test_a_state_that_stays_is_the_machine_and_is_said() -> None:
    """The campaign ends, within its budget, and its plan is one for the machine as it is now."""
    plan, machine = tuned(lasting_neighbour)
    assert machine.now < 60
    assert "memory took up to 2.4x as long" in disturbed(plan)
    assert "memory took up to 2.4x as long" in explained(None, plan, why(plan, 17))
    undisturbed, _ = tuned(quiet)
    there = SimulatedMachine(lasting_neighbour, now=20)
    for m in SIZES:
        runs = [p.range_at(m).runs for p in (plan, undisturbed)]
        kept, other = (
            there.call(p.variants[r].config if isinstance(r, int) else Config.of(name="blas"), m, 0, 0)
            for p, r in zip((plan, undisturbed), runs, strict=True)
        )
        assert kept < CLOSE * other


def test_the_next_campaign_chooses_as_in_quiet() -> None:
    machine = SimulatedMachine(lasting_neighbour)
    request = asked()
    with tempfile.TemporaryDirectory() as folder, Store.open(f"{folder}/tuning.db") as store:
        for _ in range(2):
            run_campaign(store, SimulatedRunner(machine), request, clock=machine.clock)
            machine.now += 100
        selection = store.selection(request.workloads[0], request.target)
        assert selection is not None
        plan = DispatchPlan.from_json(selection.plan)
    assert not disturbed(plan)
    assert worst(plan) < CLOSE


def test_a_look_at_the_clock_alone_is_misled() -> None:
    """As it was before memory was looked at."""
    plan, _ = tuned(bursts, CLOCK_ALONE)
    assert worst(plan) > CLOSE


def test_looking_costs_a_few_percent() -> None:
    _, machine = tuned(quiet)
    assert machine.waited < 0.05 * machine.now
