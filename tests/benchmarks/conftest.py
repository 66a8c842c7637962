"""What a benchmark sets for the rest of its process ends with each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import rivals


@pytest.fixture(autouse=True)
def modes_end() -> Iterator[None]:
    yield
    rivals.MODES.close()
