"""The GPU benchmark: kernels, attention, BERT and tuning on this machine's NVIDIA GPU beside cuBLAS and torch.

    scripts/gpu_bench --parts tune,dense --json results-1.json --journal gpu.trials.jsonl
    scripts/gpu_bench --parts attention,bert,big --json results-2.json --journal gpu.trials.jsonl

Two calls of under seven minutes each answer for the whole table of GPU claims: the second finds the first one's plans
in the journal. What that is thought to take on an H100, in seconds: `tune` 188 (a campaign of three layers with its
default time), `dense` 198 (90 to tune bfloat16; eight layers at 24 sizes, each of which takes 0.4), `attention` 119 (65
to tune; six workloads at 13 sizes), `bert` 195 (20 to compile ours, 5 a size for torch's layer, up to 60 a size for
torch's whole model, as many sizes as go in), `big` 45 (tuning, most of it); and 20 to start. `--seconds` scales all of
them alike, and is otherwise what the chosen parts take. A unit (a layer, a model) has its share of the time that is
left, and half as much again to end what it began; what it leaves over passes on.

A part of its own, `ahead`, asks what it gains that blocks ask for a weight before their turn; 36 seconds.

Whatever is not done in time is left out, and said; so is what goes wrong, which costs its own unit or size: units run
in a process of their own, which is replaced when it breaks the GPU's context, hangs or dies. Results are written after
every unit. Trials go to a journal beside the results, else here, which `anytile db import` reads.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from pathlib import Path

from anytile.core.atomic_write import written_whole
from anytile.core.errors import AnytileError
from anytile.tuner.protocol import isolate
from benchmarks.gpu import ahead, attention, bert, dense, measuring, tune
from benchmarks.gpu.events import Listener
from benchmarks.gpu.run import Part, Unit
from benchmarks.measure.harness import Claim, Report, one_row_a_line, require_outputs

PARTS = {part.name: part for part in (tune.PART, dense.PART, attention.PART, bert.PART, dense.BIG, ahead.PART)}
ANSWERING = [part for part in PARTS.values() if part is not ahead.PART]  # for what is promised; that one is a question
STARTING = 20.0  # seconds until the first unit begins, and to end
FIRST = "events-0"  # the file of the first process that measures
LOOK = 0.2  # seconds from one look at what was told to the next
BEGINS, BETWEEN = 120.0, 30.0  # seconds until a process tells something, and without a unit after that
REAPED = 20.0  # seconds until a process that was killed is over; one that a driver does not let go of is left behind
REFUSED = (1, 2, 3, 4)  # exit statuses of errors that were said in a line
TRIES = 8  # processes at most: a GPU that breaks again and again is not worth more
Start = Callable[[Sequence[str], float, Path], "subprocess.Popen[bytes]"]


def chosen(text: str) -> list[Part]:
    """Parts by name, in the order that is given."""
    unknown = [name for name in text.split(",") if name not in PARTS]
    if unknown:
        raise argparse.ArgumentTypeError(f"no part {unknown[0]!r}; expected some of {','.join(PARTS)}")
    return [PARTS[name] for name in dict.fromkeys(text.split(","))]


def options_of(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("gpu_bench", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--parts", type=chosen, default=ANSWERING, metavar="A,B",
                        help=f"in this order, of {','.join(PARTS)} (all but ahead)")  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="F", help="write the results there; in a folder as GPU-DATE.json")
    parser.add_argument("--journal", type=Path, metavar="F", help="keep trials and plans there, not beside the results")
    parser.add_argument("--seconds", type=float, help="for everything (what the parts usually take)")
    model = importlib.util.find_spec("xgboost") is not None
    search = "evolve" if model else "random"
    parser.add_argument("--search", default=search, choices=("random", "grid", "evolve"), help="here %(default)s")
    parser.add_argument("--quick", action="store_true", help="a few sizes of each part: to see that it works")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a floor is missed")
    for inner in ("--units", "--events", "--code"):  # between the two processes
        parser.add_argument(inner, type=Path if inner != "--units" else str, help=argparse.SUPPRESS)
    parser.add_argument("--first", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--parent", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    options.plot = None
    if options.json is not None and not options.json.is_dir() and not options.json.parent.is_dir():
        parser.error(f"--json {options.json}: {options.json.parent} is no folder")
    if options.seconds is None:
        options.seconds = STARTING + sum(u.seconds for u in units_of(options))
    return options


def units_of(options: argparse.Namespace) -> list[Unit]:
    return [unit for part in options.parts for unit in part.units(options.quick)]


def main(arguments: Sequence[str] | None = None) -> int:
    options = options_of(arguments)
    if options.events is not None:
        isolate.follow(options.parent)  # a GPU that is still at work would slow down what is measured next
        wanted = options.units.split("\n")
        units = [unit for unit in units_of(options) if unit.name in wanted]
        return measuring.main(options, units, options.events, options.first)
    try:
        if options.json is None or not options.json.is_dir():
            require_outputs(options)
    except AnytileError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    if options.journal is None:
        options.journal = journal_of(options.json)
    report = Report({})
    with tempfile.TemporaryDirectory() as folder:
        status = conducted(options, report, Path(folder), lambda *given: started(options, Path(folder), *given))
    if status:
        return status
    for part in options.parts:
        part.show(report)
    options.json = named(options.json, report)
    report.claims += claimed(options, report)
    return report.finish(options)


def journal_of(path: Path | None) -> Path:
    name = "gpu.trials.jsonl"
    if path is None:
        return Path(name)
    return path / name if path.is_dir() else path.with_suffix(".trials.jsonl")


def named(path: Path | None, report: Report) -> Path | None:
    """A file in the folder, if it is one, that is called after the GPU and the day, and is not there yet."""
    if path is None or not path.is_dir():
        return path
    gpu = re.sub(r"[^a-z0-9]+", "-", str(report.machine.get("gpu", "gpu")).lower()).strip("-")
    name = f"{gpu}-{date.today().isoformat()}"
    numbers = (path / f"{name}{'' if n == 1 else f'-{n}'}.json" for n in range(1, 1000))
    return next(file for file in numbers if not file.exists())


def claimed(options: argparse.Namespace, report: Report) -> list[Claim]:
    return [claim for part in options.parts for claim in part.claims(report.rows)]


def started(
    options: argparse.Namespace, folder: Path, units: Sequence[str], seconds: float, events: Path
) -> subprocess.Popen[bytes]:
    """The process that measures; what it starts itself is of its group, and ends with it."""
    command = [sys.executable, "-m", "benchmarks.gpu.program"]
    command += ["--parts", ",".join(part.name for part in options.parts), "--seconds", str(seconds)]
    command += ["--journal", str(options.journal), "--search", options.search, "--units", "\n".join(units)]
    command += ["--events", str(events), "--code", str(folder / "code"), "--parent", str(os.getpid())]
    command += ["--quick"] * options.quick + ["--first"] * (events.name == FIRST)
    return subprocess.Popen(command, start_new_session=True)


def conducted(options: argparse.Namespace, report: Report, folder: Path, start: Start) -> int:
    """All units, in as many processes as that takes; an exit status where there is nothing to measure on."""
    names = [unit.name for unit in units_of(options)]
    listener = Listener(folder / FIRST, report)
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        for number in range(TRIES):
            left = [name for name in names if name not in listener.over]
            if not left:
                break
            if number and options.seconds <= report.elapsed:  # another process would say no more than this
                report.unmeasured += [f"{name}: no time was left" for name in left]
                return 0
            listener.turn_to(folder / f"events-{number}")
            process = start(left, options.seconds - report.elapsed, listener.path)
            try:
                ended = watched(process, listener, lambda: written(options, report))
            finally:
                stop(process)
            listener.listen()
            if listener.at_work is None and not set(left) & set(listener.over):
                if not listener.over and process.returncode in REFUSED:
                    return int(process.returncode)  # it said why it cannot begin
                report.unmeasured.append(f"{', '.join(left)}: {ended}")
                return 0
            if listener.at_work is not None:
                report.unmeasured.append(f"{listener.at_work}: {ended}")
                listener.over.append(listener.at_work)
                listener.at_work = None
    except KeyboardInterrupt:
        report.unmeasured.append("the rest: it was stopped")
        return 0
    finally:
        signal.signal(signal.SIGTERM, before)
    lost = [name for name in names if name not in listener.over]
    report.unmeasured += [f"{name}: the process that measures ended {TRIES} times" for name in lost]
    return 0


def watched(process: subprocess.Popen[bytes], listener: Listener, write: Callable[[], None]) -> str:
    """Until it ends, or a unit takes too long, or what is before, between or behind units; in words how it ended."""
    began, unit, within = time.monotonic(), listener.at_work, BEGINS
    while process.poll() is None:
        time.sleep(LOOK)
        if listener.listen():
            write()
            within = BETWEEN
        if listener.at_work != unit:
            began, unit = time.monotonic(), listener.at_work
        allowed = within if unit is None else listener.within
        if time.monotonic() - began > allowed:
            return f"it hung, and was ended after {allowed:.0f} s"
    return f"the process that measures ended with status {process.returncode}"


def stop(process: subprocess.Popen[bytes]) -> None:
    """With all that it started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            process.wait(REAPED)


def written(options: argparse.Namespace, report: Report) -> None:
    """The results so far, should this be ended before the end."""
    if options.json is None or not (report.rows or report.claims or report.unmeasured):
        return
    options.json = named(options.json, report)
    so_far = replace(report, claims=report.claims + claimed(options, report))
    with written_whole(options.json) as file:  # should this be killed while it writes
        file.write(one_row_a_line(so_far.as_json()).encode())


if __name__ == "__main__":
    sys.exit(main())
