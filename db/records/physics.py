"""Roofline bound on measurements: what no machine of a target can have taken, and what a trial's own samples refute.

The bounds are crude on purpose: twice the arithmetic of the widest cores at the highest clock there is, and of a GPU
several times its units'. What they refuse was not measured but made up, mixed up or timed by a clock that stood still.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping

from anytile.core.dtypes import BYTES, STORED
from anytile.core.errors import AnytileError
from anytile.core.plurals import rounded
from anytile.db.records.records import Status, Trial
from anytile.schedules.hardware.gpu import gpu_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.workload import Workload

LEAST_S = 1e-9  # a call alone takes longer
MOST_DRIFT = 8.0  # no machine is so much slower or faster, as a whole, than at its campaign's start
_ROUNDING = 1e-3
_HERTZ = 6.5e9
_PER_CYCLE = {"float32": 2 * 64, "float64": 2 * 32}  # two 512-bit multiply-adds a cycle, and as much again
_MATRIX_UNIT = 2 * 2048  # narrower types have units of their own
_GPU_HERTZ = 3.5e9
_GPU_SLACK = 16  # newer instructions than `mma`, narrower types, sparsity, and as much again


def contradiction(trial: Trial, ranked: float | None = None) -> str:
    """What a trial, which a database orders by `ranked`, says of itself that cannot be; nothing where it may be so."""
    if trial.status is not Status.OK:
        return ""
    return too_fast(trial.workload, trial.target, trial.point, trial.corrected) or unlike_samples(
        trial.corrected, ranked, trial.drift
    )


def too_fast(workload: Workload, target: Target, point: Mapping[str, int], seconds: float) -> str:
    """Why nothing takes so short a time, in words; nothing where something may."""
    if not math.isfinite(seconds) or seconds < LEAST_S:
        return f"a call that took {seconds:.3g} s"
    work, most = _work_and_peak(workload, target, tuple(sorted(point.items())))
    rate = work / seconds
    return f"{rounded(rate / 1e9, 3)} GFLOP/s, where {rounded(most / 1e9, 3)} are out of reach" if rate > most else ""


def unlike_samples(seconds: float, ranked: float | None, drift: float) -> str:
    """What a trial is ordered by, and corrected with, that its samples do not say, in words."""
    if ranked is not None and not math.isclose(ranked, seconds, rel_tol=_ROUNDING):
        return f"it is kept as {ranked:.3g} s, and its own samples say {seconds:.3g} s"
    if not 1 / MOST_DRIFT <= drift <= MOST_DRIFT:
        return f"its machine would have been {rounded(drift, 3)} times as slow as at its campaign's start"
    return ""


@functools.lru_cache(4096)
def _work_and_peak(workload: Workload, target: Target, point: tuple[tuple[str, int], ...]) -> tuple[float, float]:
    """Operations of a call, and how many a second are out of reach; of what cannot be said none, and any number."""
    if {name for name, _ in point} != set(workload.symbols):
        return 0.0, math.inf
    try:
        return float(workload.flops(dict(point))), _peak(workload, target)
    except (AnytileError, OverflowError):
        return 0.0, math.inf


def _peak(workload: Workload, target: Target) -> float:
    """Operations a second that are out of reach."""
    if target.kind == "llvm":
        narrowest = min((workload.dtype_of(t) for t in workload.inputs), key=BYTES.__getitem__, default=workload.dtype)
        dtype = narrowest if narrowest in STORED else workload.dtype
        return _HERTZ * _PER_CYCLE.get(dtype, _MATRIX_UNIT) * target.threads
    facts = gpu_facts(target)
    return _GPU_HERTZ * _GPU_SLACK * 2 * facts.tile_atoms * facts.multiprocessors
