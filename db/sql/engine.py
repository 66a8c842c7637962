"""Database connections: what a URL means, how SQLite is set up, and every driver error in one line of our own.

Writers take SQLite's write lock when they begin (`BEGIN IMMEDIATE`), never half-way, so a transaction either waits its
turn or has not started; `retrying` waits for as long as it was told and then says so. A server may go away and come
back: what it was asked is asked again, for a few seconds, and then it is `Unreachable`; so nobody asks whether it is
there before he asks. Every statement has a timeout.
"""

from __future__ import annotations

import json
import logging
import os
import random
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError, SQLAlchemyError

from anytile.core.errors import DatabaseError, Unreachable
from anytile.db.packaged import place as packaged
from anytile.db.sql.names import in_environment, is_journal, no_database
from anytile.db.sql.url_words import HARMLESS, is_path, masked

T = TypeVar("T")
BEGIN = "anytile_begin"  # execution option: the statement that begins a SQLite transaction; "" for none
WRITES = {BEGIN: "BEGIN IMMEDIATE"}
OUTSIDE = {BEGIN: ""}
BUSY_TIMEOUT_S = 5.0
CONNECT_TIMEOUT_S = 10
STATEMENT_TIMEOUT_S = 60
_CACHE_KIB = 65536  # at most, of a connection: indexes that do not fit are written over and over by who stores much
SYNCHRONOUS = "FULL"  # of SQLite: a commit survives power failure, not just our own death
RECONNECT_S = 5.0  # for so long a server that let go of us is asked again
_POOLED, _POOL_AT_MOST = 5, 20  # connections of one process to a server
EXPECTED = "expected a file path, sqlite:///path or postgresql://user@host/name"


@dataclass(frozen=True, slots=True)
class Location:
    """Where a database is: a URL for SQLAlchemy, the file if it is one, and a name without passwords for messages."""

    url: URL = field(repr=False)
    path: Path | None
    name: str
    readonly: bool = False
    secrets: tuple[str, ...] = field(default=(), repr=False)  # which a driver's own words must not show


def default_location() -> str:
    """$ANYTILE_DB, else the user's own database."""
    given = in_environment()
    if given:
        return given
    data = os.environ.get("XDG_DATA_HOME", "").strip()
    try:
        return str((Path(data) if data else Path.home() / ".local" / "share") / "anytile" / "tuning.db")
    except RuntimeError:
        raise DatabaseError("this user has no home folder for a database; name one by --db or $ANYTILE_DB") from None


def locate(text: str, readonly: bool = False) -> Location:
    """Understand a path or URL without touching what it names."""
    if text == packaged.WORD:
        return Location(_read_only(str(packaged.FILE), is_frozen=True), packaged.FILE, packaged.NAME, readonly=True)
    if is_journal(text):
        raise no_database(text)
    if is_path(text):
        return _file(text, readonly)
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise DatabaseError(f"database URL {masked(text)!r} cannot be read; {EXPECTED}") from None
    backend = url.get_backend_name()
    if backend == "sqlite":
        if not url.database or url.database == ":memory:" or url.database.startswith("file:"):
            raise DatabaseError(
                f"database {masked(text)!r} is not a file and would forget everything; "
                "give a path, as in sqlite:///tuning.db"
            )
        return _file(url.database, readonly)
    if backend in ("postgresql", "postgres"):
        if url.password is not None and "@" in text.partition("://")[2].partition(":")[2].partition("@")[2]:
            # The rest of the password would be taken for the host, and shown as such.
            raise DatabaseError(
                f"database URL {masked(text)!r} has a second @ behind its password; write an @ in a password as %40"
            )
        url = url.set(drivername="postgresql+psycopg")
        hidden = {name: value for name, value in url.query.items() if name not in HARMLESS}
        shown = url.set(drivername="postgresql").update_query_dict(dict.fromkeys(hidden, "***"))
        if "=" in (url.database or ""):  # which the driver would read as a connection string of its own
            shown, hidden = shown.set(database="***"), hidden | {"dbname": url.database or ""}
        values = [
            url.password,
            *(v for value in hidden.values() for v in ([value] if isinstance(value, str) else value)),
        ]
        secrets = {spelt for value in values if value for spelt in (str(value), quote(str(value), safe=""))}
        name = shown.render_as_string(hide_password=True).replace(quote("***", safe=""), "***")
        return Location(url, None, name, readonly, tuple(secrets))
    raise DatabaseError(f"database {masked(text)!r}: anytile does not speak {backend!r}; {EXPECTED}")


def _file(name: str, readonly: bool) -> Location:
    try:
        if "\0" in name:
            raise ValueError("it has a NUL in it")
        path = Path(name).expanduser()
        is_folder, is_other = path.is_dir(), path.exists() and not path.is_file()
        path = path.absolute()
    except (OSError, ValueError, RuntimeError) as error:  # too long, forbidden, nobody's home
        why = getattr(error, "strerror", None) or error
        raise DatabaseError(f"database {name}: cannot be a file: {why}; {_ELSEWHERE}") from None
    if is_folder:
        raise DatabaseError(f"database {name}: is a folder; give the path of a file in it, as in {path / 'tuning.db'}")
    if is_other:  # a pipe would keep whoever opens it waiting
        raise DatabaseError(f"database {name}: is a pipe or a device, not a file; {_ELSEWHERE}")
    url = URL.create("sqlite", database=str(path))
    if readonly:
        # `immutable` lets SQLite read from a folder where it cannot make its shared-memory file. It would miss what a
        # writer has not yet moved into the main file, so it is used only where no such writer can have been.
        frozen = not os.access(path.parent, os.W_OK, effective_ids=True) and not _size(Path(f"{path}-wal"))
        url = _read_only(str(path), frozen)
    return Location(url, path, str(path), readonly)


def _read_only(path: str, is_frozen: bool) -> URL:
    escaped = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    query = {"uri": "true", "mode": "ro", **({"immutable": "1"} if is_frozen else {})}
    return URL.create("sqlite", database=f"file:{escaped}", query=query)


def make_folder(location: Location) -> None:
    """The folder of a file that is to be written; one that is only read must be there."""
    if location.path is None:
        return
    if location.readonly:
        if not _exists(location.path):
            raise DatabaseError(f"database {location.name}: {_why_not_open(location.path, True)}")
        return
    try:
        location.path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DatabaseError(
            f"database {location.name}: its folder cannot be made ({error.strerror}); give another path with --db"
        ) from error


def _exists(path: Path) -> bool:
    """Where nobody may look, opening says why."""
    try:
        return path.exists()
    except OSError:
        return True


def may_write(engine: Engine, location: Location) -> bool:
    """Whether this user may add rows, as the file's permissions or the server's roles say."""
    if location.path is not None:
        both = (location.path, location.path.parent)
        return all(os.access(path, os.W_OK, effective_ids=True) for path in both)
    asked = text("SELECT has_table_privilege('trials', 'INSERT') AND NOT pg_is_in_recovery()")

    def look() -> bool:
        with for_reading(engine).connect() as connection:
            return bool(connection.execute(asked).scalar())

    return retrying(location, RECONNECT_S, look)


def size_of(location: Location) -> int | None:
    """Bytes on disk, what has not reached the main file yet included; None for a server."""
    return None if location.path is None else _size(location.path) + _size(Path(f"{location.path}-wal"))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def make_engine(location: Location) -> Engine:
    """An engine that has not connected yet."""
    if location.path is None:
        waiting = {} if "connect_timeout" in location.url.query else {"connect_timeout": CONNECT_TIMEOUT_S}
        try:
            engine = create_engine(
                location.url,
                connect_args=waiting,
                use_native_hstore=False,  # which every new connection would ask after
                pool_size=_POOLED,
                max_overflow=_POOL_AT_MOST - _POOLED,
                **_JSON,
            )
        except (ModuleNotFoundError, NoSuchModuleError):
            raise DatabaseError(
                f"database {location.name}: PostgreSQL needs psycopg; pip install 'anytile[postgres]'"
            ) from None
        event.listen(engine, "connect", partial(_set_up_server, location))
        _keep_quiet("psycopg")  # of a connection that it lost: `translating` says it
        return engine
    arguments = {"timeout": BUSY_TIMEOUT_S, "check_same_thread": False}
    engine = create_engine(location.url, connect_args=arguments, max_overflow=-1, **_JSON)
    event.listen(engine, "connect", _set_up_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def for_reading(engine: Engine) -> Engine:
    """The same connections for whoever reads. A server's statements each see what is committed when they begin, in a
    transaction or not, and a transaction is two round trips more."""
    return engine if engine.dialect.name == "sqlite" else engine.execution_options(isolation_level="AUTOCOMMIT")


def _keep_quiet(logger: str) -> None:
    """What a library warns of goes to whoever set logging up, and not to stderr where nobody did."""
    found = logging.getLogger(logger)
    if not found.handlers:
        found.addHandler(logging.NullHandler())


# NaN is not JSON, and PostgreSQL would refuse it. One encoder for all: making one takes longer than a row does.
as_json = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode


def _read_json(text: str) -> Any:
    """What cannot be read is nothing, which no record is made of: one that somebody spoilt is left out, and the others
    are there."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


_JSON: dict[str, Any] = {"json_serializer": as_json, "json_deserializer": _read_json}


def _set_up_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # we begin transactions ourselves: the driver's own begin is a deferred one
    cursor = connection.cursor()
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute(f"PRAGMA synchronous = {SYNCHRONOUS}")
    cursor.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    cursor.close()


def _set_up_server(location: Location, connection: Any, _record: object) -> None:
    """What the URL says itself, in its `options`, goes before."""
    said = str(location.url.query.get("options", ""))
    settings = {"statement_timeout": f"{STATEMENT_TIMEOUT_S}s", "idle_in_transaction_session_timeout": "10min"}
    settings["jit"] = "off"  # our statements are probes of indexes; compiling one of many parts takes seconds
    if location.readonly:
        settings["default_transaction_read_only"] = "on"
    connection.autocommit = True
    connection.execute("; ".join(f"SET {name} = '{value}'" for name, value in settings.items() if name not in said))
    connection.autocommit = False


def _begin_sqlite(connection: Connection) -> None:
    statement = connection.get_execution_options().get(BEGIN, "BEGIN")
    if statement:
        connection.exec_driver_sql(statement)


def is_busy(error: DBAPIError) -> bool:
    """Whether trying the same transaction again can succeed at once: a lock, a deadlock, a serialisation failure."""
    if getattr(error.orig, "sqlstate", None) in ("40001", "40P01", "55P03"):
        return True
    text = str(error.orig)
    return any(sign in text for sign in ("database is locked", "database table is locked", "locking protocol"))


# Classes of connection exceptions, and a server that shuts down, crashes, starts up, lets go of who is idle or has no
# connection left.
_LOST = ("08", "57P01", "57P02", "57P03", "57P05", "53300")


def is_lost(error: DBAPIError) -> bool:
    """Whether a server could not be reached, or let go of us; not where it refused who we are."""
    state = getattr(error.orig, "sqlstate", None)
    if state is not None:
        return str(state).startswith(_LOST)
    return error.connection_invalidated or any(sign in str(error.orig) for sign in _LOST_SIGNS)


_LOST_SIGNS = (
    "Connection refused", "server closed the connection", "connection is closed", "connection is lost",
    "connection timeout", "timeout expired", "the database system is", "could not connect", "No route to host",
    "Connection reset", "Connection timed out", "Network is unreachable", "terminating connection",
    "too many clients", "connection slots are reserved", "too many connections",
)  # fmt: skip


def retrying(location: Location, patience_s: float, work: Callable[[], T], reconnect_s: float = RECONNECT_S) -> T:
    """Do `work`, again and again while another process holds the database, for at most `patience_s`.

    A server that went away is asked again for `reconnect_s`. What `work` adds, it adds by id, so that a commit whose
    answer was lost may be done again.
    """
    began = time.monotonic()
    delay = 0.002
    while True:
        try:
            with translating(location):
                return work()
        except _Busy as busy:
            if time.monotonic() - began >= patience_s:
                raise DatabaseError(
                    f"database {location.name}: another process has kept it locked for {patience_s:g} s; "
                    f"see who has it open and try again"
                ) from busy
        except Unreachable:
            if time.monotonic() - began >= min(reconnect_s, patience_s):
                raise
            delay = max(delay, 0.1)
        time.sleep(delay * random.uniform(0.5, 1.5))  # apart, so that waiting processes do not meet again
        delay = min(delay * 2, 0.25)


class ForeignText(DatabaseError):
    """A text in a file is not UTF-8: somebody else wrote it, or the file is damaged."""


def take_any_text(connection: Connection) -> None:
    """Read such texts as others, with what no record may hold in place of what is no UTF-8. It is slower."""
    driver: Any = connection.connection.driver_connection
    driver.text_factory = lambda data: data.decode("utf-8", "surrogateescape")


class _Busy(DatabaseError):
    """Somebody else is writing; only `retrying` sees this."""


@contextmanager
def translating(location: Location) -> Iterator[None]:
    """Turn a driver's error into one line with the next step."""
    try:
        yield
    except DBAPIError as error:
        if is_busy(error):
            raise _Busy(f"database {location.name}: is locked by another process; try again") from error
        if isinstance(error.orig, sqlite3.OperationalError) and not hasattr(error.orig, "sqlite_errorcode"):
            # SQLite itself found nothing wrong.
            raise ForeignText(f"database {location.name}: {_DAMAGED}") from error
        kind = Unreachable if location.path is None and is_lost(error) else DatabaseError
        raise kind(f"database {location.name}: {_advice(location, error)}") from error
    except UnicodeDecodeError as error:
        raise ForeignText(f"database {location.name}: {_DAMAGED}") from error
    except SQLAlchemyError as error:
        raise DatabaseError(f"database {location.name}: {_driver_words(location, error)}") from error


_ELSEWHERE = "give another path with --db"
_NOT_ONE = f"is not a SQLite database; {_ELSEWHERE}, or move this file away"
_FULL = "the disk is full; free some space and run the command again (what was stored before is safe)"
_DAMAGED = "is damaged; restore a copy, or rescue what can still be read: `anytile db recover FILE -o NEW`"
_ADVICE = {
    "file is not a database": _NOT_ONE,
    "file is encrypted": _NOT_ONE,
    "malformed": _DAMAGED,
    "readonly database": f"cannot be written: the file is read-only; fix its permissions or {_ELSEWHERE}",
    "database or disk is full": _FULL,
    "No space left": _FULL,
    "disk I/O error": "the disk failed while reading or writing; check it, and run the command again",
}


def _advice(location: Location, error: DBAPIError) -> str:
    text = str(error.orig)
    for sign, advice in _ADVICE.items():
        if sign in text:
            return advice
    if "unable to open database file" in text and location.path is not None:
        return _why_not_open(location.path, location.readonly)
    if isinstance(error, IntegrityError):
        return (
            f"a record names another that is not there ({_driver_words(location, error.orig)}); add its campaign first"
        )
    if "no such table" in text or "no such column" in text or "UndefinedTable" in type(error.orig).__name__:
        return f"lacks part of its tables ({_driver_words(location, error.orig)}); {_ELSEWHERE}"
    state = getattr(error.orig, "sqlstate", None)
    if state in ("42501", "25006"):  # no privilege; a transaction that may only read
        said = _driver_words(location, error.orig)
        return f"this user may only read it ({said}); ask for the right to write, or {_ELSEWHERE}"
    if state == "57014":
        return f"a statement took more than {STATEMENT_TIMEOUT_S} s; ask for less, or see what the server is doing"
    if location.path is None:
        return f"{_driver_words(location, error.orig)}; check the URL, and that the server is running and lets you in"
    return f"{_driver_words(location, error.orig)}; if this stays, {_ELSEWHERE}"


def _why_not_open(path: Path, readonly: bool) -> str:
    if readonly and not _exists(path):
        return f"does not exist; tune something first, or {_ELSEWHERE}"
    if not _exists(path.parent):
        return f"the folder {path.parent} does not exist; make it, or {_ELSEWHERE}"
    if _exists(path) and not os.access(path, os.R_OK, effective_ids=True):
        return f"may not be read by this user; fix its permissions or {_ELSEWHERE}"
    if not os.access(path.parent, os.W_OK, effective_ids=True):
        return f"cannot be written: the folder {path.parent} is read-only; fix its permissions or {_ELSEWHERE}"
    return f"cannot be opened; fix its permissions or {_ELSEWHERE}"


def _driver_words(location: Location, error: object) -> str:
    """The first line of what a driver says, without what is secret of the URL."""
    line = (str(error).strip().splitlines() or [type(error).__name__])[0]
    for secret in sorted(location.secrets, key=len, reverse=True):
        line = line.replace(secret, "***")
    return line
