"""The stopwatch of CPUs: what is done between two looks at the machine."""

from __future__ import annotations

from contextlib import ExitStack
from types import SimpleNamespace

import pytest

from anytile.tuner.measure.cpu import stopwatch
from anytile.tuner.measure.quiet_machine import Steady
from anytile.tuner.protocol.candidate import TimingPolicy
from anytile.tuner.protocol.machine_state import Part


@pytest.mark.parametrize("foreign", [True, False])
def test_a_librarys_threads_are_timed_while_ours_sleep(monkeypatch: pytest.MonkeyPatch, foreign: bool) -> None:
    """Ours have just been looked at, on every core, and spin; and after it the library's do."""
    done: list[str] = []

    def time_calls(*args: object) -> float:
        done.append("call")
        return 1.0

    def look() -> dict[Part, float]:
        done.append("look")
        return {Part.ARITHMETIC: 1e-4}

    monkeypatch.setattr(stopwatch, "time_calls", time_calls)
    monkeypatch.setattr(stopwatch.time, "sleep", lambda seconds: done.append("rest"))
    it = SimpleNamespace(
        foreign=foreign, loaded=SimpleNamespace(entry=0), dims=(), workspace=0, turns=lambda calls: [[0]]
    )
    steady = Steady(look, 1e-4, lambda: 0.0)
    with ExitStack() as stack:
        repeat = stopwatch.stopwatch(stack, it, TimingPolicy(), steady, look)  # type: ignore[arg-type]
        done.clear()
        repeat()
    assert done == (["look", "rest", "call", "rest", "look"] if foreign else ["look", "call", "look"])
