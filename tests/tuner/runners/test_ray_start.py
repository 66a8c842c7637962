"""Connecting to Ray while somebody presses Ctrl-C: Ray starts whole and is let go of, or the second press ends it."""

from __future__ import annotations

import os
import signal
import sys
from types import ModuleType

import pytest

from anytile.tuner.runners import ray_start


class StartedRay(ModuleType):
    """Ray as far as it is started; Ctrl-C is pressed so many times while it is."""

    def __init__(self, presses: int) -> None:
        super().__init__("ray")
        self.presses, self.said = presses, list[str]()

    def is_initialized(self) -> bool:
        return False

    def init(self, **_: object) -> None:
        for _ in range(self.presses):
            os.kill(os.getpid(), signal.SIGINT)
        self.said.append("whole")

    def shutdown(self) -> None:
        self.said.append("let go of")


@pytest.mark.parametrize(("presses", "said"), [(1, ["whole", "let go of"]), (2, ["let go of"])])
def test_ctrl_c_waits_until_ray_has_started(monkeypatch: pytest.MonkeyPatch, presses: int, said: list[str]) -> None:
    """A start that was torn off ended the process by a segmentation fault."""
    ray = StartedRay(presses)
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setattr(ray_start, "_stay_on_loopback", lambda: None)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            ray_start.connect(None)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert ray.said == said


def test_a_campaign_that_takes_note_of_ctrl_c_goes_on_doing_so(monkeypatch: pytest.MonkeyPatch) -> None:
    noted: list[int] = []
    ray = StartedRay(1)
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setattr(ray_start, "_stay_on_loopback", lambda: None)
    before = signal.signal(signal.SIGINT, lambda number, _: noted.append(number))
    try:
        assert ray_start.connect(None) == (ray, True)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (noted, ray.said) == ([signal.SIGINT], ["whole"])
