"""Untuned plan of two configs: one for few of the symbol that a template walks, another one for many.

A template that knows of no such size has one config for all, and no plan here.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan, Range
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.workload import Workload


@runtime_checkable
class ForMany(Protocol):
    """A template with another config for many."""

    def many(self, workload: Workload, target: Target) -> tuple[int, Config] | None:
        """From how many of its symbol on that is better untuned, and the config; None where it never is."""
        ...


def few_and_many(workload: Workload, target: Target) -> DispatchPlan | None:
    """The plan of the best template untuned, where it has a config for many and a symbol that may be so many."""
    (chosen, *_) = templates_for(workload, target)
    many, symbol = chosen.many(workload, target) if isinstance(chosen, ForMany) else None, chosen.symbol(workload)
    if many is None or symbol is None:
        return None
    size, config = many
    configs = (chosen.default(workload, target), config)
    variants = tuple(v for c in configs for v in single_plan(workload, target, chosen.name, c).variants)
    because = f"{chosen.name} knows this config as good for so many; nothing was measured; tune it"
    ranges = (Range(0, size - 1, 0, because=because), Range(size, None, 1, because=because))
    return DispatchPlan(workload, target, symbol, variants, ranges, {"decisions": [because]})
