"""Kernels of warp groups on a real GPU, which wait for mbarriers: what goes wrong there may never end.

They come last of all where a GPU is met for the first time, and each under a limit of its own.
"""

from __future__ import annotations

import pytest

from anytile.dispatch.backends import cuda_device
from tests.support.gpu_check.kernels import KERNELS, GpuKernel

HAZARDOUS = [k for k in KERNELS if k.hazardous]


@pytest.mark.cuda
@pytest.mark.parametrize("kernel", HAZARDOUS, ids=[k.name for k in HAZARDOUS])
def test_a_kernel_of_warp_groups(kernel: GpuKernel) -> None:
    device = cuda_device()
    if device.facts.arch != "sm_90a":
        pytest.skip(f"{device.facts.arch} has no such instructions")
    kernel.check(device)
