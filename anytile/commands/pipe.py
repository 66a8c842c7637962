"""Broken pipes: when whoever reads our output has left (`| head`), the command line ends quietly, as other tools do.

Other tools die by SIGPIPE, which Python ignores; the exit code that a shell reports for that is given all the same.
"""

from __future__ import annotations

import os
import sys

READER_LEFT = 141  # 128 and the number of SIGPIPE


def reader_left() -> int:
    """Nothing more is said, now or at the interpreter's exit; the exit code."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(nowhere, stream.fileno())
    return READER_LEFT
