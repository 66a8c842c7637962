"""Plausibility check of measurements: what no core could have done is not believed, whoever recorded it.

The bound is crude on purpose: twice the arithmetic of the widest cores at the highest clock there is. What it refuses
was not measured but made up, mixed up or timed by a clock that stood still.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator

from anytile.core.errors import AnytileError
from anytile.db.lookup.evidence import Evidence
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.workload import Workload

_HERTZ = 6.5e9
_PER_CYCLE = {"float32": 2 * 64, "float64": 2 * 32}  # two 512-bit multiply-adds a cycle, and as much again
_MATRIX_UNIT = 2 * 2048  # narrower types have units of their own
_LEAST_S = 1e-9  # a call alone takes longer


def contradiction(found: Evidence) -> str:
    """What a record says of itself that cannot be, in words; nothing where it may be so."""
    return next(filter(None, (_too_fast(found.workload, found.target, *said) for said in _said(found))), "")


def _said(found: Evidence) -> Iterator[tuple[tuple[tuple[str, int], ...], float]]:
    """The sizes and seconds that it tells."""
    if found.plan is None:
        if found.seconds is not None:
            yield tuple(sorted(found.measured_at.items())), found.seconds
        return
    for r in found.plan.ranges:
        if r.seconds is not None and (r.at is not None or not found.workload.symbols):
            yield () if found.plan.symbol is None or r.at is None else ((found.plan.symbol, r.at),), r.seconds


@functools.lru_cache(4096)
def _too_fast(workload: Workload, target: Target, point: tuple[tuple[str, int], ...], seconds: float) -> str:
    if not math.isfinite(seconds) or seconds < _LEAST_S:
        return f"a call that took {seconds:.3g} s"
    if target.kind != "llvm" or {name for name, _ in point} != set(workload.symbols):
        return ""
    most = _HERTZ * _PER_CYCLE.get(workload.dtype, _MATRIX_UNIT) * target.threads
    try:
        rate = workload.flops(dict(point)) / seconds
    except (AnytileError, OverflowError):
        return ""
    return f"{rate / 1e9:.3g} GFLOP/s, where {most / 1e9:.3g} are out of reach" if rate > most else ""
