"""Fixtures of the campaign tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from anytile.db.store import Store
from anytile.tuner.protocol.candidate import TimingPolicy
from tests.support.quick_commits import quick_commits as quick_commits
from tests.support.stand_ins import synthetic_campaign

BRIEF = TimingPolicy(repeats=2, min_repeat_ms=0.2, warmup_ms=0.1)


@pytest.fixture(scope="module")
def landscape() -> Iterator[None]:
    """The template whose times are known, beside those that there are."""
    with synthetic_campaign.registered(synthetic_campaign.Landscape()):
        yield


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(str(tmp_path / "tuning.db")) as opened:
        yield opened


@pytest.fixture
def no_challengers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Campaigns without challengers, which have tests of their own and take their time."""
    monkeypatch.setattr("anytile.tuner.settle.challengers.ROUNDS", 0)


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Campaigns that go through every phase and measure for real, but at few and small sizes, and not for long."""
    for module in ("tasks.search_task", "campaign", "search_phase", "settle.plan_phases"):
        monkeypatch.setattr(f"anytile.tuner.{module}.SCAN", BRIEF)
    monkeypatch.setattr("anytile.tuner.settle.plan_phases.PROFILE", BRIEF)
    monkeypatch.setattr("anytile.tuner.settle.plan_phases.TimingPolicy", lambda: BRIEF)  # of duels
    monkeypatch.setattr("anytile.tuner.settle.plan_phases.BETWEEN", (3, 11))
    monkeypatch.setattr("anytile.tuner.settle.plan_phases.BEYOND", (96,))
    monkeypatch.setattr("anytile.tuner.settle.profile_sizes.DENSE_TO", 8)
    monkeypatch.setattr("anytile.tuner.settle.profile_sizes.STEPPED_TO", 32)
    monkeypatch.setattr("anytile.tuner.settle.profile_sizes.LARGE", (96,))
