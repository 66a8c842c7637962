"""Compaction (vacuum) of a database: the space of deleted rows is given back."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, text

from anytile.db.sql.models import Base
from anytile.db.store import Store


@dataclass(frozen=True, slots=True)
class Compaction:
    """Bytes before and after."""

    name: str
    before: int
    after: int


def compact(store: Store) -> Compaction:
    """Of a file it takes as much free space again as the file is large, and the write lock for as long as it lasts."""
    before = _size(store)
    if store.is_server:
        statements = [f"VACUUM (ANALYZE) {table.name}" for table in Base.metadata.sorted_tables]
        store.maintain(["SET statement_timeout = 0", *statements])
    else:
        store.maintain(["VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"])
    return Compaction(store.name, before, _size(store))


def _size(store: Store) -> int:
    def of_server(connection: Connection) -> int:
        each = (f"pg_total_relation_size('{table.name}')" for table in Base.metadata.sorted_tables)
        return int(connection.execute(text(f"SELECT {' + '.join(each)}")).scalar_one())

    return store.read(of_server) if store.is_server else store.stats().bytes or 0
