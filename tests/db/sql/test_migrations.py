"""From the first revision to today's; today's tables are what the models say; opening does without alembic."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from anytile.core.errors import DatabaseError
from anytile.db.exchange import merge
from anytile.db.lookup.ladder import Rung, lookup
from anytile.db.records.records import Ruling, Verdict
from anytile.db.sql import models, schema
from anytile.db.sql.engine import OUTSIDE, WRITES, locate, make_engine
from anytile.db.sql.models import REVISION, REVISIONS, Base
from anytile.db.store import Store


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    engine = make_engine(locate(str(tmp_path / "tuning.db")))
    with engine.connect().execution_options(**WRITES) as connection, connection.begin():
        yield connection
    engine.dispose()


def test_the_revisions_are_those_of_the_scripts():
    scripts = ScriptDirectory.from_config(schema.alembic_config())
    assert scripts.get_current_head() == REVISION
    assert tuple(reversed([s.revision for s in scripts.walk_revisions()])) == REVISIONS


@pytest.mark.parametrize("start", REVISIONS)
def test_every_revision_goes_up_to_the_models_of_today(connection, start):
    schema.migrate(connection, start)
    assert schema.found_revision(connection) == start
    schema.migrate(connection, REVISION)
    context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
    assert compare_metadata(context, Base.metadata) == []


@pytest.mark.sqlite
def test_a_new_database_is_what_the_migrations_make(connection, open_store):
    """To the letter: names of constraints and the order of columns, too."""

    def made(of: Connection) -> list[tuple[str, str]]:
        found = of.execute(text("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"))
        return [(name, " ".join(sql.split())) for name, sql in found]

    schema.migrate(connection, REVISION)
    with open_store("new.db") as store:
        assert store.read(made) == made(connection)
        assert store.read(schema.found_revision) == REVISION


def test_a_difference_would_be_seen(connection):
    schema.migrate(connection, REVISION)
    connection.execute(text("DROP INDEX ix_trials_fastest"))
    connection.execute(text("ALTER TABLE selections DROP COLUMN plan"))
    assert len(compare_metadata(MigrationContext.configure(connection), Base.metadata)) == 2


@pytest.fixture
def tomorrow(tmp_path, monkeypatch):
    """An anytile that knows one more revision."""
    versions = tmp_path / "versions"
    versions.mkdir()
    (versions / "next.py").write_text(
        "import sqlalchemy as sa\nfrom alembic import op\n"
        f"revision = 'next'\ndown_revision = {REVISION!r}\n"
        "def upgrade():\n"
        "    with op.batch_alter_table('trials') as trials:\n"
        "        trials.add_column(sa.Column('note', sa.Text(), nullable=False, server_default='none'))\n"
    )
    ours = schema.alembic_config

    def config():
        made = ours()
        mine = Path(schema.__file__).parent / "migrations" / "versions"
        made.set_main_option("version_locations", f"{mine}\n{versions}")
        made.set_main_option("path_separator", "newline")
        return made

    def become() -> None:
        monkeypatch.setattr(schema, "alembic_config", config)
        monkeypatch.setattr(schema, "REVISION", "next")
        for module in (schema, models):
            monkeypatch.setattr(module, "REVISIONS", (*REVISIONS, "next"))

    return become


def test_a_database_is_upgraded_when_it_is_opened(tomorrow, open_store, samples, tmp_path):
    trial = samples.trial()
    with open_store("old.db") as store:
        store.add_campaign(samples.campaign)
        store.add_trials([trial])
    tomorrow()
    with pytest.raises(DatabaseError, match=rf"older schema {REVISION} .*open it for writing once"):
        open_store("old.db", readonly=True)
    with open_store("old.db") as store:
        assert store.trials() == [trial]
        assert (tmp_path / "old.db.before-next").exists() is not store.is_server
        assert store.read(lambda c: c.execute(text("SELECT note FROM trials")).scalar()) == "none"
        assert store.read(schema.found_revision) == "next"
    with open_store("old.db", readonly=True) as store:
        assert store.trials() == [trial]


def test_an_upgrade_that_fails_leaves_the_old_database(tomorrow, open_store, samples, monkeypatch):
    with open_store("old.db") as store:
        store.add_campaign(samples.campaign)
    tomorrow()
    upgrade = command.upgrade

    def broken(*arguments):
        upgrade(*arguments)
        raise DatabaseError("the power went out")

    monkeypatch.setattr(command, "upgrade", broken)
    with pytest.raises(DatabaseError, match="power"):
        open_store("old.db")
    monkeypatch.setattr(command, "upgrade", upgrade)
    with open_store("old.db") as store:
        assert store.campaigns() == [samples.campaign]


@pytest.fixture
def first_revision(tmp_path, samples):
    """A file as the first anytile left it, with a campaign, a trial and a plan."""
    path = tmp_path / "first.db"
    engine = make_engine(locate(str(path)))
    with engine.connect().execution_options(**OUTSIDE) as raw:
        raw.exec_driver_sql("PRAGMA journal_mode = WAL")
    with engine.connect().execution_options(**WRITES) as connection, connection.begin():
        schema.migrate(connection, REVISIONS[0])
    engine.dispose()
    engine = make_engine(locate(str(path)))
    with Store(engine, locate(str(path)), revision=REVISIONS[0]) as store:
        store.add_campaign(samples.campaign)
        store.add_trials([samples.trial()])
        store.add_selection(samples.selection())
    return path


def test_an_older_database_is_read_as_it_is_and_copied_before_it_is_upgraded(first_revision, samples, capfd):
    before = first_revision.read_bytes()
    with Store.open(str(first_revision), readonly=True) as store:
        assert (len(store.trials()), store.verdicts(), store.stats().revision) == (1, [], REVISIONS[0])
        assert lookup(store, samples.workload, samples.target, samples.versions).rung is Rung.EXACT
        with open_writable(first_revision.with_name("other.db")) as other:
            merge(other, store)
            assert len(other.selections()) == 1
    assert first_revision.read_bytes() == before
    with Store.open(str(first_revision)) as store:
        assert len(store.trials()) == 1
        store.add_verdicts([Verdict(samples.workload, samples.target, store.trials()[0].id, Ruling.HOLDS)])
        assert store.stats().revision == REVISION
    copy = first_revision.with_name(f"first.db.before-{REVISION}")
    said = capfd.readouterr().err
    assert f"upgraded from schema {REVISIONS[0]} to {REVISION}; {copy} is a copy from before" in said
    with Store.open(str(copy), readonly=True) as store:
        assert (len(store.trials()), store.stats().revision) == (1, REVISIONS[0])
    Store.open(str(first_revision)).close()
    assert capfd.readouterr().err == ""  # once


def open_writable(path: Path) -> Store:
    return Store.open(str(path))


def test_without_room_for_a_copy_nothing_is_upgraded(first_revision):
    first_revision.with_name(f"first.db.before-{REVISION}").mkdir()  # in the way
    with pytest.raises(DatabaseError, match=r"older schema 0001, and the copy .* cannot be made") as caught:
        Store.open(str(first_revision))
    assert "\n" not in str(caught.value)
    with Store.open(str(first_revision), readonly=True) as store:
        assert (len(store.trials()), store.stats().revision) == (1, REVISIONS[0])
    assert sorted(p.name for p in first_revision.parent.glob("first.db.before*")) == [f"first.db.before-{REVISION}"]


@pytest.mark.slow
def test_two_upgrades_at_once(first_revision):
    """Of several processes one upgrades, the others wait; nothing is done twice and nothing is lost."""
    fork = multiprocessing.get_context("fork")
    barrier = fork.Barrier(4)

    def work() -> None:
        barrier.wait(30)
        with Store.open(str(first_revision)) as store:
            assert len(store.trials()) == 1

    processes = [fork.Process(target=work, daemon=True) for _ in range(4)]
    for p in processes:
        p.start()
    for p in processes:
        p.join(60)
    assert [p.exitcode for p in processes] == [0] * 4
    with Store.open(str(first_revision)) as store:
        assert (len(store.trials()), store.read(schema.found_revision)) == (1, REVISION)
        assert store.read(lambda c: c.execute(text("SELECT count(*) FROM alembic_version")).scalar()) == 1
    with Store.open(str(first_revision.with_name(f"first.db.before-{REVISION}")), readonly=True) as store:
        assert store.stats().revision == REVISIONS[0]  # and the copy is of before


@pytest.mark.parametrize("moment", [0.0, 0.02, 0.05, 0.1])
def test_an_upgrade_that_is_killed_is_done_by_the_next(first_revision, moment):
    process = multiprocessing.get_context("fork").Process(
        target=lambda: Store.open(str(first_revision)).close(), daemon=True
    )
    process.start()
    time.sleep(moment)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    with Store.open(str(first_revision)) as store:
        assert (len(store.trials()), store.read(schema.found_revision)) == (1, REVISION)


@pytest.mark.slow
def test_opening_does_not_import_alembic(open_store, tmp_path):
    open_store().close()
    code = (
        "import sys; from anytile.db.store import Store\n"
        f"for name in ({str(tmp_path / 'tuning.db')!r}, {str(tmp_path / 'new.db')!r}):\n"
        "    with Store.open(name) as s: s.campaigns(); s.trials(); s.stats()\n"
        "bad = [m for m in ('alembic', 'ray', 'xgboost', 'cupy') if m in sys.modules]\n"
        "sys.exit(', '.join(bad) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
