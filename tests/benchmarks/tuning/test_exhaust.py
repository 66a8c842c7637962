"""The table of a whole space: passes are settled by their median, and what noise hides is known."""

from __future__ import annotations

import itertools
import math
import random

import pytest

from anytile.db.records.records import Status
from anytile.schedules.templates.base.space import Config
from benchmarks.tuning.exhaust import PASSES, Measured, settle

NOISE = 0.004


def passes(count: int, seed: int = 0) -> list[Measured]:
    """As many configs, all of them equally fast."""
    rng = random.Random(seed)
    return [
        {Config.of(n=n): ((1e-4 * (1 + rng.gauss(0, NOISE)),), Status.OK, {"spills": 1.0}) for n in range(count)}
        for _ in range(PASSES)
    ]


def test_equal_configs_lie_as_far_apart_as_the_resolution_says() -> None:
    measured: Measured = {}
    resolution = settle(passes(300), measured)
    assert resolution is not None
    assert resolution == pytest.approx(math.sqrt(2) * 1.25 * NOISE / math.sqrt(PASSES), rel=0.15)
    times = [found[0][0] for found in measured.values()]
    within = sum(abs(a / b - 1) <= resolution for a, b in itertools.pairwise(times)) / len(times)
    assert 0.6 < within < 0.76  # one standard deviation
    assert all(found[1:] == (Status.OK, {"spills": 1.0}) for found in measured.values())


def test_one_lucky_pass_does_not_stand() -> None:
    seen, lucky = passes(20), Config.of(n=3)
    seen[2][lucky] = ((0.5e-4,), Status.OK, {})
    measured: Measured = {lucky: ((0.4e-4,), Status.OK, {})}
    settle(seen, measured)
    assert measured[lucky][0][0] == pytest.approx(1e-4, rel=5 * NOISE)


def test_what_fails_once_has_failed() -> None:
    seen, failing = passes(20), Config.of(n=3)
    seen[4][failing] = ((math.nan,), Status.WRONG, {})
    measured: Measured = {}
    settle(seen, measured)
    assert measured[failing][1] is Status.WRONG
    assert sum(found[1] is Status.OK for found in measured.values()) == 19


def test_nothing_measured_has_no_resolution() -> None:
    assert settle([{} for _ in range(PASSES)], {}) is None
