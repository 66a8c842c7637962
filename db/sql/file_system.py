"""Network file system detection: whether a database's file lies where locks do not hold, as the mount table says.

SQLite keeps writers apart by locks, and lets them share memory beside the file. Between two machines neither works, and
what two of them write at once may damage the file. It is said once for each file, and nothing is refused: one machine
alone may well work there.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

from anytile.core.command_hint import command_line
from anytile.core.printable import say

MOUNTS = Path("/proc/self/mountinfo")
# By the kernel's names. Those of FUSE have their own after a dot.
NETWORKED = frozenset((
    "9p", "acfs", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "davfs2", "gfs", "gfs2", "glusterfs", "gpfs",
    "juicefs", "lustre", "mfs", "moosefs", "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "panfs", "pvfs2", "rclone",
    "s3fs", "smb3", "smbfs", "sshfs", "virtiofs",
))  # fmt: skip
_OCTAL = re.compile(r"\\([0-7]{3})")
_looked_at: set[Path] = set()


def mount_table() -> str:
    """This process' mounts; nothing where there is no such table."""
    try:
        return MOUNTS.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""


def network_file_system(path: Path, mounts: str) -> str:
    """The type of network file system that a file lies on, and what is mounted there; nothing for a local one."""
    best, found = -1, ""
    for line in mounts.splitlines():
        fields, mark, rest = line.partition(" - ")
        kind, _, source = rest.partition(" ")
        parts = fields.split(" ")
        if not mark or len(parts) < 5:
            continue
        point = Path(_plain(parts[4]))
        depth = len(point.parts)
        if depth >= best and path.is_relative_to(point):  # of two at one place the later one lies on top
            best = depth
            named = kind.removeprefix("fuse.")
            found = f"{named}, {_plain(source.partition(' ')[0])}" if named in NETWORKED else ""
    return found


def _plain(field: str) -> str:
    """Spaces and the like are spelt as octal numbers there."""
    return _OCTAL.sub(lambda match: chr(int(match[1], 8)), field)


def warn_of_network(
    path: Path,
    mounts: Callable[[], str] = mount_table,
    tell: Callable[[str], None] = lambda line: say(line, file=sys.stderr, flush=True),
) -> None:
    """Say once in a process that a file lies on a network file system, and how to get away from there."""
    if path in _looked_at:
        return
    _looked_at.add(path)
    found = network_file_system(path.resolve(), mounts())
    if found:
        moved = command_line("db", "merge", str(path), "--db", "postgresql://USER@HOST/NAME")
        tell(
            f"database {path}: lies on a network file system ({found}), where locks of several machines do not hold and"
            f" their writes may damage it; for a team move it to a PostgreSQL server: `{moved}`"
        )
