"""torch's tensors on a simulated GPU: the CPU's own, which say of themselves that they lie on cuda:0.

Operators of torch compute with them as they do on the CPU, and give more of them.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np

from anytile.dispatch.cuda.arrays import CUDA
from anytile.schedules.nest.stored_floats import array_dtype
from anytile.vm.values.device_array import DeviceArray
from tests.support.stand_ins.simulated_gpu import SimulatedGpu, lying_there


@functools.cache
def gpu_tensors(torch: Any) -> type[Any]:
    """The class of them, which is one of torch's."""

    class GpuTensor(torch.Tensor):  # type: ignore[misc]  # a package without types
        is_cuda = True

        @property
        def device(self) -> Any:
            return torch.device("cuda:0")

        def cpu(self) -> Any:
            return self.as_subclass(torch.Tensor).clone()

        def __dlpack_device__(self) -> tuple[int, int]:
            return CUDA, 0

        def __dlpack__(self, *, stream: int | None = None, **asked: Any) -> object:
            return lying_there(self.as_subclass(torch.Tensor).__dlpack__(), 0)

    return GpuTensor


def on_gpu(torch: Any, gpu: SimulatedGpu, tensor: Any) -> Any:
    """A copy of a tensor in memory of a simulated GPU."""
    plain = tensor.detach()
    is_bfloat16 = tensor.dtype is torch.bfloat16
    bits = plain.view(torch.uint16) if is_bfloat16 else plain
    made = torch.from_numpy(gpu.array(bits.numpy()).values)
    return (made.view(torch.bfloat16) if is_bfloat16 else made).as_subclass(gpu_tensors(torch))


def seen(torch: Any, array: DeviceArray) -> Any:
    """What torch.from_dlpack makes of a result on a simulated GPU: a tensor over its memory, which it keeps."""
    count = int(np.prod(array.shape)) * array.dtype.itemsize
    address = array.address
    kind: Any = type("Bytes", (ctypes.c_uint8 * count,), {})
    there = kind.from_address(address)
    there.kept = array
    is_bfloat16 = array.dtype == array_dtype("bfloat16")
    values = np.frombuffer(there, np.uint16 if is_bfloat16 else array.dtype).reshape(array.shape)
    made = torch.from_numpy(values)
    return (made.view(torch.bfloat16) if is_bfloat16 else made).as_subclass(gpu_tensors(torch))
