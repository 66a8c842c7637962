"""Algorithm portfolio: at most N configs of the cross-evaluation matrix that together lose least to the per-size best.

The loss is the weighted geometric mean over sizes of the least time among the members, or, as an alternative, the worst
regret at any size. What lies within TIE of the least loss is as good, and of those the one whose worst size loses least
is taken: a mean hides a size at which a config is slow. Small portfolios are searched exactly, large ones by extending
and swapping; what is equal even then falls to the rows listed first.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anytile.core.errors import SpecError
from anytile.core.plurals import counted
from anytile.dispatch.plans.matrix import Grid, Matrix

OBJECTIVES = ("geomean", "regret")
MIN_GAIN = 0.005  # one more member must gain this much, and more than the noise
TIE = 0.002  # of the mean: less than any measurement can tell apart
EXACT_SETS = 400_000  # search exhaustively up to this many portfolios


@dataclass(frozen=True)
class Choice:
    """The rows chosen, and how far from the per-size best they are: both as ratios, 1.0 is no loss."""

    rows: tuple[int, ...]
    objective: str
    geomean: float
    worst: float
    worst_at: int
    decisions: tuple[str, ...] = ()


def choose_portfolio(matrix: Matrix, portfolio: int = 3, objective: str = "geomean") -> Choice:
    """At most `portfolio` rows; fewer where one more would not gain MIN_GAIN, or no more than noise would."""
    if portfolio < 1:
        raise SpecError(f"--portfolio {portfolio}: expected at least 1")
    if objective not in OBJECTIVES:
        raise SpecError(f"objective {objective!r}: expected one of {', '.join(OBJECTIVES)}")
    weights = matrix.weight_vector()
    used = weights > 0
    if not used.any():
        raise SpecError("nothing was measured: every cell of the cross-evaluation matrix is empty; tune again")
    ratios = np.where(np.isnan(matrix.medians), np.inf, matrix.medians)[:, used] / matrix.best[used]
    logs = np.log(ratios)
    share = weights[used] / weights[used].sum()
    alive = _undominated(logs)
    chosen = _search(logs, share, alive, 1, objective)
    seen = f"{counted(len(matrix.rows), 'config')} at {counted(int(used.sum()), 'size')}"
    decisions = [f"{seen}, {len(alive)} of them best or tied somewhere"]
    if objective == "regret":
        decisions.append("held to what is lost at the worst size: minimax regret")
    for count in range(2, min(portfolio, len(alive)) + 1):
        wider = _search(logs, share, alive, count, objective, chosen)
        gain = math.exp(loss_of(logs, share, chosen, objective) - loss_of(logs, share, wider, objective)) - 1.0
        if not gain >= max(MIN_GAIN, matrix.noise):
            decisions.append(f"{count} variants would gain only {gain:.2%} over {len(chosen)}, so {len(chosen)} it is")
            break
        decisions.append(f"{count} variants gain {gain:.2%} over {len(chosen)}")
        chosen = wider
    least = logs[list(chosen)].min(axis=0)
    worst = int(least.argmax())
    sizes = np.array(matrix.sizes)[used]
    return Choice(
        chosen,
        objective,
        float(np.exp(least @ share)),
        float(np.exp(least[worst])),
        int(sizes[worst]),
        tuple(decisions),
    )


def _undominated(logs: Grid) -> list[int]:
    """Rows that no other row equals or beats at every size (of equal rows, the first)."""
    alive = []
    for i, row in enumerate(logs):
        no_worse = (logs <= row).all(axis=1)
        better = (logs < row).any(axis=1)
        beaten = no_worse & (better | (np.arange(len(logs)) < i))
        if not beaten.any() and np.isfinite(row).any():
            alive.append(i)
    return alive


def loss_of(logs: Grid, share: Grid, rows: Sequence[int], objective: str) -> float:
    """What rows together lose by the objective, as a logarithm."""
    least = logs[list(rows)].min(axis=0)
    return float(least @ share) if objective == "geomean" else float(least.max())


def _search(
    logs: Grid, share: Grid, alive: Sequence[int], count: int, objective: str, seed: tuple[int, ...] = ()
) -> tuple[int, ...]:
    """The best `count` rows: by trying every set where there are few, else by extending `seed` and swapping."""

    def better(score: float, best: float) -> bool:
        return score < best - 1e-12 or not math.isfinite(best)

    if math.comb(len(alive), count) <= EXACT_SETS:
        found: list[tuple[float, float, tuple[int, ...]]] = []  # loss, worst loss, rows: of each head the best
        for head in itertools.combinations(range(len(alive)), count - 1):
            rest = [alive[i] for i in range(head[-1] + 1 if head else 0, len(alive))]
            if not rest:
                continue
            least = logs[rest]
            if head:
                least = np.minimum(least, logs[[alive[i] for i in head]].min(axis=0))
            worst = np.round(least.max(axis=1), 12)
            scores = np.round(least @ share, 12) if objective == "geomean" else worst
            within = np.flatnonzero(scores <= scores.min() + TIE) if objective == "geomean" else np.arange(len(rest))
            place = int(within[np.lexsort((within, scores[within], worst[within]))[0]])
            for i in {place, int(np.argmin(scores))}:
                found.append((float(scores[i]), float(worst[i]), (*(alive[j] for j in head), rest[i])))
        limit = min(score for score, _, _ in found) + (TIE if objective == "geomean" else 0.0)
        tied = [f for f in found if f[0] <= limit or not math.isfinite(limit)]
        return tuple(sorted(min(tied, key=lambda f: (f[1], f[0], f[2]))[2]))
    current = list(seed)
    while len(current) < count:
        fresh = [r for r in alive if r not in current]
        current.append(min(fresh, key=lambda r: (loss_of(logs, share, [*current, r], objective), r)))
    for _ in range(4):
        before = list(current)
        for place in range(count):
            others = current[:place] + current[place + 1 :]
            for row in alive:
                trial = [*others, row]
                score, best_score = (loss_of(logs, share, r, objective) for r in (trial, current))
                if row not in others and better(score, best_score):
                    current = [*others[:place], row, *others[place:]]
        if current == before:
            break
    return tuple(sorted(current))
