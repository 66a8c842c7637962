"""A short campaign on a real GPU, as a machine that lends it runs one: from a clone, with trials in a journal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.cuda
def test_a_layer_is_tuned_in_a_few_trials(tmp_path: Path) -> None:
    journal = tmp_path / "trials.jsonl"
    words = ["tune", "--target", "cuda", "--runner", "inline", "--shape", "m=?,n=64,k=64", "--dtype", "bfloat16"]
    words += ["--search", "random", "--trials", "8", "--top-k", "2", "--time", "25s", "--db", str(journal), "--quiet"]
    done = subprocess.run(
        [sys.executable, "-m", "anytile", *words], cwd=ROOT, env={**os.environ, "PYTHONPATH": ""},
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
    found = [word for line in lines for word in _statuses(line)]
    assert found.count("ok") > len(found) / 2, found


def _statuses(part: object) -> list[str]:
    """Those of trials, wherever in a line of a journal they stand."""
    if isinstance(part, list):
        return [word for one in part for word in _statuses(one)]
    if not isinstance(part, dict):
        return []
    own = [part["status"]] if isinstance(part.get("status"), str) else []
    return own + [word for value in part.values() for word in _statuses(value)]
