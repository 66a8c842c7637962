"""What a call needs for itself: addresses of arrays, pointer tables, workspace.

Scratch is taken from a pool for the time of a call and put back, so any number of threads, and a signal handler that
runs in the middle of a call, each have their own.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.dispatch.operands import require_memory

Array = NDArray[Any]
ALIGNMENT = 64


def address_of(array: Array) -> int:
    """Where an array's first element is, by numpy's public word."""
    return int(array.__array_interface__["data"][0])


_HEADER = object.__basicsize__
_pointer_at = ctypes.c_void_p.from_address


def _address_by_layout(array: Array) -> int:
    """The data pointer stands right behind the object header of an ndarray, and is ten times quicker to read there."""
    return _pointer_at(id(array) + _HEADER).value or 0


_probe = np.empty(1, dtype=np.float32)
quick_address: Callable[[Array], int] = (
    _address_by_layout if _address_by_layout(_probe) == address_of(_probe) else address_of
)


def aligned_bytes(count: int) -> Array:
    """Zeroed bytes on a cache-line boundary."""
    block = np.zeros(count + ALIGNMENT, dtype=np.uint8)
    start = -address_of(block) % ALIGNMENT
    return block[start : start + count]


@dataclass(frozen=True, slots=True)
class CallShape:
    """What a combination of input shapes means; worked out once."""

    result: tuple[int, ...]
    dims: tuple[int, ...]
    workspace: int
    input_bytes: tuple[int, ...]
    output_bytes: int


class Scratch:
    """The pointers, symbol values and workspace of one call in flight. `arguments` is what native code gets."""

    __slots__ = ("arguments", "data", "dims", "shape", "workspace")

    def __init__(self, pointers: Sequence[int], dims: int) -> None:
        self.data = (ctypes.c_void_p * len(pointers))(*pointers)
        self.dims = (ctypes.c_int64 * max(dims, 1))()
        self.workspace = aligned_bytes(0)
        self.shape: CallShape | None = None
        self.arguments = (0, 0, 0)

    def fit(self, shape: CallShape) -> None:
        """Make ready for calls of this shape; the workspace only ever grows."""
        for place, value in enumerate(shape.dims):
            self.dims[place] = value
        if shape.workspace > self.workspace.nbytes:
            require_memory(shape.workspace, "the kernel's workspace")
            self.workspace = aligned_bytes(shape.workspace)
        workspace = address_of(self.workspace) if shape.workspace else 0
        self.arguments = (ctypes.addressof(self.data), ctypes.addressof(self.dims), workspace)
        self.shape = shape
