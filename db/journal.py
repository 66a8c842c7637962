"""Append-only journal: a campaign's records in a file of JSON lines, where there is no database. `db import` reads it.

Every record is on the disk when `add_*` returns; a line that a dying process left half written is dropped when the file
is opened again, and a file that is no journal is left as it is. A campaign that changes is written anew: of several
lines with one id the last one counts. One process writes at a time, which a lock on the file keeps.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from anytile.core.errors import AnytileError, DatabaseError, ResourceError, SpecError
from anytile.db.records import jsonl
from anytile.db.records.record_set import RecordSet
from anytile.db.records.records import Campaign, Selection, Trial
from anytile.db.sql.names import JOURNAL

DEFAULT = Path("anytile-trials.jsonl")


class InUse(DatabaseError):
    """A journal that another process is writing to."""


class Journal(RecordSet):
    """One open file. See `Keeping`."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            reason = f"cannot be opened ({error.strerror}); give another --db FILE{JOURNAL}"
            raise DatabaseError(f"{path}: {reason}") from None
        if not stat.S_ISREG(os.fstat(self._file).st_mode):  # a pipe would keep whoever reads it waiting
            os.close(self._file)
            raise DatabaseError(f"{path}: is no regular file; give another --db FILE{JOURNAL}")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._file)
            raise InUse(f"{path}: another process is writing to it; wait, or give another --db") from None
        try:
            self._read()
        except AnytileError:
            os.close(self._file)
            raise

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
        self._write_new([campaign])

    def update_campaign(
        self,
        campaign_id: str,
        state: str | None = None,
        finished: float | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Change what is given; the rest stays."""
        self.write([self.changed(campaign_id, state, finished, options)])

    def set_option(self, campaign_id: str, name: str, value: object) -> None:
        """One of a campaign's options; the others stay."""
        self.write([self.with_option(campaign_id, name, value)])

    def append_trials(self, trials: Iterable[Trial]) -> list[Trial]:
        """Their numbers stay: nobody else has any."""
        batch = list(trials)
        self._write_new(batch)
        return batch

    def add_selection(self, selection: Selection) -> None:
        self._write_new([selection])

    def _write_new(self, records: Iterable[Campaign | Trial | Selection]) -> None:
        """Those that are not there yet."""
        self.write([r for r in records if not self.holds(r)])

    def write(self, records: Sequence[Campaign | Trial | Selection]) -> None:
        """All of them as they are now, in one append; on the disk when this returns."""
        data = "".join(jsonl.write(r) + "\n" for r in records).encode()
        if data:
            self._append(data)
            self.remember(records)

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

    def _read(self) -> None:
        """Everything that is whole; the last line may have been cut off by a process that died. A file that is none of
        ours is refused before anything in it is changed."""
        with os.fdopen(os.dup(self._file), "rb") as file:
            *lines, last = file.read().split(b"\n")
        for number, line in enumerate(lines, start=1):
            self._remember_line(number, line)
        if last:
            self._mend(len(lines) + 1, last)
        if not self._size():
            self._append(f"{jsonl.header()}\n".encode())

    def _remember_line(self, number: int, line: bytes) -> None:
        try:
            record = jsonl.read(line.decode(errors="replace"))
        except AnytileError as error:
            raise SpecError(f"{self.name}:{number}: {error}") from None
        if record is not None:
            self.remember([record])

    def _mend(self, number: int, last: bytes) -> None:
        """A last line without its end: a whole one gets it, the beginning of one is cut off."""
        try:
            self._remember_line(number, last)
        except SpecError:
            if number == 1 and not jsonl.header().encode().startswith(last):
                raise
            os.ftruncate(self._file, self._size() - len(last))
        else:
            self._append(b"\n")

    def _size(self) -> int:
        return os.fstat(self._file).st_size
