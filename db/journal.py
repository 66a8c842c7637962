"""Append-only journal: a campaign's records in a file of JSON lines, where there is no database. `db import` reads it.

Every record is on the disk when `add_*` returns; a line that a dying process left half written is dropped when the file
is opened again. A campaign that changes is written anew: of several lines with one id the last one counts. One process
writes at a time, which a lock on the file keeps.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from anytile.core.errors import AnytileError, DatabaseError, ResourceError, SpecError
from anytile.db.records import jsonl
from anytile.db.records.jsonl import Record
from anytile.db.records.records import Campaign, Miss, Selection, Status, Trial
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.workload import Workload

SUFFIX = ".jsonl"
DEFAULT = Path("anytile-trials.jsonl")


class Journal:
    """One open file. See `Keeping`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._campaigns: dict[str, Campaign] = {}
        self._trials: dict[str, Trial] = {}
        self._selections: dict[str, Selection] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            reason = f"cannot be opened ({error.strerror}); give another --db FILE{SUFFIX}"
            raise DatabaseError(f"{path}: {reason}") from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._file)
            raise DatabaseError(f"{path}: another process is writing to it; wait, or give another --db") from None
        try:
            self._read()
        except AnytileError:
            os.close(self._file)
            raise

    @property
    def name(self) -> str:
        return str(self._path)

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Writing

    def add_campaign(self, campaign: Campaign) -> None:
        if campaign.id not in self._campaigns:
            self._write([campaign])
            self._campaigns[campaign.id] = campaign

    def update_campaign(
        self,
        campaign_id: str,
        state: str | None = None,
        finished: float | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Change what is given; the rest stays."""
        if campaign_id not in self._campaigns:
            raise DatabaseError(f"{self.name}: no campaign {campaign_id}")
        given = {"state": state, "finished": finished, "options": None if options is None else dict(options)}
        changed = replace(self._campaigns[campaign_id], **{k: v for k, v in given.items() if v is not None})  # type: ignore[arg-type]  # each value is of its field
        self._write([changed])
        self._campaigns[campaign_id] = changed

    def add_trials(self, trials: Iterable[Trial]) -> None:
        fresh = [t for t in trials if t.id not in self._trials]
        self._write(fresh)
        self._trials.update((t.id, t) for t in fresh)

    def add_selection(self, selection: Selection) -> None:
        if selection.id not in self._selections:
            self._write([selection])
            self._selections[selection.id] = selection

    def _write(self, records: Iterable[Record]) -> None:
        """All of them in one append, on the disk when this returns."""
        data = "".join(jsonl.write(r) + "\n" for r in records).encode()
        if data:
            self._append(data)

    def _append(self, data: bytes) -> None:
        start = os.lseek(self._file, 0, os.SEEK_END)
        try:
            written = 0
            while written < len(data):
                written += os.write(self._file, data[written:])
            os.fsync(self._file)
        except OSError as error:
            os.ftruncate(self._file, start)  # all of them or none
            raise ResourceError(f"{self.name}: writing failed ({error.strerror}); free some space") from None

    # Reading

    def campaign(self, id_or_prefix: str) -> Campaign:
        """The campaign with this id, or the only one whose id begins so."""
        found = [c for id_, c in self._campaigns.items() if id_.startswith(id_or_prefix.lower())]
        if len(found) != 1:
            what = "no campaign" if not found else f"{len(found)} campaigns"
            raise DatabaseError(f"{self.name}: {what} {id_or_prefix!r}; give more of an id, or `last`")
        return found[0]

    def campaigns(self) -> list[Campaign]:
        return sorted(self._campaigns.values(), key=lambda c: c.created)

    def trials(
        self,
        campaign_id: str | None = None,
        workload: Workload | None = None,
        target: Target | None = None,
        status: Status | None = None,
        kind: str | None = None,
        limit: int | None = None,
    ) -> list[Trial]:
        wanted = {"campaign_id": campaign_id, "workload": workload, "target": target, "status": status, "kind": kind}
        given = {name: value for name, value in wanted.items() if value is not None}
        found = [t for t in self._trials.values() if all(getattr(t, name) == value for name, value in given.items())]
        return sorted(found, key=lambda t: (t.created, t.seed_order))[:limit]

    def selections(self, workload: Workload | None = None, target: Target | None = None) -> list[Selection]:
        found = [s for s in self._selections.values() if workload in (None, s.workload) and target in (None, s.target)]
        return sorted(found, key=lambda s: s.created, reverse=True)

    def selection(self, workload: Workload, target: Target) -> Selection | None:
        return next(iter(self.selections(workload, target)), None)

    def known_pairs(self, op: str) -> list[tuple[Workload, Target]]:
        pairs = {(t.workload, t.target) for t in self._trials.values() if t.workload.op == op}
        return sorted(pairs, key=lambda pair: (str(pair[0]), str(pair[1])))

    def _read(self) -> None:
        """Everything that is whole; the last line may have been cut off by a process that died."""
        with os.fdopen(os.dup(self._file), "rb") as file:
            data = file.read()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            os.ftruncate(self._file, whole)
        if not whole:
            self._append(f"{jsonl.header()}\n".encode())
            return
        for number, line in enumerate(data[:whole].decode(errors="replace").splitlines(), start=1):
            try:
                record = jsonl.read(line)
            except AnytileError as error:
                raise SpecError(f"{self.name}:{number}: {error}") from None
            match record:
                case Campaign():
                    self._campaigns[record.id] = record
                case Trial():
                    self._trials[record.id] = record
                case Selection():
                    self._selections[record.id] = record
                case Miss() | None:
                    pass
