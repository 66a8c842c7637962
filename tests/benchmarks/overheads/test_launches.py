"""The benchmark of launches: what it promises, and one small run of it on a GPU that does nothing."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from benchmarks.measure.harness import Row
from benchmarks.overheads import launches


def _row(way: str, microseconds: float) -> Row:
    return Row({"model": "bert", "launches": 100}, f"{way}, the stretch", microseconds * 1e-6, 0.0, 0.0, 7)


def test_a_stretch_is_held_to_its_time_and_a_kernel_to_its_share() -> None:
    rows = [_row(launches.CAPTURED, 12.0), _row(launches.LAUNCHED, 90.0)]
    stretch, kernel = launches.claims(rows)
    assert (stretch.value, stretch.ok) == (pytest.approx(12.0), True)
    assert (kernel.value, kernel.ok) == (pytest.approx(0.9), True)
    assert not any(c.ok for c in launches.claims([_row(launches.CAPTURED, 15.1), _row(launches.LAUNCHED, 101.0)]))


@pytest.mark.slow
def test_a_run_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "benchmarks.measure.program.confine", lambda threads, settings: None
    )  # it starts the process over
    monkeypatch.setattr("benchmarks.measure.harness.time.perf_counter", time.thread_time)  # whoever else is at work
    for name in ("HIDDEN", "HEADS", "INNER"):
        monkeypatch.setattr(launches.bert, name, getattr(launches.bert, name))  # put back what it makes smaller
    out = tmp_path / "launches.json"
    assert launches.main(["--quick", "--json", str(out)]) == 0
    found = json.loads(out.read_text())
    seconds = {row["system"]: row["seconds"] for row in found["rows"]}
    assert {row["case"]["launches"] for row in found["rows"]} == {14}
    whole = [seconds[f"{way}, a run"] for way in (launches.INTERPRETED, launches.LAUNCHED, launches.CAPTURED)]
    assert whole[0] > 2 * max(whole[1:])
    assert len(seconds) == 5
