"""`anytile.compile` and `anytile compile`: a model in text form becomes a file that runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import anytile
from anytile import cli
from anytile.compiler.evaluate import evaluate
from anytile.compiler.ir import Module

TEXT = """
const $w: Tensor[(3, 4), float32];
def main(x: Tensor[(?n, 4), float32]) -> Tensor[(?n, 3), float32] { relu(dense(x, $w)) }
"""
W = np.arange(12, dtype=np.float32).reshape(3, 4) - 5


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.txt"
    path.write_text(TEXT)
    np.savez(path.with_suffix(".npz"), w=W)
    return path


def test_a_model_is_compiled_saved_loaded_and_run(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = model.with_suffix(".exe")
    code = cli.run(cli.umbrella(), ["compile", str(model), "-o", str(out), "--print-after", "fuse", "--why"], "anytile")
    printed = capsys.readouterr()
    assert code == 0, printed.err
    assert "# after fuse" in printed.out
    assert "def main" in printed.out
    assert "dense" in printed.out.partition(str(out))[2]  # what --why lists
    x = np.random.default_rng(0).standard_normal((5, 4), dtype=np.float32)
    wanted = evaluate(Module.parse(TEXT, {"w": W}), (x,))
    for exe in (out, anytile.load(out, trust=True), anytile.compile(model)):
        np.testing.assert_allclose(anytile.Session(exe)(x), wanted, rtol=1e-5, atol=1e-5)


def test_what_cannot_be_compiled(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(cli.umbrella(), ["compile", str(model), "--print-after", "nothing"], "anytile") != 0
    assert "no such pass; expected one of infer, to_anf" in capsys.readouterr().err
    assert cli.run(cli.umbrella(), ["compile", str(model.parent / "none.txt")], "anytile") != 0
    assert "cannot be read" in capsys.readouterr().err
    model.write_text(TEXT.replace("(3, 4)", "(3, 5)"))
    assert cli.run(cli.umbrella(), ["compile", str(model)], "anytile") != 0
    assert "model.txt" in capsys.readouterr().err


def test_a_database_that_lacks_everything_is_told(model: Path, tmp_path: Path) -> None:
    from anytile.db.store import Store

    place = tmp_path / "team.db"
    with Store.open(str(place)):
        pass
    exe = anytile.compile(model, db=place)
    with Store.open(str(place), readonly=True) as store:
        assert [m for m in store.misses() if str(m.workload).startswith("dense(m=?m, n=3, k=4")]
    assert "dense" in exe.why()


def test_a_model_is_tuned(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = model.with_suffix(".exe")
    anytile.compile(model).save(out)
    for file in (model, out):
        words = ["tune", "--model", str(file), "--compile-only", "--trials", "2", "--search", "random"]
        assert cli.run(cli.umbrella(), words, "anytile") == 0
        assert "dense(m=?m, n=3, k=4" in capsys.readouterr().out
    assert cli.run(cli.umbrella(), ["tune", "--model", str(model), "--preset", "lstm"], "anytile") != 0
    assert "given together with --preset lstm" in capsys.readouterr().err
