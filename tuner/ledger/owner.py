"""Ownership of a campaign, by a process of a machine, told apart from a later one that got the same number.

A campaign that was killed still says "running". Taking it up again is right if its owner is gone, and would measure
everything twice if it is not.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def this_process() -> dict[str, Any]:
    return {"machine": platform.node(), "process": os.getpid(), "since": _since(os.getpid())}


def still_working(owner: Mapping[str, Any]) -> int | None:
    """The number of the process, if it is another one of this machine and alive. Other machines cannot be asked."""
    process = owner.get("process")
    if owner.get("machine") != platform.node() or not isinstance(process, int) or process == os.getpid():
        return None
    since = _since(process)
    return process if since is not None and since == owner.get("since") else None


def _since(process: int) -> str | None:
    """When a process began, in ticks since the machine did; None if there is no such process, or only its remains."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else fields[19]
