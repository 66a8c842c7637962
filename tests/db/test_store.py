"""What is put in comes out again, whole, once, from any thread."""

from __future__ import annotations

import dataclasses
import json
import math
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from anytile.core.errors import DatabaseError, SpecError
from anytile.db.lookup.ladder import lookup
from anytile.db.records.records import Campaign, Ruling, Status, Trial, new_id
from anytile.db.sql.models import id_of
from anytile.db.store import Store
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any


def test_records_come_back_as_they_were(store, samples):
    trials = [samples.trial(), samples.failed(), samples.trial(kind="cross", point={"m": 1}, versions=None, device="")]
    selection = samples.selection()
    store.add_campaign(samples.campaign)
    store.add_trials(trials)
    store.add_selection(selection)
    assert store.campaign(samples.campaign.id) == samples.campaign
    assert store.trials() == trials
    assert store.selections() == [selection]
    assert list(store.each_trial()) == sorted(trials, key=lambda t: t.id)


def test_verdicts_come_back_newest_first(store, samples):
    """What one is about may be in another database."""
    trial = samples.trial(campaign_id="")
    store.add_trials([trial])
    first = samples.verdict(trial.id)
    second = samples.verdict(new_id(), Ruling.BELIEVED, ratio=None, versions=None, device="", said="a\0b")
    for _ in range(2):
        store.add_verdicts([first, second])
    assert store.verdicts() == [dataclasses.replace(second, said="a\\0b"), first]
    assert store.verdicts(samples.workload, Target.parse("llvm -mcpu=haswell")) == []
    assert store.stats().verdicts == 2
    for changed in ({"about": "x"}, {"ratio": -1.0}, {"ruling": "perhaps"}):
        with pytest.raises(SpecError):
            store.add_verdicts([dataclasses.replace(first, id=new_id(), **changed)])
    assert len(store.verdicts()) == 2


def test_adding_twice_changes_nothing(store, samples):
    trial, selection = samples.trial(), samples.selection()
    for _ in range(2):
        store.add_campaign(samples.campaign)
        store.add_trials([trial, trial])
        store.add_selection(selection)
    assert store.trials() == [trial]
    assert store.selections() == [selection]
    assert store.campaigns() == [samples.campaign]
    store.add_trials([dataclasses.replace(trial, id=trial.id.upper(), reason="another")])
    assert store.trials() == [trial]


def test_trials_are_filtered_and_ordered_for_a_replay(store, samples):
    other = dense(Any("m"), 8, 8)
    elsewhere = Target.parse("llvm -mcpu=haswell -threads=2")
    second = dataclasses.replace(samples.campaign, id=new_id(), created=6.0)
    store.add_campaign(samples.campaign)
    store.add_campaign(second)
    early = samples.trial(created=1.0, seed_order=1)
    first = samples.trial(created=1.0, seed_order=0)
    others = [
        samples.trial(workload=other),
        samples.trial(target=elsewhere),
        samples.trial(kind="cross"),
        samples.failed(campaign_id=second.id),
        samples.trial(campaign_id=""),
    ]
    store.add_trials([*others, early, first])
    assert store.trials()[:2] == [first, early]
    assert store.trials(limit=1) == [first]
    assert store.trials(workload=other) == [others[0]]
    assert store.trials(target=elsewhere) == [others[1]]
    assert store.trials(kind="cross") == [others[2]]
    assert store.trials(status=Status.CRASHED) == [others[3]]
    assert store.trials(campaign_id=second.id) == [others[3]]
    assert store.trials(campaign_id="") == []
    assert store.trials(workload=samples.workload, target=samples.target, status=Status.OK, kind="search") == [
        first, early, others[4],
    ]  # fmt: skip


def test_sound_trials_are_those_that_lookups_use(store, samples):
    store.add_campaign(samples.campaign)
    good, failed, drifted = samples.trial(), samples.failed(), samples.trial()
    made_up, believed, again = (samples.trial(samples=(1e-9,)) for _ in range(3))
    plan, passed_over = samples.selection(), samples.selection()
    store.add_trials([good, failed, drifted, made_up, believed, again])
    for one in (plan, passed_over):
        store.add_selection(one)
    store.add_verdicts([samples.verdict(one.id) for one in (drifted, passed_over, again)])
    store.add_verdicts([samples.verdict(believed.id, Ruling.BELIEVED), samples.verdict(again.id, Ruling.HOLDS)])
    assert store.trials(sound=True) == [good, failed, believed, again]
    assert len(store.trials()) == 6
    assert store.selections(sound=True) == [plan]


def test_a_verdict_that_gives_no_reason_sets_aside_too(store, samples):
    store.add_campaign(samples.campaign)
    good, drifted = samples.trial(samples=(4e-4,)), samples.trial()
    store.add_trials([good, drifted])
    store.add_verdicts([samples.verdict(drifted.id, said="")])
    answer = lookup(store, samples.workload, samples.target, samples.versions)
    assert answer.source is not None
    assert answer.source.id == good.id
    assert "somebody found it drifted" in answer.why()


@pytest.mark.sqlite
def test_keys_carry_the_whole_text(store, samples, tmp_path):
    store.add_campaign(samples.campaign)
    store.add_trials([samples.trial()])
    with sqlite3.connect(tmp_path / "tuning.db") as raw:
        found = raw.execute(
            "SELECT w.text, t.text FROM trials"
            " JOIN workloads w ON w.id = workload_id JOIN targets t ON t.id = target_id"
        ).fetchall()
    assert found == [(str(samples.workload), str(samples.target))]


def test_a_batch_is_stored_whole_or_not_at_all(store, samples):
    store.add_campaign(samples.campaign)
    good, orphan = samples.trial(), samples.trial(campaign_id=new_id())
    with pytest.raises(DatabaseError, match="add its campaign first"):
        store.add_trials([good, orphan])
    assert store.trials() == []
    assert store.stats().devices == 0  # what the trials refer to went with them
    store.add_trials([good])
    assert store.trials() == [good]


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"samples": (1e-3, float("nan"))}, r"trial .*: samples is \[0.001, nan\]; expected a list of seconds above 0"),
        ({"samples": (1e-3, 0.0)}, "samples is .*; expected a list of seconds above 0"),
        ({"samples": ()}, "samples is empty; expected some, as status is ok"),
        ({"drift": -1.0}, "drift is -1.0; expected a number above 0"),
        ({"build_seconds": float("inf")}, "build_seconds is inf"),
        ({"created": 1e300}, "created is 1e\\+300; expected seconds since the epoch"),
        ({"id": "7"}, "id is '7'; expected a UUID"),
        ({"campaign_id": "x"}, "campaign_id is 'x'; expected a UUID"),
    ],
)
def test_times_that_are_none_are_refused(store, samples, changed, complaint):
    store.add_campaign(samples.campaign)
    with pytest.raises(SpecError, match=complaint):
        store.add_trials([samples.trial(), samples.trial(**changed)])
    assert store.trials() == []


def test_what_a_candidate_says_cannot_hurt(store, samples):
    store.add_campaign(samples.campaign)
    store.add_trials(
        [
            samples.failed(reason="a\0b \udcff '; DROP TABLE trials; --"),
            samples.failed(reason="x" * 10_000),
            samples.trial(facts={"good": 1.0, "bad": math.nan, "worse": math.inf}),
        ]
    )
    strange, long, facts = store.trials()
    assert strange.reason == "a\\0b \\udcff '; DROP TABLE trials; --"
    assert len(long.reason) < 4100
    assert long.reason.endswith("(10000 characters)")
    assert facts.facts == {"good": 1.0}


def test_a_record_without_a_time_gets_one(store, samples):
    store.add_campaign(dataclasses.replace(samples.campaign, created=0.0))
    store.add_trials([samples.trial(created=0.0)])
    assert store.trials()[0].created > 1e9
    assert store.campaigns()[0].created > 1e9


def test_campaigns_are_found_by_a_prefix(store, samples):
    ids = ["aaaa0000-0000-4000-8000-000000000001", "aaaa1111-0000-4000-8000-000000000002"]
    for id_ in ids:
        store.add_campaign(dataclasses.replace(samples.campaign, id=id_))
    assert store.campaign("AAAA1").id == ids[1]
    assert store.campaign(ids[0]).workloads == samples.campaign.workloads
    with pytest.raises(DatabaseError, match=r"may be aaaa0000-0000, aaaa1111-0000; give more"):
        store.campaign("aaaa")
    for nothing in ("bb", "", "%", "aaaa_", "'"):
        with pytest.raises(DatabaseError, match="no campaign"):
            store.campaign(nothing)


def test_a_campaign_is_updated_in_part(store, samples):
    store.add_campaign(samples.campaign)
    store.update_campaign(samples.campaign.id, state="interrupted")
    store.update_campaign(samples.campaign.id, options={"seed": 8})
    store.update_campaign(samples.campaign.id)
    found = store.campaign(samples.campaign.id)
    assert (found.state, found.options, found.finished) == ("interrupted", {"seed": 8}, None)
    store.update_campaign(samples.campaign.id, state="finished", finished=9.5)
    assert store.campaign(samples.campaign.id).finished == 9.5
    with pytest.raises(DatabaseError, match="no campaign"):
        store.update_campaign(new_id(), state="finished")


def test_the_newest_selection_is_the_one(store, samples):
    store.add_campaign(samples.campaign)
    newer, older = samples.selection(created=2.0), samples.selection(created=1.0)
    other = samples.selection(workload=dense(Any("m"), 1, 1))
    for s in (newer, older, other):
        store.add_selection(s)
    assert store.selection(samples.workload, samples.target) == newer
    assert store.selections(samples.workload) == [newer, older]
    assert store.selection(samples.workload, Target.parse("llvm -mcpu=haswell")) is None


def test_misses_are_counted(store, samples):
    other = dense(1, 2, 3)
    store.record_miss(other, samples.target)
    for _ in range(3):
        store.record_miss(samples.workload, samples.target)
    first, second = store.misses()
    assert (first.workload, first.target, first.count) == (samples.workload, samples.target, 3)
    assert (second.workload, second.count) == (other, 1)
    assert first.first < first.last


@pytest.mark.sqlite
def test_counts_and_stats(store, samples, tmp_path):
    store.add_campaign(samples.campaign)
    store.add_trials([samples.trial(), samples.trial(kind="cross"), samples.failed(), samples.trial(campaign_id="")])
    store.add_selection(samples.selection())
    store.record_miss(samples.workload, samples.target)
    assert store.counts() == {samples.campaign.id: {Status.OK: 2, Status.CRASHED: 1}, "": {Status.OK: 1}}
    stats = store.stats()
    assert (stats.workloads, stats.targets, stats.devices, stats.campaigns) == (2, 1, 1, 1)
    assert (stats.trials, stats.selections, stats.misses) == (4, 1, 1)
    assert stats.statuses == {Status.OK: 3, Status.CRASHED: 1}
    assert stats.kinds == {"search": 3, "cross": 1}
    assert stats.name == str(tmp_path / "tuning.db")
    assert stats.bytes is not None
    assert stats.bytes > 10_000
    assert stats.unreadable == ()


@pytest.mark.sqlite
def test_what_a_newer_anytile_added_is_left_out_not_fatal(store, samples, tmp_path):
    store.add_campaign(samples.campaign)
    ours = samples.trial()
    store.add_trials([ours])
    text = "conv9d(z=1, dtype=float8)"
    newer = Campaign((samples.workload,), samples.target, {})
    store.add_campaign(newer)
    with sqlite3.connect(tmp_path / "tuning.db") as raw:
        raw.execute("INSERT INTO workloads VALUES (?, ?, 'conv9d')", (id_of("workload", text), text))
        raw.execute(
            "INSERT INTO trials SELECT ?, campaign_id, ?, target_id, device_id, versions_id, template, config, point,"
            " kind, status, reason, samples, corrected, drift, build_seconds, facts, seed_order, created FROM trials",
            (new_id(), id_of("workload", text)),
        )
        raw.execute(
            "UPDATE campaign_workloads SET workload_id = ? WHERE campaign_id = ?", (id_of("workload", text), newer.id)
        )
    raw.close()
    assert store.trials() == [ours]
    assert store.campaigns() == [samples.campaign]
    assert store.stats().unreadable == (text,)
    with pytest.raises(DatabaseError, match=r"unknown operator 'conv9d'.*upgrade anytile"):
        store.campaign(newer.id)


@pytest.mark.slow
def test_threads_share_one_store(store, samples):
    store.add_campaign(samples.campaign)
    made: list[list[Trial]] = [[samples.trial() for _ in range(20)] for _ in range(8)]
    failures: list[BaseException] = []

    def work(trials: list[Trial]) -> None:
        try:
            for t in trials:
                store.add_trials([t])
                store.record_miss(t.workload, t.target)
                assert t in store.trials(campaign_id=samples.campaign.id)
                store.memo("key", lambda: len(store.trials()))
        except BaseException as error:  # noqa: BLE001  (a thread's failure must reach the test)
            failures.append(error)

    threads = [threading.Thread(target=work, args=(t,)) for t in made]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures
    assert {t.id for t in store.trials()} == {t.id for many in made for t in many}
    assert store.misses()[0].count == 160


@pytest.mark.sqlite
def test_memo_forgets_when_anybody_writes(open_store, samples):
    mine, other = open_store(), open_store()
    mine.add_campaign(samples.campaign)
    calls: list[int] = []

    def count() -> int:
        calls.append(1)
        return len(mine.trials())

    assert mine.memo("n", count) == 0  # the first, which nobody may ask again
    assert [mine.memo("n", count) for _ in range(3)] == [0, 0, 0]
    assert len(calls) == 2
    other.add_trials([samples.trial()])
    assert mine.memo("n", count) == 1
    mine.add_trials([samples.trial()])
    assert [mine.memo("n", count) for _ in range(3)] == [2, 2, 2]
    assert len(calls) == 4


def test_one_moment_asks_once_whatever_is_written_meanwhile(open_store, samples):
    """On a server too, of which nothing else is remembered."""
    mine, other = open_store(), open_store()
    mine.add_campaign(samples.campaign)
    calls: list[int] = []

    def count() -> int:
        calls.append(1)
        return len(mine.trials())

    with mine.at_one_moment():
        assert mine.memo("n", count) == 0
        other.add_trials([samples.trial()])
        with mine.at_one_moment():
            assert mine.memo("n", count) == 0
        assert mine.memo("n", count) == 0
        assert len(calls) == 1
        elsewhere: list[int] = []
        thread = threading.Thread(target=lambda: elsewhere.append(mine.memo("n", count)))
        thread.start()
        thread.join()
        assert elsewhere == [1]  # others' moments are their own
    assert mine.memo("n", count) == 1


@pytest.mark.sqlite
def test_memo_does_not_keep_what_was_overtaken(store, samples):
    """A write while the answer is being made: the answer is given, and not kept."""
    store.add_campaign(samples.campaign)

    def slow() -> int:
        seen = len(store.trials())
        store.add_trials([samples.trial()])
        return seen

    assert store.memo("n", slow) == 0
    assert store.memo("n", lambda: len(store.trials())) == 1

    def overtaken() -> int:
        seen = slow()
        store.memo("other", lambda: 0)  # by now somebody has looked at the database as it is after the write
        return seen

    assert store.memo("m", overtaken) == 1
    assert store.memo("m", lambda: len(store.trials())) == 2


def test_the_default_database_is_the_users_own(monkeypatch, tmp_path):
    monkeypatch.delenv("ANYTILE_DB", raising=False)
    with Store.open() as store:
        assert store.name.endswith("anytile/tuning.db")
        assert Path(store.name).is_relative_to(tmp_path.parent)
    monkeypatch.setenv("ANYTILE_DB", f"sqlite:///{tmp_path}/elsewhere.db")
    with Store.open() as store:
        assert store.name == f"{tmp_path}/elsewhere.db"


@pytest.mark.sqlite
def test_the_file_is_plain_sqlite_in_wal_mode(store, samples, tmp_path):
    store.add_campaign(samples.campaign)
    with sqlite3.connect(tmp_path / "tuning.db") as raw:
        assert raw.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert json.loads(raw.execute("SELECT options FROM campaigns").fetchone()[0]) == samples.campaign.options
    raw.close()


@pytest.mark.sqlite
def test_a_commit_outlives_the_machine(tmp_path):
    """In a process of its own, since those of tests do not wait for the disk."""
    engine = f"make_engine(locate({str(tmp_path / 'tuning.db')!r}))"
    asked = f"print({engine}.raw_connection().execute('PRAGMA synchronous').fetchone())"
    program = f"from anytile.db.sql.engine import locate, make_engine; {asked}"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert said.split() == ["(2,)"]  # FULL


def test_what_records_share_is_checked_where_its_id_is_made(store, samples):
    """Once for all records that have it, and the error still names the record."""
    store.add_campaign(samples.campaign)
    wrong = dataclasses.replace(samples.versions, template="new")
    with pytest.raises(SpecError, match=r"trial \S+: versions.template is 'new'; expected a whole number"):
        store.add_trials([samples.trial(), samples.trial(versions=wrong)])
    assert store.trials() == []
