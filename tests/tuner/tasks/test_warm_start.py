"""The warm start: what is taken from older campaigns, that it helps, and that it stays what it was."""

from __future__ import annotations

import random
import statistics
from dataclasses import replace
from pathlib import Path
from typing import Any as Anything

import pytest

from anytile.core.errors import DatabaseError
from anytile.db.records.records import Campaign, Ruling, Status, Trial, Verdict, Versions, new_id
from anytile.db.store import Store
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config, ConfigSpace, Knob
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any, Workload
from anytile.tuner.campaign import resume_campaign, run_campaign
from anytile.tuner.ledger import events
from anytile.tuner.ledger.interrupts import Stop
from anytile.tuner.runners.replay import ReplayRunner
from anytile.tuner.search.state import Observation
from anytile.tuner.tasks.warm_start import CAMPAIGNS, EACH, PAIRS, Source, adopted, find, load, telling
from tests.support.stand_ins import synthetic_campaign as world

pytestmark = pytest.mark.usefixtures("landscape", "no_challengers")


W = dense(Any("m"), 96, 96)
OTHER = dense(Any("m"), 384, 96)


def older(store: Store, workload: Workload, count: int = 40, seed: int = 0, **changes: Anything) -> Campaign:
    """A campaign of random trials that somebody ran before."""
    target = changes.pop("target", world.TARGET)
    created = changes.pop("created", 1000.0)
    campaign = Campaign((workload,), target, {}, "finished", created)
    store.add_campaign(campaign)
    space, runner = world.Landscape().space(workload, target), world.LandscapeRunner()
    configs = space.sample(random.Random(seed), count)
    rows = []
    for order, config in enumerate(configs):
        candidate = world.Candidate(workload, target, world.NAME, config, ((("m", 64),),), order)
        timing = runner.outcome(candidate).timings[0]
        row = Trial(
            workload, target, world.NAME, config, {"m": 64}, timing.status, timing.samples, seed_order=order,
            versions=Versions("0", 7, 1, "22", "3.11"), campaign_id=campaign.id, created=created + order,
        )  # fmt: skip
        rows.append(replace(row, **changes))
    store.add_trials(rows)
    return campaign


def sources(store: Store, *workloads: Workload) -> tuple[Source, ...]:
    return find(store, {w: (world.Landscape(),) for w in workloads or (W,)}, world.TARGET)


def search_of(store: Store, campaign_id: str) -> list[str]:
    rows = sorted(store.trials(campaign_id=campaign_id, kind="search"), key=lambda t: t.seed_order)
    return [f"{t.workload} {t.config}" for t in rows]


def evolve(**changes: Anything) -> Anything:
    return world.request(**{"strategy": "evolve", "trials": 40, "top_k": 2, "cross_sizes": (8, 64), **changes})


def test_an_empty_database_teaches_nothing(store: Store) -> None:
    assert sources(store) == ()
    assert load(store, ()) == {}


def test_the_nearest_workloads_are_taken_and_the_newest_campaigns_of_each(store: Store) -> None:
    for k in range(PAIRS + 2):
        older(store, dense(Any("m"), 96 << (k + 1), 96))
    campaigns = [older(store, W, created=1000.0 * i, seed=i) for i in range(1, CAMPAIGNS + 3)]
    found = sources(store)
    assert {s.workload for s in found} == {W, *(dense(Any("m"), 96 << (k + 1), 96) for k in range(PAIRS - 1))}
    assert {s.campaign for s in found if s.workload == W} == {c.id for c in campaigns[-CAMPAIGNS:]}
    assert found == sources(store)


@pytest.mark.parametrize(
    "changes",
    [
        {"versions": Versions("0", 6, 1, "22", "3.11")},  # another version of the template: other code
        {"versions": None},
        {"template": "dense.cpu"},
        {"kind": "cross"},
        {"campaign_id": ""},  # nothing fixes what is taken of it
        {"target": Target.parse("llvm -mcpu=znver99")},
    ],
)
def test_what_teaches_nothing_is_left_out(store: Store, changes: dict[str, Anything]) -> None:
    older(store, W, **changes)
    assert sources(store) == ()


def test_what_is_set_aside_teaches_nothing_and_what_is_later_changes_no_beginning(store: Store) -> None:
    campaign = older(store, W)
    rows = store.trials(campaign_id=campaign.id)
    ok = [t for t in rows if t.status is Status.OK]
    store.add_verdicts([Verdict(W, world.TARGET, ok[0].id, Ruling.CONTRADICTED)])
    (found,) = sources(store)
    assert found.without == (ok[0].id,)
    assert found.count == len(rows) - 1
    store.add_verdicts([Verdict(W, world.TARGET, ok[1].id, Ruling.DRIFTED)])
    store.add_verdicts([Verdict(W, world.TARGET, ok[0].id, Ruling.BELIEVED)])
    assert load(store, [found])[found] == [t for t in rows if t.id != ok[0].id]
    assert sources(store)[0].without == (ok[1].id,)


def test_a_campaign_that_is_all_set_aside_takes_no_place(store: Store) -> None:
    good = older(store, W, created=1000.0)
    for n in range(CAMPAIGNS):
        bad = older(store, W, created=2000.0 + n, seed=n + 1, samples=(1e-9,) * 3, status=Status.OK)
        assert bad.id != good.id
    assert [s.campaign for s in sources(store)] == [good.id]


def test_another_thread_count_is_compatible_and_its_configs_are_adopted(store: Store) -> None:
    two = Target.parse(f"llvm -mcpu={world.TARGET.get('mcpu')} -threads=7")
    older(store, OTHER, target=two)
    assert [(s.target, s.count) for s in sources(store)] == [(two, 40)]
    space = ConfigSpace("t", (Knob("a", (1, 2), ""), Knob("grain", (8, 16), "")))
    default = Config.of(a=1, grain=8)
    given = [
        Observation(Config.of(a=2), 1.0, group="g"),  # lacks a knob of ours
        Observation(Config.of(a=2, grain=16, parallel="n"), 2.0),  # has one that we have not
        Observation(Config.of(a=3, grain=16), 3.0),  # a value that we have not
        Observation(Config.of(a=1, grain=16), float("inf"), Status.CONSTRAINT),
        Observation(Config.of(a=1, grain=8), float("inf"), Status.CRASHED),
    ]
    found = adopted(given, space, default)
    assert [str(o.config) for o in found] == ["a=2,grain=8", "a=2,grain=16", "a=1,grain=8"]
    assert (found[0].seconds, found[0].group, found[2].status) == (1.0, "g", Status.CRASHED)


def test_the_telling_ones_are_the_fastest_and_some_of_all_others() -> None:
    many = [Observation(Config.of(a=i), float((i * 37) % 300 + 1)) for i in range(300)]
    chosen = telling(many)
    assert len(chosen) == EACH == len({o.config for o in chosen})
    assert [o.seconds for o in chosen][: EACH // 2] == [float(i + 1) for i in range(EACH // 2)]
    assert max(o.seconds for o in chosen) > 290
    assert telling(many[:10]) == sorted(many[:10], key=lambda o: o.seconds)


@pytest.mark.slow
def test_a_second_campaign_is_better_after_its_first_trials(tmp_path: Path) -> None:
    """What a related workload taught, against nothing, eight seeds each: the best of the first sixteen."""

    def best(seed: int, cold: bool) -> float:
        with Store.open(str(tmp_path / f"{seed}-{cold}.db")) as store:
            older(store, OTHER, 80, seed)
            asked = evolve(trials=16, seed=seed, cold=cold)
            result = run_campaign(store, world.LandscapeRunner(), asked)
            return float(result.best[0].seconds)

    warm, cold = ([best(seed, c) for seed in range(8)] for c in (False, True))
    assert statistics.median(warm) < 0.99 * statistics.median(cold)
    assert sum(w <= c for w, c in zip(warm, cold, strict=True)) >= 6


@pytest.mark.slow
def test_it_is_said_how_much_is_known(store: Store) -> None:
    older(store, OTHER)
    for asked, expected in ((evolve(), 40), (evolve(cold=True), 0), (evolve(strategy="random"), 0)):
        told: list[events.Event] = []
        run_campaign(store, world.LandscapeRunner(), replace(asked, trials=4), told.append)
        start = told[0]
        assert isinstance(start, events.CampaignStarted)
        assert (start.warmed_by > 0) == (expected > 0)
        if expected:
            assert start.warmed_by == expected


@pytest.mark.slow
def test_a_resumed_campaign_knows_what_it_knew_whatever_others_measured_meanwhile(tmp_path: Path) -> None:
    with Store.open(str(tmp_path / "whole.db")) as store:
        older(store, OTHER)
        whole = search_of(store, run_campaign(store, world.LandscapeRunner(), evolve()).campaign_id)
    for rows in (5, 16, 23):
        with Store.open(str(tmp_path / f"{rows}.db")) as store:
            known, stop, seen = older(store, OTHER), Stop(), []

            def listen(event: events.Event, stop: Stop = stop, seen: list[int] = seen, rows: int = rows) -> None:
                if isinstance(event, events.TrialDone):
                    seen.append(event.number)
                    if len(seen) == rows:
                        stop.ask("enough seen")

            first = run_campaign(store, world.LandscapeRunner(), evolve(), listen, stop)
            older(store, W, 60, seed=5)  # nearer, newer
            more = store.trials(campaign_id=known.id)[0]
            config = next(c for c in world.Landscape().space(W, world.TARGET) if world.fate(c, 64) is Status.OK)
            store.add_trials([replace(more, id=new_id(), config=config, seed_order=40, samples=(1e-9,))])
            resume_campaign(store, world.LandscapeRunner(), first.campaign_id)
            assert search_of(store, first.campaign_id) == whole


def test_a_warm_start_that_is_gone_is_an_error_and_not_another_search(store: Store, tmp_path: Path) -> None:
    older(store, OTHER)
    stop = Stop()
    stop.ask("at once")
    first = run_campaign(store, world.LandscapeRunner(), evolve(), stop=stop)
    taken = store.campaign(first.campaign_id)
    with Store.open(str(tmp_path / "elsewhere.db")) as elsewhere:
        elsewhere.add_campaign(taken)
        with pytest.raises(DatabaseError, match="learns from 40 trials of campaign .* 0 are left; start"):
            resume_campaign(elsewhere, world.LandscapeRunner(), taken.id)
    store.update_campaign(first.campaign_id, options={**taken.options, "warm": [{"campaign": 3}]})
    with pytest.raises(DatabaseError, match="its warm start cannot be read"):
        resume_campaign(store, world.LandscapeRunner(), first.campaign_id)


@pytest.mark.slow
def test_a_replay_starts_cold(store: Store) -> None:
    """The trials that it would learn from are those that it is asked about."""
    stored = world.exhaustive((8, 64))
    older(store, OTHER)
    first, second = (run_campaign(store, ReplayRunner(stored), evolve()) for _ in range(2))
    assert store.campaign(first.campaign_id).options["warm"] == []
    assert search_of(store, first.campaign_id) == search_of(store, second.campaign_id)
