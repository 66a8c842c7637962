"""A run of the GPU benchmark on a simulated device, with everything small that takes the simulator long."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from anytile.codegen.cache import CodeCache
from anytile.dispatch.backends import CudaBackend
from anytile.dispatch.cuda.build import compile_plan
from anytile.tuner.measure.device_lock import DeviceLock
from anytile.tuner.protocol.candidate import TimingPolicy
from benchmarks.gpu import dense, kernels, plans
from benchmarks.gpu.run import Run
from benchmarks.measure.harness import Report
from benchmarks.rivals import gpu_rivals
from tests.support.cases.gpu_models import GPU, one_kernel
from tests.support.cases.handwritten_cuda import no_compiler
from tests.support.stand_ins.simulated_gpu import FACTS, SimulatedGpu

LITTLE = replace(FACTS, l2=1)  # so few copies of operands are enough
QUICK = TimingPolicy(min_repeat_ms=0.05, warmup_ms=0.05)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    device = SimulatedGpu(LITTLE)
    there = CudaBackend(find=lambda: device, has_cublas=lambda: True)
    without_compiler = partial(compile_plan, compiler=no_compiler())
    monkeypatch.setattr(gpu_rivals, "compile_plan", without_compiler)
    monkeypatch.setattr(gpu_rivals, "POLICY", QUICK)
    monkeypatch.setattr(kernels, "ROUNDS", 2)
    monkeypatch.setattr(plans, "untuned", one_kernel)
    monkeypatch.setattr(plans, "LEAST", 1e9)  # there is no time to tune
    monkeypatch.setattr(dense, "untuned", one_kernel)
    monkeypatch.setattr(dense, "backend", lambda target: there)
    monkeypatch.setattr(CudaBackend, "compile", lambda self, plan, cache=None: without_compiler(plan))
    lock, cache = DeviceLock("cuda-simulated", tmp_path), CodeCache(tmp_path / "code")
    return Run(device, GPU, Report({}), 10_000.0, lock, cache, tmp_path / "trials.jsonl")
