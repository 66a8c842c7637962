"""First contact with a GPU, on groups made up: what hangs, dies or breaks the device costs its own test alone."""

from __future__ import annotations

import ast
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.gpu_check import run as gpu_check
from tests.support.gpu_check.children import (
    DIED,
    FAILED,
    NOT_RUN,
    OK,
    SKIPPED,
    TIMED_OUT,
    Deadline,
    Group,
    Result,
    run_group,
)
from tests.support.gpu_check.kernels import KERNELS
from tests.support.gpu_check.run import ROOT, check, findings, group_of, table, watched_by
from tests.support.process_ends import gone

HARD = """
import os, signal, sys, time
from types import SimpleNamespace
import pytest
@pytest.mark.cuda
class TestHard:
    def test_first(self): pass
    def test_first_of_two(self): assert 1 == 2, "not so\\nat all"
    def test_hangs(self): time.sleep(600)
    def test_after_that(self): pass
    def test_dies(self): os.kill(os.getpid(), signal.SIGSEGV)
    def test_is_not_for_here(self): pytest.skip("no such unit")
    def test_breaks_the_device(self):
        def refused(): raise RuntimeError("an illegal address")
        runtime = SimpleNamespace(deviceSynchronize=refused)
        sys.modules["cupy"] = SimpleNamespace(cuda=SimpleNamespace(runtime=runtime))
        assert not "wrong"
    def test_last(self): assert "cupy" not in sys.modules
    @pytest.fixture
    def late(self):
        yield
        raise OSError("in its teardown")
    def test_ends_badly(self, late): pass
"""


def watched(tmp_path: Path, text: str, limit_s: float = 2.0, within_s: float = 120.0) -> dict[str, tuple[str, str]]:
    """Of each test how it ended and why."""
    (tmp_path / "test_made_up.py").write_text(text)
    group = group_of("made up", (str(tmp_path / "test_made_up.py"), "--rootdir", str(tmp_path)), limit_s)
    told: list[Result] = []
    with (tmp_path / "log").open("wb") as log:
        found = run_group(group, ROOT, log, Deadline.within(within_s), told.append)
    assert found == told
    return {r.name.rpartition("::")[2]: (r.outcome, r.why) for r in found}


@pytest.mark.slow
def test_each_test_costs_itself_alone(tmp_path: Path) -> None:
    found = watched(tmp_path, HARD)
    assert found == {
        "test_first": (OK, ""),
        "test_first_of_two": (FAILED, "AssertionError: not so at all assert 1 == 2"),
        "test_hangs": (TIMED_OUT, "not over after 2 s"),
        "test_after_that": (OK, ""),
        "test_dies": (DIED, "died of SIGSEGV"),
        "test_is_not_for_here": (SKIPPED, "Skipped: no such unit"),
        "test_breaks_the_device": (FAILED, "AssertionError: assert not 'wrong'"),
        "test_last": (OK, ""),  # in a process after that
        "test_ends_badly": (FAILED, "OSError: in its teardown"),
    }


@pytest.mark.slow
def test_when_time_is_up_the_rest_is_not_run(tmp_path: Path) -> None:
    text = "import time, pytest\npytestmark = pytest.mark.cuda\ndef test_a(): pass\ndef test_b(): time.sleep(600)\n"
    found = watched(tmp_path, f"{text}def test_c(): pass\n", limit_s=600.0, within_s=8.0)
    assert found == {"test_a": (OK, ""), "test_b": (NOT_RUN, "time was up"), "test_c": (NOT_RUN, "time was up")}


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("import sys; sys.exit(7)", "exit status 7 before it began; see the log"),
        ("import time; time.sleep(600)", "it did not begin within 0.5 s"),
    ],
)
def test_a_group_that_does_not_begin_says_so(program: str, why: str, tmp_path: Path) -> None:
    with (tmp_path / "log").open("wb") as log:
        group = Group("none", (sys.executable, "-c", program), start_s=0.5)
        (only,) = run_group(group, ROOT, log, Deadline.within(60.0), lambda result: None)
    assert (only.name, only.outcome, only.why) == ("(none)", DIED, why)


@pytest.mark.slow
def test_a_file_that_cannot_be_imported_is_a_failure(tmp_path: Path) -> None:
    found = watched(tmp_path, "import made_up_package\n")
    assert found["test_made_up.py"][0] == FAILED
    assert "made_up_package" in found["test_made_up.py"][1]


def test_every_marked_test_is_in_a_group() -> None:
    every = (*gpu_check.TESTS.values(), *gpu_check.LAST.values())
    named = {word.partition("::")[0] for words in every for word in words}
    marked = set()
    for path in (ROOT / "tests").rglob("test_*.py"):
        text = path.read_text(encoding="utf-8")
        walked = ast.walk(ast.parse(text)) if "mark.cuda" in text else ()
        names = (node for node in walked if isinstance(node, ast.Attribute))
        if any(n.attr == "cuda" and isinstance(n.value, ast.Attribute) and n.value.attr == "mark" for n in names):
            marked.add(str(path.relative_to(ROOT)))
    assert marked == {word for word in named if word.startswith("tests/")}


LOG = """========= COMPUTE-SANITIZER
case softmax.cuda
========= Invalid __global__ read of size 4 bytes
=========     at kernel+0x40
case pad.cuda
case dense.cuda.relay
========= Error: Race reported between Write access at kernel and Read access
========= RACECHECK SUMMARY: 1 hazard displayed
========= ERROR SUMMARY: 2 errors
"""


def test_what_a_sanitizer_finds_is_of_the_kernel_before() -> None:
    assert findings(LOG) == {
        "softmax.cuda": "Invalid __global__ read of size 4 bytes",
        "dense.cuda.relay": "Error: Race reported between Write access at kernel and Read access",
    }
    assert findings("========= COMPUTE-SANITIZER\ncase a\n========= ERROR SUMMARY: 0 errors\n") == {}
    assert watched_by("memcheck").command[:3] == ("compute-sanitizer", "--tool", "memcheck")


class Rehearsed:
    """Groups that end as they are told, and write what a tool would say."""

    def __init__(self, bad: str = "", said: str = "") -> None:
        self.bad, self.said, self.names = bad, said, list[str]()

    def __call__(self, groups: Sequence[Group], report: gpu_check.Report, until: Deadline, jobs: int) -> None:
        for group in groups:
            self.names.append(group.name)
            (report.folder / "tests.log").write_text("python 3\n")
            if group.name in gpu_check.TOOLS:
                (report.folder / f"{group.name}.log").write_text(self.said)
            outcome = FAILED if group.name == self.bad else OK
            report.told(Result(group.name, "it", outcome, "so it is" if outcome == FAILED else "", 1.0))


def test_the_whole_is_well_or_says_what_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_check.shutil, "which", lambda name: "/there")  # type: ignore[attr-defined]  # its own name
    order = ["preflight", "models", "kernels", "arrays", "streams", "tuning", "one by one", "warp groups"]
    order += gpu_check.TOOLS
    well = Rehearsed()
    assert check(tmp_path, 60.0, 2, True, well) == 0
    assert well.names == order
    assert (tmp_path / "report.txt").read_text().splitlines()[-1] == "all is well"
    assert len((tmp_path / "results.jsonl").read_text().splitlines()) == len(order)
    assert len(list(tmp_path.iterdir())) <= 8
    assert check(tmp_path, 60.0, 2, True, Rehearsed(said=LOG)) == 1
    assert "FAILED: racecheck: softmax.cuda: finding: Invalid" in (tmp_path / "report.txt").read_text()
    assert check(tmp_path, 60.0, 2, False, Rehearsed(bad="streams")) == 1
    assert (tmp_path / "report.txt").read_text().splitlines()[-1] == "1 of 8 checks are not well"
    blind = Rehearsed(bad="preflight")
    assert check(tmp_path, 60.0, 2, True, blind) == 1
    assert blind.names == ["preflight"]
    monkeypatch.setattr(gpu_check.shutil, "which", lambda name: None)  # type: ignore[attr-defined]  # its own name
    assert check(tmp_path, 60.0, 2, True, Rehearsed()) == 0
    assert "compute-sanitizer is not on PATH" in (tmp_path / "report.txt").read_text()


def test_what_says_most_has_its_turn_whatever_the_rest_takes(tmp_path: Path) -> None:
    left = dict[str, float]()

    def run(groups: Sequence[Group], report: gpu_check.Report, until: Deadline, jobs: int) -> None:
        rehearsed(groups, report, until, jobs)
        left[groups[0].name] = until.at - time.monotonic()

    rehearsed = Rehearsed()
    assert check(tmp_path, 100.0, 2, False, run) == 0
    assert 55 < left["models"] < 60 < 95 < left["one by one"] < 100


@pytest.mark.slow
def test_what_is_known_is_on_disk_and_a_signal_ends_the_rest_with_a_table(tmp_path: Path) -> None:
    text = "import time, pytest\npytestmark = pytest.mark.cuda\ndef test_a(): pass\ndef test_b(): time.sleep(600)\n"
    (tmp_path / "test_made_up.py").write_text(text)
    made_up = group_of("made up", (str(tmp_path / "test_made_up.py"), "--rootdir", str(tmp_path)))
    out, rehearsed = tmp_path / "out", Rehearsed()
    seen: list[list[str]] = []

    def run(groups: Sequence[Group], report: gpu_check.Report, until: Deadline, jobs: int) -> None:
        if groups[0].name == "preflight":
            rehearsed(groups, report, until, jobs)
        else:
            gpu_check.run_all([made_up], report, until, jobs)

    def stop() -> None:
        """As who lends the GPU does when time is up: by then two checks are over, and a third hangs."""
        last = time.monotonic() + 30
        while time.monotonic() < last and len(seen[-1:] and seen[-1]) < 2:
            time.sleep(0.05)
            results = out / "results.jsonl"
            seen.append(
                [json.loads(line)["outcome"] for line in results.read_text().splitlines()] if results.exists() else []
            )
        os.kill(os.getpid(), signal.SIGTERM)

    stopper, before = threading.Thread(target=stop), signal.getsignal(signal.SIGTERM)
    stopper.start()
    assert check(out, 100.0, 1, False, run) == 1
    stopper.join()
    assert seen[-1] == [OK, OK]
    assert signal.getsignal(signal.SIGTERM) is before
    report = (out / "report.txt").read_text()
    assert "test_b (0.0 s): it was stopped" in report
    assert report.splitlines()[-1].endswith("checks are not well")
    assert sorted(path.name for path in out.iterdir()) == ["report.txt", "results.jsonl", "tests.log"]


@pytest.mark.slow
def test_children_end_with_who_watches_them(tmp_path: Path) -> None:
    """Also with one that was killed, when a test hangs."""
    (tmp_path / "test_made_up.py").write_text(
        "import os, pathlib, time, pytest\n@pytest.mark.cuda\ndef test_hangs():\n"
        f"    pathlib.Path({str(tmp_path / 'child')!r}).write_text(str(os.getpid()))\n    time.sleep(600)\n"
    )
    program = f"""
import sys, time
from pathlib import Path
from tests.support.gpu_check.children import Deadline, run_group
from tests.support.process_ends import gone
from tests.support.gpu_check.run import ROOT, group_of
group = group_of("made up", ({str(tmp_path / "test_made_up.py")!r}, "--rootdir", {str(tmp_path)!r}))
run_group(group, ROOT, open({str(tmp_path / "log")!r}, "wb"), Deadline.within(100.0), lambda result: None)
"""
    env, child = {**os.environ, "PYTHONPATH": str(ROOT)}, tmp_path / "child"
    with subprocess.Popen([sys.executable, "-P", "-c", program], env=env) as watching:
        until = Deadline.within(60.0)
        while not (child.exists() and child.read_text()) and not until.over:
            time.sleep(0.05)
        pid = int(child.read_text())
        os.kill(pid, 0)
        watching.kill()
    assert gone(pid)


def test_a_table_has_every_group_and_every_failure() -> None:
    rows = table([Result("a", "one", OK, "", 2.0), Result("a", "two", TIMED_OUT, "not over", 3.0)])
    assert rows[1].split() == ["a", "1", "-", "-", "1", "-", "-", "5.0"]
    assert rows[-2:] == ["TIMED OUT: a: two: not over", "1 of 2 checks are not well"]
    assert table([])[-1] == "0 of 0 checks are not well"


@pytest.mark.slow
def test_without_a_gpu_the_preflight_says_why(tmp_path: Path) -> None:
    env = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-P", "-m", "tests.support.gpu_check.run", "--out", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    (only,) = map(json.loads, (tmp_path / "out" / "results.jsonl").read_text().splitlines())
    assert only["outcome"] == FAILED
    assert "NVIDIA driver" in only["why"]
    assert "nothing else was tried" in done.stdout


def test_the_kernels_for_sanitizers_are_split_and_not() -> None:
    split = {k.template for k in KERNELS if dict(k.changes).get("split_k", 1) != 1}
    assert split == {k.template for k in KERNELS if not k.hazardous and k.template in split} | {
        "dense.cuda.relay",
        "dense.cuda.wgmma",
    }
    assert {"dense.cuda.simt", "dense.cuda.mma", "dense.cuda.tf32", "quantised_dense.cuda.mma"} <= split
