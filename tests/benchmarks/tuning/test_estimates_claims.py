"""Which figures the floors of the model's configs are held against, from invented rows; and which trials it meets."""

from __future__ import annotations

import pytest

from anytile.tuner.estimate.training import grouped
from benchmarks.measure.harness import Row
from benchmarks.tuning import estimates
from tests.support.stand_ins.trial_shelf import layer, trials


def rows(workload: str, *ratios: float) -> list[Row]:
    made = []
    for at, ratio in enumerate(ratios):
        case = {"op": "dense", "workload": workload, "at": {"m": at}}
        made += [Row(case, estimates.CHOSEN, 1.0, 0.0, 0.0, 1), Row(case, estimates.BEST, ratio, 0.0, 0.0, 1)]
    return [*made, Row({"op": "dense", "workload": workload}, estimates.ANSWER, 0.004, 0.0, 0.0, 1)]


def test_a_workload_counts_once_however_many_sizes_it_has() -> None:
    mean, worst, answer = estimates.claims([*rows("one", 0.5, 0.98), *rows("two", 1.0), *rows("three", 1.0)])
    assert mean.value == pytest.approx(0.49 ** (1 / 6))
    assert worst.value == pytest.approx(0.7)
    assert not mean.ok
    assert not worst.ok
    assert answer.value == pytest.approx(4.0)
    assert answer.ok
    mean, worst, _ = estimates.claims([*rows("one", 0.8), *rows("two", 1.05)])
    assert mean.ok
    assert worst.ok


def test_nothing_measured_is_nothing_claimed() -> None:
    assert estimates.claims([]) == []
    assert estimates.claims([row for row in rows("one", 1.0) if row.system == estimates.ANSWER]) == []


def test_the_best_of_each_size_is_met_whichever_campaign_made_it() -> None:
    made = trials(layer(768), 768, 60)
    (point, best), *others = estimates.best_of(grouped(made)).items()
    assert not others
    assert dict(point) == dict(made[0].point)
    assert best.corrected == min(t.corrected for t in made)
