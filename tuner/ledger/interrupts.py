"""Signal handling, politely: the first signal asks the campaign to stop after the current trial, the second insists.

Handlers are set only inside `stopping()` and only on the main thread, and what stood there before is put back.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType


@dataclass
class Stop:
    """A flag that anyone may raise. Calling it says whether it is up."""

    reason: str = ""

    def ask(self, reason: str) -> None:
        self.reason = self.reason or reason

    def __call__(self) -> bool:
        return bool(self.reason)


@contextmanager
def stopping(stop: Stop) -> Iterator[None]:
    """SIGINT and SIGTERM raise the flag; a second signal raises KeyboardInterrupt at once."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Python delivers signals to the main thread only; here the caller's own handling stays
        return

    def handle(number: int, frame: FrameType | None) -> None:
        if stop():
            raise KeyboardInterrupt
        stop.ask("interrupted" if number == signal.SIGINT else "asked to stop")

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
