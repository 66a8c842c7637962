"""Where the next batch goes: on curves whose ends are known, against equal shares; and what must hold on any."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.tuner.tasks.task_scheduler import FEW, LEAST, PATIENCE, TaskState, curve_of, gain, next_task

BATCH = 16
Curve = Callable[[int], float]  # the seconds of a search's n-th trial


@dataclass
class Race:
    """Searches of which every trial is known. `group`, `weight` and `trial` of each."""

    searches: Sequence[tuple[int, float, Curve]]
    seconds: list[list[float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.seconds = [[] for _ in self.searches]

    def states(self, most: int = 10_000) -> list[TaskState]:
        return [
            TaskState(group, weight, curve_of(done), max(0, most - len(done)))
            for (group, weight, _), done in zip(self.searches, self.seconds, strict=True)
        ]

    def run(self, turn: int, count: int) -> None:
        trial = self.searches[turn][2]
        self.seconds[turn] += [trial(len(self.seconds[turn]) + i) for i in range(count)]

    def total(self) -> float:
        """Seconds of the whole model with the best found of each group."""
        best: dict[int, tuple[float, float]] = {}
        for (group, weight, _), done in zip(self.searches, self.seconds, strict=True):
            best[group] = (weight, min(best.get(group, (0.0, math.inf))[1], min(done, default=math.inf)))
        return sum(weight * seconds for weight, seconds in best.values())

    def counts(self) -> list[int]:
        return [len(done) for done in self.seconds]


def falling(best: float, spread: float, seed: int) -> Curve:
    """Independent draws of a search that slowly learns: `best` is never beaten."""
    rng = random.Random(seed)
    draws = [best * (1 + spread * rng.random() / (1 + n / 24)) for n in range(4000)]
    return lambda n: draws[n]


def scheduled(race: Race, trials: int) -> float:
    while sum(race.counts()) < trials:
        turn = next_task(race.states())
        assert turn is not None
        known = len(race.seconds[turn])
        race.run(turn, FEW - known if known < FEW else BATCH)
    return race.total()


def equal(race: Race, trials: int) -> float:
    for turn in range(len(race.searches)):
        race.run(turn, trials // len(race.searches))
    return race.total()


MODELS = {
    # One workload takes nearly all of the model's time: what BERT's scores are to its projections.
    "one that matters": [(0, 48.0, 6e-4, 0.8), (1, 1.0, 1e-5, 0.8), (2, 1.0, 2e-5, 0.8), (3, 2.0, 1e-5, 0.8)],
    # All alike, but for one in which there is nothing to find.
    "one that is flat": [(0, 1.0, 1e-3, 0.002), (1, 1.0, 1e-3, 0.9), (2, 1.0, 1e-3, 0.9)],
    "twenty": [(i, 1.0 + i % 3, 1e-5 * 2 ** (i % 7), 0.1 * (1 + i % 5)) for i in range(20)],
}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "floor_ratio"), list(zip(MODELS, (0.5, 0.9, 0.8), strict=True)))
def test_the_model_is_faster_than_after_equal_shares(name: str, floor_ratio: float) -> None:
    """With as many trials, and over many seeds: less is left of what is above the model's best.

    Of three alike, one of them flat, somebody who knew it beforehand would come to 0.7.
    """
    above = {"scheduled": 0.0, "equal": 0.0}
    for seed in range(60):
        made = [(g, w, falling(best, spread, 100 * seed + g)) for g, w, best, spread in MODELS[name]]
        floor = sum(weight * best for _, weight, best, _ in MODELS[name])
        above["scheduled"] += scheduled(Race(made), 64 * len(made)) - floor
        above["equal"] += equal(Race(made), 64 * len(made)) - floor
    assert above["scheduled"] < floor_ratio * above["equal"], above


def test_the_template_that_is_behind_gets_a_few_trials_and_then_hardly_any() -> None:
    race = Race([(0, 1.0, falling(1e-3, 0.5, 1)), (0, 1.0, falling(2e-3, 0.5, 2)), (0, 1.0, falling(1.02e-3, 0.5, 3))])
    scheduled(race, 320)
    leader, behind, close = race.counts()
    assert FEW <= behind <= FEW + BATCH
    assert close >= 2 * BATCH
    assert leader >= 2 * BATCH


def test_a_late_bloomer_gets_its_turn() -> None:
    """The second template starts behind and improves quickly; the first has nothing left to find."""
    race = Race([(0, 1.0, lambda n: 1e-3), (0, 1.0, lambda n: 1.5e-3 * math.exp(-n / 40))])
    scheduled(race, 320)
    assert race.counts()[1] > race.counts()[0]


def test_everybody_gets_a_minimum_first() -> None:
    race = Race([(i, 10.0 ** (3 * i), falling(1e-4, 0.5, i)) for i in range(5)])
    scheduled(race, 5 * LEAST + 5 * FEW)
    assert min(race.counts()) >= LEAST


def test_where_nothing_works_others_go_on_after_a_while() -> None:
    race = Race([(0, 100.0, lambda n: math.inf), (1, 1.0, falling(1e-4, 0.5, 1))])
    scheduled(race, PATIENCE + BATCH + 320)
    broken, sound = race.counts()
    assert PATIENCE <= broken < PATIENCE + BATCH
    assert sound >= 320


def test_what_the_model_promises_decides_between_equals() -> None:
    curve = curve_of([1e-3] * 64)
    flat = TaskState(0, 1.0, curve, 100, promised=0.0)
    assert next_task([flat, TaskState(1, 1.0, curve, 100, promised=0.05)]) == 1
    assert next_task([TaskState(0, 1.0, curve, 100, promised=0.05), flat]) == 0


def test_of_equals_the_one_whose_trials_cost_less_goes_on() -> None:
    curve = curve_of([1e-3] * 64)
    cheap, dear = (TaskState(0, 1.0, curve, 100, cost=c) for c in (0.02, 0.2))
    assert next_task([replace(dear, group=1), cheap]) == 1
    assert next_task([cheap, replace(dear, group=1)]) == 0
    assert next_task([replace(dear, group=1, weight=20.0), cheap]) == 0  # unless it is worth its time


@pytest.mark.slow
def test_counting_seconds_buys_more_than_counting_trials() -> None:
    """Of four alike, trials of one take ten times as long: the same time gains more where it is not the first to go."""

    def left(costs: Sequence[float], told: Sequence[float], seconds: float, seed: int) -> float:
        race = Race([(i, 1.0, falling(1e-3, 0.8, 10 * seed + i)) for i in range(len(costs))])
        spent = 0.0
        while spent < seconds:
            turn = next_task([replace(s, cost=c) for s, c in zip(race.states(), told, strict=True)])
            assert turn is not None
            known = len(race.seconds[turn])
            count = FEW - known if known < FEW else BATCH
            race.run(turn, count)
            spent += count * costs[turn]
        return race.total() - len(costs) * 1e-3

    costs = (1.0, 0.1, 0.1, 0.1)
    counted = sum(left(costs, costs, 100.0, seed) for seed in range(60))
    blind = sum(left(costs, (1.0,) * 4, 100.0, seed) for seed in range(60))
    assert counted < 0.9 * blind, (counted, blind)


def test_none_is_left() -> None:
    assert next_task([]) is None
    assert next_task([TaskState(0, 1.0, (1.0,), 0)]) is None


@given(
    st.lists(
        st.tuples(
            st.integers(0, 3),
            st.floats(1e-3, 1e3),
            st.lists(st.floats(1e-7, 1.0) | st.just(math.inf), max_size=80),
            st.integers(0, 5),
            st.none() | st.floats(0, 1),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_whatever_the_curves_somebody_with_trials_left_is_next(
    tasks: list[tuple[int, float, list[float], int, float | None]],
) -> None:
    states = [TaskState(group, weight, curve_of(s), left, promised) for group, weight, s, left, promised in tasks]
    turn = next_task(states)
    assert (turn is None) == all(s.left == 0 for s in states)
    if turn is not None:
        assert states[turn].left > 0
    for state in states:
        assert 0 <= gain(state, state.best) < math.inf
        assert gain(state, state.best / 2) <= gain(state, state.best)
