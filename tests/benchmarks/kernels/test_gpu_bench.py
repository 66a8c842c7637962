"""The GPU benchmark on a simulated device: what it measures, claims and writes, where there is no GPU to time."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from anytile.core.errors import CodegenError, MeasureError
from anytile.db.records.records import Status
from anytile.dispatch.backends import CudaBackend
from anytile.dispatch.cuda.device import BrokenContext, OutOfDeviceMemory
from anytile.schedules.hardware import nvidia_driver as machine
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan, Range
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import templates_for
from anytile.tuner.measure.device_api import Failed
from anytile.tuner.measure.device_lock import DeviceLock
from anytile.tuner.protocol.candidate import TimingPolicy
from anytile.tuner.requests.request import TuneRequest
from benchmarks.kernels import gpu
from benchmarks.measure.harness import Report, Row
from benchmarks.rivals import gpu_rivals
from benchmarks.rivals.gpu_rivals import CUBLAS, OWN, STATIC, SYMBOLIC, Layer, empty_kernel, of_own, race
from tests.support.stand_ins.simulated_gpu import FACTS, SimulatedGpu

TARGET = Target.parse("cuda -arch=sm_90a")
LITTLE = replace(FACTS, l2=1)  # so few copies of operands are enough
QUICK = TimingPolicy(min_repeat_ms=0.05, warmup_ms=0.05)


@pytest.fixture
def run(tmp_path: Path) -> gpu.Run:
    device = SimulatedGpu()
    lock = DeviceLock("cuda-simulated", tmp_path)
    return gpu.Run(device, TARGET, Report(gpu.describe(device)), 100.0, lock, layers=((40, 24),), sizes=(1, 17))


def default_plan(run: gpu.Run) -> DispatchPlan:
    workload = next(w for w in run.workloads() if w.dtype == "float32")
    template = templates_for(workload, TARGET)[0]
    return single_plan(workload, TARGET, template.name, template.default(workload, TARGET))


def gpu_is_held(run: gpu.Run) -> bool:
    try:
        with run.lock.timing(timeout=0.01):
            return False
    except MeasureError:
        return True


@pytest.mark.slow
def test_a_plan_is_checked_and_timed_beside_its_rivals(run: gpu.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = default_plan(run)
    layer = Layer(run.device, plan, None)
    locked = []
    monkeypatch.setattr(gpu, "race", lambda *a: (locked.append(gpu_is_held(run)), race(*a))[1])
    assert gpu.check(run, layer)
    gpu.measure(run, layer)
    assert {(r.case["m"], r.system) for r in run.report.rows} == {
        (m, system) for m in run.sizes for system in (SYMBOLIC, STATIC, CUBLAS, OWN)
    }
    assert locked == [True] * len(run.sizes)
    gpu.host_cost(run, plan, rounds=2, calls=2)
    run.report.claims += gpu.claims(run.report.rows)
    gpu.show(run.report)
    found = json.loads(json.dumps(run.report.as_json()))
    assert set(found) == {"machine", "rows", "summary", "unmeasured"}
    assert found["machine"]["gpu"] == "Simulated"
    claims = [c["claim"] for c in found["summary"]]
    assert any("host time" in c for c in claims)
    assert any("2 sizes that stand for m in 1..256, against the best of cuBLAS" in c for c in claims)
    assert any("compiled for that m" in c for c in claims)


@pytest.mark.slow
def test_what_there_is_no_time_for_is_said(run: gpu.Run) -> None:
    run.budget = 0.0
    gpu.measure(run, Layer(run.device, default_plan(run), None))
    assert run.report.rows == []
    assert "from m=1 on: no time was left" in run.report.unmeasured[0]


@pytest.mark.slow
def test_own_kernels_are_timed_also_where_the_plan_calls_the_library(run: gpu.Run) -> None:
    plan = replace(default_plan(run), ranges=(Range(0, 9, 0), Range(10, None, "cublas")))
    layer = Layer(run.device, plan, None)
    assert [c.name for c in layer.contenders(17, static=True)] == [SYMBOLIC, f"{OWN} 0", CUBLAS]
    assert [c.name for c in layer.contenders(1, static=True)] == [SYMBOLIC, STATIC, CUBLAS]
    fast, slow = [1.0, 2.0, 3.0], [4.0, 5.0, 6.0]
    assert of_own({SYMBOLIC: fast, STATIC: slow, CUBLAS: slow}) == {
        SYMBOLIC: fast, STATIC: slow, CUBLAS: slow, OWN: fast}  # fmt: skip
    assert of_own({SYMBOLIC: fast, f"{OWN} 0": slow, f"{OWN} 1": fast}) == {SYMBOLIC: fast, OWN: fast}
    assert of_own({SYMBOLIC: fast, CUBLAS: slow}) == {SYMBOLIC: fast, CUBLAS: slow}


def test_an_empty_kernel_is_timed(run: gpu.Run) -> None:
    assert empty_kernel(run.device, calls=3, rounds=1) > 0
    assert run.device.launches == 3  # type: ignore[attr-defined]  # a simulated one counts them


def test_claims_compare_with_the_best_rival() -> None:
    def row(m: int, system: str, seconds: float, dtype: str = "float32") -> Row:
        return Row({"op": "dense", "dtype": dtype, "m": m, "n": 8, "k": 8}, system, seconds, 1.0, 0.0, 7)

    rows = [row(1, SYMBOLIC, 2.0), row(1, CUBLAS, 4.0), row(1, "torch", 3.0), row(1, STATIC, 1.0)]
    rows += [row(2, SYMBOLIC, 2.0), row(2, CUBLAS, 6.0), row(2, "torch", 9.0)]
    rows += [row(1, OWN, 2.0), row(2, OWN, 12.0)]
    best, own, worst, library, fixed = gpu.claims(rows)
    assert (own.value, worst.value) == (pytest.approx((1.5 * 0.5) ** 0.5), 0.5)
    assert library.value == 0.5
    assert best.value == pytest.approx((1.5 * 3.0) ** 0.5)
    assert best.ok
    assert fixed.value == pytest.approx(0.5)
    assert not fixed.ok


class Faulty(SimulatedGpu):
    """`at` says at which m the library fails, and how."""

    def __init__(self, at: dict[int, Exception] | None = None) -> None:
        super().__init__(LITTLE)
        self.at = at or {}

    def multiply(self, dtype: str, sizes: tuple[int, int, int], x: int, w: int, y: int, stream: int) -> None:
        if sizes[0] in self.at:
            raise self.at[sizes[0]]
        super().multiply(dtype, sizes, x, w, y, stream)


def campaign(store: object, runner: object, request: TuneRequest) -> SimpleNamespace:
    """The plans of a campaign that found the library best: no kernel has to be simulated for them."""
    (workload,) = request.workloads
    plan = DispatchPlan(workload, TARGET, "m", (), (Range(0, None, "cublas"),), {})
    return SimpleNamespace(plans={workload: plan}, state="finished")


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, dict[str, Any]]]:
    """The whole program on a simulated GPU, without its campaigns and builders: exit status and results."""

    def go(device: SimulatedGpu, *arguments: str, tuning: Any = campaign) -> tuple[int, dict[str, Any]]:
        there = CudaBackend(find=lambda: device, has_cublas=lambda: True)
        monkeypatch.setattr(machine, "find", lambda: FACTS)
        monkeypatch.setattr(gpu, "backend", lambda target: there)
        monkeypatch.setattr(gpu, "timing_setup", lambda target: SimpleNamespace(lock="cuda-simulated"))
        monkeypatch.setattr(gpu, "run_campaign", tuning)
        monkeypatch.setattr(gpu, "builders", lambda run: None)
        monkeypatch.setattr(gpu, "host_cost", partial(gpu.host_cost, rounds=2, calls=2))
        monkeypatch.setattr(gpu, "Run", partial(gpu.Run, layers=((40, 24), (24, 40)), sizes=(1, 17)))
        monkeypatch.setattr(gpu, "CHECKED", (1,))
        monkeypatch.setattr(gpu, "FLOORS", {"float32": 1.0})
        monkeypatch.setattr(gpu, "ROUNDS", 2)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
        monkeypatch.setattr(gpu_rivals, "POLICY", QUICK)
        status = gpu.main(["--json", str(tmp_path / "gpu.json"), *arguments])
        return status, json.loads((tmp_path / "gpu.json").read_text())

    return go


def points(found: dict[str, Any]) -> set[tuple[str, int, int]]:
    return {(r["case"]["dtype"], r["case"]["n"], r["case"]["m"]) for r in found["rows"]}


ALL = {(dtype, n, m) for dtype in ("float32",) for n in (40, 24) for m in (1, 17)}


def test_the_whole_of_it_ends_with_a_table_and_a_file(bench: Any, tmp_path: Path, capsys: Any) -> None:
    status, found = bench(Faulty())
    assert status == 0
    assert points(found) == ALL
    assert found["unmeasured"] == ["against torch, which is not installed or sees no GPU"]
    assert (tmp_path / "gpu.trials.jsonl").exists()
    claims = {c["claim"] for c in found["summary"]}
    assert any(c.startswith("seconds for `tune` of ") and c.endswith(" with its default budget") for c in claims)
    assert "float32 (40, 24), us per call" in capsys.readouterr().out
    without = Faulty()
    without.has_library = False
    status, found = bench(without, "--check")
    assert status == 1
    err = capsys.readouterr().err
    assert "against cuBLAS, which was not found" in err
    assert "against torch, which is not installed" in err


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault", [RuntimeError("cublas\nwent wrong"), CodegenError("no code"), Failed(Status.WRONG, "y is wrong")]
)
def test_what_goes_wrong_at_one_size_costs_that_size(bench: Any, fault: Exception) -> None:
    status, found = bench(Faulty({17: fault}))
    assert status == 0
    assert points(found) == {point for point in ALL if point[2] == 1}
    lost = [u for u in found["unmeasured"] if " at m=17: " in u]
    assert len(lost) == 2
    assert not any("\n" in u for u in lost)


def test_a_context_that_is_broken_ends_what_needs_it_and_not_the_report(bench: Any) -> None:
    status, found = bench(Faulty({17: BrokenContext("an illegal access")}), "--check")
    assert status == 1
    assert points(found) == {point for point in ALL if point[2] == 1}
    assert sum("an illegal access" in u for u in found["unmeasured"]) == 2


def test_a_campaign_that_fails_leaves_the_others(bench: Any) -> None:
    def some(store: object, runner: object, request: TuneRequest) -> SimpleNamespace:
        if request.workloads[0].sizes({"m": 1})["n"] == 40:
            raise OutOfDeviceMemory("no memory")
        return campaign(store, runner, request)

    _, found = bench(Faulty(), tuning=some)
    assert {n for _, n, _ in points(found)} == {24}
    assert sum("no memory" in u for u in found["unmeasured"]) == 1


def test_no_time_is_looked_at_before_each_layer(bench: Any) -> None:
    status, found = bench(Faulty(), "--seconds", "0")
    assert status == 0
    assert found["rows"] == []
    assert sum("no time was left" in u for u in found["unmeasured"]) == 2


def test_without_a_gpu_it_is_one_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from anytile.core.errors import UnsupportedError
    from anytile.schedules.hardware import nvidia_driver as device

    def nothing() -> None:
        raise UnsupportedError("no NVIDIA driver")

    monkeypatch.setattr(device, "find", nothing)
    assert gpu.main([]) == 3
    out = capsys.readouterr()
    assert out.err == "error: target cuda: no NVIDIA driver\n"
    assert out.out == ""
