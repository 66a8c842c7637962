"""Split-k bounded: for more rows than were measured, no block shares its sums with another.

Sharing pays where tiles are fewer than multiprocessors. Its workspace grows with the rows, and its meeting points are
counted; a plan's last range has no end. So from `UNSPLIT` rows on, where tiles abound, the same tile goes unshared.
"""

from __future__ import annotations

from dataclasses import replace

from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.templates.base.space import Config, Value

UNSPLIT = 2048
_KNOBS = frozenset({"split_k", "split"})
_ALONE: dict[str, Value] = {"split_k": 1, "split": 1, "meeting": "memory"}  # where nobody meets


def is_split(config: Config) -> bool:
    return any(name in _KNOBS and value != 1 for name, value in config.values)


def unsplit_beyond(plan: DispatchPlan) -> DispatchPlan:
    """The plan, its last range ending before `UNSPLIT` if it shares sums, and one more that does not."""
    last = plan.ranges[-1]
    if plan.symbol is None or isinstance(last.runs, str) or not is_split(plan.variants[last.runs].config):
        return plan
    shared = plan.variants[last.runs]
    knobs = {name: _ALONE[name] for name, _ in shared.config.values if name in _ALONE}
    alone = replace(shared, config=shared.config.with_(**knobs))
    variants = plan.variants if alone in plan.variants else (*plan.variants, alone)
    low, because = (
        max(last.low, UNSPLIT),
        "no sums are shared beyond what was measured, so that its workspace is bounded",
    )
    more = replace(last, low=low, runs=variants.index(alone), seconds=None, at=None, because=because)
    kept = plan.ranges[:-1] if low == last.low else (*plan.ranges[:-1], replace(last, high=low - 1))
    return replace(plan, variants=variants, ranges=(*kept, more))
