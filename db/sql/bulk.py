"""Bulk insert: rows of one table in as few statements as the database takes, and none that is there already.

What SQLAlchemy does for each row and each of its columns costs more than the database does, so rows go to the driver as
they are. A server gets many of them as one JSON text, of which it makes rows by the types of the table.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import JSON, Connection

from anytile.db.sql.engine import as_json
from anytile.db.sql.models import Base, columns

_AT_ONCE = 1000  # rows in one statement


def insert_rows(connection: Connection, model: type[Base], rows: Sequence[Mapping[str, Any]]) -> None:
    """The rows, which all have the same columns; one whose key is taken is left out."""
    if not rows:
        return
    names = tuple(rows[0])
    into = f"INSERT INTO {model.__tablename__} ({', '.join(names)})"
    if connection.dialect.name == "sqlite":
        documents = _documents(model)
        places = ", ".join("?" for _ in names)
        values = [tuple(_text(row[n]) if n in documents else row[n] for n in names) for row in rows]
        connection.exec_driver_sql(f"{into} VALUES ({places}) ON CONFLICT DO NOTHING", values)
        return
    read = f"json_populate_recordset(NULL::{model.__tablename__}, %(rows)s::json)"
    statement = f"{into} SELECT {', '.join(names)} FROM {read} ON CONFLICT DO NOTHING"
    for start in range(0, len(rows), _AT_ONCE):
        connection.exec_driver_sql(statement, {"rows": as_json(rows[start : start + _AT_ONCE])})


@functools.cache
def _documents(model: type[Base]) -> frozenset[str]:
    """The columns that hold JSON."""
    return frozenset(column.name for column in columns(model) if isinstance(column.type, JSON))


def _text(document: Any) -> str:
    return as_json(document) if document else "{}" if isinstance(document, Mapping) else "[]"
