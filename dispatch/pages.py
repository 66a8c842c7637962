"""Memory for packed constants: large ones on huge pages, as far as the system grants them.

A weight that no cache keeps is read from end to end at every call. On pages of 4 KiB every 64 cache lines of it take
another translation, and which places of a cache they compete for is chance; huge pages cost neither. A large constant
begins on one, and what is left behind its last whole one lies on small pages: none is taken for a part of it.
"""

from __future__ import annotations

import contextlib
import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.dispatch.enter import address_of, aligned_bytes
from anytile.schedules.errors import ResourceError

HUGE_PAGE = 2 << 20  # as on every x86-64 and most 64-bit ARM; where they are larger, or there are none, nothing changes


def constant_bytes(count: int) -> NDArray[Any]:
    """Zeroed bytes on a cache line's boundary; those of a large constant on a huge page's."""
    if count < HUGE_PAGE:
        return aligned_bytes(count)
    try:
        mapped = mmap.mmap(-1, count + HUGE_PAGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        reason = error.strerror or error
        raise ResourceError(f"{count} bytes for a packed constant: {reason}; free memory or split the work") from None
    block = np.frombuffer(mapped, dtype=np.uint8)
    start = -address_of(block) % HUGE_PAGE
    with contextlib.suppress(OSError):  # a system without huge pages
        mapped.madvise(mmap.MADV_HUGEPAGE, start, count // HUGE_PAGE * HUGE_PAGE)
    return block[start : start + count]
