"""Words of a reference-counted value cell: 24 of them, the same for tensors, storage, data types and closures.

    count, keeps, the 13 words of `tensor_words`, filled, 8 numbers             tensors and storage
    count, 0, tag, fields, code, the fields                       data types (ADT_CODE) and closures

A count of 0 is a cell that nobody counts: a constant, which all threads may read, or an argument from Python. `keeps`
is the cell that a tensor's memory belongs to, 0 where something else keeps it; an int64 tensor of a few elements may
lie in its own numbers. A closure's tag is its function. What has more fields than a cell has room for is a block of its
own. All of them count against the pool's limit, except for a machine's first chunk.
"""

from __future__ import annotations

from anytile.vm.runtime.tensor_words import CODE, COUNT

CELL = 24  # words
CELL_COUNT, CELL_KEEPS, CELL_WORDS = range(3)
CELL_CODE = CELL_WORDS + CODE
CELL_FILLED = CELL_WORDS + COUNT  # of storage
CELL_NUMBERS = 16
CELL_TAG, CELL_SIZE = CELL_WORDS, CELL_WORDS + 1  # of data types and closures
CELL_FIELDS = CELL_CODE + 1
MOST_FIELDS = CELL - CELL_FIELDS
ADT_CODE, CLOSURE_CODE = -2, -3
CHUNK_CELLS = 341
CHUNK_HEADER = 8
CHUNK = CHUNK_HEADER + CELL * CHUNK_CELLS  # words that cells are cut from; the first names the chunk before
CELLS_KEPT = 1 << 16  # more than these go back to the system when a run is over

assert CELL_FILLED < CELL_NUMBERS < CELL_NUMBERS + 8 <= CELL
