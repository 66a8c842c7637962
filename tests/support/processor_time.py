"""Processor time and memory of a few lines, for tests that bound them.

Of this thread alone, since threads of a runtime that spin for a while belong to whoever woke them; and with the
collection of garbage put off, which looks through all that hundreds of other tests left and takes a second where it
strikes.
"""

from __future__ import annotations

import gc
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager


class Took:
    seconds = float("nan")


@contextmanager
def cpu_time() -> Iterator[Took]:
    """`seconds` of what is given are those of the body, once it has ended."""
    took, collecting = Took(), gc.isenabled()
    gc.disable()
    begin = time.thread_time()
    try:
        yield took
    finally:
        took.seconds = time.thread_time() - begin
        if collecting:
            gc.enable()


@contextmanager
def more_memory(nbytes: int) -> Iterator[None]:
    """So much more address space and no more, so that what would take all of it is an error."""
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + nbytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
