"""Opening what records are kept in: a database, or a journal (`FILE.jsonl`, and where its packages are missing)."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from anytile.core.errors import DatabaseError
from anytile.db.record_keeper import Keeping
from anytile.db.sql.url_words import masked

NEEDED = ("SQLAlchemy", "alembic")  # by a database


def open_keeping(url: str | None) -> Keeping:
    """To write to; whoever opens it closes it."""
    from anytile.db.journal import DEFAULT, SUFFIX, Journal

    if url is not None and url.endswith(SUFFIX):
        return Journal(Path(url))
    missing = [name for name in NEEDED if importlib.util.find_spec(name.lower()) is None]
    if not missing:
        from anytile.db.store import Store

        store = Store.open(url)
        if not store.is_server:
            return store
        from anytile.db.outbox import Outbox

        return Outbox(store)
    if url is None:
        return Journal(DEFAULT)
    what = f"{masked(url)}: {missing[0]} is not installed"
    raise DatabaseError(f"{what}; give a journal, as in --db {DEFAULT}, or install it")
