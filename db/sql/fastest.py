"""Skip scan for the fastest trials: the best time of each workload, target, versions and point, by probes of one index.

Grouping a million trials would read a million entries. Here each different value of a column of `ix_trials_fastest` is
found from the one before it, so that the cost goes with the number of groups, and hardly with that of trials.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, func, select, text

from anytile.db.records.records import Status, Trial, Versions
from anytile.db.sql import queries, rows
from anytile.db.sql.models import TrialRow, VersionsRow

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


def _groups(of: str, versions: str, agree: str) -> str:
    """Several points of one workload and target are weighed by their trials; where there is one, nobody counts."""
    there = f"{agree} AND trials.point = at.point"
    return f"""
        SELECT at.workload, at.target, workloads.text, targets.text, {versions}, at.point,
            (SELECT min(trials.corrected) FROM trials WHERE {there}),
            CASE WHEN min(at.point) OVER pair < max(at.point) OVER pair
                THEN (SELECT count(*) FROM trials WHERE {there}) ELSE 0 END
        FROM {of} AS at
        JOIN workloads ON workloads.id = at.workload
        JOIN targets ON targets.id = at.target
        WHERE at.point IS NOT NULL
        WINDOW pair AS (PARTITION BY at.workload, at.target)"""


_BY_WORKLOAD = "(SELECT id AS workload FROM workloads) AS at"
_PAIRS = "(SELECT * FROM pairs WHERE target IS NOT NULL) AS at"
_OF_VERSIONS = "(SELECT * FROM made WHERE versions IS NOT NULL) AS at"
_GROUPS = text(
    "WITH RECURSIVE "
    + ", ".join(
        (
            _each("pairs", _BY_WORKLOAD, "workload", "target", "target_id", "trials.workload_id = at.workload"),
            _each("made", _PAIRS, "workload, target", "versions", "versions_id", _SEARCHED),
            _each("points", _OF_VERSIONS, "workload, target, versions", "point", "point", _MADE),
            _each("bare", _PAIRS, "workload, target", "point", "point", _UNKNOWN),
        )
    )
    + _groups("points", "at.versions", _MADE)
    + " UNION ALL "
    + _groups("bare", "NULL", _UNKNOWN)
)


@dataclass(frozen=True, slots=True)
class Group:
    """The search trials of one workload on one target with one set of versions at one point."""

    workload_id: str
    target_id: str
    workload: str
    target: str
    versions_id: str | None
    point: str  # canonical JSON
    fastest: float  # seconds, corrected for drift
    trials: int  # 0 where the workload and target were searched at this point alone


def groups(connection: Connection) -> list[Group]:
    """Those that can be compared: a damaged row may hold anything, as SQLite's columns do."""
    return [Group(*row) for row in connection.execute(_GROUPS) if _is_whole(row)]


def _is_whole(row: Sequence[object]) -> bool:
    *ids, versions, point, least, _ = row
    has_texts = all(isinstance(value, str) for value in (*ids, point)) and isinstance(versions, str | None)
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


def fastest(connection: Connection, group: Group, most: int) -> list[Trial]:
    """The first trials of a group, fastest first."""
    found = connection.execute(_FASTEST_OF[group.versions_id is not None], _wanted(group) | {"most": most})
    return list(queries.readable(found, rows.read_trial))


def count(connection: Connection, group: Group) -> int:
    return int(connection.execute(_COUNT_OF[group.versions_id is not None], _wanted(group)).scalar_one())


def _wanted(group: Group) -> dict[str, str | int]:
    known: dict[str, str | int] = {"workload": group.workload_id, "target": group.target_id, "point": group.point}
    return known if group.versions_id is None else known | {"versions": group.versions_id}


_MADE_WITH = select(VersionsRow.id, *rows.VERSIONS)


def made_with(connection: Connection) -> dict[str, Versions]:
    """Sets of versions by their ids."""
    found = queries.readable(connection.execute(_MADE_WITH), lambda row: (row[0], rows.read_versions(*row[1:])))
    return {id_: versions for id_, versions in found if versions is not None}
