"""Fingerprint of the code that makes code, for the keys of what is kept of it (build provenance).

Versions do not change with every edit of an installation in place, so a key that stands for a text that was not written
down yet says which files would write it, how long they are and when they last changed: an edit makes other keys. Where
a file changed after this process began, nobody knows which of both it runs: its keys are nobody else's.
"""

from __future__ import annotations

import functools
import os
import secrets
import time

_BEGAN = time.time_ns()


def sources(*folders: str) -> str:
    """The Python files of some packages and the LLVM IR that is kept beside them, as this process first saw them."""
    return "\n\n".join(map(_files_of, folders))


@functools.cache
def _files_of(top: str) -> str:
    found = []
    for folder, inside, files in os.walk(top):
        inside[:] = sorted(name for name in inside if name != "__pycache__")
        for name in sorted(name for name in files if name.endswith((".py", ".ll"))):
            path = os.path.join(folder, name)
            stat = os.stat(path)
            found.append(f"{path[len(top) :]} {stat.st_size} {stat.st_mtime_ns}")
            if stat.st_mtime_ns >= _BEGAN:
                found.append(secrets.token_hex(16))
    return "\n".join(found)
