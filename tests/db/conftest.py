"""Records to store, and stores to put them in."""

from __future__ import annotations

import itertools
import os
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any as Anything

import pytest
from sqlalchemy import make_url, text

from anytile.db.records.records import Campaign, Ruling, Selection, Status, Trial, Verdict, Versions
from anytile.db.sql.engine import locate, make_engine
from anytile.db.store import Store
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any, Workload
from tests.support.quick_commits import quick_commits as quick_commits


class Samples:
    """Makes records that differ from each other, all of one campaign unless told otherwise."""

    def __init__(self) -> None:
        self.workload: Workload = dense(Any("m"), 768, 768, const=("w",))
        self.target = Target.parse("llvm -mcpu=skylake-avx512 -threads=1")
        self.versions = Versions(anytile="0.1.0", template=1, codegen=1, llvm="22.1.0", python="3.11.7")
        self.campaign = Campaign(
            (self.workload, dense(Any("m"), 3072, 768, const=("w",))), self.target, {"seed": 7, "w": [0.5]}, created=5.0
        )
        self._numbers = itertools.count()

    def config(self, **knobs: int | str) -> Config:
        chosen = Config.of(
            w="panels", tile_m=8, tile_n=3, unroll_k=2, block_k=0, block_n=1, prefetch=0, locality="near"
        )
        return chosen.with_(**knobs)

    def trial(self, **changed: Anything) -> Trial:
        number = next(self._numbers)
        given: dict[str, Anything] = {
            "workload": self.workload,
            "target": self.target,
            "template": "dense.cpu",
            "config": self.config(),
            "point": {"m": 64},
            "status": Status.OK,
            "samples": (3e-4, 1e-4, 2e-4),
            "facts": {"spills": 0.0, "code_bytes": 4096.0},
            "build_seconds": 0.02,
            "drift": 1.25,
            "seed_order": number,
            "versions": self.versions,
            "device": "a machine, 2 cores",
            "campaign_id": self.campaign.id,
            "created": 100.0 + number,
        }
        return Trial(**{**given, **changed})

    def failed(self, status: Status = Status.CRASHED, **changed: Anything) -> Trial:
        return self.trial(**{"status": status, "samples": (), "reason": "signal 11", **changed})

    def selection(self, plan: str = '{"variants": [], "ranges": []}', **changed: Anything) -> Selection:
        given: dict[str, Anything] = {
            "workload": self.workload,
            "target": self.target,
            "plan": plan,
            "versions": self.versions,
            "device": "a machine, 2 cores",
            "campaign_id": self.campaign.id,
            "created": 1000.0 + next(self._numbers),
        }
        return Selection(**{**given, **changed})

    def verdict(self, about: str, ruling: Ruling = Ruling.DRIFTED, **changed: Anything) -> Verdict:
        given: dict[str, Anything] = {
            "workload": self.workload,
            "target": self.target,
            "said": "took 2x as long",
            "ratio": 2.0,
            "versions": self.versions,
            "device": "another machine",
            "created": 2000.0 + next(self._numbers),
        }
        return Verdict(about=about, ruling=ruling, **{**given, **changed})


@pytest.fixture
def samples() -> Samples:
    return Samples()


@pytest.fixture(scope="session")
def make_samples() -> type[Samples]:
    return Samples


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a new database, so that not every test runs the migrations."""
    path = tmp_path_factory.mktemp("empty") / "tuning.db"
    Store.open(str(path)).close()
    return path.read_bytes()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """What is about databases runs on each kind, unless it is about SQLite's file."""
    if "database" in metafunc.fixturenames:
        kinds = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]
        only = metafunc.definition.get_closest_marker("sqlite") is not None
        metafunc.parametrize("database", kinds[:1] if only else kinds, indirect=True)


@pytest.fixture
def database(request: pytest.FixtureRequest, tmp_path: Path, empty_database: bytes) -> Iterator[Callable[[str], str]]:
    """The URL of an empty database, by name; a name is the same database within a test."""
    if request.param == "sqlite":

        def in_file(name: str) -> str:
            path = tmp_path / name
            if not path.exists():
                path.write_bytes(empty_database)
            return str(path)

        yield in_file
        return
    made: dict[str, str] = {}
    given = os.environ["ANYTILE_TEST_POSTGRES"]
    engine = make_engine(locate(given))

    def in_schema(name: str) -> str:
        if name not in made:
            schema = f"anytile_test_{uuid.uuid4().hex}"
            with engine.begin() as connection:
                connection.execute(text(f"CREATE SCHEMA {schema}"))
            made[name] = schema
            Store.open(_in_schema(given, schema)).close()
        return _in_schema(given, made[name])

    yield in_schema
    with engine.begin() as connection:
        for schema in made.values():
            connection.execute(text(f"DROP SCHEMA {schema} CASCADE"))
    engine.dispose()


def _in_schema(url: str, schema: str) -> str:
    mine = make_url(url).update_query_dict({"options": f"-csearch_path={schema}"})
    return mine.render_as_string(hide_password=False)


@pytest.fixture
def open_store(database: Callable[[str], str]) -> Iterator[Callable[..., Store]]:
    """Open a store by name; all are closed again."""
    stores: list[Store] = []

    def make(name: str = "tuning.db", **options: Anything) -> Store:
        stores.append(Store.open(database(name), **options))
        return stores[-1]

    yield make
    for store in stores:
        store.close()


@pytest.fixture
def store(open_store: Callable[..., Store]) -> Store:
    return open_store()
