"""Leases of a campaign's work: which process is at it, which batch each has in hand, and who makes its end.

A process that has a lease renews it by counting its `beat` up. Whether another one still lives is judged by whoever
wants its work: by what he sees of that count with a clock of his own that nobody sets. So no clocks are compared, and
one that jumps changes nothing. Every change of who has what holds the campaign's row, so that of two who ask for the
same the second finds it taken. So does the storing of trials: no two of a campaign have one number, though a process
that cannot ask, or that others held for dead, numbers what it measures by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, bindparam, func, insert, select, text, update

from anytile.db.records.leases import (
    LEFT,
    LIVE,
    LOST,
    SEARCH,
    SETTLE,
    Batch,
    Grant,
    Lease,
    Standing,
    batch_json,
    read_batch,
)
from anytile.db.records.records import WORKERS, Trial, new_id
from anytile.db.sql.models import CampaignRow, LeaseRow, TrialRow

if TYPE_CHECKING:
    from anytile.db.store import Store


# Asked for whatever is measured, so they are made once.
_LOCKED = select(CampaignRow.state).where(CampaignRow.id == bindparam("campaign")).with_for_update()
_STORED = text("""
    SELECT NULL, max(seed_order) FROM trials WHERE campaign_id = :campaign
    UNION ALL SELECT id, seed_order FROM trials WHERE id IN :ids
""").bindparams(bindparam("ids", expanding=True))


class Leases:
    """The leases of one campaign in its database. `dead` are others' (lease, beat) of which no more is to come."""

    def __init__(self, store: Store, campaign_id: str) -> None:
        self._store, self._campaign = store, campaign_id

    def enter(self, worker: str, process: Mapping[str, Any]) -> Lease:
        """A lease of one's own, with nothing in hand yet."""
        lease = Lease(new_id(), worker, dict(process), SEARCH, None, 0)
        row: dict[str, Any] = {"id": lease.id, "campaign_id": self._campaign, "worker": worker}
        row |= {"process": dict(process), "state": SEARCH, "batch": {}, "beat": 0}
        self._store.write(lambda c: c.execute(insert(LeaseRow).values(**row)))
        return lease

    def live(self) -> list[Lease]:
        """All that nobody has given back or declared dead."""
        return self._store.read(self._live)

    def beat(self, mine: str) -> tuple[str, list[Lease]]:
        """Renew it. What state it is in, and all that live."""

        def work(connection: Connection) -> tuple[str, list[Lease]]:
            wanted = update(LeaseRow).where(LeaseRow.id == mine, LeaseRow.state.in_(LIVE))
            connection.execute(wanted.values(beat=LeaseRow.beat + 1))
            state = connection.execute(select(LeaseRow.state).where(LeaseRow.id == mine)).scalar()
            return str(state or LOST), self._live(connection)

        return self._store.write(work)

    def claim(
        self, mine: str, wish: Batch, following: int, dead: Collection[tuple[str, int]], most: int | None = None
    ) -> Grant | None:
        """Those of a wished batch that nobody has in hand or measured, the first ones where the campaign is to have
        `most` trials at most; None once somebody makes the end.

        They are numbered behind all there are, from `following` on at the earliest. What was in hand before is given
        back, and a lease that somebody declared lost is good again.
        """

        def work(connection: Connection) -> Grant | None:
            state = self._locked(connection)
            self._bury(connection, dead)
            others = [one for one in self._live(connection) if one.id != mine]
            if state == "finished" or any(one.state == SETTLE for one in others):
                self._hold(connection, mine, SEARCH, None)
                return None
            taken = {id_ for one in others if one.batch is not None for id_ in one.batch.ids}
            known = select(TrialRow.id).where(TrialRow.id.in_(taken.union(wish.ids)))
            stored, trials = set(connection.scalars(known)), self._count(connection)
            free = [id_ for id_ in wish.ids if id_ not in taken | stored]
            if most is not None:
                free = free[: max(0, most - trials - len(taken - stored))]
            batch = wish.only(free, max(following, self._following(connection, others)))
            self._hold(connection, mine, SEARCH, batch)
            return Grant(batch, trials)

        return self._store.write(work)

    def settle(self, mine: str, dead: Collection[tuple[str, int]]) -> Standing:
        """Make the campaign's end, if nobody else does and nobody has anything in hand. One's own batch is given back.

        Where somebody died with a batch in hand, his work is free again, and the end has to wait for it.
        """

        def work(connection: Connection) -> Standing:
            state = self._locked(connection)
            freed = self._bury(connection, dead)
            others = tuple(one for one in self._live(connection) if one.id != mine)
            trials = self._count(connection)
            if state == "finished":
                self._hold(connection, mine, SEARCH, None)
                return Standing(False, True, trials, others)
            busy = freed or any(one.state == SETTLE or one.batch is not None for one in others)
            self._hold(connection, mine, SEARCH if busy else SETTLE, None)
            return Standing(not busy, False, trials, others)

        return self._store.write(work)

    def leave(self, mine: str) -> list[Lease]:
        """Give it back. Who remains."""

        def work(connection: Connection) -> list[Lease]:
            self._locked(connection)
            connection.execute(update(LeaseRow).where(LeaseRow.id == mine).values(state=LEFT, batch={}))
            return self._live(connection)

        return self._store.write(work)

    def bury(self, dead: Collection[tuple[str, int]]) -> None:
        """Declare leases lost, unless they were renewed meanwhile."""

        def work(connection: Connection) -> None:
            self._locked(connection)
            self._bury(connection, dead)

        self._store.write(work)

    def number_of(self, worker: str) -> int:
        """The number, from 1 on, by which trials name who measured them; a new name is added to the campaign's list."""

        def work(connection: Connection) -> int:
            self._locked(connection)
            mine = CampaignRow.id == self._campaign
            options = dict(connection.execute(select(CampaignRow.options).where(mine)).scalar_one() or {})
            names = [str(name) for name in options.get(WORKERS, ())]
            if worker not in names:
                names.append(worker)
                connection.execute(update(CampaignRow).where(mine).values(options={**options, WORKERS: names}))
            return names.index(worker) + 1

        return self._store.write(work)

    def numbers(self, connection: Connection, new: Sequence[Trial]) -> dict[str, int]:
        """The numbers of trials that are about to be stored, by id: each its own, unless another trial has that; then
        one behind all that are stored or in hand. What is stored already keeps the number that it has."""
        self._locked(connection)
        wished = [trial.seed_order for trial in new]
        asked = {"campaign": self._campaign, "ids": [trial.id for trial in new]}
        (_, highest), *known = connection.execute(_STORED, asked).all()
        there: dict[str, int] = dict(known)
        taken: set[int] = set()
        if highest is not None and min(wished) <= highest:  # who numbers by what he was given is behind all others
            its = (TrialRow.campaign_id == self._campaign, TrialRow.seed_order.in_(wished))
            taken = set(connection.scalars(select(TrialRow.seed_order).where(*its)))
        following: int | None = None
        for trial in new:
            number = trial.seed_order
            if trial.id in there:
                continue
            if number in taken:
                if following is None:
                    following = max(self._following(connection, self._live(connection)), max(wished) + 1)
                number, following = following, following + 1
            taken.add(number)
            there[trial.id] = number
        return there

    def _locked(self, connection: Connection) -> str | None:
        """The campaign's state; until the transaction ends nobody else changes who has what of it."""
        return connection.execute(_LOCKED, {"campaign": self._campaign}).scalar()

    def _following(self, connection: Connection, holding: Collection[Lease]) -> int:
        """The number behind all trials that are stored, or that these have in hand."""
        highest = select(func.max(TrialRow.seed_order)).where(TrialRow.campaign_id == self._campaign)
        latest = connection.execute(highest).scalar()
        in_hand = (one.batch.first + len(one.batch.ids) for one in holding if one.batch is not None)
        return max(0 if latest is None else int(latest) + 1, *in_hand, 0)

    def _count(self, connection: Connection) -> int:
        """How many trials of the campaign are stored; read out of an index alone."""
        its = select(func.count()).select_from(TrialRow).where(TrialRow.campaign_id == self._campaign)
        return int(connection.execute(its).scalar_one())

    def _live(self, connection: Connection) -> list[Lease]:
        columns = (LeaseRow.id, LeaseRow.worker, LeaseRow.process, LeaseRow.state, LeaseRow.batch, LeaseRow.beat)
        asked = select(*columns).where(LeaseRow.campaign_id == self._campaign, LeaseRow.state.in_(LIVE))
        found = connection.execute(asked.order_by(LeaseRow.id))
        return [Lease(r[0], r[1], r[2] or {}, r[3], read_batch(r[4]), r[5]) for r in found]

    def _bury(self, connection: Connection, dead: Collection[tuple[str, int]]) -> bool:
        """Whether any had a batch in hand."""
        freed = False
        for id_, beat in dead:
            its = (LeaseRow.id == id_, LeaseRow.beat == beat, LeaseRow.state.in_(LIVE))
            held = connection.execute(select(LeaseRow.batch).where(*its)).scalar()
            gone = connection.execute(update(LeaseRow).where(*its).values(state=LOST, batch={})).rowcount
            freed |= bool(gone and held)
        return freed

    def _hold(self, connection: Connection, mine: str, state: str, batch: Batch | None) -> None:
        changed = update(LeaseRow).where(LeaseRow.id == mine)
        connection.execute(changed.values(state=state, batch=batch_json(batch), beat=LeaseRow.beat + 1))
