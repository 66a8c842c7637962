"""Notes on a plan: what was decided of it after it was chosen, so that it can run, and figures that stand in it.

Programs that run need no more of how plans are chosen, so this module imports none of it.
"""

from __future__ import annotations

from dataclasses import replace

from anytile.schedules.plans.plan import DispatchPlan

ADAPTED = "adapted"  # the note on what was changed in a plan since it was chosen: a list of sentences


def noted(plan: DispatchPlan, note: str) -> DispatchPlan:
    """The plan with one more decision in its notes, made after it was chosen."""
    found = {key: plan.notes.get(key) for key in ("decisions", ADAPTED)}
    longer = {key: [*before, note] if isinstance(before, list) else [note] for key, before in found.items()}
    return replace(plan, notes={**plan.notes, **longer})


def number(value: object) -> float:
    """A figure out of a plan that anybody may have written; 0 where it is none."""
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e18:
        return float(value)
    return 0.0
