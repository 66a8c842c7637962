"""Names of databases: what a text means before anything is opened, wherever one may be given.

A file FILE.jsonl is a journal, which `tune` alone writes and `db import` reads; whoever wants a database of SQLite
under such a name says so, as in sqlite:///FILE.jsonl. Several databases stand with `;` between.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from anytile.core.command_hint import command_line
from anytile.core.errors import DatabaseError
from anytile.db.sql.url_words import SEPARATOR, is_path

JOURNAL = ".jsonl"
SQLITE = b"SQLite format 3\0"  # what its files begin with


def in_environment() -> str:
    """What $ANYTILE_DB names; nothing where it is unset or empty."""
    return os.environ.get("ANYTILE_DB", "").strip()


def split(text: str) -> tuple[str, ...]:
    """The places that a text names. A file or a password may have the separator in it."""
    if SEPARATOR not in text or ("://" not in text and Path(text).expanduser().exists()):
        return (text,)
    found = tuple(dict.fromkeys(part.strip() for part in text.split(SEPARATOR) if part.strip()))
    if any("@" in part and "://" not in part for part in found):  # the separator stands in a password
        return (text,)
    if not found:
        raise DatabaseError(
            f"database {text!r}: names none; expected a path or URL, or several with {SEPARATOR} between"
        )
    if len(found) > 1 and (journals := [place for place in found if is_journal(place)]):  # which go with no other
        raise no_database(journals[0])
    return found


def is_journal(place: str) -> bool:
    """Whether one place is a journal and no database."""
    return place.endswith(JOURNAL) and is_path(place)


def is_sqlite(path: Path) -> bool:
    """Whether a file is one of SQLite's, as far as one may look."""
    with suppress(OSError), path.open("rb") as file:
        return file.read(len(SQLITE)) == SQLITE
    return False


def no_database(journal: str) -> DatabaseError:
    """Why nothing is looked up in a journal, and what is to be done."""
    if is_sqlite(Path(journal).expanduser()):
        return DatabaseError(
            f"{journal}: is a SQLite database under the name of a journal; rename it, or give sqlite:///{journal}"
        )
    return DatabaseError(
        f"{journal}: is a journal, which `tune` alone writes; take it into a database: `{taken_in(journal)}`"
    )


def taken_in(journal: str) -> str:
    """The command that takes a journal into a database, which is named alike."""
    return command_line("db", "import", journal, "--db", beside(journal))


def beside(journal: str) -> str:
    """What the database is called that a journal is taken into, where nobody said."""
    return f"{journal.removesuffix(JOURNAL)}.db"
