"""Whatever is wrong with a database is one line that says what to do, and never a half-written record."""

from __future__ import annotations

import dataclasses
import importlib
import io
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import event

from anytile.api import reading
from anytile.core.errors import DatabaseError
from anytile.db.exchange import export_lines
from anytile.db.lookup.ladder import Rung, lookup
from anytile.db.records.codecs import now
from anytile.db.records.records import new_id
from anytile.db.sql.engine import locate
from anytile.db.store import Store

NOBODY = 65534


def complaint(attempt: Callable[[], object]) -> str:
    """The one line of the DatabaseError that the attempt raises."""
    with pytest.raises(DatabaseError) as caught:
        attempt()
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith(("database ", "campaign "))
    return text


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that other users can reach, unlike pytest's own."""
    made = Path(tempfile.mkdtemp())
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.fixture
def as_nobody() -> Iterator[Callable[[], None]]:
    """Give up root's right to write everywhere, until the test ends."""
    mine = os.geteuid()

    def drop() -> None:
        if mine == 0:
            os.seteuid(NOBODY)

    yield drop
    if mine == 0:
        os.seteuid(mine)


def test_not_a_database(tmp_path):
    path = tmp_path / "notes.db"
    path.write_text("dear diary, " * 1000)
    before = path.read_bytes()
    for readonly in (False, True):
        text = complaint(lambda readonly=readonly: Store.open(str(path), readonly=readonly))
        assert "is not a SQLite database" in text
        assert "--db" in text
    assert path.read_bytes() == before


def test_a_database_of_another_program(tmp_path):
    path = tmp_path / "photos.db"
    with sqlite3.connect(path) as raw:
        raw.execute("CREATE TABLE photos (id INTEGER)")
    raw.close()
    before = path.read_bytes()
    for readonly in (False, True):
        text = complaint(lambda readonly=readonly: Store.open(str(path), readonly=readonly))
        assert "belongs to another program (it has a table 'photos')" in text
    assert path.read_bytes() == before  # not even its journal mode
    with sqlite3.connect(path) as raw:
        assert raw.execute("SELECT name FROM sqlite_master").fetchall() == [("photos",)]
    raw.close()


@pytest.mark.sqlite
def test_a_damaged_database(open_store, samples, tmp_path):
    with open_store() as store:
        store.add_campaign(samples.campaign)
        store.add_trials(samples.trial() for _ in range(500))
    path = tmp_path / "tuning.db"
    data = bytearray(path.read_bytes())
    data[40 * 4096 : 60 * 4096] = b"\xff" * (20 * 4096)
    path.write_bytes(data)
    with Store.open(str(path)) as store:
        text = complaint(store.trials)
        assert "is damaged" in text
        # an export reads all of it, so it is no way out
        assert complaint(lambda: export_lines(store, io.StringIO())) == text
        assert "export" not in text


DEEP = "[" * 5000 + "]" * 5000


@pytest.mark.sqlite
@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        "trials SET point = '[64]'",
        "trials SET point = '64'",
        "trials SET point = '{}'",
        'trials SET point = \'{"m": "64"}\'',
        "trials SET point = '{\"m\": -64}'",
        "trials SET samples = '{'",
        f"trials SET samples = '{DEEP}'",
        f"trials SET point = '{DEEP}'",
        "trials SET samples = '[1e-300]'",
        "trials SET drift = 1e300",
        "trials SET config = printf('%.*c', 9000, 'x') || '=1'",
        "trials SET samples = 'null'",
        "trials SET samples = '[\"1e-4\"]'",
        "trials SET samples = '[1e999]'",
        "trials SET samples = '[]'",
        "trials SET drift = 0.0",
        "trials SET drift = 'fast'",
        "trials SET facts = '[1]'",
        'trials SET facts = \'{"spills": "many"}\'',
        "trials SET created = 1e300",
        "trials SET created = 'yesterday'",
        "trials SET config = x'80'",
        "selections SET created = -1e300",
        "selections SET plan = x'80'",
    ],
)
def test_a_row_that_somebody_else_wrote_is_left_out(store, samples, tmp_path, change):
    """By hand, or with other tools: neither listing nor lookup fails over it."""
    store.add_campaign(samples.campaign)
    store.add_trials([samples.trial(config=samples.config(tile_m=6))])
    if "selections" in change:
        store.add_selection(samples.selection())
    with sqlite3.connect(tmp_path / "tuning.db") as raw:
        raw.execute(f"UPDATE {change}")
    raw.close()
    assert store.trials() == [] or "selections" in change
    assert list(store.each_trial()) == store.trials()
    assert store.selections() == [] or "plan" in change
    rung = Rung.EXACT if "selections" in change else Rung.DEFAULT
    assert lookup(store, samples.workload, samples.target, samples.versions).rung is rung


@pytest.mark.sqlite
@pytest.mark.parametrize(
    "change",
    [
        "campaigns SET options = '[]'",
        "campaigns SET options = '{'",
        f"campaigns SET options = '{DEEP}'",
        f"campaigns SET options = '{{\"a\": {DEEP[4900:5100]}}}'",
        'campaigns SET options = \'{"a": [{"b": "\\ud800"}]}\'',
        'campaigns SET options = \'{"a": {"\\ud800": 1}}\'',
        "campaigns SET created = 1e300",
        "lookup_misses SET last = 1e300",
    ],
)
def test_what_is_no_campaign_and_no_miss(store, samples, tmp_path, change):
    store.add_campaign(samples.campaign)
    store.record_miss(samples.workload, samples.target)
    with sqlite3.connect(tmp_path / "tuning.db") as raw:
        raw.execute(f"UPDATE {change}")
    raw.close()
    assert (store.campaigns() if "campaigns" in change else store.misses()) == []
    if "campaigns" in change:
        complaint(lambda: store.campaign(samples.campaign.id))


@pytest.mark.sqlite
@pytest.mark.parametrize("name", ["a b.db", "50%25?x#y&.db", "ünï'\".db"])
def test_names_that_need_care(open_store, samples, tmp_path, name):
    open_store(name).add_campaign(samples.campaign)
    assert open_store(name, readonly=True).campaigns() == [samples.campaign]
    assert (tmp_path / name).exists()
    assert {p.name.removesuffix("-wal").removesuffix("-shm") for p in tmp_path.iterdir()} == {name}


@pytest.mark.sqlite
def test_a_newer_schema(open_store, tmp_path):
    open_store().close()
    with sqlite3.connect(tmp_path / "tuning.db") as raw:
        raw.execute("UPDATE alembic_version SET version_num = '0999'")
    raw.close()
    for readonly in (False, True):
        text = complaint(lambda readonly=readonly: open_store(readonly=readonly))
        assert "schema revision '0999'" in text
        assert "upgrade anytile (pip install --upgrade anytile)" in text


@pytest.mark.sqlite
def test_a_newer_schema_names_the_version_to_install(open_store, samples, tmp_path):
    with open_store() as store:
        store.add_campaign(samples.campaign)
        for version in ("0.9.1", "0.10.0", "0.2", "made by hand"):
            store.add_trials([samples.trial(versions=dataclasses.replace(samples.versions, anytile=version))])
    with sqlite3.connect(tmp_path / "tuning.db") as raw:
        raw.execute("UPDATE alembic_version SET version_num = '0999'")
    raw.close()
    assert "upgrade anytile to 0.10.0 or newer (pip" in complaint(lambda: open_store(readonly=True))


def test_wrong_places(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    cases = {
        str(tmp_path / "folder"): "is a folder",
        str(tmp_path / "pipe"): "is a pipe or a device, not a file; give another path with --db",
        "/dev/null": "is a pipe or a device",
        str(tmp_path / "file" / "x.db"): "its folder cannot be made",
        "mysql://root:secret@host/db": "does not speak 'mysql'",
        str(tmp_path / ("x" * 300)): "cannot be a file: File name too long; give another path",
        f"{tmp_path}/a\0b": "cannot be a file: it has a NUL in it",
        f"sqlite:///{tmp_path}/a\0b": "cannot be a file: it has a NUL in it",
        "~nobody42/x.db": "cannot be a file: Could not determine home directory",
        "sqlite://": "is not a file",
        "sqlite:///:memory:": "is not a file",
        "http//:x://y z": "cannot be read",
        "postgresql+nodriver://u:secret@h:notaport/db": "cannot be read",
    }
    for url, expected in cases.items():
        text = complaint(lambda url=url: Store.open(url))
        assert expected in text
        assert "secret" not in text
    assert "does not exist; tune something first" in complaint(
        lambda: Store.open(str(tmp_path / "none.db"), readonly=True)
    )
    assert not (tmp_path / "none.db").exists()


def test_postgresql_without_its_driver(monkeypatch):
    real = importlib.import_module

    def blocked(name: str, package: str | None = None) -> object:
        if name.split(".")[0] == "psycopg":
            raise ModuleNotFoundError("No module named 'psycopg'")
        return real(name, package)

    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.setattr(importlib, "import_module", blocked)
    text = complaint(lambda: Store.open("postgresql://me:secret@localhost/team"))
    assert "pip install 'anytile[postgres]'" in text
    assert "secret" not in text


@pytest.mark.sqlite
@pytest.mark.parametrize("change", ["trials SET config", "trials SET samples", "trials SET point"])
def test_text_that_is_no_utf8_costs_its_row_alone(store, samples, tmp_path, change):
    good, bad = samples.trial(config=samples.config(tile_m=6)), samples.trial(samples=(1e-5,))
    store.add_campaign(samples.campaign)
    store.add_trials([good, bad])
    with sqlite3.connect(tmp_path / "tuning.db") as raw:
        raw.execute(f"UPDATE {change} = CAST(x'7B8022' AS TEXT) WHERE id = ?", (bad.id,))
    raw.close()
    assert store.trials() == list(store.each_trial()) == [good]
    assert lookup(store, samples.workload, samples.target, samples.versions).config == good.config
    more = samples.trial()
    store.add_trials([more])
    assert store.trials() == [good, more]


@pytest.mark.sqlite
def test_a_reason_that_is_no_utf8_costs_nothing(store, samples, tmp_path):
    trial = samples.failed()
    store.add_campaign(samples.campaign)
    store.add_trials([trial])
    with sqlite3.connect(tmp_path / "tuning.db") as raw:
        raw.execute("UPDATE trials SET reason = CAST(x'6180' AS TEXT)")
    raw.close()
    assert [t.reason for t in store.trials()] == ["a\udc80"]


def test_passwords_are_not_shown():
    assert locate("postgresql://me:secret@db.example/team").name == "postgresql://me:***@db.example/team"
    located = locate("postgresql://db.example/team?user=me&password=secret&sslpassword=secret")
    assert "secret" not in located.name
    assert located.url.query["password"] == "secret"  # it is still what connects


def test_a_read_only_file(folder, as_nobody, samples):
    path = folder / "tuning.db"
    with Store.open(str(path)) as store:
        store.add_campaign(samples.campaign)
    path.chmod(0o444)
    folder.chmod(0o555)
    as_nobody()
    try:
        with Store.open(str(path)) as store:  # to be looked at without being told that it is read-only
            assert len(store.campaigns()) == 1
            text = complaint(lambda: store.add_trials([samples.trial()]))
    except DatabaseError as error:
        text = str(error)
    assert "cannot be written" in text
    assert "permissions" in text
    with Store.open(str(path), readonly=True) as store:
        assert store.campaigns() == [samples.campaign]
        assert "is opened read-only" in complaint(lambda: store.add_trials([samples.trial()]))


def test_a_folder_that_nobody_may_enter(folder, as_nobody):
    (folder / "shut").mkdir(mode=0)
    as_nobody()
    for readonly in (False, True):
        said = complaint(lambda readonly=readonly: Store.open(str(folder / "shut" / "x.db"), readonly=readonly))
        assert "cannot be a file: Permission denied; give another path with --db" in said


def test_a_user_without_a_home(monkeypatch):
    def nobody() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("ANYTILE_DB", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", staticmethod(nobody))
    with pytest.raises(DatabaseError, match=r"no home folder for a database; name one by --db or \$ANYTILE_DB"):
        Store.open()
    with reading(None) as store:
        assert store is not None  # and what needs none of one's own is served
        assert store.is_packaged


def test_a_read_only_folder(folder, as_nobody):
    folder.chmod(0o555)
    as_nobody()
    text = complaint(lambda: Store.open(str(folder / "tuning.db")))
    assert "is read-only" in text
    assert "its folder cannot be made (Permission denied)" in complaint(lambda: Store.open(str(folder / "a" / "b.db")))


def test_opened_read_only(open_store, samples, tmp_path):
    open_store().add_campaign(samples.campaign)
    reader = open_store(readonly=True)
    assert reader.campaigns() == [samples.campaign]
    for attempt in (
        lambda: reader.add_trials([samples.trial()]),
        lambda: reader.record_miss(samples.workload, samples.target),
        lambda: reader.update_campaign(samples.campaign.id, state="finished"),
    ):
        assert "is opened read-only" in complaint(attempt)
    (tmp_path / "empty.db").touch()
    assert "is empty" in complaint(lambda: Store.open(str(tmp_path / "empty.db"), readonly=True))


def test_a_reader_sees_what_is_written_after_it_opened(open_store, samples):
    writer = open_store()
    reader = open_store(readonly=True)
    writer.add_campaign(samples.campaign)
    writer.add_trials([samples.trial()])
    assert reader.memo("n", lambda: len(reader.trials())) == 1
    writer.add_trials([samples.trial()])
    assert reader.memo("n", lambda: len(reader.trials())) == 2


@pytest.mark.sqlite
def test_a_full_disk_loses_nothing_that_was_stored(store, samples):
    """SQLite is told that the file may not grow, which is what it meets on a full disk."""
    store.add_campaign(samples.campaign)
    kept = [samples.trial() for _ in range(5)]
    store.add_trials(kept)

    def fill(connection: sqlite3.Connection, *_: object) -> None:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 8}")

    event.listen(store._engine, "checkout", fill)
    text = complaint(lambda: store.add_trials(samples.trial() for _ in range(5000)))
    assert "the disk is full; free some space" in text
    assert store.trials() == kept
    event.remove(store._engine, "checkout", fill)
    store._engine.dispose()
    more = samples.trial()
    store.add_trials([more])
    assert store.trials() == [*kept, more]


@pytest.mark.slow
def test_a_really_full_disk(tmp_path, samples):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(disk)], capture_output=True)
    if mounted.returncode:
        pytest.skip("mounting a small file system needs root")
    try:
        with Store.open(str(disk / "tuning.db")) as store:
            store.add_campaign(samples.campaign)
            kept = [samples.trial()]
            store.add_trials(kept)
            text = complaint(lambda: store.add_trials(samples.trial() for _ in range(5000)))
            assert "the disk is full" in text
            assert store.trials() == kept
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.sqlite
def test_locked_for_too_long(open_store, samples, tmp_path, monkeypatch):
    monkeypatch.setattr("anytile.db.sql.engine.BUSY_TIMEOUT_S", 0.05)
    store = open_store(patience_s=0.2)
    store.add_campaign(samples.campaign)
    holder = sqlite3.connect(tmp_path / "tuning.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    start = time.monotonic()
    text = complaint(lambda: store.add_trials([samples.trial()]))
    assert "locked for 0.2 s" in text
    assert time.monotonic() - start < 10
    assert store.trials() == []  # reading goes on meanwhile
    holder.execute("COMMIT")
    holder.close()
    store.add_trials([samples.trial()])
    assert len(store.trials()) == 1


def test_options_that_are_not_json(store, samples):
    store.add_campaign(samples.campaign)
    for bad in ({"x": float("nan")}, {"x": object()}):
        complaint(lambda bad=bad: store.update_campaign(samples.campaign.id, options=bad))
    assert store.campaign(samples.campaign.id) == samples.campaign


def test_a_server_that_is_not_there():
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    text = complaint(lambda: Store.open("postgresql://me:secret@127.0.0.1:9/team", patience_s=1))
    assert "check the URL, and that the server is running" in text
    assert "secret" not in text


def test_closing_twice_is_fine(open_store, samples):
    store = open_store()
    store.memo("a", lambda: 1)
    store.close()
    store.close()
    assert new_id() != new_id()


@pytest.mark.parametrize("clock", [-5e8, 0.0, 2.6e11, 1e300])
def test_a_clock_beyond_all_bounds_loses_no_record(store, samples, monkeypatch, clock):
    """Before 1970, or after 9999: what is stored then can be read again."""
    monkeypatch.setattr(time, "time", lambda: clock)
    store.add_campaign(dataclasses.replace(samples.campaign, created=0.0))
    store.add_trials([samples.trial(created=0.0)])
    store.add_selection(samples.selection(created=0.0))
    store.record_miss(samples.workload, samples.target)
    store.update_campaign(samples.campaign.id, finished=now())
    assert [len(found) for found in (store.campaigns(), store.trials(), store.selections(), store.misses())] == [1] * 4
    assert 1.0 <= store.trials()[0].created < 253_402_300_800


def test_a_closed_store_neither_reads_nor_writes(open_store, samples):
    store = open_store()
    store.close()
    for attempt in (
        store.trials,
        store.stats,
        lambda: store.add_campaign(samples.campaign),
        lambda: store.memo("a", lambda: 1),
    ):
        assert "is closed; open it again" in complaint(attempt)
    assert open_store().campaigns() == []
