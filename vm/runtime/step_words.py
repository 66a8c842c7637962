"""Words of a program as the driver reads it: steps, the table of functions, and the statuses by which a run stops."""

from __future__ import annotations

# The words of a step; then its arguments and the registers that die with it. NEXT is where the step behind it begins,
# in words from this one, as are all jumps.
OPERATION, NUMBER, NEXT, A, B, C, ARGUMENTS, DYING, FIRST = range(9)
# run: A address, arguments where to go on by its status       field: A into, B of, C which
# tag: A into, B of                                             on_tag: A of, B the tag, arguments then, otherwise
# when: A equals B, arguments then, otherwise                   goto: arguments to
# make: A into, B tag, C code, arguments fields                 invoke: A into, B function, arguments
# tail: B function, arguments                                   enter: A into, B closure, C whether last, arguments
# back: A what                                                  python: Python does it
# append: A into, B of, C what, arguments axis, dtype's code and size
# host: A address of the function, B how many operands, C kernel, arguments operands, how many are results, attributes
RUN, FIELD, TAG, ON_TAG, WHEN, GOTO, MAKE, INVOKE, TAIL, ENTER, BACK_STEP, PYTHON_STEP, APPEND, HOST_STEP = range(14)
MOST_OPERANDS = 4  # of a function of the host that native code does
FUNCTION = 3  # words of each function: registers, parameters, its first step

# How the driver stops: the value returned is the machine's RESULT; its OUT has a tensor, which Python may own; Python
# may look around; Python is to do the step; calls are too deep; there is no memory. FAILED and more are of a region.
RETURNED, RETURNED_TENSOR, AGAIN, PYTHON, TOO_DEEP, NO_MEMORY = range(6)
FAILED = 16  # the status of a region's failure 0; below it stand 0 and, of a branch not taken, 1
BEGUN, NO_STACK = range(2)  # of the first frame
NOT_TAKEN = -1  # the inputs of a call are not plain: nothing ran
