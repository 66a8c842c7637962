"""Verification cache: programs that this installation found to be sound on this machine are not verified again.

All that the verifier looks at follows from two parts of a file: its header, and its code. The local code cache keeps a
note of the SHA-256 of both and of the sources that verified them; who can write there can run code as it is. What was
hashed must be what was decoded: both parts are copies, since a mapped file may change at any time. Everything else
in the file is still held against its fingerprint, each time.
"""

from __future__ import annotations

import hashlib
import sys
from dataclasses import replace

from anytile.codegen.cache import CodeCache, key_of
from anytile.core.version import __version__
from anytile.vm.program.executable import Executable, Sound
from anytile.vm.program.verify import verified
from anytile.vm.runtime.installation import ROOMS, installation


def verified_once(exe: Executable, header: bytes, code: bytes, cache: CodeCache) -> Executable:
    """The executable that was read out of a header and code, refused where it is not sound."""
    key = key_of("sound program", *(hashlib.sha256(part).hexdigest() for part in (header, code)), _verifier())
    if cache.noted(key):
        return replace(exe, sound=Sound.of(exe))
    found = verified(exe)
    cache.note(key)
    return found


def _verifier() -> str:
    """What decides on a program: this installation, and Python, whose parser reads expressions of sizes. Where it lies
    and its version count, too: some installers give all files one time, and an edit may leave a file as long."""
    return f"{sys.version} {__version__} {ROOMS} {installation()}"
