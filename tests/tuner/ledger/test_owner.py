"""Who works on a campaign, and how it is asked to stop."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from anytile.tuner.ledger.interrupts import Stop, stopping
from anytile.tuner.ledger.owner import still_working, this_process


def test_an_owner_is_known_while_it_lives_and_not_by_its_number_alone() -> None:
    assert still_working(this_process()) is None  # we may take up our own
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    fields = Path(f"/proc/{other.pid}/stat").read_text().rpartition(")")[2].split()
    owner = {**this_process(), "process": other.pid, "since": fields[19]}
    assert still_working(owner) == other.pid
    assert still_working({**owner, "since": "1"}) is None  # its number was given to another process
    assert still_working({**owner, "machine": "elsewhere"}) is None
    other.kill()
    other.wait()
    assert still_working(owner) is None
    assert still_working({}) is None


def test_the_first_signal_asks_and_the_second_insists() -> None:
    stop, before = Stop(), signal.getsignal(signal.SIGTERM)
    with stopping(stop):
        os.kill(os.getpid(), signal.SIGTERM)
        assert stop.reason == "asked to stop"
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGTERM) is before
