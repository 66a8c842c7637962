"""Coverage of a model: which of its workloads a database answers, from which rung, and what share of it that is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from anytile.core.errors import UnsupportedError
from anytile.db.lookup.evidence import REPRESENTATIVE, Grade
from anytile.db.lookup.ladder import Answer, Rung
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.workload import Workload

STALE = "stale"  # a record of other versions answers, as a config alone
UNSUPPORTED = "unsupported"
# None is the cost model's: to ask it may mean to train it, for which no page waits, and tuned is neither.
GRADES = (Rung.EXACT.value, Rung.COMPATIBLE.value, STALE, Rung.NEAREST.value, Rung.DEFAULT.value, UNSUPPORTED)
TUNED = (Rung.EXACT.value, Rung.COMPATIBLE.value)


@dataclass(frozen=True, slots=True)
class Covered:
    """One workload of a model, and what answers for it."""

    workload: Workload
    calls: float  # in one run of the model
    share: float  # of the model's arithmetic
    grade: str  # one of GRADES
    why: str
    campaign_id: str  # of the record that answers, where there is one


@dataclass(frozen=True, slots=True)
class Coverage:
    """A model's workloads, those that are not tuned first, the weightiest of them at the top."""

    model: str
    target: Target
    tuned: float  # the share of the arithmetic that exact or compatible records answer for
    grades: Mapping[str, int]  # how many workloads have each grade
    workloads: tuple[Covered, ...]


def coverage(
    model: str, needed: Mapping[Workload, float], target: Target, answer: Callable[[Workload, Target], Answer]
) -> Coverage:
    """`needed` are the workloads, and how often one run calls each; symbols weigh as their representative sizes."""
    weights = {w: max(1, w.flops(dict.fromkeys(w.symbols, REPRESENTATIVE))) * calls for w, calls in needed.items()}
    total = sum(weights.values()) or 1.0
    found = []
    for workload, calls in needed.items():
        grade, why, campaign = _graded(workload, target, answer)
        found.append(Covered(workload, calls, weights[workload] / total, grade, why, campaign))
    found.sort(key=lambda one: (one.grade in TUNED, -one.share, str(one.workload)))
    return Coverage(
        model=model,
        target=target,
        tuned=sum(one.share for one in found if one.grade in TUNED),
        grades={grade: count for grade in GRADES if (count := sum(one.grade == grade for one in found))},
        workloads=tuple(found),
    )


def _graded(workload: Workload, target: Target, answer: Callable[[Workload, Target], Answer]) -> tuple[str, str, str]:
    try:
        found = answer(workload, target)
    except UnsupportedError as error:
        return UNSUPPORTED, str(error), ""
    grade = STALE if found.grade is Grade.STALE else found.rung.value
    return grade, found.why(), found.source.campaign_id if found.source is not None else ""
