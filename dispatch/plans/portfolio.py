"""Algorithm portfolio: at most N configs of the cross-evaluation matrix that together lose least to the per-size best.

The loss is the weighted geometric mean over sizes of the least time among the members, or, as an alternative, the worst
regret at any size. What lies within TIE of the least loss is as good, and of those the one whose worst size loses least
is taken: a mean hides a size at which a config is slow. Members that read constants in different layouts have a price:
each layout is one more copy in files and in memory, and is made before the first result. Small portfolios are searched
exactly, large ones by extending and swapping; what is equal even then falls to the rows listed first.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from anytile.core.errors import SpecError
from anytile.core.plurals import counted
from anytile.dispatch.plans.matrix import Grid, Matrix

OBJECTIVES = ("geomean", "regret")
MIN_GAIN = 0.005  # one more member must gain this much, and more than the noise
LAYOUT_GAIN = 0.03  # and this much more for each layout of constants that no other member reads
TIE = 0.002  # of the mean: less than any measurement can tell apart
EXACT_SETS = 400_000  # search exhaustively up to this many portfolios

T = TypeVar("T", float, Grid)


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
    """At most `portfolio` rows; fewer where one more would not gain MIN_GAIN, or no more than noise would, or would not
    gain LAYOUT_GAIN for a layout of its own."""
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
    layouts = [row.layouts for row in matrix.rows]
    alive = _undominated(logs, layouts)
    losses = _Losses(logs, share, objective, np.array([layouts.index(name) for name in layouts]))
    chosen = _search(losses, alive, 1)
    seen = f"{counted(len(matrix.rows), 'config')} at {counted(int(used.sum()), 'size')}"
    decisions = [f"{seen}, {len(alive)} of them best or tied somewhere"]
    if objective == "regret":
        decisions.append("held to what is lost at the worst size: minimax regret")
    for count in range(2, min(portfolio, len(alive)) + 1):
        wider = _search(losses, alive, count, chosen)
        gain = math.exp(loss_of(logs, share, chosen, objective) - loss_of(logs, share, wider, objective)) - 1.0
        more = losses.layouts_of(wider) - losses.layouts_of(chosen)
        if not gain >= max(MIN_GAIN, matrix.noise) + LAYOUT_GAIN * max(more, 0):
            price = ", and read constants in one more layout" if more > 0 else ""
            decisions.append(
                f"{count} variants would gain only {gain:.2%} over {len(chosen)}{price}, so {len(chosen)} it is"
            )
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


@dataclass(frozen=True)
class _Losses:
    """What sets of rows lose by the objective, as logarithms, the price of their layouts included."""

    logs: Grid
    share: Grid
    objective: str
    layouts: NDArray[np.int64]  # equal where rows read constants in equal layouts

    def layouts_of(self, rows: Sequence[int]) -> int:
        return len(set(self.layouts[list(rows)].tolist()))

    def of(self, rows: Sequence[int]) -> float:
        return loss_of(self.logs, self.share, rows, self.objective) + self._price(self.layouts_of(rows))

    def of_each(self, head: Sequence[int], rest: Sequence[int]) -> tuple[Grid, Grid]:
        """For each of `rest` together with `head` the loss, and the loss at the worst size."""
        least: Grid = self.logs[list(rest)]
        if head:
            least = np.minimum(least, self.logs[list(head)].min(axis=0))
        own: Grid = np.array([self.layouts_of([*head, row]) for row in rest], np.float64)
        worst = least.max(axis=1)
        lost = least @ self.share if self.objective == "geomean" else worst
        return np.round(lost + self._price(own), 12), np.round(worst, 12)

    def _price(self, layouts: T) -> T:
        return math.log1p(LAYOUT_GAIN) * (layouts - 1)


def _undominated(logs: Grid, layouts: Sequence[str]) -> list[int]:
    """Rows that no other row of their layout equals or beats at every size (of equal rows, the first)."""
    alive = []
    for i, row in enumerate(logs):
        same = np.array([name == layouts[i] for name in layouts])
        no_worse = (logs <= row).all(axis=1) & same
        better = (logs < row).any(axis=1)
        beaten = no_worse & (better | (np.arange(len(logs)) < i))
        if not beaten.any() and np.isfinite(row).any():
            alive.append(i)
    return alive


def loss_of(logs: Grid, share: Grid, rows: Sequence[int], objective: str) -> float:
    """What rows together lose by the objective, as a logarithm."""
    least = logs[list(rows)].min(axis=0)
    return float(least @ share) if objective == "geomean" else float(least.max())


def _search(losses: _Losses, alive: Sequence[int], count: int, seed: tuple[int, ...] = ()) -> tuple[int, ...]:
    """The best `count` rows: by trying every set where there are few, else by extending `seed` and swapping."""
    tie = TIE if losses.objective == "geomean" else 0.0
    if math.comb(len(alive), count) <= EXACT_SETS:
        found: list[tuple[float, float, tuple[int, ...]]] = []  # loss, worst loss, rows: of each head the best
        for places in itertools.combinations(range(len(alive)), count - 1):
            head, rest = [alive[i] for i in places], list(alive[places[-1] + 1 if places else 0 :])
            if not rest:
                continue
            scores, worst = losses.of_each(head, rest)
            within = np.flatnonzero(scores <= scores.min() + tie) if tie else np.arange(len(rest))
            place = int(within[np.lexsort((within, scores[within], worst[within]))[0]])
            for i in {place, int(np.argmin(scores))}:
                found.append((float(scores[i]), float(worst[i]), (*head, rest[i])))
        limit = min(score for score, _, _ in found) + tie
        tied = [f for f in found if f[0] <= limit or not math.isfinite(limit)]
        return tuple(sorted(min(tied, key=lambda f: (f[1], f[0], f[2]))[2]))
    current = list(seed)
    while len(current) < count:
        fresh = [r for r in alive if r not in current]
        current.append(min(fresh, key=lambda r: (losses.of([*current, r]), r)))
    for _ in range(4):
        before = list(current)
        for place in range(count):
            others = current[:place] + current[place + 1 :]
            for row in alive:
                trial = [*others, row]
                score, best_score = losses.of(trial), losses.of(current)
                if row not in others and (score < best_score - 1e-12 or not math.isfinite(best_score)):
                    current = [*others[:place], row, *others[place:]]
        if current == before:
            break
    return tuple(sorted(current))
