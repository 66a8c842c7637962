"""Who works on a campaign, and how it is asked to stop."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from anytile.tuner.ledger.interrupts import Stop, stopping
from anytile.tuner.ledger.owner import is_alive, this_process


def test_a_process_is_known_while_it_lives_and_not_by_its_number_alone() -> None:
    assert is_alive(this_process()) is True
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    fields = Path(f"/proc/{other.pid}/stat").read_text().rpartition(")")[2].split()
    process = {**this_process(), "process": other.pid, "since": fields[19]}
    assert is_alive(process) is True
    assert is_alive({**process, "since": "1"}) is False  # its number was given to another process
    assert is_alive({**process, "machine": "elsewhere"}) is None  # which cannot be asked
    other.kill()
    other.wait()
    assert is_alive(process) is False
    assert is_alive({}) is None


def test_another_user_s_process_that_is_hidden_cannot_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = {**this_process(), "process": 2**22 + 1}  # no system gives a number as high
    assert is_alive(gone) is False
    assert is_alive({**gone, "process": 2**70}) is False

    def forbidden(number: int, signal: int) -> None:
        raise PermissionError("Operation not permitted")

    monkeypatch.setattr(os, "kill", forbidden)
    assert is_alive(gone) is None


def test_the_first_signal_asks_and_the_second_insists() -> None:
    stop, before = Stop(), signal.getsignal(signal.SIGTERM)
    with stopping(stop):
        os.kill(os.getpid(), signal.SIGTERM)
        assert stop.reason == "asked to stop"
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGTERM) is before
