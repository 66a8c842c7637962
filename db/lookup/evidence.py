"""Graded records: what a database knows about a workload on a target, and how far it may be trusted.

Evidence is a plan that a campaign chose or, where a campaign has not come so far, its fastest trial. It is graded by
what it was made with: a record from other template or code generator versions is never more than a starting point.
"""

from __future__ import annotations

import enum
import functools
import json
import math
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeAlias, TypeVar

from sqlalchemy import Connection, bindparam

from anytile.core.errors import SpecError
from anytile.db.records.codecs import MOST
from anytile.db.records.records import MACHINE, Selection, Status, Trial, Verdict, Versions
from anytile.db.sql import fastest, queries, rows
from anytile.db.sql.models import TrialRow, VerdictRow, columns
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import FOOTING, DispatchPlan
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload

T = TypeVar("T")
Pair: TypeAlias = tuple[Workload, Target]
REPRESENTATIVE = 64  # the size that stands for a symbol where nothing better is known
PLANS_TRIED = 4
_TRIALS_TRIED = (4, 64)  # more only where none of the first is used
_MOST_TRIED = max(_TRIALS_TRIED)
# What is remembered of a pair and its versions.
_SELECTIONS_OF, _POINT_OF, _TRIED_OF = "selections", "point", "tried"

# Every lookup asks these and `_NEWEST_VERDICT`. They are texts, since SQLAlchemy needs a millisecond to make one of a
# `select`, and for each that is half of the first lookup of a process.
_IS_JUDGED = "SELECT 1 FROM verdicts WHERE verdicts.workload_id = :workload AND verdicts.target_id = :target"
_TRIAL = columns(TrialRow)
_SEARCHED = (
    _TRIAL.workload_id == bindparam("workload"),
    _TRIAL.target_id == bindparam("target"),
    _TRIAL.status == Status.OK.value,
    _TRIAL.kind == "search",
    _TRIAL.versions_id == bindparam("version"),
)
_FASTEST = (
    queries.trial_query()
    .add_columns(_TRIAL.corrected)
    .where(*_SEARCHED, _TRIAL.point == bindparam("point"))
    .order_by(_TRIAL.corrected)
    .limit(bindparam("most"))
)
_NEWEST_VERDICT = f"""
    SELECT {", ".join(map(str, rows.VERDICTS.columns))} FROM verdicts
    JOIN workloads ON workloads.id = verdicts.workload_id
    JOIN targets ON targets.id = verdicts.target_id
    LEFT OUTER JOIN devices ON devices.id = verdicts.device_id
    LEFT OUTER JOIN tool_versions ON tool_versions.id = verdicts.versions_id
    WHERE verdicts.workload_id = :workload AND verdicts.target_id = :target AND verdicts.about = :about
    ORDER BY verdicts.created DESC, verdicts.id LIMIT 1
"""
_ANY_VERDICT = f"{_IS_JUDGED} LIMIT 1"
_JUDGED = "SELECT DISTINCT workload_id, target_id FROM verdicts"
_OF_IDS = queries.trial_query().add_columns(_TRIAL.corrected).where(_TRIAL.id.in_(bindparam("ids", expanding=True)))


@functools.lru_cache(64)
def _newest_selections(versions: int, knows_verdicts: bool) -> str:
    """The newest plans of a pair that were made with any of so many versions, with which of them, and whether anybody
    judged any of it. Of other tables no more is asked than is not known: a server's planner takes its time for each.
    """
    return f"""
        SELECT {", ".join(map(str, rows.SELECTIONS_OF.columns))}, selections.versions_id,
            {f"EXISTS ({_IS_JUDGED})" if knows_verdicts else "NULL"}
        FROM selections
        LEFT OUTER JOIN devices ON devices.id = selections.device_id
        WHERE selections.workload_id = :workload AND selections.target_id = :target
            AND selections.versions_id IN ({", ".join(f":version{i}" for i in range(versions))})
        ORDER BY selections.created DESC, selections.id LIMIT {PLANS_TRIED}"""


class Grade(enum.StrEnum):
    """How far a record may be trusted here and now."""

    EXACT = "exact"
    COMPATIBLE = "compatible"  # another LLVM, thread count or shape: used, and said
    STALE = "stale"  # another template or codegen version: a starting point
    NONE = "none"  # no record stands behind it


Graded: TypeAlias = dict[Grade, dict[str, Versions]]  # the tool versions of a database by id, by what they are worth
Fits: TypeAlias = Callable[[str, str, str], bool]  # whether a trial's template and config are of use, and its id


class Recall(Protocol):
    """What was read of a database before, where one question asks the same of it over and over."""

    def __call__(self, key: Hashable, make: Callable[[], T]) -> T: ...


def afresh(key: Hashable, make: Callable[[], T]) -> T:
    """For who asks once."""
    return make()


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
    trials: int = 0  # that it rests on; 0 where a plan does not say
    samples: int = 0  # of them all
    spread: float = 0.0  # of a trial's samples: slowest over fastest, less one; of several trials the median
    machine: Mapping[str, float] = field(default_factory=dict)  # how many times as slow as usual its parts were
    ranked: float | None = None  # seconds by which a database orders a trial
    drift: float = 1.0  # of a trial
    verdict: Verdict | None = None  # of the latest second look


def grade_of(made_with: Versions | None, now: Versions) -> Grade:
    """What a record made with these tools is worth to ours."""
    if made_with is None or (made_with.template, made_with.codegen) != (now.template, now.codegen):
        return Grade.STALE
    return Grade.EXACT if made_with.llvm == now.llvm else Grade.COMPATIBLE


def version_ids(connection: Connection, now: Versions, templates: Collection[int]) -> Graded:
    """The tool versions in the database, by grade, where any of these template versions counts as today's."""
    found: Graded = {Grade.EXACT: {}, Grade.COMPATIBLE: {}, Grade.STALE: {}}
    for id_, made in queries.made_with(connection).items():
        today = replace(now, template=made.template) if made.template in templates else now
        found[grade_of(made, today)][id_] = made
    return found


def find(
    connection: Connection,
    workload: Workload,
    target: Target,
    ids: Graded,
    grades: Collection[Grade],
    lacks: Collection[str] = (),
    recall: Recall = afresh,
    fits: Fits | None = None,
) -> Iterator[Evidence]:
    """Evidence of these grades for exactly this workload and target, best first: plans before trials.

    `lacks` are tables that an older database has not. Of trials only those that `fits` takes are read whole.
    """

    knows_verdicts = VerdictRow.__tablename__ not in lacks
    has_verdicts = None if knows_verdicts else False
    pair = {"workload": rows.workload_id(workload), "target": rows.target_id(target)}

    def judged(found: Evidence) -> Evidence:
        """Of most workloads nobody said anything, which is asked once: many records may be passed over."""
        nonlocal has_verdicts
        if has_verdicts is None and fits is None:
            has_verdicts = bool(queries.asked(connection, _ANY_VERDICT, **pair))
        elif has_verdicts is None:  # as one of many workloads that are asked about
            judged_pairs = recall(_JUDGED, lambda: {tuple(row) for row in queries.asked(connection, _JUDGED)})
            has_verdicts = tuple(pair.values()) in judged_pairs
        if not has_verdicts:
            return found
        return replace(found, verdict=_newest_verdict(connection, workload, target, found.id))

    for grade in (g for g in Grade if g in grades and ids.get(g)):
        chosen, is_judged = _selections(connection, workload, target, ids[grade], recall, knows_verdicts)
        has_verdicts = is_judged if has_verdicts is None else has_verdicts
        for selection in chosen:
            yield judged(_of_selection(selection, grade))
    for grade in (g for g in Grade if g in grades and ids.get(g)):
        given: set[str] = set()
        for most in _TRIALS_TRIED:
            for trial, ranked in _fastest(connection, pair, ids[grade], most, recall, fits, given):
                if trial.id not in given:
                    given.add(trial.id)
                    yield judged(_of_trial(trial, grade, ranked))


def _newest_verdict(connection: Connection, workload: Workload, target: Target, about: str) -> Verdict | None:
    pair = {"workload": rows.workload_id(workload), "target": rows.target_id(target)}
    found = queries.asked(connection, _NEWEST_VERDICT, **pair, about=about)
    return next(queries.readable(found, rows.VERDICTS.read), None)


def _selections(
    connection: Connection,
    workload: Workload,
    target: Target,
    versions: Mapping[str, Versions],
    recall: Recall,
    knows_verdicts: bool,
) -> tuple[list[Selection], bool | None]:
    """The newest, and whether anybody judged any of this workload and target, where that is known."""
    pair = {"workload": rows.workload_id(workload), "target": rows.target_id(target)}

    def one(row: Sequence[Any]) -> Selection:
        *own, made_with, _ = row
        return rows.SELECTIONS_OF.read(own, workload=workload, target=target, versions=versions[made_with])

    def read() -> tuple[list[Selection], bool | None]:
        question = _newest_selections(len(versions), knows_verdicts)
        found = queries.asked(connection, question, **pair, **{f"version{i}": v for i, v in enumerate(versions)})
        return list(queries.readable(found, one)), bool(found[0][-1]) if found else None

    return recall((_SELECTIONS_OF, *pair.values(), *versions), read)


def _fastest(
    connection: Connection,
    pair: Mapping[str, str],
    versions: Collection[str],
    most: int,
    recall: Recall,
    fits: Fits | None,
    given: Collection[str],
) -> list[tuple[Trial, float]]:
    """So many of the fastest search trials at the point nearest to the representative one, and what they are ordered
    by; of those that do not fit, or were given before, no more than the config is read."""
    found: list[tuple[Trial, float]] = []
    for version in versions:
        made = (*pair.values(), version)
        point = recall((_POINT_OF, *made), lambda m=made: _nearest_point(*fastest.points(connection, [m])))  # type: ignore[misc]
        if point is None:
            continue
        if fits is None:
            wanted = {**pair, "version": version, "point": point, "most": most}
            there = connection.execute(_FASTEST, wanted).all()
        else:
            at = (*made, point)
            tried = recall((_TRIED_OF, *made), lambda a=at: fastest.first_configs(connection, [a], _MOST_TRIED)[0])  # type: ignore[misc]
            ids = [one[0] for one in tried[:most] if one[0] not in given and fits(*one)]
            there = connection.execute(_OF_IDS, {"ids": ids}).all() if ids else []
        found += queries.readable(there, lambda row: (rows.read_trial(row[:-1]), float(row[-1])))
    return sorted(found, key=lambda f: (_off_centre(rows.canonical(f[0].point)), f[1], f[0].id))


def read_ahead(connection: Connection, pairs: Sequence[Pair], ids: Graded, keep: Recall) -> None:
    """What `find` asks about current records of each of these, in a few questions for all, for `keep` to remember."""
    keys = [(rows.workload_id(workload), rows.target_id(target)) for workload, target in pairs]
    versions = [ids[grade] for grade in (Grade.EXACT, Grade.COMPATIBLE) if ids[grade]]
    for some in versions:
        chosen: dict[tuple[str, str], list[Selection]] = {key: [] for key in keys}
        for one in queries.newest_made_with(connection, pairs, some.keys(), PLANS_TRIED):
            chosen.get((rows.workload_id(one.workload), rows.target_id(one.target)), []).append(one)
        for key, of in chosen.items():
            keep((_SELECTIONS_OF, *key, *some), lambda of=of: (of, None))  # type: ignore[misc]
    made = [(*key, version) for key in keys for some in versions for version in some]
    found = [_nearest_point(of) for of in fastest.points(connection, made)]
    for its, point in zip(made, found, strict=True):
        keep((_POINT_OF, *its), lambda point=point: point)  # type: ignore[misc]
    there = [(*its, point) for its, point in zip(made, found, strict=True) if point is not None]
    for at, tried in zip(there, fastest.first_configs(connection, there, _MOST_TRIED), strict=True):
        keep((_TRIED_OF, *at[:-1]), lambda tried=tried: tried)  # type: ignore[misc]


def _nearest_point(points: Iterable[str]) -> str | None:
    """Of the points of some trials the one that is nearest to the representative one."""
    ours = filter(str.isascii, points)
    return min(ours, key=lambda p: (_off_centre(p), p), default=None)


def _off_centre(point: str) -> float:
    try:
        return sum(abs(math.log2(max(int(v), 1) / REPRESENTATIVE)) for v in json.loads(point).values())
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):  # no point at all
        return math.inf


def _of_trial(trial: Trial, grade: Grade, ranked: float | None = None) -> Evidence:
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
        trials=1,
        samples=len(trial.samples),
        spread=max(trial.samples) / min(trial.samples) - 1,
        machine={name.removeprefix(MACHINE): ratio for name, ratio in trial.facts.items() if name.startswith(MACHINE)},
        ranked=ranked,
        drift=trial.drift,
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
    if plan is None:
        return found
    footing = plan.notes.get(FOOTING)
    if isinstance(footing, Mapping):
        trials, samples, spread = (_count(footing.get(name)) for name in ("trials", "samples", "spread"))
        found = replace(found, trials=int(trials), samples=int(samples), spread=spread)
    machine = plan.notes.get("machine")
    slow = machine.get("slow") if isinstance(machine, Mapping) else None
    if isinstance(slow, Mapping):
        found = replace(found, machine={name: _count(ratio) for name, ratio in slow.items()})
    return at_size(found, plan, REPRESENTATIVE)


def _count(value: object) -> float:
    """A number from 0 up; a note may say anything, and what is none counts as nothing."""
    good = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < MOST
    return float(value) if good else 0.0  # type: ignore[arg-type]  # a number, as was asked


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


def provenance(found: Evidence) -> dict[str, object]:
    """Who measured a record, where, with what, how often and in which state of the machine; and what was said of it
    since. For programs: `messages` has it in words."""
    again = found.verdict
    return {
        "record": found.id,
        "kind": "trial" if found.plan is None else "plan",
        "workload": found.workload,
        "target": found.target,
        "campaign": found.campaign_id,
        "device": found.device,
        "created": found.created,
        "versions": found.versions,
        "grade": found.grade,
        "seconds": found.seconds,
        "at": found.point,
        "trials": found.trials,
        "samples": found.samples,
        "spread": found.spread,
        "machine": found.machine,
        "verdict": again and {"ruling": again.ruling, "said": again.said, "ratio": again.ratio, "device": again.device,
                              "created": again.created},
    }  # fmt: skip
