"""What the benchmark says of asking ahead: kernels of either kind launched early on a simulated GPU, and its claims."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from anytile.dispatch.backends import CudaBackend
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.constructors import dense
from benchmarks.gpu import ahead
from benchmarks.gpu.run import Run
from benchmarks.measure.harness import Row
from tests.support.cuda_cpu.compiler import missing
from tests.support.stand_ins.simulated_gpu import SimulatedGpu

WORKLOAD = dense(3, 40, 128, dtype="bfloat16")


@pytest.mark.slow
@pytest.mark.skipif(bool(missing()), reason=missing() or "-")
def test_both_ways_are_judged_and_timed_early(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "ROUNDS", 2)
    monkeypatch.setattr(ahead, "backend", lambda target: CudaBackend())
    made = partial(ahead.measure, workload=WORKLOAD)
    made(run)
    assert run.report.unmeasured == []
    seen = {(row.case["template"], row.system) for row in run.report.rows}
    assert seen == {(name, way) for name in ahead.TEMPLATES for way in (ahead.WITHOUT, ahead.WITH)}
    assert isinstance(run.device, SimulatedGpu)
    assert run.device.early >= 2 * len(ahead.TEMPLATES)
    found = ahead.claims(run.report.rows)
    assert len(found) == len(ahead.TEMPLATES)
    ahead.show(run.report)


def test_a_gpu_that_begins_nothing_early_is_said(run: Run) -> None:
    ahead.measure(replace(run, target=Target.parse("cuda -arch=sm_89")), WORKLOAD)
    assert run.report.rows == []
    assert "sm_89 begins no kernel early" in run.report.unmeasured[0]


def test_a_gain_is_of_the_same_kernel_with_and_without() -> None:
    def row(name: str, m: int, system: str, seconds: float) -> Row:
        case = {"part": "ahead", "template": name, "workload": f"dense({m})"}
        return Row(case, system, seconds, 1.0, 0.0, 3)

    rows = [
        *(row("dense.cuda.narrow", m, way, s) for m, way, s in ((1, "ahead=0", 4.0), (1, "ahead=1", 2.0))),
        *(row("dense.cuda.narrow", m, way, s) for m, way, s in ((4, "ahead=0", 4.0), (4, "ahead=1", 8.0))),
        row("dense.cuda.skinny", 1, "ahead=0", 1.0),
    ]
    assert ahead.gains(rows) == {("dense.cuda.narrow", "dense(1)"): 2.0, ("dense.cuda.narrow", "dense(4)"): 0.5}
    (claim,) = ahead.claims(rows)
    assert claim.value == pytest.approx(1.0)


def test_units_are_few_rows_of_each_layer() -> None:
    assert len(ahead.units(False)) == 9
    assert len(ahead.units(True)) == 1
