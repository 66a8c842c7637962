"""Several searches in one campaign: workloads by what they are worth, templates against each other up to the plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any as Anything

import pytest

from anytile.core.errors import SpecError
from anytile.db.records.records import Status, Trial
from anytile.db.store import Store
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any
from anytile.tuner.campaign import resume_campaign, run_campaign
from anytile.tuner.ledger import events
from anytile.tuner.ledger.interrupts import Stop
from anytile.tuner.protocol.candidate import Contender, contender_of
from anytile.tuner.settle.crosseval import OF_EACH, finalists
from anytile.tuner.tasks.task_scheduler import FEW, LEAST
from tests.support.stand_ins import synthetic_campaign as world

TWO = (dense(Any("m"), 768, 768), dense(Any("m"), 3072, 768))
W = TWO[0]


class OnlyTheWorlds:
    """The request of the world, in which its two templates and no others serve a workload."""

    def __call__(self, **changes: Anything) -> Anything:
        return world.request(**{"template": None, "strategy": "evolve", "trials": 120, **changes})


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch, no_challengers: None) -> Iterator[OnlyTheWorlds]:
    made = (world.Landscape(), world.Streams())
    with world.registered(*made):
        monkeypatch.setattr("anytile.tuner.requests.request.templates_for", lambda workload, target: made)
        yield OnlyTheWorlds()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(str(tmp_path / "tuning.db")) as opened:
        yield opened


def what(trials: list[Trial]) -> list[tuple[Anything, ...]]:
    ordered = sorted(trials, key=lambda t: t.seed_order)
    return [(t.seed_order, t.kind, str(t.workload), str(contender_of(t)), t.point, t.samples) for t in ordered]


def stop_after(rows: int, stop: Stop) -> events.Listener:
    seen: list[int] = []

    def listen(event: events.Event) -> None:
        if isinstance(event, events.TrialDone):
            seen.append(event.number)
            if len(seen) == rows:
                stop.ask("enough seen")

    return listen


@pytest.mark.slow
def test_templates_compete_and_the_plan_mixes_them(store: Store, ask: OnlyTheWorlds) -> None:
    """The one is the fastest for few rows, the other for many; the search itself looks at 64 rows only."""
    result = run_campaign(store, world.LandscapeRunner(), ask())
    plan = result.plans[W]
    runs = {m: plan.variants[r] for m in (2, 64, 256) if isinstance(r := plan.range_at(m).runs, int)}
    assert runs[2].template == world.STREAMS
    assert runs[64].template == runs[256].template == world.NAME
    assert runs[2].tile == 1
    assert runs[64].tile > 1
    tried = Counter(t.template for t in store.trials(kind="search"))
    assert FEW <= tried[world.STREAMS] < tried[world.NAME] / 2  # it got its chance and no more
    for kind in ("cross", "profile"):
        assert {t.template for t in store.trials(kind=kind)} >= {world.STREAMS, world.NAME}
    versions = {t.template: t.versions.template for t in store.trials() if t.versions is not None}
    assert versions == {world.NAME: 7, world.STREAMS: 3}
    assert DispatchPlan.from_json(plan.to_json()) == plan


@pytest.mark.slow
def test_a_pinned_template_is_alone(store: Store, ask: OnlyTheWorlds) -> None:
    run_campaign(store, world.LandscapeRunner(), ask(template=world.STREAMS, trials=30))
    assert {t.template for t in store.trials(kind="search")} == {world.STREAMS}


def test_a_template_that_serves_nothing_here_is_refused(ask: OnlyTheWorlds) -> None:
    with pytest.raises(SpecError, match=r"no template 'dense.gpu' for .*; expected dense.landscape, dense.streams"):
        ask(template="dense.gpu").templates(W)


@pytest.mark.slow
def test_templates_that_range_over_another_symbol_do_not_meet(
    store: Store, ask: OnlyTheWorlds, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ranges speak of one symbol: that of the fastest searched."""
    monkeypatch.setattr(world.Streams, "symbol", lambda self, workload: "another")
    plan = run_campaign(store, world.LandscapeRunner(), ask()).plans[W]
    assert plan.symbol == "m"
    assert {v.template for v in plan.variants} == {world.NAME}
    assert {t.template for t in store.trials(kind="cross")} == {world.NAME}


def test_equal_configs_of_two_templates_are_two(ask: OnlyTheWorlds) -> None:
    config = Config.of(tile=1)
    rows = [Trial(W, world.TARGET, name, config, {"m": 64}, Status.OK, (s,)) for name, s in (("a", 2.0), ("b", 1.0))]
    assert finalists(rows, 5) == [Contender("b", config), Contender("a", config)]


def test_every_template_has_finalists() -> None:
    def row(template: str, number: int, seconds: float) -> Trial:
        config = Config.of(knob=number)
        return Trial(W, world.TARGET, template, config, {"m": 64}, Status.OK, (seconds,))

    rows = [row("fast", i, 1.0 + i) for i in range(20)] + [row("slow", i, 100.0 + i) for i in range(20)]
    chosen = finalists(rows, 10)
    assert Counter(w.template for w in chosen) == {"fast": 10 - OF_EACH, "slow": OF_EACH}
    assert [w.config.int("knob") for w in chosen] == [*range(10 - OF_EACH), *range(OF_EACH)]


@pytest.mark.slow
def test_resumed_rounds_take_the_same_turns(tmp_path: Path, ask: OnlyTheWorlds) -> None:
    """Two workloads, two templates each: whoever's turn it was is whose turn it is, with the same proposals."""
    asked = ask(workloads=TWO, counts=(1.0, 12.0), trials=80, top_k=4, cross_sizes=(1, 8, 64))
    with Store.open(str(tmp_path / "whole.db")) as store:
        whole = run_campaign(store, world.LandscapeRunner(), asked)
        expected = what(store.trials(campaign_id=whole.campaign_id))
    for rows in (3, 20, 33, 81):
        with Store.open(str(tmp_path / f"{rows}.db")) as store:
            stop = Stop()
            first = run_campaign(store, world.LandscapeRunner(), asked, stop_after(rows, stop), stop)
            assert first.state == "interrupted"
            second = resume_campaign(store, world.LandscapeRunner(), first.campaign_id)
            assert second.state == "finished"
            assert what(store.trials(campaign_id=first.campaign_id)) == expected


@pytest.mark.slow
def test_trials_go_to_the_workload_that_runs_often(store: Store, ask: OnlyTheWorlds) -> None:
    asked = ask(workloads=TWO, counts=(1.0, 50.0), template=world.NAME, trials=160)
    run_campaign(store, world.LandscapeRunner(), asked)
    rare, often = (len(store.trials(workload=w, kind="search")) for w in TWO)
    assert rare + often == 160
    assert LEAST <= rare < 0.6 * often


@pytest.mark.slow
def test_few_trials_are_shared_out(store: Store, ask: OnlyTheWorlds) -> None:
    run_campaign(store, world.LandscapeRunner(), ask(workloads=TWO, template=world.NAME, trials=FEW))
    assert [len(store.trials(workload=w, kind="search")) for w in TWO] == [FEW // 2, FEW // 2]


def test_counts_survive_the_database_and_must_fit(ask: OnlyTheWorlds) -> None:
    asked = ask(workloads=TWO, counts=(1.0, 50.0), cold=True)
    assert [asked.count_of(w) for w in TWO] == [1.0, 50.0]
    assert ask().count_of(W) == 1.0
    with pytest.raises(SpecError, match="1 count for 2 workloads"):
        ask(workloads=TWO, counts=(1.0,))
    with pytest.raises(SpecError, match="runs -1.0 times"):
        ask(workloads=TWO, counts=(1.0, -1.0))


@pytest.mark.slow
def test_a_workload_is_said_to_begin_once(store: Store, ask: OnlyTheWorlds) -> None:
    told: list[events.Event] = []
    run_campaign(store, world.LandscapeRunner(), ask(workloads=TWO), told.append)
    begun = Counter((e.workload, e.phase) for e in told if isinstance(e, events.PhaseStarted))
    assert begun[TWO[0], "search"] == begun[TWO[1], "search"] == 1
