"""The same promises on a PostgreSQL server, in a schema of the test's own that is dropped afterwards.

Runs where $ANYTILE_TEST_POSTGRES names a database, such as postgresql://postgres@localhost/anytile_test.
"""

from __future__ import annotations

import dataclasses
import multiprocessing
import os
import uuid
from collections.abc import Iterator

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import make_url, text

from anytile.core.errors import DatabaseError
from anytile.db.exchange import merge
from anytile.db.lookup.ladder import Rung, lookup
from anytile.db.records.records import new_id
from anytile.db.sql.engine import locate, make_engine
from anytile.db.sql.models import REVISION, Base
from anytile.db.sql.schema import found_revision
from anytile.db.store import Store

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


def test_merge_from_sqlite(url, store, samples):
    store.add_campaign(samples.campaign)
    store.add_trials([samples.trial(), samples.failed()])
    store.record_miss(samples.workload, samples.target)
    with Store.open(url) as team:
        for _ in range(2):
            merge(team, store)
        assert (team.trials(), team.misses(), team.campaigns()) == (store.trials(), store.misses(), store.campaigns())


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
