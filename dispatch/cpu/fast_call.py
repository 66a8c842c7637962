"""The fast call: from the objects of a Python call to the kernel ABI without touching them in Python (see `calls.c`).

`entrance` makes a Python function that takes a frame's address and the array objects as they are; the interpreter calls
it as it calls any function written in C. It looks at each object's C fields (numpy's public, stable array struct):
exactly an ndarray of the right dtype, contiguous, aligned, of the shape that the frame is for, the result writable and
apart from the inputs, and that positions lie within the dimension that they index. Then it calls the kernel, with the
GIL released unless that takes longer than the kernel may. An array of another shape makes it return OTHER, anything
else that is not so SLOW; then it has done nothing.

That the fields lie where native code takes them to be is checked against Python's view of them before the first use;
where it does not hold there is no entrance, and every call goes the slow way.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.codegen.kept import kept_ir
from anytile.codegen.load.extension import Extension
from anytile.core.once import once

Array = NDArray[Any]
Words = ctypes.Array[ctypes.c_int64]
SLOW = -(2**31)
OTHER = SLOW + 1
ALIGNMENT = 64
READABLE = 0x101  # numpy's flags C_CONTIGUOUS | ALIGNED
WRITABLE = 0x501  # and WRITEABLE

OUT = sys.intern("out")


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the objects of a call stand in the kernel's pointer table, and the dtype of every tensor.

    `positions` are those of the inputs whose elements are positions in a dimension, `ranks` how many dimensions each
    tensor has.
    """

    inputs: tuple[int, ...]
    results: tuple[int, ...]
    dtypes: tuple[str, ...]
    ranks: tuple[int, ...]
    positions: tuple[int, ...] = ()


@once  # for good: frames refer to it
def _layout(layout: Layout) -> tuple[Words, tuple[np.dtype[Any], ...]]:
    """The words of a layout, and the objects that they name."""
    dtypes = tuple(map(np.dtype, layout.dtypes))
    words = [len(dtypes), len(layout.inputs), len(layout.results), len(layout.positions)]
    for place in (*layout.inputs, *layout.results):
        flags = WRITABLE if place in layout.results else READABLE
        position_bytes = dtypes[place].itemsize if place in layout.positions else 0
        words += [place, id(dtypes[place]), flags, layout.ranks[place], position_bytes]
    return (ctypes.c_int64 * len(words))(*words), dtypes


@dataclass(frozen=True, slots=True)
class Frame:
    """One filled frame; `address` is what the entrance takes. Never written again while it may be in use."""

    words: Words
    keeps: tuple[object, ...] = field(repr=False)  # whatever the words point at

    @property
    def address(self) -> int:
        return ctypes.addressof(self.words)


def frame(
    layout: Layout,
    kernel: int,
    dims: Sequence[int],
    pointers: Sequence[int],
    object_bytes: Sequence[int],
    shapes: Sequence[Sequence[int]],
    workspace: Array | None = None,
    limits: Sequence[int] = (),
    brief: bool = False,
) -> Frame:
    """`object_bytes` and `shapes`: of the inputs, then of the results; `limits`: how many positions each input of
    positions may choose from; `brief`: whether other threads may wait for it."""
    numbers = (ctypes.c_int64 * max(len(dims), 1))(*dims)
    at = 0 if workspace is None else address_of(workspace)
    words = [ctypes.addressof(_layout(layout)[0]), kernel, ctypes.addressof(numbers), at, brief, *pointers]
    limit_of = dict(zip(layout.positions, limits, strict=True))
    for place, nbytes, shape in zip((*layout.inputs, *layout.results), object_bytes, shapes, strict=True):
        words += [nbytes, limit_of.get(place, 0), *shape]
    return Frame((ctypes.c_int64 * len(words))(*words), (numbers, workspace))


def address_of(array: Array) -> int:
    """Where an array's first element is."""
    return int(array.__array_interface__["data"][0])


def aligned_bytes(count: int) -> Array:
    """Zeroed bytes on a cache-line boundary."""
    block = np.zeros(count + ALIGNMENT, dtype=np.uint8)
    start = -address_of(block) % ALIGNMENT
    return block[start : start + count]


@functools.cache
def entrance(layout: Layout) -> Callable[..., int] | None:
    """`enter(frame address, each input, each result) -> status`, or None where it cannot be trusted."""
    if not all(fields_are_where_expected(np.dtype(dtype)) for dtype in set(layout.dtypes)):
        return None
    return calls().function("anytile_enter")


@once
def calls() -> Extension:
    return Extension(kept_ir(__file__, "calls"), "anytile_enter", (id(np.empty), id(OUT)))


@functools.cache
def fields_are_where_expected(dtype: np.dtype[Any]) -> bool:
    """Whether arrays of a dtype have their C fields where native code looks."""
    look, seen = calls().function("anytile_fields"), (ctypes.c_int64 * 8)()
    plain = np.zeros((2, 3), dtype=dtype)
    frozen = np.zeros((3, 4), dtype=dtype)[:, ::2]
    frozen.flags.writeable = False
    for array in (plain, frozen):
        look(array, (array,), ctypes.addressof(seen))
        *found, sizes = seen
        if found != [id(np.ndarray), address_of(array), id(dtype), array.flags.num, array.ndim, 1, id(array)]:
            return False
        if not sizes or tuple((ctypes.c_ssize_t * array.ndim).from_address(sizes)) != array.shape:
            return False
    return True
