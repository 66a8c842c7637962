"""Every CUDA template on a real GPU, each kernel a test of its own, between guarded zones and against the oracle."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from anytile.dispatch.backends import cuda_device
from anytile.dispatch.cuda.build import compile_plan
from anytile.dispatch.cuda.emit import Emitted, emit
from anytile.schedules.hardware.target import Target
from anytile.schedules.operators import OPERATORS
from anytile.schedules.templates.registry import templates
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.measure.cuda import cases
from anytile.tuner.measure.cuda.cases import MadeOnDevice
from anytile.tuner.measure.device_api import Failed
from anytile.tuner.protocol.candidate import point_of
from tests.support.cases.handwritten_cuda import no_compiler
from tests.support.cuda_cpu.compiler import missing
from tests.support.gpu_check import kernels as gpu_kernels
from tests.support.gpu_check.kernels import KERNELS, GpuKernel
from tests.support.stand_ins.simulated_gpu import SimulatedGpu

SAFE = [k for k in KERNELS if not k.hazardous]


def test_every_template_has_a_kernel_of_a_name_of_its_own() -> None:
    hopper = Target.parse("cuda -arch=sm_90a")
    assert {k.template for k in KERNELS} == {
        t.name for t in templates() if t.kind == "cuda" and not OPERATORS[t.op].over
    }
    assert len({k.name for k in KERNELS}) == len(KERNELS)
    for kernel in KERNELS:
        assert kernel.plan(hopper).variants[0].template == kernel.template


@pytest.mark.cuda
@pytest.mark.parametrize("kernel", SAFE, ids=[k.name for k in SAFE])
def test_a_kernel(kernel: GpuKernel) -> None:
    kernel.check(cuda_device())


@pytest.mark.cuda
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_operands_that_the_device_makes_and_judges(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is too large for the host; what stands in is small."""
    monkeypatch.setattr(cases, "MOST_ON_HOST", 0)
    GpuKernel("dense.cuda.simt" if dtype == "float32" else "dense.cuda.mma",
              f"dense(m=?m, n=104, k=200, dtype={dtype})").check(cuda_device())  # fmt: skip
    device, workload, point = cuda_device(), Workload.parse(f"dense(m=?m, n=104, k=200, dtype={dtype})"), {"m": 65}
    made = MadeOnDevice(device, workload, point_of(point))
    (output,) = workload.outputs
    room = device.allocate(made.nbytes(output))
    device.fill(room.address, room.nbytes, 0, 0)
    assert "of 6760" in (made.objection(output, room.address) or "")


def _doubled(*given: Any) -> Emitted:
    made = emit(*given)
    assert "= 1.0f;" in made.readable
    return replace(made, text=made.text.replace("= 1.0f;", "= 2.0f;"))


@pytest.mark.slow
@pytest.mark.skipif(bool(missing()), reason=missing() or "-")
def test_a_kernel_that_is_wrong_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    (kernel,) = (k for k in KERNELS if k.template == "pad.cuda")
    monkeypatch.setattr(gpu_kernels, "compile_plan", partial(compile_plan, compiler=no_compiler()))
    kernel.check(SimulatedGpu())
    wrong = partial(compile_plan, compiler=no_compiler(), emitter=_doubled)
    monkeypatch.setattr(gpu_kernels, "compile_plan", wrong)
    with pytest.raises(Failed, match=r"y\[0, 0\] .*at m=1, n=5"):
        kernel.check(SimulatedGpu())
