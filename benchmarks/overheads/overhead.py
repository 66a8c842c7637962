"""What anytile costs around a kernel: a call from Python, the import, a lookup in a database of 100,000 trials."""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

import anytile
from anytile.db.records.records import Selection, Status, Trial
from anytile.dispatch.service import versions_here
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import templates_for
from benchmarks.measure.harness import Claim, Report, Row, System, Timing, interleave
from benchmarks.measure.native import Array, Native
from benchmarks.measure.program import program

TRIALS = 100_000
HEAVY = ("alembic", "cupy", "ray", "xgboost")
IMPORT = (
    "import json, sys, time; t = time.perf_counter(); import anytile; s = time.perf_counter() - t;"
    f"print(json.dumps([s, [m for m in {HEAVY!r} if m in sys.modules]]))"
)


def call(report: Report, options: argparse.Namespace) -> None:
    """A kernel that has next to nothing to do, called from Python and natively; the difference is ours."""
    m, n, k = 1, 16, 16
    rng = np.random.default_rng(0)
    w: Array = rng.standard_normal((n, k), dtype=np.float32)
    x: Array = rng.standard_normal((m, k), dtype=np.float32)
    out = np.empty((m, n), dtype=np.float32)
    workload = anytile.dense(m=anytile.Any("m"), n=n, k=k, const=("w",))
    kernel = anytile.build(workload, target=anytile.Target.host(1), db=options.db, constants={"w": w})
    systems = [
        System.of("kernel(x, out=y)", lambda: kernel(x, out=out)),
        System.of("kernel(x)", lambda: kernel(x)),
        System.of("np.matmul(x, w.T, out=y)", lambda: np.matmul(x, w.T, out=out)),
        System.of("empty lambda", lambda: None),
        Native(kernel.artifact, workload, {"w": w}).at("native", {"x": x}, np.empty_like(out), {"m": m}, 0.0),
    ]
    rows = interleave({"what": "call", "m": m, "n": n, "k": k}, systems, Timing(rounds=15, slot_ms=4.0))
    report.rows += rows
    seconds = {row.system: row.seconds for row in rows}
    over = seconds["kernel(x, out=y)"] - seconds["native"]
    report.claims.append(Claim("a call from Python over the kernel itself, us", over * 1e6, 3.0, at_most=True))


def imports(report: Report, runs: int) -> None:
    """Fresh processes, each importing anytile; the first one only warms the disk cache."""
    samples = []
    for _ in range(runs + 1):
        done = subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True)
        seconds, heavy = json.loads(done.stdout)
        samples.append(float(seconds))
    median = statistics.median(samples[1:])
    report.rows.append(Row({"what": "import"}, "import anytile", median, 0.0, 0.0, runs))
    report.claims.append(Claim("import anytile, s", median, 0.3, at_most=True))
    report.claims.append(Claim("heavy modules that the import brings in", float(len(heavy)), 0.0, at_most=True))


def layers() -> list[anytile.Workload]:
    """Forty dense layers, as a team's models might have."""
    widths = (256, 768, 1024, 3072, 4096)
    return [anytile.dense(anytile.Any("m"), n, k, const=("w",)) for n in range(256, 4352, 512) for k in widths][:40]


def trials(count: int, target: anytile.Target) -> Iterator[Trial]:
    """Invented trials, spread over the layers."""
    rng = np.random.default_rng(0)
    workloads = layers()
    template = templates_for(workloads[0], target)[0]
    configs = [template.space(w, target).sample(random.Random(1), 64) for w in workloads]
    for i in range(count):
        which = i % len(workloads)
        yield Trial(
            workload=workloads[which],
            target=target,
            template=template.name,
            config=configs[which][(i // len(workloads)) % len(configs[which])],
            point={"m": 64},
            status=Status.OK,
            samples=tuple(rng.uniform(1e-4, 2e-4, 3).tolist()),
            seed_order=i,
            created=time.time(),
        )


def lookups(report: Report, options: argparse.Namespace) -> None:
    """`anytile.lookup` in a database that `anytile.open_store` opened: of a stored plan, of trials, of nothing."""
    count = TRIALS // 10 if options.quick else TRIALS
    target = anytile.Target.host(1)
    planned, tried = layers()[:2]
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "tuning.db"
        fill(db, count, planned, target)
        report.say(f"{count} trials stored")
        unknown = anytile.dense(anytile.Any("m"), 777, 333, const=("w",))
        with anytile.open_store(db, readonly=True) as store:
            for name, workload in (("stored plan", planned), ("trials only", tried), ("unknown workload", unknown)):
                system = System.of(name, partial(anytile.lookup, workload, target, db=store))
                rows = interleave({"what": "lookup", "trials": count}, [system], Timing(slot_ms=20.0, rounds=9))
                report.rows += rows
                if workload is planned:
                    ms = rows[0].seconds * 1e3
                    report.claims.append(Claim(f"lookup among {count} trials, warm, ms", ms, 1.0, at_most=True))


def fill(db: Path, count: int, planned: anytile.Workload, target: anytile.Target) -> None:
    """Invented trials, and a plan for one of their workloads."""
    with anytile.open_store(db) as store:
        store.add_trials(trials(count, target))
        template = templates_for(planned, target)[0]
        plan = single_plan(planned, target, template.name, template.default(planned, target))
        store.add_selection(Selection(planned, target, plan.to_json(), versions_here(template.name)))


def measure(report: Report, options: argparse.Namespace) -> None:
    call(report, options)
    report.say("calls timed")
    imports(report, 3 if options.quick else 9)
    report.say("imports timed")
    lookups(report, options)
    lines = [[f"{r.case['what']}: {r.system}", f"{r.seconds * 1e6:.2f}", f"{r.spread:.1%}"] for r in report.rows]
    report.table("Overheads", ("what", "us", "spread"), lines)


main = program(__doc__, measure)


if __name__ == "__main__":
    sys.exit(main())
