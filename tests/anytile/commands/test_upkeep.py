"""`anytile db verify | prune | compact | recover` as people call them."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from anytile.cli.main import run, umbrella
from anytile.db.records.records import Status
from anytile.db.store import Store
from anytile.schedules.hardware.target import Target
from anytile.tuner.protocol.candidate import Candidate, Outcome, Timing, TimingPolicy
from tests.anytile.conftest import HARM, Filled


class Slow:
    """A runner on whose machine everything takes a second."""

    name = "slow"

    def prepare(self, target: Target) -> None:
        pass

    def run(self, candidates: Sequence[Candidate], policy: TimingPolicy) -> Iterator[Outcome]:
        for one in candidates:
            yield Outcome(one, tuple(Timing(p, Status.OK, (1.0,) * 3) for p in one.points), device=f"a machine {HARM}")

    def inspect(self, candidates: Sequence[Candidate], policy: TimingPolicy) -> list[Any]:
        raise AssertionError("nothing is searched")

    duel = inspect

    def close(self) -> None:
        pass


@pytest.fixture
def filled(own_home: Path, _filled_once: Filled) -> Filled:
    """A database of the test's own, which it may change; it is the default one."""
    return replace(_filled_once, url=str(shutil.copy(_filled_once.url, own_home / "tuning.db")))


@pytest.fixture
def go(capsys: pytest.CaptureFixture[str], filled: Any) -> Callable[..., tuple[int, str, str]]:
    """Runs `anytile db ...`: the exit code, and what was printed where."""

    def run_it(*words: str) -> tuple[int, str, str]:
        code = run(umbrella(), ["db", *words], "anytile")
        said = capsys.readouterr()
        return code, said.out, said.err

    return run_it


@pytest.fixture
def say(go: Callable[..., tuple[int, str, str]]) -> Callable[..., str]:
    def must(*words: str) -> str:
        code, out, err = go(*words)
        assert code == 0, err
        return out

    return must


def test_verify_marks_what_no_longer_holds_and_there_is_a_way_back(filled, say, monkeypatch):
    monkeypatch.setattr("anytile.tuner.runners.make_runner.make_runner", lambda name, **options: Slow())
    assert "holds nothing for" in say("verify", "--list")
    shown = say("verify")
    assert "drifted" in shown
    assert "1 record passed over, not deleted; `anytile db verify --believe" in shown
    (listed,) = json.loads(say("verify", "--list", "--json"))
    with Store.open(filled.url) as store:
        (selection,) = store.selections()
    assert (listed["record"], listed["ruling"]) == (selection.id, "drifted")
    assert "times as long as it says" in say("verify", "--list")
    assert "is used again by lookups" in say("verify", "--believe", listed["record"][:8])
    assert "holds nothing for" in say("verify", "--list")
    (found,) = json.loads(say("verify", "--sample", "1", "--json"))
    assert found["said"].startswith("believed, as a person said")


def test_verify_without_winners(own_home, say, filled):
    path = own_home / "empty.db"
    Store.open(str(path)).close()
    assert "holds no winner for" in say("verify", "--db", str(path))


@pytest.mark.parametrize(
    "words",
    [["compact"], ["prune", "--apply"], ["train"], ["verify"], ["verify", "--believe", "ab"]],
    ids=["compact", "prune", "train", "verify", "believe"],
)
def test_a_database_that_is_not_there_is_not_made_to_be_looked_after(own_home, go, words):
    """Of a name that was misspelt `compact` said that it is small, and left a new database there."""
    path = own_home / "typo.db"
    code, out, err = go(*words, "--db", str(path))
    assert (code, out) == (4, "")
    assert "does not exist; tune something first" in err
    assert not path.exists()


def test_more_of_the_fastest_than_a_database_counts_to(say):
    assert say("best", "--top", str(10**20)) == say("best", "--top", "1000000")


@pytest.mark.slow
def test_prune_only_counts_unless_it_is_told_to(filled, say):
    before = json.loads(say("stats", "--json"))["trials"]
    shown = say("prune", "--fastest", "5")
    assert "nothing was changed; --apply deletes" in shown
    assert "is among the 5 fastest" in shown
    asked = json.loads(say("prune", "--fastest", "5", "--json"))
    assert asked["applied"] is False
    assert json.loads(say("stats", "--json"))["trials"] == before
    assert f"{asked['goes']} rows deleted; `anytile db compact`" in say("prune", "--fastest", "5", "--apply")
    assert json.loads(say("stats", "--json"))["trials"] == before - asked["goes"]
    assert "there is nothing to prune" in say("prune", "--fastest", "5")
    assert "MB before" in say("compact")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("words", [("verify",), ("train",)])
def test_what_could_not_be_kept_is_not_worked_out(filled, go, monkeypatch, words):
    monkeypatch.setattr("anytile.db.store.may_write", lambda engine, location: False)
    monkeypatch.setattr("anytile.tuner.estimate.rank.train", lambda *_: pytest.fail("minutes of training"))
    code, _, error = go(*words)
    assert (code != 0, "may be written by this user" in error or "may not be written" in error) == (True, True)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("days", ["nan", "inf", "1e400"])
def test_prune_takes_days_that_are_a_number(filled, go, say, days):
    before = json.loads(say("stats", "--json"))["trials"]
    code, _, error = go("prune", "--fastest", "1", "--days", days, "--apply")
    assert (code, "--days" in error, error.count("\n")) == (2, True, 1)
    assert json.loads(say("stats", "--json"))["trials"] == before


def test_recover_says_what_was_saved(filled, say, go, own_home):
    with sqlite3.connect(filled.url) as raw:
        raw.execute("UPDATE trials SET config = CAST(x'6180' AS TEXT) WHERE seed_order = 3")
    raw.close()
    new = own_home / "new.db"
    shown = say("recover", filled.url, "-o", str(new))
    assert f"{new}: " in shown
    assert "rows saved in " in shown
    assert f", 1 lost; {filled.url} stays as it is" in shown
    code, _, err = go("recover", filled.url, "-o", str(new))
    assert code != 0
    assert "is a database, which this would replace" in err
    with Store.open(str(new), readonly=True) as store:
        assert store.stats().trials == 419


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["verify", "--sample", "0"], "--sample 0: expected 1 or more"),
        (["verify", "--believe", "ab", "--list"], "--believe ab: measures nothing"),
        (["verify", "--believe", "zz"], "no record 'zz'"),
        (["verify", "--runner", "fast"], "--runner 'fast': expected one of"),
        (["prune", "--fastest", "0"], "--fastest 0: expected 1 or more"),
        (["recover", "none.db", "-o", "new.db"], "none.db: there is no such file"),
    ],
)
def test_what_is_refused(go, words, said):
    code, out, err = go(*words)
    assert (code != 0, out) == (True, "")
    assert said in err
    assert err.count("\n") == 1
