"""How tensors and storage are described to native code: 13 words of 64 bits, the same for both.

    address, elements, dtype code, rank, flags, eight dimensions (1 where the rank is less)

Of storage the second word is its size in bytes and the third STORAGE_CODE. A tensor of Python has its words packed; a
cell of native code (see `cell_words`) has them inside.
"""

from __future__ import annotations

import struct

from anytile.vm.program.isa import DTYPES, MAX_RANK

WORDS = struct.Struct("=13q")
HEAD = struct.Struct("=5q")  # of these: all but the dimensions
SIZE = WORDS.size
ADDRESS, ELEMENTS, CODE, RANK, FLAGS, DIMS = range(6)
COUNT = DIMS + MAX_RANK
STORAGE_CODE = -1
READ_ONLY = 1  # a constant, an input, or a view of one
OFF_HOST = 2  # lies on another device: its address means nothing here
CODES = {dtype: code for code, dtype in enumerate(DTYPES)}
ONES = tuple((1,) * (MAX_RANK - rank) for rank in range(MAX_RANK + 1))


def name_of(code: int) -> str:
    """A dtype code in words."""
    return "a storage" if code == STORAGE_CODE else DTYPES[code]
