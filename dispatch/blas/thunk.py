"""The native thunk between compiled code and a BLAS (see `thunk.c`). Addresses come from `in_plans`.

A thunk has cblas_sgemm's signature with 64-bit integers, whatever the library's own are, and holds the library to a
number of threads while it runs.
"""

from __future__ import annotations

import ctypes
from dataclasses import astuple, dataclass

from anytile.codegen.cache import CodeCache
from anytile.codegen.kept import kept_ir
from anytile.codegen.llvm.compile import ATTRIBUTES, compiled
from anytile.codegen.load.loader import Loaded
from anytile.schedules.hardware.target import Target

# In compiled code with a library range, to be filled before it runs: where the function is, and how wide it counts.
BLAS_SLOT = "anytile_blas_sgemm"
BLAS_WIDE = "anytile_blas_wide"


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the library's functions are in this process, 0 for those it lacks, and three int32 of lasting state."""

    sgemm: int
    sgemv: int
    get_threads: int
    set_threads: int
    state: int


def thunk(at: Addresses, ilp64: bool, threads: int) -> Loaded:
    """Its entry: `void (cblas_sgemm's arguments, integers i64)`: hold the threads, call, let them go."""
    entry = f"anytile_blas_thunk{64 if ilp64 else 32}"
    loaded = Loaded(compiled(kept_ir(__file__, "thunk") + ATTRIBUTES, Target.host(), entry, CodeCache()))
    (ctypes.c_int64 * 6).from_address(loaded.address("anytile_library"))[:] = [*astuple(at), threads]
    return loaded
