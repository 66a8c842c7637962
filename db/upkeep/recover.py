"""Recovery of a damaged SQLite file: every row that can still be read, copied into a new database, and what was lost.

A page that is damaged costs the rows on it, text that is not UTF-8 its row, a row that is lost the rows that mean
nothing without it. Rows are looked for by the numbers that an index knows or the table's own pages, and where a stretch
of them cannot be read, in ever smaller stretches. The damaged file is only read; the new one is there whole or not at
all.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from sqlalchemy import Table

from anytile.core.errors import DatabaseError, ResourceError, SpecError
from anytile.db.sql.engine import WRITES, locate, make_engine
from anytile.db.sql.models import REVISION, REVISIONS, Base
from anytile.db.sql.names import SQLITE
from anytile.db.sql.schema import create
from anytile.db.store import Store
from anytile.db.upkeep.leaves import LARGEST, Pages

Row: TypeAlias = tuple[Any, ...]
_BATCH = 2000


@dataclass(frozen=True, slots=True)
class Recovered:
    """Of one table: rows that were saved, and that were lost, as far as they can be counted."""

    table: str
    saved: int
    lost: int
    loosened: int = 0  # of those saved: they lack what they named, such as a campaign that is lost


def recover(damaged: Path, new: Path) -> list[Recovered]:
    """Save what can be read into a new file, which must not be there yet."""
    if os.path.exists(new):
        raise SpecError(f"{new}: is there already; give the name of a new file with -o")
    if not os.path.isfile(damaged):
        raise SpecError(f"{damaged}: there is no such file; expected a SQLite database of anytile's")
    locate(str(new))  # which must not be the name of something else
    half, copy = (new.with_name(f"{new.name}.{os.getpid()}.{end}") for end in ("part", "copy"))
    try:
        half.parent.mkdir(parents=True, exist_ok=True)
        whole = _lengthened(_gathered(damaged, copy), copy)
        with closing(_opened(whole)) as source, whole.open("rb") as file:
            found = _copied(source, Pages(file.fileno()), _tables_of(source, damaged), half)
        os.replace(half, new)
    except OSError as error:
        raise ResourceError(
            f"{new}: cannot be written ({error.strerror}); free some space, or give another -o"
        ) from error
    finally:
        for one in (half, copy):
            for left in (one, *_beside(one)):
                left.unlink(missing_ok=True)
    return found


def _beside(file: Path) -> list[Path]:
    """Where SQLite keeps what has not reached a file, and what helps to read that."""
    return [Path(f"{file}{end}") for end in ("-wal", "-shm", "-journal")]


def _gathered(damaged: Path, copy: Path) -> Path:
    """The file, or where pages of it lie beside it a copy that has them, as far as they are whole."""
    if not any(one.is_file() and one.stat().st_size for one in _beside(damaged) if not one.name.endswith("-shm")):
        return damaged
    with closing(_opened(damaged)) as source, closing(sqlite3.connect(copy)) as into, suppress(sqlite3.Error):
        source.execute("PRAGMA writable_schema = ON")  # without it a file whose end is cut off is not even opened
        source.backup(into)
        return copy
    return damaged


def _lengthened(file: Path, copy: Path) -> Path:
    """The file, or where its end is cut off a copy that is as long as it says: SQLite reads no other."""
    with file.open("rb") as opened:
        head = opened.read(32)
    page = int.from_bytes(head[16:18], "big")
    length = int.from_bytes(head[28:32], "big") * (65536 if page == 1 else page)
    if not head.startswith(SQLITE) or file.stat().st_size >= length:
        return file
    if file != copy:
        shutil.copyfile(file, copy)
    os.truncate(copy, length)
    return copy


def _opened(damaged: Path) -> sqlite3.Connection:
    """As it stands, with what lies in its journal if there is a whole one."""
    connection = sqlite3.connect(f"{damaged.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
    connection.text_factory = bytes
    with suppress(sqlite3.Error):  # of a version that has it: go on over small things
        connection.execute("PRAGMA cell_size_check = OFF")
    return connection


def _tables_of(source: sqlite3.Connection, damaged: Path) -> set[str]:
    try:
        there = {name.decode() for (name,) in source.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise DatabaseError(
            f"database {damaged}: nothing can be read of it, its first page is damaged ({error}); restore a copy"
        ) from error
    if not there & set(Base.metadata.tables):
        raise DatabaseError(f"database {damaged}: has none of anytile's tables; give a tuning database")
    with suppress(sqlite3.Error, UnicodeDecodeError):  # damaged, it says nothing; the tables are there all the same
        for (version,) in source.execute("SELECT version_num FROM alembic_version"):
            if version.decode() not in REVISIONS:
                raise DatabaseError(
                    f"database {damaged}: has schema revision {version.decode()!r}, this anytile knows up to "
                    f"{REVISION!r}; upgrade anytile to recover it"
                )
    return there


def _copied(source: sqlite3.Connection, pages: Pages, tables: set[str], path: Path) -> list[Recovered]:
    location = locate(str(path))
    engine = make_engine(location)
    found: list[Recovered] = []
    known: dict[str, set[Any]] = {}
    try:
        with engine.connect().execution_options(**WRITES) as connection, connection.begin():
            create(connection)
            for table in Base.metadata.sorted_tables:
                if table.name not in tables:
                    continue
                reading, fitting = _Reading(source, pages, table), _Fitting(table, known)
                places = ", ".join("?" * len(reading.columns))
                put = f"INSERT OR IGNORE INTO {table.name} ({', '.join(reading.columns)}) VALUES ({places})"
                rows, saved = fitting.fit(reading.rows()), 0
                while batch := [tuple(row.values()) for row in islice(rows, _BATCH)]:
                    saved += connection.exec_driver_sql(put, batch).rowcount  # what stands there twice is saved once
                found.append(Recovered(table.name, saved, reading.lost + fitting.lost, fitting.loosened))
    finally:
        engine.dispose()
    with Store.open(str(path)) as store:  # it is a database like any other
        store.stats()
    return found


class _Reading:
    """One table's rows by their numbers. `lost` is how many could not be read, once all were asked for."""

    def __init__(self, source: sqlite3.Connection, pages: Pages, table: Table) -> None:
        self._source, self._pages, self._table = source, pages, table
        there = [name.decode() for _, name, *_ in source.execute(f"PRAGMA table_info({table.name})")]
        self.columns = [c.name for c in table.columns if c.name in there]
        names = ", ".join(f'"{name}"' for name in self.columns)
        self._query = f"SELECT rowid, {names} FROM {table.name} NOT INDEXED WHERE rowid BETWEEN ? AND ? ORDER BY rowid"
        self._highest = 0  # of the numbers that a row was seen to have
        self._unread = 0
        self._out_of_reach: list[range] = []

    @property
    def lost(self) -> int:
        """Numbers beyond those of any row may be no rows at all."""
        return self._unread + sum(max(0, min(r.stop, self._highest + 1) - r.start) for r in self._out_of_reach)

    def rows(self) -> Iterator[dict[str, Any]]:
        numbers, whole = self._numbers()
        self._highest = max(numbers, default=0)
        if whole:
            known = sorted(numbers)
            for start in range(0, len(known), _BATCH):
                yield from self._among(known[start : start + _BATCH])
            return
        for leaf in self._pages.leaves(self._root()):
            if leaf.dead:
                self._out_of_reach.append(range(leaf.low + 1, (LARGEST if leaf.high is None else leaf.high) + 1))
            elif leaf.numbers:
                yield from self._among(leaf.numbers)

    def _root(self) -> int:
        """The first page of the table; 0 is none."""
        found, _ = self._read(f"SELECT rootpage FROM sqlite_master WHERE name = '{self._table.name}'")
        return int(found[0][0]) if found else 0

    def _numbers(self) -> tuple[set[int], bool]:
        """The numbers of rows that the table's indexes know, and whether those of one that is whole are among them."""
        found: set[int] = set()
        for _, index, *_ in self._read(f"PRAGMA index_list({self._table.name})")[0]:
            columns, _ = self._read(f'PRAGMA index_info("{index.decode()}")')
            first = columns[0][2] if columns else None
            if first is None:
                continue
            ordered = f"SELECT rowid FROM {self._table.name} INDEXED BY {index.decode()} ORDER BY {first.decode()}"
            for query in (ordered, f"{ordered} DESC"):
                rows, whole = self._read(query)
                found.update(number for (number,) in rows)
                if whole:
                    return found, True
        return found, False

    def _read(self, query: str) -> tuple[list[Row], bool]:
        """Rows until one cannot be read, and whether that were all."""
        found: list[Row] = []
        try:
            found.extend(self._source.execute(query))
        except sqlite3.Error:
            return found, False
        return found, True

    def _among(self, numbers: Sequence[int]) -> Iterator[dict[str, Any]]:
        """The rows of these numbers, which lie in order; where one cannot be read, of either half."""
        try:
            found = self._source.execute(self._query, (numbers[0], numbers[-1])).fetchall()
        except sqlite3.Error:
            if len(numbers) == 1:
                self._unread += 1
                return
            middle = len(numbers) // 2
            yield from self._among(numbers[:middle])
            yield from self._among(numbers[middle:])
            return
        for number, *row in found:
            self._highest = max(self._highest, number)
            yield dict(zip(self.columns, row, strict=True))


class _Fitting:
    """The rows that mean something in a new database: text that is text, and what they refer to there."""

    def __init__(self, table: Table, known: dict[str, set[Any]]) -> None:
        self._known = known
        self._mine: set[Any] | None = known.setdefault(table.name, set()) if _is_referred_to(table) else None
        self._references = [
            (column.name, key.column.table.name, bool(column.nullable))
            for column in table.columns
            for key in column.foreign_keys
        ]
        self._needed = [c.name for c in table.columns if not c.nullable]
        self.lost = self.loosened = 0

    def fit(self, rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for row in rows:
            try:
                made = {name: v.decode() if isinstance(v, bytes) else v for name, v in row.items()}
            except UnicodeDecodeError:
                self.lost += 1
                continue
            missing = [
                (name, optional)
                for name, table, optional in self._references
                if made.get(name) is not None and made[name] not in self._known.get(table, ())
            ]
            if any(not optional for _, optional in missing) or any(made.get(name) is None for name in self._needed):
                self.lost += 1
                continue
            if missing:
                self.loosened += 1
                made |= dict.fromkeys((name for name, _ in missing), None)
            if self._mine is not None:
                self._mine.add(made["id"])
            yield made


def _is_referred_to(table: Table) -> bool:
    return any(key.column.table is table for other in Base.metadata.sorted_tables for key in other.foreign_keys)
