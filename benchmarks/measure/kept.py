"""Journal of a benchmark that runs in pieces: what it found is a line of JSON each, read back by the next run.

Lines say what they were found by, and are of no use to a run by something else; nor is the line that a run was writing
when it was killed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Kept:
    """The lines of a file, that there may not be yet; without a file nothing is kept."""

    def __init__(self, path: Path | None, by: str) -> None:
        self._path, self._by = path, by

    def __iter__(self) -> Iterator[list[Any]]:
        """What is there of the same maker."""
        if self._path is None or not self._path.exists():
            return
        for line in self._path.read_text(encoding="utf-8").splitlines():
            try:
                by, *found = json.loads(line)
            except (ValueError, TypeError):
                continue
            if by == self._by:
                yield found

    def add(self, *found: Any) -> None:
        """One line more, in the file when this returns."""
        if self._path is None:
            return
        with self._path.open("a+b") as file:
            if file.tell():
                file.seek(-1, 2)
                file.write(b"" if file.read(1) == b"\n" else b"\n")
            file.write(f"{json.dumps([self._by, *found])}\n".encode())
