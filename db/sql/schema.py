"""Schema creation and migration: whether a database has the tables of today. Alembic is imported only to upgrade one.

A database is at one revision of `models.REVISIONS` or it is refused. A new one is made from the models, which is what
all migrations one after another would make of it. Creating and upgrading happen inside one transaction that holds the
write lock, so of several processes that open a new file at once one builds it, the others wait and find it built, and a
killed one leaves nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Column, Connection, Engine, MetaData, PrimaryKeyConstraint, String, Table, insert, inspect, text
from sqlalchemy.exc import DBAPIError, OperationalError, ProgrammingError

from anytile.core.errors import DatabaseError
from anytile.db.sql.engine import OUTSIDE, WRITES, Location, retrying
from anytile.db.sql.models import REVISION, REVISIONS, Base

if TYPE_CHECKING:
    from alembic.config import Config

_ADVISORY_LOCK = 0x616E7974  # any number, as long as every anytile takes the same
_VERSION = Table(  # alembic's own, as it makes it
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)


def ensure_schema(engine: Engine, location: Location, patience_s: float) -> None:
    """Leave the database at `REVISION`, creating or upgrading it where that is allowed; refuse every other one."""

    def look() -> str | None:
        with engine.connect() as connection:
            return found_revision(connection)

    found = retrying(location, patience_s, look, reconnect_s=0.0)  # who has a wrong URL need not wait
    if found == REVISION:
        return
    if found is not None:
        _refuse_unknown(location, found)
    if location.readonly:
        if found is None:
            with engine.connect() as connection:
                _refuse_strangers(connection, location)
            raise DatabaseError(f"database {location.name}: is empty; `tune` fills it, or give another one with --db")
        what = f"has the older schema {found} and is opened read-only"
        raise DatabaseError(f"database {location.name}: {what}; open it for writing once, as `tune` does")

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
                migrate(connection, REVISION)

    retrying(location, patience_s, build)


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


def _refuse_unknown(location: Location, found: str) -> None:
    if found not in REVISIONS:
        raise DatabaseError(
            f"database {location.name}: has schema revision {found!r}, this anytile knows up to {REVISION!r}; "
            f"upgrade anytile, or give another one with --db"
        )


def _refuse_strangers(connection: Connection, location: Location) -> None:
    """A database with other tables belongs to another program: do not mix ours in, unless ours alone are missing."""
    tables = set(inspect(connection).get_table_names()) - {"alembic_version"}
    if tables and found_revision(connection) is None:  # asked second: another process may be making them just now
        known = tables & set(Base.metadata.tables)
        other = f"belongs to another program (it has a table {min(tables)!r})"
        what = "has anytile's tables but no revision" if known else other
        raise DatabaseError(f"database {location.name}: {what}; give another one with --db")
