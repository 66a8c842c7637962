"""Huge pages for packed constants: large ones lie on them as far as the system grants them.

A weight that no cache keeps is read from end to end at every call. On pages of 4 KiB every 64 cache lines of it take
another translation, and which places of a cache they compete for is chance; huge pages cost neither. A large constant
begins on one, and what is left behind its last whole one lies on small pages: none is taken for a part of it. Those of
one program lie beside each other in an arena, where only the last one has such a rest.
"""

from __future__ import annotations

import contextlib
import mmap
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.core.errors import ResourceError
from anytile.dispatch.cpu.fast_call import ALIGNMENT, address_of, aligned_bytes

Room = Callable[[int], NDArray[Any]]  # zeroed bytes for a constant
_SMALL = 1 << 18  # bytes of a constant that has nothing to gain
_BLOCK = 64 << 20  # of addresses that an arena takes at once; pages of it that are not needed take no memory
HUGE_PAGE = 2 << 20  # as on every x86-64 and most 64-bit ARM; where they are larger, or there are none, nothing changes


def constant_bytes(count: int) -> NDArray[Any]:
    """Zeroed bytes on a cache line's boundary; those of a large constant on a huge page's."""
    return aligned_bytes(count) if count < HUGE_PAGE else _mapped(count, count // HUGE_PAGE * HUGE_PAGE)


class Arena:
    """Room for the constants of one program, which may be packed by several threads. It lives as long as they do."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free = np.zeros(0, dtype=np.uint8)

    def __call__(self, count: int) -> NDArray[Any]:
        """Zeroed bytes on a cache line's boundary."""
        if count < _SMALL:
            return aligned_bytes(count)
        taken = -(-count // ALIGNMENT) * ALIGNMENT
        with self._lock:
            if taken > len(self._free):
                size = -(-max(taken, _BLOCK) // HUGE_PAGE) * HUGE_PAGE
                self._free = _mapped(size, size)
            found, self._free = self._free[:count], self._free[taken:]
        return found


def _mapped(count: int, huge: int) -> NDArray[Any]:
    """Bytes from a huge page's boundary on, of which the first `huge` are to lie on such pages."""
    try:
        mapped = mmap.mmap(-1, count + HUGE_PAGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        reason = error.strerror or error
        raise ResourceError(f"{count} bytes for a packed constant: {reason}; free memory or split the work") from None
    block = np.frombuffer(mapped, dtype=np.uint8)
    start = -address_of(block) % HUGE_PAGE
    with contextlib.suppress(OSError):  # a system without huge pages
        mapped.madvise(mmap.MADV_HUGEPAGE, start, huge)
    return block[start : start + count]
