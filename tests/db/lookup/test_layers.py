"""Several databases in layers: who answers, who is written to, and what is said of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from anytile.core.errors import DatabaseError, Unreachable
from anytile.db.lookup.ladder import Estimate, Rung
from anytile.db.lookup.layers import lookup
from anytile.db.sql.places import may_be_there, places_in
from anytile.db.store import Store
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any

NEAR = dense(Any("m"), 768, 1024, const=("w",))


@pytest.fixture
def mine_and_teams(open_store, samples, database):
    """The user's database, with a workload near to the one that the team's has."""
    with open_store("mine.db") as mine, open_store("team.db") as team:
        for store, workload, tile in ((mine, NEAR, 4), (team, samples.workload, 6)):
            store.add_campaign(samples.campaign)
            store.add_trials([samples.trial(workload=workload, config=samples.config(tile_m=tile))])
    return f"{database('mine.db')};{database('team.db')}"


def test_the_first_layer_that_knows_it_answers(mine_and_teams, database, samples):
    with Store.open(mine_and_teams, readonly=True) as store:
        answer = lookup(store, samples.workload, samples.target, samples.versions)
        assert (answer.rung, answer.config) == (Rung.EXACT, samples.config(tile_m=6))
        assert answer.why().endswith(f"This is from {store.layers[1].name}, layer 2 of 2.")
        mine = lookup(store, NEAR, samples.target, samples.versions)
        assert (mine.rung, mine.config) == (Rung.EXACT, samples.config(tile_m=4))
        assert mine.why().endswith("layer 1 of 2.")
        other = lookup(store, dense(Any("m"), 768, 1000, const=("w",)), samples.target, samples.versions)
        assert other.rung is Rung.NEAREST
        assert "layer 1 of 2." in other.why()  # of equal rungs the earlier
    with Store.open(database("team.db"), readonly=True) as alone:
        assert "layer" not in lookup(alone, samples.workload, samples.target, samples.versions).why()


def test_where_no_layer_knows_anything(open_store, database, samples):
    for name in ("a.db", "b.db"):
        open_store(name).close()
    with Store.open(f"{database('a.db')};{database('b.db')}", readonly=True) as store:
        answer = lookup(store, samples.workload, samples.target, samples.versions)
        assert answer.rung is Rung.DEFAULT
        assert answer.why().startswith(f"Nothing is known in {store.layers[1].name}.")
        ranked = lookup(
            store,
            samples.workload,
            samples.target,
            samples.versions,
            lambda *_: Estimate("dense.cpu", samples.config(), 1, ""),
        )
        assert ranked.rung is Rung.MODEL


def test_writes_go_to_the_first_that_may_be_written(mine_and_teams, samples):
    trial = samples.trial()
    with Store.open(mine_and_teams) as store:
        assert store is store.layers[0]
        store.add_trials([trial])
        store.record_miss(samples.workload, samples.target)
    with Store.open(mine_and_teams, readonly=True) as reading:
        first, second = reading.layers
        assert (len(first.trials()), len(second.trials())) == (2, 1)
        assert (len(first.misses()), len(second.misses())) == (1, 0)


@pytest.mark.sqlite
def test_a_layer_that_cannot_be_written_is_read(mine_and_teams, database, samples, monkeypatch):
    monkeypatch.setattr("anytile.db.store.may_write", lambda engine, location: "mine" not in location.name)
    with Store.open(mine_and_teams) as store:
        assert store is store.layers[1]
        store.add_trials([samples.trial()])
        assert len(store.layers[0].trials()) == 1
        assert lookup(store, NEAR, samples.target, samples.versions).rung is Rung.EXACT
    monkeypatch.setattr("anytile.db.store.may_write", lambda engine, location: False)
    with pytest.raises(DatabaseError, match="mine.db, .*team.db: none may be written by this user"):
        Store.open(mine_and_teams)


@pytest.mark.sqlite
def test_a_layer_that_is_missing_is_said(mine_and_teams, tmp_path, samples):
    with Store.open(f"{tmp_path / 'none.db'};{mine_and_teams}", readonly=True) as store:
        why = lookup(store, samples.workload, samples.target, samples.versions).why()
        assert why.startswith(f"Not asked: database {tmp_path / 'none.db'}: does not exist")
        assert "Tuned for exactly this workload" in why
    with pytest.raises(DatabaseError, match="none.db: does not exist"):
        Store.open(f"{tmp_path / 'none.db'};{tmp_path / 'nor.db'}", readonly=True)
    assert not (tmp_path / "none.db").exists()


@pytest.mark.sqlite
def test_a_server_that_should_be_written_is_not_passed_over(tmp_path):
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    with pytest.raises(Unreachable):
        Store.open(f"postgresql://me@127.0.0.1:9/team;{tmp_path / 'mine.db'}", patience_s=1)


def test_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert places_in("a.db") == ("a.db",)
    assert places_in(" a.db; postgresql://u@h/n?x=1 ;a.db;") == ("a.db", "postgresql://u@h/n?x=1")
    assert places_in("postgresql://me:a;b@h/n") == ("postgresql://me:a;b@h/n",)
    odd = tmp_path / "odd;name.db"
    assert len(places_in(str(odd))) == 2
    odd.touch()
    assert places_in(str(odd)) == (str(odd),)
    with pytest.raises(DatabaseError, match="names none"):
        places_in(";")
    monkeypatch.setenv("ANYTILE_DB", f"{tmp_path / 'x.db'};{odd.name}")
    assert not may_be_there(None)
    (tmp_path / "x.db").touch()
    assert may_be_there(None)
    assert may_be_there("nothing.db;postgresql://u@h/n")
