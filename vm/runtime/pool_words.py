"""Words of a memory pool and its size classes, as Python and native code both see them.

A pool's state is an array of 64-bit words. Counts are of bytes in blocks; a block is at most 1/16 larger than what was
asked for. Blocks lie on cache lines.
"""

from __future__ import annotations

import functools

from anytile.vm.program.isa import ALIGNMENT

# VALUES are bytes beside blocks that count against the limit too: cells and frames of native code. DENIED were last
# asked for those and refused, or 0. RETURNED is the first block that Python dropped, or null.
LIMIT, USED, PEAK, HELD, ALLOCATIONS, SYSTEM_CALLS, VALUES, DENIED, RETURNED = range(9)
HEADS = 9  # from here on the free list of each class: its first block, or null
CLASSES = 768
UNIT_BITS = 6
STEP_BITS = 4  # classes from one power of two to the next, as a power of two
NO_WORKSPACE = 1  # the address of a workspace of no bytes

assert ALIGNMENT == 1 << UNIT_BITS


@functools.lru_cache(1 << 10)
def class_of(nbytes: int) -> tuple[int, int]:
    """The size class of a request, and how large its blocks are."""
    units = max((nbytes + ALIGNMENT - 1) >> UNIT_BITS, 1)
    shift = max(units.bit_length() - STEP_BITS - 1, 0)
    steps = (units + (1 << shift) - 1) >> shift
    return (shift << STEP_BITS) + steps, steps << shift << UNIT_BITS
