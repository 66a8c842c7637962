"""One parse of a tune request: the same words make the same request, or the same line, whoever takes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any as Anything

import pytest

import anytile
from anytile import api
from anytile.cli.main import run as run_typer
from anytile.cli.main import umbrella
from anytile.commands.bare import run as run_bare
from anytile.commands.tune_options import OBJECTIVES, TuneOptions
from anytile.core.errors import MeasureError, SpecError
from anytile.db.store import Store
from anytile.dispatch.plans import portfolio
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any
from anytile.tuner.requests.request import TuneRequest

OTHER = "llvm -mcpu=haswell -threads=2"
SHAPE = ["--shape", "m=?,n=16,k=16"]
INLINE = [*SHAPE, "--runner", "inline"]


def typed(words: Sequence[str]) -> int:
    return run_typer(umbrella(), list(words), "anytile")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[TuneRequest]:
    """The requests that would have been run."""
    monkeypatch.setenv("ANYTILE_DB", str(tmp_path / "tuning.db"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "w.csv").write_text("m,weight\n64,1\n")
    found: list[TuneRequest] = []

    def campaign(store: Anything, what: TuneRequest, *rest: Anything, **more: Anything) -> None:
        found.append(what)
        raise MeasureError("far enough")

    monkeypatch.setattr(api, "campaign", campaign)
    return found


@pytest.mark.parametrize(
    "words",
    [
        INLINE,
        [*INLINE, "--objective", "regret", "--portfolio", "2", "--code-budget", "64k", "--weights", "w.csv"],
        [*INLINE, "--time", "1m30s", "--seed", "7", "--top-k", "9", "--early-stop", "0", "--at", "m=3", "--cold"],
        [*INLINE, "--no-const", "--search", "grid", "--trials", "5", "--template", "dense.cpu"],
        [*INLINE, "--shape", "m=?,n=8,k=8,tail=max(y, 0)", "--target", "llvm -threads=1"],
        ["--preset", "lstm", "--runner", "inline"],
    ],
    ids=" ".join,
)
def test_both_front_ends_ask_for_the_same(words: list[str], asked: list[TuneRequest]) -> None:
    assert [front(["tune", *words, "--quiet"]) for front in (typed, run_bare)] == [MeasureError.exit_code] * 2
    first, second = asked
    assert first == second


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--portfolio", "0"], "--portfolio 0: expected 1 or more"),
        (["--early-stop", "-1"], "--early-stop -1: expected 0 or more"),
        (["--search", "best"], "--search 'best': expected one of grid, random, evolve"),
        (["--objective", "luck"], "--objective 'luck': expected one of geomean, regret"),
        (["--time", "never"], "--time 'never': expected a duration such as 90s, 3m or 1h30m"),
        (["--join", "last", "--time", "5s"], "--join last: goes on as it was started; leave --time out, or "),
        (["--join", "last", "--resume", "5eed"], "--resume 5eed: given together with --join last; give one of them"),
        (["--resume", "last", "--trials", "5"], "--resume last: goes on as it was started; leave --trials out, or "),
        (["--weights", "w.csv", "--weights-from", "r"], "--weights w.csv: given together with --weights-from r; give"),
        (["--preset", "lstm", *SHAPE], "--preset lstm: given together with --shape m=?,n=16,k=16; give one of them"),
        ([*INLINE, "--at", "q=3"], "--at q=3: no workload has a symbol 'q'; expected some of m"),
        (["--code-budget", "x"], "--code-budget 'x': expected a size such as 256k or 1M"),
    ],
)
@pytest.mark.parametrize("front", [typed, run_bare], ids=["typer", "argparse"])
def test_both_front_ends_say_the_same(
    front: Callable[[Sequence[str]], int], words: list[str], line: str, asked: list[TuneRequest],
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    assert front(["tune", *words]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"error: {line}")
    assert (err.count("\n"), asked) == (1, [])


@pytest.mark.parametrize("words", [["--seed", "x"], ["--nosuch"], ["stray"]])
def test_words_that_are_none_get_a_line_from_argparse_too(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        run_bare(["tune", *words])
    err = capsys.readouterr().err
    assert (left.value.code, err.count("\n")) == (2, 1)
    assert err.endswith("; see `python -m anytile tune --help`\n")


def test_an_objective_reaches_the_request_from_everywhere(asked: list[TuneRequest]) -> None:
    typed(["tune", *INLINE, "--objective", "regret", "--quiet"])
    with pytest.raises(MeasureError):
        anytile.tune(dense(4, 16, 16), Target.host(), objective="regret")
    assert [request.objective for request in asked] == ["regret", "regret"]


def test_the_table_agrees_with_what_stands_below() -> None:
    assert OBJECTIVES == portfolio.OBJECTIVES
    assert TuneOptions().objective == TuneRequest.objective
    for name in ("seed", "top_k", "portfolio", "early_stop", "template", "cold"):
        assert getattr(TuneOptions(), name) == getattr(TuneRequest, name)


def test_from_misses(asked: list[TuneRequest], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """What a database was asked for, weighed by how often; what is for another target is not ours to tune."""
    words = ["tune", "--from-misses", "2", "--runner", "inline", "--quiet"]
    here, often, seldom = Target.host(), dense(Any("m"), 64, 64), dense(Any("m"), 32, 32)
    with Store.open() as store:
        for workload, target, times in ((often, here, 3), (seldom, here, 1), (often, Target.parse(OTHER), 9)):
            for _ in range(times):
                store.record_miss(workload, target)
    assert [front(words) for front in (typed, run_bare)] == [MeasureError.exit_code] * 2
    assert [(r.workloads, r.counts) for r in asked] == [((often, seldom), (3.0, 1.0))] * 2
    capsys.readouterr()
    assert typed(["db", "suggest", "--target", "llvm"]) == 0
    shown = capsys.readouterr().out
    assert shown.index(str(often)) < shown.index(str(seldom))
    assert "tune --from-misses 2 tunes those" in shown
    assert typed([*words, "--preset", "lstm"]) == SpecError.exit_code
    assert "--from-misses 2: given together with --preset lstm" in capsys.readouterr().err
    with Store.open(str(tmp_path / "other.db")):
        pass
    assert typed([*words, "--db", str(tmp_path / "other.db")]) == SpecError.exit_code
    assert "was asked for nothing on llvm" in capsys.readouterr().err
