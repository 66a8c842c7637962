"""Atomic file writing: a reader finds what was there before, or all of what is new.

What stood at the path stays what it was: a link leads where it led, a device or a pipe takes the bytes as they come, a
file keeps its mode, and a new one gets what the umask leaves. Until it is whole nobody else can know its name.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from anytile.core.errors import ResourceError


def write_atomically(path: Path, parts: Iterable[bytes | memoryview], what: str) -> None:
    """Write a file aside, and move it into place when it is whole."""
    try:
        with written_whole(path) as file:
            for part in parts:
                file.write(part)
    except OSError as error:
        why = error.strerror or error
        raise ResourceError(f"{path}: the {what} cannot be saved: {why}; make room, or give another path") from None


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """A file to write into, which is at the path when the block ends well; what goes wrong is an `OSError`."""
    place = Path(os.path.realpath(path))
    try:
        mode = place.lstat().st_mode
    except FileNotFoundError:
        mode = None
    if mode is not None and not stat.S_ISREG(mode):
        with place.open("wb") as file:
            yield file
        return
    aside = place.with_name(f".{place.name}.{secrets.token_hex(8)}")
    allowed = 0o666 if mode is None else mode & 0o777
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with open(aside, "wb", opener=lambda name, _: os.open(name, flags, allowed)) as file:
            yield file
            file.flush()
            if mode is not None:
                os.fchmod(file.fileno(), allowed)
            os.fsync(file.fileno())
        os.replace(aside, place)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
