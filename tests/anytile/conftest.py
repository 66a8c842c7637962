"""A database with one finished campaign in it: every kind of trial, every status, and text that means harm."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

import pytest

from anytile.codegen.version import CODEGEN_VERSION
from anytile.db.records.records import Campaign, Selection, Status, Trial, Versions
from anytile.db.store import Store
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan, Range, Variant, residue_classes
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any, Workload

HARM = '<script>alert("x")</script>'
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
VERSIONS = Versions("0.1.0", template("dense.cpu").version, CODEGEN_VERSION, "22.1", "3.11.2")
WORKLOAD = dense(Any("m"), 768, 768, const=("w",))


@dataclass(frozen=True)
class Filled:
    """Where the database is and what is in it."""

    url: str
    campaign: Campaign
    workload: Workload
    plan: DispatchPlan


def seconds_at(size: int, tile: int, rate: float) -> float:
    """A believable time: whole tiles cost alike, and a call has its price."""
    rows = math.ceil(size / tile) * tile * 0.35 + size * 0.65
    return 0.8e-6 + rows * 2 * 768 * 768 / (rate * 1e9)


def fill(url: str, configs: int = 60, campaign_id: str = "5eed0000-0000-4000-8000-000000000001") -> Filled:
    rng = random.Random(7)
    target = Target.host()
    space = template("dense.cpu").space(WORKLOAD, target)
    chosen = space.sample(rng, configs)
    campaign = Campaign(
        (WORKLOAD,),
        target,
        {"request": {"strategy": "evolve", "seed": 0, "trials": configs, "portfolio": 3, "top_k": 100}},
        state="finished",
        created=1.76e9,
        finished=1.76e9 + 88,
        id=campaign_id,
    )
    rates = {c: 262 - 190 * rng.random() ** 1.5 * (1 - i / (2 * configs)) for i, c in enumerate(chosen)}
    trials = [_searched(i, c, rates[c], target, campaign_id, rng) for i, c in enumerate(chosen)]
    best = sorted((t for t in trials if t.status is Status.OK), key=lambda t: t.seconds)
    for config in (t.config for t in best[:40]):
        for size in SIZES:
            tile = config.int("tile_m")
            noise = 1 + 0.02 * rng.random()
            took = seconds_at(size, tile, rates[config]) * noise
            trials.append(_trial(len(trials), config, size, "cross", target, campaign_id, (took, took * 1.01, took)))
    tiled = [t.config for t in best if t.config.int("tile_m") > 1]
    plan = _plan(tiled[:2], target)
    with Store.open(url) as store:
        store.add_campaign(campaign)
        store.add_trials(trials)
        store.add_selection(
            Selection(WORKLOAD, target, plan.to_json(), VERSIONS, f"a machine {HARM}", campaign_id, 1.76e9 + 88)
        )
    return Filled(url, campaign, WORKLOAD, plan)


def _searched(i: int, config: Config, rate: float, target: Target, campaign: str, rng: random.Random) -> Trial:
    failures = {11: Status.CRASHED, 17: Status.TIMEOUT, 23: Status.COMPILE_ERROR, 31: Status.WRONG, 37: Status.CRASHED}
    status = failures.get(i, Status.OK)
    took = seconds_at(64, config.int("tile_m"), rate) * (1 + 0.01 * rng.random())
    samples = (took, took * 1.02, took * 0.99) if status is Status.OK else ()
    reason = "" if status is Status.OK else f"exit by signal 11 {HARM}"
    return _trial(i, config, 64, "search", target, campaign, samples, status, reason)


def _trial(
    order: int,
    config: Config,
    size: int,
    kind: str,
    target: Target,
    campaign: str,
    samples: tuple[float, ...],
    status: Status = Status.OK,
    reason: str = "",
) -> Trial:
    return Trial(
        WORKLOAD, target, "dense.cpu", config, {"m": size}, status, samples, reason, kind=kind, seed_order=order,
        versions=VERSIONS, device=f"a machine {HARM}", campaign_id=campaign, created=1.76e9 + order,
    )  # fmt: skip


def _plan(configs: list[Config], target: Target) -> DispatchPlan:
    tiles = [c.int("tile_m") for c in configs]
    variants = tuple(Variant("dense.cpu", c, t, residue_classes(t, t)) for c, t in zip(configs, tiles, strict=True))
    sizes = [*range(1, 65), *range(71, 257, 7), 256, 512, 1024]
    rows = {
        "0": [seconds_at(s, tiles[0], 262) * 1e6 for s in sizes],
        "1": [seconds_at(s, tiles[1], 255) * 1e6 for s in sizes],
        "blas": [seconds_at(s, 16, 121 + 90 * (s > 256)) * 1e6 + 3 for s in sizes],
    }
    ranges = (
        Range(0, 15, 1, seconds_at(8, tiles[1], 255), 8, "variant 1 took 36.5 us at 8"),
        Range(16, 511, 0, seconds_at(64, tiles[0], 262), 64, f"variant 0 took 288 us at 64 {HARM}"),
        Range(512, None, "blas", 2.3e-3, 512, "blas took 2.3 ms at 512"),
    )
    notes = {
        "profile": {"sizes": sizes, "us": rows, "noise": 0.01},
        "decisions": ["40 configs at 9 sizes, 7 of them best or tied somewhere", "2 variants gain 1.30% over 1"],
        "regret": {"geomean": 1.004, "worst": 1.021, "worst_at": 4},
        "noise": 0.01,
    }
    return DispatchPlan(WORKLOAD, target, "m", variants, ranges, notes)


@pytest.fixture(scope="session")
def _filled_once(tmp_path_factory: pytest.TempPathFactory) -> Filled:
    return fill(str(tmp_path_factory.mktemp("filled") / "tuning.db"))


@pytest.fixture
def filled(_filled_once: Filled, monkeypatch: pytest.MonkeyPatch) -> Filled:
    """The database, named by $ANYTILE_DB as well; tests read it and leave it alone."""
    monkeypatch.setenv("ANYTILE_DB", _filled_once.url)
    return _filled_once
