"""The simulated device's surroundings: where it looks for what goes wrong."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What is put here goes wrong, see `simulated_worker`."""
    monkeypatch.setenv("SIMULATED", str(tmp_path))
    path = [*filter(None, [os.environ.get("PYTHONPATH")]), str(ROOT)]  # the child imports `tests.support`
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path))
    return tmp_path
