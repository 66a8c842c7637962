"""Constant operands in device memory: copied there once if they are the host's, held as they are if they are there.

Calls do not look at them again, so whatever kernels ask of an address is asked here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from anytile.core.dtypes import BY_NAME
from anytile.core.errors import ArgumentError, UnsupportedError
from anytile.dispatch.cuda.arrays import family_of
from anytile.dispatch.cuda.device import CudaDevice
from anytile.dispatch.cuda.operands import CudaOperands
from anytile.schedules.operators import TensorSpec


class DeviceConstants:
    """`bound` are the symbols that their shapes fix; `pointers` is the pointer table, 0 for what a call passes."""

    def __init__(self, operands: CudaOperands, device: CudaDevice, given: Mapping[str, object], align: int = 1) -> None:
        workload, tensors = operands.workload, operands.specs.constants
        operands.specs.check_constants(given)
        self._operands, self._device = operands, device
        self._held: dict[str, tuple[int, tuple[int, ...], object]] = {}
        for tensor in tensors:
            array = given[tensor.name]
            if isinstance(array, np.ndarray):
                self._held[tensor.name] = self._copied(tensor, array)
            else:
                family = family_of(array, device.native, device.native_type, device.index)
                found = operands.check(tensor, array, family, family.stream())
                operands.require_aligned(tensor, found, align)
                self._held[tensor.name] = (found.address, found.shape, found.keeps)
        if any(not isinstance(array, np.ndarray) for array in given.values()):
            device.synchronise()  # the first call may be on a stream that does not wait for what makes them
        self.bound = operands.specs.bind(tensors, [self._held[t.name][1] for t in tensors])
        self.pointers = [self._held[t.name][0] if t.name in self._held else 0 for t in workload.tensors]

    def arrays(self) -> dict[str, Any]:
        """As numpy arrays."""
        found = {}
        for name, (address, shape, _) in self._held.items():
            dtype = self._operands.workload.dtype
            if BY_NAME[dtype].held:
                raise UnsupportedError(f"the constant {name} is {dtype}, which numpy lacks; keep it where you have it")
            count = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
            found[name] = self._device.read(address, count).view(dtype).reshape(shape)
        return found

    def _copied(self, tensor: TensorSpec, array: np.ndarray[Any, Any]) -> tuple[int, tuple[int, ...], object]:
        if BY_NAME[dtype := self._operands.workload.dtype_of(tensor)].held:
            raise ArgumentError(f"{self._operands.specs.where(tensor)}: numpy has no {dtype}; pass a torch tensor")
        self._operands.specs.check_type(tensor, array)
        plain = np.ascontiguousarray(array, dtype=self._operands.specs.dtype(tensor))
        memory = self._device.allocate(plain.nbytes)
        self._device.write(memory.address, plain)
        return memory.address, plain.shape, memory
