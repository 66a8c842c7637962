"""Server of a database's pages for tests: `anytile db serve` as a process, on a free port, ended afterwards."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

_PATIENCE_S = 30


@dataclass(frozen=True)
class Serving:
    """Where it is, and what it said when it began."""

    url: str
    said: str
    process: subprocess.Popen[str]


@contextmanager
def serving(database: str, *options: str, env: Mapping[str, str] | None = None) -> Iterator[Serving]:
    command = [sys.executable, "-P", "-m", "anytile", "db", "serve", "--db", database, "--port", "0", *options]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **(env or {})}
    )
    assert process.stdout is not None
    try:
        said = process.stdout.readline()  # which comes, or the process ends
        found = re.match(r"(http://\S+?/)", said)
        if found is None:
            _, complaint = process.communicate(timeout=_PATIENCE_S)
            raise AssertionError(f"it does not serve: {said}{complaint}")
        yield Serving(found[1], said, process)
    finally:
        process.terminate()
        process.wait(_PATIENCE_S)
        process.stdout.close()
        if process.stderr is not None:
            process.stderr.close()
