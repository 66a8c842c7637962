"""Plausibility check of measurements: what cannot be, or is not what its own samples say, is quarantined, whoever
recorded it.

The bounds are crude on purpose: twice the arithmetic of the widest cores at the highest clock there is, and of a GPU
several times its units'. What they refuse was not measured but made up, mixed up or timed by a clock that stood still.
A verdict goes before them: who measured a record again, or says that it is to be believed, knows more.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator

from anytile.core.dtypes import BYTES, STORED
from anytile.core.errors import AnytileError
from anytile.db.lookup.evidence import Evidence, is_ranked_rightly
from anytile.db.records.records import Status, Trial
from anytile.schedules.hardware.gpu import gpu_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload

_HERTZ = 6.5e9
_PER_CYCLE = {"float32": 2 * 64, "float64": 2 * 32}  # two 512-bit multiply-adds a cycle, and as much again
_MATRIX_UNIT = 2 * 2048  # narrower types have units of their own
_GPU_HERTZ = 3.5e9
_GPU_SLACK = 16  # newer instructions than `mma`, narrower types, sparsity, and as much again
_LEAST_S = 1e-9  # a call alone takes longer
_MOST_DRIFT = 8.0  # no machine is so much slower or faster, as a whole, than at its campaign's start
_TWICE = 2.0  # a plan counts what it measured as of one moment; no moments are so far apart


def doubt(found: Evidence) -> str:
    """Why lookups pass a record over, in words; nothing where they use it."""
    if found.verdict is not None:
        return found.verdict.said if found.verdict.ruling.sets_aside else ""
    return contradiction(found)


def contradiction(found: Evidence) -> str:
    """What a record says of itself that cannot be, in words; nothing where it may be so."""
    impossible = (_too_fast(found.workload, found.target, *said) for said in _said(found))
    return next(filter(None, (*impossible, _unlike_samples(found))), "")


def unlike_its_trials(plan: DispatchPlan, trials: Iterable[Trial]) -> str:
    """What a plan says that the trials of its campaign do not, in words. Sizes that it only predicts are left alone."""
    fastest: dict[tuple[str, Config, int | None], float] = {}
    for trial in trials:
        if trial.status is Status.OK:
            size = None if plan.symbol is None else trial.point.get(plan.symbol)
            key = (trial.template, trial.config, size)
            least = min(trial.samples) / max(trial.drift, 1.0)
            fastest[key] = min(fastest.get(key, math.inf), least)
    for r in plan.ranges:
        if not isinstance(r.runs, int) or r.seconds is None:
            continue
        variant = plan.variants[r.runs]
        there = fastest.get((variant.template, variant.config, None if plan.symbol is None else r.at))
        if there is not None and r.seconds * _TWICE < there:
            at = f" at {plan.symbol}={r.at}" if plan.symbol else ""
            return f"it says {r.seconds:.3g} s{at}, and none of its own samples is below {there:.3g} s"
    return ""


def _unlike_samples(found: Evidence) -> str:
    """Of a trial: what it is ordered by, and corrected with."""
    if found.plan is not None or found.seconds is None:
        return ""
    if found.ranked is not None and not is_ranked_rightly(found.seconds, found.ranked):
        return f"it is kept as {found.ranked:.3g} s, and its own samples say {found.seconds:.3g} s"
    if not 1 / _MOST_DRIFT <= found.drift <= _MOST_DRIFT:
        return f"its machine would have been {found.drift:.3g} times as slow as at its campaign's start"
    return ""


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
    if {name for name, _ in point} != set(workload.symbols):
        return ""
    try:
        most = _peak(workload, target)
        rate = workload.flops(dict(point)) / seconds
    except (AnytileError, OverflowError):
        return ""
    return f"{rate / 1e9:.3g} GFLOP/s, where {most / 1e9:.3g} are out of reach" if rate > most else ""


def _peak(workload: Workload, target: Target) -> float:
    """Operations a second that are out of reach."""
    if target.kind == "llvm":
        narrowest = min((workload.dtype_of(t) for t in workload.inputs), key=BYTES.__getitem__, default=workload.dtype)
        dtype = narrowest if narrowest in STORED else workload.dtype
        return _HERTZ * _PER_CYCLE.get(dtype, _MATRIX_UNIT) * target.threads
    facts = gpu_facts(target)
    return _GPU_HERTZ * _GPU_SLACK * 2 * facts.tile_atoms * facts.multiprocessors
