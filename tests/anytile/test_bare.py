"""`tune` without typer, rich, Ray, XGBoost and SQLAlchemy: the same words, the same errors, trials in a journal."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from anytile.bare import run
from anytile.db.exchange import import_lines
from anytile.db.store import Store

ABSENT = ("sqlalchemy", "alembic", "xgboost", "ray", "typer", "rich", "torch", "cupy")
SHAPE = ["--shape", "m=?,n=16,k=16"]


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        (["tune", *SHAPE, "--target", "cuda -arch=sm_75"], 3, "target cuda -arch=sm_75: .*--compile-only"),
        (["tune", *SHAPE, "--target", "cuda -arch=sm_42"], 2, "-arch=sm_42 is not known; expected one of sm_75"),
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


def test_without_a_shape_it_is_bert(capsys: pytest.CaptureFixture[str]) -> None:
    """The same three layers as on the whole command line."""
    assert run(["tune", "--target", "llvm -threads=1", "--compile-only", "--trials", "1"]) == 0
    out = capsys.readouterr().out
    assert [(w in out) for w in ("n=768, k=768", "n=3072, k=768", "n=768, k=3072")] == [True] * 3


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
        assert str(import_lines(store, journal)).startswith("1 campaign, ")
        (campaign,) = store.campaigns()
        assert campaign.state == "finished"
        assert len(store.selections()) == 1


def test_nothing_else_is_imported() -> None:
    """With those packages out of reach, everything that a campaign on a GPU needs can be imported."""
    program = (
        "import sys\n"
        "class Refuse:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name.partition('.')[0] in {ABSENT!r}:\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Refuse())\n"
        "import anytile.bare, anytile.api, anytile.findings, anytile.progress, anytile.summary\n"
        "import anytile.tuner.campaign, anytile.tuner.runners.inline, anytile.tuner.builder\n"
        "import anytile.tuner.worker, anytile.tuner.cuda.worker, anytile.tuner.compile_only\n"
        "import anytile.db.journal, anytile.db.places, anytile.dispatch.cuda.kernel, anytile.dispatch.service\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
