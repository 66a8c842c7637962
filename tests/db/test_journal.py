"""The journal: what it holds is what a database would, survives any end of its process, and goes into a database."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from anytile.core.errors import DatabaseError, ResourceError, SpecError
from anytile.db.exchange import import_lines, read_lines
from anytile.db.journal import Journal
from anytile.db.open import open_keeping, open_reading
from anytile.db.records import jsonl
from anytile.db.records.records import Campaign, Selection, Status, Trial, Versions
from anytile.db.sql.names import is_journal
from anytile.db.sql.places import may_be_there
from anytile.db.store import Store
from anytile.db.upkeep.recover import recover
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any as Sym

TARGET = Target.parse("cuda -arch=sm_90a")
W = dense(Sym("m"), 8, 8)
VERSIONS = Versions("0.1", 1, 1, "nvrtc 13.0", "3.11")


def campaign() -> Campaign:
    return Campaign((W,), TARGET, {"request": {"seed": 1}}, created=5.0)


def trial(of: Campaign, number: int, **changes: Any) -> Trial:
    given: dict[str, Any] = {"status": Status.OK, "samples": (1e-6 * (number + 1),), "kind": "search"}
    return Trial(
        W, TARGET, "dense.cuda.simt", Config.of(tile=number), {"m": 64}, seed_order=number, campaign_id=of.id,
        created=10.0 + number, **{**given, **changes},
    )  # fmt: skip


def test_it_holds_what_a_database_would(tmp_path: Path) -> None:
    made = campaign()
    trials = [trial(made, i) for i in range(3)]
    trials.append(trial(made, 3, status=Status.WRONG, samples=(), reason="off by one", kind="cross"))
    plan = Selection(W, TARGET, "{}", VERSIONS, campaign_id=made.id, created=20.0)
    with Journal(tmp_path / "a.jsonl") as journal, Store.open(str(tmp_path / "a.db")) as store:
        for keeping in (journal, store):
            keeping.add_campaign(made)
            keeping.append_trials(trials[:2])
            keeping.append_trials(trials)
            keeping.add_selection(plan)
            keeping.update_campaign(made.id, state="finished", finished=30.0, options={"spent": 1})
            keeping.update_campaign(made.id, state="interrupted")  # one who comes late changes nothing of it
        for ask in (
            lambda k: k.campaigns(),
            lambda k: k.campaign(made.id[:6]),
            lambda k: k.trials(),
            lambda k: k.trials(kind="search", limit=2),
            lambda k: k.trials(status=Status.WRONG),
            lambda k: k.trials(campaign_id=made.id, workload=W, target=TARGET),
            lambda k: k.trials(workload=dense(1, 2, 3)),
            lambda k: k.selections(W),
            lambda k: k.selection(W, TARGET),
            lambda k: k.known_pairs("dense"),
            lambda k: k.known_pairs("conv2d"),
        ):
            assert ask(journal) == ask(store)


def test_it_goes_into_a_database_as_it_was_at_the_end(tmp_path: Path) -> None:
    made, path = campaign(), tmp_path / "a.jsonl"
    with Journal(path) as journal:
        journal.add_campaign(made)
        for i in range(3):
            journal.append_trials([trial(made, i)])
            journal.update_campaign(made.id, options={"progress": i})
        journal.update_campaign(made.id, state="interrupted")
        wanted, trials = journal.campaign(made.id), journal.trials()
    with Store.open(str(tmp_path / "a.db")) as store:
        for _ in range(2):
            assert str(import_lines(store, read_lines(path))) == "1 campaign, 3 trials"
        assert store.campaigns() == [wanted]
        assert store.campaigns()[0].options == {"progress": 2}
        assert store.trials() == trials


def test_a_line_that_was_cut_off_is_dropped(tmp_path: Path) -> None:
    made, path = campaign(), tmp_path / "a.jsonl"
    with Journal(path) as journal:
        journal.add_campaign(made)
        journal.append_trials([trial(made, 0)])
    whole = path.read_bytes()
    with Journal(path) as journal:
        journal.append_trials([trial(made, 1)])
    for cut in (1, 20, 200):
        path.write_bytes(path.read_bytes()[: len(whole) + cut])
        with Journal(path) as journal:
            assert [t.seed_order for t in journal.trials()] == [0]
            journal.append_trials([trial(made, 2)])
        with Journal(path) as journal:
            assert [t.seed_order for t in journal.trials()] == [0, 2]
        path.write_bytes(whole + b'{"record": "trial", ' * 40)


def test_a_whole_line_without_its_end_stays(tmp_path: Path) -> None:
    """Editors leave such a file, and a process that died before the last byte; the record was dropped."""
    made, path = campaign(), tmp_path / "a.jsonl"
    with Journal(path) as journal:
        journal.add_campaign(made)
        journal.append_trials([trial(made, 0)])
    path.write_bytes(path.read_bytes()[:-1])
    with Journal(path) as journal:
        journal.append_trials([trial(made, 1)])
    with Journal(path) as journal:
        assert [t.seed_order for t in journal.trials()] == [0, 1]


@pytest.mark.parametrize(
    "data",
    [b'{"my": "notes"}', b"a,b\n1,2", b"SQLite format 3\0" + bytes(84) + b"\n\0\1", b"\n\nx\ny"],
    ids=["json", "csv", "database", "text"],
)
def test_a_file_that_is_no_journal_is_left_as_it_is(tmp_path: Path, data: bytes) -> None:
    """What stood behind its last line was cut off as if a process had died in it, all of it where there was no line."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(data)
    with pytest.raises(SpecError, match=r"a.jsonl:[13]: is not JSON|a.jsonl:1: record is missing"):
        Journal(path)
    assert path.read_bytes() == data


@pytest.mark.parametrize("length", [0, 1, 20, len(jsonl.header())])
def test_a_header_that_was_cut_off_is_written_anew(tmp_path: Path, length: int) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(jsonl.header()[:length])
    Journal(path).close()
    assert path.read_text() == f"{jsonl.header()}\n"


def test_a_pipe_is_no_journal(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.jsonl")
    with pytest.raises(DatabaseError, match=r"a.jsonl: is no regular file; give another --db FILE.jsonl"):
        Journal(tmp_path / "a.jsonl")


def test_a_full_disk_leaves_whole_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, path, write = campaign(), tmp_path / "a.jsonl", os.write

    def half(file: int, data: bytes) -> int:
        if len(data) < 100:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(file, data[: len(data) - 50])

    with Journal(path) as journal:
        journal.add_campaign(made)
        before = path.read_bytes()
        monkeypatch.setattr("anytile.db.journal.os.write", half)
        with pytest.raises(ResourceError, match=r"writing failed \(No space left on device\); free some space"):
            journal.append_trials([trial(made, 0)])
        assert path.read_bytes() == before
        assert journal.trials() == []
    with pytest.raises(ResourceError, match="writing failed"):
        Journal(tmp_path / "new.jsonl")
    monkeypatch.undo()
    Journal(tmp_path / "new.jsonl").close()  # nobody holds it


def test_one_process_writes_at_a_time(tmp_path: Path) -> None:
    with Journal(tmp_path / "a.jsonl"), pytest.raises(DatabaseError, match="another process is writing to it"):
        Journal(tmp_path / "a.jsonl")


def test_what_is_wrong_is_said_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"record": "header", "format": 1}\n{"record": "trial"}\n')
    with pytest.raises(SpecError, match=r"a.jsonl:2: .* is missing"):
        Journal(path)
    with Journal(tmp_path / "b.jsonl") as journal:
        with pytest.raises(DatabaseError, match="no campaign 'abc'"):
            journal.campaign("abc")
        with pytest.raises(DatabaseError, match="no campaign"):
            journal.update_campaign("abc", state="finished")
    with pytest.raises(DatabaseError, match="cannot be opened"):
        Journal(path / "below" / "c.jsonl")


def test_without_sqlalchemy_there_is_a_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert isinstance(open_keeping(None), Store)
    assert isinstance(open_keeping("trials.jsonl"), Journal)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(DatabaseError, match="tuning.db: SQLAlchemy is not installed; give a journal"):
        open_keeping(None)
    with pytest.raises(DatabaseError, match="SQLAlchemy is not installed; give a journal"):
        open_keeping("postgresql://somewhere/db")
    monkeypatch.delenv("ANYTILE_DB")
    with Journal(tmp_path / "x.jsonl"):
        opened = open_keeping(None)
    assert opened.name == "anytile-trials.jsonl"


def test_a_journal_is_one_wherever_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    new = tmp_path / "new.jsonl"
    for given in ("a.jsonl", "~/b.jsonl", "b.jsonl;"):
        monkeypatch.setenv("ANYTILE_DB", given)
        for url in (None, given):
            opened = open_keeping(url)
            assert isinstance(opened, Journal)
            opened.close()
        for refused in (Store.open, open_reading, may_be_there, lambda _: recover(tmp_path / "a.jsonl", new)):
            with pytest.raises(DatabaseError, match=r"\.jsonl: is a journal, which `tune` alone writes; take it into"):
                refused(None)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.jsonl", "b.jsonl"]
    for several in ("a.jsonl;x.db", "x.db;a.jsonl"):
        for opening in (open_keeping, Store.open):
            with pytest.raises(DatabaseError, match=r"`anytile db import a\.jsonl --db a\.db`"):
                opening(several)
    assert not is_journal("postgresql://h/a.jsonl")


def test_sqlite_under_a_journals_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As $ANYTILE_DB once made it; and whoever says that it is one may have it."""
    monkeypatch.chdir(tmp_path)
    with Store.open("sqlite:///x.jsonl") as store:
        store.add_campaign(campaign())
    for opening in (open_keeping, Store.open):
        with pytest.raises(DatabaseError, match="is a SQLite database under the name of a journal; rename it"):
            opening("x.jsonl")
    with Store.open("sqlite:///x.jsonl", readonly=True) as store:
        assert len(store.campaigns()) == 1
