"""Outbox (store and forward): a campaign's records reach a server that may go away, each exactly once.

While the server cannot be reached records go into a journal on this machine, on the disk before an `add` returns, and
the campaign goes on. When it answers again they are delivered and the journal is removed; what a process leaves behind
the next one that opens this database delivers. Records go by id, so a delivery that broke off is simply done again.
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from anytile.core.errors import AnytileError, Unreachable
from anytile.core.plurals import counted
from anytile.db.journal import InUse, Journal
from anytile.db.leases import Leases
from anytile.db.records.leases import Batch, Grant, Standing
from anytile.db.records.record_set import RecordSet
from anytile.db.records.records import Campaign, Selection, Status, StoredModel, Trial, new_id
from anytile.db.sql.names import JOURNAL
from anytile.db.store import Store
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.workload import Workload

T = TypeVar("T")
FIRST_RETRY_S, LAST_RETRY_S = 5.0, 60.0
_BATCH = 1000


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def outbox_folder() -> Path:
    """Where journals wait that a server has not taken yet."""
    data = os.environ.get("XDG_DATA_HOME", "").strip()
    return (Path(data) if data else Path.home() / ".local" / "share") / "anytile" / "outbox"


class _LeasesAfterDelivery(Leases):
    """A campaign's leases: who has records that the server has not taken can neither claim nor make the end. What is
    given out, and whether all is done, follows from the trials that are there."""

    def __init__(self, store: Store, campaign_id: str, delivered: Callable[[], bool]) -> None:
        super().__init__(store, campaign_id)
        self._delivered = delivered

    def claim(
        self, mine: str, wish: Batch, following: int, dead: Collection[tuple[str, int]], most: int | None = None
    ) -> Grant | None:
        self._require_delivered()
        return super().claim(mine, wish, following, dead, most)

    def settle(self, mine: str, dead: Collection[tuple[str, int]]) -> Standing:
        self._require_delivered()
        return super().settle(mine, dead)

    def _require_delivered(self) -> None:
        if not self._delivered():
            raise Unreachable(f"database {self._store.name}: has not taken what was measured while it was away")


class Outbox:
    """A server's store for a campaign to write to. See `Keeping`."""

    def __init__(
        self,
        store: Store,
        folder: Path | None = None,
        say: Callable[[str], None] = _say,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store, self._say, self._clock = store, say, clock
        self._folder = folder or outbox_folder()
        self._stem = hashlib.sha256(store.name.encode()).hexdigest()[:16]
        self._journal: Journal | None = None
        self._seen = RecordSet(store.name)
        self._next_try = 0.0
        self._pause = FIRST_RETRY_S
        self._lock = threading.RLock()  # whoever keeps a campaign's lease alive asks for its end from another thread
        self._deliver_left_behind()

    @property
    def name(self) -> str:
        return self._store.name

    @property
    def waiting(self) -> Path | None:
        """The journal with what the server has not taken yet."""
        return None if self._journal is None else Path(self._journal.name)

    def close(self) -> None:
        """Deliver what waits, if the server answers; else it waits for the next campaign."""
        journal = self._journal
        if journal is not None and not self._delivered():
            journal.close()
            self._journal = None
            self._say(f"{journal.name}: waits for {self.name}; the next `tune` on it delivers it, or `db import`")
        self._store.close()

    # Writing

    def add_campaign(self, campaign: Campaign) -> None:
        self._put([campaign], lambda store: store.add_campaign(campaign))

    def update_campaign(
        self,
        campaign_id: str,
        state: str | None = None,
        finished: float | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        changed = self._seen.changed(campaign_id, state, finished, options)
        self._put([changed], lambda store: store.update_campaign(campaign_id, state, finished, options))

    def set_option(self, campaign_id: str, name: str, value: object) -> None:
        changed = self._seen.with_option(campaign_id, name, value)
        self._put([changed], lambda store: store.set_option(campaign_id, name, value))

    def leases(self, campaign_id: str) -> Leases:
        """The server's: while it is away, nobody's work can be asked for or taken over."""
        return _LeasesAfterDelivery(self._store, campaign_id, self._delivered)

    def append_trials(self, trials: Iterable[Trial]) -> list[Trial]:
        """Those that wait may get other numbers when the server takes them."""
        batch = list(trials)

        def append(store: Store) -> None:
            batch[:] = store.append_trials(batch)

        self._put(batch, append)
        return batch

    def add_selection(self, selection: Selection) -> None:
        self._put([selection], lambda store: store.add_selection(selection))

    def _put(self, records: Sequence[Campaign | Trial | Selection], in_store: Callable[[Store], None]) -> None:
        """Into the store, or into the journal while that is away."""
        with self._lock:
            self._keep(records, in_store)
        self._seen.remember(records)

    def _keep(self, records: Sequence[Campaign | Trial | Selection], in_store: Callable[[Store], None]) -> None:
        journal = self._while_away()
        if journal is None:
            try:
                in_store(self._store)
                return
            except Unreachable as error:
                journal = self._journal = Journal(self._folder / f"{self._stem}-{new_id()}{JOURNAL}")
                self._pause = FIRST_RETRY_S
                self._next_try = self._clock() + self._pause
                self._say(f"{error}; measuring goes on, records wait in {journal.name}")
        journal.write(records)

    # Delivering

    def _while_away(self) -> Journal | None:
        """What records go into instead of the server, which is asked again from time to time."""
        if self._journal is not None and self._clock() >= self._next_try:
            self._delivered()
        return self._journal

    def _delivered(self) -> bool:
        """Whether the server took everything that waits."""
        with self._lock:
            if self._journal is None:
                return True
            try:
                count = self._deliver(self._journal)
            except Unreachable:
                self._pause = min(self._pause * 2, LAST_RETRY_S)
                self._next_try = self._clock() + self._pause
                return False
            self._journal = None
        self._say(f"{self.name} is back: {counted(count, 'trial')} delivered")
        return True

    def _deliver(self, journal: Journal) -> int:
        """Everything in it, and then it is gone; stopped in between, it is all still there."""
        for campaign in journal.campaigns():
            self._store.add_campaign(campaign)
            stored = self._store.campaign(campaign.id)
            if stored.state == "finished":
                continue  # others went on with it meanwhile, to its end
            self._store.update_campaign(campaign.id, campaign.state, campaign.finished)
            for name, value in campaign.options.items():
                if name == "progress" or name not in stored.options:  # what is there others may have changed
                    self._store.set_option(campaign.id, name, value)
        trials = journal.trials()
        for start in range(0, len(trials), _BATCH):
            self._store.append_trials(trials[start : start + _BATCH])
        for selection in reversed(journal.selections()):
            self._store.add_selection(selection)
        Path(journal.name).unlink()
        journal.close()
        return len(trials)

    def _deliver_left_behind(self) -> None:
        """What earlier processes could not deliver. One that is locked has its process yet."""
        for path in sorted(self._folder.glob(f"{self._stem}-*{JOURNAL}")):
            try:
                journal = Journal(path)
            except InUse:
                continue
            except AnytileError as error:
                self._say(f"{path}: is not delivered: {error}")
                continue
            with journal, suppress(Unreachable):
                self._say(f"{path}: {counted(self._deliver(journal), 'trial')} of an earlier campaign delivered")

    # Reading: from the server; while that is away, from what this process has written or read

    def _ask(self, question: Callable[[Store | RecordSet], T]) -> T:
        if self._while_away() is not None:
            return question(self._seen)
        try:
            return question(self._store)
        except Unreachable:
            if not self._seen.campaigns():  # nothing has begun: there is nothing to answer from
                raise
            return question(self._seen)

    def campaign(self, id_or_prefix: str) -> Campaign:
        found = self._ask(lambda store: store.campaign(id_or_prefix))
        self._seen.remember([found])
        return found

    def campaigns(self) -> list[Campaign]:
        return self._ask(lambda store: store.campaigns())

    def trials(
        self,
        campaign_id: str | None = None,
        workload: Workload | None = None,
        target: Target | None = None,
        status: Status | None = None,
        kind: str | None = None,
        limit: int | None = None,
        since: int | None = None,
        sound: bool = False,
    ) -> list[Trial]:
        found = self._ask(lambda store: store.trials(campaign_id, workload, target, status, kind, limit, since, sound))
        if campaign_id is not None:
            self._seen.remember(found)
        return found

    def selections(self, workload: Workload | None = None, target: Target | None = None) -> list[Selection]:
        return self._ask(lambda store: store.selections(workload, target))

    def selection(self, workload: Workload, target: Target) -> Selection | None:
        return self._ask(lambda store: store.selection(workload, target))

    def model(self, kind: str) -> StoredModel | None:
        return self._ask(lambda store: store.model(kind))

    def known_pairs(self, op: str) -> list[tuple[Workload, Target]]:
        return self._ask(lambda store: store.known_pairs(op))
