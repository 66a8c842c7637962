"""dense at one to four rows beside a loop that only reads its weight, from the last cache and from memory.

So few rows wait for bytes: what a kernel can reach is the speed at which a core reads them, and no rival says what that
is. The loop reads the same memory in the same order as it lies there, and does nothing else. From caches
three or four rows are as much arithmetic as reading: there the bound is the lesser of the two rates.
"""

from __future__ import annotations

import argparse
import sys
from collections import deque
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

import anytile
from anytile.codegen.llvm.compile import compile_ir
from anytile.codegen.load.loader import Loaded, time_calls
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.workloads.streaming import copies
from anytile.tuner.measure.cpu.streams import ENTRY, STREAMS, stream_ir
from benchmarks.measure.harness import Claim, Report, Row, System, Timing, geomean, interleave
from benchmarks.measure.native import Array, Native, aligned
from benchmarks.measure.peak import peak_system
from benchmarks.measure.program import program

LAYERS = ((3072, 768), (768, 3072), (4096, 4096))
ROWS = (1, 2, 3, 4)
PLAIN, PEAK, OURS = "reads only", "fma peak", "anytile"
FLOOR = 0.93


class Reader:
    """The loop with which tuning looks at the machine, over as many copies of a weight as a streamed operand has."""

    def __init__(self, count: int, target: anytile.Target, streamed: bool) -> None:
        step = STREAMS * facts(target).lanes
        self._loaded = Loaded(compile_ir(stream_ir(facts(target).lanes), target, entry=ENTRY))
        self.rounds = -(-count // step)
        number = copies(4 * count, target) if streamed else 1
        self._held = [aligned(4 * self.rounds * step) for _ in range(number)]
        for memory in self._held:
            memory[...] = 0  # every page its own, and not the one page of zeros

    def system(self) -> System:
        tables = deque((memory.ctypes.data,) for memory in self._held)

        def run(calls: int) -> float:
            seconds = time_calls(self._loaded.entry, list(tables), (self.rounds,), 0, calls)
            tables.rotate(-calls)
            return seconds

        return System(PLAIN, run)


def measure(report: Report, options: argparse.Namespace) -> None:
    timing = Timing(rounds=5, slot_ms=2.0, most_rounds=5) if options.quick else Timing(slot_ms=4.0)
    target = anytile.Target.host(options.threads)
    peak = peak_system(target)
    for n, k in LAYERS:
        for streamed in (False, True):
            _layer(report, n, k, streamed, peak, timing, options)
    show(report)


def _layer(
    report: Report, n: int, k: int, streamed: bool, peak: System, timing: Timing, options: argparse.Namespace
) -> None:
    target = anytile.Target.host(options.threads)
    rng = np.random.default_rng(n)
    w: Array = rng.standard_normal((n, k), dtype=np.float32)
    workload = anytile.dense(m=anytile.Any("m"), n=n, k=k, const=("w",))
    workload = replace(workload, streamed=("w",)) if streamed else workload
    kernel = anytile.build(workload, target=target, db=options.db, constants={"w": w})
    reader = Reader(n * k, target, streamed)
    where = "memory" if streamed else "caches"
    report.say(f"dense n={n} k={k}, weight in {where}")
    for m in ROWS:
        x: Array = rng.standard_normal((m, k), dtype=np.float32)
        systems = [reader.system(), peak]
        runs = kernel.plan.range_at(m).runs
        if isinstance(runs, int):
            y = np.full((m, n), np.nan, dtype=np.float32)
            native = Native(kernel.artifact, workload, {"w": w})
            systems.append(native.at(OURS, {"x": x}, y, {"m": m}, 2.0 * m * n * k))
            if not np.allclose(y, x @ w.T, rtol=1e-3, atol=1e-3):
                raise SystemExit(f"error: {OURS} is wrong at m={m}, n={n}, k={k}")
        else:
            report.unmeasured.append(f"m={m} of {n}x{k} in {where}: the plan runs {runs}")
        case = {"op": "dense", "m": m, "n": n, "k": k, "weight": where}
        report.rows += interleave(case, systems, timing)


def bandwidths(rows: Iterable[Row]) -> dict[tuple[int, int, str, int], dict[str, float]]:
    """(n, k, where, m) -> system -> GB/s of the weight: the peak's are those at which it would keep up."""
    found: dict[tuple[int, int, str, int], dict[str, float]] = {}
    for row in rows:
        c = row.case
        keeps_up = row.gflops / (2 * c["m"]) * 4
        rate = keeps_up if row.system == PEAK else 4e-9 * c["n"] * c["k"] / row.seconds
        found.setdefault((c["n"], c["k"], c["weight"], c["m"]), {})[row.system] = rate
    return found


def share(at: dict[str, float]) -> float | None:
    """Of what reading and arithmetic allow."""
    return at[OURS] / min(at[PLAIN], at[PEAK]) if OURS in at else None


def claims(rows: Iterable[Row]) -> list[Claim]:
    shares = {case: value for case, at in bandwidths(rows).items() if (value := share(at)) is not None}
    found = []
    for where in ("caches", "memory"):
        some = [one for (_, _, place, _), one in shares.items() if place == where]
        if some:
            name = f"weights from {where}, m in 1..4, share of what only reading or only multiplying allows"
            found.append(Claim(f"{name}: geometric mean", geomean(some), FLOOR))
            found.append(Claim(f"{name}: worst", min(some), FLOOR))
    return found


def show(report: Report) -> None:
    lines = [
        [f"{n}x{k}", where, str(m), *(f"{at[s]:.1f}" if s in at else "-" for s in (PLAIN, PEAK, OURS)),
         "-" if (part := share(at)) is None else f"{part:.3f}"]
        for (n, k, where, m), at in bandwidths(report.rows).items()
    ]  # fmt: skip
    report.table(
        "dense at few rows, GB/s of the weight", ("n x k", "weight in", "m", PLAIN, PEAK, OURS, "share"), lines
    )


main = program(__doc__, measure, claims)


if __name__ == "__main__":
    sys.exit(main())
