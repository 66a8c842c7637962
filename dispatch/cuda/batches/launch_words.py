"""Words of a launch, which C reads (see `launches.c`): the kernel, how it is launched, and where its arguments lie."""

from __future__ import annotations

FUNCTION, GRID_X, GRID_Y, GRID_Z, BLOCK_X, BLOCK_Y, BLOCK_Z, SHARED = range(8)
# What no address may have a bit of; how many operands; whether a workspace follows them; whether the kernel waits for
# what was launched before it by itself; for each operand the number of its base and its bytes behind that; the frame's
# values, and its table of pointers to them.
ODD, OPERANDS, WORKSPACE, WAITS, PLACES, VALUES, ARGUMENTS = range(8, 15)
LAUNCH = 15
MISALIGNED = -1  # a status that no driver has
