"""Campaigns from start to plan, against a landscape whose truth is known: order, replays, choices, budgets."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from anytile.core.errors import SpecError
from anytile.db.records.records import Status
from anytile.db.store import Store
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any, Workload
from anytile.tuner.campaign import resume_campaign, run_campaign
from anytile.tuner.ledger import events
from anytile.tuner.ledger.budget import SHARES
from anytile.tuner.ledger.interrupts import Stop
from anytile.tuner.ledger.ledger import normalised
from anytile.tuner.protocol.candidate import Candidate, Duel, TimingPolicy
from anytile.tuner.requests.request import TuneRequest
from anytile.tuner.runners.replay import ReplayRunner
from anytile.tuner.settle.plan_phases import PROFILE_ROUNDS
from tests.support.stand_ins import synthetic_campaign as world

pytestmark = pytest.mark.usefixtures("landscape", "no_challengers")


W768 = dense(Any("m"), 768, 768)


def test_a_campaign_goes_through_its_phases_and_stores_its_plan(store: Store) -> None:
    told: list[events.Event] = []
    result = run_campaign(store, world.LandscapeRunner(), world.request(), told.append)
    assert result.state == "finished"
    assert [e.phase for e in told if isinstance(e, events.PhaseStarted)] == list(SHARES)
    assert isinstance(told[0], events.CampaignStarted)
    assert isinstance(told[-1], events.CampaignEnded)
    assert told[-1].how_to_resume == ""
    rows = store.trials(campaign_id=result.campaign_id)
    assert [e.number for e in told if isinstance(e, events.TrialDone)] == list(range(len(rows)))
    assert sorted(t.seed_order for t in rows) == list(range(len(rows)))
    assert {t.kind for t in rows} == set(SHARES)
    assert all(t.versions is not None and t.versions.template == 7 for t in rows if t.template == world.NAME)
    selection = store.selection(W768, world.TARGET)
    assert selection is not None
    assert selection.campaign_id == result.campaign_id
    assert DispatchPlan.from_json(selection.plan) == result.plans[W768]
    assert store.campaign(result.campaign_id).state == "finished"


@pytest.mark.slow
def test_the_plan_is_near_the_best_of_what_was_searched(store: Store) -> None:
    result = run_campaign(store, world.LandscapeRunner(), world.request(trials=240, strategy="grid", top_k=40))
    plan = result.plans[W768]
    space = world.Landscape().space(W768, world.TARGET)
    good = [c for c in space if world.fate(c, 64) is Status.OK]
    for m in (1, 7, 64, 100, 256):
        runs = plan.range_at(m).runs
        assert isinstance(runs, int) or m < 4  # the library of this world is best at the smallest sizes only
        if isinstance(runs, int):
            best = min(world.true_seconds(c, m) for c in good)
            assert world.true_seconds(plan.variants[runs].config, m) <= 1.06 * best


@pytest.mark.slow
def test_equal_seeds_give_equal_campaigns_and_others_do_not(store: Store) -> None:
    first, second, other = (
        run_campaign(store, world.LandscapeRunner(), world.request(seed=seed)) for seed in (3, 3, 4)
    )
    rows = [world.what(store.trials(campaign_id=r.campaign_id)) for r in (first, second, other)]
    assert rows[0] == rows[1]
    assert world.essence(first.plans[W768]) == world.essence(second.plans[W768])
    assert rows[0] != rows[2]


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["random", "evolve"])
def test_replays_of_stored_trials_are_equal(tmp_path: Path, strategy: str) -> None:
    stored = world.exhaustive((*range(1, 65), 128, 256))
    outcomes = []
    for run in range(2):
        with Store.open(str(tmp_path / f"replay{run}.db")) as fresh:
            result = run_campaign(fresh, ReplayRunner(stored), world.request(strategy=strategy, trials=64, seed=11))
            rows = world.what(fresh.trials(campaign_id=result.campaign_id))
            outcomes.append((rows, world.essence(result.plans[W768])))
    assert outcomes[0] == outcomes[1]
    assert {row[1] for row in outcomes[0][0]} >= {"search", "cross", "profile"}


@pytest.mark.slow
def test_a_batch_of_failures_is_not_the_end(store: Store) -> None:
    runner = world.LandscapeRunner()
    runner.fate = lambda config, m: Status.CRASHED if len(runner.ran) <= 20 else world.fate(config, m)
    result = run_campaign(store, runner, world.request())
    assert result.state == "finished"
    assert len(store.trials(kind="search", status=Status.CRASHED)) >= 20
    assert result.plans[W768].variants


@pytest.mark.parametrize("workload", [W768, dense(64, 768, 768)], ids=str)
@pytest.mark.parametrize("status", [Status.WRONG, Status.CONSTRAINT])  # a shape that no memory holds is the latter
def test_a_space_in_which_nothing_works_gives_a_reason_and_no_plan(
    store: Store, status: Status, workload: Workload
) -> None:
    runner = world.LandscapeRunner(fate=lambda config, m: status)
    result = run_campaign(store, runner, world.request(trials=20, workloads=(workload,)))
    assert (result.state, result.plans, result.best) == ("finished", {}, ())
    assert f"no config of {workload} worked: 20 {status.value}, such as: as {status.value} as can be;" in result.reason
    assert f"`anytile db show {result.campaign_id[:8]}`" in result.reason
    assert store.selections() == []


def test_of_several_workloads_those_without_a_plan_are_counted(store: Store) -> None:
    runner = world.LandscapeRunner(fate=lambda config, m: Status.WRONG)
    shapes = (W768, dense(64, 768, 768))
    result = run_campaign(store, runner, world.request(trials=20, workloads=shapes))
    lacking = "2 of 2 workloads have no plan, the first of them since no config of "
    assert result.reason.startswith(f"{lacking}{W768} worked: ")
    again = resume_campaign(store, runner, result.campaign_id)  # it was told to be finished and to lack nothing
    assert (again.state, again.reason) == ("finished", result.reason)


@pytest.mark.slow
def test_a_chosen_config_that_fails_in_the_profile_is_replaced(store: Store) -> None:
    sound = run_campaign(store, world.LandscapeRunner(), world.request())
    bad = sound.plans[W768].variants[0].config
    assert all(m % 5 for m in (1, 2, 4, 8, 16, 32, 64, 128, 256))  # cross-evaluation cannot see it

    def fate(config: Config, m: int) -> Status:
        return Status.WRONG if config == bad and m % 5 == 0 else world.fate(config, m)

    second = run_campaign(store, world.LandscapeRunner(fate=fate), world.request())
    assert all(v.config != bad for v in second.plans[W768].variants)
    assert second.plans[W768].notes["profile"]["sizes"][0] == 1  # its replacement was profiled in its turn


@dataclass
class Disturbed(world.LandscapeRunner):
    """At some sizes whoever is profiled first meets a machine that others use, for one duel."""

    met: set[int] = field(default_factory=set)

    def duel(self, candidates: Sequence[Candidate], rounds: int, policy: TimingPolicy) -> list[Duel]:
        found = super().duel(candidates, rounds, policy)
        return [self._slowed(d) for d in found] if rounds == PROFILE_ROUNDS else found

    def _slowed(self, duel: Duel) -> Duel:
        m = dict(duel.point)["m"]
        if not 90 <= m <= 130 or m in self.met:
            return duel
        self.met.add(m)
        first, *others = duel.samples
        return replace(duel, samples=(tuple(3 * s for s in first), *others))


@pytest.mark.slow
def test_a_burst_of_noise_in_the_profile_makes_no_range(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    calm = run_campaign(store, world.LandscapeRunner(), world.request(portfolio=2)).plans[W768]
    runner = Disturbed()
    disturbed = run_campaign(store, runner, world.request(portfolio=2)).plans[W768]
    assert runner.met
    assert [(r.low, r.high, r.runs) for r in disturbed.ranges] == [(r.low, r.high, r.runs) for r in calm.ranges]
    monkeypatch.setattr("anytile.tuner.settle.plan_phases.doubtful", lambda profile: ())
    believed = run_campaign(store, Disturbed(), world.request(portfolio=2)).plans[W768]
    assert len(believed.ranges) > len(calm.ranges)


@pytest.mark.slow
def test_drift_is_taken_out_of_rankings_and_left_in_the_rows(store: Store) -> None:
    calm = run_campaign(store, world.LandscapeRunner(), world.request())
    slowing = world.LandscapeRunner(drift=lambda number: 1.0 + number / 50)
    drifted = run_campaign(store, slowing, world.request())
    assert drifted.best[0].config == calm.best[0].config
    assert drifted.best[0].seconds == pytest.approx(calm.best[0].seconds)
    late = max(store.trials(campaign_id=drifted.campaign_id, kind="search"), key=lambda t: t.seed_order)
    assert late.drift == pytest.approx(1.0 + late.seed_order / 50)
    twin = next(t for t in store.trials(campaign_id=calm.campaign_id) if t.seed_order == late.seed_order)
    assert late.samples == pytest.approx(tuple(s * late.drift for s in twin.samples))


def test_a_concrete_workload_skips_sizes_and_gets_one_kernel(store: Store) -> None:
    fixed = dense(64, 768, 768)
    told: list[events.Event] = []
    result = run_campaign(store, world.LandscapeRunner(), world.request(workloads=(fixed,)), told.append)
    plan = result.plans[fixed]
    assert (plan.symbol, len(plan.variants), len(plan.ranges)) == (None, 1, 1)
    assert "cross" not in [e.phase for e in told if isinstance(e, events.PhaseStarted)]
    assert all(t.point == {} for t in store.trials())


@pytest.mark.slow
def test_evolve_trains_its_model_and_takes_over_from_related_workloads(store: Store) -> None:
    told: list[events.Event] = []
    two = (W768, dense(Any("m"), 3072, 768))
    result = run_campaign(
        store, world.LandscapeRunner(), world.request(workloads=two, strategy="evolve", trials=160), told.append
    )
    assert set(result.plans) == set(two)
    trained = [e for e in told if isinstance(e, events.ModelTrained)]
    assert trained
    assert trained[0].trained_on >= 48
    # The second's first trials: the default, and the best four of those that the first had tried by then.
    rows = sorted(store.trials(kind="search"), key=lambda t: t.seed_order)
    first = [t.config for t in rows if t.workload == two[1]][:5]
    before = [t for t in rows[:8] if t.status is Status.OK]
    assert {t.workload for t in rows[:8]} == {two[0]}
    assert [t.config for t in sorted(before, key=normalised)][:4] == [c for c in first if c != rows[0].config][:4]


@pytest.mark.slow
def test_trials_are_shared_between_workloads(store: Store) -> None:
    three = (W768, dense(Any("m"), 3072, 768), dense(Any("m"), 768, 3072))
    run_campaign(store, world.LandscapeRunner(), world.request(workloads=three, trials=50))
    counts = [len(store.trials(workload=w, kind="search")) for w in three]
    assert sum(counts) == 50
    assert min(counts) >= 8


class SlowWorld:
    """A clock that only measuring moves."""

    def __init__(self, seconds_per_candidate: float) -> None:
        self.now = 0.0
        self.step = seconds_per_candidate

    def clock(self) -> float:
        return self.now

    def before(self, candidate: Candidate) -> None:
        self.now += self.step


@pytest.mark.slow
@pytest.mark.parametrize("seconds_per_candidate", [0.05, 0.5, 3.0])
def test_a_time_budget_is_kept_and_every_phase_gets_its_part(store: Store, seconds_per_candidate: float) -> None:
    slow = SlowWorld(seconds_per_candidate)
    two = (W768, dense(Any("m"), 3072, 768))
    asked = world.request(workloads=two, trials=None, seconds=60.0, top_k=100)
    result = run_campaign(store, world.LandscapeRunner(before=slow.before), asked, clock=slow.clock)
    assert result.state == "finished"
    assert slow.now <= 60.0 + 8 * seconds_per_candidate  # each phase of each workload may end one candidate late
    assert set(result.plans) == set(two)
    for workload in two:
        assert {t.kind for t in store.trials(workload=workload)} >= {"search", "cross"}


def test_a_slow_start_is_not_the_end_of_the_search(store: Store) -> None:
    slow = SlowWorld(0.05)
    slow.step = 18.0  # the first one waits for a cluster to come up; search has 14 of 30 seconds

    def before(candidate: Candidate) -> None:
        slow.before(candidate)
        slow.step = 0.05

    run_campaign(
        store, world.LandscapeRunner(before=before), world.request(trials=None, seconds=30.0), clock=slow.clock
    )
    assert len(store.trials(kind="search")) >= 32
    assert slow.now <= 30.0


def test_a_resumed_campaign_keeps_what_it_spent(store: Store) -> None:
    slow, stop = SlowWorld(0.5), Stop()
    asked = world.request(trials=None, seconds=40.0)
    first = run_campaign(
        store, world.LandscapeRunner(before=slow.before), asked, world.stop_after(30, stop), stop, clock=slow.clock
    )
    slow.now += 10_000.0  # the night in between is not on the budget
    resume_campaign(store, world.LandscapeRunner(before=slow.before), first.campaign_id, clock=slow.clock)
    assert slow.now - 10_000.0 <= 42.0


@pytest.mark.slow
def test_a_search_that_no_longer_improves_ends_early(store: Store) -> None:
    run_campaign(store, world.LandscapeRunner(), world.request(trials=264, early_stop=64))
    assert len(store.trials(kind="search")) < 264


@pytest.mark.slow
def test_two_campaigns_on_one_database_lose_nothing(store: Store) -> None:
    results = {}

    def campaign(seed: int) -> None:
        results[seed] = run_campaign(store, world.LandscapeRunner(), world.request(seed=seed))

    threads = [threading.Thread(target=campaign, args=(seed,)) for seed in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results.values():
        rows = store.trials(campaign_id=result.campaign_id)
        assert len(rows) == result.trials
        assert sorted(t.seed_order for t in rows) == list(range(len(rows)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"workloads": ()}, "no workload"),
        ({"workloads": (W768, W768)}, "given twice"),
        ({"workloads": (dense(Any("m"), 0, 768),)}, "has nothing in it at any size, and nothing to measure"),
        ({"trials": 0}, "trials=0 is not a positive"),
        ({"top_k": -1}, "top_k=-1"),
        ({"portfolio": True}, "portfolio=True"),
        ({"seconds": float("nan")}, "a time of nan"),
        ({"seconds": -3.0}, "a time of -3.0"),
        ({"seed": "x"}, "seed='x'"),
        ({"strategy": "luck"}, "no strategy 'luck'; expected evolve, grid, random"),
        ({"cross_sizes": ()}, "no cross-evaluation sizes"),
        ({"cross_sizes": (0,)}, "cross-evaluation size=0"),
        ({"weights": {64: -1.0}}, "the weight of 64 is -1.0"),
        ({"weights": {64: 0.0}}, "add up to zero"),
        ({"at": {"q": 3}}, "no workload has a symbol 'q'"),
        ({"at": {"m": 2**31}}, "representative m=2147483648 is out of range; expected 1 to 2147483647"),
        ({"representative": 10**11}, "representative=100000000000 is out of range"),
        ({"cross_sizes": (1, 10**11)}, "cross-evaluation size=100000000000 is out of range"),
    ],
)
def test_requests_that_make_no_sense_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(SpecError, match=message.replace("(", r"\(")):
        world.request(**changes)


def test_what_a_request_asks_for_unless_told_otherwise() -> None:
    """The help and the documents name these: the top 100 at powers of two up to 256, three configs in a plan."""
    usual = TuneRequest((W768,), world.TARGET)
    assert usual.cross_sizes == tuple(2**i for i in range(9))
    assert (usual.top_k, usual.portfolio, usual.strategy) == (100, 3, "evolve")
    assert (usual.seconds, usual.early_stop, usual.cold) == (60.0, 160, False)


def test_a_request_survives_the_database(store: Store) -> None:
    asked = world.request(weights={1: 0.25, 64: 3.0}, at={"m": 32}, cross_sizes=(64, 1, 8), early_stop=9, trials=16)
    result = run_campaign(store, world.LandscapeRunner(), asked)
    assert TuneRequest.of(store.campaign(result.campaign_id)) == asked
    assert {t.point["m"] for t in store.trials(kind="search")} == {32}
    assert {t.point["m"] for t in store.trials(kind="cross")} == {1, 8, 64}
