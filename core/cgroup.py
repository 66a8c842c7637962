"""How much of a machine's time a control group leaves to this process, in cores; read from the kernel's files.

A container with `--cpus=2` sees every core of its machine and may run two cores' worth of time on them. The limit is
of the process's own group and of every group around it, and the smallest holds. Version 2 keeps it in `cpu.max`,
version 1 in `cpu.cfs_quota_us` and `cpu.cfs_period_us`. What cannot be read is no limit.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path, PurePosixPath


@functools.lru_cache(maxsize=16)
def quota(root: Path = Path("/")) -> float | None:
    """Cores' worth of time that may be used; None without a limit. A process reads it once: each kernel asks."""
    return min(filter(None, (_share(folder) for folder in _groups(root))), default=None)


def _groups(root: Path) -> Iterator[Path]:
    """The folders of the groups that this process is in, whichever version they are of."""
    mounted = root / "sys/fs/cgroup"
    yield mounted  # in a container often its own group, whatever path the kernel names
    yield mounted / "cpu"
    for line in _read(root / "proc/self/cgroup").splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number != "0" and "cpu" not in controllers.split(","):
            continue
        own = PurePosixPath(path.lstrip("/"))
        for group in (own, *own.parents) if ".." not in own.parts else ():
            yield mounted / controllers / group
            yield mounted / "cpu" / group


def _share(group: Path) -> float | None:
    words = _read(group / "cpu.max").split()
    if not words:
        words = [_read(group / "cpu.cfs_quota_us"), _read(group / "cpu.cfs_period_us")]
    if len(words) != 2 or not all(w.isdecimal() and int(w) for w in words):
        return None  # `max` and -1 are none, too
    return int(words[0]) / int(words[1])


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except (OSError, UnicodeError):
        return ""
