"""Words of a machine: its cells, its stack of frames and its log, by which Python and native code share a run.

What cells are to values, the stack is to frames: memory that grows, in which registers stand, the words of a frame
before its own. It counts against the pool's limit, except for a machine's smallest stack.
"""

from __future__ import annotations

from anytile.vm.runtime.tensor_words import COUNT

POOL, LOG = range(2)
LEFT, RIGHT = range(2, 4)  # the two numbers of a failure
# The free list of cells: the first, how many; how many a step may take; their chunks; how many there are in all.
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

# Before a frame's registers: the step, the frame and the register to return to, and how many registers it has.
HEADER = 4
BACK, CALLER, INTO, REGISTERS = range(-HEADER, 0)
MAX_STACK = 1 << 26  # registers of all frames together
LEAST_STACK = 1 << 10  # words
STACK_KEPT = 1 << 18

# A log: how many events fit, how many there are, then the events: kernel, begin, end, the symbols' values. Of a
# host function the bytes of its arguments stand for these, how many there are, and the elements of each.
EVENT = 16
EVENT_DIMS = 3
MAX_LOGGED_DIMS = EVENT - EVENT_DIMS
REPEATING = 21  # words that `repeat` is told of two tensors: ranks, elements, an element's bytes, dimensions
