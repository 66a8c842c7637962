"""Broken pipes, lost output and Ctrl-C: when whoever reads our output has left (`| head`), the command line ends
quietly, as other tools do; output that cannot be written is an error in a line; Ctrl-C is a word.

Other tools die by SIGPIPE, which Python ignores, and by SIGINT; the exit codes that a shell reports for these are given
all the same.
"""

from __future__ import annotations

import os
import sys

from anytile.core.printable import say

READER_LEFT = 141  # 128 and the number of SIGPIPE
INTERRUPTED = 130  # 128 and the number of SIGINT


def interrupted() -> int:
    """What a command says that Ctrl-C ended, and its exit code."""
    say("interrupted", file=sys.stderr)
    return INTERRUPTED


def reader_left() -> int:
    """Nothing more is said, now or at the interpreter's exit; the exit code."""
    output_lost()
    return READER_LEFT


def output_lost(trial: str = "") -> bool:
    """Whether what was said, or this in addition, cannot be written, as on a full disk; nothing more is then, at the
    interpreter's exit neither."""
    lost = False
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is sys.stdout:
                stream.write(trial)
            stream.flush()
        except OSError:
            lost = True
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)
    return lost


def open_streams() -> None:
    """Standard streams that the caller closed lead nowhere: a file that is opened must not become one of them."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # which takes the lowest number that is free
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115  # for as long as the process lives
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
