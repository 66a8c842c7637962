"""softmax, layer_norm and gelu over rows beside numpy, torch and onnxruntime, interleaved in one run.

Everybody is called from Python as a program would call it, writing into an array of its own where it can. Our kernels
are of symbolic rows, with the plan that the database has or the default; a result is checked before it is timed.

    scripts/bench small_ops --check --json small_ops.json
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

import anytile
from anytile.schedules.workloads.constructors import elementwise, layer_norm, softmax
from anytile.schedules.workloads.reference import evaluate
from anytile.schedules.workloads.workload import Workload
from benchmarks.measure.harness import Claim, Report, Row, System, Timing, fastest, geomean, interleave
from benchmarks.measure.program import program
from benchmarks.rivals.dense_rivals import NEEDS, missing
from benchmarks.rivals.small_rivals import EPS, ways

Array = NDArray[np.float32]
OURS = "anytile"
COLUMNS = (768, 3072)
ROWS = (8, 16, 32, 64, 128, 256)
QUICK = (8, 64)
OPS: dict[str, Callable[[int], Workload]] = {
    "softmax": lambda n: softmax(n, outer=anytile.Any("rows")),
    "layer_norm": lambda n: layer_norm(anytile.Any("rows"), n, EPS),
    "gelu": lambda n: elementwise("gelu(x[d0, d1])", anytile.Any("rows"), n),
}


class Operation:
    """One operation over rows of n columns: our kernel and its operands."""

    def __init__(self, op: str, n: int, options: argparse.Namespace) -> None:
        self.op, self.n, self.threads = op, n, options.threads
        self.workload = OPS[op](n)
        self.kernel = anytile.build(self.workload, target=anytile.Target.host(options.threads), db=options.db)
        rng = np.random.default_rng(n)
        self.x: Array = rng.standard_normal((max(ROWS), n), dtype=np.float32) * 2
        self.more = {
            "gamma": rng.standard_normal(n, dtype=np.float32),
            "beta": rng.standard_normal(n, dtype=np.float32),
        }
        if op != "layer_norm":
            self.more = {}

    def at(self, rows: int, timing: Timing) -> list[Row]:
        x = np.ascontiguousarray(self.x[:rows])
        shape = self.workload.shape("x", {"rows": rows})
        given, out = x.reshape(shape), np.full(shape, np.nan, np.float32)
        more = tuple(self.more.values())
        kernel = self.kernel
        kernel(given, *more, out=out)
        expected = evaluate(self.workload, {"x": given, **self.more})["y"].reshape(x.shape)
        self._check(OURS, rows, out.reshape(x.shape), expected, 1e-5)
        flops = float(self.workload.flops({"rows": rows}))
        systems = [System.of(OURS, lambda: kernel(given, *more, out=out), flops)]
        for name, found in ways(self.op, {"x": x, **self.more}, self.threads).items():
            for way in found:
                way.call()
                self._check(f"{name} {way.label}", rows, way.result(), expected, 2e-3)
            best = fastest([System.of(way.label, way.call, flops) for way in found])
            systems.append(replace(best, name=name))
        case = {"op": self.op, "rows": rows, "n": self.n}
        return interleave(case, systems, timing)

    def _check(self, who: str, rows: int, y: Array, expected: Array, tolerance: float) -> None:
        """Nobody is timed who is wrong; formulas of their own are allowed to others."""
        worst = float(np.abs(y - expected).max())
        if not worst <= tolerance:
            raise SystemExit(f"error: {who} is wrong at {self.op}, rows={rows}, n={self.n}: off by {worst:.3g}")


Times = dict[tuple[str, int], dict[int, dict[str, float]]]


def times(rows: Iterable[Row]) -> Times:
    """(operation, columns) -> rows -> system -> seconds."""
    found: Times = {}
    for row in rows:
        by_rows = found.setdefault((row.case["op"], row.case["n"]), {})
        by_rows.setdefault(row.case["rows"], {})[row.system] = row.seconds
    return found


def gains(rows: Iterable[Row]) -> dict[str, list[float]]:
    """By operation: how many times faster than the best rival at each point."""
    found: dict[str, list[float]] = {}
    for (op, _), by_rows in times(rows).items():
        for at in by_rows.values():
            best = min((at[name] for name in NEEDS if name in at), default=None)
            if best is not None:
                found.setdefault(op, []).append(best / at[OURS])
    return found


def claims(rows: Iterable[Row]) -> list[Claim]:
    every = [value for values in gains(rows).values() for value in values]
    return [Claim("softmax, layer_norm, gelu against the best rival: geometric mean", geomean(every), 1.5)]


def show(report: Report) -> None:
    for (op, n), by_rows in times(report.rows).items():
        names = [s for s in (OURS, *NEEDS) if any(s in at for at in by_rows.values())]
        lines = []
        for rows, at in by_rows.items():
            best = min((at[s] for s in names if s != OURS), default=float("nan"))
            lines.append([str(rows), *(f"{at[s] * 1e6:.1f}" for s in names), f"{best / at[OURS]:.2f}x"])
        report.table(f"{op} over {n} columns, us", ["rows", *names, "against best rival"], lines)
    means = [[op, f"{geomean(values):.2f}x", f"{min(values):.2f}x"] for op, values in gains(report.rows).items()]
    report.table("against the best rival", ["operation", "geometric mean", "worst"], means)


def measure(report: Report, options: argparse.Namespace) -> None:
    timing = Timing(rounds=5, slot_ms=1.0, most_rounds=5) if options.quick else Timing()
    for op in OPS:
        for n in COLUMNS:
            report.say(f"{op} over {n} columns")
            operation = Operation(op, n, options)
            for rows in QUICK if options.quick else ROWS:
                report.rows += operation.at(rows, timing)
    show(report)


main = program(__doc__, measure, claims, missing)


if __name__ == "__main__":
    sys.exit(main())
