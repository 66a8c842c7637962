"""SELECT queries of the tuning database, as functions of an open connection. Reading only.

A shared database may hold operators, targets or statuses that a newer anytile brought. Lists leave such records out and
`unreadable` names them, so one colleague's upgrade never stops the others; asking for one of them by name says so.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar, cast

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    bindparam,
    func,
    literal_column,
    null,
    select,
    true,
    tuple_,
)

from anytile.core.errors import SpecError
from anytile.db.records import physics
from anytile.db.records.codecs import CAMPAIGN_STATE, RULING
from anytile.db.records.records import (
    RUNNING,
    Campaign,
    Miss,
    Ruling,
    Selection,
    Stats,
    Status,
    StoredModel,
    Trial,
    Versions,
)
from anytile.db.sql import rows
from anytile.db.sql.models import (
    Base,
    CampaignRow,
    CampaignWorkloadRow,
    DeviceRow,
    MissRow,
    ModelRow,
    SelectionRow,
    TargetRow,
    TrialRow,
    VerdictRow,
    VersionsRow,
    WorkloadRow,
    columns,
)
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import TARGET, WORKLOAD
from anytile.schedules.workloads.workload import Workload

Query: TypeAlias = "Select[*tuple[Any, ...]]"
R = TypeVar("R")
S = TypeVar("S")
_TRIAL, _SELECTION, _WORKLOAD, _TARGET = map(columns, (TrialRow, SelectionRow, WorkloadRow, TargetRow))
_AT_ONCE = 500  # rows asked for by name in one statement
_FEW = 4  # of several selections one of the newest serves
_DEVICE, _MADE_WITH, _MODEL, _VERDICT = map(columns, (DeviceRow, VersionsRow, ModelRow, VerdictRow))


def readable(found: Iterable[R], read: Callable[[R], S]) -> Iterator[S]:
    """The records this version understands."""
    for row in found:
        try:
            yield read(row)
        # no such status, no JSON or one without end, a number for a text
        except (SpecError, ValueError, TypeError, AttributeError, RecursionError):
            continue


def asked(connection: Connection, question: str, **values: str) -> Sequence[Sequence[Any]]:
    """The rows that a question with `:names` finds, asked as the driver takes it: what SQLAlchemy makes of a text first
    takes as long as the answer."""
    names = question if connection.dialect.name == "sqlite" else _names_of_psycopg(question)
    return connection.exec_driver_sql(names, values).all()


@functools.lru_cache(64)
def _names_of_psycopg(question: str) -> str:
    return re.sub(r":(\w+)", r"%(\1)s", question)


_MADE_WITH_ANY = f"SELECT tool_versions.id, {', '.join(map(str, rows.VERSIONS))} FROM tool_versions"


def made_with(connection: Connection) -> dict[str, Versions]:
    """Sets of versions by their ids."""
    found = readable(asked(connection, _MADE_WITH_ANY), lambda row: (row[0], rows.read_versions(*row[1:])))
    return {id_: versions for id_, versions in found if versions is not None}


def trial_query() -> Query:
    return (
        select(*rows.TRIALS.columns)
        .select_from(TrialRow.__table__)
        .join(WorkloadRow.__table__, _WORKLOAD.id == _TRIAL.workload_id)
        .join(TargetRow.__table__, _TARGET.id == _TRIAL.target_id)
        .outerjoin(DeviceRow.__table__, _DEVICE.id == _TRIAL.device_id)
        .outerjoin(VersionsRow.__table__, _MADE_WITH.id == _TRIAL.versions_id)
    )


def trials_where(
    campaign_id: str | None,
    workload: Workload | None,
    target: Target | None,
    status: Status | None,
    kind: str | None,
    limit: int | None,
    since: int | None = None,
) -> Query:
    """Trials in the order they were made."""
    wanted = (
        (_TRIAL.campaign_id, campaign_id),
        (_TRIAL.workload_id, None if workload is None else rows.workload_id(workload)),
        (_TRIAL.target_id, None if target is None else rows.target_id(target)),
        (_TRIAL.status, None if status is None else status.value),
        (_TRIAL.kind, kind),
    )
    query = trial_query().where(*(column == value for column, value in wanted if value is not None))
    if since is not None:
        query = query.where(_TRIAL.seed_order >= since)
    return query.order_by(_TRIAL.created, _TRIAL.seed_order, _TRIAL.id).limit(limit)


def latest_ruling(of: type[Base], lacks: Collection[str] = ()) -> str:
    """What the newest verdict says of each row of trials or selections, as a column; `lacks` are tables that an older
    database has not. Together with `physics` it is what sets records aside, for lookups as for all others."""
    if VerdictRow.__tablename__ in lacks:
        return "NULL"
    table = of.__tablename__
    return f"""(SELECT verdicts.ruling FROM verdicts WHERE verdicts.workload_id = {table}.workload_id
        AND verdicts.target_id = {table}.target_id AND verdicts.about = {table}.id
        ORDER BY verdicts.created DESC, verdicts.id LIMIT 1)"""


def with_ruling(query: Query, of: type[Base], lacks: Collection[str] = ()) -> Query:
    """With two more columns, which `sound_trials` and `sound_selections` judge by."""
    ranked = _TRIAL.corrected if of is TrialRow else null()
    return query.add_columns(ranked, literal_column(latest_ruling(of, lacks)))


def sound_trials(found: Iterable[Row[Any]]) -> Iterator[Trial]:
    """Those that lookups would not pass over. A verdict goes before physics."""
    for trial, (ranked, ruled) in readable(found, lambda row: (rows.read_trial(row[:-2]), tuple(row[-2:]))):
        ruling = _ruling(ruled)
        if ruling.sets_aside if ruling is not None else physics.contradiction(trial, ranked):
            continue
        yield trial


def sound_selections(found: Iterable[Row[Any]]) -> Iterator[Selection]:
    """Those that no verdict sets aside."""
    for selection, (_, ruled) in readable(found, lambda row: (rows.SELECTIONS.read(row[:-2]), tuple(row[-2:]))):
        ruling = _ruling(ruled)
        if ruling is None or not ruling.sets_aside:
            yield selection


def _ruling(text: object) -> Ruling | None:
    """None where there is no verdict, or a newer anytile's."""
    return None if text is None else next(readable([text], RULING.load), None)


def trials_after(connection: Connection, after: str, count: int) -> Sequence[Row[Any]]:
    """The next rows by id."""
    return connection.execute(trial_query().where(_TRIAL.id > after).order_by(_TRIAL.id).limit(count)).all()


def trial_ids_after(connection: Connection, after: str, count: int) -> Sequence[str]:
    return connection.scalars(select(_TRIAL.id).where(_TRIAL.id > after).order_by(_TRIAL.id).limit(count)).all()


def trials_of(connection: Connection, ids: Sequence[str]) -> Sequence[Row[Any]]:
    return connection.execute(trial_query().where(_TRIAL.id.in_(ids)).order_by(_TRIAL.id)).all()


def trials_judged(connection: Connection, ids: Sequence[str], lacks: Collection[str] = ()) -> Iterator[Row[Any]]:
    """Those of the ids, as `sound_trials` wants them."""
    for start in range(0, len(ids), _AT_ONCE):
        query = trial_query().where(_TRIAL.id.in_(ids[start : start + _AT_ONCE]))
        yield from connection.execute(with_ruling(query, TrialRow, lacks))


def held_trials(connection: Connection, ids: Sequence[str]) -> frozenset[str]:
    """Those of the ids that are there."""
    return frozenset(connection.scalars(select(_TRIAL.id).where(_TRIAL.id.in_(ids))))


def selections_where(
    workload: Workload | None = None, target: Target | None = None, campaign_id: str | None = None
) -> Query:
    """Selections, newest first."""
    query = (
        select(*rows.SELECTIONS.columns)
        .select_from(SelectionRow.__table__)
        .join(WorkloadRow.__table__, _WORKLOAD.id == _SELECTION.workload_id)
        .join(TargetRow.__table__, _TARGET.id == _SELECTION.target_id)
        .join(VersionsRow.__table__, _MADE_WITH.id == _SELECTION.versions_id)
        .outerjoin(DeviceRow.__table__, _DEVICE.id == _SELECTION.device_id)
        .order_by(_SELECTION.created.desc(), _SELECTION.id)
    )
    if workload is not None:
        query = query.where(_SELECTION.workload_id == rows.workload_id(workload))
    if target is not None:
        query = query.where(_SELECTION.target_id == rows.target_id(target))
    if campaign_id is not None:
        query = query.where(_SELECTION.campaign_id == campaign_id)
    return query


def newest_selections(
    connection: Connection, pairs: Sequence[tuple[Workload, Target]], lacks: Collection[str] = ()
) -> list[Selection]:
    """Of each workload and target the newest that no verdict sets aside; `_FEW` of them at most."""
    found: list[Selection] = []
    for query in _newest(pairs, _FEW):
        found += sound_selections(connection.execute(with_ruling(query, SelectionRow, lacks)))
    return found


def newest_made_with(
    connection: Connection, pairs: Sequence[tuple[Workload, Target]], versions: Collection[str], few: int
) -> list[Selection]:
    """Of each workload and target the `few` newest that were made with any of these versions, newest first."""
    made = _SELECTION.versions_id.in_(versions)
    return [s for query in _newest(pairs, few, made) for s in readable(connection.execute(query), rows.SELECTIONS.read)]


def _newest(pairs: Sequence[tuple[Workload, Target]], few: int, made: ColumnElement[bool] | None = None) -> list[Query]:
    keys = [(rows.workload_id(workload), rows.target_id(target)) for workload, target in pairs]
    newest = (_SELECTION.created.desc(), _SELECTION.id)
    place = func.row_number().over(partition_by=(_SELECTION.workload_id, _SELECTION.target_id), order_by=newest)
    found: list[Query] = []
    for start in range(0, len(keys), _AT_ONCE):
        asked = tuple_(_SELECTION.workload_id, _SELECTION.target_id).in_(keys[start : start + _AT_ONCE])
        ranked = select(_SELECTION.id, place.label("place")).where(asked, true() if made is None else made).subquery()
        found.append(selections_where().join(ranked, ranked.c.id == _SELECTION.id).where(ranked.c.place <= few))
    return found


def verdicts_where(workload: Workload | None, target: Target | None) -> Query:
    """Verdicts, newest first."""
    query = (
        select(*rows.VERDICTS.columns)
        .select_from(VerdictRow.__table__)
        .join(WorkloadRow.__table__, _WORKLOAD.id == _VERDICT.workload_id)
        .join(TargetRow.__table__, _TARGET.id == _VERDICT.target_id)
        .outerjoin(DeviceRow.__table__, _DEVICE.id == _VERDICT.device_id)
        .outerjoin(VersionsRow.__table__, _MADE_WITH.id == _VERDICT.versions_id)
        .order_by(_VERDICT.created.desc(), _VERDICT.id)
    )
    if workload is not None:
        query = query.where(_VERDICT.workload_id == rows.workload_id(workload))
    if target is not None:
        query = query.where(_VERDICT.target_id == rows.target_id(target))
    return query


def campaigns(connection: Connection, prefix: str = "", newest: int | None = None) -> list[Campaign]:
    """The campaigns whose id begins with `prefix`, oldest first; an unreadable one is an error only if it was named.

    Of many the `newest` so many, and those that are running.
    """
    latest = select(CampaignRow.id).order_by(CampaignRow.created.desc(), CampaignRow.id).limit(newest).subquery()

    def asked_for(column: Any) -> ColumnElement[bool]:
        if newest is None:
            return cast("ColumnElement[bool]", column.like(f"{prefix}%"))
        running = select(CampaignRow.id).where(CampaignRow.state == RUNNING)
        return cast("ColumnElement[bool]", column.in_(select(latest.c.id)) | column.in_(running))

    wanted = (
        select(*rows.CAMPAIGNS.columns)
        .select_from(CampaignRow)
        .join(TargetRow, TargetRow.id == CampaignRow.target_id)
        .where(asked_for(CampaignRow.id))
        .order_by(CampaignRow.created, CampaignRow.id)
    )
    links = (
        select(CampaignWorkloadRow.campaign_id, WorkloadRow.text)
        .join(WorkloadRow, WorkloadRow.id == CampaignWorkloadRow.workload_id)
        .where(asked_for(CampaignWorkloadRow.campaign_id))
        .order_by(CampaignWorkloadRow.campaign_id, CampaignWorkloadRow.position)
    )
    workloads: dict[str, list[str]] = {}
    for campaign_id, text in connection.execute(links):
        workloads.setdefault(campaign_id, []).append(text)
    found = connection.execute(wanted).all()

    def read(row: Row[Any]) -> Campaign:
        return rows.CAMPAIGNS.read(row, workloads=tuple(map(WORKLOAD.load, workloads.get(row.id, ()))))

    return [read(row) for row in found] if prefix else list(readable(found, read))


# Few workloads times few targets, each an index probe: the trials themselves are not read.
_PAIR = (WorkloadRow.__table__, TargetRow.__table__)


def _known(selected: ColumnElement[bool], tried: ColumnElement[bool]) -> Query:
    """Pairs of which there is such a selection or such a trial."""
    searched = (_TRIAL.status == Status.OK.value, _TRIAL.kind == "search")
    there = select(_SELECTION.id).where(
        _SELECTION.workload_id == _WORKLOAD.id, _SELECTION.target_id == _TARGET.id, selected
    )
    measured = select(_TRIAL.id).where(
        _TRIAL.workload_id == _WORKLOAD.id, _TRIAL.target_id == _TARGET.id, *searched, tried
    )
    either = there.correlate(*_PAIR).exists() | measured.correlate(*_PAIR).exists()
    return (
        select(_WORKLOAD.text, _TARGET.text)
        .select_from(WorkloadRow.__table__)
        .join(TargetRow.__table__, either)
        .where(_WORKLOAD.op == bindparam("op"))
    )


_KNOWN = _known(true(), true())


def known_pairs(connection: Connection, op: str) -> list[tuple[Workload, Target]]:
    """Every workload of this operator and target of which there is a selection or an `ok` search trial."""
    read = readable(connection.execute(_KNOWN, {"op": op}), _read_pair)
    return sorted(read, key=lambda pair: (str(pair[0]), str(pair[1])))


def _read_pair(row: Sequence[Any]) -> tuple[Workload, Target]:
    return WORKLOAD.load(row[0]), TARGET.load(row[1])


_KNOWN_OF = _known(
    _SELECTION.versions_id.in_(bindparam("versions", expanding=True)),
    _TRIAL.versions_id.in_(bindparam("versions", expanding=True)),
)


def pairs_of(connection: Connection, op: str, versions: Collection[str]) -> frozenset[tuple[Workload, Target]]:
    """Those of `known_pairs` of which something was made with any of these versions."""
    found = connection.execute(_KNOWN_OF, {"op": op, "versions": list(versions)}) if versions else ()
    return frozenset(readable(found, _read_pair))


def targets(connection: Connection) -> list[Target]:
    return list(readable(connection.scalars(select(TargetRow.text).order_by(TargetRow.text)), TARGET.load))


def misses(connection: Connection) -> list[Miss]:
    """Most wanted first."""
    query = (
        select(*rows.MISSES.columns)
        .select_from(MissRow)
        .join(WorkloadRow, WorkloadRow.id == MissRow.workload_id)
        .join(TargetRow, TargetRow.id == MissRow.target_id)
        .order_by(MissRow.count.desc(), MissRow.last.desc(), MissRow.id)
    )
    return list(readable(connection.execute(query), rows.MISSES.read))


def model_id(connection: Connection, kind: str) -> str | None:
    return connection.scalars(select(_MODEL.id).where(_MODEL.kind == kind)).first()


def model(connection: Connection, kind: str) -> StoredModel | None:
    query = select(_MODEL.kind, _MODEL.document, _MODEL.created, _MODEL.id).where(_MODEL.kind == kind)
    found = connection.execute(query).first()
    return None if found is None else StoredModel(*found)


def last_trial(connection: Connection, campaign_id: str) -> float | None:
    """When the last trial of a campaign was measured; one probe of `ix_trials_replay`."""
    query = select(TrialRow.created).where(TrialRow.campaign_id == campaign_id).order_by(TrialRow.seed_order.desc())
    return connection.execute(query.limit(1)).scalar()


def counts(connection: Connection, campaigns: Collection[str] | None = None) -> dict[str, dict[Status, int]]:
    query = select(TrialRow.campaign_id, TrialRow.status, func.count()).group_by(TrialRow.campaign_id, TrialRow.status)
    if campaigns is not None:
        query = query.where(TrialRow.campaign_id.in_(campaigns))
    counted: dict[str, dict[Status, int]] = {}
    for campaign_id, status, count in connection.execute(query):
        if status in _STATUSES:
            counted.setdefault(campaign_id or "", {})[Status(status)] = count
    return counted


_STATUSES = frozenset(s.value for s in Status)


def stats(connection: Connection, name: str, size: int | None, revision: str, lacks: Collection[str] = ()) -> Stats:
    def count(table: type[Base]) -> int:
        return (
            0
            if table.__tablename__ in lacks
            else connection.execute(select(func.count()).select_from(table)).scalar_one()
        )

    def by(column: Any) -> Mapping[str, int]:
        return {str(k): n for k, n in connection.execute(select(column, func.count()).group_by(column))}

    return Stats(
        name=name,
        revision=revision,
        bytes=size,
        workloads=count(WorkloadRow),
        targets=count(TargetRow),
        devices=count(DeviceRow),
        campaigns=count(CampaignRow),
        trials=count(TrialRow),
        selections=count(SelectionRow),
        verdicts=count(VerdictRow),
        misses=count(MissRow),
        statuses={Status(s): n for s, n in by(TrialRow.status).items() if s in _STATUSES},
        kinds=by(TrialRow.kind),
        unreadable=unreadable(connection),
    )


def unreadable(connection: Connection) -> tuple[str, ...]:
    """Workloads, targets, statuses and states that this version does not know."""
    parsed: tuple[tuple[Select[str], Callable[[str], object]], ...] = (
        (select(CampaignRow.state).distinct(), CAMPAIGN_STATE.load),
        (select(WorkloadRow.text), WORKLOAD.load),
        (select(TargetRow.text), TARGET.load),
        (select(TrialRow.status).distinct(), Status),
    )
    return tuple(
        text for query, parse in parsed for text in connection.scalars(query) if not list(readable([text], parse))
    )
