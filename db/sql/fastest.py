"""Skip scan for the fastest trials: the best time of each workload, target, versions and point, by probes of one index.

Grouping a million trials would read a million entries. Here each different value of a column of `ix_trials_fastest` is
found from the one before it, so that the cost goes with the number of groups, and hardly with that of trials.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from sqlalchemy import Connection, TextClause, bindparam, func, select, text

from anytile.core.errors import AnytileError
from anytile.db.records import physics
from anytile.db.records.records import Ruling, Status, Trial
from anytile.db.sql import queries
from anytile.db.sql.models import TrialRow
from anytile.db.sql.queries import latest_ruling
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.workload import Workload

Made: TypeAlias = tuple[str, str, str]  # the ids of a workload, a target and a set of versions
MadeAt: TypeAlias = tuple[str, str, str, str]  # and a point
Tried: TypeAlias = tuple[str, str, str]  # a trial's id, its template and its config
_PAIR = "trials.workload_id = at.workload AND trials.target_id = at.target"
_SEARCHED = f"{_PAIR} AND trials.status = '{Status.OK.value}' AND trials.kind = 'search'"
_MADE = f"{_SEARCHED} AND trials.versions_id = at.versions"
_UNKNOWN = f"{_SEARCHED} AND trials.versions_id IS NULL"


def _each(name: str, of: str, columns: str, new: str, stored: str, agree: str) -> str:
    """A recursive table: the rows of `of` with every different value of the trials' column `stored` as `new`. A row
    whose `new` is null ends each run."""
    kept = ", ".join(f"at.{column}" for column in columns.split(", "))
    least = f"SELECT min(trials.{stored}) FROM trials WHERE {agree}"
    return f"""{name}({columns}, {new}) AS (
        SELECT {kept}, ({least}) FROM {of}
        UNION ALL
        SELECT {kept}, ({least} AND trials.{stored} > at.{new}) FROM {name} AS at WHERE at.{new} IS NOT NULL
    )"""


def _groups(of: str, versions: str, agree: str, sound: str) -> str:
    """Several points of one workload and target are weighed by their trials; where there is one, nobody counts."""
    there = f"{agree} AND trials.point = at.point"
    first = f"SELECT trials.id FROM trials WHERE {there} AND {sound} ORDER BY trials.corrected LIMIT 1"
    return f"""
        SELECT at.workload, at.target, workloads.text, targets.text, {versions}, at.point, at.first,
            (SELECT trials.corrected FROM trials WHERE trials.id = at.first),
            CASE WHEN min(at.point) OVER pair < max(at.point) OVER pair
                THEN (SELECT count(*) FROM trials WHERE {there}) ELSE 0 END
        FROM (SELECT at.*, ({first}) AS first FROM {of} AS at WHERE at.point IS NOT NULL) AS at
        JOIN workloads ON workloads.id = at.workload
        JOIN targets ON targets.id = at.target
        WINDOW pair AS (PARTITION BY at.workload, at.target)"""


_BY_WORKLOAD = "(SELECT id AS workload FROM workloads) AS at"
_PAIRS = "(SELECT * FROM pairs WHERE target IS NOT NULL) AS at"
_OF_VERSIONS = "(SELECT * FROM made WHERE versions IS NOT NULL) AS at"
_TABLES = ", ".join(
    (
        _each("pairs", _BY_WORKLOAD, "workload", "target", "target_id", "trials.workload_id = at.workload"),
        _each("made", _PAIRS, "workload, target", "versions", "versions_id", _SEARCHED),
        _each("points", _OF_VERSIONS, "workload, target, versions", "point", "point", _MADE),
        _each("bare", _PAIRS, "workload, target", "point", "point", _UNKNOWN),
    )
)
_AT_ONCE = 200  # things that one statement asks about
_HELD = ", ".join(f"'{ruling}'" for ruling in Ruling if not ruling.sets_aside)


@functools.cache
def _query(lacks: frozenset[str]) -> TextClause:
    """As for lookups a verdict goes before physics, of which SQL can say the most that has no workload in it."""
    most = physics.MOST_DRIFT
    may_be = f"trials.corrected >= {physics.LEAST_S} AND trials.drift BETWEEN {1 / most} AND {most}"
    sound = f"COALESCE({latest_ruling(TrialRow, lacks)} IN ({_HELD}), {may_be})"
    both = (_groups("points", "at.versions", _MADE, sound), _groups("bare", "NULL", _UNKNOWN, sound))
    return text(f"WITH RECURSIVE {_TABLES} {' UNION ALL '.join(both)}")


@dataclass(frozen=True, slots=True)
class Group:
    """The search trials of one workload on one target with one set of versions at one point."""

    workload_id: str
    target_id: str
    workload: str
    target: str
    versions_id: str | None
    point: str  # canonical JSON
    first: str  # the id of the fastest
    fastest: float  # seconds, corrected for drift
    trials: int  # 0 where the workload and target were searched at this point alone


def groups(connection: Connection, lacks: frozenset[str] = frozenset()) -> list[Group]:
    """Those that can be compared: a damaged row may hold anything, as SQLite's columns do. What is set aside is fastest
    nowhere; `lacks` are tables that an older database has not."""
    found = (Group(*row) for row in connection.execute(_query(lacks)) if _is_whole(row))
    return [sound for group in found if (sound := _sound(connection, group, lacks)) is not None]


def _sound(connection: Connection, group: Group, lacks: frozenset[str]) -> Group | None:
    try:
        doubt = physics.too_fast(
            Workload.parse(group.workload), _target(group.target), _read(group.point), group.fastest
        )
    except (AnytileError, ValueError, TypeError, AttributeError, RecursionError):  # a newer anytile's, or spoilt
        return group
    if not doubt:
        return group
    found = fastest(connection, group, 1, lacks)
    return replace(group, first=found[0].id, fastest=found[0].corrected) if found else None


_target = functools.lru_cache(1024)(Target.parse)


@functools.lru_cache(4096)
def _read(point: str) -> dict[str, int]:
    return dict(json.loads(point))


def _is_whole(row: Sequence[object]) -> bool:
    *ids, versions, point, first, least, _ = row
    has_texts = all(isinstance(value, str) for value in (*ids, point, first)) and isinstance(versions, str | None)
    return has_texts and isinstance(least, float) and 0 < least < math.inf


_OF = (
    TrialRow.workload_id == bindparam("workload"),
    TrialRow.target_id == bindparam("target"),
    TrialRow.status == Status.OK.value,
    TrialRow.kind == "search",
    TrialRow.point == bindparam("point"),
)
_FASTEST = queries.trial_query().where(*_OF).order_by(TrialRow.corrected).limit(bindparam("most"))
_COUNT = select(func.count()).select_from(TrialRow).where(*_OF)
_VERSION = {
    True: TrialRow.versions_id == bindparam("versions"),
    False: TrialRow.versions_id.is_(None),
}
_FASTEST_OF = {known: _FASTEST.where(test) for known, test in _VERSION.items()}
_COUNT_OF = {known: _COUNT.where(test) for known, test in _VERSION.items()}
_ALL = 2**62  # more rows than there are, and a number that databases take


def fastest(connection: Connection, group: Group, most: int, lacks: frozenset[str] = frozenset()) -> list[Trial]:
    """The first trials of a group that are not set aside, fastest first: fewer than `most` only where these are all."""
    query = queries.with_ruling(_FASTEST_OF[group.versions_id is not None], TrialRow, lacks)
    asked = most
    while True:
        there = connection.execute(query, _wanted(group) | {"most": min(asked, _ALL)}).all()
        found = list(queries.sound_trials(there))
        if len(found) >= most or len(there) < asked:
            return found[:most]
        asked *= 4


def firsts(connection: Connection, groups: Sequence[Group], lacks: frozenset[str] = frozenset()) -> dict[Group, Trial]:
    """The fastest trial of each group, read in one query but for those that turn out to be set aside."""
    ids = [group.first for group in groups]
    there = queries.sound_trials(queries.trials_judged(connection, ids, lacks))
    known = {trial.id: trial for trial in there}
    found = {group: known.get(group.first) for group in groups}
    for group, trial in found.items():
        if trial is None:
            found[group] = next(iter(fastest(connection, group, 1, lacks)), None)
    return {group: trial for group, trial in found.items() if trial is not None}


def count(connection: Connection, group: Group) -> int:
    return int(connection.execute(_COUNT_OF[group.versions_id is not None], _wanted(group)).scalar_one())


def counts(connection: Connection, groups: Sequence[Group]) -> dict[Group, int]:
    """How many trials each group has, in a question for many."""
    found = {group: count(connection, group) for group in groups if group.versions_id is None}
    known = [group for group in dict.fromkeys(groups) if group.versions_id is not None]
    asked = [(g.workload_id, g.target_id, str(g.versions_id), g.point) for g in known]
    numbers = _of_each(connection, asked, _counting)
    return found | {group: int(of[0][0]) for group, of in zip(known, numbers, strict=True)}


def points(connection: Connection, asked: Sequence[Made]) -> list[list[str]]:
    """At which points each of these was searched, in a question for many."""
    return [[point for (point,) in of] for of in _of_each(connection, asked, _pointing)]


def first_configs(connection: Connection, asked: Sequence[MadeAt], most: int) -> list[list[Tried]]:
    """What the `most` fastest trials of each of these tried, in a question for many."""
    return _of_each(connection, asked, _trying, most=most)


def _of_each(
    connection: Connection, asked: Sequence[tuple[str, ...]], query: Callable[[int], TextClause], **more: int
) -> list[list[Any]]:
    """The rows that a query, written for so many things, finds of each, without the place that they begin with."""
    found: list[list[Any]] = [[] for _ in asked]
    for start in range(0, len(asked), _AT_ONCE):
        some = asked[start : start + _AT_ONCE]
        values = {f"v{i}_{j}": value for i, of in enumerate(some) for j, value in enumerate(of)}
        for place, *row in connection.execute(query(len(some)), values | more):
            found[start + place].append(tuple(row))
    return found


def _asked(columns: str, many: int) -> str:
    """The table of what is asked about."""
    places = range(columns.count(",") + 1)
    values = ", ".join(f"({i}, {', '.join(f':v{i}_{j}' for j in places)})" for i in range(many))
    return f"asked(place, {columns}) AS (VALUES {values})"


@functools.lru_cache(64)
def _counting(many: int) -> TextClause:
    its = f"SELECT count(*) FROM trials WHERE {_MADE} AND trials.point = at.point"
    asked = _asked("workload, target, versions, point", many)
    return text(f"WITH {asked} SELECT at.place, ({its}) FROM asked AS at")


@functools.lru_cache(64)
def _pointing(many: int) -> TextClause:
    asked = _asked("workload, target, versions", many)
    each = _each("points", "asked AS at", "place, workload, target, versions", "point", "point", _MADE)
    return text(f"WITH RECURSIVE {asked}, {each} SELECT place, point FROM points WHERE point IS NOT NULL")


@functools.lru_cache(64)
def _trying(many: int) -> TextClause:
    """Each asks for few of very many: a window over them all would read them all."""
    its = f"""trials.workload_id = :v{{0}}_0 AND trials.target_id = :v{{0}}_1 AND trials.status = '{Status.OK.value}'
        AND trials.kind = 'search' AND trials.versions_id = :v{{0}}_2 AND trials.point = :v{{0}}_3"""
    first = f"SELECT {{0}} AS place, id, template, config FROM trials WHERE {its} ORDER BY corrected LIMIT :most"
    return text(" UNION ALL ".join(f"SELECT * FROM ({first.format(i)}) AS at{i}" for i in range(many)))


def _wanted(group: Group) -> dict[str, str | int]:
    known: dict[str, str | int] = {"workload": group.workload_id, "target": group.target_id, "point": group.point}
    return known if group.versions_id is None else known | {"versions": group.versions_id}
