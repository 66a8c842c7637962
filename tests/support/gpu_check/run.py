"""First contact with a GPU, in one command: what is there, every test marked `cuda`, the sanitizers, and a table.

    scripts/gpu_check --out found

Whatever waits for ever, dies or breaks the device costs its own test alone, and those of warp groups, which are the
likeliest to, come last of the tests. In FOLDER are `report.txt` (what is printed), `results.jsonl` (every check), a log
of the tests and one of each sanitizer, each as far as it goes should this be killed. A signal to end (SIGTERM, SIGINT)
ends what is under way, and then comes the table. Status 0 says that all is well.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.support.gpu_check.children import BAD, FAILED, OK, SKIPPED, Deadline, Group, Result, run_group
from tests.support.gpu_check.sanitized import CASE

ROOT = Path(__file__).resolve().parents[3]
GPU_TESTS = "tests/dispatch/cuda"
HAZARDOUS = f"{GPU_TESTS}/test_on_gpu.py::test_products_of_groups_of_warps"
TESTS: Mapping[str, tuple[str, ...]] = {  # what goes on side by side; the most is learnt from the first
    "models": ("tests/examples/test_examples_on_real_gpu.py",),
    "kernels": (f"{GPU_TESTS}/test_templates_on_gpu.py",),
    "arrays": (f"{GPU_TESTS}/test_on_gpu.py", "--deselect", HAZARDOUS),
    "streams": (f"{GPU_TESTS}/test_streams_on_gpu.py",),
    "tuning": (f"{GPU_TESTS}/test_tuned_on_gpu.py",),
}
LAST: Mapping[str, tuple[str, ...]] = {
    "one by one": (f"{GPU_TESTS}/test_first_contact.py",),  # each thing that kernels rely on
    "warp groups": (f"{GPU_TESTS}/test_hopper_on_gpu.py", HAZARDOUS),
}
SANITIZER, TOOLS = "compute-sanitizer", ("memcheck", "racecheck", "synccheck")
BUDGET_S, JOBS = 300.0, 4
SHARE = 0.6  # of the budget, for all before those of LAST, which say most and must have their turn
MOST_LOGGED = 2 << 20  # bytes of a log that are kept, the last ones
_QUIET = (
    "COMPUTE-SANITIZER",
    "ERROR SUMMARY",
    "RACECHECK SUMMARY",
    "Saved host",
    "Target application",
)


class Report:
    """What is printed is kept as well; lines of several threads do not mix."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.results = folder, list[Result]()
        self._lock, self._began = threading.Lock(), time.monotonic()
        self._file = open(folder / "report.txt", "w", encoding="utf-8")  # noqa: SIM115  (closed in `close`)
        self._rows = open(folder / "results.jsonl", "w", encoding="utf-8")  # noqa: SIM115  (likewise)

    def say(self, line: str = "") -> None:
        with self._lock:
            print(line, flush=True)
            self._file.write(line + "\n")
            self._file.flush()

    def told(self, result: Result) -> None:
        with self._lock:
            self.results.append(result)
            self._rows.write(json.dumps(dataclasses.asdict(result)) + "\n")
            self._rows.flush()
        at = f"{time.monotonic() - self._began:6.1f}"
        why = f": {result.why}" if result.why else ""
        self.say(f"{at}  {result.outcome:9}  {result.group}: {result.name} ({result.seconds:.1f} s){why}")

    def close(self) -> None:
        self._rows.close()
        self._file.close()


def group_of(name: str, words: Iterable[str], limit_s: float = 60.0) -> Group:
    command = (sys.executable, "-P", "-m", "pytest", "-m", "cuda", "-q", "-p", "no:cacheprovider", "--tb=short")
    plugin = ("-p", "tests.support.gpu_check.journal", "--continue-on-collection-errors")
    return Group(name, (*command, *plugin, *words), limit_s)


def watched_by(tool: str) -> Group:
    """All kernels under one tool, which goes on after a kernel that it found wrong."""
    options = ("--tool", tool, "--destroy-on-device-error", "kernel", "--print-limit", "20", "--launch-timeout", "0")
    program = (sys.executable, "-P", "-m", "tests.support.gpu_check.sanitized")
    return Group(tool, (SANITIZER, *options, *program), limit_s=45.0)


def run_all(groups: Sequence[Group], report: Report, until: Deadline, jobs: int) -> None:
    """Side by side, each with a log of its own until it is over."""

    def run(group: Group) -> None:
        name = group.name if group.name in TOOLS else "tests"
        own = report.folder / f"{group.name}, under way.log"
        with own.open("w+b") as log:
            run_group(group, ROOT, log, until, report.told)
            log.seek(0)
            _keep(log.read(), report.folder / f"{name}.log")
        own.unlink()

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(run, groups))


_KEEPING = threading.Lock()


def _keep(said: bytes, place: Path) -> None:
    with _KEEPING:
        before = place.read_bytes() if place.exists() else b""
        place.write_bytes((before + said[-MOST_LOGGED:])[-MOST_LOGGED:])


def findings(log: str) -> dict[str, str]:
    """Of each kernel the first thing that a sanitizer said of it."""
    found, case = dict[str, str](), "before the first kernel"
    for line in log.splitlines():
        if line.startswith(CASE):
            case = line.removeprefix(CASE).strip()
        said = line.removeprefix("=========").strip()
        if line.startswith("=========") and said and not said.startswith(_QUIET):
            found.setdefault(case, said)
    return found


def _sanitize(report: Report, until: Deadline, jobs: int, run: Callable[..., None]) -> None:
    if shutil.which(SANITIZER) is None:
        report.told(Result(SANITIZER, "all tools", SKIPPED, f"{SANITIZER} is not on PATH", 0.0))
        return
    run([watched_by(tool) for tool in TOOLS], report, until, jobs)
    for tool in TOOLS:
        log = report.folder / f"{tool}.log"
        for case, said in findings(log.read_text(encoding="utf-8", errors="replace") if log.exists() else "").items():
            report.told(Result(tool, f"{case}: finding", FAILED, said, 0.0))


def table(results: Sequence[Result]) -> list[str]:
    groups = dict.fromkeys(r.group for r in results)
    kinds = (OK, SKIPPED, *BAD)
    lines = ["  ".join([f"{'group':18}", *(f"{kind:>9}" for kind in kinds), "  seconds"])]
    for group in groups:
        of = [r for r in results if r.group == group]
        counts = Counter(r.outcome for r in of)
        numbers = (f"{counts[kind] or '-':>9}" for kind in kinds)
        lines.append("  ".join([f"{group:18}", *numbers, f"{sum(r.seconds for r in of):9.1f}"]))
    bad = [r for r in results if r.outcome in BAD]
    lines += ["", *(f"{r.outcome}: {r.group}: {r.name}: {r.why}" for r in bad)]
    return [*lines, "all is well" if results and not bad else f"{len(bad)} of {len(results)} checks are not well"]


def check(folder: Path, budget_s: float, jobs: int, sanitizers: bool, run: Callable[..., None] = run_all) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.log"):
        old.unlink()
    report, until = Report(folder), Deadline.within(budget_s)
    first = Deadline.within(SHARE * budget_s)
    first.why = "its share of the time was up"

    def stop(*_: object) -> None:
        first.stop()
        until.stop()

    before = {s: signal.signal(s, stop) for s in (signal.SIGTERM, signal.SIGINT)}
    try:
        preflight = (sys.executable, "-P", "-m", "tests.support.gpu_check.preflight")
        run([Group("preflight", preflight, limit_s=90.0)], report, until, 1)
        report.say((folder / "tests.log").read_text(encoding="utf-8", errors="replace").strip())
        if any(r.outcome in BAD for r in report.results):
            report.say("nothing else was tried: it would fail for the same reason")
        else:
            run([group_of(name, words) for name, words in TESTS.items()], report, first, jobs)
            run([group_of(name, words, 30.0) for name, words in LAST.items()], report, until, jobs)
            if sanitizers:
                _sanitize(report, until, jobs, run)
        report.say()
        for line in table(report.results):
            report.say(line)
        return int(not report.results or any(r.outcome in BAD for r in report.results))
    finally:
        for s, handler in before.items():
            signal.signal(s, handler)
        report.close()


def main(arguments: Sequence[str] | None = None) -> int:
    assert __doc__ is not None
    parser = argparse.ArgumentParser(
        "scripts/gpu_check", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path("gpu-check"), metavar="FOLDER")
    parser.add_argument("--budget", type=float, default=BUDGET_S, metavar="SECONDS", help="of everything together")
    parser.add_argument("--jobs", type=int, default=JOBS, metavar="N", help="so many groups of tests side by side")
    parser.add_argument("--no-sanitizers", action="store_true")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="gpu-check-") as cache:  # of CuPy's own kernels, for all children
        os.environ.setdefault("CUPY_CACHE_DIR", cache)
        return check(given.out, given.budget, given.jobs, not given.no_sanitizers)


if __name__ == "__main__":
    sys.exit(main())
