"""Pools: memory in size classes, taken from the system once and used again, counted and limited.

A pool's state is an array of words (see `pool_words`) on which native code works (see `pool.h`). One thread at a time
allocates from a pool; any thread may drop a `Storage`, which is then only noted, and taken back when the pool is next
used. A pool lives as long as a storage of it does, so all its blocks are free when it goes, and go with it.
"""

from __future__ import annotations

import ctypes
import functools
import struct
import weakref
from collections.abc import Callable

from anytile.core.available_memory import available_memory
from anytile.core.errors import ResourceError
from anytile.vm.program.isa import MAX_BYTES
from anytile.vm.runtime.functions import runtime
from anytile.vm.runtime.pool_words import ALLOCATIONS, CLASSES, HEADS, LIMIT, PEAK, SYSTEM_CALLS, USED, VALUES, class_of

PAIR = struct.Struct("=2q")

Words = ctypes.Array[ctypes.c_int64]


class Pool:
    """Memory for one thread's runs. `limit` is in bytes; without one it is what the machine has free now."""

    def __init__(self, limit: int | None = None) -> None:
        free = available_memory()
        if limit is None:
            limit = MAX_BYTES if free is None else free
        self.words: Words = (ctypes.c_int64 * (HEADS + CLASSES))(limit)
        self.address = ctypes.addressof(self.words)
        self._blocks = runtime()
        weakref.finalize(self, _drain, self._blocks.drain, self.words)

    @property
    def used(self) -> int:
        self._blocks.settle(self.address)
        return self.words[USED]

    @property
    def peak(self) -> int:
        return self.words[PEAK]

    @property
    def allocations(self) -> int:
        return self.words[ALLOCATIONS]

    @property
    def system_calls(self) -> int:
        return self.words[SYSTEM_CALLS]

    def reset_peak(self) -> None:
        self.words[PEAK] = self.used
        self.words[ALLOCATIONS] = self.words[SYSTEM_CALLS] = 0

    def allocate(self, nbytes: int) -> Storage:
        """A block of at least so many bytes, at least one."""
        if not 0 <= nbytes <= MAX_BYTES:
            raise ResourceError(f"memory: expected a request of 0 to {MAX_BYTES} bytes, got {nbytes}")
        pair = bytearray(PAIR.size)
        block = self._blocks.allocate(self, self.address, nbytes, pair)
        if block == 0:
            _, size = class_of(nbytes)
            if self.words[USED] + self.words[VALUES] + size > self.words[LIMIT]:
                raise self.out_of_memory(size)
            raise ResourceError(f"memory: the system gave no {size} bytes; run fewer things or smaller inputs at once")
        return Storage(block, bytes(pair))

    def own(self, at: int, pair: bytes) -> Storage:
        """The block whose address and size are the two words at an address, which do not have it afterwards."""
        return Storage(self._blocks.own(self, self.address, at), pair)

    def out_of_memory(self, size: int) -> ResourceError:
        """The error of a request that the limit does not allow."""
        words = self.words
        return ResourceError(out_of_memory(size, words[USED] + words[VALUES], words[LIMIT]))


class Storage:
    """One block, kept until nobody refers to it: `pair` is its address and size, packed. Without a block it only looks.

    It has no finalizer of its own: a signal could interrupt one. The block itself goes back when it is dropped.
    `filled` is how many bytes tensors that were appended to one another take, 0 where nothing was appended.
    """

    __slots__ = ("__weakref__", "_block", "filled", "pair")

    device = 0

    def __init__(self, block: object, pair: bytes) -> None:
        self._block, self.pair = block, pair
        self.filled = 0

    @property
    def address(self) -> int:
        return int(PAIR.unpack(self.pair)[0])

    @property
    def nbytes(self) -> int:
        return int(PAIR.unpack(self.pair)[1])


def out_of_memory(size: int, used: int, limit: int) -> str:
    return (
        f"memory: expected to stay within {limit} bytes, got a request for {size} with {used} in use; "
        "raise Session(memory_limit=...), `anytile run --memory-limit`, or pass smaller inputs"
    )


def _drain(drain: Callable[[int], int], words: Words) -> None:
    drain(ctypes.addressof(words))


@functools.cache
def libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None)
    libc.free.argtypes, libc.free.restype = [ctypes.c_void_p], None
    return libc
