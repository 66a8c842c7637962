"""Fixtures of the campaign tests."""

from __future__ import annotations

import pytest


@pytest.fixture
def no_challengers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Campaigns without challengers, which have tests of their own and take their time."""
    monkeypatch.setattr("anytile.tuner.challenge.ROUNDS", 0)
