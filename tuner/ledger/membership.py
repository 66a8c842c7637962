"""Membership of one process in a campaign: its lease, kept alive, and what it knows of the others who work on it.

A lease is renewed every few seconds by a thread of its own, whatever the campaign is waiting for. Another's lease has
expired when it was not renewed for `EXPIRES_S` by this process' monotonic clock, or when its process is seen to be gone
from this machine; an outage of the database is nobody's silence. While it is away each process goes on with what it has
and takes nothing over; a trial's id follows from what it measured, so what two then measured alike is stored once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from anytile.core.errors import DatabaseError, SpecError, Unreachable
from anytile.db.records.leases import SETTLE, Batch, Lease, Standing
from anytile.tuner.ledger.owner import is_alive, this_process, worker_name

if TYPE_CHECKING:
    from anytile.db.leases import Leases

T = TypeVar("T")
BEAT_S = 3.0
EXPIRES_S = 30.0
LOOK_S = 0.25
_given_back: set[str] = set()  # by this process, whatever the database was told: it may have been away


class TakenOver(SpecError):
    """Others held this process for dead while it made the campaign's end, and one of them goes on with that."""


@dataclass
class Membership:
    """This process' part in a campaign. Without `leases` it is alone: what keeps its records lets in nobody else."""

    leases: Leases | None
    clock: Callable[[], float] = time.monotonic
    name: str = field(default_factory=worker_name)
    others: tuple[Lease, ...] = ()  # as they were last seen
    _mine: Lease | None = None
    _settling: bool = False
    _taken_over: bool = False
    _away: bool = False
    _seen: dict[str, tuple[int, float]] = field(default_factory=dict)  # by lease: its beat, and when that was new
    _numbers: dict[str, int] = field(default_factory=dict)
    _over: threading.Event = field(default_factory=threading.Event)
    _heart: threading.Thread | None = None

    # Coming and going

    def require_alone(self, say: Callable[[str], None]) -> None:
        """Refuse where somebody is at work. One who cannot be asked is watched until his lease expires."""
        if self.leases is None:
            return
        began: dict[str, int] = {}
        told = False
        while True:
            self._observe(self.leases.live())
            for one in self.active():
                alive = is_alive(one.process)
                if alive or began.setdefault(one.id, one.beat) != one.beat:
                    raise SpecError(f"{_who(one)} is still working on it; stop that one first (Ctrl-C)")
            if not self.active():
                self.leases.bury(self._expired())
                return
            if not told:
                told = True
                say(f"{self.active()[0].worker} had this campaign; waiting {EXPIRES_S:g} s for a sign of life of it")
            time.sleep(LOOK_S)

    def enter(self) -> None:
        """Take a lease, and keep it until `leave`."""
        if self.leases is None:
            return
        self._mine = self.leases.enter(self.name, this_process())
        self._observe(self.leases.live())
        self._heart = threading.Thread(target=self._keep, name="lease", daemon=True)
        self._heart.start()

    def leave(self) -> tuple[Lease, ...]:
        """Give the lease back. Those who remain, as far as that can be known."""
        self._over.set()
        if self._heart is not None:
            self._heart.join()
            self._heart = None
        if self.leases is not None and self._mine is not None:
            mine, self._mine = self._mine.id, None
            _given_back.add(mine)
            with suppress(DatabaseError):
                self._observe(self.leases.leave(mine))
        return self.active()

    def _keep(self) -> None:
        while not self._over.wait(BEAT_S):
            with suppress(DatabaseError):  # the campaign's own next step says what is wrong
                self.renew()

    def renew(self) -> None:
        """Say that this process lives, and see who else does."""
        if self.leases is None or self._mine is None:
            return
        try:
            state, live = self.leases.beat(self._mine.id)
        except Unreachable:
            self._away = True
            raise
        if self._away:  # nobody could be heard meanwhile, so nobody's silence counts
            self._away, self._seen = False, {}
        self._observe(live)
        if self._settling and state != SETTLE:  # it was held for dead, or began the end while the database was away
            standing = self.leases.settle(self._mine.id, self._expired())
            self._taken_over |= standing.finished or any(one.state == SETTLE for one in standing.others)

    # The others

    def look(self) -> None:
        """See who else is there now."""
        live = self._asked(lambda leases, _: leases.live())
        if live is not None:
            self._observe(live)

    def active(self) -> tuple[Lease, ...]:
        """The others whose leases hold."""
        dead = {id_ for id_, _ in self._expired()}
        return tuple(one for one in self.others if one.id not in dead)

    def place(self) -> tuple[int, int]:
        """Which of those at work this is, from 0 on, and how many they are: alike for all who know of the same ones."""
        mine = self._mine.id if self._mine is not None else ""
        ids = sorted([mine, *(one.id for one in self.active())])
        return ids.index(mine), len(ids)

    def pending(self, workload: str, template: str) -> frozenset[str]:
        """Configs that others have in hand."""
        batches = [one.batch for one in self.active() if one.batch is not None]
        return frozenset(c for b in batches if (b.workload, b.template) == (workload, template) for c in b.configs)

    def _observe(self, live: list[Lease]) -> None:
        now, mine = self.clock(), self._mine.id if self._mine is not None else ""
        others = tuple(one for one in live if one.id != mine)
        self._seen = {
            one.id: seen if (seen := self._seen.get(one.id)) is not None and seen[0] == one.beat else (one.beat, now)
            for one in others
        }
        self.others = others

    def _expired(self) -> list[tuple[str, int]]:
        now, seen = self.clock(), {} if self._away else self._seen
        return [
            (one.id, one.beat)
            for one in self.others
            if one.id in _given_back
            or is_alive(one.process) is False
            or (one.id in seen and now - seen[one.id][1] >= EXPIRES_S)
        ]

    # Work

    def claim(self, wish: Batch, following: int, known: int, most: int | None = None) -> tuple[Batch, bool] | None:
        """What of a wished batch is this process' to measure, up to `most` trials of all together, and whether the
        database has more trials than the `known` ones; None where there is nothing left to search."""
        found = self._asked(lambda leases, mine: [leases.claim(mine, wish, following, self._expired(), most)])
        if found is None:
            return wish.only(wish.ids, following), False
        (grant,) = found
        return None if grant is None else (grant.batch, grant.trials > known)

    def settle(self) -> Standing | None:
        """Whether this process makes the campaign's end; None where there is nobody to ask, and so nobody else."""
        standing = self._asked(lambda leases, mine: leases.settle(mine, self._expired()))
        if standing is not None:
            self._observe([*standing.others])
        self._settling = standing is None or standing.settling
        return standing

    def require_settling(self) -> None:
        """Before anything is measured, chosen or said to be over in the campaign's end."""
        if self._taken_over:
            raise TakenOver(
                "this process did not answer for so long that another one took the campaign's end over; "
                "what it measured is stored"
            )

    @property
    def is_settling(self) -> bool:
        return self._settling

    def number_of(self, worker: str) -> int | None:
        """By which number trials name who measured them; None where that is not to be had now."""
        if self.leases is None:
            return 1
        worker = worker or self.name
        if worker not in self._numbers:
            number = self._asked(lambda leases, _: leases.number_of(worker))
            if number is None:
                return None
            self._numbers[worker] = number
        return self._numbers[worker]

    def _asked(self, question: Callable[[Leases, str], T]) -> T | None:
        """None where there are no leases, or the database is away; the heart asks for it again."""
        if self.leases is None or self._mine is None or self._away:
            return None
        try:
            return question(self.leases, self._mine.id)
        except Unreachable:
            self._away = True
            return None


def _who(one: Lease) -> str:
    return f"process {one.process['process']}" if is_alive(one.process) else one.worker
