"""Two plans for the same dense workloads against each other: what a short budget gave beside what a long one found.

Tunes nothing. Each database holds a plan; both are built and timed in alternation, between native calls. The plan of
the long budget may come from an exhaustive campaign: `anytile tune --search grid --early-stop 0 --time 15m --db LONG`.
Rows say how each plan was searched for.

    python benchmarks/plans.py --db SHORT --against LONG --check
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from harness import Claim, Report, Row, Timing, geomean, interleave
from native import Array, Native, origin
from program import program

import anytile
from anytile.db.records import Campaign
from anytile.db.store import Store
from anytile.schedules.workload import Workload, parse_shape

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
SHORT, LONG = "short budget", "long budget"
FLOOR = 0.97
SHAPES = ("m=?,n=768,k=768", "m=?,n=3072,k=768", "m=?,n=768,k=3072")  # of BERT-base


def measure(report: Report, options: argparse.Namespace) -> None:
    for shape in options.shape or SHAPES:
        measure_shape(report, options, parse_shape("dense", shape, const=("w",)))
    found = ratios(report.rows)
    shapes = list(dict.fromkeys((n, k) for n, k, _ in found))
    lines = [[str(m), *(f"{found[n, k, m]:.3f}" for n, k in shapes)] for m in SIZES]
    report.table("Short budget over long", ["m", *(f"{n}x{k}" for n, k in shapes)], lines)


def measure_shape(report: Report, options: argparse.Namespace, workload: Workload) -> None:
    target = anytile.Target.host(options.threads)
    n, k = workload.sizes({"m": 1})["n"], workload.sizes({"m": 1})["k"]
    rng = np.random.default_rng(0)
    w: Array = rng.standard_normal((n, k), dtype=np.float32)
    x: Array = rng.standard_normal((max(SIZES), k), dtype=np.float32)
    natives, how = {}, {}
    for name, db in ((SHORT, options.db), (LONG, options.against)):
        kernel = anytile.build(workload, target=target, db=db, constants={"w": w})
        how[name] = searched(db, workload, target)
        report.say(f"{workload}, {name}: {origin(kernel)}; {how[name]}")
        natives[name] = Native(kernel.artifact, workload, {"w": w})
    timing = Timing(rounds=5, slot_ms=1.0, most_rounds=5) if options.quick else Timing(rounds=15)
    for m in SIZES:
        flops = 2.0 * m * n * k
        systems = [
            native.at(name, {"x": x[:m]}, np.full((m, n), np.nan, dtype=np.float32), {"m": m}, flops)
            for name, native in natives.items()
        ]
        rows = interleave({"op": "dense", "m": m, "n": n, "k": k}, systems, timing)
        report.rows += [replace(row, case={**row.case, "searched": how[row.system]}) for row in rows]


def searched(db: str | None, workload: Workload, target: anytile.Target) -> dict[str, Any]:
    """How the campaign of the stored plan searched; empty where the plan is of no campaign that the database knows."""
    with Store.open(db, readonly=True) as store:
        chosen = store.selection(workload, target)
        campaigns = {c.id: c for c in store.campaigns()}
        if chosen is None or chosen.campaign_id not in campaigns:
            return {}
        trials = sum(store.counts().get(chosen.campaign_id, {}).values())
    return {**asked(campaigns[chosen.campaign_id]), "measured": trials}


def asked(campaign: Campaign) -> dict[str, Any]:
    """The search that a campaign was asked for, and the seconds it took; of all its workloads together."""
    request, spent = campaign.options.get("request", {}), campaign.options.get("progress", {}).get("spent")
    said = {name: request.get(name) for name in ("strategy", "trials", "early_stop")}
    return {**said, "seconds": spent, "workloads": len(campaign.workloads)}


def ratios(rows: Iterable[Row]) -> dict[tuple[int, int, int], float]:
    """(n, k, m) -> the speed of the short-budget plan over that of the long-budget one."""
    seconds = {(r.case["n"], r.case["k"], r.case["m"], r.system): r.seconds for r in rows}
    return {(n, k, m): seconds[n, k, m, LONG] / at for (n, k, m, who), at in seconds.items() if who == SHORT}


def claims(rows: Iterable[Row]) -> list[Claim]:
    by_shape: dict[tuple[int, int], list[float]] = {}
    for (n, k, _), ratio in ratios(rows).items():
        by_shape.setdefault((n, k), []).append(ratio)
    name = "short budget against long: geometric mean over m"
    return [Claim(f"{name}, {n}x{k}", geomean(found), FLOOR) for (n, k), found in by_shape.items()]


def own_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--against", metavar="URL", required=True, help="the database of the long budget")
    parser.add_argument("--shape", action="append", help="dense dimensions; may be repeated (the three of BERT-base)")


main = program(__doc__, measure, claims, extra=own_options)


if __name__ == "__main__":
    sys.exit(main())
