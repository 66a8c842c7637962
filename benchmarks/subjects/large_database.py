"""Large tuning database of invented trials: as many as asked for, in campaigns of a thousand, written in bulk.

Its campaigns go over workloads, targets and versions as a team's do, so that every page over it has something to show.
"""

from __future__ import annotations

import functools
import random
import uuid
from collections.abc import Iterator
from typing import Any as Anything

from sqlalchemy import Connection, TextClause, text

from anytile.codegen.version import CODEGEN_VERSION
from anytile.db.records.codecs import now
from anytile.db.records.records import Campaign, Selection, Status, Trial, Versions
from anytile.db.sql import rows
from anytile.db.store import Store
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any, Workload

EACH = 1000  # trials of a campaign
WORKLOADS = 120
TARGETS = tuple(Target.parse(f"llvm -mcpu={cpu} -threads={n}") for cpu in ("znver4", "haswell") for n in (1, 8))
SIZES = (1, 4, 16, 64, 256)
_TEMPLATE = template("dense.cpu")
VERSIONS = tuple(
    Versions("0.1.0", _TEMPLATE.version, CODEGEN_VERSION - back, llvm, "3.11.2")
    for back, llvm in ((2, "20.1.0"), (1, "20.1.0"), (0, "22.1.0"))
)


def workload_of(number: int) -> Workload:
    return dense(Any("m"), 64 * (1 + number % 20), 64 * (1 + number // 20), const=("w",))


def fill(store: Store, trials: int, each: int = EACH, workloads: int = WORKLOADS) -> None:
    """Campaigns of `each` trials go over the workloads and targets in turn, the versions change twice in all; one
    campaign in ten of the newest versions is slower. One is written as any is, and copied by the database for the
    others."""
    rng = random.Random(7)
    began = now() - trials * 0.2
    configs = _TEMPLATE.space(workload_of(WORKLOADS - 1), TARGETS[0]).sample(rng, 200)
    count = max(1, trials // each)
    campaigns = [_campaign(number, began + number * each * 0.2, each, workloads) for number in range(count)]
    for number, campaign in enumerate(campaigns):
        made = VERSIONS[number * len(VERSIONS) // len(campaigns)]
        plan = single_plan(campaign.workloads[0], campaign.target, "dense.cpu", configs[0]).to_json()
        store.add_campaign(campaign)
        store.add_selection(Selection(campaign.workloads[0], campaign.target, plan, made, "", campaign.id))
    first, *others = campaigns
    store.add_trials(_trials(first, configs, rng, each))

    def copy(connection: Connection) -> None:
        for number, campaign in enumerate(others, start=1):
            made = VERSIONS[number * len(VERSIONS) // len(campaigns)]
            slower = 1.3 if made is VERSIONS[-1] and number % 10 == 0 else 1.0
            connection.execute(
                _copied_by(connection.dialect.name),
                _copied(first, campaign, made, number, slower * rng.uniform(0.9, 1.1)),
            )

    store.write(copy)
    for number in range(200):
        store.record_miss(dense(Any("m"), 64 * (1 + number % 20) + 32, 2048, const=("w",)), TARGETS[number % 4])


_SAME = "device_id, template, config, point, kind, status, reason, drift, build_seconds, facts, seed_order"


@functools.cache
def _copied_by(dialect: str) -> TextClause:
    """Its samples say what it is kept as: what they do not bear out would be set aside."""
    took = " || ',' || ".join(f"(corrected * :slower * {factor})" for factor in (1.0, 1.01, 0.99))
    took = f"'[' || {took} || ']'"
    samples = f"CAST({took} AS JSON)" if dialect == "postgresql" else took
    return text(f"""
        INSERT INTO trials (id, campaign_id, workload_id, target_id, versions_id, corrected, samples, created, {_SAME})
        SELECT :begin || substr(id, 9), :campaign, :workload, :target, :versions, corrected * :slower,
            CASE WHEN corrected IS NULL THEN samples ELSE {samples} END, created + :later, {_SAME}
        FROM trials WHERE campaign_id = :first""")


def _copied(first: Campaign, campaign: Campaign, made: Versions, number: int, slower: float) -> dict[str, Anything]:
    """A workload of more arithmetic takes longer by as much."""
    work = campaign.workloads[0].flops({"m": 64}) / first.workloads[0].flops({"m": 64})
    return {
        "begin": f"{number:08x}",
        "first": first.id,
        "campaign": campaign.id,
        "workload": rows.workload_id(campaign.workloads[0]),
        "target": rows.target_id(campaign.target),
        "versions": rows.versions_id(made),
        "slower": slower * work,
        "later": campaign.created - first.created,
    }


def _campaign(number: int, created: float, each: int, workloads: int) -> Campaign:
    options = {"request": {"trials": each, "seed": 0}, "progress": {"spent": 90.0}}
    return Campaign(
        (workload_of(number % workloads),),
        TARGETS[number // workloads % len(TARGETS)],
        options,
        state="running" if number % 400 == 399 else "finished",
        created=created,
        finished=created + 90,
        id=str(uuid.UUID(int=number, version=4)),
    )


def _trials(campaign: Campaign, configs: list[Config], rng: random.Random, each: int) -> Iterator[Trial]:
    (asked,) = campaign.workloads
    for order in range(each):
        searched = order < 0.7 * each
        size = 64 if searched else SIZES[order % len(SIZES)]
        ok = order % 20 != 19
        took = asked.flops({"m": size}) / (rng.uniform(0.4, 1.0) * 1e11)
        yield Trial(
            asked,
            campaign.target,
            "dense.cpu",
            configs[order % len(configs)],
            {"m": size},
            Status.OK if ok else Status.CRASHED,
            (took, took * 1.01, took * 0.99) if ok else (),
            "" if ok else "exit by signal 11",
            kind="search" if searched else "cross",
            seed_order=order,
            versions=VERSIONS[0],
            device="a machine",
            campaign_id=campaign.id,
            created=campaign.created + order * 0.09,
        )
