"""The native way in: from the objects of a Python call to the kernel ABI without touching them in Python.

`entrance` compiles, once per process and kind of operator, a function that takes a frame and the array objects as they
are. It looks at each object's C fields (numpy's public, stable array struct): exactly an ndarray of the right dtype,
contiguous, aligned, the result writable and apart from the inputs. Then it fills the pointer table on its own stack and
calls the kernel. Anything else makes it return SLOW, having done nothing.

That the fields lie where the struct says is checked against Python's view of them before the first use; where it does
not hold there is no entrance, and every call goes the slow way.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.codegen.loader import Loaded
from anytile.codegen.native import compile_ir
from anytile.schedules.target import Target

Array = NDArray[Any]
SLOW = -(2**31)
ALIGNMENT = 64
READABLE = 0x101  # numpy's flags C_CONTIGUOUS | ALIGNED
WRITABLE = 0x501  # and WRITEABLE

# Offsets in PyArrayObject_fields: data, nd, dimensions, strides, base, descr, flags follow the object header.
_TYPE, _DATA = object.__basicsize__ - 8, object.__basicsize__
_DESCR, _FLAGS = _DATA + 40, _DATA + 48
_NAME = "anytile_enter"

# Words of a frame: what a call needs besides its objects. Then the byte counts of the inputs, then the pointer table.
_KERNEL, _DIMS, _WORKSPACE, _RESULT_BYTES, _FIRST = range(5)


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the objects of a call stand in the kernel's pointer table."""

    inputs: tuple[int, ...]
    result: int
    tensors: int
    dtype: str


@dataclass(frozen=True, slots=True)
class Frame:
    """One filled frame; `address` is what the entrance takes. Never written again while it may be in use."""

    words: ctypes.Array[ctypes.c_int64]
    keeps: tuple[object, ...] = field(repr=False)  # whatever the words point at

    @property
    def address(self) -> int:
        return ctypes.addressof(self.words)


def frame(
    layout: Layout,
    kernel: int,
    dims: Sequence[int],
    pointers: Sequence[int],
    input_bytes: Sequence[int],
    result_bytes: int,
    workspace: Array | None = None,
) -> Frame:
    numbers = (ctypes.c_int64 * max(len(dims), 1))(*dims)
    at = 0 if workspace is None else address_of(workspace)
    head = (kernel, ctypes.addressof(numbers), at, result_bytes)
    words = (*head, *input_bytes, *pointers)
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
    """`enter(frame address, id of each input, id of the result) -> status`, or None where it cannot be trusted."""
    if not _fields_are_where_expected(np.dtype(layout.dtype)):
        return None
    arguments = [ctypes.c_void_p] * (2 + len(layout.inputs))
    return ctypes.CFUNCTYPE(ctypes.c_int32, *arguments)(_code(layout).entry)


@functools.cache  # for good: somebody may always hold the function
def _code(layout: Layout) -> Loaded:
    return Loaded(compile_ir(_text(layout), Target.host(), _NAME, facts_too=False))


def _fields_are_where_expected(dtype: np.dtype[Any]) -> bool:
    plain = np.zeros((2, 3), dtype=dtype)
    frozen = np.zeros((3, 4), dtype=dtype)[:, ::2]
    frozen.flags.writeable = False
    for array in (plain, frozen):
        at = id(array)
        found = (
            ctypes.c_void_p.from_address(at + _TYPE).value,
            ctypes.c_void_p.from_address(at + _DATA).value,
            ctypes.c_void_p.from_address(at + _DESCR).value,
            ctypes.c_int.from_address(at + _FLAGS).value,
        )
        if found != (id(np.ndarray), address_of(array), id(dtype), array.flags.num):
            return False
    return True


def _text(layout: Layout) -> str:
    names = [f"in{i}" for i in range(len(layout.inputs))]
    parameters = ", ".join(f"ptr %{n}" for n in (*names, "out"))
    lines = [
        f"define i32 @{_NAME}(ptr %frame, {parameters}) {{",
        "start:",
        f"  %table = alloca [{layout.tensors} x ptr], align 16",
    ]
    for name in (*names, "out"):
        lines += _checked(name, np.dtype(layout.dtype), WRITABLE if name == "out" else READABLE)
    lines += _word("out.bytes", _RESULT_BYTES, "i64")
    lines += ["  %out.from = ptrtoint ptr %out.data to i64", "  %out.to = add i64 %out.from, %out.bytes"]
    for i, name in enumerate(names):
        lines += _word(f"{name}.bytes", _FIRST + i, "i64")
        lines += [
            f"  %{name}.from = ptrtoint ptr %{name}.data to i64",
            f"  %{name}.to = add i64 %{name}.from, %{name}.bytes",
            f"  %{name}.before = icmp ult i64 %{name}.from, %out.to",
            f"  %{name}.after = icmp ult i64 %out.from, %{name}.to",
            f"  %{name}.over = and i1 %{name}.before, %{name}.after",
            f"  br i1 %{name}.over, label %slow, label %{name}.apart",
            f"{name}.apart:",
        ]
    passed = {**dict(zip(layout.inputs, names, strict=True)), layout.result: "out"}
    for place in range(layout.tensors):
        pointer = f"%{passed[place]}.data" if place in passed else f"%const{place}"
        if place not in passed:
            lines += _word(f"const{place}", _FIRST + len(names) + place, "ptr")
        lines += [
            f"  %slot{place} = getelementptr ptr, ptr %table, i64 {place}",
            f"  store ptr {pointer}, ptr %slot{place}",
        ]
    lines += [*_word("kernel", _KERNEL, "ptr"), *_word("dims", _DIMS, "ptr"), *_word("workspace", _WORKSPACE, "ptr")]
    lines += [
        "  %status = call i32 %kernel(ptr %table, ptr %dims, ptr %workspace)",
        "  ret i32 %status",
        "slow:",
        f"  ret i32 {SLOW}",
        "}",
    ]
    return "\n".join(lines) + "\n"


def _word(name: str, index: int, kind: str) -> list[str]:
    return [f"  %{name}.at = getelementptr i64, ptr %frame, i64 {index}", f"  %{name} = load {kind}, ptr %{name}.at"]


def _checked(name: str, dtype: np.dtype[Any], flags: int) -> list[str]:
    """Look at one object; goes on at `<name>.good` with `%<name>.data`."""

    def field_of(what: str, offset: int, kind: str) -> list[str]:
        return [
            f"  %{name}.{what}.at = getelementptr i8, ptr %{name}, i64 {offset}",
            f"  %{name}.{what} = load {kind}, ptr %{name}.{what}.at",
        ]

    return [
        *field_of("type", _TYPE, "i64"),
        f"  %{name}.array = icmp eq i64 %{name}.type, {id(np.ndarray)}",
        f"  br i1 %{name}.array, label %{name}.typed, label %slow",
        f"{name}.typed:",  # only now is it known to have the fields at all
        *field_of("descr", _DESCR, "i64"),
        f"  %{name}.same = icmp eq i64 %{name}.descr, {id(dtype)}",
        *field_of("flags", _FLAGS, "i32"),
        f"  %{name}.bits = and i32 %{name}.flags, {flags}",
        f"  %{name}.plain = icmp eq i32 %{name}.bits, {flags}",
        f"  %{name}.both = and i1 %{name}.same, %{name}.plain",
        f"  br i1 %{name}.both, label %{name}.good, label %slow",
        f"{name}.good:",
        *field_of("data", _DATA, "ptr"),
    ]
