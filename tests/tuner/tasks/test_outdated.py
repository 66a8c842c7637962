"""What was fastest with an older template is measured again first, the few of it; its times are not believed."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any as Anything

import pytest

from anytile.db.records.records import Campaign, Ruling, Status, Trial, Verdict, Versions, new_id
from anytile.db.store import Store
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any
from anytile.tuner.campaign import run_campaign
from anytile.tuner.tasks.outdated import TOP, outdated
from tests.support.stand_ins import synthetic_campaign as world

pytestmark = pytest.mark.usefixtures("landscape", "no_challengers")

W = dense(Any("m"), 768, 768)
OLD, NOW = (Versions("0", version, 1, "22", "3.11") for version in (6, world.Landscape.version))


def remember(store: Store, versions: Versions | None, count: int = 12, **changed: Anything) -> list[Config]:
    """Trials of a finished campaign; their configs, the fastest first."""
    campaign = Campaign((W,), world.TARGET, {}, "finished", 1000.0)
    store.add_campaign(campaign)
    configs = world.Landscape().space(W, world.TARGET).sample(random.Random(3), count)
    given: dict[str, Anything] = {"target": world.TARGET, "kind": "search", **changed}
    store.add_trials(
        Trial(
            W, template=world.NAME, config=config, point={"m": 64}, status=Status.OK, samples=(1e-4 * (i + 1),) * 3,
            seed_order=i, versions=versions, campaign_id=campaign.id, created=1000.0 + i, **given,
        )
        for i, config in enumerate(configs)
    )  # fmt: skip
    return configs


def seeds(store: Store) -> list[Config]:
    return [one.config for one in outdated(store, {W: (world.Landscape(),)}, world.TARGET)]


@pytest.mark.parametrize("versions", [OLD, None])
def test_the_fastest_few_of_an_older_template(store: Store, versions: Versions | None) -> None:
    configs = remember(store, versions)
    assert seeds(store) == configs[:TOP]


def test_what_is_current_or_elsewhere_gives_none(store: Store) -> None:
    remember(store, OLD, target=Target.parse("llvm -mcpu=haswell"))
    remember(store, OLD, kind="cross")
    assert seeds(store) == []
    remember(store, OLD)
    assert len(seeds(store)) == TOP
    remember(store, NOW, count=1)  # one of today's says more
    assert seeds(store) == []


def test_configs_that_do_not_fit_any_more_are_passed_over(store: Store) -> None:
    configs = remember(store, OLD)
    campaign = store.campaigns()[0]
    odd = Trial(
        W, world.TARGET, world.NAME, configs[0].with_(**{configs[0].values[0][0]: 999}), {"m": 64}, Status.OK,
        (1e-9,) * 3, versions=OLD, campaign_id=campaign.id, created=1.0,
    )  # fmt: skip
    store.add_trials([odd])
    assert seeds(store) == configs[:TOP]


@pytest.mark.slow
def test_a_campaign_measures_them_first_and_learns_nothing_of_their_times(store: Store) -> None:
    pytest.importorskip("xgboost", reason="xgboost is not installed")
    configs = remember(store, OLD)
    result = run_campaign(store, world.LandscapeRunner(), world.request(strategy="evolve", trials=24, top_k=2))
    searched = sorted(store.trials(campaign_id=result.campaign_id, kind="search"), key=lambda t: t.seed_order)
    first = [t.config for t in searched[: TOP + 1]]
    assert set(configs[:TOP]) <= set(first)
    assert store.campaign(result.campaign_id).options["warm"] == []


def test_what_is_set_aside_is_not_tried_again(store: Store) -> None:
    configs = remember(store, OLD)
    first, made_up = store.trials()[0], store.trials()[1]
    store.add_verdicts([Verdict(W, world.TARGET, first.id, Ruling.DRIFTED)])
    store.add_trials([replace(made_up, id=new_id(), config=configs[-1], samples=(1e-9,) * 3)])
    assert seeds(store) == configs[1 : TOP + 1]
