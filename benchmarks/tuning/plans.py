"""Two plans for the same dense workloads against each other: what a short budget gave beside what a long one found.

Each database holds a plan; both are built and timed in alternation, between native calls. Rows say how each plan was
searched for. With `--against` nothing is tuned:

    scripts/bench plans --db SHORT --against LONG --check
    scripts/bench plans --db SHORT --against LONG --shape m=?m,n=768,k=768,streamed=w    # as a preset tunes it

With `--tune` the short plan is made by the very command that the promise is about, timed, on a new database; the other
is that of a campaign that searched every config, which `--make` makes where it is not there:

    scripts/bench plans --tune --threads 2 --exhaustive LONG --make 30m --check
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import anytile
from anytile.core.errors import MeasureError, SpecError
from anytile.db.records.records import Campaign
from anytile.db.sql.engine import locate
from anytile.db.store import Store
from anytile.schedules.workloads.workload import Workload, parse_shape
from anytile.tuner.measure.cpu.drift import Reference
from benchmarks.measure import campaigns
from benchmarks.measure.harness import Claim, Report, Row, Timing, geomean, interleave
from benchmarks.measure.native import Array, Native, origin
from benchmarks.measure.program import program

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
SHORT, LONG, TUNE = "short budget", "long budget", "tune"
FLOOR = 0.97
SHAPES = ("m=?,n=768,k=768", "m=?,n=3072,k=768", "m=?,n=768,k=3072")  # of BERT-base
MOST_SECONDS = 90.0
CORES = 2  # that the time is promised of


def measure(report: Report, options: argparse.Namespace) -> None:
    _require_one_way(options)
    for shape in options.shape or (SHAPES[:1] if options.tune else SHAPES):
        with places(report, options, shape) as (short, long):
            measure_shape(report, options, shape, short, long)
    found = ratios(report.rows)
    shapes = list(dict.fromkeys((n, k) for n, k, _ in found))
    lines = [[str(m), *(f"{found[n, k, m]:.3f}" for n, k in shapes)] for m in SIZES]
    report.table("Short budget over long", ["m", *(f"{n}x{k}" for n, k in shapes)], lines)


def _require_one_way(options: argparse.Namespace) -> None:
    """Two databases, or one campaign that is run here and an exhaustive one."""
    if options.tune and (options.against or options.db or not options.exhaustive):
        raise SpecError("--tune: makes the database of the short budget itself; expected --exhaustive DB beside it")
    if not options.tune and (not options.against or options.exhaustive or options.make):
        raise SpecError("nothing to compare: expected --against LONG, or --tune with --exhaustive DB")
    if options.tune and options.threads < CORES:
        raise SpecError(
            f"--threads {options.threads}: the time is promised of {CORES} cores; expected --threads {CORES}"
        )


@contextmanager
def places(report: Report, options: argparse.Namespace, shape: str) -> Iterator[tuple[str | None, str]]:
    """The databases of the short and of the long budget; with `--tune`, where there was none."""
    if not options.tune:
        yield options.db, options.against
        return
    workload, target = parse_shape("dense", shape, const=("w",)), anytile.Target.host(options.threads)
    if options.make and not holds(options.exhaustive, workload, target):
        words = campaigns.exhaustive_words(shape, options.make)
        report.say(f"anytile {shlex.join(words)}")
        campaigns.run(words, options.exhaustive)
    if lacks := campaigns.left_out(options.exhaustive, workload, target):
        report.unmeasured.append(f"against the best of every config: {lacks}")
    with tempfile.TemporaryDirectory() as folder:
        short, words = str(Path(folder) / "tuning.db"), campaigns.tune_words(shape)
        report.say(f"anytile {shlex.join(words)}")
        seconds = campaigns.run(words, short, cache=Path(folder) / "cache")
        if not searched(short, workload, target):
            raise MeasureError(f"`anytile {shlex.join(words)}` stored no plan for {workload} on {target}")
        sizes = workload.sizes(dict.fromkeys(workload.symbols, 1))
        case = {"op": "dense", "n": sizes["n"], "k": sizes["k"], "command": shlex.join(words)}
        report.rows.append(Row(case, TUNE, seconds, 0.0, 0.0, 1))
        yield short, options.exhaustive


def holds(db: str, workload: Workload, target: anytile.Target) -> bool:
    """Whether there is such a database, and a plan in it."""
    place = locate(db, readonly=True).path
    return (place is None or place.exists()) and bool(searched(db, workload, target))


def measure_shape(report: Report, options: argparse.Namespace, shape: str, short: str | None, long: str) -> None:
    workload = parse_shape("dense", shape, const=("w",))
    target = anytile.Target.host(options.threads)
    n, k = workload.sizes({"m": 1})["n"], workload.sizes({"m": 1})["k"]
    rng = np.random.default_rng(0)
    w: Array = rng.standard_normal((n, k), dtype=np.float32)
    x: Array = rng.standard_normal((max(SIZES), k), dtype=np.float32)
    natives, how = {}, {}
    for name, db in ((SHORT, short), (LONG, long)):
        kernel = anytile.build(workload, target=target, db=db, constants={"w": w})
        how[name] = searched(db, workload, target)
        report.say(f"{workload}, {name}: {origin(kernel)}; {how[name]}")
        natives[name] = Native(kernel.artifact, workload, {"w": w})
    timing = Timing(rounds=5, slot_ms=1.0, most_rounds=5) if options.quick else Timing(rounds=15)
    steady = Reference(options.threads).steady()
    for m in SIZES:
        flops = 2.0 * m * n * k
        systems = [
            native.at(name, {"x": x[:m]}, np.full((m, n), np.nan, dtype=np.float32), {"m": m}, flops)
            for name, native in natives.items()
        ]
        rows = interleave({"op": "dense", "m": m, "n": n, "k": k}, systems, timing, steady)
        report.rows += [replace(row, case={**row.case, "searched": how[row.system]}) for row in rows]


def searched(db: str | None, workload: Workload, target: anytile.Target) -> dict[str, Any]:
    """How the campaign of the stored plan searched; empty where the plan is of no campaign that the database knows."""
    with Store.open(db, readonly=True) as store:
        chosen = store.selection(workload, target)
        known = {c.id: c for c in store.campaigns()}
        if chosen is None or chosen.campaign_id not in known:
            return {}
        trials = sum(store.counts().get(chosen.campaign_id, {}).values())
    return {**asked(known[chosen.campaign_id]), "measured": trials}


def asked(campaign: Campaign) -> dict[str, Any]:
    """The search that a campaign was asked for, and the seconds it took; of all its workloads together."""
    request, spent = campaign.options.get("request", {}), campaign.options.get("progress", {}).get("spent")
    said = {name: request.get(name) for name in ("strategy", "trials", "early_stop")}
    return {**said, "seconds": spent, "workloads": len(campaign.workloads)}


def ratios(rows: Iterable[Row]) -> dict[tuple[int, int, int], float]:
    """(n, k, m) -> the speed of the short-budget plan over that of the long-budget one."""
    timed = [r for r in rows if r.system != TUNE]
    seconds = {(r.case["n"], r.case["k"], r.case["m"], r.system): r.seconds for r in timed}
    return {(n, k, m): seconds[n, k, m, LONG] / at for (n, k, m, who), at in seconds.items() if who == SHORT}


def claims(rows: Iterable[Row]) -> list[Claim]:
    rows = list(rows)
    by_shape: dict[tuple[int, int], list[float]] = {}
    for (n, k, _), ratio in ratios(rows).items():
        by_shape.setdefault((n, k), []).append(ratio)
    commands = [(r.case["command"], r.seconds) for r in rows if r.system == TUNE]
    times = [Claim(f"{said}: seconds to the stored plan", s, MOST_SECONDS, at_most=True) for said, s in commands]
    name = "short budget against long: geometric mean over m"
    return [*times, *(Claim(f"{name}, {n}x{k}", geomean(found), FLOOR) for (n, k), found in by_shape.items())]


def own_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--against", metavar="URL", help="the database of the long budget")
    parser.add_argument("--tune", action="store_true", help="make the short plan here, timed, on a new database")
    parser.add_argument("--exhaustive", metavar="URL", help="with --tune: the database of a search of every config")
    parser.add_argument("--make", metavar="TIME", help="make that database where it is not there, in at most this time")
    parser.add_argument(
        "--shape", action="append", help="dense dimensions; may be repeated (the three of BERT-base; --tune: the first)"
    )


main = program(__doc__, measure, claims, extra=own_options)


if __name__ == "__main__":
    sys.exit(main())
