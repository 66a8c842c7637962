"""The set of plans that comes with anytile: how it is made, who is asked it, and that what is shipped can be read."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from anytile import api
from anytile.core.errors import DatabaseError
from anytile.db import packing
from anytile.db.lookup.ladder import Rung
from anytile.db.packaged import place
from anytile.db.packing import MOST_BYTES, main, make
from anytile.db.records.records import Selection, StoredModel
from anytile.db.sql.models import REVISION
from anytile.db.store import Store
from anytile.dispatch.service import look_up, planned, versions_here
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any, Workload

SEVERAL = Target.host(2)
TEMPLATE = template("dense.cpu")


def layer(n: int) -> Workload:
    return dense(Any("m"), n, 768, const=("w",))


def chosen(n: int, created: float = 1e9, tile_m: int = 0) -> Selection:
    target = SEVERAL
    config = TEMPLATE.default(layer(n), target)
    config = config.with_(tile_m=tile_m) if tile_m else config
    plan = single_plan(layer(n), target, TEMPLATE.name, config).to_json()
    return Selection(layer(n), target, plan, versions_here(TEMPLATE.name), "A CPU, 2 cores", created=created)


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_home: Path) -> Path:
    """A set of one plan, as it would lie in the package; nobody names a database."""
    monkeypatch.delenv("ANYTILE_DB")
    monkeypatch.setattr(place, "FILE", tmp_path / "package" / "plans.db")
    monkeypatch.setattr(packing, "FILE", place.FILE)
    place.FILE.parent.mkdir()
    with Store.open(str(tmp_path / "source.db")) as source:
        source.add_selection(chosen(256))
        source.keep_model(StoredModel("llvm", "{}"))
        assert make(source, place.FILE) == 1
    return place.FILE


def test_it_holds_the_plans_that_hold_today_and_no_campaign(tmp_path: Path) -> None:
    good, provisional = chosen(256), chosen(512)
    provisional = replace(provisional, plan=provisional.plan.replace('"notes": {', '"notes": {"provisional": true'))
    assert "provisional" in provisional.plan
    old = replace(chosen(768), versions=replace(good.versions, codegen=good.versions.codegen - 1))
    file = tmp_path / "plans.db"
    with Store.open(str(tmp_path / "source.db")) as source:
        for one in (chosen(256, created=1.0, tile_m=5), good, provisional, old):
            source.add_selection(one)
        source.keep_model(StoredModel("llvm", "some text", 5.0))
        assert make(source, file) == 1
        with Store.open(str(file), readonly=True) as store:
            assert store.selections() == [good]
            assert store.model("llvm") == source.model("llvm")
            assert store.stats().trials == 0
    assert sqlite3.connect(file).execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_one_that_is_too_large_is_not_written(tmp_path: Path) -> None:
    file = tmp_path / "plans.db"
    with Store.open(str(tmp_path / "source.db")) as source:
        source.add_selection(chosen(256))
        source.keep_model(StoredModel("llvm", "x" * MOST_BYTES))
        with pytest.raises(DatabaseError, match="bytes; expected"):
            make(source, file)
    assert not file.exists()


def test_a_first_compile_finds_it_and_makes_no_database(shipped: Path, own_home: Path) -> None:
    answer = api.lookup(layer(256), SEVERAL)
    assert answer.rung is Rung.EXACT
    assert answer.why().endswith(f"template {TEMPLATE.version}, codegen {answer.source.versions.codegen} and LLVM "
                                 f"{answer.source.versions.llvm}.")  # fmt: skip
    assert f"from the packaged set, measured on A CPU, 2 cores ({SEVERAL}) with anytile" in answer.why()
    assert planned(layer(512), SEVERAL)[1].rung is Rung.DEFAULT  # a miss, which nobody notes
    assert list(own_home.rglob("*.db")) == []
    assert {path.name for path in shipped.parent.iterdir()} == {"plans.db"}  # reading left nothing behind


def test_it_speaks_of_what_was_tuned_alone(shipped: Path) -> None:
    """And not for several threads where one was measured: its plans may be slower than untuned ones there."""
    one, three = Target.host(1), Target.host(3)
    with Store.open() as store:
        assert look_up(layer(300), SEVERAL, store).rung is Rung.DEFAULT
        rungs = {look_up(layer(256), target, store).rung for target in (one, three)}
        assert rungs == {Rung.DEFAULT, Rung.COMPATIBLE}


def test_what_was_tuned_for_any_size_speaks_of_each(shipped: Path) -> None:
    with Store.open() as store:
        answer = look_up(dense(1, 256, 768, const=("w",)), SEVERAL, store)
        assert (answer.rung, answer.source.workload) == (Rung.NEAREST, layer(256))
        assert "packaged set, measured on" in answer.why()
        assert look_up(dense(1, 300, 768, const=("w",)), SEVERAL, store).rung is Rung.DEFAULT
        assert look_up(dense(Any("m"), 256, Any("k"), const=("w",)), SEVERAL, store).rung is Rung.DEFAULT


def test_it_lies_below_the_users_own(shipped: Path) -> None:
    with Store.open() as store:
        store.add_selection(chosen(512))
        assert "packaged" not in look_up(layer(512), SEVERAL, store).why()
        assert "packaged set, measured on" in look_up(layer(256), SEVERAL, store).why()
        assert (store.selections()[0].workload, len(store.layers)) == (layer(512), 1)
        near = look_up(layer(700), SEVERAL, store)
        assert (near.rung, near.source.workload) == (Rung.NEAREST, layer(512))  # the user's own
        assert store.model("llvm") is not None  # for campaigns
        assert store.model_id("llvm") is None  # lookups are not to wait for it
    assert "packaged set, measured on" in api.lookup(layer(256), SEVERAL).why()


def test_who_names_a_database_asks_that_alone(shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = tmp_path / "mine.db"
    Store.open(str(mine)).close()
    assert api.lookup(layer(256), SEVERAL, db=mine).rung is Rung.DEFAULT
    assert api.lookup(layer(256), SEVERAL, db=tmp_path / "none.db").rung is Rung.DEFAULT
    assert api.lookup(layer(256), SEVERAL, db=f"{mine};packaged").rung is Rung.EXACT
    with Store.open(f"{mine};packaged", readonly=True) as store:
        assert store.model_id("llvm") is not None
    monkeypatch.setenv("ANYTILE_DB", str(mine))
    assert api.lookup(layer(256), SEVERAL).rung is Rung.DEFAULT
    monkeypatch.setenv("ANYTILE_DB", "packaged")
    assert api.lookup(layer(256), SEVERAL).rung is Rung.EXACT
    with pytest.raises(DatabaseError, match="the packaged set: is only ever read; give another one with --db"):
        Store.open("packaged").record_miss(layer(1), SEVERAL)


def test_a_set_that_cannot_be_read_stops_nobody(shipped: Path) -> None:
    Store.open().close()
    shipped.write_bytes(b"no database at all")
    assert (
        api.lookup(layer(256), SEVERAL)
        .why()
        .startswith("Not asked: database the packaged set: is not a SQLite database")
    )


def test_the_script_makes_it_anew(shipped: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    before = api.lookup(layer(256), SEVERAL).why()
    assert main([]) == 0  # of itself
    assert capsys.readouterr().out.startswith("plans.db: 1 plan, ")
    assert api.lookup(layer(256), SEVERAL).why() == before
    assert main([str(tmp_path)]) == 1
    assert "is a folder" in capsys.readouterr().err


def test_the_script_replaces_it_by_no_empty_one(
    shipped: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    before, typo, empty = shipped.read_bytes(), tmp_path / "typo.db", tmp_path / "empty.db"
    Store.open(str(empty)).close()
    for given, said in ((typo, "does not exist"), (empty, "has no plan that holds today")):
        assert main([str(given)]) == 1
        assert said in capsys.readouterr().err
    assert not typo.exists()
    assert shipped.read_bytes() == before


@pytest.mark.skipif(not place.is_there(), reason="this tree has no packaged set; scripts/packaged makes one")
def test_what_is_shipped_is_small_and_of_today() -> None:
    assert place.FILE.stat().st_size <= MOST_BYTES
    with Store.open(place.WORD, readonly=True) as store:
        found = store.stats()
        assert (found.revision, found.trials, found.campaigns, found.unreadable) == (REVISION, 0, 0, ())
        assert found.selections > 0
        for selection in store.selections():
            assert selection.campaign_id == ""
            assert "/" not in selection.device
