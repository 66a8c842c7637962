"""BLAS calls from plans: native thunks with one calling convention, and plans that have to do without a library.

Plans name a library only as "blas"; which one that is gets resolved on the machine that runs the plan, and a plan that
measured another does without. `resolve` gives the address of a function with cblas_sgemm's 64-bit-integer signature,
whatever the library's own integers are. The thunk behind it holds the library to the target's threads for the time of
the call and puts the old count back when the last call in flight ends, so that numpy is as fast afterwards as before.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from anytile.codegen.load.loader import Loaded
from anytile.core.errors import UnsupportedError
from anytile.core.once import once
from anytile.dispatch.blas.find import Blas, chosen, find_blas
from anytile.dispatch.blas.thunk import Addresses, thunk
from anytile.dispatch.plans.notes import noted
from anytile.dispatch.plans.profile import Series
from anytile.dispatch.plans.why import recorded
from anytile.schedules.plans.plan import DispatchPlan, Range, libraries_of

LIBRARY = "blas"
MEASURED = "libraries"  # the note of a plan that says which build of each library was measured


class Resolved(NamedTuple):
    """What a plan's library range calls."""

    address: int
    ilp64: bool


def pick(name: str = LIBRARY) -> Blas | None:
    """The library that a plan's name means here: the chosen one for "blas", else the one called so."""
    if name == LIBRARY:
        return chosen()
    return next((b for b in find_blas() if name == b.name), None)


def resolve(name: str = LIBRARY, threads: int = 1) -> Resolved:
    """The address for the slot of a plan's library range: always 64-bit integers, always `threads` threads."""
    return Resolved(_thunk(_required(name), threads).entry, True)


def _required(name: str) -> Blas:
    blas = pick(name)
    if blas is None:
        raise UnsupportedError(f"no {name} library was found; install OpenBLAS, or build from a plan without libraries")
    return blas


def _addresses(blas: Blas) -> Addresses:
    controlled = blas.get_threads is not None and blas.set_threads is not None
    get, put = (blas.address(s) if controlled and s else 0 for s in (blas.get_threads, blas.set_threads))
    return Addresses(
        blas.address(blas.symbol), blas.address_of_sgemv(), get, put, ctypes.addressof(_thread_state(blas.library))
    )


@once
def _thread_state(library: str) -> ctypes.Array[ctypes.c_int32]:
    """Per library and for the life of the process: a spin lock, the calls in flight, the thread count to put back."""
    return (ctypes.c_int32 * 3)()


@once
def _thunk(blas: Blas, threads: int) -> Loaded:
    return thunk(_addresses(blas), blas.ilp64, threads)


def believed(plan: DispatchPlan) -> DispatchPlan:
    """The plan without a library that is not the one it measured: another build is another rival."""
    measured = plan.notes.get(MEASURED)
    if not isinstance(measured, Mapping):
        return plan
    for name in libraries_of(plan):
        here, then = pick(name), measured.get(name)
        if here is not None and isinstance(then, str) and then != here.build:
            return without_libraries(plan, f"{name} was measured as {then}, and is {here.build} here")
    return plan


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
    "MEASURED",
    "Blas",
    "Resolved",
    "believed",
    "libraries_of",
    "pick",
    "resolve",
    "without_libraries",
]
