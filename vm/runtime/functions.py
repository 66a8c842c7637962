"""Functions of the native runtime, as Python calls them (see `c/runtime.c`), and the helpers of compiled regions.

Machines, pools and pairs are given by the addresses of their words.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

from anytile.codegen.kept import kept_ir
from anytile.codegen.load.extension import Extension
from anytile.core.once import once

TABLES = "anytile_tables"  # in compiled regions, a slot for the addresses of constants, kernels and cells


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


@functools.cache
def region_helpers() -> str:
    """LLVM IR that stands before compiled regions."""
    return f"{kept_ir(__file__, 'c/regions')}@{TABLES} = global ptr null\n"
