"""The cost model: which of these configs is faster, learnt from measured ones with XGBoost; and which will fail.

Only the order matters to a search, and only within one group of comparable times. So no member of the ensemble sees
seconds: half of them learn from pairs (`rank:pairwise`), half regress on the logarithm of the place within the group,
which stretches the top where the search works. Measured on synthetic landscapes (6 to 10 seeds, regret after 64
trials): regression on log-seconds found less, since the slow tail dominates its loss; pairs and places alone were about
even but erred differently; a Gaussian process over the knobs gained nothing beside them. How much the members disagree
serves as uncertainty.

Everything is deterministic: seeded, single-threaded (so that it does not disturb a measurement either). XGBoost is
imported when a model is trained and not before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anytile.core.errors import SpecError

Array = NDArray[np.float64]

FEWEST = 16  # observations below which a model is not worth asking
ROUNDS = 48
FOLDS = 4  # of the cross-validation
LEVELS = 31  # the most relevance that XGBoost's ranking takes
TOP = 0.02  # the smaller, the more the regression cares about the fastest few
_TREES: Mapping[str, Any] = {
    "tree_method": "hist",
    "max_depth": 5,
    "eta": 0.2,
    "subsample": 0.8,
    "colsample_bytree": 0.8,
    "nthread": 1,
    "verbosity": 0,
}
_FOREST: Mapping[str, Any] = {"subsample": 0.7, "colsample_bynode": 0.8}  # so that its trees differ
_PAIRS: Mapping[str, Any] = {
    "objective": "rank:pairwise",
    "min_child_weight": 0.1,
    "lambdarank_pair_method": "mean",
    "lambdarank_num_pair_per_sample": 8,
}
_PLACES: Mapping[str, Any] = {"objective": "reg:squarederror", "min_child_weight": 1.0}
_FAILS: Mapping[str, Any] = {"objective": "binary:logistic", "max_depth": 4, "eta": 0.3, "min_child_weight": 0.2}


@dataclass(frozen=True, slots=True)
class Quality:
    """How well the order of configs that the model had not seen was foretold."""

    trained_on: int
    rank_correlation: float | None = None  # Spearman: 1 is perfect, 0 is guessing; None where there were too few


@dataclass(frozen=True)
class Member:
    """One booster of the ensemble, its scores made comparable with the others'."""

    booster: Any
    centre: float
    scale: float

    @classmethod
    def of_json(cls, model: bytes, centre: float, scale: float) -> Member:
        """From XGBoost's own JSON, which must have been looked through: XGBoost trusts it."""
        import xgboost

        booster = xgboost.Booster({"nthread": 1, "verbosity": 0})
        try:
            booster.load_model(bytearray(model))
        except xgboost.core.XGBoostError as error:
            raise SpecError(f"XGBoost refuses it: {str(error).splitlines()[0]}") from None
        return cls(booster, centre, scale)

    def to_json(self) -> bytes:
        return bytes(self.booster.save_raw("json"))

    def predict(self, rows: Array) -> Array:
        raw = np.asarray(self.booster.inplace_predict(rows), dtype=np.float64)
        return (raw - self.centre) / self.scale


class CostModel:
    """Scores configs by their feature rows: higher is faster. Rows may hold nan where a feature does not apply."""

    def __init__(
        self,
        rows: ArrayLike,
        seconds: Sequence[float],
        groups: Sequence[str] = (),
        seed: int = 0,
        members: int = 4,
        forest: int = 1,
    ) -> None:
        """`seconds[i]` is comparable within `groups[i]` only; inf is slower than everything. Each step of a member's
        boosting is the mean of a `forest` of trees, which steadies it as more members would, and is asked as one."""
        self._rows = _matrix(rows)
        self._groups = np.array(groups or [""] * len(seconds))
        self._places = _places(np.array(seconds, dtype=np.float64), self._groups)
        self._seed = seed
        self._forest: Mapping[str, Any] = {} if forest == 1 else {**_FOREST, "num_parallel_tree": forest}
        if len(seconds) < 2:
            raise ValueError(f"a cost model of {len(seconds)} observations; expected at least 2")
        self.members = self._train(np.arange(len(seconds)), members)

    @classmethod
    def of(cls, members: Sequence[Member]) -> CostModel:
        """One that was trained elsewhere: it predicts, and has nothing to be judged by."""
        model = cls.__new__(cls)
        model.members = tuple(members)
        return model

    def predict(self, rows: ArrayLike, boldness: float = 0.0) -> Array:
        """The members' mean, plus `boldness` times their disagreement."""
        matrix = _matrix(rows)
        if not len(matrix):
            return np.zeros(0)
        votes = np.array([m.predict(matrix) for m in self.members])
        mean: Array = votes.mean(axis=0)
        return mean + boldness * votes.std(axis=0) if boldness else mean

    def quality(self) -> Quality:
        """By cross-validation: each observation is scored by a model that was trained without it."""
        n = len(self._places)
        if n < FEWEST:
            return Quality(n)
        order = np.random.default_rng(self._seed).permutation(n)
        scores = np.zeros(n)
        for fold in range(FOLDS):
            out = order[fold::FOLDS]
            members = self._train(np.setdiff1d(order, out), 2)
            scores[out] = np.mean([m.predict(self._rows[out]) for m in members], axis=0)
        return _judge(scores, self._places, self._groups)

    def _train(self, which: NDArray[np.int64], members: int) -> tuple[Member, ...]:
        # XGBoost wants each group in one piece.
        which = which[np.argsort(self._groups[which], kind="stable")]
        rows, places = self._rows[which], self._places[which]
        _, sizes = np.unique(self._groups[which], return_counts=True)
        trained = []
        for i in range(members):
            seed = self._seed * 64 + i
            if i % 2 == 0:
                labels = np.floor((1.0 - places) * LEVELS)
                booster = _boost({**_TREES, **self._forest, **_PAIRS, "seed": seed}, rows, labels, ROUNDS, sizes)
            else:
                goal = -np.log(places + TOP)
                booster = _boost({**_TREES, **self._forest, **_PLACES, "seed": seed}, rows, goal, ROUNDS)
            raw = np.asarray(booster.inplace_predict(rows), dtype=np.float64)
            trained.append(Member(booster, float(raw.mean()), float(raw.std()) or 1.0))
        return tuple(trained)


class FailureModel:
    """How likely a config fails. With too little to learn from, every config gets the share that failed so far."""

    FEWEST_OF_A_KIND = 3

    def __init__(self, rows: ArrayLike, failed: Sequence[bool], seed: int = 0) -> None:
        fails, n = sum(failed), len(failed)
        self.base_rate = fails / n if n else 0.0
        self._booster: Any = None
        if min(fails, n - fails) >= self.FEWEST_OF_A_KIND:
            labels = np.array(failed, dtype=np.float64)
            self._booster = _boost({**_TREES, **_FAILS, "seed": seed}, _matrix(rows), labels, 40)

    @property
    def trained(self) -> bool:
        return self._booster is not None

    def probability(self, rows: ArrayLike) -> Array:
        matrix = _matrix(rows)
        if self._booster is None or not len(matrix):
            return np.full(len(matrix), self.base_rate)
        return np.asarray(self._booster.inplace_predict(matrix), dtype=np.float64)


def _matrix(rows: ArrayLike) -> Array:
    matrix = np.asarray(rows, dtype=np.float64)
    return matrix if matrix.ndim == 2 else matrix.reshape(len(matrix), -1)


def _boost(
    params: Mapping[str, Any], rows: Array, labels: Array, rounds: int, sizes: NDArray[np.int64] | None = None
) -> Any:
    import xgboost

    data = xgboost.DMatrix(rows, label=labels, nthread=1)
    if sizes is not None:
        data.set_group(sizes)
    # As `xgboost.train` does it without callbacks and evaluations, which cost a sixth of so small a training.
    booster = xgboost.Booster(dict(params), [data])
    for i in range(rounds):
        booster.update(data, i)
    return booster


def _places(seconds: Array, groups: NDArray[Any]) -> Array:
    """Where each stands in its group: near 0 the fastest, near 1 the slowest; equal times in equal places."""
    places = np.zeros(len(seconds))
    for group in np.unique(groups):
        here = np.flatnonzero(groups == group)
        ordered = np.sort(seconds[here])
        before = np.searchsorted(ordered, seconds[here], side="left")
        until = np.searchsorted(ordered, seconds[here], side="right")
        places[here] = (before + until) / (2 * len(here))
    return places


def _judge(scores: Array, places: Array, groups: NDArray[Any]) -> Quality:
    """Within groups, weighted by their sizes; groups that are too small to judge are left out."""
    figures: list[tuple[float, int]] = []
    for group in np.unique(groups):
        here = np.flatnonzero(groups == group)
        if len(here) < 4 or np.ptp(places[here]) == 0:
            continue
        guess = -scores[here]
        correlation = float(np.corrcoef(_places(guess, groups[here]), places[here])[0, 1]) if np.ptp(guess) else 0.0
        figures.append((correlation, len(here)))
    if not figures:
        return Quality(len(places))
    values, sizes = zip(*figures, strict=True)
    return Quality(len(places), float(np.average(values, weights=sizes)))
