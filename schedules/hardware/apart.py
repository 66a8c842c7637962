"""Queries to LLVM in a process of their own: on a CPU that it does not know, it may abort or only grumble on stderr."""

from __future__ import annotations

import os
import subprocess
import sys

from anytile.core.errors import SpecError
from anytile.core.installation.clone import with_rooms

HOST_SETTING = "ANYTILE_HOST"  # no business of a process that is asked about one CPU by name


def asked_apart(module: str, argument: str, asker: str) -> str:
    """What `module`, run with `argument`, prints; `asker` begins the line that says that LLVM refuses it."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", module, argument],  # -P: nothing out of the working directory
        capture_output=True,
        text=True,
        check=False,
        env=with_rooms({name: value for name, value in os.environ.items() if name != HOST_SETTING}),
    )
    complaints = [line for line in done.stderr.splitlines() if "not a recognized" in line or "ERROR: " in line.upper()]
    if done.returncode or complaints:
        reason = (complaints or done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[0]
        raise SpecError(f"{asker}: LLVM refuses it: {reason.strip()}; check -mtriple, -mcpu and -mattr")
    return done.stdout
