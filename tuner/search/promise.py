"""What the cost model expects of a search's next trial: how much faster than everything measured its best pick may be.

The model knows orders, not seconds. So it is trained on one half of the history and asked about the other; how the
logarithm of the seconds goes with its scores there, and how far they scatter, makes its scores of untried configs
into expectations. The expected improvement of the best of them is the promise. Deterministic, like all of the search.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from anytile.tuner.search.evolve import WHOLE, cheap_rows
from anytile.tuner.search.model import FEWEST, CostModel
from anytile.tuner.search.state import SearchState

Array = NDArray[np.float64]
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
    return float(_improvement(math.log(seconds.min()) - mean, scatter).max())


def _untried(state: SearchState) -> NDArray[np.int64]:
    seen = {state.space.index(o.config) for o in state.history if o.config in state.space}
    size = len(state.space)
    rng = state.rng("promise")
    pool = range(size) if size <= WHOLE else sorted(rng.sample(range(size), WHOLE))
    return np.array([i for i in pool if i not in seen], dtype=np.int64)


def _calibrated(scores: Array, logs: Array, asked: Array) -> tuple[Array, float]:
    """Expected logarithms of the seconds, and how far they scatter: a line through the better half of the scores."""
    better = scores >= np.median(scores)
    spread = float(np.var(scores[better]))
    slope = 0.0
    if spread > 0:
        covariance = float(np.mean((scores[better] - scores[better].mean()) * (logs[better] - logs[better].mean())))
        slope = min(0.0, covariance / spread)  # a higher score is never slower
    middle = logs[better].mean() - slope * scores[better].mean()
    rest = logs[better] - (middle + slope * scores[better])
    # Of a heavy tail of slow ones the search sees nothing: the usual deviation counts.
    scatter = 1.4826 * float(np.median(np.abs(rest - np.median(rest))))
    # Beyond the best score that was held out the line is no more than a wish.
    return middle + slope * np.minimum(asked, scores.max()), max(scatter, _LEAST_SCATTER)


def _improvement(ahead: Array, scatter: float) -> Array:
    """E[max(0, ahead + N(0, scatter))]."""
    z = ahead / scatter
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    below = np.array([0.5 * math.erfc(-x / math.sqrt(2)) for x in z])
    found: Array = scatter * (z * below + density)
    return np.maximum(found, 0.0)
