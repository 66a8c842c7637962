"""Memory that this process may still take: the machine's, or what its control group leaves where that is less."""

from __future__ import annotations

from pathlib import Path

# What a control group counts as used, and gives back as soon as somebody wants memory: copies of files, above all.
_GIVEN_BACK = ("active_file", "inactive_file", "slab_reclaimable")


def available_memory(root: Path = Path("/")) -> int | None:
    """Bytes this process may still take: the machine's, or its control group's if that is less; None if unknown."""
    found: list[int] = []
    try:
        for line in (root / "proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                found.append(int(line.split()[1]) << 10)
    except (OSError, ValueError, IndexError):
        pass
    group = root / "sys/fs/cgroup"
    try:
        limit = (group / "memory.max").read_text().strip()
        if limit != "max":
            stat = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
            cached = sum(int(stat.get(name, 0)) for name in _GIVEN_BACK)
            found.append(max(int(limit) - max(int((group / "memory.current").read_text()) - cached, 0), 0))
    except (OSError, ValueError):
        pass
    return min(found) if found else None
