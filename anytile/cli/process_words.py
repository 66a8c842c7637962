"""Process title: passwords of a command line are overwritten where other users of the machine could read them.

`ps` shows what a process was started with, which the kernel reads from the process' own memory. Whoever gave a URL with
a password is seen with it until this has run; $ANYTILE_DB and the server's own password file are never seen.
"""

from __future__ import annotations

import ctypes
from pathlib import Path

from anytile.db.sql.url_words import SEPARATOR, hinted, is_path, masked

_ARGUMENTS = (47, 48)  # of the fields of /proc/PID/stat, counted from 0: where the arguments begin and end


def hide_passwords(process: Path = Path("/proc/self")) -> None:
    """Where the kernel tells where the arguments lie, and they lie there; elsewhere nothing is touched."""
    try:
        shown = (process / "cmdline").read_bytes()
        fields = (process / "stat").read_text().rpartition(")")[2].split()
    except (OSError, UnicodeDecodeError):
        return
    begin, end = (int(fields[at - 2]) for at in _ARGUMENTS)  # two stand before the bracket
    hidden = b"\0".join(map(_hidden, shown.split(b"\0")))
    if hidden == shown or not begin or len(shown) != end - begin:
        return
    if ctypes.string_at(begin, len(shown)) == shown:
        ctypes.memmove(begin, hidden, len(hidden))


def _hidden(word: bytes) -> bytes:
    """As long as it was: where it ends the kernel has noted."""
    option, mark, value = word.partition(b"=") if word.startswith(b"--") else (b"", b"", word)
    given = value.decode("utf-8", "surrogateescape")
    shown = given if is_path(given) else _shown(given)
    if shown == given:
        return word
    return (option + mark + shown.encode("utf-8", "surrogateescape"))[: len(word)].ljust(len(word))


def _shown(given: str) -> str:
    """A database or several; a password may have the separator in it, and what then looks like none is not shown."""
    parts = given.split(SEPARATOR)
    if any("@" in part and "://" not in part for part in parts):
        return masked(given)
    return SEPARATOR.join(part if is_path(part) else hinted(part) or masked(part) for part in parts)
