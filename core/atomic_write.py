"""Writing a file as a whole: a reader finds what was there before, or all of what is new."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from anytile.core.errors import ResourceError


def write_atomically(path: Path, parts: Iterable[bytes | memoryview], what: str) -> None:
    """Write a file aside, and move it into place when it is whole."""
    name = None
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            name = file.name
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except OSError as error:
        if name is not None:
            Path(name).unlink(missing_ok=True)
        why = error.strerror or error
        raise ResourceError(f"{path}: the {what} cannot be saved: {why}; make room, or give another path") from None
