"""Tuning suggestions: what a team should tune next, from the lookups that no record answered.

Each miss weighs what a call of it takes, by the speed that the database knows of its operator on that target, times how
often it was asked for, times the share that tuning is likely to save, which is larger the lower the rung that answers
today. These are estimates for an order, and nothing is promised by them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median

from anytile.core.errors import AnytileError
from anytile.db.lookup.evidence import REPRESENTATIVE
from anytile.db.lookup.ladder import Answer, Rung
from anytile.db.records.records import Miss, Status
from anytile.db.store import Store
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.workload import Workload

# The share of the time that tuning saves, as campaigns have found it against what each rung gives.
_SAVED = {Rung.EXACT: 0.1, Rung.COMPATIBLE: 0.1, Rung.NEAREST: 0.25, Rung.MODEL: 0.35, Rung.DEFAULT: 0.5}
_FLOPS_A_THREAD = 20e9  # where nothing of the operator was ever measured
_TRIALS_LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A workload that is worth tuning; `saves` is the seconds that its calls so far would have been shorter."""

    workload: Workload
    target: Target
    asked: int
    last: float
    rung: str
    saves: float


def suggestions(
    store: Store, answer: Callable[[Workload, Target], Answer], target: Target | None = None
) -> list[Suggestion]:
    """The most worthwhile first, for one target or all; what has been tuned meanwhile is left out."""
    found = []
    for miss in _asked_for(store.misses(), target):
        try:
            today = answer(miss.workload, miss.target)
            seconds = _call_seconds(store, miss.workload, miss.target)
        except AnytileError:  # an operator or a target that this version cannot serve: nothing it could tune
            continue
        if today.is_miss:
            saves = miss.count * seconds * _SAVED[today.rung]
            found.append(Suggestion(miss.workload, miss.target, miss.count, miss.last, today.rung.value, saves))
    return sorted(found, key=lambda s: (-s.saves, str(s.workload), str(s.target)))


def _asked_for(misses: Iterable[Miss], target: Target | None) -> Iterable[Miss]:
    return (miss for miss in misses if target in (None, miss.target))


def _call_seconds(store: Store, workload: Workload, target: Target) -> float:
    """Of one call at the representative sizes."""
    flops = workload.flops(dict.fromkeys(workload.symbols, REPRESENTATIVE))
    rates = [
        trial.workload.flops(trial.point) / trial.corrected
        for known, on in store.known_pairs(workload.op)
        if on == target
        for trial in store.trials(workload=known, target=on, status=Status.OK, limit=_TRIALS_LOOKED_AT)
    ]
    return max(flops, 1) / (median(rates) if rates else _FLOPS_A_THREAD * target.threads)
