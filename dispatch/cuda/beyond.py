"""Plans bounded: for more rows than were measured, what has an end is left out, since a plan's last range has none.

Blocks that share sums pay where tiles are fewer than multiprocessors. Their workspace grows with the rows, and their
meeting points are counted; so from `UNSPLIT` rows on, where tiles abound, the same tile goes unshared. Of a grid one
dimension alone takes more than 65535 blocks; so beyond as many tiles rows go along that one, whatever order is faster.
"""

from __future__ import annotations

from dataclasses import replace

from anytile.codegen.cuda.launch import MAX_GRID
from anytile.schedules.plans.plan import DispatchPlan, Variant
from anytile.schedules.templates.base.space import Config, Value

UNSPLIT = 2048
_ORDER = "group_n"  # of a product's tiles: 1 has those of all rows along x, any other along y
_ORDERED = ("dense", "quantised_dense", "gated_dense")
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
    return _from(plan, UNSPLIT, alone, "no sums are shared beyond what was measured, so that its workspace is bounded")


def along_x_beyond(plan: DispatchPlan) -> DispatchPlan:
    """The plan, its last range ending where its rows have as many tiles as a grid takes along y, if they lie there, and
    one more whose rows lie along x, which one kernel serves whatever is left of a tile."""
    last = plan.ranges[-1]
    if plan.symbol is None or isinstance(last.runs, str) or plan.workload.op not in _ORDERED:
        return plan
    tall = plan.variants[last.runs]
    if dict(tall.config.values).get(_ORDER, 1) == 1:
        return plan
    long = replace(tall, config=tall.config.with_(**{_ORDER: 1}), classes=())
    return _from(plan, MAX_GRID[1] * tall.tile + 1, long, "its rows have more tiles than a grid takes along y")


def _from(plan: DispatchPlan, low: int, variant: Variant, because: str) -> DispatchPlan:
    """The plan with another variant from so many rows on, or for all of its last range if that begins later."""
    last = plan.ranges[-1]
    low = max(last.low, low)
    variants = plan.variants if variant in plan.variants else (*plan.variants, variant)
    more = replace(last, low=low, runs=variants.index(variant), seconds=None, at=None, because=because)
    kept = plan.ranges[:-1] if low == last.low else (*plan.ranges[:-1], replace(last, high=low - 1))
    return replace(plan, variants=variants, ranges=(*kept, more))
