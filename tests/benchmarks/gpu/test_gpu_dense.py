"""The dense part of the GPU benchmark on a simulated device: what it measures, and what it claims of invented rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from anytile.core.errors import MeasureError
from anytile.db.records.records import Status
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan, Range
from anytile.schedules.workloads.constructors import dense as dense_of
from anytile.schedules.workloads.workload import Any as Sym
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.measure.device_api import Failed
from benchmarks.gpu import dense, kernels, plans
from benchmarks.gpu.run import Run
from benchmarks.measure.harness import Row
from benchmarks.rivals.gpu_rivals import CUBLAS, OWN, STATIC, SYMBOLIC, Contender, Contest, race
from benchmarks.rivals.torch_gpu import BY_LT, TORCH
from tests.support.cases.gpu_models import one_kernel
from tests.support.stand_ins.simulated_gpu import SimulatedGpu
from tests.support.stand_ins.torch_on_cpu import TorchOnCpu

LAYER = dense_of(Sym("m"), 24, 16)


def gpu_is_held(run: Run) -> bool:
    try:
        with run.lock.timing(timeout=0.01):
            return False
    except MeasureError:
        return True


@pytest.mark.slow
def test_a_layer_is_checked_and_timed_beside_its_rivals(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")
    run.torch = TorchOnCpu(torch)
    held, told = [], []
    run.told = lambda: told.append(len(run.report.rows))

    def watched(contenders: Sequence[Contender], rounds: int, noted: Any) -> dict[str, list[float]]:
        held.append(gpu_is_held(run))
        return race(contenders, rounds, noted)

    monkeypatch.setattr(kernels, "race", watched)
    kernels.measure(run, LAYER, "dense", (1, 5), checked=(5,), static=(5, 64))
    assert run.report.unmeasured == []
    systems = {(r.case["m"], r.system) for r in run.report.rows}
    assert systems == {(m, name) for m in (1, 5) for name in (SYMBOLIC, CUBLAS, TORCH, BY_LT, OWN)} | {(5, STATIC)}
    assert {r.case["plan"] for r in run.report.rows} == {"untuned"}
    assert held == [True, True]
    assert told == [6, 11]
    dense.PART.show(run.report)
    claims = [c.claim for c in dense.claims(run.report.rows)]
    assert any("1 workload(s), 2 sizes in 1..5, 1 untuned" in c and "cuBLAS/torch/torch, cuBLASLt" in c for c in claims)
    assert any("compiled for that m" in c for c in claims)


@pytest.mark.slow
def test_a_plan_that_is_wrong_is_not_timed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(self: Contest, m: int) -> None:
        raise Failed(Status.WRONG, f"y is wrong at m={m}")

    monkeypatch.setattr(Contest, "check", wrong)
    kernels.measure(run, LAYER, "dense", (1,), checked=(1,))
    assert run.report.rows == []
    assert "y is wrong at m=1" in run.report.unmeasured[0]


class Unwell(SimulatedGpu):
    """Its library fails at 5 rows."""

    def multiply(self, dtype: str, sizes: tuple[int, int, int], x: int, w: int, y: int, stream: int) -> None:
        if sizes[0] == 5:
            raise RuntimeError("cublas\nwent wrong")
        super().multiply(dtype, sizes, x, w, y, stream)


def only_the_library(workload: Workload, target: Target) -> DispatchPlan:
    return DispatchPlan(workload, target, "m", (), (Range(0, None, "cublas"),), {})


def test_what_goes_wrong_at_one_size_costs_that_size(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "untuned", only_the_library)
    run.device = Unwell(run.device.facts)
    kernels.measure(run, LAYER, "dense", (1, 5, 7))
    assert {r.case["m"] for r in run.report.rows} == {1, 7}
    at = f"{LAYER} at m=5"
    assert run.report.unmeasured == [f"{at}: {name}: cublas went wrong" for name in (SYMBOLIC, CUBLAS)]
    assert {r.case["runs"] for r in run.report.rows} == {"cublas"}


def test_where_no_time_is_left_the_sizes_that_are_missing_are_said(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "untuned", only_the_library)
    run.told = lambda: setattr(run, "budget", 0.0)
    kernels.measure(run, LAYER, "dense", (1, 5, 7), checked=(5,))
    assert {r.case["m"] for r in run.report.rows} == {5}
    assert run.report.unmeasured == [f"{LAYER} at m=1, 7: no time was left"]


@pytest.mark.slow
def test_a_large_product_is_timed_beside_each_templates_default(run: Run) -> None:
    dense.large_product(run, 16)
    assert run.report.unmeasured == []
    assert {r.system for r in run.report.rows} == {SYMBOLIC, OWN, CUBLAS}
    (claim,) = dense.large_claims(run.report.rows)
    assert claim.claim == "bfloat16 16 cubed, untuned: own kernels against cuBLAS"
    assert claim.floor == 0.9


@pytest.mark.slow
def test_the_hosts_time_of_a_call_is_a_claim(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dense, "BERT", ((24, 16),))
    dense.host_cost(run, rounds=2, calls=2)
    assert [c.claim for c in run.report.claims] == ["us of host time that a call adds to a launch"]


def test_float32_and_bfloat16_alternate() -> None:
    dtypes = [w.dtype for w in dense.layers(quick=False)]
    assert dtypes == ["float32", "bfloat16"] * 3 + ["bfloat16"] * 2
    assert len({unit.name for unit in dense.units(False)}) == len(dtypes) + 2


def row(m: int, system: str, seconds: float, dtype: str = "float32", runs: str = "own", n: int = 8) -> Row:
    workload = str(dense_of(Sym("m"), n, 8, dtype=dtype))
    case = {"part": "dense", "op": "dense", "dtype": dtype, "m": m, "workload": workload, "plan": "tuned", "runs": runs}
    return Row(case, system, seconds, 1.0, 0.0, 7)


def test_claims_compare_with_the_best_rival() -> None:
    rows = [row(1, SYMBOLIC, 2.0), row(1, CUBLAS, 4.0), row(1, TORCH, 3.0), row(1, STATIC, 1.9), row(1, OWN, 2.0)]
    rows += [row(2, s, t, runs="cublas") for s, t in ((SYMBOLIC, 2.0), (CUBLAS, 6.0), (TORCH, 9.0), (OWN, 12.0))]
    own, worst, plan, calls, fixed = dense.claims(rows)
    assert own.claim == "float32 dense (1 workload(s), 2 sizes in 1..2): own kernels against the best of cuBLAS/torch"
    assert (own.value, own.floor, own.ok) == (pytest.approx((1.5 * 0.5) ** 0.5), 1.1, False)
    assert (worst.value, worst.floor, worst.ok) == (0.5, 0.85, False)
    assert (plan.value, plan.ok) == (pytest.approx((1.5 * 3.0) ** 0.5), True)
    assert calls.value == 0.5
    assert (fixed.value, fixed.floor, fixed.ok) == (pytest.approx(0.95), 0.97, False)


def test_claims_of_each_dtype_stand_alone() -> None:
    rows = [row(1, s, t, "bfloat16", n=n) for n in (8, 16) for s, t in ((SYMBOLIC, 1.0), (OWN, 1.0), (CUBLAS, n / 4))]
    own, worst, _, _ = dense.claims(rows)
    assert own.claim.startswith("bfloat16 dense (2 workload(s), 1 sizes in 1..1)")
    assert own.value == pytest.approx(8**0.5)
    assert worst.value == 2.0


def test_own_kernels_are_timed_also_where_the_plan_calls_the_library(run: Run) -> None:
    plan = replace(one_kernel(LAYER, run.target), ranges=(Range(0, 9, 0), Range(10, None, "cublas")))
    contest = Contest(run.device, plan)
    assert [c.name for c in contest.contenders(17)] == [SYMBOLIC, f"{OWN} 0", CUBLAS]
    assert [c.name for c in contest.contenders(1)] == [SYMBOLIC, CUBLAS]
    contest.compile_for((1, 17))
    assert [c.name for c in contest.contenders(17)] == [SYMBOLIC, f"{OWN} 0", CUBLAS]
    assert [c.name for c in contest.contenders(1)] == [SYMBOLIC, STATIC, CUBLAS]
