"""Graded records: what a database knows about a workload on a target, and how far it may be trusted.

Evidence is a plan that a campaign chose or, where a campaign has not come so far, its fastest trial. It is graded by
what it was made with: a record from other template or code generator versions is never more than a starting point.
"""

from __future__ import annotations

import enum
import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from sqlalchemy import Connection, bindparam, select, text

from anytile.core.errors import SpecError
from anytile.db.records.records import Selection, Status, Trial, Versions
from anytile.db.sql import queries, rows
from anytile.db.sql.models import TrialRow, columns
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload

REPRESENTATIVE = 64  # the size that stands for a symbol where nothing better is known
_PLANS_TRIED = 4
_TRIALS_TRIED = 4

# Every lookup asks these two. They are texts, since SQLAlchemy needs a millisecond for each to make one of a `select`,
# which is half of the first lookup of a process.
_VERSIONS = text(f"SELECT tool_versions.id, {', '.join(map(str, rows.VERSIONS))} FROM tool_versions")
_SELECTIONS = text(f"""
    SELECT {", ".join(map(str, rows.SELECTIONS.columns))} FROM selections
    JOIN workloads ON workloads.id = selections.workload_id
    JOIN targets ON targets.id = selections.target_id
    JOIN tool_versions ON tool_versions.id = selections.versions_id
    LEFT OUTER JOIN devices ON devices.id = selections.device_id
    WHERE selections.workload_id = :workload AND selections.target_id = :target AND selections.versions_id IN :versions
    ORDER BY selections.created DESC, selections.id LIMIT {_PLANS_TRIED}
""").bindparams(bindparam("versions", expanding=True))
_TRIAL = columns(TrialRow)
_SEARCHED = (
    _TRIAL.workload_id == bindparam("workload"),
    _TRIAL.target_id == bindparam("target"),
    _TRIAL.status == Status.OK.value,
    _TRIAL.kind == "search",
    _TRIAL.versions_id == bindparam("version"),
)
_NEXT_POINT = select(_TRIAL.point).where(*_SEARCHED, _TRIAL.point > bindparam("after")).order_by(_TRIAL.point).limit(1)
_FASTEST = (
    queries.trial_query()
    .where(*_SEARCHED, _TRIAL.point == bindparam("point"))
    .order_by(_TRIAL.corrected)
    .limit(_TRIALS_TRIED)
)


class Grade(enum.StrEnum):
    """How far a record may be trusted here and now."""

    EXACT = "exact"
    COMPATIBLE = "compatible"  # another LLVM, thread count or shape: used, and said
    STALE = "stale"  # another template or codegen version: a starting point
    NONE = "none"  # no record stands behind it


Graded: TypeAlias = dict[Grade, list[str]]  # the tool versions of a database, by what they are worth


@dataclass(frozen=True, slots=True)
class Evidence:
    """One record that can answer: a plan, or a config alone. Without either it is a plan that could not be read."""

    id: str
    workload: Workload
    target: Target
    grade: Grade
    versions: Versions | None
    template: str
    config: Config | None  # None where a library runs
    plan: DispatchPlan | None
    seconds: float | None  # of the config at `point`
    point: str
    created: float
    device: str
    campaign_id: str
    measured_at: Mapping[str, int] = field(default_factory=dict)  # of a trial
    samples: int = 0  # of a trial
    spread: float = 0.0  # of a trial's samples: slowest over fastest, less one


def grade_of(made_with: Versions | None, now: Versions) -> Grade:
    """What a record made with these tools is worth to ours."""
    if made_with is None or (made_with.template, made_with.codegen) != (now.template, now.codegen):
        return Grade.STALE
    return Grade.EXACT if made_with.llvm == now.llvm else Grade.COMPATIBLE


def version_ids(connection: Connection, now: Versions, templates: Collection[int]) -> Graded:
    """The tool versions in the database, by grade, where any of these template versions counts as today's."""
    found: Graded = {Grade.EXACT: [], Grade.COMPATIBLE: [], Grade.STALE: []}
    for id_, anytile, template, codegen, llvm, python in connection.execute(_VERSIONS):
        today = replace(now, template=template) if template in templates else now
        found[grade_of(Versions(anytile, template, codegen, llvm, python), today)].append(id_)
    return found


def find(
    connection: Connection, workload: Workload, target: Target, ids: Graded, grades: Collection[Grade]
) -> Iterator[Evidence]:
    """Evidence of these grades for exactly this workload and target, best first: plans before trials."""
    for grade in (g for g in Grade if g in grades and ids.get(g)):
        for selection in _selections(connection, workload, target, ids[grade]):
            yield _of_selection(selection, grade)
    for grade in (g for g in Grade if g in grades and ids.get(g)):
        for trial in _fastest(connection, workload, target, ids[grade]):
            yield _of_trial(trial, grade)


def _selections(connection: Connection, workload: Workload, target: Target, versions: Sequence[str]) -> list[Selection]:
    wanted = {
        "workload": rows.workload_id(workload),
        "target": rows.target_id(target),
        "versions": list(versions),
    }
    return list(queries.readable(connection.execute(_SELECTIONS, wanted), rows.SELECTIONS.read))


def _fastest(connection: Connection, workload: Workload, target: Target, versions: Sequence[str]) -> list[Trial]:
    """The fastest search trials at the point nearest to the representative one; each step is one index probe."""
    found: list[Trial] = []
    for version in versions:
        wanted = {
            "workload": rows.workload_id(workload),
            "target": rows.target_id(target),
            "version": version,
        }
        points = list(_points(connection, wanted))
        if points:
            wanted["point"] = min(points, key=lambda p: (_off_centre(p), p))
            found += queries.readable(connection.execute(_FASTEST, wanted), rows.read_trial)
    return sorted(found, key=lambda t: (_off_centre(rows.canonical(t.point)), t.corrected, t.id))


def _points(connection: Connection, wanted: dict[str, str]) -> Iterator[str]:
    after = ""
    while True:
        point = connection.scalars(_NEXT_POINT, wanted | {"after": after}).first()
        if point is None:
            return
        yield point
        after = point


def _off_centre(point: str) -> float:
    try:
        return sum(abs(math.log2(max(int(v), 1) / REPRESENTATIVE)) for v in json.loads(point).values())
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):  # no point at all
        return math.inf


def _of_trial(trial: Trial, grade: Grade) -> Evidence:
    return Evidence(
        id=trial.id,
        workload=trial.workload,
        target=trial.target,
        grade=grade,
        versions=trial.versions,
        template=trial.template,
        config=trial.config,
        plan=None,
        seconds=trial.corrected,
        point=_point_words(trial.point),
        created=trial.created,
        device=trial.device,
        campaign_id=trial.campaign_id,
        measured_at=trial.point,
        samples=len(trial.samples),
        spread=max(trial.samples) / min(trial.samples) - 1,
    )


def _of_selection(selection: Selection, grade: Grade) -> Evidence:
    """A plan comes out of a shared database, so one that cannot be read is none."""
    try:
        plan = DispatchPlan.from_json(selection.plan)
    except SpecError:
        plan = None
    found = Evidence(
        id=selection.id,
        workload=selection.workload,
        target=selection.target,
        grade=grade,
        versions=selection.versions,
        template="",
        config=None,
        plan=plan,
        seconds=None,
        point="",
        created=selection.created,
        device=selection.device,
        campaign_id=selection.campaign_id,
    )
    return found if plan is None else at_size(found, plan, REPRESENTATIVE)


def at_size(found: Evidence, plan: DispatchPlan, size: int) -> Evidence:
    """The evidence with what its plan runs at this size; where that is a library, the first kernel stands in."""
    run = plan.range_at(size)
    if not plan.variants:
        return found
    variant = plan.variants[run.runs if isinstance(run.runs, int) else 0]
    seconds, point = None, ""
    if isinstance(run.runs, int) and run.seconds is not None and run.at is not None:
        seconds, point = run.seconds, f"{plan.symbol}={run.at}" if plan.symbol else ""
    return replace(found, template=variant.template, config=variant.config, seconds=seconds, point=point)


def _point_words(point: Any) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted(point.items()))
