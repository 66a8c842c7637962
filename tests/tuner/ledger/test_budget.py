"""The budget: seconds split over workloads and phases, by a clock that the test holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.tuner.ledger.budget import CONCRETE_SHARES, SHARES, Budget, default_seconds, parts


def test_the_default_budget_fits_three_workloads_into_three_minutes() -> None:
    assert default_seconds(1) == 60
    assert default_seconds(3) == default_seconds(9) == 174


@pytest.mark.parametrize("shares", [SHARES, CONCRETE_SHARES])
def test_shares_are_whole(shares: dict[str, float]) -> None:
    assert sum(shares.values()) == pytest.approx(1.0)


def test_what_one_phase_leaves_the_next_ones_have() -> None:
    now = 0.0
    budget = Budget(100.0, clock=lambda: now)
    share = budget.share()
    first = share.phase("search", SHARES)
    assert first.left == pytest.approx(98.5 * SHARES["search"])
    assert first.extended().left == pytest.approx(98.5 * (SHARES["search"] + 0.5 * (1 - SHARES["search"])))
    now = 10.0  # it ended early
    rest = 1 - SHARES["search"]
    assert share.phase("cross", SHARES).left == pytest.approx(88.5 * SHARES["cross"] / rest)
    now = 98.0  # and cross ran over
    assert share.phase("profile", SHARES).left == pytest.approx(
        0.5 * SHARES["profile"] / (SHARES["profile"] + SHARES["confirm"])
    )
    last = share.phase("confirm", SHARES)
    assert last.left == pytest.approx(0.5)
    assert not last.passed()
    now = 99.0
    assert last.passed()
    assert budget.left == pytest.approx(1.0)


def test_workloads_share_what_is_left() -> None:
    now = 0.0
    budget = Budget(180.0, spent_before=30.0, clock=lambda: now)
    assert budget.left == 150.0
    first = budget.share(1 / 3)
    assert first.until == pytest.approx(30.0 + 148.5 / 3)
    now = 20.0  # it took only this
    assert budget.share(1 / 2).until == pytest.approx(50.0 + 128.5 / 2)


def test_what_takes_longer_in_the_model_has_more_time_for_its_plan() -> None:
    assert parts([3.0, 1.0]) == pytest.approx([0.25 + 0.375, 0.25 + 0.125])
    assert parts([5.0]) == [1.0]
    assert parts([0.0, 0.0]) == [0.5, 0.5]
    assert min(parts([0.0, 1e9, 0.0])) >= 1 / 6


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=9))
def test_the_parts_are_the_whole(values: list[float]) -> None:
    assert sum(parts(values)) == pytest.approx(1.0)


def test_without_a_time_limit_nothing_ever_passes() -> None:
    deadline = Budget(None, clock=lambda: 1e9).share(1 / 2).phase("search", SHARES)
    assert deadline.left is None
    assert not deadline.passed()
