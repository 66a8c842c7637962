"""Argument checks on the GPU: what fits a call, what the symbols are, and why something does not.

Nothing here is on the fast path; a shape is checked once and remembered by the kernel. Nothing is ever copied: an array
that a kernel cannot take as it lies is refused in one line that says what to pass instead.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anytile.core.dtypes import BYTES
from anytile.core.errors import ArgumentError
from anytile.dispatch.arguments.operands import Operands
from anytile.dispatch.cuda.arrays import CUDA, CUDA_MANAGED, Family, view
from anytile.dispatch.cuda.device import CudaDevice
from anytile.schedules.operators import TensorSpec
from anytile.schedules.workloads.workload import Workload


@dataclass(frozen=True, slots=True)
class Checked:
    """A tensor of a call that a kernel can take."""

    address: int
    shape: tuple[int, ...]
    nbytes: int
    keeps: object


class CudaOperands:
    """The tensors of one workload on one device."""

    def __init__(self, workload: Workload, device: CudaDevice) -> None:
        self.workload = workload
        self.specs = Operands(workload)
        self._device = device

    def check(self, tensor: TensorSpec, array: Any, family: Family, stream: int) -> Checked:
        """Dtype, rank, device, layout: in the order in which a user would want to hear of them."""
        where = self.specs.where(tensor)
        seen = view(where, array, stream, self._device.index)
        dtype, name = self.workload.dtype_of(tensor), tensor.name
        if seen.device[0] not in (CUDA, CUDA_MANAGED):
            raise ArgumentError(f"{where}: expected an array on cuda:{self._device.index}, got one on the "
                                f"{'CPU' if seen.device[0] == 1 else 'host'}; move it there first")  # fmt: skip
        if seen.dtype != dtype:
            raise ArgumentError(
                f"{where}: expected {dtype} of shape {self.specs.pattern(tensor)}, got {seen.dtype}; convert it first"
            )
        if len(seen.shape) != len(tensor.dims):
            raise ArgumentError(
                f"{where}: expected {len(tensor.dims)} dimensions {self.specs.pattern(tensor)}, "
                f"got {len(seen.shape)}: {seen.shape}; reshape it first"
            )
        if not seen.contiguous:
            raise ArgumentError(f"{where}: not contiguous (strides {seen.strides} of shape {seen.shape}); "
                                f"pass {family.contiguous.format(name)}")  # fmt: skip
        return Checked(seen.address, seen.shape, math.prod(seen.shape) * BYTES[dtype], seen.keeps)

    def require_aligned(self, tensor: TensorSpec, found: Checked, align: int) -> None:
        """Kernels read and write vectors; a slice may begin in the middle of one."""
        if found.address % align and found.nbytes:
            raise ArgumentError(
                f"{self.specs.where(tensor)}: begins {found.address % align} bytes after a multiple of {align}, and "
                "this kernel moves vectors; pass a copy of it"
            )

    def nbytes(self, tensor: TensorSpec, values: Mapping[str, int]) -> int:
        return math.prod(self.specs.shape(tensor, values)) * BYTES[self.workload.dtype_of(tensor)]

    def values(self, shapes: Sequence[tuple[int, ...]], bound: Mapping[str, int]) -> dict[str, int]:
        """The symbols' values that the shapes of the passed operands mean."""
        return self.specs.bind(self.specs.passed, shapes, bound)

    def check_out(self, tensor: TensorSpec, out: Any, shape: tuple[int, ...], family: Family, stream: int) -> Checked:
        found = self.check(tensor, out, family, stream)
        if found.shape != shape:
            raise ArgumentError(f"{self.specs.where(tensor)}: out: expected shape {shape}, got {found.shape}")
        return found


def overlapping(a: Checked, b: Checked) -> bool:
    return a.address < b.address + b.nbytes and b.address < a.address + a.nbytes


__all__ = ["Checked", "CudaOperands", "overlapping"]
