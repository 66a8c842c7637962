"""Identity of a process of a machine, told apart from a later one that got the same number.

A process that was killed still has its lease of a campaign. Taking its work over is right if it is gone, and would
measure everything twice if it is not.
"""

from __future__ import annotations

import functools
import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def this_process() -> dict[str, Any]:
    return {"machine": _machine(), "process": os.getpid(), "since": _since(os.getpid())}


def worker_name() -> str:
    """What people are told of this process."""
    return f"{platform.node() or 'a machine'}/{os.getpid()}"


def is_alive(process: Mapping[str, Any]) -> bool | None:
    """Whether a process of this machine still runs; None of one that cannot be asked: another machine's, or another
    user's that is hidden here."""
    number = process.get("process")
    if process.get("machine") != _machine() or not isinstance(number, int):
        return None
    since = _since(number)
    if since is None and _is_hidden(number):
        return None
    return since is not None and since == process.get("since")


@functools.cache
def _machine() -> str:
    """Told apart by more than a name, which containers share: one start of a system, and the processes seen there."""
    try:
        return f"{Path('/proc/sys/kernel/random/boot_id').read_text().strip()} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return platform.node()


def _is_hidden(process: int) -> bool:
    """Whether it is there and another user's: a system may be set up to show each user their own alone."""
    try:
        os.kill(process, 0)
    except PermissionError:
        return not Path(f"/proc/{process}").exists()
    except (OSError, OverflowError):
        return False
    return False


def _since(process: int) -> str | None:
    """When a process began, in ticks since the machine did; None if there is no such process, or only its remains."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else fields[19]
