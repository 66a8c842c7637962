"""Functions of the native runtime, as Python calls them (see `c/runtime.c`), and the helpers of compiled regions.

Machines, pools and pairs are given by the addresses of their words.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from anytile.codegen.cache import CodeCache
from anytile.codegen.kept import kept_ir
from anytile.codegen.llvm.compile import ATTRIBUTES, compiled
from anytile.codegen.load.extension import Extension
from anytile.codegen.load.loader import Loaded
from anytile.core.once import once
from anytile.schedules.hardware.target import Target

# What compiled regions call, in the order of the table that they call it through.
HELPERS = (
    *("take", "put", "give_back", "take_workspace", "put_workspace"),
    *("new_cell", "new_numbers", "new_storage", "keeper", "retain", "set"),
    *("now", "note", "word", "scan32", "scan64", "arange", "repeat"),
)
_TABLE = "anytile_helpers"
_RESIZE = ("taps", "at", "mode", "coordinates", "nearest", "cubic", "exclude_outside", "antialias")
# Functions of the host's table that native code does (see `c/operators/host_operators.c`), and the attributes that each
# is told as words.
HOST_OPERATORS: Mapping[str, tuple[str, ...]] = {
    "op_take_along": ("axis",),
    "op_gather_nd": ("batches",),
    "op_scatter": ("axis", "mode"),
    "op_scatter_nd": ("mode",),
    "op_scatter_keys": ("axis",),
    "op_scatter_nd_keys": (),
    "op_add": (),
    "op_subtract": (),
    "op_multiply": (),
    "op_divide": (),
    "op_top_k": ("axis", "largest"),
    "sizes_top_k_by": ("axis", "strict"),
    "op_top_k_by": ("axis", "largest"),
    "op_nonzero": (),
    "sizes_nonzero": (),
    "sizes_unique": (),
    "op_unique": (),
    "bounded_non_max_suppression": ("most", "iou", "score"),
    "bounded_non_max_suppression_of_classes": ("most", "iou", "score", "boxes"),
    "sizes_resize_taps": _RESIZE,
    "op_resize_taps": _RESIZE,
    "op_roi_align": ("height", "width", "points", "scale", "half_pixel", "mode"),
}
_OPERATORS = "anytile_host_operators"


class Runtime(NamedTuple):
    """The native calls that are the same for all programs."""

    begin: Callable[[int, int], int]  # (machine, function): the first frame, of what the machine is given
    drive: Callable[[int], int]  # (machine): runs on; a status
    unwind: Callable[[int], int]  # (machine): lets go of all that a run holds
    own: Callable[[object, int, int], object]  # (pool object, pool, pair): the block of the pair
    allocate: Callable[[object, int, int, bytearray], object]  # (pool object, pool, nbytes, pair to fill): 0 if refused
    settle: Callable[[int], int]  # (pool): takes in the blocks that were dropped
    drain: Callable[[int], int]  # (pool): the same, then gives the system all that is free
    watch: Callable[[int], int]  # (table): see `mapped_words`


@once
def _extension() -> Extension:
    return Extension(kept_ir(__file__, "c/runtime"), "anytile_drive")


@functools.cache
def runtime() -> Runtime:
    return Runtime(*(_extension().function(f"anytile_{name}") for name in Runtime._fields))


def intake(spec: int) -> Callable[..., bool]:
    """`take(machine, list to keep arrays in, *inputs)`: whether they are the machine's arguments now. The spec, at an
    address, must stay where it is."""
    return _extension().function("anytile_intake", spec)


def outlet(spec: int) -> Callable[[object, int], Any]:
    """`give(pool object, machine)`: what a run returned as arrays, or 0 where that is not plain. The spec, at an
    address, must stay where it is."""
    return _extension().function("anytile_outlet", spec)


def quick_call(spec: int) -> Callable[..., Any]:
    """`call(pool object, machine, list to keep arrays in, *inputs)`: the result as arrays, or a status. The spec, at an
    address, must stay where it is."""
    return _extension().function("anytile_call", spec)


@functools.cache
def region_helpers() -> str:
    """LLVM IR of what compiled regions call."""
    return kept_ir(__file__, "c/regions")


def _table(name: str, functions: Collection[str]) -> str:
    """LLVM IR of a table of functions' addresses."""
    entries = ", ".join(f"ptr @{function}" for function in functions)
    return f"@{name} = constant [{len(functions)} x ptr] [{entries}]\n"


@once
def _helpers() -> Loaded:
    """They are one module for all programs: compiled beside every program they were most of its code."""
    text = region_helpers() + _table(_TABLE, HELPERS)
    return Loaded(compiled(text + ATTRIBUTES, Target.host(), _TABLE, CodeCache()))


def helpers_table() -> int:
    """Where the addresses of `HELPERS` lie, for good."""
    return _helpers().entry


@once
def _host_operators() -> Loaded:
    text = kept_ir(__file__, "c/operators/host_operators") + _table(_OPERATORS, HOST_OPERATORS)
    return Loaded(compiled(text + ATTRIBUTES, Target.host(), _OPERATORS, CodeCache()))


def host_operator(name: str) -> int:
    """The address of one of `HOST_OPERATORS`, for good."""
    addresses = (ctypes.c_int64 * len(HOST_OPERATORS)).from_address(_host_operators().entry)
    return addresses[list(HOST_OPERATORS).index(name)]
