"""Dispatch plans in words: a line per variant and per range. Configs are named once, with their variant."""

from __future__ import annotations

from collections.abc import Mapping

from anytile.core.plurals import counted
from anytile.dispatch.plans.notes import number
from anytile.schedules.plans.plan import UNTUNED, DispatchPlan, Range
from anytile.show.figures import geometric_mean, ratio_text


def variant_lines(plan: DispatchPlan) -> list[str]:
    mixed = len({v.template for v in plan.variants}) > 1
    named = [f"{v.template} {v.config}" if mixed else str(v.config) for v in plan.variants]
    return [f"variant {i}: {name}, {v.mode}" for i, (name, v) in enumerate(zip(named, plan.variants, strict=True))]


def range_lines(plan: DispatchPlan) -> list[str]:
    """`m 16..511: variant 0 took 288 us at 64; over 16..511 the next best, blas, took 1.80x as long`."""
    return [f"{span(plan, r)}: {because(plan, r)}" for r in plan.ranges]


def plan_lines(plan: DispatchPlan) -> list[str]:
    return variant_lines(plan) + range_lines(plan)


def span(plan: DispatchPlan, r: Range) -> str:
    """The sizes that a range speaks of. A plan may know several symbols and tell none of their sizes apart."""
    if plan.is_uniform:
        return "its one size" if plan.workload.is_concrete else f"every {', '.join(plan.workload.symbols)}"
    if r.high is None:
        return f"{plan.symbol} {r.low} and up"
    return f"{plan.symbol} {r.low}" + (f"..{r.high}" if r.high > r.low else "")


def runs(r: Range) -> str:
    return f"variant {r.runs}" if isinstance(r.runs, int) else r.runs


def because(plan: DispatchPlan, r: Range) -> str:
    """What runs there and why. Stored reasons spell every config out; here its variant's number is enough."""
    reason = r.because
    for place, variant in enumerate(plan.variants):
        reason = reason.replace(f"variant {place} ({variant.config})", f"variant {place}")
    if not reason:
        return runs(r)
    return reason if reason.startswith(runs(r)) else f"{runs(r)}; {reason}"


def over_untuned(plan: DispatchPlan) -> dict[int, float]:
    """By size, how many times as long as the plan what runs untuned takes; empty where that was not noted."""
    noted = plan.notes.get(UNTUNED)
    if not isinstance(noted, Mapping):
        return {}
    return {int(m): ratio for m, ratio in noted.items() if isinstance(m, str) and m.isdecimal() and number(ratio) > 0}


def untuned_line(plan: DispatchPlan) -> str:
    """What tuning was good for, in words; nothing where that was not noted."""
    ratios = over_untuned(plan)
    if not ratios:
        return ""
    where = f", on average over {counted(len(ratios), 'size')} of {plan.symbol}" if plan.symbol is not None else ""
    return f"what runs untuned takes {ratio_text(geometric_mean(list(ratios.values())))} as long{where}"
