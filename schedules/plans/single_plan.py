"""The plan of one config: the same variant at every size. What is measured, shown and built when nothing is chosen."""

from __future__ import annotations

from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan, Range, Variant, default_classes, residue_classes
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.base.template import ranged_symbol, ranged_tile
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.workload import Workload


def single_plan(
    workload: Workload, target: Target, template_name: str, config: Config, classes: int | None = None
) -> DispatchPlan:
    """One config for every size. `classes` is k of dispatch/k; 0 is `none`; by default it is the target's own."""
    tpl = template(template_name)
    symbol, tile = ranged_symbol(tpl, workload), ranged_tile(tpl, workload, config)
    if symbol is None or classes == 0:
        parts: tuple[tuple[int, int], ...] = ()
    else:
        parts = default_classes(target.kind, tile) if classes is None else residue_classes(tile, min(classes, tile))
    variant = Variant(template_name, config, tile, parts)
    return DispatchPlan(workload, target, symbol, (variant,), (Range(0, None, 0),), {})
