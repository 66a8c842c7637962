"""Opening what records are kept in: a database, or a journal (`FILE.jsonl`, and where its packages are missing)."""

from __future__ import annotations

import importlib.util
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from anytile.core.errors import DatabaseError
from anytile.db.record_keeper import Keeping
from anytile.db.sql.names import in_environment, is_journal, is_sqlite, no_database, split
from anytile.db.sql.url_words import masked

if TYPE_CHECKING:
    from anytile.db.store import Store

NEEDED = ("SQLAlchemy", "alembic")  # by a database


def open_keeping(url: str | None) -> Keeping:
    """To write to; whoever opens it closes it."""
    from anytile.db.journal import DEFAULT, Journal

    named = url or in_environment()
    for journal in filter(is_journal, split(named)):
        path = Path(journal).expanduser()
        if is_sqlite(path):
            raise no_database(journal)
        return Journal(path)
    missing = [name for name in NEEDED if importlib.util.find_spec(name.lower()) is None]
    if not missing:
        from anytile.db.store import Store

        store = Store.open(url)
        if not store.is_server:
            return store
        from anytile.db.outbox import Outbox

        return Outbox(store)
    if not named:
        return Journal(DEFAULT)
    what = f"{masked(named)}: {missing[0]} is not installed"
    raise DatabaseError(f"{what}; give a journal, as in --db {DEFAULT}, or install it")


def open_reading(url: str | None) -> Store | None:
    """To look up in; where there is none yet the packaged set, unless another was named, and None without that."""
    from anytile.db.packaged import place as packaged
    from anytile.db.sql.places import may_be_there, names_none
    from anytile.db.store import Store

    if may_be_there(url):
        return Store.open(url, readonly=True)
    if not names_none(url) or not packaged.is_there():
        return None
    with suppress(DatabaseError):  # a source tree whose set has yet to get today's tables is one without it
        return Store.open(packaged.WORD, readonly=True)
    return None
