"""Two plans for the same dense workload against each other: what a short budget gave beside what a long one found.

Tunes nothing. Each database holds a plan; both are built and timed in alternation, between native calls. The plan of
the long budget may come from an exhaustive campaign: `anytile tune --search grid --time 15m --db LONG`.

    python benchmarks/plans.py --db SHORT --against LONG --check
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable

import numpy as np
from harness import Claim, Report, Row, Timing, geomean, interleave
from native import Array, Native, origin
from program import program

import anytile
from anytile.schedules.workload import parse_shape

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
SHORT, LONG = "short budget", "long budget"
FLOOR = 0.97


def measure(report: Report, options: argparse.Namespace) -> None:
    workload = parse_shape("dense", options.shape, const=("w",))
    target = anytile.Target.host(options.threads)
    n, k = workload.sizes({"m": 1})["n"], workload.sizes({"m": 1})["k"]
    rng = np.random.default_rng(0)
    w: Array = rng.standard_normal((n, k), dtype=np.float32)
    x: Array = rng.standard_normal((max(SIZES), k), dtype=np.float32)
    natives = {}
    for name, db in ((SHORT, options.db), (LONG, options.against)):
        kernel = anytile.build(workload, target=target, db=db, constants={"w": w})
        report.say(f"{name}: {origin(kernel)}")
        natives[name] = Native(kernel.artifact, workload, {"w": w})
    timing = Timing(rounds=5, slot_ms=1.0, most_rounds=5) if options.quick else Timing(rounds=15)
    for m in SIZES:
        flops = 2.0 * m * n * k
        systems = [
            native.at(name, {"x": x[:m]}, np.full((m, n), np.nan, dtype=np.float32), {"m": m}, flops)
            for name, native in natives.items()
        ]
        report.rows += interleave({"op": "dense", "m": m, "n": n, "k": k}, systems, timing)
    lines = [(str(m), f"{v:.3f}") for m, v in ratios(report.rows).items()]
    report.table("Short budget over long", ("m", "speed"), lines)


def ratios(rows: Iterable[Row]) -> dict[int, float]:
    """m -> the speed of the short-budget plan over that of the long-budget one."""
    seconds = {(r.case["m"], r.system): r.seconds for r in rows}
    return {m: seconds[m, LONG] / seconds[m, SHORT] for m in SIZES}


def claims(rows: Iterable[Row]) -> list[Claim]:
    return [Claim("short budget against long: geometric mean over m", geomean(ratios(rows).values()), FLOOR)]


def own_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--against", metavar="URL", required=True, help="the database of the long budget")
    parser.add_argument("--shape", default="m=?,n=768,k=768", help="dense dimensions (m=?,n=768,k=768)")


main = program(__doc__, measure, claims, extra=own_options)


if __name__ == "__main__":
    sys.exit(main())
