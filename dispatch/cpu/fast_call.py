"""The native way in: from the objects of a Python call to the kernel ABI without touching them in Python.

`entrance` compiles, once per process and kind of operator, a Python function that takes a frame's address and the array
objects as they are; the interpreter calls it as it calls any function written in C. It looks at each object's C fields
(numpy's public, stable array struct): exactly an ndarray of the right dtype, contiguous, aligned, of the shape that the
frame is for, the result writable and apart from the inputs, and that positions lie within the dimension that they
index. Then it fills the pointer table on its own stack and calls the kernel, with the GIL released unless that takes
longer than the kernel may. An array of another shape makes it return OTHER, anything else that is not so SLOW; then it
has done nothing.

That the fields lie where the struct says is checked against Python's view of them before the first use; where it does
not hold there is no entrance, and every call goes the slow way.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.codegen.llvm.compile import compile_ir
from anytile.codegen.load.loader import Loaded
from anytile.core.once import once
from anytile.schedules.hardware.target import Target

Array = NDArray[Any]
SLOW = -(2**31)
OTHER = SLOW + 1
ALIGNMENT = 64
READABLE = 0x101  # numpy's flags C_CONTIGUOUS | ALIGNED
WRITABLE = 0x501  # and WRITEABLE

# Offsets in PyArrayObject_fields: data, nd, dimensions, strides, base, descr, flags follow the object header.
_TYPE, ARRAY_DATA = object.__basicsize__ - 8, object.__basicsize__
ARRAY_RANK, ARRAY_DIMS, ARRAY_DESCR, ARRAY_FLAGS = ARRAY_DATA + 8, ARRAY_DATA + 16, ARRAY_DATA + 40, ARRAY_DATA + 48
_NAME = "anytile_enter"
_SIDE_BY_SIDE = 16  # positions that are looked at together

# The functions of CPython that the code calls, and how a method table says `f(self, args, count)`.
_PYTHON = ("PyLong_AsSsize_t", "PyLong_FromLong", "PyEval_SaveThread", "PyEval_RestoreThread")
METH_FASTCALL = 0x80

# Words of a frame: what a call needs besides its objects. Then the byte counts of inputs and results, then the pointer
# table, then for each input of positions how many there are to choose from, then the sizes of inputs and results.
_KERNEL, _DIMS, _WORKSPACE, _BRIEF, _FIRST = range(5)


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


@dataclass(frozen=True, slots=True)
class Frame:
    """One filled frame; `address` is what the entrance takes. Never written again while it may be in use."""

    words: ctypes.Array[ctypes.c_int64]
    keeps: tuple[object, ...] = field(repr=False)  # whatever the words point at

    @property
    def address(self) -> int:
        return ctypes.addressof(self.words)


def frame(
    kernel: int,
    dims: Sequence[int],
    pointers: Sequence[int],
    object_bytes: Sequence[int],
    shapes: Sequence[Sequence[int]],
    workspace: Array | None = None,
    limits: Sequence[int] = (),
    brief: bool = False,
) -> Frame:
    """`object_bytes` and `shapes`: of the inputs, then of the results; `limits`: how many positions each input may
    choose from; `brief`: whether other threads may wait for it."""
    numbers = (ctypes.c_int64 * max(len(dims), 1))(*dims)
    at = 0 if workspace is None else address_of(workspace)
    start = (kernel, ctypes.addressof(numbers), at, int(brief))
    words = (*start, *object_bytes, *pointers, *limits, *itertools.chain(*shapes))
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
    return python_function(_code(layout)[1])


def entrance_address(layout: Layout) -> int:
    """Where the code of the entrance is, for native code that calls it as Python does."""
    return _code(layout)[0].entry


def python_function(method: Method, bound: object = None) -> Callable[..., Any]:
    """A function that Python calls like any written in C; the method must outlive it. `bound` is its self."""
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.argtypes, make.restype = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p], ctypes.py_object
    made: Callable[..., Any] = make(ctypes.addressof(method), bound, None)
    return made


def python_constants(names: Sequence[str]) -> list[str]:
    """IR that names functions of this process's Python."""
    found = {name: ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value for name in names}
    return [f"@{name} = internal constant ptr inttoptr (i64 {at} to ptr)" for name, at in found.items()]


class Method(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


@once  # for good: somebody may always hold the function
def _code(layout: Layout) -> tuple[Loaded, Method]:
    loaded = Loaded(compile_ir(_text(layout), Target.host(), _NAME, facts_too=False))
    return loaded, Method(_NAME.encode(), loaded.entry, METH_FASTCALL, None)


@functools.cache
def fields_are_where_expected(dtype: np.dtype[Any]) -> bool:
    """Whether arrays of a dtype have their C fields where this module says."""
    plain = np.zeros((2, 3), dtype=dtype)
    frozen = np.zeros((3, 4), dtype=dtype)[:, ::2]
    frozen.flags.writeable = False
    for array in (plain, frozen):
        at = id(array)
        found = (
            ctypes.c_void_p.from_address(at + _TYPE).value,
            ctypes.c_void_p.from_address(at + ARRAY_DATA).value,
            ctypes.c_void_p.from_address(at + ARRAY_DESCR).value,
            ctypes.c_int.from_address(at + ARRAY_FLAGS).value,
            ctypes.c_int.from_address(at + ARRAY_RANK).value,
        )
        if found != (id(np.ndarray), address_of(array), id(dtype), array.flags.num, array.ndim):
            return False
        sizes = ctypes.c_void_p.from_address(at + ARRAY_DIMS).value
        if sizes is None or tuple((ctypes.c_ssize_t * array.ndim).from_address(sizes)) != array.shape:
            return False
    return True


def _text(layout: Layout) -> str:
    inputs = {place: f"in{i}" for i, place in enumerate(layout.inputs)}
    results = {place: f"out{i}" for i, place in enumerate(layout.results)}
    passed = {**inputs, **results}
    lines = [
        *python_constants(_PYTHON),
        f"define ptr @{_NAME}(ptr %self, ptr %args, i64 %count) {{",
        "start:",
        f"  %table = alloca [{len(layout.dtypes)} x ptr], align 16",
        *(f"  %{name} = load ptr, ptr @{name}" for name in _PYTHON),
        f"  %complete = icmp eq i64 %count, {1 + len(passed)}",
        "  br i1 %complete, label %known, label %slow",
        "known:",
        "  %number = load ptr, ptr %args",
        "  %address = call i64 %PyLong_AsSsize_t(ptr %number)",
        "  %frame = inttoptr i64 %address to ptr",
    ]
    sizes = _FIRST + len(passed) + len(layout.dtypes) + len(layout.positions)
    for i, (place, name) in enumerate(passed.items()):
        lines += [
            f"  %{name}.arg = getelementptr ptr, ptr %args, i64 {1 + i}",
            f"  %{name} = load ptr, ptr %{name}.arg",
        ]
        lines += _checked(name, np.dtype(layout.dtypes[place]), WRITABLE if place in results else READABLE)
        lines += _shaped(name, layout.ranks[place], sizes)
        sizes += layout.ranks[place]
        lines += _word(f"{name}.bytes", _FIRST + i, "i64")
        lines += [
            f"  %{name}.from = ptrtoint ptr %{name}.data to i64",
            f"  %{name}.to = add i64 %{name}.from, %{name}.bytes",
        ]
    written = list(results.values())
    for i, out in enumerate(written):
        for name in (*inputs.values(), *written[:i]):
            pair = f"{out}.{name}"
            lines += [
                f"  %{pair}.before = icmp ult i64 %{name}.from, %{out}.to",
                f"  %{pair}.after = icmp ult i64 %{out}.from, %{name}.to",
                f"  %{pair}.over = and i1 %{pair}.before, %{pair}.after",
                f"  br i1 %{pair}.over, label %slow, label %{pair}.apart",
                f"{pair}.apart:",
            ]
    for i, place in enumerate(layout.positions):
        limit = _FIRST + len(passed) + len(layout.dtypes) + i
        lines += _within(inputs[place], np.dtype(layout.dtypes[place]), limit)
    for place in range(len(layout.dtypes)):
        pointer = f"%{passed[place]}.data" if place in passed else f"%const{place}"
        if place not in passed:
            lines += _word(f"const{place}", _FIRST + len(passed) + place, "ptr")
        lines += [
            f"  %slot{place} = getelementptr ptr, ptr %table, i64 {place}",
            f"  store ptr {pointer}, ptr %slot{place}",
        ]
    lines += [*_word("kernel", _KERNEL, "ptr"), *_word("dims", _DIMS, "ptr"), *_word("workspace", _WORKSPACE, "ptr")]
    lines += _word("brief", _BRIEF, "i64")
    lines += [
        "  %alone = icmp ne i64 %brief, 0",
        "  br i1 %alone, label %holding, label %releasing",
        "holding:",
        "  %status.holding = call i32 %kernel(ptr %table, ptr %dims, ptr %workspace)",
        "  br label %back",
        "releasing:",
        "  %state = call ptr %PyEval_SaveThread()",
        "  %status.releasing = call i32 %kernel(ptr %table, ptr %dims, ptr %workspace)",
        "  call void %PyEval_RestoreThread(ptr %state)",
        "  br label %back",
        "back:",
        "  %status = phi i32 [ %status.holding, %holding ], [ %status.releasing, %releasing ]",
        "  %long = sext i32 %status to i64",
        "  %done = call ptr %PyLong_FromLong(i64 %long)",
        "  ret ptr %done",
        "slow:",
        f"  %refused = call ptr %PyLong_FromLong(i64 {SLOW})",
        "  ret ptr %refused",
        "other:",
        f"  %unfit = call ptr %PyLong_FromLong(i64 {OTHER})",
        "  ret ptr %unfit",
        "}",
    ]
    return "\n".join(lines) + "\n"


def _within(name: str, dtype: np.dtype[Any], limit: int) -> list[str]:
    """Look at every position of one input: v is in -limit..limit-1 where v + limit, taken without sign, is below twice
    the limit. Goes on at `<name>.within`."""
    n = f"%{name}"
    return [
        *_word(f"{name}.limit", limit, "i64"),
        f"  {n}.twice = shl i64 {n}.limit, 1",
        f"  {n}.count = udiv i64 {n}.bytes, {dtype.itemsize}",
        f"  {n}.many = and i64 {n}.count, {-_SIDE_BY_SIDE}",
        *_scan(name, "wide", dtype, _SIDE_BY_SIDE, "0", f"{n}.many"),
        *_scan(name, "one", dtype, 1, f"{n}.many", f"{n}.count"),
        f"  br label %{name}.within",
        f"{name}.within:",
    ]


def _scan(name: str, how: str, dtype: np.dtype[Any], side: int, begin: str, end: str) -> list[str]:
    """Look at the positions from `begin` to `end`, `side` at a time."""
    n, at = f"%{name}.{how}", f"{name}.{how}"
    read, whole, flags = f"<{side} x i{8 * dtype.itemsize}>", f"<{side} x i64>", f"<{side} x i1>"
    spread = []
    for word in ("limit", "twice"):
        spread += [
            f"  {n}.{word}.0 = insertelement {whole} poison, i64 %{name}.{word}, i64 0",
            f"  {n}.{word} = shufflevector {whole} {n}.{word}.0, {whole} poison, <{side} x i32> zeroinitializer",
        ]
    widened = f"sext {read} {n}.read to {whole}" if dtype.itemsize < 8 else f"add {whole} {n}.read, zeroinitializer"
    return [
        *spread,
        f"  {n}.some = icmp ult i64 {begin}, {end}",
        f"  br label %{at}.before",
        f"{at}.before:",
        f"  br i1 {n}.some, label %{at}.each, label %{at}.done",
        f"{at}.each:",
        f"  {n}.i = phi i64 [ {begin}, %{at}.before ], [ {n}.next, %{at}.each ]",
        f"  {n}.bad = phi {flags} [ zeroinitializer, %{at}.before ], [ {n}.worse, %{at}.each ]",
        f"  {n}.from = getelementptr i{8 * dtype.itemsize}, ptr %{name}.data, i64 {n}.i",
        f"  {n}.read = load {read}, ptr {n}.from, align {dtype.itemsize}",
        f"  {n}.whole = {widened}",
        f"  {n}.moved = add {whole} {n}.whole, {n}.limit",
        f"  {n}.out = icmp uge {whole} {n}.moved, {n}.twice",
        f"  {n}.worse = or {flags} {n}.bad, {n}.out",
        f"  {n}.next = add i64 {n}.i, {side}",
        f"  {n}.more = icmp ult i64 {n}.next, {end}",
        f"  br i1 {n}.more, label %{at}.each, label %{at}.seen",
        f"{at}.seen:",
        f"  {n}.any = bitcast {flags} {n}.worse to i{side}",
        f"  {n}.fail = icmp ne i{side} {n}.any, 0",
        f"  br i1 {n}.fail, label %slow, label %{at}.done",
        f"{at}.done:",
    ]


def _word(name: str, index: int, kind: str) -> list[str]:
    return [f"  %{name}.at = getelementptr i64, ptr %frame, i64 {index}", f"  %{name} = load {kind}, ptr %{name}.at"]


def _field(name: str, what: str, offset: int, kind: str) -> list[str]:
    return [
        f"  %{name}.{what}.at = getelementptr i8, ptr %{name}, i64 {offset}",
        f"  %{name}.{what} = load {kind}, ptr %{name}.{what}.at",
    ]


def _shaped(name: str, rank: int, sizes: int) -> list[str]:
    """Compare one array's shape with that in the frame, from the word `sizes` on; goes on at `<name>.fits`."""
    lines = [
        *_field(name, "rank", ARRAY_RANK, "i32"),
        f"  %{name}.ranked = icmp eq i32 %{name}.rank, {rank}",
        f"  br i1 %{name}.ranked, label %{name}.flat, label %slow",
        f"{name}.flat:",
        *_field(name, "dims", ARRAY_DIMS, "ptr"),
    ]
    same = "true"
    for d in range(rank):
        size = f"{name}.{d}"
        lines += _word(f"{size}.wanted", sizes + d, "i64")
        lines += [
            f"  %{size}.at = getelementptr i64, ptr %{name}.dims, i64 {d}",
            f"  %{size} = load i64, ptr %{size}.at",
            f"  %{size}.same = icmp eq i64 %{size}, %{size}.wanted",
            f"  %{size}.all = and i1 {same}, %{size}.same",
        ]
        same = f"%{size}.all"
    return [*lines, f"  br i1 {same}, label %{name}.fits, label %other", f"{name}.fits:"]


def _checked(name: str, dtype: np.dtype[Any], flags: int) -> list[str]:
    """Look at one object; goes on at `<name>.good` with `%<name>.data`."""
    return [
        *_field(name, "type", _TYPE, "i64"),
        f"  %{name}.array = icmp eq i64 %{name}.type, {id(np.ndarray)}",
        f"  br i1 %{name}.array, label %{name}.typed, label %slow",
        f"{name}.typed:",  # only now is it known to have the fields at all
        *_field(name, "descr", ARRAY_DESCR, "i64"),
        f"  %{name}.same = icmp eq i64 %{name}.descr, {id(dtype)}",
        *_field(name, "flags", ARRAY_FLAGS, "i32"),
        f"  %{name}.bits = and i32 %{name}.flags, {flags}",
        f"  %{name}.plain = icmp eq i32 %{name}.bits, {flags}",
        f"  %{name}.both = and i1 %{name}.same, %{name}.plain",
        f"  br i1 %{name}.both, label %{name}.good, label %slow",
        f"{name}.good:",
        *_field(name, "data", ARRAY_DATA, "ptr"),
    ]
