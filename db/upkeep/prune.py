"""Pruning (retention) of a tuning database: which trials, plans, verdicts and leases nobody needs any more, and why
others stay.

Nothing goes that a lookup answers with, that a campaign needs to go on, or that is young. What is asked for first is
only counted. Rows that stand for a text stay, and so do campaigns: they say what was done.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from sqlalchemy import Connection, delete, func, literal_column, select

from anytile.core.errors import SpecError
from anytile.db.lookup.evidence import PLANS_TRIED
from anytile.db.records.leases import LIVE
from anytile.db.records.records import Campaign, Status
from anytile.db.sql.models import Base, CampaignRow, LeaseRow, SelectionRow, TrialRow, VerdictRow
from anytile.db.sql.queries import latest_ruling
from anytile.db.store import Store

DAYS = 90.0  # younger than that nothing goes
FASTEST = 16  # search trials that stay for each workload, target, template, size and set of versions
Judged: TypeAlias = tuple[str, bool, str]  # an id, whether it stays, and why
_DAY_S = 86400.0
_BATCH = 500  # rows of one transaction: nobody waits long for the lock


@dataclass(frozen=True, slots=True)
class Share:
    """So many rows of one kind, which stay or go for one reason."""

    what: str
    count: int
    stays: bool
    because: str


@dataclass(frozen=True, slots=True)
class Pruning:
    """What pruning comes to; `goes` are the ids, by table."""

    shares: tuple[Share, ...]
    goes: dict[type[Base], tuple[str, ...]]

    @property
    def count(self) -> int:
        return sum(map(len, self.goes.values()))


def plan_pruning(store: Store, now: float, days: float = DAYS, fastest: int = FASTEST) -> Pruning:
    """What would stay and what would go, by the clock `now`. Nothing is changed."""
    if not 0 <= days < math.inf:  # nothing would be younger than NaN days
        raise SpecError(f"--days {days:g}: expected a number of days")
    before = now - days * _DAY_S
    needed = frozenset(_learnt_from(store.campaigns()))

    def judged(connection: Connection) -> tuple[Counter[tuple[str, bool, str]], dict[type[Base], list[str]]]:
        with_verdicts = VerdictRow.__tablename__ not in store.lacks
        serving, plans = _plans(connection, before, days)
        tables: dict[type[Base], tuple[str, Iterable[Judged]]] = {
            SelectionRow: ("plan", plans),
            TrialRow: ("trial", _trials(connection, before, days, fastest, needed, serving, store.lacks)),
            VerdictRow: ("verdict", _verdicts(connection) if with_verdicts else ()),
            LeaseRow: ("lease", _leases(connection) if LeaseRow.__tablename__ not in store.lacks else ()),
        }
        counted: Counter[tuple[str, bool, str]] = Counter()
        goes: dict[type[Base], list[str]] = {}
        for table, (what, rows) in tables.items():
            for id_, stays, because in rows:
                counted[what, stays, because] += 1
                if not stays:
                    goes.setdefault(table, []).append(id_)
        return counted, goes

    counted, goes = store.read(judged)
    shares = tuple(
        Share(what, count, stays, because)
        for (what, stays, because), count in sorted(
            counted.items(), key=lambda item: (item[0][0], not item[0][1], -item[1])
        )
    )
    return Pruning(shares, {table: tuple(ids) for table, ids in goes.items()})


def prune(store: Store, pruning: Pruning) -> None:
    """Delete what goes, a few rows at a time. Broken off, it may simply be done again."""
    for table, ids in pruning.goes.items():
        key: Any = table.__table__.c.id
        for start in range(0, len(ids), _BATCH):
            some = ids[start : start + _BATCH]
            store.write(lambda c, table=table, key=key, some=some: c.execute(delete(table).where(key.in_(some))))  # type: ignore[misc]


def _learnt_from(campaigns: list[Campaign]) -> Iterator[str]:
    """The campaigns that one which is not over learns from: it checks that their trials are all there."""
    for campaign in campaigns:
        warm = campaign.options.get("warm")
        if campaign.state != "finished" and isinstance(warm, list):
            yield from (str(source["campaign"]) for source in warm if isinstance(source, dict) and "campaign" in source)


def _plans(connection: Connection, before: float, days: float) -> tuple[set[str], list[Judged]]:
    """The campaigns whose plans serve, and for every plan whether it stays. A lookup passes plans over for reasons that
    are not in the rows alone, so all that it would come to stay."""
    place = func.row_number().over(
        partition_by=(SelectionRow.workload_id, SelectionRow.target_id, SelectionRow.versions_id),
        order_by=(SelectionRow.created.desc(), SelectionRow.id),
    )
    serving: set[str] = set()
    found = []
    for id_, campaign, created, nth in connection.execute(
        select(SelectionRow.id, SelectionRow.campaign_id, SelectionRow.created, place)
    ):
        if nth <= PLANS_TRIED:
            serving.add(campaign or "")
            found.append((id_, True, "serves" if nth == 1 else "serves where newer ones are passed over"))
        elif created > before:
            found.append((id_, True, f"is younger than {days:g} days"))
        else:
            found.append((id_, False, f"{PLANS_TRIED} newer ones serve"))
    return serving - {""}, found


def _trials(
    connection: Connection,
    before: float,
    days: float,
    fastest: int,
    needed: frozenset[str],
    serving: set[str],
    lacks: frozenset[str],
) -> Iterator[Judged]:
    place = func.row_number().over(
        partition_by=(
            TrialRow.workload_id, TrialRow.target_id, TrialRow.versions_id, TrialRow.template, TrialRow.point,
            TrialRow.kind, TrialRow.status, literal_column(latest_ruling(TrialRow, lacks)),  # so that sound ones stay
        ),
        order_by=(TrialRow.corrected, TrialRow.id),
    )  # fmt: skip
    query = select(
        TrialRow.id, TrialRow.campaign_id, CampaignRow.state, TrialRow.kind, TrialRow.status, TrialRow.created, place
    ).outerjoin(CampaignRow, CampaignRow.id == TrialRow.campaign_id)
    for id_, campaign, state, kind, status, created, nth in connection.execute(query):
        ok = status == Status.OK.value
        if state not in (None, "finished"):
            yield id_, True, "its campaign is not finished"
        elif campaign in needed:
            yield id_, True, "a campaign that is not finished learns from it"
        elif created > before:
            yield id_, True, f"is younger than {days:g} days"
        elif ok and kind == "search" and nth <= fastest:
            yield id_, True, f"is among the {fastest} fastest"
        elif ok and kind != "search" and campaign in serving:
            yield id_, True, "a plan that serves rests on it"
        else:
            yield id_, False, f"is slower than the {fastest} fastest, or older plans rested on it" if ok else "failed"


def _leases(connection: Connection) -> Iterator[Judged]:
    query = select(LeaseRow.id, LeaseRow.state, CampaignRow.state).join(
        CampaignRow, CampaignRow.id == LeaseRow.campaign_id
    )
    for id_, state, campaign in connection.execute(query):
        if campaign == "finished":
            yield id_, False, "its campaign is finished"
        elif state in LIVE:
            yield id_, True, "its campaign is not finished"
        else:
            yield id_, False, "was given back or lost"


def _verdicts(connection: Connection) -> Iterator[Judged]:
    place = func.row_number().over(partition_by=VerdictRow.about, order_by=(VerdictRow.created.desc(), VerdictRow.id))
    for id_, nth in connection.execute(select(VerdictRow.id, place)):
        yield (id_, True, "is the latest of its record") if nth == 1 else (id_, False, "a newer one counts")
