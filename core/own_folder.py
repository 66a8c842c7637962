"""The user's own cache folders: what lies in them is believed, so nobody else may have made or may change it.

A folder of somebody else, a link, or one that others may write is an `OSError`. A file is written aside and moved into
place, so a reader never sees half of one.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

OTHERS = stat.S_IWGRP | stat.S_IWOTH


def cache_folder(name: str) -> Path:
    """Where a cache of ours lies; nobody made it yet, maybe."""
    try:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:  # a user without a home, as in a container: nothing can be made there, and the cache is empty
        base = os.devnull
    return Path(base) / "anytile" / name


@contextlib.contextmanager
def own_folder(path: Path | str, inside: int | None = None) -> Iterator[int]:
    """A descriptor of a folder that is this user's and that nobody else may write; another one, or a link, is an
    `OSError`. What it says holds of everything that is opened in it, whatever becomes of the path."""
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=inside)
    try:
        found = os.fstat(folder)
        if found.st_uid != os.geteuid():
            raise PermissionError(errno.EPERM, f"it belongs to user {found.st_uid}")
        if found.st_mode & OTHERS:
            raise PermissionError(errno.EPERM, "others may write to it")
        yield folder
    finally:
        os.close(folder)


def read_inside(name: str, folder: int) -> bytes:
    """A plain file's bytes: no pipe keeps us waiting, no link leads elsewhere."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with open(name, "rb", opener=lambda path, _: os.open(path, flags, dir_fd=folder)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise PermissionError(errno.EPERM, "it is no file")
        return file.read()


def write_inside(name: str, folder: int, data: bytes) -> None:
    """A file as a whole, for this user alone."""
    aside = f".{secrets.token_hex(8)}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with open(aside, "wb", opener=lambda path, _: os.open(path, flags, 0o600, dir_fd=folder)) as file:
            file.write(data)
        os.replace(aside, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(aside, dir_fd=folder)
        raise
