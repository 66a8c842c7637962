"""Every benchmark as a program of its own, which finds what it imports without the paths that tests have."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_program_finds_its_modules(tmp_path: Path) -> None:
    programs = [p for p in sorted((ROOT / "benchmarks").glob("*/*.py")) if "\nif __name__" in p.read_text()]
    names = [f"benchmarks.{p.parent.name}.{p.stem}" for p in programs]
    assert len(names) > 20
    run = f"import importlib\nfor name in {names}:\n    importlib.import_module(name)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", run], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
