"""Commits that wait for no disk: what a test stores need not outlive the machine, and half of a campaign was waiting.

A fixture for the `conftest.py` of rooms whose tests commit by the thousand. Processes that tests start, and kill,
commit as ever.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def quick_commits() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("anytile.db.sql.engine.SYNCHRONOUS", "OFF")
        yield
