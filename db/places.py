"""Opening what records are kept in: a database, or a journal (`FILE.jsonl`, and always where SQLAlchemy is missing)."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from anytile.db.keeping import Keeping
from anytile.schedules.errors import DatabaseError


def open_keeping(url: str | None) -> Keeping:
    """To write to; whoever opens it closes it."""
    from anytile.db.journal import DEFAULT, SUFFIX, Journal

    if url is not None and url.endswith(SUFFIX):
        return Journal(Path(url))
    if importlib.util.find_spec("sqlalchemy") is not None:
        from anytile.db.store import Store

        return Store.open(url)
    if url is None:
        return Journal(DEFAULT)
    raise DatabaseError(f"{url}: SQLAlchemy is not installed; give a journal, as in --db {DEFAULT}, or install it")
