"""Untuned plan of two configs: one for few of the symbol that ranges of a plan speak of, another one for many.

The one for many is of the template that leads, or of another one that knows from how many on it is the faster. Where
none knows of such a size one config serves all, and there is no plan here.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan, Range
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.base.template import Template, ranged_symbol
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.workload import Workload


@runtime_checkable
class ForMany(Protocol):
    """A template with a config for many."""

    def many(self, workload: Workload, target: Target) -> tuple[int, Config] | None:
        """From how many of its symbol on that is better than what leads untuned, and the config; None where it never
        is."""
        ...


def few_and_many(workload: Workload, target: Target) -> DispatchPlan | None:
    """The plan of the best template untuned, where that or another has a config for many and a symbol that may be so
    many."""
    best, *others = templates_for(workload, target)
    symbol = ranged_symbol(best, workload)
    if symbol is None:
        return None
    behind = [t for t in others if not t.leads(workload, target)]  # one that leads, too, knows no more than itself
    for chosen in (best, *behind):
        many = chosen.many(workload, target) if isinstance(chosen, ForMany) else None
        if many is not None and chosen.symbol(workload) == symbol:
            return _of_two(workload, target, symbol, best, chosen, many)
    return None


def _of_two(
    workload: Workload, target: Target, symbol: str, few: Template, later: Template, many: tuple[int, Config]
) -> DispatchPlan:
    size, config = many
    configs = ((few.name, few.default(workload, target)), (later.name, config))
    variants = tuple(v for name, c in configs for v in single_plan(workload, target, name, c).variants)
    because = f"{later.name} knows this config as good for so many; nothing was measured; tune it"
    before = because if few is later else f"of so few {few.name} is taken for the faster one; nothing was measured"
    ranges = (Range(0, size - 1, 0, because=before), Range(size, None, 1, because=because))
    return DispatchPlan(workload, target, symbol, variants, ranges, {"decisions": [because]})
