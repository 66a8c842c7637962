"""Reference memory pool in plain Python, on the same words: what compiled code is held against."""

from __future__ import annotations

import ctypes

from anytile.vm.program.isa import ALIGNMENT
from anytile.vm.runtime.pool_words import (
    ALLOCATIONS,
    CLASSES,
    HEADS,
    HELD,
    LIMIT,
    PEAK,
    STEP_BITS,
    SYSTEM_CALLS,
    UNIT_BITS,
    USED,
    VALUES,
    class_of,
)
from anytile.vm.values.memory import libc


def block_size(place: int) -> int:
    """The size of the blocks of a class."""
    shift = max((place >> STEP_BITS) - 1, 0)
    return (place - (shift << STEP_BITS)) << shift << UNIT_BITS


class PlainPool:
    """A pool of `limit` bytes."""

    def __init__(self, limit: int) -> None:
        self.words = (ctypes.c_int64 * (HEADS + CLASSES))(limit)
        self._libc = libc()
        self._libc.aligned_alloc.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
        self._libc.aligned_alloc.restype = ctypes.c_void_p

    def take(self, nbytes: int) -> int:
        """A block's address; 0 where the limit does not allow it."""
        words, (place, size) = self.words, class_of(nbytes)
        head = words[HEADS + place]
        if head:
            words[HEADS + place] = ctypes.c_int64.from_address(head).value
        else:
            limit = words[LIMIT] - words[VALUES]
            if words[HELD] + size > limit:
                self.trim()
            if words[USED] + size > limit:
                return 0
            head = int(self._libc.aligned_alloc(ALIGNMENT, size))
            words[HELD] += size
            words[SYSTEM_CALLS] += 1
        words[USED] += size
        words[PEAK] = max(words[PEAK], words[USED])
        words[ALLOCATIONS] += 1
        return head

    def put(self, address: int, nbytes: int) -> None:
        words, (place, size) = self.words, class_of(nbytes)
        ctypes.c_int64.from_address(address).value = words[HEADS + place]
        words[HEADS + place] = address
        words[USED] -= size

    def trim(self) -> None:
        """Give the system everything that is free."""
        words = self.words
        for place in range(CLASSES):
            while head := words[HEADS + place]:
                words[HEADS + place] = ctypes.c_int64.from_address(head).value
                words[HELD] -= block_size(place)
                self._libc.free(head)
