"""The cost model and the failure model: what they learn, what they do with little, and that they repeat themselves."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from numpy.typing import NDArray

from anytile.tuner.search.model import FEWEST, ROUNDS, CostModel, FailureModel, Quality

Array = NDArray[np.float64]


def problem(n: int, seed: int = 0, noise: float = 0.02) -> tuple[Array, list[float]]:
    """Five columns, of which three matter, two of them together; times over two decades."""
    rng = np.random.default_rng(seed)
    rows = rng.uniform(size=(n, 5))
    log_time = 2.0 * rows[:, 0] - 1.5 * rows[:, 1] * rows[:, 2] + noise * rng.normal(size=n)
    return rows, [float(t) for t in 1e-4 * np.exp(log_time)]


def in_order(scores: Array, seconds: list[float]) -> float:
    """The share of pairs in the right order."""
    truth = np.array(seconds)
    faster = truth[:, None] < truth[None, :]
    return float((scores[:, None] > scores[None, :])[faster].mean())


def test_higher_scores_are_faster() -> None:
    rows, seconds = problem(150)
    fresh, fresh_seconds = problem(200, seed=1)
    assert in_order(CostModel(rows, seconds).predict(fresh), fresh_seconds) > 0.85


def test_the_same_data_and_seed_give_the_same_scores() -> None:
    rows, seconds = problem(60)
    one, two = (CostModel(rows, seconds, seed=5).predict(rows) for _ in range(2))
    assert np.array_equal(one, two)
    assert not np.array_equal(one, CostModel(rows, seconds, seed=6).predict(rows))


def test_the_steps_of_a_forest_are_several_trees_each() -> None:
    rows, seconds = problem(150)
    fresh, fresh_seconds = problem(200, seed=1)
    model = CostModel(rows, seconds, members=2, forest=3)
    for member in model.members:
        trees = json.loads(member.to_json())["learner"]["gradient_booster"]["model"]["trees"]
        assert len(trees) == 3 * ROUNDS
        assert trees[0] != {**trees[1], "id": 0}
    assert in_order(model.predict(fresh), fresh_seconds) > 0.85


def test_only_the_order_within_a_group_matters() -> None:
    """A machine ten times slower, measured on one corner of the space, must not make that corner look slow."""
    rows, seconds = problem(120)
    groups = ["slow machine" if r[3] > 0.5 else "fast machine" for r in rows]
    scaled = [10 * s if g == "slow machine" else s for s, g in zip(seconds, groups, strict=True)]
    fresh, fresh_seconds = problem(200, seed=1)
    assert in_order(CostModel(rows, scaled, groups).predict(fresh), fresh_seconds) > 0.8
    assert in_order(CostModel(rows, scaled).predict(fresh), fresh_seconds) < 0.75


def test_groups_may_be_mixed_up_and_of_one() -> None:
    rows, seconds = problem(40)
    groups = [("a", "b", "c")[i % 3] for i in range(39)] + ["alone"]
    order = np.argsort(groups, kind="stable")
    sorted_model = CostModel(rows[order], [seconds[i] for i in order], [groups[i] for i in order])
    assert np.allclose(CostModel(rows, seconds, groups).predict(rows), sorted_model.predict(rows))


def test_a_timeout_is_slower_than_everything() -> None:
    rows, seconds = problem(100)
    timed_out = [math.inf if r[0] > 0.7 else s for r, s in zip(rows, seconds, strict=True)]
    scores = CostModel(rows, timed_out).predict(rows)
    assert np.all(np.isfinite(scores))
    assert scores[rows[:, 0] > 0.75].max() < np.median(scores[rows[:, 0] < 0.65])


def test_what_does_not_apply_may_be_missing() -> None:
    rows, seconds = problem(60)
    rows[::3, 4] = math.nan
    assert np.all(np.isfinite(CostModel(rows, seconds).predict(rows)))


def test_equal_times_give_a_flat_model() -> None:
    rows, _ = problem(30)
    assert np.ptp(CostModel(rows, [1e-4] * 30).predict(rows)) == pytest.approx(0, abs=1e-3)


def test_boldness_favours_what_the_members_disagree_on() -> None:
    rows, seconds = problem(40)
    fresh, _ = problem(50, seed=2)
    model = CostModel(rows, seconds)
    assert np.all(model.predict(fresh, 1.0) >= model.predict(fresh))
    assert np.any(model.predict(fresh, 1.0) > model.predict(fresh))


def test_few_observations() -> None:
    rows, seconds = problem(3)
    assert len(CostModel(rows, seconds).predict(rows)) == 3
    assert len(CostModel(rows, seconds).predict(np.zeros((0, 5)))) == 0
    with pytest.raises(ValueError, match="at least 2"):
        CostModel(rows[:1], seconds[:1])


@pytest.mark.slow
def test_quality_is_high_where_there_is_an_order_and_low_where_there_is_none() -> None:
    rows, seconds = problem(120)
    good = CostModel(rows, seconds).quality()
    assert good.trained_on == 120
    assert good.rank_correlation is not None
    assert good.rank_correlation > 0.8
    shuffled = [seconds[i] for i in np.random.default_rng(3).permutation(120)]
    noise = CostModel(rows, shuffled).quality()
    assert noise.rank_correlation is not None
    assert abs(noise.rank_correlation) < 0.35


def test_quality_says_when_it_cannot_tell() -> None:
    rows, seconds = problem(FEWEST - 1)
    assert CostModel(rows, seconds).quality() == Quality(FEWEST - 1)
    rows, seconds = problem(20)
    assert CostModel(rows, seconds, [str(i) for i in range(20)]).quality() == Quality(20)


def test_failures_are_foretold() -> None:
    rows, _ = problem(120)
    fresh, _ = problem(100, seed=1)
    model = FailureModel(rows, [bool(r[0] + r[1] > 1.3) for r in rows])
    assert model.trained
    foretold = model.probability(fresh) > 0.5
    assert float((foretold == (fresh[:, 0] + fresh[:, 1] > 1.3)).mean()) > 0.85


@pytest.mark.parametrize("failures", [0, 1, 30])
def test_one_kind_of_outcome_teaches_only_how_frequent_it_is(failures: int) -> None:
    rows, _ = problem(30)
    model = FailureModel(rows, [i < failures for i in range(30)])
    assert not model.trained
    assert set(model.probability(rows)) == {failures / 30}


def test_nothing_observed_is_nothing_feared() -> None:
    assert list(FailureModel(np.zeros((0, 5)), []).probability(np.zeros((2, 5)))) == [0.0, 0.0]
