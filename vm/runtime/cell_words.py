"""How native code keeps values: counted cells of 24 words, the same for tensors, storage, data types and closures.

    count, keeps, the 13 words of `tensor_words`, a spare one, 8 numbers        tensors and storage
    count, 0, tag, fields, code, the fields                               data types (ADT_CODE) and closures

A count of 0 is a cell that nobody counts: a constant, which all threads may read, or an argument from Python. `keeps`
is the cell that a tensor's memory belongs to, 0 where something else keeps it; an int64 tensor of a few elements may
lie in its own numbers. A closure's tag is its function. What has more fields than a cell has room for is a block of its
own. All of them count against the pool's limit, and so does the stack, except for a machine's first chunk and smallest
stack.
"""

from __future__ import annotations

from anytile.vm.runtime.tensor_words import CODE, COUNT

CELL = 24  # words
CELL_COUNT, CELL_KEEPS, CELL_WORDS = range(3)
CELL_CODE = CELL_WORDS + CODE
CELL_NUMBERS = 16
CELL_TAG, CELL_SIZE = CELL_WORDS, CELL_WORDS + 1  # of data types and closures
CELL_FIELDS = CELL_CODE + 1
MOST_FIELDS = CELL - CELL_FIELDS
ADT_CODE, CLOSURE_CODE = -2, -3
CHUNK_CELLS = 341
CHUNK = 8 + CELL * CHUNK_CELLS  # words that cells are cut from; the first names the chunk before
CELLS_KEPT = 1 << 16  # more than these go back to the system when a run is over

assert CELL_WORDS + COUNT <= CELL_NUMBERS < CELL_NUMBERS + 8 <= CELL

# The words of a machine, by which Python and native code tell each other how a run stands. What CELL is to values,
# STACK is to frames: memory that grows, in which registers stand, four words of a frame before its own.
POOL, LOG = range(2)
LEFT, RIGHT = range(2, 4)  # the two numbers of a failure
# Free cells: the first, how many; how many a step may take; blocks that cells are cut from; how many there are in all.
FREE, CELLS, NEEDED, CHUNKS, TOTAL = range(4, 9)
STACK, CAPACITY, FRAME = range(9, 12)  # where it is, words there is room for, where the running frame's registers are
# The step that is next; calls that wait, registers that more of them may have, calls at most; steps until Python looks.
STEP, DEPTH, ROOM, MOST_DEPTH, BUDGET = range(12, 17)
# What was returned; whether Python did the step; the table of functions; the arguments before there is a frame.
RESULT, DONE, FUNCTIONS, GIVEN = range(17, 21)
OUT = 21  # a result: its 13 words
OUT_PAIR = OUT + COUNT  # address and size of its storage, 0 once Python has it
SEEN, MOST_SEEN = OUT_PAIR + 2, 32  # more numbers of a failure: what the sizes in its shapes are
MACHINE = SEEN + MOST_SEEN
HEADER = 4
# Before a frame's registers: the step, the frame and the register to return to, and how many registers it has.
BACK, CALLER, INTO, REGISTERS = range(-HEADER, 0)
