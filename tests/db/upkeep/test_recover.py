"""Whatever page of a file is damaged, every row that lies elsewhere is saved, and what is lost is counted."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest

from anytile.core.errors import DatabaseError, SpecError
from anytile.db.lookup.ladder import Rung, lookup
from anytile.db.records.records import Trial
from anytile.db.store import Store
from anytile.db.upkeep import recover as recovery
from anytile.db.upkeep.leaves import Pages
from anytile.db.upkeep.recover import Recovered, recover

PAGE = 4096


@pytest.fixture
def filled(tmp_path, samples) -> tuple[Path, list[Trial]]:
    """A file with records of every kind and all of it in its main part."""
    path = tmp_path / "old.db"
    trials = [samples.trial(config=samples.config(tile_m=i % 8 + 1)) for i in range(400)]
    with Store.open(str(path)) as store:
        store.add_campaign(samples.campaign)
        store.add_trials(trials)
        store.add_selection(samples.selection())
        store.add_verdicts([samples.verdict(trials[0].id)])
        store.record_miss(samples.workload, samples.target)
    with sqlite3.connect(path) as raw:
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    raw.close()
    return path, trials


def pages_of(path: Path, name: str) -> list[int]:
    """The leaf pages of a table or index: those that hold its rows."""
    with sqlite3.connect(path) as raw:
        try:
            found = raw.execute("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'", (name,)).fetchall()
        except sqlite3.OperationalError:
            pytest.skip("this SQLite has no dbstat, which says what lies on which page")
    raw.close()
    return [number for (number,) in found]


def spoil(path: Path, *pages: int) -> None:
    data = bytearray(path.read_bytes())
    for number in pages:
        data[(number - 1) * PAGE : number * PAGE] = b"\xff" * PAGE
    path.write_bytes(data)


def of(found: list[Recovered], table: str) -> Recovered:
    return next(one for one in found if one.table == table)


def test_of_a_whole_file_nothing_is_lost(filled, samples, tmp_path):
    path, trials = filled
    before = path.read_bytes()
    found = recover(path, tmp_path / "deep" / "new.db")
    assert sum(one.lost + one.loosened for one in found) == 0
    assert path.read_bytes() == before
    with Store.open(str(tmp_path / "deep" / "new.db")) as store, Store.open(str(path), readonly=True) as old:
        assert store.trials() == old.trials() == trials
        assert (store.campaigns(), store.selections(), store.verdicts(), store.misses()) == (
            old.campaigns(), old.selections(), old.verdicts(), old.misses(),
        )  # fmt: skip
        store.add_trials([samples.trial()])
    assert sorted(p.name for p in (tmp_path / "deep").iterdir()) == ["new.db"]


def test_pages_of_trials_cost_the_rows_on_them(filled, samples, tmp_path):
    path, trials = filled
    leaves = pages_of(path, "trials")
    spoil(path, leaves[3], leaves[4], leaves[-1])
    with Store.open(str(path)) as store, pytest.raises(DatabaseError, match="anytile db recover FILE -o NEW"):
        store.trials()
    found = of(recover(path, tmp_path / "new.db"), "trials")
    assert found.saved + found.lost == len(trials)
    assert 0 < found.lost < 60
    with Store.open(str(tmp_path / "new.db")) as store:
        saved = store.trials()
        assert len(saved) == found.saved
        assert {t.id: t for t in saved}.items() <= {t.id: t for t in trials}.items()


@pytest.mark.parametrize("index", ["ix_trials_fastest", "sqlite_autoindex_trials_1", "ix_trials_replay"])
def test_a_damaged_index_costs_nothing(filled, tmp_path, index):
    path, trials = filled
    spoil(path, *pages_of(path, index))
    assert of(recover(path, tmp_path / "new.db"), "trials") == Recovered("trials", len(trials), 0)


@pytest.mark.slow
def test_all_indexes_and_some_rows(filled, tmp_path):
    """Then nobody knows how many rows there were, and those that can be read are saved all the same."""
    path, trials = filled
    indexes = ("ix_trials_fastest", "sqlite_autoindex_trials_1", "ix_trials_replay")
    first_pages = [pages_of(path, index)[0] for index in indexes]
    leaves = pages_of(path, "trials")
    spoil(path, *first_pages, leaves[2], leaves[-1])
    found = of(recover(path, tmp_path / "new.db"), "trials")
    assert len(trials) * 0.8 < found.saved < len(trials)
    assert 0 < found.lost <= len(trials) - found.saved


def test_what_a_lost_row_is_named_by_goes_or_is_loosened(filled, samples, tmp_path):
    path, trials = filled
    spoil(path, *pages_of(path, "campaigns"))
    found = recover(path, tmp_path / "no-campaign.db")
    assert (of(found, "campaigns").saved, of(found, "campaigns").lost) == (0, 1)
    assert (of(found, "trials").saved, of(found, "trials").loosened) == (len(trials), len(trials))
    with Store.open(str(tmp_path / "no-campaign.db")) as store:
        assert {t.campaign_id for t in store.trials()} == {""}
        assert lookup(store, samples.workload, samples.target, samples.versions).rung is Rung.EXACT
    spoil(path, *pages_of(path, "targets"))
    found = recover(path, tmp_path / "no-target.db")
    assert (of(found, "trials").saved, of(found, "trials").lost) == (0, len(trials))


def test_text_that_is_no_utf8_costs_its_row(filled, tmp_path):
    path, trials = filled
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE trials SET config = CAST(x'6180' AS TEXT) WHERE id = ?", (trials[5].id,))
    raw.close()
    assert of(recover(path, tmp_path / "new.db"), "trials") == Recovered("trials", len(trials) - 1, 1)


@pytest.fixture
def cut_off(filled, tmp_path) -> tuple[Path, list[Trial]]:
    """The file without its second half, in which every index ends."""
    path, trials = filled
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // PAGE // 2 * PAGE])
    return path, trials


def test_a_file_that_was_cut_off(cut_off, tmp_path):
    path, trials = cut_off
    saved = of(recover(path, tmp_path / "new.db"), "trials").saved
    assert len(trials) * 0.1 < saved < len(trials) * 0.9
    with Store.open(str(tmp_path / "new.db")) as store:
        assert {t.id for t in store.trials()} < {t.id for t in trials}
        assert len(store.trials()) == saved


def test_no_number_is_asked_for_that_no_row_can_have(cut_off, tmp_path, monkeypatch):
    """Of a file whose end is lost nobody knows the largest number, and there are many."""
    asked = list[str]()
    opened = recovery._opened

    def traced(path: Path) -> sqlite3.Connection:
        connection = opened(path)
        connection.set_trace_callback(asked.append)
        return connection

    monkeypatch.setattr(recovery, "_opened", traced)
    path, trials = cut_off
    recover(path, tmp_path / "new.db")
    assert 0 < len([q for q in asked if "BETWEEN" in q]) < len(trials)


def test_of_a_cut_off_file_what_lies_beside_it_is_saved_too(filled, samples, tmp_path):
    path, trials = filled
    new = [samples.trial() for _ in range(100)]
    with Store.open(str(path)) as store:
        store.add_trials(new)
        data, beside = path.read_bytes(), Path(f"{path}-wal").read_bytes()
    path.write_bytes(data[: len(data) // PAGE // 2 * PAGE])
    Path(f"{path}-wal").write_bytes(beside)
    recover(path, tmp_path / "new.db")
    with Store.open(str(tmp_path / "new.db")) as store:
        saved = {t.id for t in store.trials()}
    assert {t.id for t in new} < saved < {t.id for t in [*trials, *new]}
    assert sorted(p.name for p in tmp_path.iterdir() if "new" in p.name) == ["new.db"]


@pytest.mark.parametrize("size", [512, 4096, 65536])
def test_leaves_are_those_that_sqlite_reads(tmp_path, size):
    """Every number once and in order, of a table of several levels; a dead page hides what its parents say."""
    path, rng = tmp_path / "numbers.db", random.Random(size)
    with sqlite3.connect(path) as raw:
        raw.execute(f"PRAGMA page_size = {size}")
        raw.execute("CREATE TABLE many (id INTEGER PRIMARY KEY, text TEXT)")
        for _ in range(3000):
            number, length = rng.randrange(1, 1 << rng.randrange(2, 63)), rng.choice((0, 10, size // 4, 3 * size))
            raw.execute("INSERT OR IGNORE INTO many VALUES (?, ?)", (number, "x" * min(length, 3000)))
        (root,) = raw.execute("SELECT rootpage FROM sqlite_master").fetchone()
        there = [n for (n,) in raw.execute("SELECT id FROM many ORDER BY id")]
    raw.close()
    with path.open("rb") as file:
        leaves = list(Pages(file.fileno()).leaves(root))
    assert [n for leaf in leaves for n in leaf.numbers] == there
    assert all(leaf.low < n <= (leaf.high or n) for leaf in leaves for n in leaf.numbers)
    assert len(leaves) > 1
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // size // 2 * size])
    with path.open("rb") as file:
        dead = [leaf for leaf in Pages(file.fileno()).leaves(root) if leaf.dead]
        seen = [n for leaf in Pages(file.fileno()).leaves(root) for n in leaf.numbers]
    hidden = [n for n in there if any(leaf.low < n <= (leaf.high or n) for leaf in dead)]
    assert sorted(hidden + seen) == there
    assert min(len(hidden), len(seen)) > 100


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(6))
def test_any_damage_ends_in_a_database_or_in_one_line(filled, tmp_path, seed):
    path, _ = filled
    rng = random.Random(seed)
    data = bytearray(path.read_bytes())
    for _ in range(rng.randrange(1, 6)):
        start = rng.randrange(len(data))
        data[start : start + rng.choice((1, 50, 5000))] = rng.randbytes(1) * rng.choice((1, 50, 5000))
    path.write_bytes(data)
    new = tmp_path / "new.db"
    try:
        found = recover(path, new)
    except DatabaseError:
        assert not new.exists()
    else:
        with Store.open(str(new)) as store:
            assert store.stats().trials == of(found, "trials").saved if found else True
    assert [p.name for p in tmp_path.iterdir() if ".part" in p.name] == []


def test_what_is_refused(filled, tmp_path):
    path, _ = filled
    for damaged, new, said in (
        (path, path, "is there already"),
        (tmp_path / "none.db", tmp_path / "new.db", "there is no such file"),
    ):
        with pytest.raises(SpecError, match=said):
            recover(damaged, new)
    notes = tmp_path / "notes"
    notes.write_text("dear diary, " * 1000)
    with pytest.raises(DatabaseError, match="nothing can be read of it"):
        recover(notes, tmp_path / "new.db")
    with sqlite3.connect(tmp_path / "photos.db") as raw:
        raw.execute("CREATE TABLE photos (id INTEGER)")
    raw.close()
    with pytest.raises(DatabaseError, match="none of anytile's tables"):
        recover(tmp_path / "photos.db", tmp_path / "new.db")
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE alembic_version SET version_num = '0999'")
    raw.close()
    with pytest.raises(DatabaseError, match="schema revision '0999'.*upgrade anytile"):
        recover(path, tmp_path / "new.db")
    assert not (tmp_path / "new.db").exists()
