"""Expected improvement of a search's next batch: how much faster than everything measured its picks may be.

The model knows orders, not seconds. So it is trained on one half of the history and asked about the other; how the
logarithm of the seconds goes with its scores there, and how far they scatter, makes its scores of untried configs
into expectations. The expected improvement by the best few of them is the promise, of which a part is believed: the
picks of a model are what it errs about most. Deterministic, like all of the search.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from anytile.tuner.search.evolve import WHOLE, cheap_rows
from anytile.tuner.search.model import FEWEST, CostModel
from anytile.tuner.search.state import SearchState

Array = NDArray[np.float64]
PICKS = 8  # of a batch: those that the model chooses
BELIEVED = 1 / 16  # of the expectation: about what came true on the tables in benchmarks/data (10 searches)
_LEAST_SCATTER = 1e-3


def promise(state: SearchState) -> float | None:
    """The expected log(fastest so far / fastest then); None while there is too little to learn from."""
    known = [o for o in state.history if o.ok and o.config in state.space]
    if len(known) < 2 * FEWEST:
        return None
    rows = cheap_rows(state)
    at = np.array([state.space.index(o.config) for o in known])
    seconds = np.array([o.seconds for o in known])
    pool = _untried(state)
    if not len(pool):
        return 0.0
    held, expected = np.zeros(len(known)), np.zeros(len(pool))
    halves = np.arange(len(known)) % 2 == 0
    for half in (halves, ~halves):
        model = CostModel(rows[at[half]], seconds[half].tolist(), (), state.seed, members=2)
        held[~half] = model.predict(rows[at[~half]])
        expected += model.predict(rows[pool]) / 2
    mean, scatter = _calibrated(held, np.log(seconds), expected)
    return BELIEVED * _improvement(math.log(seconds.min()) - mean, scatter)


def _untried(state: SearchState) -> NDArray[np.int64]:
    seen = {state.space.index(o.config) for o in state.history if o.config in state.space}
    size = len(state.space)
    rng = state.rng("promise")
    pool = range(size) if size <= WHOLE else sorted(rng.sample(range(size), WHOLE))
    return np.array([i for i in pool if i not in seen], dtype=np.int64)


def _calibrated(scores: Array, logs: Array, asked: Array) -> tuple[Array, float]:
    """Expected logarithms of the seconds, and how far they scatter: a line through the better half of the scores."""
    better = scores >= np.median(scores)
    x, y = scores[better], logs[better]
    spread = float(np.var(x))
    # A higher score is never slower.
    slope = min(0.0, float(np.mean((x - x.mean()) * (y - y.mean()))) / spread) if spread > 0 else 0.0
    middle = y.mean() - slope * x.mean()
    scatter = float(np.std(y - (middle + slope * x)))
    return middle + slope * asked, max(scatter, _LEAST_SCATTER)


def _improvement(ahead: Array, scatter: float) -> float:
    """E[max(0, ahead_i + N(0, scatter))] of the best of the few most promising, taken as independent."""
    best = np.sort(ahead)[-PICKS:]
    grid = np.linspace(0.0, max(0.0, float(best[-1])) + 4 * scatter, 65)
    none_beats = np.ones(len(grid))
    for a in best:
        none_beats *= [1.0 - 0.5 * math.erfc((x - a) / scatter / math.sqrt(2)) for x in grid]
    return float(np.trapezoid(1.0 - none_beats, grid))
