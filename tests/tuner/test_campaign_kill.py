"""kill -9 at random moments: what was acknowledged is there exactly once, and the campaign ends as if never killed."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any as Anything

import pytest

from anytile.core.errors import SpecError
from anytile.db.records.records import Trial
from anytile.db.store import Store
from anytile.schedules.plans.plan import DispatchPlan
from anytile.tuner.campaign import resume_campaign, run_campaign
from tests.support.stand_ins import synthetic_campaign as world

WORLD = Path(world.__file__)
KILLS = 4


@pytest.fixture(autouse=True)
def landscape() -> Iterator[None]:
    with world.registered(world.Landscape()):
        yield


def acknowledged(log: Path) -> list[tuple[int, str]]:
    """Rows that the campaign said were durable: number and what they are. A half-written last line was never said."""
    lines = log.read_text().splitlines(keepends=True) if log.exists() else []
    words = [line.split(maxsplit=2) for line in lines if line.endswith("\n") and line.startswith("row ")]
    return [(int(number), rest.strip()) for _, number, rest in words]


def measured(trials: list[Trial]) -> list[tuple[Anything, ...]]:
    ordered = sorted(trials, key=lambda t: t.seed_order)
    return [(t.seed_order, t.kind, str(t.config), t.point, t.status, t.samples) for t in ordered]


def essence(plan: DispatchPlan) -> str:
    return replace(plan, notes={k: v for k, v in plan.notes.items() if k != "campaign"}).to_json()


@pytest.mark.slow
def test_killed_again_and_again_it_loses_nothing_and_ends_the_same(tmp_path: Path) -> None:
    database, log = tmp_path / "tuning.db", tmp_path / "acknowledged"
    rng = random.Random(20260)
    campaign, alive = "new", 0
    for _ in range(KILLS):
        child = subprocess.Popen([sys.executable, str(WORLD), str(database), campaign, str(log)])
        wanted = alive + rng.randint(3, 45)
        deadline = time.monotonic() + 60
        while child.poll() is None and len(acknowledged(log)) < wanted and time.monotonic() < deadline:
            time.sleep(0.001)
        if alive == 0:  # while it works, nobody else may
            with Store.open(str(database)) as store, pytest.raises(SpecError, match=f"process {child.pid} is still"):
                resume_campaign(store, world.LandscapeRunner(), store.campaigns()[0].id)
        time.sleep(rng.random() * 0.02)  # anywhere: in a transaction, between two, in the middle of a batch
        child.kill()
        child.wait()
        said = acknowledged(log)
        assert len(said) >= wanted, "the campaign ended, or never began, before it was to be killed"
        alive = len(said)
        with Store.open(str(database)) as store:
            (begun,) = store.campaigns()
            campaign = begun.id
            stored = {t.seed_order: t for t in store.trials(campaign_id=campaign)}
            assert len(stored) == len(store.trials(campaign_id=campaign)), "two rows share a number"
            for number, is_what in said:
                assert f"{stored[number].kind} {stored[number].config}" == is_what
            # at most what was committed and not yet told: one outcome, at the most a duel of four at twelve sizes
            assert len(stored) <= len(said) + 48
    finish = subprocess.run([sys.executable, str(WORLD), str(database), campaign, str(log)], check=False, timeout=120)
    assert finish.returncode == 0
    with Store.open(str(database)) as store, Store.open(str(tmp_path / "whole.db")) as other:
        uninterrupted = run_campaign(other, world.LandscapeRunner(), world.request())
        assert measured(store.trials(campaign_id=campaign)) == measured(other.trials())
        assert store.campaign(campaign).state == "finished"
        (workload,) = uninterrupted.plans
        selection = store.selection(workload, world.TARGET)
        assert selection is not None
        assert essence(DispatchPlan.from_json(selection.plan)) == essence(uninterrupted.plans[workload])
        assert len(store.selections()) == 1
