"""The repeated call: from Python to a kernel by a native function that expects the shapes of the call before.

`shortcut` makes `call(*inputs, out=None)` around an entrance. It looks at a list that the kernel owns: what is expected
next, or None, and the function in Python that takes every call which is otherwise. What is expected is a tuple: the
address of a frame, the arguments of `numpy.empty` that make the result where no `out` is given, and whatever must live
as long as the frame is used. The call holds on to that tuple, so the kernel may expect something else meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anytile.codegen.load.extension import VARARGS
from anytile.dispatch.cpu.fast_call import Layout, calls, entrance

EXPECTED, OTHERWISE = range(2)  # the list
ADDRESS, EMPTY_ARGUMENTS = range(2)  # what is expected


def shortcut(layout: Layout, state: list[Any]) -> Callable[..., Any]:
    """The function for kernels of this layout with one result; where there is no entrance, the one in Python."""
    otherwise: Callable[..., Any] = state[OTHERWISE]
    if len(layout.results) != 1 or entrance(layout) is None:
        return otherwise
    return calls().function("anytile_call", state, VARARGS)
