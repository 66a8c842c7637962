"""What the virtual machine adds to kernels: time, allocations, memory; symbolic against static; loading and compiling.

Time that is not kernel time is the fastest wall time of `Session.run`, with nobody listening, less the least that the
kernels' own intervals came to in profiled runs, which take turns with those. What a profile's time line shows beside
kernels is more: a run that is listened to takes another way around them, of inputs and results above all. Floors are
those of one thread and of a full run; rows say which rungs of the ladder their plans are from. Causes are found by
leaving things out, on time lines: sizes that are only known at run time by compiling for one size, allocations by
compiling without planning.

    tune --model bert.exe --target "llvm -threads=1"
    scripts/bench vm --check --json vm.json
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import bert
import lstm
import numpy as np
import tree_lstm

import anytile
from anytile.compiler.compile import DatabasePlanner
from anytile.compiler.ir import nodes as ir
from anytile.compiler.lowering.host_functions import host_functions
from anytile.compiler.lowering.kernel_table import KernelTable
from anytile.compiler.lowering.lower import lower
from anytile.compiler.module import Module
from anytile.compiler.pipeline import passes
from anytile.compiler.text.printer import module_text, stored
from anytile.schedules.hardware.target import Target
from anytile.vm.executable import Executable
from anytile.vm.session import Session
from anytile.vm.storage.link import linked
from benchmarks.measure.first_result import timed_compiles, timed_loads
from benchmarks.measure.harness import Case, Claim, Report, Row, System, Timing, interleave
from benchmarks.measure.program import program
from benchmarks.measure.static_plan import lives, static_plan
from benchmarks.whole_models.models import rungs

BERT, LSTM, TREE = "bert", "lstm", "tree-lstm"
LONG, SHORT, STEPS, LEAVES = 128, 8, 53, 19  # tokens, tokens, mean length of MRPC's sentences, of SST's trees
SLOT_S, MOST_CALLS = 0.02, 200  # of one round
OUTSIDE = "not in kernels"
PLANS = "plans"  # of a case: it says which, and is no part of what is measured
Feeds = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Outside:
    """Of one run, in seconds: the whole, what of it is not kernel time, what of that a profile's time line shows, what
    listening adds, and converting inputs. Then how many kernels and allocations it has, and the most bytes at once."""

    wall: float
    outside: float
    line: float
    added: float
    inputs: float
    kernels: int
    allocations: int
    peak: int


def outside(session: Session, feeds: Feeds, rounds: int) -> Outside:
    """Runs and profiled runs in turn, enough of them for short ones, too."""
    first = session.profile(feeds)
    walls, kernels, lines, heard, inputs = (list[float]() for _ in range(5))
    for _ in range(rounds * max(1, min(MOST_CALLS, int(SLOT_S / first.seconds)))):
        start = time.perf_counter()
        session.run(feeds)
        end = time.perf_counter()
        profile = session.profile(feeds, warm_up=0)
        walls.append(end - start)
        inputs.append(profile.inputs_ns * 1e-9)
        heard.append(profile.seconds)
        kernels.append(profile.kernel_seconds)
        lines.append(profile.seconds - profile.kernel_seconds)
    line, convert = statistics.median(lines), statistics.median(inputs)
    added = max(min(heard) - min(walls), 0.0)
    apart = max(min(walls) - min(kernels), 0.0)
    return Outside(min(walls), apart, line, added, convert, len(first.events), first.allocations, first.peak_bytes)


@dataclass(frozen=True, slots=True)
class Compiler:
    """Executables for one target, with plans of one database."""

    target: Target
    db: str | None

    def planned(self, module: Module) -> Session:
        return Session(anytile.compile(module, self.target, db=self.db), functions=host_functions())

    def unplanned(self, module: Module) -> Session:
        return Session(self.without_planning(module), functions=host_functions())

    def without_planning(self, module: Module) -> Executable:
        """The same kernels, each tensor in a storage of its own."""
        made: ir.Module = module
        for name, run in passes():
            if name != "plan_memory":
                made = run(made)
        return linked(lower(made, KernelTable(self.target, DatabasePlanner(self.target, self.db))))


def fixed(module: Module, size: int) -> Module:
    """The module for one size of its symbol."""
    return Module.parse(re.sub(r"\?t\b", str(size), module_text(module)), stored(module))


def _tokens(count: int, columns: int) -> Feeds:
    return {"x": np.random.default_rng(count).standard_normal((count, columns), dtype=np.float32)}


def _tree(leaves: int) -> Feeds:
    return {"tree": tree_lstm.random_tree(leaves, np.random.default_rng(leaves), anytile.Data)}


@dataclass(frozen=True, slots=True)
class Point:
    """A model at one size. Times are reported per token where `each` says of how many; `symbolic` is whether its
    sizes have a name, so that it can be compiled for this one."""

    model: str
    module: Module
    feeds: Feeds
    size: int
    each: int = 1
    symbolic: bool = True

    @property
    def case(self) -> Case:
        return {"model": self.model, "size": self.size}


def points(layers: int) -> list[Point]:
    """What is measured: BERT at two sizes, the LSTM over a sentence, the Tree-LSTM over a tree."""
    model = bert.bert(layers)
    return [
        Point(BERT, model, _tokens(LONG, bert.HIDDEN), LONG),
        Point(BERT, model, _tokens(SHORT, bert.HIDDEN), SHORT),
        Point(LSTM, lstm.lstm(1), _tokens(STEPS, lstm.INPUT), STEPS, STEPS),
        Point(TREE, tree_lstm.tree_lstm(), _tree(LEAVES), LEAVES, LEAVES, symbolic=False),
    ]


def overheads(report: Report, compiler: Compiler, chosen: Iterable[Point], rounds: int) -> None:
    """Time that is not kernel time and what it is for; allocations and memory, with planning and without."""
    for point in chosen:
        sessions = {"planned": compiler.planned(point.module), "unplanned": compiler.unplanned(point.module)}
        if point.symbolic:
            sessions["static"] = compiler.planned(fixed(point.module, point.size))
        found = {name: outside(session, point.feeds, rounds) for name, session in sessions.items()}
        rows = rows_of(point, found) + memory_rows(point, found, compiler)
        if point.model == BERT and point.size == LONG:
            rows += against_static(point, sessions, rounds)
        plans = {name: rungs(session.exe) for name, session in sessions.items()}
        for row in rows:
            said = plans["static" if row.system == "static" else "planned"]
            report.rows.append(replace(row, case={**row.case, PLANS: said}))
        report.say(f"{point.model} at {point.size} measured")


def rows_of(point: Point, found: Mapping[str, Outside]) -> list[Row]:
    """Rows of seconds: the run, what is not kernel time in it, and its causes as far as they were left out."""
    planned, unplanned = found["planned"], found["unplanned"]
    fewer = unplanned.allocations - planned.allocations
    one = max(unplanned.line - planned.line, 0.0) / fewer if fewer > 0 else 0.0
    causes = {
        "run": planned.wall,
        OUTSIDE: planned.outside,
        "of it inputs converted": planned.inputs,
        "of it allocations": one * planned.allocations,
        "allocations without planning": one * unplanned.allocations,
        "a profile adds": planned.added,
    }
    if "static" in found:
        causes["of it sizes known at run time"] = max(planned.line - found["static"].line, 0.0)
    known = sum(seconds for name, seconds in causes.items() if name.startswith("of it"))
    causes["of it the rest: steps, calls, checks, results"] = max(planned.outside - known, 0.0)
    rows = [Row(point.case, name, seconds / point.each, 0.0, 0.0, 1) for name, seconds in causes.items()]
    share = Row({**point.case, "unit": "of the run"}, OUTSIDE, planned.outside / planned.wall, 0.0, 0.0, 1)
    return [*rows, share]


def memory_rows(point: Point, found: Mapping[str, Outside], compiler: Compiler) -> list[Row]:
    """Rows of counts and bytes. The static plan is of the program for one size; where there are jumps the peak of a run
    that frees each tensor after its last use stands in for its bound."""
    planned, unplanned = found["planned"], found["unplanned"]
    counted = {"allocations, planned": planned.allocations, "allocations, unplanned": unplanned.allocations}
    peaks = {"peak, planned": planned.peak, "peak, unplanned": unplanned.peak}
    if point.model == BERT:
        best = static_plan(lives(compiler.without_planning(fixed(point.module, point.size))))
        peaks |= {"static plan": best.found, "static plan, at the least": best.bound}
    rows = [Row({**point.case, "unit": "times"}, name, float(n), 0.0, 0.0, 1) for name, n in counted.items()]
    return rows + [Row({**point.case, "unit": "bytes"}, name, float(n), 0.0, 0.0, 1) for name, n in peaks.items()]


def against_static(point: Point, sessions: Mapping[str, Session], rounds: int) -> list[Row]:
    """The symbolic executable and the one for this size, interleaved."""
    systems = [
        System.of(name, partial(sessions[key].run, point.feeds))
        for name, key in (("symbolic", "planned"), ("static", "static"))
    ]
    return interleave({**point.case, "what": "symbolic"}, systems, Timing(rounds=rounds, more_rounds=rounds))


def files(report: Report, compiler: Compiler, layers: int, runs: int) -> None:
    """Loading a saved BERT, and compiling it, in processes of their own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        feeds, result, path = folder / "feeds.npz", folder / "result.npy", folder / "bert.exe"
        given = _tokens(SHORT, bert.HIDDEN)
        exe = anytile.compile(bert.bert(layers), compiler.target, db=compiler.db)
        exe.save(path)
        np.savez(feeds, allow_pickle=False, **given)
        np.save(result, Session(exe).run(given))
        plans = rungs(exe)
        del exe

        def add(what: str, steps: Mapping[str, float], runs: int, **more: Any) -> None:
            case = {"model": BERT, "what": what, **more, PLANS: plans}
            report.rows.extend(Row(case, step, seconds, 0.0, 0.0, runs) for step, seconds in steps.items())
            report.say(f"{what} timed{', trusted' if more.get('trust') else ''}")

        for trust in (False, True):
            add("load", timed_loads(path, trust, feeds, result, folder, runs), runs, trust=trust)
        add("load, cold code cache", timed_loads(path, False, feeds, result, folder, 1, cold=True), 1)
        target, few = str(compiler.target), max(1, runs // 2)
        add("compile", timed_compiles(layers, target, compiler.db, folder, few), few)
        add("compile, cold code cache", timed_compiles(layers, target, compiler.db, folder, 1, cold=True), 1)


def claims(rows: Iterable[Row]) -> list[Claim]:
    """The floors that the rows at hand answer for."""
    value = {(*sorted((k, str(v)) for k, v in row.case.items() if k != PLANS), row.system): row.seconds for row in rows}

    def at(system: str, **case: object) -> float | None:
        return value.get((*sorted((k, str(v)) for k, v in case.items()), system))

    found: list[Claim] = []

    def claim(text: str, figure: float | None, floor: float, at_most: bool = True) -> None:
        if figure is not None:
            found.append(Claim(text, figure, floor, at_most))

    for size, floor in ((LONG, 0.03), (SHORT, 0.10)):
        share = at(OUTSIDE, model=BERT, size=size, unit="of the run")
        claim(f"BERT, T={size}: share of the time that is not kernel time", share, floor)
    token = at(OUTSIDE, model=LSTM, size=STEPS)
    claim("LSTM: time that is not kernel time, us per token", None if token is None else token * 1e6, 8.0)
    at_long = partial(at, model=BERT, size=LONG)
    planned, unplanned = (at_long(f"allocations, {how}", unit="times") for how in ("planned", "unplanned"))
    if planned is not None and unplanned:
        claim(f"BERT, T={LONG}: allocations that planning saves", 1 - planned / unplanned, 0.5, at_most=False)
    peak, best = at_long("peak, planned", unit="bytes"), at_long("static plan", unit="bytes")
    if peak is not None and best:
        claim(f"BERT, T={LONG}: memory over the best static plan", peak / best, 1.08)
    symbolic, static = (at_long(name, what="symbolic") for name in ("symbolic", "static"))
    if symbolic and static is not None:
        claim(f"BERT, T={LONG}: symbolic against static", static / symbolic, 0.95, at_most=False)
    claim("a saved BERT, load to first result, s", at("all", model=BERT, what="load", trust=False), 0.5)
    claim("BERT, compile with a warm database and code cache, s", at("all", model=BERT, what="compile"), 30.0)
    return found


def _shown(row: Row) -> list[str]:
    case = dict(row.case)
    unit = case.pop("unit", "us")
    case.pop(PLANS, None)
    text = f"{row.seconds:.2%}" if unit == "of the run" else f"{row.seconds * (1e6 if unit == 'us' else 1):,.1f}"
    return [" ".join(map(str, case.values())), row.system, text, unit]


def measure(report: Report, options: argparse.Namespace) -> None:
    layers, rounds, runs = (2, 3, 2) if options.quick else (12, 9, 5)
    compiler = Compiler(Target.host(options.threads), options.db)
    overheads(report, compiler, points(layers), rounds)
    files(report, compiler, layers, runs)
    report.table("The virtual machine", ("case", "what", "value", "unit"), map(_shown, report.rows))


main = program(__doc__, measure, claims, on_one_thread=True)


if __name__ == "__main__":
    sys.exit(main())
