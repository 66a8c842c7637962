"""The GPU benchmark as a program: processes that measure and are replaced, what they tell, and what is written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from anytile.db.records.records import Status
from anytile.dispatch.backends import CudaBackend
from anytile.dispatch.cuda.device import BrokenContext
from anytile.schedules.hardware import nvidia_driver
from anytile.tuner.measure.device_api import Failed
from benchmarks.gpu import measuring, program
from benchmarks.gpu.events import Listener, Teller
from benchmarks.gpu.measuring import BROKEN, first_look, measure
from benchmarks.gpu.program import PARTS, conducted, named, options_of, units_of
from benchmarks.gpu.run import Part, Run, Unit
from benchmarks.measure.harness import Claim, Report, Row
from tests.support.process_ends import gone
from tests.support.stand_ins.simulated_gpu import FACTS, SimulatedGpu

ROW = Row({"part": "toy", "m": 1}, "anytile", 1e-6, 1.0, 0.0, 7)


def rows(run: Run) -> None:
    run.report.rows.append(ROW)


def told(run: Run, units: Sequence[Unit], folder: Path) -> tuple[int, Listener]:
    """What a listener knows of units that were measured in this process."""
    status = measure(run, units, Teller(folder / "events", run.report))
    listener = Listener(folder / "events", Report({}))
    listener.listen()
    return status, listener


def test_what_is_found_is_told(run: Run, tmp_path: Path) -> None:
    def claims(run: Run) -> None:
        run.report.claims.append(Claim("fast", 2.0, 1.0))
        run.report.machine = {"gpu": "Simulated"}

    status, listener = told(run, [Unit("a", 1.0, rows), Unit("b", 1.0, claims)], tmp_path)
    assert status == 0
    assert (listener.over, listener.at_work) == (["a", "b"], None)
    assert listener.report.rows == [ROW]
    assert listener.report.claims == [Claim("fast", 2.0, 1.0)]
    assert listener.report.machine == {"gpu": "Simulated"}


def test_a_unit_has_its_share_of_what_is_left_and_leaves_the_rest_to_the_next(run: Run, tmp_path: Path) -> None:
    had = []
    look = lambda run: had.append(run.left())  # noqa: E731
    told(run, [Unit("a", 1.0, look), Unit("b", 3.0, look), Unit("c", 1.0, look)], tmp_path)
    left = run.budget - run.report.elapsed
    assert had == [pytest.approx(left * share, rel=0.05) for share in (1 / 5, 3 / 4, 1.0)]


def test_what_goes_wrong_costs_its_unit(run: Run, tmp_path: Path) -> None:
    def wrong(run: Run) -> None:
        raise ValueError("it went\nwrong")

    status, listener = told(run, [Unit("a", 1.0, wrong), Unit("b", 1.0, rows)], tmp_path)
    assert status == 0
    assert listener.report.unmeasured == ["a: it went wrong"]
    assert listener.report.rows == [ROW]


@pytest.mark.parametrize("error", [BrokenContext("an illegal access"), Failed(Status.WRONG, "strayed", corrupt=True)])
def test_a_gpu_that_takes_no_more_ends_the_process(run: Run, tmp_path: Path, error: Exception) -> None:
    def breaks(run: Run) -> None:
        rows(run)
        raise error

    status, listener = told(run, [Unit("a", 1.0, breaks), Unit("b", 1.0, rows)], tmp_path)
    assert status == BROKEN
    assert listener.over == ["a"]
    assert listener.report.rows == [ROW]
    assert listener.report.unmeasured == [f"a: {error}"]


def test_units_without_time_are_said(run: Run, tmp_path: Path) -> None:
    run.budget = 0.0
    _, listener = told(run, [Unit("a", 1.0, rows)], tmp_path)
    assert listener.report.unmeasured == ["a: no time was left"]


def test_the_first_look_says_who_is_there_and_what_an_empty_launch_takes(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measuring, "empty_kernel", lambda device: 2e-6)
    run.device.has_library = False  # type: ignore[attr-defined]  # a simulated one has it or not
    first_look(run)
    assert run.report.machine["empty_kernel_us"] == 2.0
    assert [u.partition(",")[0] for u in run.report.unmeasured] == ["against cuBLAS", "against torch"]


CHILD = """
import json, os, signal, sys, time
units, events = sys.argv[1].split("\\n"), sys.argv[2]
def tell(**event):
    with open(events, "a") as file:
        file.write(json.dumps(event) + "\\n")
row = dict(case={"part": "toy", "m": 1}, system="anytile", seconds=1e-6, gflops=1.0, spread=0.0, rounds=7)
for unit in units:
    tell(begin=unit, within=1.0)
    tell(row=row)
    if unit == "dies":
        with open(events, "a") as file:
            file.write('{"row": {"ca')
        os.kill(os.getpid(), signal.SIGKILL)
    if unit == "hangs": time.sleep(60)
    if unit == "breaks":
        tell(end=unit)
        sys.exit(75)
    tell(end=unit)
"""


@pytest.fixture
def conduct(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, Report, list[str]]]:
    """Units by name in real processes that do nothing but what their names say."""

    def go(names: Sequence[str], child: str = CHILD, seconds: float = 100.0) -> tuple[int, Report, list[str]]:
        toy = Part("toy", lambda quick: [Unit(name, 1.0, rows) for name in names])
        options = Namespace(parts=[toy], quick=False, seconds=seconds, json=tmp_path / "gpu.json")
        report, begun = Report({}), []

        def start(units: Sequence[str], seconds: float, events: Path) -> subprocess.Popen[bytes]:
            begun.append(",".join(units))
            command = [sys.executable, "-c", child, "\n".join(units), str(events)]
            return subprocess.Popen(command, start_new_session=True)

        return conducted(options, report, tmp_path, start), report, begun

    return go


@pytest.mark.parametrize(
    ("ends", "why"), [("dies", "ended with status -9"), ("hangs", "it hung, and was ended after 1 s"), ("breaks", "")]
)
def test_a_process_that_ends_is_replaced_for_what_is_left(conduct: Any, tmp_path: Path, ends: str, why: str) -> None:
    status, report, begun = conduct(["a", ends, "b"])
    assert status == 0
    assert begun == [f"a,{ends},b", "b"]
    assert len(report.rows) == 3
    assert [u for u in report.unmeasured if u.startswith(ends) and why in u] == report.unmeasured
    assert len(report.unmeasured) == bool(why)
    assert len(json.loads((tmp_path / "gpu.json").read_text())["rows"]) >= 1


def test_a_process_that_cannot_begin_ends_the_benchmark(conduct: Any) -> None:
    status, report, begun = conduct(["a"], "import sys; sys.exit(3)")
    assert (status, len(begun)) == (3, 1)
    status, report, begun = conduct(["a", "b"], "import sys; sys.exit(-9 & 255)")
    assert (status, len(begun)) == (0, 1)
    assert report.unmeasured == ["a, b: the process that measures ended with status 247"]


def test_a_process_that_hangs_before_its_first_unit_or_behind_its_last_is_ended(
    conduct: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A driver may take for ever to open a GPU, and to let go of one."""
    monkeypatch.setattr(program, "BEGINS", 1.0)
    status, report, begun = conduct(["a", "b"], "import time; time.sleep(60)")
    assert (status, len(begun)) == (0, 1)
    assert report.unmeasured == ["a, b: it hung, and was ended after 1 s"]
    monkeypatch.setattr(program, "BEGINS", 30.0)
    monkeypatch.setattr(program, "BETWEEN", 1.0)
    status, report, begun = conduct(["a", "b"], f"{CHILD}time.sleep(60)")
    assert (status, begun, len(report.rows), report.unmeasured) == (0, ["a,b"], 2, [])


def test_a_process_that_cannot_be_killed_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that waits in the driver takes no signal."""
    monkeypatch.setattr(program, "REAPED", 0.1)
    monkeypatch.setattr(program.os, "killpg", lambda *_: None)  # type: ignore[attr-defined]  # its own name
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(5)"]) as process:
        program.stop(process)
        assert process.poll() is None
        process.kill()


def test_the_process_that_measures_ends_with_the_one_that_started_it(tmp_path: Path) -> None:
    command, journal = "import time\nfrom benchmarks.gpu import program, measuring\n", tmp_path / "j.jsonl"
    child = f"{command}measuring.main = lambda *_: time.sleep(600)\nprogram.main()"
    parent = f"""{command}import subprocess, sys
from pathlib import Path
before = subprocess.Popen
def opened(words, **more):
    made = before([words[0], "-c", {child!r}, *words[3:]], **more)
    print(made.pid, flush=True)
    time.sleep(600)
program.subprocess.Popen = opened
program.started(program.options_of(["--journal", {str(journal)!r}]), Path({str(tmp_path)!r}), ["a"], 9.0, Path("e"))
"""
    root = str(Path(program.__file__).parents[2])
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))}
    with subprocess.Popen([sys.executable, "-c", parent], env=env, stdout=subprocess.PIPE, text=True) as killed:
        assert killed.stdout is not None
        pid = int(killed.stdout.readline())
        time.sleep(0.2)
        killed.kill()
    assert gone(pid)


def test_no_process_is_started_to_say_that_no_time_is_left(conduct: Any) -> None:
    status, report, begun = conduct(["breaks", "b", "c"], seconds=0.1)
    assert (status, begun) == (0, ["breaks,b,c"])
    assert report.unmeasured == ["b: no time was left", "c: no time was left"]


def test_claims_alone_are_written_and_never_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options, report = Namespace(parts=[], json=tmp_path / "gpu.json"), Report({})
    program.written(options, report)
    assert not options.json.exists()
    report.claims.append(Claim("fast", 2.0, 1.0))
    program.written(options, report)
    before = options.json.read_text()
    assert json.loads(before)["summary"][0]["claim"] == "fast"

    def killed(descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", killed)
    with pytest.raises(KeyboardInterrupt):
        program.written(options, report)
    assert options.json.read_text() == before


def test_parts_are_chosen_in_order_and_take_what_they_usually_take() -> None:
    options = options_of(["--parts", "big,dense"])
    assert [part.name for part in options.parts] == ["big", "dense"]
    assert next(unit.name for unit in units_of(options)) == "a large product"
    assert options.seconds == pytest.approx(20.0 + 45.0 + 90.0 + 8 * 13.0 + 4.0)
    every = units_of(options_of([]))
    assert len({unit.name for unit in every}) == len(every)
    with pytest.raises(SystemExit):
        options_of(["--parts", "sparse"])


@pytest.mark.parametrize("parts", ["tune,dense", "attention,bert,big"])
def test_two_calls_of_under_seven_minutes_answer_for_the_whole_table(parts: str) -> None:
    assert options_of(["--parts", parts]).seconds < 420
    assert [part.name for part in options_of([]).parts] == ["tune", "dense", "attention", "bert", "big"]
    assert set(PARTS) == {"tune", "dense", "attention", "bert", "big", "ahead"}


def test_results_in_a_folder_are_called_after_the_gpu_and_the_day(tmp_path: Path) -> None:
    report = Report({"gpu": "NVIDIA H100 80GB HBM3"})
    first = named(tmp_path, report)
    assert first is not None
    assert first.name.startswith("nvidia-h100-80gb-hbm3-20")
    first.touch()
    second = named(tmp_path, report)
    assert second is not None
    assert second.name == f"{first.stem}-2.json"
    assert named(first, report) == first
    assert named(None, report) is None


@pytest.mark.slow
def test_without_a_gpu_it_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(program.__file__).parents[2]))
    assert program.main(["--parts", "big", "--json", str(tmp_path / "gpu.json")]) == 3
    out = capfd.readouterr()
    assert out.err.startswith("error: target cuda: no NVIDIA driver")
    assert out.out == ""
    assert not (tmp_path / "gpu.json").exists()


def test_a_file_that_cannot_be_written_is_said_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        program.main(["--json", str(tmp_path / "no" / "gpu.json")])
    assert "is no folder" in capsys.readouterr().err


def test_the_measuring_process_opens_the_gpu_and_tells_what_it_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = SimulatedGpu()
    there = CudaBackend(find=lambda: device, has_cublas=lambda: True)
    monkeypatch.setattr(nvidia_driver, "find", lambda: FACTS)
    monkeypatch.setattr(measuring, "backend", lambda target: there)
    monkeypatch.setattr(measuring, "timing_setup", lambda target: SimpleNamespace(lock="cuda-simulated"))
    monkeypatch.setattr(measuring, "empty_kernel", lambda device: 2e-6)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    options = options_of(["--journal", str(tmp_path / "j.jsonl"), "--code", str(tmp_path / "code"), "--quick"])
    seen: list[Run] = []
    assert measuring.main(options, [Unit("a", 1.0, seen.append)], tmp_path / "events", is_first=True) == 0
    listener = Listener(tmp_path / "events", Report({}))
    listener.listen()
    assert listener.over == ["a"]
    machine = listener.report.machine
    assert (machine["gpu"], machine["library"], machine["empty_kernel_us"]) == ("Simulated", "simulated cuBLAS", 2.0)
    assert (seen[0].quick, seen[0].journal, seen[0].target.get("arch")) == (True, tmp_path / "j.jsonl", "sm_90a")


def test_a_unit_that_is_stopped_leaves_what_it_found(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(run: Run) -> None:
        rows(run)
        raise KeyboardInterrupt

    def opened(options: Any, report: Report) -> Run:
        run.report = report
        return run

    monkeypatch.setattr(measuring, "opened", opened)
    assert measuring.main(options_of([]), [Unit("a", 1.0, stopped)], tmp_path / "events", is_first=False) == 130
    listener = Listener(tmp_path / "events", Report({}))
    listener.listen()
    assert listener.report.rows == [ROW]
    assert listener.report.unmeasured == ["the rest: it was stopped"]


def test_a_unit_may_end_a_little_late_at_the_cost_of_those_that_follow(run: Run, tmp_path: Path) -> None:
    seen = []

    def late(run: Run) -> None:
        run.report.started -= run.left() * 1.25  # it took longer than its share
        seen.append(run.late("a size"))
        run.report.started -= run.slack
        seen.append(run.late("another size"))

    run.budget = run.report.elapsed + 60.0
    told(run, [Unit("a", 1.0, late), Unit("b", 1.0, rows)], tmp_path)
    assert seen == [False, True]
    assert run.report.rows == [ROW]
    assert run.report.unmeasured == ["another size: no time was left"]
    seen.clear()
    told(run, [Unit("last", 1.0, lambda run: seen.append(run.slack == 0.0))], tmp_path)
    assert seen == [True]
