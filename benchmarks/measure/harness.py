"""What every benchmark shares: interleaved timing, the one JSON format, floors, and how results are shown.

Systems are timed in alternation, a few milliseconds each and then the next, so that a drift of the clock or a noisy
neighbour touches all of them alike; a figure is the median over the rounds. Nothing here knows what is timed.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from anytile.core.errors import SpecError
from anytile.tuner.measure.quiet_machine import Steady

Case = Mapping[str, Any]
WARM_BELOW_S = 0.02  # a call longer than this hides what cold caches cost it


@dataclass(frozen=True, slots=True)
class System:
    """One contender at one case: `run(calls)` does the work that often and says how many seconds that took."""

    name: str
    run: Callable[[int], float]
    flops: float = 0.0

    @classmethod
    def of(
        cls, name: str, call: Callable[[], object], flops: float = 0.0, clock: Callable[[], float] = time.perf_counter
    ) -> System:
        """A Python callable, timed with the cost of calling it from Python."""

        def run(calls: int) -> float:
            begin = clock()
            for _ in range(calls):
                call()
            return clock() - begin

        return cls(name, run, flops)


@dataclass(frozen=True, slots=True)
class Timing:
    """How long a slot is, how many rounds, and when a point is noisy enough to be given more rounds."""

    rounds: int = 7
    slot_ms: float = 2.0
    spread_limit: float = 0.08
    more_rounds: int = 7
    most_rounds: int = 21


@dataclass(frozen=True, slots=True)
class Row:
    """One system at one case. `spread` is the interquartile range over the median."""

    case: Case
    system: str
    seconds: float
    gflops: float
    spread: float
    rounds: int


@dataclass(frozen=True, slots=True)
class Claim:
    """A figure and the floor under it; `at_most` turns the floor into a ceiling."""

    claim: str
    value: float
    floor: float
    at_most: bool = False

    @property
    def ok(self) -> bool:
        return self.value <= self.floor if self.at_most else self.value >= self.floor

    def __str__(self) -> str:
        bound = "at most" if self.at_most else "at least"
        return f"{self.claim}: {self.value:.4g}, {bound} {self.floor:g} was promised"


def interleave(case: Case, systems: Sequence[System], timing: Timing, steady: Steady | None = None) -> list[Row]:
    """Time the systems in alternation; a point on which they do not settle is given more rounds, within reason.

    With `steady`, only while the machine is whole. That is for systems of ours alone: it keeps our threads awake.
    """
    calls = {s.name: _calls_for(s, timing.slot_ms / 1e3) for s in systems}
    warm = {s.name: calls[s.name] > 1 or s.run(1) < WARM_BELOW_S for s in systems}
    samples: dict[str, list[float]] = {s.name: [] for s in systems}
    rounds = timing.rounds
    done = 0
    while True:
        while done < rounds:
            # The order rotates: nobody always comes after the same neighbour, who left the caches as they are.
            first = done % len(systems)
            for system in (*systems[first:], *systems[:first]):
                work = partial(_slot, system, calls[system.name], warm[system.name])
                samples[system.name].append(work() if steady is None else steady.sample(work).seconds)
            done += 1
        if rounds >= timing.most_rounds or max(map(_spread, samples.values())) <= timing.spread_limit:
            break
        rounds = min(rounds + timing.more_rounds, timing.most_rounds)
    rows = []
    for system in systems:
        times = samples[system.name]
        seconds = statistics.median(times)
        gflops = system.flops / seconds / 1e9
        rows.append(Row(case, system.name, seconds, gflops, _spread(times), done))
    return rows


def _slot(system: System, calls: int, warm: bool) -> float:
    if warm:
        system.run(1)  # brings its operands back into the caches, as in a program that calls it in a loop
    return system.run(calls) / calls


def _calls_for(system: System, slot: float) -> int:
    if system.run(1) > 4 * slot:
        return 1
    calls = 1
    while (seconds := system.run(calls)) < slot / 4:
        calls *= 2 if seconds <= 0 else max(2, min(16, int(slot / 2 / seconds)))
    return max(1, round(calls * slot / seconds))


def _spread(samples: Sequence[float]) -> float:
    if len(samples) < 4:
        return 0.0
    low, middle, high = statistics.quantiles(samples, n=4)
    return (high - low) / middle


def fastest(systems: Sequence[System], slot_ms: float = 0.7, rounds: int = 3) -> System:
    """The quickest of several ways to do the same with one library, by a short trial apart from what is reported."""
    if len(systems) == 1:
        return systems[0]
    best = dict.fromkeys(range(len(systems)), math.inf)
    calls = [_calls_for(s, slot_ms / 1e3) for s in systems]
    for _ in range(rounds if max(calls) > 1 else 1):
        for i, system in enumerate(systems):
            best[i] = min(best[i], system.run(calls[i]) / calls[i])
    return systems[min(best, key=lambda i: best[i])]


def geomean(values: Iterable[float]) -> float:
    logs = [math.log(v) for v in values]
    return math.exp(sum(logs) / len(logs)) if logs else math.nan


@dataclass(slots=True)
class Report:
    """Everything a run found. `finish` shows it, writes it, and is the exit status."""

    machine: Mapping[str, Any]
    rows: list[Row] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    unmeasured: list[str] = field(default_factory=list)  # floors that this run could not look at, and why
    started: float = field(default_factory=time.monotonic)

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self.started

    def say(self, text: str) -> None:
        """Progress, on stderr, with the time since the start."""
        print(f"[{self.elapsed:5.0f} s] {text}", file=sys.stderr, flush=True)

    def table(self, title: str, columns: Sequence[str], lines: Iterable[Sequence[str]]) -> None:
        show_table(title, columns, list(lines))

    def as_json(self) -> dict[str, Any]:
        rows = [
            {
                "case": dict(r.case),
                "system": r.system,
                "seconds": r.seconds,
                "gflops": r.gflops,
                "spread": round(r.spread, 4),
                "rounds": r.rounds,
            }
            for r in self.rows
        ]
        summary = [
            {
                "claim": c.claim,
                "value": c.value if math.isfinite(c.value) else None,
                "floor": c.floor,
                "bound": "at most" if c.at_most else "at least",
                "ok": c.ok,
            }
            for c in self.claims
        ]
        return {"machine": dict(self.machine), "rows": rows, "summary": summary, "unmeasured": self.unmeasured}

    def finish(self, options: argparse.Namespace, plot: Callable[[Path], None] | None = None) -> int:
        if self.claims:
            lines = [
                (c.claim, f"{c.value:.4g}", f"{'<=' if c.at_most else '>='} {c.floor:g}", "ok" if c.ok else "MISSED")
                for c in self.claims
            ]
            self.table("Floors", ("claim", "value", "floor", ""), lines)
        for what in self.unmeasured:
            print(f"not measured: {what}")
        if options.json is not None:
            options.json.write_text(one_row_a_line(self.as_json()), encoding="utf-8")
        if options.plot is not None and plot is not None:
            plot(options.plot)
        missed = [str(c) for c in self.claims if not c.ok] + [f"not measured: {u}" for u in self.unmeasured]
        if not options.check or not missed:
            return 0
        for what in missed:
            print(f"missed floor: {what}", file=sys.stderr)
        return 1


def one_row_a_line(results: Mapping[str, Any]) -> str:
    """Results as JSON text in which every row, claim and fact is a line: it greps, and a diff shows what moved."""

    def lines(value: Any) -> str:
        match value:
            case dict() if value:
                inner = [f"{json.dumps(name)}: {json.dumps(fact)}" for name, fact in value.items()]
            case list() if value:
                inner = [json.dumps(row) for row in value]
            case _:
                return json.dumps(value)
        begin, end = "{}" if isinstance(value, dict) else "[]"
        return f"{begin}\n  " + ",\n  ".join(inner) + f"\n {end}"

    return "{\n " + ",\n ".join(f"{json.dumps(part)}: {lines(value)}" for part, value in results.items()) + "\n}\n"


def require_outputs(options: argparse.Namespace, draws: bool = True) -> None:
    """Refuse, before anything is measured, what could not be written after it."""
    if options.plot is not None and not draws:
        raise SpecError(f"--plot {options.plot}: this benchmark draws nothing; leave it out")
    if options.plot is not None and importlib.util.find_spec("matplotlib") is None:
        raise SpecError(f"--plot {options.plot}: matplotlib is not installed; install it, or leave --plot out")
    for option, path in (("--json", options.json), ("--plot", options.plot)):
        if path is None:
            continue
        is_new = not path.exists()
        try:
            path.open("ab").close()
            if is_new:
                path.unlink()
        except OSError as error:
            raise SpecError(f"{option} {path}: cannot be written: {error.strerror}; name another file") from None


def show_table(title: str, columns: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """Drawn by rich where it is installed; a borrowed machine may have numpy and little else."""
    if importlib.util.find_spec("rich") is None:
        widths = [max(map(len, column)) for column in zip(columns, *lines, strict=True)]
        print(title)
        for line in (columns, *lines):
            cells = (c.rjust(w) if i else c.ljust(w) for i, (c, w) in enumerate(zip(line, widths, strict=True)))
            print("  ".join(cells).rstrip())
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for i, column in enumerate(columns):
        table.add_column(column, justify="left" if i == 0 else "right")
    for line in lines:
        table.add_row(*line)
    # A pipe has no width of its own; the tables must not be folded into it.
    (Console() if sys.stdout.isatty() else Console(width=160)).print(table)
