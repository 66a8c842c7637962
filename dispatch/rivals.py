"""Library rivals: the BLAS that this process can call, and native thunks that let compiled code call it.

Plans name a library only as "blas"; which one that is gets resolved on the machine that runs the plan. `resolve` gives
the address of a function with cblas_sgemm's 64-bit-integer signature, whatever the library's own integers are. The
thunk behind it holds the library to the target's threads for the time of the call and puts the old count back when the
last call in flight ends, so that numpy is as fast afterwards as before.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from anytile.codegen.loader import Loaded
from anytile.codegen.native import compile_ir
from anytile.dispatch.plan import DispatchPlan, Range
from anytile.dispatch.profile import Series
from anytile.dispatch.thunk import THUNK, Addresses, thunk_ir
from anytile.dispatch.why import noted, recorded
from anytile.schedules.errors import UnsupportedError
from anytile.schedules.target import Target

LIBRARY = "blas"

# (prefix, suffix, 64-bit integers): scipy-openblas as numpy bundles it, Debian's and Fedora's 64-bit builds, the rest.
_NAMINGS = (("scipy_", "64_", True), ("", "64_", True), ("", "_64", True), ("scipy_", "", False), ("", "", False))
_SYSTEM = ("openblas", "mkl_rt", "blis", "cblas", "blas")
_LOADED = ("openblas", "libblis", "libmkl_rt", "libcblas", "libblas.")


@dataclass(frozen=True, slots=True)
class Blas:
    """One library: where it is, the symbol of its sgemm, whether its integers have 64 bits, its thread controls."""

    name: str
    library: str
    symbol: str
    version: str
    ilp64: bool
    get_threads: str | None = None
    set_threads: str | None = None

    def __str__(self) -> str:
        width = "64" if self.ilp64 else "32"
        return f"{self.version or self.name} ({Path(self.library).name}, {width}-bit integers)"

    def address(self, symbol: str) -> int:
        return ctypes.cast(ctypes.CDLL(self.library)[symbol], ctypes.c_void_p).value or 0


class Resolved(NamedTuple):
    """What a plan's library range calls."""

    address: int
    ilp64: bool


@functools.cache
def find_blas() -> tuple[Blas, ...]:
    """Every BLAS this process can load, numpy's own first; each was seen to multiply correctly."""
    found: dict[str, Blas] = {}
    for path in _candidates():
        try:
            library = ctypes.CDLL(path)
        except OSError:
            continue
        blas = _describe(path, library)
        if blas is not None and blas.library not in found and _multiplies(blas):
            found[blas.library] = blas
    return tuple(found.values())


def _candidates() -> Iterator[str]:
    package = Path(np.__file__).resolve().parent
    for folder in (package.parent / "numpy.libs", package / ".libs"):
        yield from map(str, sorted(folder.glob("*openblas*.so*")))
    try:
        mapped = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if ".so" in line}
    except OSError:
        mapped = set()
    yield from sorted(path for path in mapped if any(word in Path(path).name for word in _LOADED))
    for name in _SYSTEM:
        path = ctypes.util.find_library(name)
        if path:
            yield path


def _describe(path: str, library: ctypes.CDLL) -> Blas | None:
    for prefix, suffix, wide in _NAMINGS:
        symbol = f"{prefix}cblas_sgemm{suffix}"
        if not hasattr(library, symbol):
            continue
        version, ilp64 = "", wide
        config = getattr(library, f"{prefix}openblas_get_config{suffix}", None)
        if config is not None:
            config.restype, config.argtypes = ctypes.c_char_p, ()
            words = (config() or b"").decode(errors="replace").split()
            version, ilp64 = " ".join(words[:2]), wide or "USE64BITINT" in words
        get, set_ = next(
            (
                pair
                for pair in (
                    (f"{prefix}openblas_get_num_threads{suffix}", f"{prefix}openblas_set_num_threads{suffix}"),
                    ("MKL_Get_Max_Threads", "MKL_Set_Num_Threads"),
                    ("bli_thread_get_num_threads", "bli_thread_set_num_threads"),
                )
                if all(hasattr(library, s) for s in pair)
            ),
            (None, None),
        )
        name = version.split()[0].lower() if version else Path(path).name.removeprefix("lib").split(".")[0]
        return Blas(name, path, symbol, version, ilp64, get, set_)
    return None


def _multiplies(blas: Blas) -> bool:
    """A tiny product through the library: a symbol of the right name is not yet the right function."""
    integer = ctypes.c_int64 if blas.ilp64 else ctypes.c_int32
    pointer, real, word = ctypes.c_void_p, ctypes.c_float, ctypes.c_int
    sgemm = ctypes.CDLL(blas.library)[blas.symbol]
    sgemm.restype = None
    sgemm.argtypes = (
        word,
        word,
        word,
        *[integer] * 3,
        real,
        pointer,
        integer,
        pointer,
        integer,
        real,
        pointer,
        integer,
    )
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    w = np.arange(12, dtype=np.float32).reshape(4, 3)
    y = np.full((2, 4), np.nan, dtype=np.float32)
    sgemm(101, 111, 112, 2, 4, 3, 1.0, x.ctypes.data, 3, w.ctypes.data, 3, 0.0, y.ctypes.data, 4)
    return bool(np.array_equal(y, np.einsum("mk,nk->mn", x, w)))


def pick(name: str = LIBRARY) -> Blas | None:
    """The library that a plan's name means here: any for "blas", else the one called so."""
    return next((b for b in find_blas() if name in (LIBRARY, b.name)), None)


def resolve(name: str = LIBRARY, threads: int = 1) -> Resolved:
    """The address for the slot of a plan's library range: always 64-bit integers, always `threads` threads."""
    return Resolved(_thunk(_required(name), threads).address(THUNK), True)


def _required(name: str) -> Blas:
    blas = pick(name)
    if blas is None:
        raise UnsupportedError(f"no {name} library was found; install OpenBLAS, or build from a plan without libraries")
    return blas


def _addresses(blas: Blas) -> Addresses:
    controlled = blas.get_threads is not None and blas.set_threads is not None
    get, put = (blas.address(s) if controlled and s else 0 for s in (blas.get_threads, blas.set_threads))
    return Addresses(blas.address(blas.symbol), get, put, ctypes.addressof(_thread_state(blas.library)))


@functools.cache
def _thread_state(library: str) -> ctypes.Array[ctypes.c_int32]:
    """Per library and for the life of the process: a spin lock, the calls in flight, the thread count to put back."""
    return (ctypes.c_int32 * 3)()


@functools.cache
def _thunk(blas: Blas, threads: int) -> Loaded:
    return Loaded(compile_ir(thunk_ir(_addresses(blas), blas.ilp64, threads), Target.host(), THUNK, facts_too=False))


def libraries_of(plan: DispatchPlan) -> tuple[str, ...]:
    return tuple(sorted({r.runs for r in plan.ranges if isinstance(r.runs, str)}))


def without_libraries(plan: DispatchPlan, why: str) -> DispatchPlan:
    """The plan with every library range given to the variant that was best there, and a note that says so."""
    if not libraries_of(plan):
        return plan
    if not plan.variants:
        raise UnsupportedError(f"plan for {plan.workload}: it only calls {', '.join(libraries_of(plan))}, and {why}")
    series = {key: s for key, s in recorded(plan).items() if isinstance(key, int)}
    ranges: list[Range] = []
    changed = []
    for r in plan.ranges:
        if isinstance(r.runs, str):
            stand_in = _best_inside(series, r)
            at = series[stand_in].measured_near(max(r.low, 1), r.high) if stand_in in series else None
            seconds = series[stand_in].seconds[at] if at is not None else None
            changed.append(f"{r.low}..{'' if r.high is None else r.high}")
            r = Range(r.low, r.high, stand_in, seconds, at, f"{why}; variant {stand_in} is the best of the others")
        if ranges and ranges[-1].runs == r.runs:
            r = replace(ranges[-1], high=r.high)
            ranges.pop()
        ranges.append(r)
    plan = replace(plan, ranges=tuple(ranges))
    return noted(plan, f"{why}: sizes {', '.join(changed)} run a variant instead")


def _best_inside(series: Mapping[int, Series], r: Range) -> int:
    if not series:
        return 0
    sizes = [m for s in series.values() for m in s.seconds if m >= r.low and (r.high is None or m <= r.high)]
    sizes = sorted(set(sizes)) or [max(r.low, 1)]
    return min(series, key=lambda i: (float(np.log(series[i].at(sizes)).mean()), i))


__all__ = [
    "LIBRARY",
    "Blas",
    "Resolved",
    "find_blas",
    "libraries_of",
    "pick",
    "resolve",
    "without_libraries",
]
