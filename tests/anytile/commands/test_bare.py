"""`tune` without typer, rich, Ray, XGBoost and SQLAlchemy: the same words, the same errors, trials in a journal."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from anytile.cli import main
from anytile.codegen.cuda import nvrtc
from anytile.commands.bare import run
from anytile.db.exchange import import_lines, read_lines
from anytile.db.records.records import Status
from anytile.db.store import Store
from anytile.schedules.hardware import target
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any
from anytile.tuner.builders import compile_only
from anytile.tuner.builders.compile_only import Compiled
from anytile.tuner.requests.request import TuneRequest

ABSENT = ("sqlalchemy", "alembic", "xgboost", "ray", "typer", "rich", "torch", "cupy")
SHAPE = ["--shape", "m=?,n=16,k=16"]
HOPPER = [*SHAPE, "--target", "cuda -arch=sm_90a"]


def whole(words: Sequence[str]) -> int:
    """The same words to the whole command line, which takes them the same way."""
    return main.run(main.umbrella(), list(words), "anytile")


FRONTS = pytest.mark.parametrize("front", [run, whole], ids=["bare", "whole"])


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        (["tune", *SHAPE, "--target", "cuda -arch=sm_75"], 3, "target cuda -arch=sm_75: .*--compile-only"),
        (["tune", *SHAPE, "--target", "cuda -arch=sm_42"], 2, "-arch=sm_42 is not known; expected one of sm_75"),
        (["tune", *SHAPE, "--target", "llvm -threads=9999"], 3, "timing 9999 threads takes as many cores, .*; use -th"),
        (["tune", *SHAPE, "--target", "tpu"], 2, "target 'tpu': expected one of llvm, cuda"),
        (["tune", "--op", "conv2d"], 2, "--op conv2d: --shape is missing; expected --shape n="),
        (["tune", *SHAPE, "--trials", "0"], 2, "--trials 0: expected 1 or more"),
        (["tune", *SHAPE, "--template", "dense.no"], 2, "no template 'dense.no'"),
        (["tune", "--resume", "last", "--db", "empty.jsonl"], 4, "empty.jsonl: holds no campaign yet"),
    ],
)
def test_wrong_words_get_a_line(
    words: list[str], code: int, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert run(words) == code
    err = capsys.readouterr().err
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    with pytest.raises(AssertionError, match=reason):
        raise AssertionError(err)


@pytest.mark.slow
def test_without_a_shape_it_is_bert(capsys: pytest.CaptureFixture[str]) -> None:
    """The same three layers as on the whole command line."""
    assert run(["tune", "--target", "llvm -threads=1", "--compile-only", "--trials", "1"]) == 0
    out = capsys.readouterr().out
    assert [(w in out) for w in ("n=768, k=768", "n=3072, k=768", "n=768, k=3072")] == [True] * 3


@pytest.mark.slow
def test_a_campaign_into_a_journal_and_from_there_into_a_database(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = tmp_path / "trials.jsonl"
    words = ["--target", "llvm -threads=1", "--search", "random", "--trials", "2", "--top-k", "1", "--time", "3s"]
    assert run(["tune", *SHAPE, *words, "--db", str(journal)]) == 0
    out = capsys.readouterr().out
    assert "campaign" in out
    assert f"trials are in {journal}; `anytile db import` takes a journal" in out
    with Store.open(str(tmp_path / "t.db")) as store:
        assert str(import_lines(store, read_lines(journal))).startswith("1 campaign, ")
        (campaign,) = store.campaigns()
        assert campaign.state == "finished"
        assert len(store.selections()) == 1


@FRONTS
def test_a_tail_is_left_out_and_that_is_said(
    front: Callable[[Sequence[str]], int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A plan serves every tail: what differs in tails alone is tuned once."""
    asked: list[TuneRequest] = []
    monkeypatch.setattr(compile_only, "compile_only", lambda request, **_: asked.append(request) or [])
    words = ["tune", "--target", "cuda -arch=sm_90a", "--compile-only"]
    for tail in ("", ",tail=max(y, 0)", ",tail=gelu(y + bias[n])"):
        words += ["--shape", f"m=?,n=16,k=16{tail}"]
    front(words)
    assert [request.workloads for request in asked] == [(dense(Any("m"), 16, 16, const=("w",)),)]
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("tuned without")]
    anchor = "which goes with the plan: dense(m=?m, n=16, k=16, dtype=float32, const=w)"
    assert said == [f"tuned without the tail {tail}, {anchor}" for tail in ("max(y, 0)", "gelu(y + bias[n])")]


@FRONTS
@pytest.mark.parametrize(("more", "seconds"), [([], None), (["--time", "90s"], 90.0)], ids=["without", "with"])
def test_compiling_alone_is_told_how_long(
    front: Callable[[Sequence[str]], int], more: list[str], seconds: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only by --time: the usual time of a campaign would leave templates out."""
    told: list[float | None] = []
    made = Compiled(dense(Any("m"), 16, 16), "dense.cpu", 2, {}, (), 1.0)
    monkeypatch.setattr(compile_only, "compile_only", lambda _, seconds: told.append(seconds) or [made])
    assert front(["tune", *SHAPE, "--target", "llvm -threads=1", "--compile-only", *more]) == 0
    assert told == [seconds]


@FRONTS
@pytest.mark.parametrize("more", [["--compile-only"], ["--runner", "inline", "--trials", "2"]], ids=["compile", "tune"])
def test_code_that_no_compiler_here_can_make_is_said_before_anything_is_stored(
    front: Callable[[Sequence[str]], int], more: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(target, "require_runnable", lambda wanted: None)
    monkeypatch.setattr(nvrtc, "version", lambda: "12.0")
    monkeypatch.setattr(nvrtc, "architectures", lambda: ("sm_75", "sm_80"))
    journal = tmp_path / "trials.jsonl"
    words = ["tune", *HOPPER, *more, "--db", str(journal)]
    assert front(words) == 3
    out, err = capsys.readouterr()
    expected = "NVRTC 12.0 knows no -arch=sm_90a; expected one of sm_75, sm_80, or a newer NVRTC"
    assert (out, err) == ("", f"error: {expected}\n")
    monkeypatch.undo()
    monkeypatch.setattr(target, "require_runnable", lambda wanted: None)
    monkeypatch.setattr(nvrtc, "_places", lambda: ["libnvrtc-nowhere.so"])
    nvrtc._library.cache_clear()
    try:
        assert front(words) == 3
    finally:
        nvrtc._library.cache_clear()
    out, err = capsys.readouterr()
    assert (out, err.count("\n"), "pip install 'anytile[cuda13]'" in err) == ("", 1, True)
    assert not journal.exists()


@FRONTS
def test_that_nothing_compiles_is_an_error(
    front: Callable[[Sequence[str]], int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    none = Compiled(dense(Any("m"), 16, 16), "dense.cpu", 0, {Status.CONSTRAINT: 2}, ("2 not: too large",), 1.0)
    monkeypatch.setattr(compile_only, "compile_only", lambda *_, **__: [none])
    assert front(["tune", *SHAPE, "--target", "llvm -threads=1", "--compile-only"]) == 5
    out, err = capsys.readouterr()
    assert "0 of 2 configs compile" in out
    assert err.startswith("error: no config compiles for llvm ")
    assert err.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize(("front", "package"), [(run, "sqlalchemy"), (whole, "alembic")], ids=["bare", "whole"])
def test_without_a_model_and_a_database_the_search_is_random_and_trials_are_a_journal(
    front: Callable[[Sequence[str]], int], package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "xgboost", None)
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delenv("ANYTILE_DB")
    words = ["--target", "llvm -threads=1", "--runner", "inline", "--trials", "1", "--top-k", "1", "--time", "2s"]
    assert front(["tune", *SHAPE, *words, "--quiet"]) == 0
    assert capsys.readouterr().err == "xgboost is not installed: searching at random\n"
    assert '"random"' in (tmp_path / "anytile-trials.jsonl").read_text()
    assert front(["tune", *SHAPE, *words, "--search", "evolve"]) == 2
    assert "xgboost is not installed; use --search random" in capsys.readouterr().err


@pytest.mark.slow
def test_nothing_else_is_imported() -> None:
    """With those packages out of reach, everything that a campaign on a GPU needs can be imported."""
    program = (
        "import sys\n"
        "class Refuse:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name.partition('.')[0] in {ABSENT!r}:\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Refuse())\n"
        "import anytile.commands.bare, anytile.api, anytile.show.findings, anytile.show.progress\n"
        "import anytile.show.summary\n"
        "import anytile.tuner.campaign, anytile.tuner.runners.inline, anytile.tuner.builders.builder\n"
        "import anytile.tuner.measure.cpu.worker, anytile.tuner.measure.cuda.worker\n"
        "import anytile.tuner.builders.compile_only\n"
        "import anytile.db.journal, anytile.db.open, anytile.dispatch.cuda.kernel, anytile.dispatch.service\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
