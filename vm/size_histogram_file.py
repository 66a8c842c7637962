"""Files of the sizes that runs met: what is in one is added to, by any number of sessions and processes, never lost.

A file is read and replaced as a whole, under a lock on its folder; what is no histogram is left as it is and refused.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from anytile.core.atomic_write import write_atomically
from anytile.core.errors import SpecError
from anytile.core.regular_file import read_regular
from anytile.vm.profile import ShapeHistogram


def read_shapes(path: str | Path) -> ShapeHistogram:
    """What a file says; a SpecError where it is missing or something else."""
    try:
        text = read_regular(path).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError(f"{path}: the recorded shapes cannot be read: {_reason(error)}") from None
    try:
        return ShapeHistogram.from_json(text)
    except SpecError as error:
        raise SpecError(f"{path}: {error}") from None


def known_shapes(path: str | Path) -> ShapeHistogram:
    """The same, and nothing where no file is yet: what adding to it begins with."""
    return read_shapes(path) if os.path.lexists(path) else ShapeHistogram({})


def add_shapes(path: str | Path, met: ShapeHistogram) -> None:
    """Add counts to those of a file, which is made if need be."""
    path = Path(path)
    with _locked(path.parent):
        text = (known_shapes(path) + met).to_json() + "\n"
        write_atomically(path, [text.encode()], "recording of shapes")


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Alone with a folder's recordings; the system ends this with the process."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise SpecError(f"{folder}: shapes cannot be recorded there: {_reason(error)}") from None
    try:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
