"""What a measuring or building process is cut off from, and how it stays within what the user set."""

from __future__ import annotations

import subprocess
import sys


def test_a_bound_stays_under_the_users_own() -> None:
    """Under `ulimit -v` or `ulimit -f`, as batch systems set them, no builder started."""
    code = """
import resource
from anytile.tuner.protocol.isolate import bound
AS, FSIZE = resource.RLIMIT_AS, resource.RLIMIT_FSIZE
bound(FSIZE, 16 << 20)
assert resource.getrlimit(FSIZE) == (16 << 20, 16 << 20)
bound(FSIZE, 32 << 20)
assert resource.getrlimit(FSIZE) == (16 << 20, 16 << 20)
resource.setrlimit(AS, (16 << 30, 32 << 30))
bound(AS, 1 << 40)
assert resource.getrlimit(AS) == (16 << 30, 16 << 30)
bound(AS, 8 << 30)
assert resource.getrlimit(AS) == (8 << 30, 8 << 30)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
