"""What no longer holds is found out by measuring again, set aside and not deleted; nothing is said of a bad moment."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any as Anything

import pytest

from anytile.core.errors import DatabaseError
from anytile.db.lookup.ladder import Answer, Rung
from anytile.db.records.records import Campaign, Ruling, Selection, Status, Trial
from anytile.db.store import Store
from anytile.dispatch.service import look_up, versions_here
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan, Range, Variant
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any, Workload
from anytile.tuner.protocol.candidate import Candidate, Outcome, Timing, TimingPolicy
from anytile.tuner.protocol.machine_state import MachineState
from anytile.tuner.second_look import believe, set_aside, verify

TARGET = Target.host()
HERE, THERE = "this machine", "another machine"


class Machine:
    """A runner of which every time is known: `seconds` says what a candidate takes at a size, or how it fails."""

    name = "made up"

    def __init__(self, seconds: Callable[[Candidate, int], float | Status]) -> None:
        self.seconds = seconds
        self.state = MachineState()
        self.asked: list[Candidate] = []
        self.prepared: list[Target] = []

    def prepare(self, target: Target) -> None:
        self.prepared.append(target)

    def run(self, candidates: Sequence[Candidate], policy: TimingPolicy) -> Iterator[Outcome]:
        for one in candidates:
            self.asked.append(one)
            yield Outcome(one, tuple(self._timing(one, point) for point in one.points), device=HERE)

    def _timing(self, one: Candidate, point: tuple[tuple[str, int], ...]) -> Timing:
        took = self.seconds(one, dict(point)["m"])
        if isinstance(took, Status):
            return Timing(point, took, reason="signal 11")
        return Timing(point, Status.OK, (took, took, took * 1.1), state=self.state)

    def inspect(self, candidates: Sequence[Candidate], policy: TimingPolicy) -> list[Anything]:
        raise AssertionError("a second look searches nothing")

    duel = inspect

    def close(self) -> None:
        pass


def of(size: int, n: int = 768) -> Workload:
    return dense(Any("m"), n, 768, const=("w",))


def config(workload: Workload, tile: int = 6) -> Config:
    return template("dense.cpu").default(workload, TARGET).with_(tile_m=tile, tile_n=2)  # of any CPU's space


def chosen(workload: Workload, seconds: float = 1e-3, tile: int = 6, **changed: Anything) -> Selection:
    """A plan that says what its config takes at 1, 64 and 512 rows."""
    sizes = ((0, 8, 1), (9, 128, 64), (129, None, 512))
    ranges = tuple(Range(low, high, 0, seconds * at / 64, at, "measured") for low, high, at in sizes)
    variants = (Variant("dense.cpu", config(workload, tile), tile, ()),)
    plan = DispatchPlan(workload, TARGET, "m", variants, ranges, {})
    given: dict[str, Anything] = {"device": HERE, "created": 5.0, **changed}
    return Selection(workload, TARGET, plan.to_json(), versions_here("dense.cpu"), **given)


def ask(store: Store, workload: Workload) -> Answer:
    return look_up(workload, TARGET, store)


@pytest.fixture
def machine() -> Machine:
    return Machine(lambda one, size: 1e-3 * size / 64)


def test_what_holds_is_used_and_says_so(store, machine):
    store.add_selection(chosen(of(64)))
    (finding,) = verify(store, machine, TARGET)
    assert (finding.ruling, finding.ratio, finding.recorded) == (Ruling.HOLDS, pytest.approx(1.0), 1e-3)
    assert [dict(p)["m"] for p in machine.asked[0].points] == [1, 64, 512]
    assert machine.prepared == [TARGET]
    answer = ask(store, of(64))
    assert answer.rung is Rung.EXACT
    assert "Looked at again on " in answer.why()
    assert "measured again at 3 sizes it took 1.00 times as long as it says (1 ms where it says 1 ms)" in answer.why()


def test_what_drifted_is_passed_over_and_the_one_before_it_serves(store, machine):
    slow = chosen(of(64), 1e-4, tile=6, created=9.0)
    good = chosen(of(64), 1e-3, tile=4)
    for one in (slow, good):
        store.add_selection(one)
    told = []
    findings = verify(store, machine, TARGET, tell=told.append)
    assert [(f.record, f.ruling) for f in findings] == [(slow.id, Ruling.DRIFTED)]
    assert told == findings
    assert len(machine.asked) == 2  # it had a second chance
    answer = ask(store, of(64))
    assert answer.source is not None
    assert answer.source.id == good.id
    assert f"1 record that no longer holds set aside, such as {slow.id[:8]} (measured again at 3" in answer.why()
    assert "it took 10.00 times as long as it says" in answer.why()
    assert {s.id for s in store.selections()} == {slow.id, good.id}  # nothing is deleted
    assert [(f.record, f.ruling) for f in set_aside(store)] == [(slow.id, Ruling.DRIFTED)]
    assert set_aside(store, Target.parse("llvm -mcpu=haswell")) == []


def test_what_holds_again_is_used_again(store, machine):
    slow = chosen(of(64), 1e-4)
    store.add_selection(slow)
    verify(store, machine, TARGET)
    assert ask(store, of(64)).rung is not Rung.EXACT
    machine.seconds = lambda one, size: 1e-4 * size / 64
    (finding,) = verify(store, machine, TARGET)
    assert finding.ruling is Ruling.HOLDS
    assert ask(store, of(64)).rung is Rung.EXACT
    assert [v.ruling for v in store.verdicts()] == [Ruling.HOLDS, Ruling.DRIFTED]


def test_the_second_chance_counts(store):
    """A neighbour that nobody saw slows the first look."""
    calls: list[int] = []

    def seconds(one: Candidate, size: int) -> float:
        calls.append(size)
        return (2e-3 if len(calls) <= 3 else 1e-3) * size / 64

    store.add_selection(chosen(of(64)))
    (finding,) = verify(store, Machine(seconds), TARGET)
    assert (finding.ruling, len(calls)) == (Ruling.HOLDS, 6)


def test_a_disturbed_machine_judges_nobody(store, machine):
    store.add_selection(chosen(of(64), 1e-4))
    machine.state = MachineState(memory=2.5)
    (finding,) = verify(store, machine, TARGET)
    assert finding.ruling is None
    assert finding.said == "not judged: the machine was disturbed (memory 2.5x as slow)"
    assert store.verdicts() == []
    assert ask(store, of(64)).rung is Rung.EXACT


@pytest.mark.parametrize("status", [Status.WRONG, Status.CRASHED])
def test_what_fails_twice_is_passed_over(store, status):
    store.add_selection(chosen(of(64)))
    machine = Machine(lambda one, size: status if size == 64 else 1e-3 * size / 64)
    (finding,) = verify(store, machine, TARGET)
    assert finding.ruling is Ruling.DRIFTED
    assert finding.said == f"measured again it failed: {status} (signal 11)"
    assert ask(store, of(64)).rung is not Rung.EXACT


def test_another_machine_that_is_slower_as_a_whole_is_allowed_for(store):
    """Of four plans made elsewhere all take 1.5 times as long here, one of them three times."""
    for i in range(1, 5):
        store.add_selection(chosen(of(64, 768 * i), device=THERE))
    machine = Machine(lambda one, size: (3.0 if one.workload == of(64, 768 * 4) else 1.5) * 1e-3 * size / 64)
    found = {f.workload: f for f in verify(store, machine, TARGET)}
    assert [found[of(64, 768 * i)].ruling for i in range(1, 5)] == [Ruling.HOLDS] * 3 + [Ruling.DRIFTED]
    assert "on a machine that is 1.50 times as slow as the one before" in found[of(64, 768)].said
    assert found[of(64, 768 * 4)].ratio == pytest.approx(2.0)


def test_too_few_of_another_machine_say_nothing_of_a_slower_one(store, machine):
    """A team's database is not spoilt by whoever has the slowest of its machines."""
    for i in range(1, 3):
        store.add_selection(chosen(of(64, 768 * i), 5e-4, device=THERE))
    found = verify(store, machine, TARGET)
    assert {f.ruling for f in found} == {None}
    assert found[0].said.startswith("not judged: another machine made it, and fewer than 3 of its records say how fast")
    assert store.verdicts() == []
    machine.seconds = lambda one, size: 4e-4 * size / 64
    assert {f.ruling for f in verify(store, machine, TARGET)} == {Ruling.HOLDS}


def test_what_is_found_out_is_stored_at_once(store, machine):
    for i in range(1, 4):
        store.add_selection(chosen(of(64, 768 * i)))

    def interrupted(finding: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        verify(store, machine, TARGET, tell=interrupted)
    assert len(store.verdicts()) == 1


def test_of_this_machine_nothing_is_allowed_for(store):
    for i in range(1, 5):
        store.add_selection(chosen(of(64, 768 * i)))
    machine = Machine(lambda one, size: 1.5e-3 * size / 64)
    assert {f.ruling for f in verify(store, machine, TARGET)} == {Ruling.DRIFTED}


def test_a_sample_goes_round(store, machine):
    workloads = [of(64, 768 * i) for i in range(1, 5)]
    for workload in workloads:
        store.add_selection(chosen(workload))
    seen = [f.workload for _ in range(4) for f in verify(store, machine, TARGET, sample=1)]
    assert sorted(map(str, seen)) == sorted(map(str, workloads))
    assert [f.workload for f in verify(store, machine, TARGET, sample=1)] == seen[:1]


def test_a_trial_serves_where_there_is_no_plan_and_is_measured_at_its_own_size(store, machine):
    trial = Trial(
        of(64), TARGET, "dense.cpu", config(of(64)), {"m": 32}, Status.OK, (5e-4,) * 3, drift=1.0,
        versions=versions_here("dense.cpu"), device=HERE, created=5.0,
    )  # fmt: skip
    store.add_trials([trial])
    (finding,) = verify(store, machine, TARGET)
    assert (finding.record, finding.ruling) == (trial.id, Ruling.HOLDS)
    assert [dict(p) for p in machine.asked[0].points] == [{"m": 32}]


def test_a_plan_that_its_own_samples_do_not_bear_out(store, machine):
    """It says a tenth of what any of its campaign's samples took; one of no campaign has none."""
    campaign = Campaign((of(64),), TARGET, {})
    store.add_campaign(campaign)
    plan = chosen(of(64), 1e-4, campaign_id=campaign.id, created=6.0)
    samples = [
        Trial(
            of(64), TARGET, "dense.cpu", config(of(64)), {"m": size}, Status.OK, (1e-3 * size / 64,) * 3,
            kind="profile", versions=plan.versions, device=HERE, created=4.0, campaign_id=campaign.id,
        )
        for size in (1, 64, 512)
    ]  # fmt: skip
    store.add_trials(samples)
    store.add_selection(chosen(of(64), 1e-4))
    (finding,) = verify(store, machine, TARGET)
    assert finding.ruling is Ruling.DRIFTED
    store.add_selection(plan)
    (finding,) = verify(store, machine, TARGET)
    assert finding.ruling is Ruling.CONTRADICTED
    assert finding.said.startswith(
        "it says 1.56e-06 s at m=1, and none of its own samples is below 1.56e-05 s; measured"
    )
    assert "1 record that contradicts physics or its own samples set aside" in ask(store, of(64)).why()


def test_the_way_back_out_of_quarantine(store, machine):
    """A record above any peak: it is listed without a verdict, and a person may say that it is to be believed."""
    made_up = chosen(of(64), 1e-7)
    store.add_selection(made_up)
    (listed,) = set_aside(store)
    assert (listed.record, listed.ruling) == (made_up.id, Ruling.CONTRADICTED)
    assert "GFLOP/s" in listed.said
    (finding,) = verify(store, machine, TARGET)
    assert finding.ruling is Ruling.CONTRADICTED
    believe(store, made_up.id[:9], "a person said so")
    answer = ask(store, of(64))
    assert answer.rung is Rung.EXACT
    assert ": a person said so." in answer.why()
    assert set_aside(store) == []
    (finding,) = verify(store, machine, TARGET)  # it reports, and does not overrule
    assert finding.ruling is None
    assert finding.said.startswith("believed, as a person said; measured again")
    (finding,) = verify(store, Machine(lambda one, size: Status.CRASHED), TARGET)
    assert finding.ruling is None
    assert finding.said == "believed, as a person said; measured again it failed: crashed (signal 11)"
    assert ask(store, of(64)).rung is Rung.EXACT
    with pytest.raises(DatabaseError, match="no record '1234'; see `anytile db verify --list`"):
        believe(store, "1234", "why not")


def test_a_clock_that_went_back_does_not_bring_an_old_verdict_back(store, machine, monkeypatch):
    store.add_selection(chosen(of(64), 1e-4))
    monkeypatch.setattr("anytile.tuner.second_look.now", lambda: 2e9)
    verify(store, machine, TARGET)
    monkeypatch.setattr("anytile.tuner.second_look.now", lambda: 2e9 - 86400)
    machine.seconds = lambda one, size: 1e-4 * size / 64
    verify(store, machine, TARGET)
    assert store.verdicts()[0].ruling is Ruling.HOLDS
    assert ask(store, of(64)).rung is Rung.EXACT


def test_nothing_to_measure_is_no_finding(store, machine):
    stale = dataclasses.replace(versions_here("dense.cpu"), codegen=0)
    store.add_selection(dataclasses.replace(chosen(of(64)), versions=stale))
    assert verify(store, machine, TARGET) == []
