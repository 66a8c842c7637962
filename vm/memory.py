"""Pools: memory in size classes, taken from the system once and used again, counted and limited.

A pool's state is an array of 64-bit words, so that compiled code works on it too (`poolcode` has the same algorithm;
this one is the reference). One thread at a time allocates from a pool; any thread may drop a `Storage`, which is then
only noted, and taken back when the pool is next used. Blocks lie on cache lines. A pool lives as long as a storage of
it does, so all its blocks are free when it goes, and go with it.
"""

from __future__ import annotations

import ctypes
import functools
import struct
import weakref

from anytile.dispatch.operands import available_memory
from anytile.schedules.errors import ResourceError

# The words of a pool. Counts are of bytes in blocks; a block is at most 1/16 larger than what was asked for. VALUES are
# bytes beside them that count against the limit too: cells and frames of native code. DENIED were last asked for those
# and refused, or 0.
LIMIT, USED, PEAK, HELD, ALLOCATIONS, SYSTEM_CALLS, VALUES, DENIED = range(8)
HEADS = 8  # from here on the first free block of each class, 0 where there is none
CLASSES = 768
UNIT_BITS = 6
ALIGNMENT = 1 << UNIT_BITS
STEP_BITS = 4  # classes from one power of two to the next, as a power of two
MAX_BYTES = 1 << 48
PAIR = struct.Struct("=2q")

Words = ctypes.Array[ctypes.c_int64]


def class_of(nbytes: int) -> tuple[int, int]:
    """The size class of a request, and how large its blocks are."""
    units = max((nbytes + ALIGNMENT - 1) >> UNIT_BITS, 1)
    shift = max(units.bit_length() - STEP_BITS - 1, 0)
    steps = (units + (1 << shift) - 1) >> shift
    return (shift << STEP_BITS) + steps, steps << shift << UNIT_BITS


class Pool:
    """Memory for one thread's runs. `limit` is in bytes; without one it is what the machine has free now."""

    def __init__(self, limit: int | None = None) -> None:
        free = available_memory()
        if limit is None:
            limit = MAX_BYTES if free is None else free
        self.words: Words = (ctypes.c_int64 * (HEADS + CLASSES))(limit)
        self.address = ctypes.addressof(self.words)
        self.returned: list[bytes] = []  # blocks that were dropped: address and size asked for, packed
        weakref.finalize(self, _free_lists, self.words, self.returned)

    @property
    def used(self) -> int:
        self.settle()
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
        self.settle()
        self.words[PEAK] = self.words[USED]
        self.words[ALLOCATIONS] = self.words[SYSTEM_CALLS] = 0

    def allocate(self, nbytes: int) -> Storage:
        """A block of at least so many bytes, at least one."""
        return Storage(self, PAIR.pack(self.take(nbytes), nbytes))

    def take(self, nbytes: int) -> int:
        """The same as a bare address, which must come back by `put`."""
        if not 0 <= nbytes <= MAX_BYTES:
            raise ResourceError(f"memory: expected a request of 0 to {MAX_BYTES} bytes, got {nbytes}")
        if self.returned:
            self.settle()
        words, (place, size) = self.words, class_of(nbytes)
        head = words[HEADS + place]
        if head:
            words[HEADS + place] = ctypes.c_int64.from_address(head).value
        else:
            head = self._from_system(size)
        words[USED] += size
        words[PEAK] = max(words[PEAK], words[USED])
        words[ALLOCATIONS] += 1
        return head

    def put(self, address: int, nbytes: int) -> None:
        """Take a block back."""
        words, (place, size) = self.words, class_of(nbytes)
        ctypes.c_int64.from_address(address).value = words[HEADS + place]
        words[HEADS + place] = address
        words[USED] -= size

    def settle(self) -> None:
        """Take back what was dropped, by whatever thread."""
        while self.returned:
            self.put(*PAIR.unpack(self.returned.pop()))

    def out_of_memory(self, size: int) -> ResourceError:
        """The error of a request that the limit does not allow."""
        words = self.words
        return ResourceError(out_of_memory(size, words[USED] + words[VALUES], words[LIMIT]))

    def _from_system(self, size: int) -> int:
        words = self.words
        limit = words[LIMIT] - words[VALUES]
        if words[HELD] + size > limit:
            _free_lists(words, [])
        if words[USED] + size > limit:
            raise self.out_of_memory(size)
        found = int(libc().aligned_alloc(ALIGNMENT, size) or 0)
        if not found:
            raise ResourceError(f"memory: the system gave no {size} bytes; run fewer things or smaller inputs at once")
        words[HELD] += size
        words[SYSTEM_CALLS] += 1
        return found


class Storage:
    """One block, kept until nobody refers to it: `pair` is its address and size, packed. Of no pool, it only looks."""

    __slots__ = ("pair", "pool")

    device = 0

    def __init__(self, pool: Pool | None, pair: bytes) -> None:
        self.pool, self.pair = pool, pair

    @property
    def address(self) -> int:
        return int(PAIR.unpack(self.pair)[0])

    @property
    def nbytes(self) -> int:
        return int(PAIR.unpack(self.pair)[1])

    def __del__(self) -> None:
        if self.pool is not None:
            self.pool.returned.append(self.pair)


def out_of_memory(size: int, used: int, limit: int) -> str:
    return (
        f"memory: expected to stay within {limit} bytes, got a request for {size} with {used} in use; "
        "raise Session(memory_limit=...), `anytile run --memory-limit`, or pass smaller inputs"
    )


def _free_lists(words: Words, returned: list[bytes]) -> None:
    """Give the system everything that is free. Blocks of a class are of one size, which its number tells."""
    free = libc().free
    for address, nbytes in map(PAIR.unpack, returned):
        place, size = class_of(nbytes)
        ctypes.c_int64.from_address(address).value = words[HEADS + place]
        words[HEADS + place] = address
        words[USED] -= size
    returned.clear()
    for place in range(CLASSES):
        while head := words[HEADS + place]:
            words[HEADS + place] = ctypes.c_int64.from_address(head).value
            words[HELD] -= block_size(place)
            free(head)


def block_size(place: int) -> int:
    """The size of the blocks of a class."""
    shift = max((place >> STEP_BITS) - 1, 0)
    return (place - (shift << STEP_BITS)) << shift << UNIT_BITS


@functools.cache
def libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None)
    libc.aligned_alloc.argtypes, libc.aligned_alloc.restype = [ctypes.c_size_t, ctypes.c_size_t], ctypes.c_void_p
    libc.free.argtypes, libc.free.restype = [ctypes.c_void_p], None
    return libc
