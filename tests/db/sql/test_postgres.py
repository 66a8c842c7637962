"""What only a PostgreSQL server does: roles, timeouts, going away and coming back. All else runs on both kinds.

`scripts/postgres scripts/test tests/db` starts a server for them, or set $ANYTILE_TEST_POSTGRES to an empty database's
URL. What stops a server starts one of its own.
"""

from __future__ import annotations

import dataclasses
import multiprocessing
import os
import re
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import make_url, text
from sqlalchemy.exc import OperationalError

from anytile.core.errors import DatabaseError, Unreachable
from anytile.db.exchange import merge
from anytile.db.lookup.ladder import Rung, lookup
from anytile.db.overview.standings import best
from anytile.db.records.records import new_id
from anytile.db.sql import schema
from anytile.db.sql.engine import locate, make_engine
from anytile.db.sql.models import REVISION, REVISIONS, Base
from anytile.db.sql.schema import found_revision
from anytile.db.store import Store
from anytile.schedules.plans.plan import DispatchPlan, Range, Variant
from tests.support.stand_ins.postgres_server import PostgresServer

pytestmark = pytest.mark.postgres


@pytest.fixture
def url() -> Iterator[str]:
    given = os.environ["ANYTILE_TEST_POSTGRES"]
    schema = f"anytile_test_{uuid.uuid4().hex}"
    engine = make_engine(locate(given))
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {schema}"))
    mine = make_url(given).update_query_dict({"options": f"-csearch_path={schema}"})
    yield mine.render_as_string(hide_password=False)
    with engine.begin() as connection:
        connection.execute(text(f"DROP SCHEMA {schema} CASCADE"))
    engine.dispose()


def test_records_come_back_as_they_were(url, samples):
    trials = [samples.trial(), samples.failed(reason="a\0b"), samples.trial(versions=None, device="")]
    with Store.open(url) as store:
        store.add_campaign(samples.campaign)
        for _ in range(2):
            store.add_trials(trials)
            store.add_selection(samples.selection())
            store.record_miss(samples.workload, samples.target)
        store.update_campaign(samples.campaign.id, state="finished", finished=3.0)
    with Store.open(url) as store:
        assert store.trials()[::2] == trials[::2]
        assert store.campaign(samples.campaign.id[:9]).state == "finished"
        assert store.misses()[0].count == 2
        assert (store.stats().trials, store.stats().bytes) == (3, None)
        assert list(store.each_trial()) == sorted(store.trials(), key=lambda t: t.id)
        with pytest.raises(DatabaseError, match="add its campaign first"):
            store.add_trials([samples.trial(), samples.trial(campaign_id=new_id())])
        assert len(store.trials()) == 3


def test_the_models_match_the_migrations(url):
    with Store.open(url) as store:
        assert store.read(found_revision) == REVISION
        found = store.read(
            lambda c: compare_metadata(MigrationContext.configure(c, opts={"compare_type": True}), Base.metadata)
        )
    assert found == []


def test_lookup(url, samples):
    with Store.open(url) as store:
        assert lookup(store, samples.workload, samples.target, samples.versions).rung is Rung.DEFAULT
        store.add_campaign(samples.campaign)
        store.add_trials([samples.trial(config=samples.config(tile_m=6))])
        answer = lookup(store, samples.workload, samples.target, samples.versions)
        assert (answer.rung, answer.config) == (Rung.EXACT, samples.config(tile_m=6))
        other = dataclasses.replace(samples.target, options=(("mcpu", "skylake-avx512"), ("threads", "2")))
        assert lookup(store, samples.workload, other, samples.versions).rung is Rung.COMPATIBLE


def test_a_lookup_asks_a_server_twice_and_nothing_more(url, samples, tmp_path):
    """Which versions there are, and what was made with those that serve; each question is a round trip."""
    variant, whole = Variant("dense.cpu", samples.config(), 8, ()), Range(0, None, 0, 1e-4, 64, "fastest here")
    plan = DispatchPlan(samples.workload, samples.target, "m", (variant,), (whole,), {})
    with Store.open(url) as store:
        store.add_campaign(samples.campaign)
        store.add_selection(samples.selection(plan.to_json()))
    said = tmp_path / "said"
    with Store.open(url, readonly=True) as store, said.open("w") as file:
        server = store.read(lambda c: c.connection.driver_connection.pgconn)
        server.trace(file.fileno())
        answer = lookup(store, samples.workload, samples.target, samples.versions)
        server.untrace()
    assert (answer.rung, answer.dispatch_plan) == (Rung.EXACT, plan)
    assert re.findall(r"^.*\tF\t\d+\t(Query|Sync)\b", said.read_text(), re.MULTILINE) == ["Query", "Sync"]


@pytest.mark.sqlite
def test_merge_from_sqlite(url, store, samples):
    store.add_campaign(samples.campaign)
    store.add_trials([samples.trial(), samples.failed()])
    store.record_miss(samples.workload, samples.target)
    with Store.open(url) as team:
        for _ in range(2):
            merge(team, store)
        assert (team.trials(), team.misses(), team.campaigns()) == (store.trials(), store.misses(), store.campaigns())


@pytest.mark.slow
def test_eight_processes_make_and_fill_one_database(url, samples):
    fork = multiprocessing.get_context("fork")
    barrier = fork.Barrier(8)
    made = [[samples.trial() for _ in range(10)] for _ in range(8)]

    def work(trials: list) -> None:
        barrier.wait()
        with Store.open(url) as store:
            store.add_campaign(samples.campaign)
            for t in trials:
                store.add_trials([t])
                store.record_miss(t.workload, t.target)

    processes = [fork.Process(target=work, args=(trials,), daemon=True) for trials in made]
    for p in processes:
        p.start()
    for p in processes:
        p.join(120)
    assert [p.exitcode for p in processes] == [0] * 8
    with Store.open(url) as store:
        assert {t.id for t in store.trials()} == {t.id for trials in made for t in trials}
        assert store.misses()[0].count == 80


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """A server of the tests' own, to be stopped."""
    with PostgresServer(("fsync=off",)) as made:
        yield made


@pytest.fixture
def team(server: PostgresServer) -> str:
    name = f"team_{uuid.uuid4().hex}"
    server.sql(f"CREATE DATABASE {name}")
    return name


@pytest.mark.slow
def test_a_server_that_comes_back_is_asked_again(server, team, samples):
    with Store.open(server.url(team)) as store:
        store.add_campaign(samples.campaign)
        server.stop()
        later = threading.Timer(0.5, server.start)
        later.start()
        trial = samples.trial()
        store.add_trials([trial])
        later.join()
        assert store.trials() == [trial]


@pytest.mark.slow
@pytest.mark.parametrize("is_ended", [True, False])
def test_whom_a_server_let_go_of_is_not_told(server, team, samples, is_ended):
    """Nobody asks it beforehand whether the connection is still there: somebody ended it, or it was idle for long."""
    trial = samples.trial()
    if not is_ended:
        server.sql(f"ALTER DATABASE {team} SET idle_session_timeout = '200ms'")
    with Store.open(server.url(team)) as store:
        store.add_campaign(samples.campaign)
        asked = (lambda: store.add_trials([trial]), store.trials, store.may_write)
        for one, answer in zip(asked, (None, [trial], True), strict=True):
            if is_ended:
                server.sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{team}'")
            else:
                time.sleep(0.5)
            assert one() == answer


@pytest.mark.slow
def test_a_server_that_stays_away_is_unreachable_soon_and_lookup_answers(server, team, samples):
    with Store.open(server.url(team)) as store:
        store.add_campaign(samples.campaign)
        server.stop()
        try:
            began = time.monotonic()
            with pytest.raises(Unreachable, match="check the URL, and that the server is running") as caught:
                store.add_trials([samples.trial()])
            assert server.password not in str(caught.value)
            assert time.monotonic() - began < 20
            answer = lookup(store, samples.workload, samples.target, samples.versions)
            assert answer.rung is Rung.DEFAULT
            assert "The records could not be read (database postgresql://" in answer.why()
            began = time.monotonic()
            with pytest.raises(Unreachable):
                Store.open(server.url(team))
            assert time.monotonic() - began < 5  # who has a wrong URL need not wait
        finally:
            server.start()
        assert store.trials() == []


@pytest.fixture
def older(server: PostgresServer, team: str, samples) -> str:
    """A database as the first anytile left it, with a campaign, a trial and a plan."""
    url = server.url(team)
    engine = make_engine(locate(url))
    with engine.begin() as connection:
        schema.migrate(connection, REVISIONS[0])
    with Store(engine, locate(url), revision=REVISIONS[0]) as store:
        store.add_campaign(samples.campaign)
        store.add_trials([samples.trial()])
        store.add_selection(samples.selection())
    return url


def test_two_upgrades_of_a_server_at_once(older, samples):
    """One is killed somewhere in it, of the others one upgrades, and readers read what is older meanwhile."""
    fork = multiprocessing.get_context("fork")
    with Store.open(older, readonly=True) as store:
        assert (len(store.trials(sound=True)), store.verdicts(), store.revision) == (1, [], REVISIONS[0])
        assert lookup(store, samples.workload, samples.target, samples.versions).rung is Rung.EXACT
        assert len(best(store).lines) == 1
    killed = fork.Process(target=lambda: Store.open(older).close(), daemon=True)
    killed.start()
    time.sleep(0.05)
    killed.kill()
    killed.join(30)
    barrier = fork.Barrier(3)

    def work() -> None:
        barrier.wait(30)
        with Store.open(older) as store:
            assert len(store.trials()) == 1

    processes = [fork.Process(target=work, daemon=True) for _ in range(3)]
    for p in processes:
        p.start()
    for p in processes:
        p.join(60)
    assert [p.exitcode for p in processes] == [0] * 3
    with Store.open(older) as store:
        assert (len(store.trials()), len(store.selections()), store.revision) == (1, 1, REVISION)
        assert store.read(lambda c: c.execute(text("SELECT count(*) FROM alembic_version")).scalar()) == 1


def test_a_newer_server_is_refused_with_the_version_to_install(server, team, samples):
    with Store.open(server.url(team)) as store:
        store.add_campaign(samples.campaign)
        store.add_trials([samples.trial(versions=dataclasses.replace(samples.versions, anytile="0.10.0"))])
    server.sql("UPDATE alembic_version SET version_num = '0999'", team)
    for readonly in (False, True):
        with pytest.raises(DatabaseError, match=r"upgrade anytile to 0.10.0 or newer \(pip") as caught:
            Store.open(server.url(team), readonly=readonly)
        assert server.password not in str(caught.value)


@pytest.mark.slow
def test_a_server_that_has_no_connection_left_is_away_for_now(samples):
    """So a campaign goes on, and its records wait."""
    with PostgresServer(("fsync=off", "max_connections=4", "superuser_reserved_connections=0")) as server:
        others = make_engine(locate(server.url()))
        with Store.open(server.url(), patience_s=0.2) as store, ExitStack() as taken:
            store.add_campaign(samples.campaign)
            mine = taken.enter_context(others.connect().execution_options(isolation_level="AUTOCOMMIT"))
            store._engine.dispose()
            there = text("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'")
            while mine.execute(there).scalar() != 1:  # those that are closed end in a while
                time.sleep(0.01)
            with suppress(OperationalError):  # the server's own take some
                for _ in range(3):
                    taken.enter_context(others.connect())
            with pytest.raises(Unreachable, match="too many clients"):
                store.add_trials([samples.trial()])
        others.dispose()


def test_a_reader_may_look_up_and_not_record(server, team, samples):
    with Store.open(server.url(team)) as store:
        store.add_campaign(samples.campaign)
        store.add_trials([samples.trial(config=samples.config(tile_m=6))])
    role = f"reader_{uuid.uuid4().hex}"
    server.sql(
        f"CREATE ROLE {role} LOGIN PASSWORD 'looking'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}", team
    )
    for readonly in (True, False):
        with Store.open(server.url(team, role, "looking"), readonly=readonly) as store:
            assert lookup(store, samples.workload, samples.target, samples.versions).rung is Rung.EXACT
            with pytest.raises(DatabaseError, match="read") as caught:
                store.add_trials([samples.trial()])
            assert "looking" not in str(caught.value)
            assert "\n" not in str(caught.value)
    with pytest.raises(DatabaseError, match="password authentication failed") as caught:
        Store.open(server.url(team, role, "guessing"))
    assert not isinstance(caught.value, Unreachable)
    assert "guessing" not in str(caught.value)


def test_a_statement_that_takes_too_long_ends(server, team):
    Store.open(server.url(team)).close()  # which takes longer statements, the first time
    slow = make_url(server.url(team)).update_query_dict({"options": "-cstatement_timeout=500ms"})
    with (
        Store.open(slow.render_as_string(hide_password=False)) as store,
        pytest.raises(DatabaseError, match="a statement took more than"),
    ):
        store.read(lambda c: c.execute(text("SELECT pg_sleep(30)")).all())
    with Store.open(server.url(team)) as store:
        assert store.read(lambda c: c.execute(text("SHOW statement_timeout")).scalar()) == "1min"


def test_transactions_that_cannot_be_put_in_an_order_are_done_again(server, team, samples):
    """Two that read what the other writes: PostgreSQL ends one of them, and that one is tried again."""
    tried = []
    barrier = threading.Barrier(2)
    with Store.open(server.url(team)) as store:
        store.add_campaign(samples.campaign)

        def work(connection) -> None:
            connection.execute(text("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"))
            count = connection.execute(text("SELECT count(*) FROM lookup_misses")).scalar()
            tried.append(count)
            if len(tried) <= 2:
                barrier.wait(20)
            connection.execute(
                text("INSERT INTO lookup_misses SELECT :id, w.id, t.id, 1, 0, 0 FROM workloads w, targets t LIMIT 1"),
                {"id": new_id()},
            )

        threads = [threading.Thread(target=store.write, args=(work,)) for _ in range(2)]
        for t in threads:
            t.start()
        for t in threads:
            t.join(60)
        assert sorted(tried) == [0, 0, 1]
        assert store.read(lambda c: c.execute(text("SELECT count(*) FROM lookup_misses")).scalar()) == 2
