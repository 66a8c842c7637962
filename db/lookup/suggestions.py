"""Tuning suggestions: what a team should tune next, from the lookups that no record answered.

Each miss weighs what a call of it takes, by the speed that the database knows of its operator on that target, times how
often it was asked for, times the share that tuning is likely to save, which is larger the lower the rung that answers
today. These are estimates for an order, and nothing is promised by them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import median

from anytile.core.errors import AnytileError
from anytile.db.lookup.evidence import REPRESENTATIVE
from anytile.db.lookup.ladder import Answer, Rung
from anytile.db.records.records import Miss
from anytile.db.store import Store
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.workload import Workload

# The share of the time that tuning saves, as campaigns have found it against what each rung gives.
_SAVED = {Rung.EXACT: 0.1, Rung.COMPATIBLE: 0.1, Rung.NEAREST: 0.25, Rung.MODEL: 0.35, Rung.DEFAULT: 0.5}
_FLOPS_A_THREAD = 20e9  # where nothing of the operator was ever measured


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
    store: Store,
    answer: Callable[[Workload, Target], Answer],
    target: Target | None = None,
    among: int | None = None,
    foresee: Callable[[Sequence[tuple[Workload, Target]]], None] = lambda asked: None,
) -> list[Suggestion]:
    """The most worthwhile first, for one target or all; what has been tuned meanwhile is left out. Of very many misses
    `among` of those that were most often asked for may do. `foresee` is told all that will be asked."""
    wanted = sorted(_misses(store, target), key=lambda miss: (-miss.count, -miss.last))[:among]
    foresee([(miss.workload, miss.target) for miss in wanted])
    speeds = _speeds(store) if wanted else {}
    found = []
    for miss in wanted:
        try:
            today = answer(miss.workload, miss.target)
            seconds = _call_seconds(miss.workload, miss.target, speeds)
        except AnytileError:  # an operator or a target that this version cannot serve: nothing it could tune
            continue
        if today.is_miss:
            saves = miss.count * seconds * _SAVED[today.rung]
            found.append(Suggestion(miss.workload, miss.target, miss.count, miss.last, today.rung.value, saves))
    return sorted(found, key=lambda s: (-s.saves, str(s.workload), str(s.target)))


def _misses(store: Store, target: Target | None) -> list[Miss]:
    """Of all layers; one that a merge has copied counts once, as it does in a merge."""
    found: dict[tuple[Workload, Target], Miss] = {}
    for miss in (miss for layer in store.layers for miss in layer.misses() if target in (None, miss.target)):
        known = found.get((miss.workload, miss.target), miss)
        found[miss.workload, miss.target] = max(known, miss, key=lambda m: m.count)
    return list(found.values())


def _speeds(store: Store) -> dict[tuple[str, str], float]:
    """The arithmetic a second of the fastest trials, by operator and target."""
    rates: dict[tuple[str, str], list[float]] = defaultdict(list)
    for group in (group for layer in store.layers for group in layer.groups()):
        with suppress(AnytileError, ArithmeticError, ValueError, TypeError):  # of a newer anytile, or spoilt
            workload = Workload.parse(group.workload)
            rates[workload.op, group.target].append(workload.flops(json.loads(group.point)) / group.fastest)
    return {of: median(some) for of, some in rates.items()}


def _call_seconds(workload: Workload, target: Target, speeds: Mapping[tuple[str, str], float]) -> float:
    """Of one call at the representative sizes."""
    flops = workload.flops(dict.fromkeys(workload.symbols, REPRESENTATIVE))
    return max(flops, 1) / speeds.get((workload.op, str(target)), _FLOPS_A_THREAD * target.threads)
