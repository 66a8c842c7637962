"""Code size of built plans: they are held to a budget by what they become, where a choice goes by an estimate.

A plan is built where its estimate leaves room for doubt. One whose code is over the budget is chosen anew, with a
budget as much smaller as the estimate was wrong, until the code fits or there is nothing smaller. Its decisions say so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from anytile.core.errors import AnytileError
from anytile.dispatch.plans.notes import number
from anytile.schedules.plans.plan import DispatchPlan

BUILT = "code_built"  # the note with the bytes that the plan's code took, where it was built to see
SURE = 0.5  # of the budget: estimates were within 30 % of the code wherever both were known
MOST = 6  # choices before we give up

Measure = Callable[[DispatchPlan], int]


def held(budget: int, choose: Callable[[int], DispatchPlan], measure: Measure) -> DispatchPlan:
    """The plan that `choose` makes of the budget, or of a smaller one where its code turns out to be over it."""
    plan, asked, said = choose(budget), budget, list[str]()
    if plan.symbol is None or 0 < _estimate(plan) <= SURE * budget:  # one kernel, or a small one
        return _noted(plan, said)
    try:
        real = measure(plan)
        for _ in range(MOST):
            if real <= budget:
                break
            asked = max(min(int(min(asked, _estimate(plan) or asked) * budget / real), asked - 1), 1)
            smaller = choose(asked)
            if smaller.variants == plan.variants:
                break
            how = f"chosen anew, for an estimate of {asked}"
            said.append(f"built, its code took {real} bytes, over the budget of {budget}: {how}")
            plan, real = smaller, measure(smaller)
    except AnytileError as error:
        return _noted(plan, [*said, f"the size of its code is an estimate, as it could not be built: {error}"])
    within = "within" if real <= budget else "which no smaller plan changes, over"
    return _noted(plan, [*said, f"built, its code takes {real} bytes, {within} the budget of {budget}"], real)


def _estimate(plan: DispatchPlan) -> int:
    """What the choice went by; 0 where it knew nothing."""
    return int(number(plan.notes.get("code_bytes")))


def _noted(plan: DispatchPlan, said: list[str], real: int | None = None) -> DispatchPlan:
    decisions = [*plan.notes.get("decisions", ()), *said]
    size = {} if real is None else {BUILT: real}
    return replace(plan, notes={**plan.notes, "decisions": decisions, **size})
