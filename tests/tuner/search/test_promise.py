"""What a model promises is more where there is more to find, and always the same for the same history."""

from __future__ import annotations

import random

import pytest

from anytile.schedules.templates.base.space import Config, ConfigSpace, Knob
from anytile.tuner.search.promise import promise
from anytile.tuner.search.state import Observation, SearchState

SPACE = ConfigSpace("toy", tuple(Knob(name, tuple(range(1, 9)), "") for name in ("a", "b", "c")))


def history(steep: float, count: int = 64, seed: int = 0) -> SearchState:
    """Seconds fall with every knob, by `steep` for each step, but for some noise; the fastest third is not tried."""
    rng = random.Random(seed)

    def seconds(config: Config) -> float:
        far = sum(8 - config.int(k) for k in "abc")
        return 1e-4 * (1 + steep * far) * (1 + 0.002 * rng.random())

    slow = [c for c in SPACE if sum(c.int(k) for k in "abc") < 15]
    return SearchState(SPACE, tuple(Observation(c, seconds(c)) for c in rng.sample(slow, count)))


@pytest.mark.slow
def test_more_is_promised_where_more_is_to_be_found() -> None:
    for seed in range(4):
        flat, steep = (promise(history(s, seed=seed)) for s in (0.002, 0.2))
        assert flat is not None
        assert steep is not None
        assert steep > 4 * flat > 0


def test_too_little_to_learn_from_promises_nothing() -> None:
    assert promise(SearchState(SPACE)) is None
    assert promise(history(0.1, 20)) is None


def test_where_all_was_tried_nothing_is_left() -> None:
    everything = tuple(Observation(c, 1e-4 * c.int("a")) for c in SPACE)
    assert promise(SearchState(SPACE, everything)) == 0.0


def test_the_same_history_promises_the_same() -> None:
    assert promise(history(0.1)) == promise(history(0.1))
