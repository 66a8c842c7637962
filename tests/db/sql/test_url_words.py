"""No password in what is shown of a database, however wrong the URL is, and a hint that can be typed all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from anytile.core.errors import DatabaseError
from anytile.db.sql.engine import locate
from anytile.db.sql.url_words import hinted, is_path, masked
from anytile.db.store import Store


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://h:badport/db?password=SECRET",
        "postgresql://me:SECRET@h:badport/db",
        "postgresql://me:SEC@RET@h:badport/db",
        "postgresql://me:SE?C/RET@h:badport/db",
        "postgresql://me:SEC@RET@h/db",
        "postgresql://me:SEC@RET/x@h/db",
        "postgresql://me:SEC@RET?x@h/db",
        "postgresql//me:SECRET@h/db",
        "postgresql://me:SECRET",
        "mysql://h/db?password=SECRET",
        "mysql://me:SECRET@h/db",
        "sqlite://me:SECRET@h/:memory:",
        "me:SECRET@host/db",
        "postgres:me:SECRET@host/db",
        "host=h user=me password=SECRET",
        "host=h PASSWORD = 'SECRET'",
        "SECRET://x:y",
    ],
)
def test_a_url_that_is_wrong_shows_no_secret(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for attempt in (locate, Store.open):
        with pytest.raises(DatabaseError) as caught:
            attempt(text)
        for part in ("SECRET", "SEC", "RET"):
            assert part not in str(caught.value) or text.startswith("SECRET://")
    assert [*tmp_path.iterdir()] == []  # nor is a file called so
    assert "password" not in masked(text).lower()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("postgresql://me:SECRET@db.example/team", "postgresql://me:***@db.example/team"),
        ("postgres+psycopg://db.example/team?sslmode=require", "postgresql://db.example/team?sslmode=require"),
        ("postgresql://db.example/team?token=SECRET", "postgresql://db.example/team?token=***"),
        ("postgresql://h/host%3Dh password%3DSECRET", None),
        ("postgresql://h/x=1 password=SECRET", None),
    ],
)
def test_a_server_is_named_without_its_secrets(text: str, name: str | None) -> None:
    located = locate(text)
    assert name is None or located.name == name
    assert "SECRET" not in located.name + repr(located)


def test_an_at_in_a_password_is_said() -> None:
    """What followed it was taken for the host, and stood in every message."""
    with pytest.raises(DatabaseError, match="has a second @ behind its password; write an @ in a password as %40"):
        locate("postgresql://me:SEC@RET@h/db")
    assert locate("postgresql://me@corp:SECRET@h/db").name == "postgresql://me%40corp:***@h/db"


def test_a_drivers_own_words_are_masked() -> None:
    pytest.importorskip("sqlalchemy")
    from sqlalchemy.exc import OperationalError

    from anytile.db.sql.engine import translating

    located = locate("postgresql://me:p%40SECRET@db.example/team?sslpassword=OTHER")
    with pytest.raises(DatabaseError) as caught, translating(located):
        raise OperationalError("", {}, Exception("bad conninfo 'password=p@SECRET p%40SECRET sslpassword=OTHER'"))
    assert "SECRET" not in str(caught.value)
    assert "OTHER" not in str(caught.value)
    assert "password=***" in str(caught.value)


@pytest.mark.parametrize(
    ("given", "typed"),
    [
        (None, None),
        ("", ""),
        ("a b.db", "a b.db"),
        ("sqlite:///a:b@c.db", "sqlite:///a:b@c.db"),
        ("postgresql://me@db.example:5432/team?sslmode=require", None),
        ("postgresql://me:SECRET@db.example/team", "postgresql://me@db.example/team"),
        (
            "postgresql://db.example/team?sslmode=require&password=SECRET&user=me",
            "postgresql://db.example/team?sslmode=require&user=me",
        ),
        ("postgresql://:SECRET@db.example/team", "postgresql://db.example/team"),
        ("postgresql://me:SEC@RET@db.example/team", "postgresql://***"),
        ("postgresql://me:SE?C@db.example/team", "postgresql://***"),
        ("postgresql://h/x=1 password=SECRET", "postgresql://***"),
        ("host=h user=me password=SECRET", "***"),
    ],
)
def test_a_hint_is_what_can_be_typed(given: str | None, typed: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANYTILE_DB", raising=False)
    assert hinted(given) == (given if typed is None else typed)
    if given and typed and given != typed:
        monkeypatch.setenv("ANYTILE_DB", given)
        assert hinted(given) is None  # the variable says it, and no command needs to


def test_files_are_named_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("tuning.db", "a=b.db", "bypass.db", "/x/a:b.db", "a b.db"):
        assert is_path(name)
        assert masked(name) == name
    odd = Path("me:x@y")
    assert not is_path(str(odd))
    odd.touch()
    assert is_path(str(odd))
