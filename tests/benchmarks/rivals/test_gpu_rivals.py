"""Contenders on a simulated GPU: whose samples count as ours, and operands that are made where they are needed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from anytile.codegen.cuda.nvrtc import Cubin
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan, Range
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any as Sym
from anytile.tuner.measure.cuda import cases
from anytile.tuner.measure.cuda.cases import MadeOnDevice
from anytile.tuner.protocol.candidate import TimingPolicy
from benchmarks.rivals import gpu_rivals
from benchmarks.rivals.gpu_rivals import CUBLAS, OWN, STATIC, SYMBOLIC, Contest, empty_kernel, of_own, race
from tests.support.stand_ins.simulated_gpu import FACTS, SimulatedGpu

LITTLE = replace(FACTS, l2=1)  # so few copies of operands are enough


def nothing(text: str, arch: str) -> Cubin:
    return Cubin(b"")


def test_the_best_of_our_kernels_counts_as_ours() -> None:
    fast, slow = [1.0, 2.0, 3.0], [4.0, 5.0, 6.0]
    found = of_own({SYMBOLIC: fast, STATIC: slow, CUBLAS: slow}, is_ours=True)
    assert found == {SYMBOLIC: fast, STATIC: slow, CUBLAS: slow, OWN: fast}
    assert of_own({SYMBOLIC: fast, f"{OWN} 0": slow, f"{OWN} 1": fast}, is_ours=False) == {SYMBOLIC: fast, OWN: fast}
    assert of_own({SYMBOLIC: fast, f"{OWN} 0": slow}, is_ours=False) == {SYMBOLIC: fast, OWN: slow}
    assert of_own({SYMBOLIC: slow, f"{OWN} 0": fast}, is_ours=True) == {SYMBOLIC: slow, OWN: fast}
    assert of_own({SYMBOLIC: fast, CUBLAS: slow}, is_ours=False) == {SYMBOLIC: fast, CUBLAS: slow}


@pytest.mark.slow
def test_an_empty_kernel_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_rivals, "compile_cubin", nothing)
    device = SimulatedGpu()
    assert empty_kernel(device, calls=3, rounds=1) > 0
    assert device.launches == 3


@pytest.mark.slow
def test_large_operands_are_made_and_judged_on_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cases, "compile_cubin", nothing)
    monkeypatch.setattr(gpu_rivals, "ON_DEVICE", 1)
    monkeypatch.setattr(gpu_rivals, "POLICY", TimingPolicy(min_repeat_ms=0.05, warmup_ms=0.05))
    workload = dense(Sym("m"), 24, 16)
    plan = DispatchPlan(workload, Target.parse("cuda -arch=sm_90a"), "m", (), (Range(0, None, "cublas"),), {})
    contest = Contest(SimulatedGpu(LITTLE), plan)
    contest.check(3)
    assert isinstance(contest.case(3), MadeOnDevice)
    assert contest.case(3) is contest.case(3)
    assert set(race(contest.contenders(5), 1)) == {SYMBOLIC, CUBLAS}
    monkeypatch.setattr(gpu_rivals, "ON_DEVICE", 1 << 20)
    assert not isinstance(contest.case(3), MadeOnDevice)
