"""End of a process that is not this one's child, as the kernel tells it: whether it is gone, within a time."""

from __future__ import annotations

import time
from pathlib import Path


def gone(pid: int, within: float = 30.0) -> bool:
    """Whether a process ends within so many seconds; one that is dead is, though nobody has looked yet."""
    until = time.monotonic() + within
    while time.monotonic() < until:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False
