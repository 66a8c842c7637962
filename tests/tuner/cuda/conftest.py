"""The simulated device's surroundings: where it looks for what goes wrong, and what it has compiled already."""

from __future__ import annotations

from pathlib import Path

import pytest

SUPPORT = Path(__file__).resolve().parents[2] / "support"


@pytest.fixture(scope="session")
def compiled_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("compiled")


@pytest.fixture
def folder(tmp_path: Path, compiled_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What is put here goes wrong, see `simulated_worker`."""
    monkeypatch.setenv("SIMULATED", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(SUPPORT))
    monkeypatch.setenv("ANYTILE_CUDA_CPU", str(compiled_folder))
    return tmp_path
