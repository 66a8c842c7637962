"""The script that compiles what a CUDA search can propose: what it counts, what it refuses, in one small run of it."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

import pytest

from anytile.codegen.cuda.nvrtc import version
from anytile.core.errors import UnsupportedError
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import templates_for
from benchmarks.measure.harness import Report
from benchmarks.tuning import cuda_compile
from benchmarks.tuning.cuda_compile import Part, Progress, Task, attempted, main, tasks

LAYER = (768, 768)


@pytest.fixture(autouse=True)
def nvrtc() -> None:
    try:
        version()
    except UnsupportedError as error:
        pytest.skip(f"cuda: {error}")


def _tasks(dtype: str, arch: str) -> list[Task]:
    workload = cuda_compile._dense(dtype, *LAYER)
    return [
        task
        for t in templates_for(workload, Target.parse(f"cuda -arch={arch}"))
        for task in tasks(workload, t, arch, 1)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("arch", cuda_compile.ARCHITECTURES)
@pytest.mark.parametrize("dtype", cuda_compile.DTYPES)
def test_a_config_of_every_template_compiles(dtype: str, arch: str) -> None:
    found = _tasks(dtype, arch)
    assert found
    for task in found:
        facts = attempted(task)
        assert not isinstance(facts, str), facts
        assert facts["registers"] > 0
        assert facts["seconds"] > 0


def test_what_is_refused_is_a_line_and_no_candidate() -> None:
    (task, *_) = _tasks("float32", "sm_90a")
    for wrong in (Task(task.workload, task.template, "sm_12", task.config), Task(*_odd(task))):
        said = attempted(wrong)
        assert isinstance(said, str)
        assert said.startswith(f"{wrong.template} {wrong.config} of {wrong.workload} for {wrong.arch}: ")
        assert "\n" not in said


def _odd(task: Task) -> tuple[str, str, str, str]:
    """A task whose config the template does not have."""
    config = Config.parse(task.config)
    assert str(config) == task.config
    return task.workload, task.template, task.arch, re.sub(r"block_k=\d+", "block_k=7", task.config)


def test_the_parts_of_a_space_are_the_space() -> None:
    workload = cuda_compile._dense("float32", *LAYER)
    (narrow,) = (t for t in templates_for(workload, Target.parse("cuda -arch=sm_90a")) if "narrow" in t.name)
    whole = tasks(workload, narrow, "sm_90a")
    parts = [tasks(workload, narrow, "sm_90a", part=Part.parse(f"{i}/7")) for i in range(1, 8)]
    assert sorted(t.config for part in parts for t in part) == sorted(t.config for t in whole)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


@pytest.mark.parametrize("text", ["", "3", "0/4", "5/4", "-1/4", "1/0", "a/b", "1/2/3"])
def test_what_is_no_part_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="expected I/N"):
        Part.parse(text)


def test_progress_says_how_much_is_left(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    clock = iter(range(0, 1000, 10))
    monkeypatch.setattr("benchmarks.tuning.cuda_compile.time.perf_counter", lambda: float(next(clock)))
    progress, task = Progress(Report({}), 10), Task("a workload", "a template", "sm_80", "")
    assert len(list(progress.watched([task] * 4))) == 4
    assert len(list(progress.watched([task] * 2))) == 2
    said = [line.partition("] ")[2] for line in capsys.readouterr().err.splitlines()]
    assert said == [
        "2 of 10 candidates, 0.1 a second, 1 minutes left",
        "4 of 10 candidates, 0.1 a second, 1 minutes left",
        "6 of 10 candidates, 0.1 a second, 1 minutes left",
    ]


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """One layer in one dtype, and one other operator, in this process."""
    monkeypatch.setattr(
        "benchmarks.measure.program.confine", lambda threads, settings: None
    )  # it starts the process over
    monkeypatch.setattr(cuda_compile, "LAYERS", (LAYER,))
    monkeypatch.setattr(cuda_compile, "DTYPES", ("float32",))
    monkeypatch.setattr(cuda_compile, "OTHERS", ("softmax(outer=?m, n=?n, inner=1)",))


def _kept(path: Path) -> list[tuple[object, object, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.slow
@pytest.mark.usefixtures("few")
def test_what_is_kept_is_not_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, kept = tmp_path / "compiled.json", tmp_path / "kept.jsonl"
    given = ["--arch", "sm_90a", "--sample", "2", "--threads", "1", "--keep", str(kept), "--json", str(out)]
    assert main(given) == 0
    first, lines = json.loads(out.read_text()), _kept(kept)
    assert len(lines) == sum(row["case"]["candidates"] for row in first["rows"]) == 2 * len(first["rows"])
    # One was being written when the run ended, one is of another code generator, one was refused.
    assert len(lines) == 6
    texts = kept.read_text().splitlines()
    refused = json.dumps([*lines[-2][:2], "it is refused"])
    kept.write_text("\n".join([texts[0].replace("nvrtc", "another"), *texts[1:-2], refused, texts[-1][:50]]))
    assert main(given) == 0
    again = json.loads(out.read_text())
    assert [line.endswith("]") for line in kept.read_text().splitlines()] == [*[True] * 5, False, True, True]
    assert [row["case"]["failed"] for row in again["rows"]] == [0] * (len(first["rows"]) - 1) + [1]
    monkeypatch.setattr(cuda_compile, "_with_task", None)
    assert main(given) == 0
    third = json.loads(out.read_text())
    assert third["rows"] == again["rows"]
    assert third["unmeasured"] == [f"candidates compiled per second, for {kept} has all of them"]


@pytest.mark.slow
def test_one_run_of_the_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        "benchmarks.measure.program.confine", lambda threads, settings: None
    )  # it starts the process over
    monkeypatch.setattr(cuda_compile, "LAYERS", (LAYER,))
    monkeypatch.setattr(cuda_compile, "DTYPES", ("float32", "bfloat16"))
    monkeypatch.setattr(cuda_compile, "OTHERS", ("softmax(outer=?m, n=?n, inner=1)",))
    out = tmp_path / "compiled.json"
    assert main(["--arch", "sm_90a", "--sample", "1", "--threads", "1", "--json", str(out)]) == 0
    found = json.loads(out.read_text())
    wanted = [task.template for dtype in ("float32", "bfloat16") for task in _tasks(dtype, "sm_90a")]
    assert [row["case"]["template"] for row in found["rows"]] == [*wanted, "softmax.cuda"]
    assert {(row["case"]["candidates"], row["case"]["failed"]) for row in found["rows"]} == {(1, 0)}
    claims = {claim["claim"]: claim for claim in found["summary"]}
    assert claims["candidates that NVRTC or the code generator refuses"]["value"] == 0
    assert claims["candidates compiled per second"]["value"] > 0
    assert "CUDA candidates" in capsys.readouterr().out
