"""Process isolation: what a child does to itself before it touches anything foreign.

Afterwards it cannot write to the terminal, dump core, fill a disk, answer Ctrl-C or outlive its parent: the parent
alone decides, and when the parent is gone, however it went, the child is gone too.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import resource
import select
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from anytile.core.errors import MeasureError

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_MAX_FILE_BYTES = 16 << 20
_FIRST_OWN_FD = 16


@dataclass(frozen=True, slots=True)
class Link:
    """The child's two ends of the pipes to its parent."""

    inward: int
    outward: int


def enter(parent: int | None, may_map_files: bool = False) -> Link:
    """Cut this process off. `parent` is the process to die with; None leaves that to the closing of the pipe.

    A driver maps large files of its own: `may_map_files` lets it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    libc = ctypes.CDLL(None, use_errno=True)
    # Not dumpable: a core limit alone does not stop a core_pattern that is a pipe.
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    bound(resource.RLIMIT_CORE, 0)
    if not may_map_files:
        bound(resource.RLIMIT_FSIZE, _MAX_FILE_BYTES)
    if parent is not None:
        follow(parent)
    link = _take_pipes()
    # The death signal is tied to the *thread* that started us and may not be set; a closed pipe always tells.
    threading.Thread(target=_die_with, args=(link.inward,), daemon=True, name="lifeline").start()
    return link


def follow(parent: int) -> None:
    """Be killed when the thread of the parent ends that started this process, however it ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def bound(limit: int, most: int) -> None:
    """From here on this process has `most` of a resource, or what the user set where that is less."""
    lower = [given for given in resource.getrlimit(limit) if given != resource.RLIM_INFINITY]
    least = min([most, *lower])
    resource.setrlimit(limit, (least, least))


def _take_pipes() -> Link:
    """Move the pipes off 0 and 1, where foreign code would find them, and put the null device there."""
    import fcntl

    link = Link(*(fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _FIRST_OWN_FD) for fd in (0, 1)))
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1):
        os.dup2(null, fd)
    os.close(null)
    return link


def _die_with(fd: int) -> None:
    poll = select.poll()
    poll.register(fd, 0)  # nothing but hang-up and error
    poll.poll()
    os._exit(0)


def pin(cores: int) -> tuple[int, ...]:
    """Stay on the last `cores` cores we may use: the first ones see more of the machine's interrupts."""
    there = sorted(os.sched_getaffinity(0))
    if cores > len(there):
        raise MeasureError(f"timing {cores} threads takes as many cores, and this process may use {len(there)}")
    chosen = tuple(there[-cores:])
    os.sched_setaffinity(0, chosen)
    return chosen


@contextlib.contextmanager
def memory_ceiling(extra: int) -> Iterator[None]:
    """While inside, this process may map at most `extra` bytes more than it has now."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * mmap.PAGESIZE
    before, hard = resource.getrlimit(resource.RLIMIT_AS)
    lower = [bound for bound in (before, hard) if bound != resource.RLIM_INFINITY]  # never above what the user set
    resource.setrlimit(resource.RLIMIT_AS, (min([used + extra, *lower]), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (before, hard))
