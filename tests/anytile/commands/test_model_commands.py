"""`anytile run`, `bench`, `profile`, `dump` on one small model: what they print, write and refuse."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anytile
from anytile.cli import main
from anytile.compiler.module import Module
from anytile.models_io.bench import LEAST, pace
from anytile.models_io.rival import Rival, gap
from anytile.vm.size_histogram_file import read_shapes
from anytile.vm.storage.file import read, section_lengths

TEXT = """
const $w: Tensor[(3, 4), float32];
def main(x: Tensor[(?t, 4), float32], n: Tensor[(), int64]) -> (Tensor[(?t, 3), float32], Tensor[(), int64]) {
  (relu(dense(x, $w)), add(n, n))
}
"""
W = np.arange(12, dtype=np.float32).reshape(3, 4) - 5
Say = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "model.exe"
    anytile.compile(Module.parse(TEXT, {"w": W})).save(path)
    return path


@pytest.fixture
def say(model: Path, capsys: pytest.CaptureFixture[str]) -> Say:
    def said(command: str, *words: object) -> tuple[int, str, str]:
        trusted = [] if command == "dump" else ["--trust"]
        code = main.run(main.umbrella(), [command, str(model), *trusted, *map(str, words)], "anytile")
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return said


def test_run_computes_what_numpy_does(say: Say, tmp_path: Path) -> None:
    x = np.random.default_rng(1).standard_normal((5, 4), dtype=np.float32)
    np.save(tmp_path / "x.npy", x)
    code, out, err = say("run", "--input", f"x={tmp_path / 'x.npy'}", "--input", "n=21", "-o", tmp_path / "y.npz")
    assert code == 0, err
    assert "5x3" in out
    with np.load(tmp_path / "y.npz") as found:
        np.testing.assert_allclose(found["output_0"], np.maximum(x @ W.T, 0), rtol=1e-5, atol=1e-5)
        assert found["output_1"] == 42


def test_random_inputs_come_from_the_seed(say: Say) -> None:
    def means(seed: int) -> list[float]:
        words = ("--input", "x=random:9x4", "--input", "n=random", "--json", "--seed", seed)
        return [y["mean"] for y in json.loads(say("run", *words)[1])["outputs"]]

    assert means(1) == means(1)
    assert means(1)[0] != means(2)[0]


def test_runs_add_the_sizes_that_they_met(say: Say, model: Path, tmp_path: Path) -> None:
    path = tmp_path / "shapes.json"
    workload = next(k.workload for k in read(model)[0].kernels if k.workload.startswith("dense"))

    def met() -> dict[int, int]:
        return read_shapes(path).weights(workload, "m")

    for t in (5, 9, 5):
        code, _, err = say("run", "--input", f"x=random:{t}x4", "--input", "n=1", "--record-shapes", path)
        assert code == 0, err
    assert met() == {5: 2, 9: 1}
    code, _, err = say("bench", "--sizes", "t=9,9,17", "--time", "0", "--record-shapes", path)
    assert code == 0, err
    assert met() == {5: 2, 9: 3, 17: 1}  # each size once, however often it was timed
    path.write_text("{}")
    for words in (["run", "--input", "x=random:3x4", "--input", "n=1"], ["bench", "--sizes", "t=9"]):
        code, out, err = say(*words, "--record-shapes", path)
        assert (code, out) == (2, "")
        assert "shapes.json: a shape histogram cannot be read" in err
    assert path.read_text() == "{}"


def test_a_run_out_of_memory_says_which_option_gives_more(say: Say) -> None:
    words = ("--input", "x=random:500x4", "--input", "n=1", "--memory-limit")
    code, out, err = say("run", *words, 1000)
    assert (code != 0, out) == (True, "")
    assert "expected to stay within 1000 bytes" in err
    assert "`anytile run --memory-limit`" in err
    assert say("run", *words, 1 << 20)[0] == 0


def test_bench_has_a_row_for_each_size(say: Say) -> None:
    code, out, err = say("bench", "--sizes", "t=1,0,33", "--time", "0.01s")
    assert code == 0, err
    lines = out.splitlines()
    assert lines[0].split()[:3] == ["t", "median", "spread"]
    assert [line.split()[0] for line in lines[1:]] == ["1", "0", "33"]
    rows = json.loads(say("bench", "--sizes", "t=8", "--time", "0", "--json")[1])["rows"]
    assert rows[0]["sizes"] == {"t": 8}
    assert rows[0]["runs"] == LEAST
    assert 0 < rows[0]["overhead"] < 1


def test_a_pace_is_the_median_and_the_middle_half_of_the_clock() -> None:
    class Ready:
        def run(self, feeds: object) -> None: ...

        def profile(self, feeds: object) -> Any:
            return type("Profiled", (), {"overhead": 0.25})

    ticks = itertools.accumulate(w for took in (1, 2, 3, 4, 5) for w in (0.0, float(took)))
    found = pace(Ready(), [({}, {})], 0, lambda: next(ticks))  # type: ignore[arg-type]  # stands in for a session
    assert (found[0].median, found[0].overhead, found[0].runs) == (3.0, 0.25, 5)
    assert found[0].spread == pytest.approx(2 / 3)


def test_another_compiled_model_runs_in_turns(say: Say, tmp_path: Path) -> None:
    other = tmp_path / "other.exe"
    anytile.compile(Module.parse(TEXT, {"w": W * np.float32(1.5)})).save(other)
    code, out, err = say("bench", "--sizes", "t=3", "--time", "0", "--against", other)
    assert code == 0, err
    assert out.splitlines()[0].split()[-6:] == ["other.exe", "times", "its", "speed", "results", "apart"]
    assert out.splitlines()[1].split()[-1] == "0.3"  # of 1.5 a half is a third
    assert len(out.splitlines()) == 2


@pytest.mark.parametrize(
    ("mine", "other", "expected"),
    [
        ([1.0, 4.0], [1.0, 5.0], 0.2),
        ([np.nan, np.inf, 1.0], [np.nan, np.inf, 1.0], 0.0),
        ([np.nan, 1.0], [0.0, 1.0], np.inf),
        ([0.0, 1.0], [np.nan, 1.0], np.inf),
        ([np.inf], [-np.inf], np.inf),
        ([1e-3, 0.0], [0.0, 0.0], 1e-3),
        (np.array([2, 3]), np.array([2, 4]), 0.25),
        (np.array([True, False]), np.array([True, True]), 1.0),
        ([], [], 0.0),
        (([1.0], [2.0]), ([1.0], [4.0]), 0.5),
    ],
)
def test_a_gap_is_a_share_of_the_largest_element(mine: Any, other: Any, expected: float) -> None:
    assert gap(mine, other) == pytest.approx(expected)


def test_a_rival_runs_behind_each_run_and_does_not_find_cold_caches() -> None:
    ran: list[str] = []

    class Ready:
        def run(self, feeds: object) -> Any:
            ran.append("ours")
            return np.ones(1)

        def profile(self, feeds: object) -> Any:
            return type("Profiled", (), {"overhead": 0.25})

    def theirs() -> Any:
        ran.append("theirs")
        return np.ones(1)

    ticks = itertools.accumulate(w for _ in range(LEAST) for took in (0.01, 3.0) for w in (0.0, took))
    found = pace(Ready(), [({}, {})], 0, lambda: next(ticks), Rival("them", lambda feeds: theirs))  # type: ignore[arg-type]
    assert (found[0].median, found[0].gain) == (pytest.approx(0.01), pytest.approx(300))
    assert ran[:2] == ["ours", "theirs"]  # compared
    assert ran[2:6] == ["ours", "ours", "theirs", "theirs"]
    assert ran[6:9] == ["ours", "ours", "theirs"]  # what takes seconds needs no warm caches


def test_profile_prints_a_table_and_writes_a_trace(say: Say, tmp_path: Path) -> None:
    code, out, err = say("profile", "--sizes", "t=6", "--trace", tmp_path / "trace.json")
    assert code == 0, err
    assert "not in kernels" in out
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert any([6, 4] in e["args"].get("shapes", ()) for e in events)
    found = json.loads(say("profile", "--sizes", "t=6", "--json")[1])
    assert found["seconds"] >= found["kernel_seconds"] > 0
    assert len(found["rows"]) >= 1


def test_dump_says_of_what_sizes_a_plan_speaks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = """def main(x: Tensor[(?t, ?u), float32], y: Tensor[(2, 3), float32]) -> (Tensor[(?t, ?u), float32],
      Tensor[(2, 3), float32]) { (softmax(x), softmax(y)) }"""
    exe = anytile.compile(Module.parse(text))
    exe.save(tmp_path / "model.exe")
    assert main.run(main.umbrella(), ["dump", str(tmp_path / "model.exe"), "--why"], "anytile") == 0
    shown = capsys.readouterr().out.split("k")
    symbolic = next(k.workload for k in exe.kernels if k.workload.startswith("softmax(outer=?outer, n=?n"))
    assert any("every n, outer: variant 0" in part for part in shown), symbolic
    assert any("its one size: variant 0" in part for part in shown)
    whys = [anytile.build(k.workload).why() for k in exe.kernels if k.kind == "kernel"]
    assert sorted("has one size" in why for why in whys) == [False, True]
    assert any("runs, at every n, outer, " in why for why in whys)


def test_dump_shows_everything_and_needs_no_machine_code(say: Say, model: Path) -> None:
    code, out, err = say("dump", "--why")
    assert code == 0, err
    for part in ("main(x: Tensor[(?t, 4), float32]", "function main", "InvokePacked", "packed for", "variant 0"):
        assert part in out, part
    found = json.loads(say("dump", "--json", "--why")[1])
    assert found["sections"] == section_lengths(model)
    assert 0 < sum(found["sections"].values()) < model.stat().st_size
    assert {"code", "debug"} <= set(found["sections"])
    (weights,) = (i for i, c in enumerate(found["constants"]) if c["shape"] == [3, 4])
    assert found["sections"][f"constant/{weights}"] >= W.nbytes  # as its kernel reads it, padded
    assert len(found["plans"]) == sum(k["kind"] == "kernel" for k in found["kernels"])


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["run"], "run: x is missing; expected --input x=FILE.npy or x=random:17x4, for x: Tensor[(?t, 4), float32]"),
        (["run", "--input", "x=random:3x4", "--input", "n=1", "-o", "y.txt"], "y.txt: results go into an .npz or a .j"),
        (["run", "--input", "x=random:3x4", "--input", "n=1", "-o", "y.npy"], "give -o y.npz"),
        (["bench", "--sizes", "t=1", "--time", "soon"], "--time 'soon': expected a duration such as 90s"),
        (["bench", "--sizes", "17"], "--sizes 17: expected SYMBOL=SIZES, as in t=8,17,64"),
        (["run", "--input", "x"], "expected NAME=FILE.npy"),
        (["run", "--input", "z=1"], "z is no input; the model takes x: Tensor"),
        (["run", "--input", "n=1", "--input", "n=2"], "n is given twice"),
        (["run", "--input", "n=1.5"], "expected a number of int64"),
        (["run", "--input", "x=none.npy"], "the array cannot be read"),
        (["run", "--input", "x=random:3x-4"], "expected whole numbers from 0, got '-4'"),
        (["run", "--input", "x=random:999999999999x999999999999"], "expected a smaller shape"),
        (["run", "--input", "x=random:3x5", "--input", "n=1"], "dimension 1 is 5"),
        (["bench"], "dimension 0 of Tensor[(?t, 4), float32] is unknown; give --input x=random:SHAPE or --sizes t="),
        (["bench", "--sizes", "m=1"], "m expected one of t"),
        (["bench", "--sizes", "t=1", "--sizes", "t=2"], "t is given twice"),
        (["profile", "--sizes", "t=1,2"], "`anytile bench` takes several"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(
    say: Say, words: list[str], expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = say(*words)
    assert (code != 0, out) == (True, "")
    assert expected in err
    assert err.startswith("error: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("command", ["run", "bench", "profile", "dump"])
def test_a_file_that_is_no_model_is_refused(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model.exe"
    path.write_text(TEXT)
    assert main.run(main.umbrella(), [command, str(path)], "anytile") == 2
    assert "no executable; expected a file that `anytile compile`" in capsys.readouterr().err
