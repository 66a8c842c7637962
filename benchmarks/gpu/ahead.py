"""What asking ahead for a weight gains on a GPU: BERT's layers in bfloat16 for few rows, with it and without.

Calls follow each other in a graph, each of which may begin while the one before still ends, and their weights take
turns, so that each comes out of memory: as in a model of small kernels. What differs is the knob `ahead` alone.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from functools import partial

from anytile.dispatch.backends import backend
from anytile.dispatch.cuda.code import CudaCode
from anytile.dispatch.cuda.loaded import Loaded
from anytile.schedules.hardware.gpu import gpu_facts
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.base.template import Template
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.measure.cuda.cases import Cases
from anytile.tuner.measure.cuda.device import CudaTimeable
from anytile.tuner.measure.cuda.operands import Stock
from anytile.tuner.protocol.candidate import point_of
from benchmarks.gpu.dense import BERT
from benchmarks.gpu.run import Part, Run, Unit
from benchmarks.measure.harness import Claim, Report, Row, geomean
from benchmarks.rivals import gpu_rivals
from benchmarks.rivals.gpu_rivals import Contender, race
from benchmarks.rivals.torch_gpu import Repeat

NAME = "ahead"
TEMPLATES = ("dense.cuda.narrow", "dense.cuda.skinny", "dense.cuda.mma")
SIZES, QUICK = (1, 4, 16), (1,)
ROUNDS = 15
WITHOUT, WITH = "ahead=0", "ahead=1"


def units(quick: bool) -> list[Unit]:
    layers = BERT[:1] if quick else BERT
    found = [dense(m, n, k, dtype="bfloat16") for n, k in layers for m in (QUICK if quick else SIZES)]
    return [Unit(f"{NAME}: {workload}", 4.0, partial(measure, workload=workload)) for workload in found]


def measure(run: Run, workload: Workload) -> None:
    if not gpu_facts(run.target).early_launches:
        run.report.unmeasured.append(f"{NAME}: {workload}: {run.target} begins no kernel early")
        return
    for name in TEMPLATES:
        with run.noted(f"{NAME}: {name} of {workload}"):
            _compared(run, workload, template(name))
        run.told()


def _compared(run: Run, workload: Workload, by: Template) -> None:
    point, stream = point_of({}), run.device.new_stream()
    case = Cases(run.device).get(workload, point)
    copies, config = Stock(run.device).get(workload, point, case), by.default(workload, run.target)

    def ready(ahead: int) -> Repeat:
        plan = single_plan(workload, run.target, by.name, config.with_(ahead=ahead))
        code = CudaCode.of(backend(run.target).compile(plan, cache=run.cache).code)
        it = CudaTimeable(Loaded(code, run.device), workload, point, copies, case, stream, early=True)
        it.run()
        it.judge()
        return it.stopwatch(gpu_rivals.POLICY)

    both = [Contender(name, partial(ready, ahead)) for ahead, name in enumerate((WITHOUT, WITH))]
    with run.timing():
        samples = race(both, ROUNDS)
        run.clocks.look()
    said = {"part": NAME, "op": workload.op, "dtype": workload.dtype, "m": workload.dim("m"), "template": by.name}
    for system, times in samples.items():
        seconds = statistics.median(times)
        spread = (max(times) - min(times)) / seconds
        figures = seconds, workload.flops({}) / seconds / 1e9, spread, len(times)
        run.report.rows.append(Row({**said, "workload": str(workload)}, system, *figures))


def gains(rows: Sequence[Row]) -> dict[tuple[str, str], float]:
    """How many times as fast with it, by templates and workloads."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows:
        if row.case.get("part") == NAME:
            found.setdefault((str(row.case["template"]), str(row.case["workload"])), {})[row.system] = row.seconds
    return {key: at[WITHOUT] / at[WITH] for key, at in found.items() if WITHOUT in at and WITH in at}


def claims(rows: Sequence[Row]) -> list[Claim]:
    found = gains(rows)
    kinds = [name for name in TEMPLATES if any(name == key for key, _ in found)]
    return [
        Claim(f"{name} that asks ahead for its weight, against not, both launched early",
              geomean([gain for (key, _), gain in found.items() if key == name]), 1.0)
        for name in kinds
    ]  # fmt: skip


def show(report: Report) -> None:
    lines = [(name, workload, f"{gain:.2f}x") for (name, workload), gain in gains(report.rows).items()]
    report.table("asking ahead for a weight, launched early", ("template", "workload", "gain"), lines)


PART = Part(NAME, units, claims, show)
