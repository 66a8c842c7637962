"""Plausibility check of measurements: what cannot be, or is not what its own samples say, is quarantined, whoever
recorded it.

What cannot be says `physics`; here records are held to it. A verdict goes before it: who measured a record again, or
says that it is to be believed, knows more.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from anytile.db.lookup.evidence import Evidence
from anytile.db.records.physics import too_fast, unlike_samples
from anytile.db.records.records import Status, Trial
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.templates.base.space import Config

_TWICE = 2.0  # a plan counts what it measured as of one moment; no moments are so far apart


def doubt(found: Evidence) -> str:
    """Why lookups pass a record over, in words; nothing where they use it."""
    if found.verdict is not None:
        said, ruling = found.verdict.said, found.verdict.ruling
        return (said or f"somebody found it {ruling}") if ruling.sets_aside else ""
    return contradiction(found)


def contradiction(found: Evidence) -> str:
    """What a record says of itself that cannot be, in words; nothing where it may be so."""
    impossible = (too_fast(found.workload, found.target, *said) for said in _said(found))
    said = next(filter(None, impossible), "")
    if said or found.plan is not None or found.seconds is None:
        return said
    return unlike_samples(found.seconds, found.ranked, found.drift)


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


def _said(found: Evidence) -> Iterator[tuple[Mapping[str, int], float]]:
    """The sizes and seconds that it tells."""
    if found.plan is None:
        if found.seconds is not None:
            yield found.measured_at, found.seconds
        return
    for r in found.plan.ranges:
        if r.seconds is not None and (r.at is not None or not found.workload.symbols):
            yield {} if found.plan.symbol is None or r.at is None else {found.plan.symbol: r.at}, r.seconds
