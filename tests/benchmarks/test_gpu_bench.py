"""The GPU benchmark on a simulated device: what it measures, claims and writes, where there is no GPU to time."""

from __future__ import annotations

import json

import gpu
import pytest
from gpu_rivals import CUBLAS, STATIC, SYMBOLIC, Layer
from harness import Report, Row
from simulated_gpu import SimulatedGpu

from anytile.dispatch.build import single_plan
from anytile.dispatch.plan import DispatchPlan
from anytile.schedules.target import Target
from anytile.schedules.template import templates_for

TARGET = Target.parse("cuda -arch=sm_90a")


@pytest.fixture
def run() -> gpu.Run:
    device = SimulatedGpu()
    return gpu.Run(device, TARGET, Report(gpu.describe(device)), 100.0, layers=((40, 24),), sizes=(1, 17))


def default_plan(run: gpu.Run) -> DispatchPlan:
    workload = next(w for w in run.workloads() if w.dtype == "float32")
    template = templates_for(workload, TARGET)[0]
    return single_plan(workload, TARGET, template.name, template.default(workload, TARGET))


def test_a_plan_is_checked_and_timed_beside_its_rivals(run: gpu.Run) -> None:
    plan = default_plan(run)
    layer = Layer(run.device, plan, None)
    assert gpu.check(run, layer)
    gpu.measure(run, layer)
    assert {(r.case["m"], r.system) for r in run.report.rows} == {
        (m, system) for m in run.sizes for system in (SYMBOLIC, STATIC, CUBLAS)
    }
    gpu.host_cost(run, plan, rounds=2, calls=2)
    run.report.claims += gpu.claims(run.report.rows)
    gpu.show(run.report)
    found = json.loads(json.dumps(run.report.as_json()))
    assert set(found) == {"machine", "rows", "summary", "unmeasured"}
    assert found["machine"]["gpu"] == "Simulated"
    claims = [c["claim"] for c in found["summary"]]
    assert any("host time" in c for c in claims)
    assert any("against the best of cuBLAS" in c for c in claims)
    assert any("compiled for that m" in c for c in claims)


def test_what_there_is_no_time_for_is_said(run: gpu.Run) -> None:
    run.budget = 0.0
    gpu.measure(run, Layer(run.device, default_plan(run), None))
    assert run.report.rows == []
    assert "from m=1 on: no time was left" in run.report.unmeasured[0]


def test_claims_compare_with_the_best_rival() -> None:
    def row(m: int, system: str, seconds: float, dtype: str = "float32") -> Row:
        return Row({"op": "dense", "dtype": dtype, "m": m, "n": 8, "k": 8}, system, seconds, 1.0, 0.0, 7)

    rows = [row(1, SYMBOLIC, 2.0), row(1, CUBLAS, 4.0), row(1, "torch", 3.0), row(1, STATIC, 1.0)]
    rows += [row(2, SYMBOLIC, 2.0), row(2, CUBLAS, 6.0), row(2, "torch", 9.0)]
    best, fixed = gpu.claims(rows)
    assert best.value == pytest.approx((1.5 * 3.0) ** 0.5)
    assert best.ok
    assert fixed.value == pytest.approx(0.5)
    assert not fixed.ok


def test_without_a_gpu_it_is_one_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from anytile.schedules import device
    from anytile.schedules.errors import UnsupportedError

    def nothing() -> None:
        raise UnsupportedError("no NVIDIA driver")

    monkeypatch.setattr(device, "find", nothing)
    assert gpu.main([]) == 3
    out = capsys.readouterr()
    assert out.err == "error: target cuda: no NVIDIA driver\n"
    assert out.out == ""
