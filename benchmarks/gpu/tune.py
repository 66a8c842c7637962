"""Tuning on a GPU: how long `tune --op dense --target cuda` takes as it comes, and how fast candidates are compiled.

The campaign is the command's own, of the three dense layers of BERT-base in float32 with its default time; its plans
are in the journal, where the other parts find them.
"""

from __future__ import annotations

import time

from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any as Sym
from anytile.tuner.builders.builder_pool import BuilderPool
from anytile.tuner.builders.compile_only import compile_only
from anytile.tuner.ledger.budget import default_seconds
from anytile.tuner.requests.request import TuneRequest
from benchmarks.gpu import plans
from benchmarks.gpu.dense import BERT
from benchmarks.gpu.run import Part, Run, Unit
from benchmarks.measure.harness import Claim

MOST = 180.0  # seconds
RATE = 12.0  # candidates per second on two cores
BUILT = 40  # configs, to see how fast builders are
COMMAND = "`tune --op dense --target cuda`"


def campaign(run: Run) -> None:
    workloads = [dense(Sym("m"), n, k) for n, k in BERT]
    default = default_seconds(len(workloads))
    seconds = None if run.left() >= default else run.left()
    if run.late(f"seconds for {COMMAND}"):
        return
    run.report.say(f"{COMMAND}, {default if seconds is None else seconds:.0f} s")
    began = time.monotonic()
    plans.tune(run, workloads, seconds)
    if seconds is None:
        run.report.claims.append(Claim(f"seconds for {COMMAND}", time.monotonic() - began, MOST, at_most=True))
    else:
        run.report.unmeasured.append(f"seconds for {COMMAND}: had {seconds:.0f} s, not {default:.0f}")


def builders(run: Run) -> None:
    request = TuneRequest((dense(Sym("m"), 768, 768),), run.target, strategy="random", trials=BUILT, seed=1)
    farm = BuilderPool(2)
    farm.build((), 1.0)
    found = list(compile_only(request, farm))
    total = sum(f.built + sum(f.failed.values()) for f in found)
    rate = total / sum(f.seconds for f in found)
    run.report.claims.append(Claim("candidates compiled per second by 2 builders", rate, RATE))


def units(quick: bool) -> list[Unit]:
    """A look at whether it works takes no three minutes."""
    return [Unit(COMMAND, 30.0 if quick else 182.0, campaign), Unit("builders", 6.0, builders)]


PART = Part("tune", units)
