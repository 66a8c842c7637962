"""From the first revision to today's; today's tables are what the models say; opening does without alembic."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from anytile.core.errors import DatabaseError
from anytile.db.sql import schema
from anytile.db.sql.engine import WRITES, locate, make_engine
from anytile.db.sql.models import REVISION, REVISIONS, Base


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
        monkeypatch.setattr(schema, "REVISIONS", (*REVISIONS, "next"))

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
