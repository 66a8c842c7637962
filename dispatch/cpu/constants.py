"""Weight packing: constant operands packed once into the layouts that kernels read, and unpacked again to be saved.

Only the packed copy is kept while a kernel lives. Unpacking gets the raw values back without knowing the layout: it
packs an array of element numbers, which shows where every element went. The result is checked by packing it again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.codegen.artifact import Packed
from anytile.codegen.load.loader import Loaded
from anytile.core.dtypes import BY_NAME
from anytile.core.errors import ArgumentError, CodegenError, UnsupportedError
from anytile.dispatch.arguments.dlpack import as_array
from anytile.dispatch.arguments.operands import Operands, passable, require_memory
from anytile.dispatch.cpu.fast_call import address_of
from anytile.dispatch.cpu.huge_pages import Room, constant_bytes

Array = NDArray[Any]


class Constants:
    """The packed constants of one kernel. `bound` are the symbols they fix, `pointers` the kernel's pointer table."""

    def __init__(self, operands: Operands, loaded: Loaded, given: Mapping[str, object]) -> None:
        workload, tensors = operands.workload, operands.constants
        operands.check_constants(given)
        arrays = {t.name: as_array(operands.where(t), given[t.name]) for t in tensors}
        for tensor in tensors:
            operands.check_type(tensor, arrays[tensor.name])
            operands.check_pairs(tensor, arrays[tensor.name])
        self.bound = operands.bind(tensors, [arrays[t.name].shape for t in tensors])
        _require_known(operands, self.bound)
        self._workload, self._loaded = workload, loaded
        # No packing depends on a symbol that the constants do not fix: that was refused.
        self._values = {s: self.bound.get(s, 0) for s in workload.symbols}
        self._packed = {
            p.operand: self._pack(p, _plain(p.operand, arrays[p.operand], operands.dtype(workload.tensor(p.operand))))
            for p in loaded.artifact.packed
        }
        self.pointers = [address_of(self._packed[t.name]) if t.name in self._packed else 0 for t in workload.tensors]

    def unpacked(self) -> dict[str, Array]:
        """The constants as they were given, in the machine's own byte order."""
        return {p.operand: self._unpack(p) for p in self._loaded.artifact.packed}

    def _pack(self, packed: Packed, raw: Array) -> Array:
        return pack(self._loaded, packed, raw, list(self._values.values()))

    def _unpack(self, packed: Packed) -> Array:
        buffer = self._packed[packed.operand]
        shape = self._workload.shape(packed.operand, self._values)
        count = int(np.prod(shape, dtype=np.int64))
        dtype = np.dtype(BY_NAME[self._workload.dtype_of(self._workload.tensor(packed.operand))].numpy)
        bits = np.dtype(f"uint{8 * dtype.itemsize}")
        numbers = np.arange(1, count + 1, dtype=np.uint32)
        places = np.zeros(buffer.nbytes // dtype.itemsize, dtype=np.uint32)
        for shift in range(0, 32, 8 * dtype.itemsize):  # a part of each number at a time, where elements are narrow
            digits = (numbers >> shift).astype(bits).view(dtype).reshape(shape)
            places |= self._pack(packed, digits).view(bits).astype(np.uint32) << shift
        there = (places > 0) & (places <= count)
        raw = np.zeros(count, dtype=bits)
        raw[places[there] - 1] = buffer.view(bits)[there]
        met = np.zeros(count, dtype=np.bool_)
        met[places[there] - 1] = True
        found = raw.view(dtype).reshape(shape)
        if not met.all() or not np.array_equal(self._pack(packed, found), buffer):
            raise UnsupportedError(
                f"{packed.operand}: its packed layout cannot be undone, so the kernel cannot be saved"
            )
        return found


def pack(loaded: Loaded, packed: Packed, raw: Array, dims: Sequence[int], room: Room = constant_bytes) -> Array:
    """The buffer that kernels read in place of `raw`, a plain array of the operand's shape."""
    count = loaded.size(packed.size, dims)
    if count < 0:
        raise CodegenError(f"{packed.operand}: packing asks for {count} bytes; build the kernel again")
    require_memory(count, f"the packed constant {packed.operand}")
    buffer = room(count)
    status = loaded.call(packed.function, [address_of(raw), address_of(buffer)], dims)
    if status:
        raise CodegenError(f"{packed.operand}: packing returned {status}; build the kernel again")
    return buffer


def _require_known(operands: Operands, bound: Mapping[str, int]) -> None:
    """Refuse constants whose shape follows from sizes that it does not tell: of bytes, halves may be one less."""
    extents = operands.workload.extents
    for tensor in operands.constants:
        unknown = sorted({s for d in tensor.dims for s in extents[d].names if s not in bound})
        if unknown:
            names = ", ".join(unknown)
            raise ArgumentError(
                f"{operands.where(tensor)}: a constant of shape {operands.pattern(tensor)} does not tell {names}, "
                f"which it is packed by; make {names} a number in the workload, or pass {tensor.name} at every call"
            )


def _plain(name: str, array: Array, dtype: np.dtype[Any]) -> Array:
    if passable(array, dtype):
        return array
    require_memory(array.size * dtype.itemsize, f"a contiguous copy of the constant {name}")
    return np.array(array, dtype=dtype, order="C", copy=True)
