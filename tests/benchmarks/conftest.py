"""What a benchmark sets for the rest of its process ends with each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks.rivals import dense_rivals


@pytest.fixture(autouse=True)
def modes_end() -> Iterator[None]:
    yield
    dense_rivals.MODES.close()
