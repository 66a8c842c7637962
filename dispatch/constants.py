"""Constant operands: packed once into the layouts that the kernels read, and unpacked again to be saved.

Only the packed copy is kept while a kernel lives. `unpack` gets the raw values back without knowing the layout: it
packs an array of element numbers, which shows where every element went. The result is checked by packing it again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.codegen.artifact import Packed
from anytile.codegen.loader import Loaded
from anytile.dispatch.enter import address_of, aligned_bytes
from anytile.dispatch.operands import require_memory
from anytile.schedules.errors import CodegenError, UnsupportedError

Array = NDArray[Any]


def pack(loaded: Loaded, packed: Packed, raw: Array, dims: Sequence[int]) -> Array:
    """The buffer that kernels read in place of `raw`, a contiguous array of the operand's shape."""
    count = loaded.size(packed.size, dims)
    if count < 0:
        raise CodegenError(f"{packed.operand}: packing asks for {count} bytes; build the kernel again")
    require_memory(count, f"the packed constant {packed.operand}")
    buffer = aligned_bytes(count)
    status = loaded.call(packed.function, [address_of(raw), address_of(buffer)], dims)
    if status:
        raise CodegenError(f"{packed.operand}: packing returned {status}; build the kernel again")
    return buffer


def unpack(loaded: Loaded, packed: Packed, buffer: Array, shape: tuple[int, ...], dims: Sequence[int]) -> Array:
    """The raw float32 operand that `buffer` was packed from."""
    count = int(np.prod(shape, dtype=np.int64))
    numbers = np.arange(1, count + 1, dtype=np.uint32).view(np.float32).reshape(shape)
    places = pack(loaded, packed, numbers, dims).view(np.uint32)
    there = (places > 0) & (places <= count)
    raw = np.zeros(count, dtype=np.uint32)
    raw[places[there] - 1] = buffer.view(np.uint32)[there]
    found = raw.view(np.float32).reshape(shape)
    met = np.zeros(count, dtype=np.bool_)
    met[places[there] - 1] = True
    if not met.all() or not np.array_equal(pack(loaded, packed, found, dims), buffer):
        raise UnsupportedError(f"{packed.operand}: its packed layout cannot be undone, so the kernel cannot be saved")
    return found


def dims_of(symbols: Sequence[str], bound: Mapping[str, int]) -> list[int]:
    """Symbol values for packing: those the constants fix, 0 for the rest, which no packing may depend on."""
    return [bound.get(s, 0) for s in symbols]
