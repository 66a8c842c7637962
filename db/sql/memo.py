"""Cache of lookups: answers worked out from a database, kept in this process until anybody commits to it.

SQLite tells a connection that never writes whether any other one has committed since (`PRAGMA data_version`), in
microseconds and without reading a table. With a server, which says nothing of the kind, something is remembered only
within one moment: as long as one question takes that asks the same over and over. The first answer is not remembered.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from sqlalchemy import Engine, PoolProxiedConnection

from anytile.db.sql.engine import Location, translating

T = TypeVar("T")
_MAX_ENTRIES = 20_000


class Memo:
    """A cache of one database, shared by all threads."""

    def __init__(self, engine: Engine, location: Location) -> None:
        self._engine = engine
        self._location = location
        self._lock = threading.Lock()
        self._watcher: PoolProxiedConnection | None = None
        self._watcher_pid = 0
        self._version: object = None
        self._was_asked = False
        self._entries: dict[Hashable, Any] = {}
        self._moment = threading.local()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make()` gave while the database was as it is now, or in this moment; else `make()`."""
        return self.in_moment(key, lambda: self._current(key, make))

    def in_moment(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make()` gave in this moment; outside of one `make()`. For what would be too much to be kept longer."""
        moment: dict[Hashable, Any] | None = getattr(self._moment, "entries", None)
        if moment is None:
            return make()
        if key not in moment:
            moment[key] = make()
        return cast(T, moment[key])

    @contextmanager
    def at_one_moment(self) -> Iterator[None]:
        """For this thread the database is as it was when it was first asked, until the outermost moment ends."""
        if hasattr(self._moment, "entries"):
            yield
            return
        self._moment.entries = {}
        try:
            yield
        finally:
            del self._moment.entries

    def _current(self, key: Hashable, make: Callable[[], T]) -> T:
        with self._lock:
            # Who asks once would connect a second time, for a third of what the lookup takes, to remember for nobody.
            version = self._look() if self._was_asked else None
            if version is None:
                self._entries.clear()
            elif version != self._version or len(self._entries) >= _MAX_ENTRIES:
                self._entries.clear()
                self._version = version
            elif key in self._entries:
                return cast(T, self._entries[key])
        made = make()
        with self._lock:
            self._was_asked = True
            # Under the version seen *before* reading: should somebody have written in between, the next look says so.
            if version is not None and version == self._version:
                self._entries[key] = made
        return made

    def close(self) -> None:
        with self._lock:
            self._entries.clear()
            if self._watcher is not None and self._watcher_pid == os.getpid():
                self._watcher.close()
            self._watcher = None

    def _look(self) -> object:
        if self._location.path is None:
            return None
        if self._watcher is None or self._watcher_pid != os.getpid():  # a connection must not cross a fork
            with translating(self._location):
                self._watcher = self._engine.raw_connection()
            self._watcher.detach()  # ours alone: a version number means something only to the connection it came from
            self._watcher_pid = os.getpid()
            self._version = None
        try:
            return self._watcher.cursor().execute("PRAGMA data_version").fetchone()[0]
        except sqlite3.Error:
            return None  # whatever is wrong, reading the tables will say it better
