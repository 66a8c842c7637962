"""The task scheduler: the next batch goes where its time buys the most end-to-end time. Pure.

A task is the search of one template for one workload; the templates of a workload are a group, of which only the
fastest counts. A batch is worth weight * seconds * gain: how often the workload runs in the model, what a call takes
now, and by what part of it the batch is likely to improve on the group's best; in turn a batch costs time, and more
where calls are long or code takes long to compile. First every task gets a few trials and
every group a minimum; without them nothing can be said of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

FEW = 8  # trials of each task before any two are compared
LEAST = 32  # trials of each group, its tasks together, before another one may get more
PATIENCE = 4 * LEAST  # trials after which a group in which nothing works has to wait for all others
BATCH = 16  # trials that the gains speak of; only their order counts
REGRET = 1.0  # what is left to gain times the trials made, before a search says otherwise: 1 / 32 is 3 %
CREDIT = 16  # trials that this belief is worth
LAGS = (2, 4, 8)  # parts of the trials made, at which a curve is looked at


@dataclass(frozen=True, slots=True)
class TaskState:
    """One search so far. `curve` is the least seconds after each trial, inf as long as none worked."""

    group: int
    weight: float  # how often the workload runs
    curve: tuple[float, ...]
    left: int  # trials that it may still have
    promised: float | None = None  # what the cost model expects of a batch, as log(now / then)
    cost: float = 1.0  # seconds that a trial takes

    @property
    def trials(self) -> int:
        return len(self.curve)

    @property
    def best(self) -> float:
        return self.curve[-1] if self.curve else math.inf


def next_task(states: Sequence[TaskState]) -> int | None:
    """The place of the task that the next batch should go to; None where none may have more. Ties go to the first."""
    ready = [i for i, state in enumerate(states) if state.left > 0]
    if not ready:
        return None
    fresh = [i for i in ready if states[i].trials < FEW]
    if fresh:
        return min(fresh, key=lambda i: (states[i].trials, i))
    best: dict[int, float] = {}
    trials: dict[int, int] = {}
    for state in states:
        best[state.group] = min(best.get(state.group, math.inf), state.best)
        trials[state.group] = trials.get(state.group, 0) + state.trials

    def value(i: int) -> float:
        state = states[i]
        return state.weight * best[state.group] * gain(state, best[state.group]) / state.cost

    def wanting(group: int) -> bool:
        return trials[group] < (LEAST if math.isfinite(best[group]) else PATIENCE)

    poor = [i for i in ready if wanting(states[i].group)]
    if poor:
        group = min((states[i].group for i in poor), key=lambda g: (trials[g], g))
        poor = [i for i in poor if states[i].group == group]
        return min(poor, key=lambda i: (-_comparable(value(i)), states[i].trials, i))
    return min(ready, key=lambda i: (-_comparable(value(i)), states[i].trials, i))


def gain(state: TaskState, best: float) -> float:
    """By what part the next batch is likely to improve on `best`, the fastest of the task's group.

    What is left to gain falls as one over the trials made; how much that is, the curve so far tells. A model's promise
    counts as much as the curve. Who is behind must first make up for it: improvements are taken as exponentially
    distributed, so that chance fades quickly but never ends.
    """
    if not math.isfinite(state.best):
        return 0.0
    n = state.trials
    likely = (REGRET * CREDIT + _regret(state.curve) * n) / (CREDIT + n) * BATCH / (n * (n + BATCH))
    if state.promised is not None:
        likely = (likely + state.promised) / 2
    return likely * math.exp(-math.log(state.best / best) / likely) if likely > 0 else 0.0


def _regret(curve: Sequence[float]) -> float:
    """r where a curve has fallen as best * exp(r / n) does: the mean over some lags."""
    n, found = len(curve), []
    for lag in LAGS:
        k = n // lag
        if k and math.isfinite(curve[k - 1]):
            found.append(math.log(curve[k - 1] / curve[-1]) / (1 / k - 1 / n))
    return sum(found) / len(found) if found else REGRET


def _comparable(value: float) -> float:
    """Nothing known of a group is worth nothing here: it had its chance when it was given its minimum."""
    return value if math.isfinite(value) else 0.0


def curve_of(seconds: Sequence[float]) -> tuple[float, ...]:
    """The least so far, at each place."""
    best, found = math.inf, []
    for s in seconds:
        best = min(best, s)
        found.append(best)
    return tuple(found)
