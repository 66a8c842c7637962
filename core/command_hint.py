"""How the command line is called where the user is: what it tells him to type next must work when he types it.

`ANYTILE_COMMAND` says so where `anytile` is not on PATH, as the scripts of a fresh clone set it; it is put into the
hints as it stands, so it comes quoted for a shell.
"""

from __future__ import annotations

import os
import shlex


def command_line(*words: str) -> str:
    """A command line that can be pasted into a shell."""
    return " ".join([os.environ.get("ANYTILE_COMMAND") or "anytile", *map(shlex.quote, words)])
