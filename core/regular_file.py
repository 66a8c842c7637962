"""Opening regular files: what is read as a whole is a file on a disk, and no pipe that never ends or never begins.

A pipe without a writer would keep whoever opens it waiting, and a device has no end. Names come from people and from
files that others wrote.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


def open_regular(path: str | Path) -> BinaryIO:
    """A file, to be read. What is none is an OSError, as is what cannot be opened."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except ValueError:
        raise OSError(errno.EINVAL, "a name with a null in it names no file") from None
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            found = _KINDS.get(stat.S_IFMT(mode), "something else")
            raise OSError(errno.EINVAL, f"expected a regular file, got {found}; copy it to a file first")
        return open(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_regular(path: str | Path) -> bytes:
    """All that is in a file."""
    with open_regular(path) as file:
        return file.read()
