"""Schema creation and migration: whether a database has the tables of today. Alembic is imported only to upgrade one.

A database is at one revision of `models.REVISIONS` or it is refused. A new one is made from the models, which is what
all migrations one after another would make of it. Creating and upgrading happen inside one transaction that holds the
write lock, so of several processes that open a new file at once one builds it, the others wait and find it built, and a
killed one leaves nothing. A file is copied beside itself before it is upgraded; one that only lacks whole tables may be
read as it is.
"""

from __future__ import annotations

import os
import re
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from sqlalchemy import Column, Connection, Engine, MetaData, PrimaryKeyConstraint, String, Table, insert, inspect, text
from sqlalchemy.exc import DBAPIError, OperationalError, ProgrammingError

from anytile.core.errors import DatabaseError
from anytile.core.printable import say
from anytile.core.version import __version__
from anytile.db.sql.engine import OUTSIDE, WRITES, Location, for_reading, retrying
from anytile.db.sql.models import REVISION, REVISIONS, Base, lacking

if TYPE_CHECKING:
    from alembic.config import Config

_ADVISORY_LOCK = 0x616E7974  # any number, as long as every anytile takes the same
_VERSION = Table(  # alembic's own, as it makes it
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)


def ensure_schema(engine: Engine, location: Location, patience_s: float) -> str:
    """Leave the database at `REVISION`, creating or upgrading it where that is allowed; refuse what cannot be used.

    The revision that it is at: an older one where it is only read.
    """

    def look() -> str | None:
        with for_reading(engine).connect() as connection:
            return found_revision(connection)

    found = retrying(location, patience_s, look, reconnect_s=0.0)  # who has a wrong URL need not wait
    if found == REVISION:
        return found
    if found is not None and found not in REVISIONS:
        newest = retrying(location, patience_s, lambda: _newest_anytile(engine), reconnect_s=0.0)
        _refuse_unknown(location, found, newest)
    if location.readonly:
        if found is not None and lacking(found) is not None:
            return found
        if found is None:
            with engine.connect() as connection:
                _refuse_strangers(connection, location)
            raise DatabaseError(f"database {location.name}: is empty; `tune` fills it, or give another one with --db")
        what = f"has the older schema {found} and is opened read-only"
        raise DatabaseError(f"database {location.name}: {what}; open it for writing once, as `tune` does")

    upgraded: list[str] = []

    def build() -> None:
        if location.path is not None:
            with engine.connect() as connection:  # a stranger's file is not even given another journal
                _refuse_strangers(connection, location)
            _use_wal(engine)
        with engine.connect().execution_options(**WRITES) as connection, connection.begin():
            if location.path is None:
                connection.execute(text("SET LOCAL statement_timeout = 0"))  # the table may be large, and the lock held
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
            now = found_revision(connection)
            if now == REVISION:  # another process was first
                return
            if now is None:
                _refuse_strangers(connection, location)
                create(connection)
            else:
                saved = _saved_copy(location, now)
                migrate(connection, REVISION)
                upgraded.append(f"database {location.name}: upgraded from schema {now} to {REVISION}{saved}")

    retrying(location, patience_s, build)
    for line in upgraded[-1:]:
        say(line, file=sys.stderr, flush=True)
    return REVISION


def found_revision(connection: Connection) -> str | None:
    """The revision the database says it has; None where it has none."""
    try:
        with connection.begin_nested() if connection.in_transaction() else connection.begin():
            found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    except (OperationalError, ProgrammingError) as error:
        if _is_missing_table(error):
            return None
        raise
    return None if found is None else str(found)


def create(connection: Connection) -> None:
    """Make the tables of `REVISION` in a database that has none of them."""
    Base.metadata.create_all(connection, checkfirst=False)
    _VERSION.create(connection, checkfirst=True)  # there without a row where an upgrade was taken back by hand
    connection.execute(insert(_VERSION).values(version_num=REVISION))


def migrate(connection: Connection, revision: str) -> None:
    """Run the migrations up to `revision` inside the connection's transaction."""
    from alembic import command

    config = alembic_config()
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def alembic_config() -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    return config


def _is_missing_table(error: DBAPIError) -> bool:
    return "no such table" in str(error.orig) or type(error.orig).__name__ == "UndefinedTable"


def _use_wal(engine: Engine) -> None:
    """Readers then never wait for a writer. The mode is a property of the file, so it is set once."""
    with engine.connect().execution_options(**OUTSIDE) as connection:
        connection.exec_driver_sql("PRAGMA journal_mode = WAL")


def _saved_copy(location: Location, revision: str) -> str:
    """Copy a file as it is before its upgrade, while its write lock is held; in words, where that is.

    Whoever runs a server has copies of their own, and the upgrade is one transaction there.
    """
    if location.path is None:
        return ""
    copy = Path(f"{location.path}.before-{REVISION}")
    half = Path(f"{copy}.{os.getpid()}")
    try:
        with closing(sqlite3.connect(f"{location.path.as_uri()}?mode=ro", uri=True)) as connection:
            connection.execute("VACUUM INTO ?", (str(half),))
        os.replace(half, copy)
    except (sqlite3.Error, OSError) as error:
        half.unlink(missing_ok=True)
        raise DatabaseError(
            f"database {location.name}: has the older schema {revision}, and the copy {copy} that is kept of it before"
            f" an upgrade cannot be made ({error}); free some space or fix its folder's permissions"
        ) from error
    return f"; {copy} is a copy from before"


def _newest_anytile(engine: Engine) -> str:
    """The newest version that a record was made with, if it is newer than this one, and tables still say it."""
    try:
        with engine.connect() as connection:
            found = connection.execute(text("SELECT DISTINCT anytile FROM tool_versions")).scalars().all()
    except (OperationalError, ProgrammingError):
        return ""
    known = [version for version in (__version__, *found) if re.fullmatch(r"\d{1,9}(\.\d{1,9}){1,3}", version)]
    newest = max(known, key=lambda version: tuple(map(int, version.split("."))), default=__version__)
    return "" if newest == __version__ else newest


def _refuse_unknown(location: Location, found: str, newest: str) -> NoReturn:
    to = f"anytile to {newest} or newer" if newest else "anytile"
    raise DatabaseError(
        f"database {location.name}: has schema revision {found!r}, this anytile {__version__} knows up to {REVISION!r};"
        f" upgrade {to} (pip install --upgrade anytile), or give another one with --db"
    )


def _refuse_strangers(connection: Connection, location: Location) -> None:
    """A database with other tables belongs to another program: do not mix ours in, unless ours alone are missing."""
    tables = set(inspect(connection).get_table_names()) - {"alembic_version"}
    if tables and found_revision(connection) is None:  # asked second: another process may be making them just now
        known = tables & set(Base.metadata.tables)
        other = f"belongs to another program (it has a table {min(tables)!r})"
        what = "has anytile's tables but no revision" if known else other
        raise DatabaseError(f"database {location.name}: {what}; give another one with --db")
