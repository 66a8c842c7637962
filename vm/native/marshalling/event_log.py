"""Event log of compiled code: kernels' calls as words, read after a run so that reading is not measured.

What there is no room for in a long run is copied, and the run goes on.
"""

from __future__ import annotations

import ctypes

from anytile.vm.interpreter.kernels import BoundKernel, BoundPacked
from anytile.vm.interpreter.steps import Program
from anytile.vm.runtime.machine_words import EVENT, EVENT_DIMS
from anytile.vm.values.events import Event

_WORD = ctypes.sizeof(ctypes.c_int64)
CAPACITY = 1 << 14  # events; what a run notes between two looks at them is less than half as many


class EventLog:
    """The array that compiled code writes to, made when somebody first wants to know."""

    def __init__(self) -> None:
        self._words: ctypes.Array[ctypes.c_int64] | None = None
        self._aside: list[bytes] = []

    @property
    def address(self) -> int:
        if self._words is None:
            self._words = (ctypes.c_int64 * (2 + EVENT * CAPACITY))(CAPACITY)
        return ctypes.addressof(self._words)

    def clear(self) -> None:
        """Forget what a run noted that nobody asked."""
        self._aside.clear()
        if self._words is not None:
            self._words[1] = 0

    def make_room(self) -> None:
        """Set aside, unread, what a run that goes on has noted, if it is half of what there is room for."""
        if self._words is not None and self._words[1] >= CAPACITY // 2:
            self._set_aside(self._words)

    def move_to(self, log: list[Event], program: Program) -> None:
        """Move what was noted to the end of a log."""
        if self._words is not None:
            self._set_aside(self._words)
        for noted in self._aside:
            words = memoryview(noted).cast("q")
            log.extend(_event(words[at : at + EVENT], program) for at in range(0, len(words), EVENT))
        self._aside.clear()

    def _set_aside(self, words: ctypes.Array[ctypes.c_int64]) -> None:
        count = min(words[1], CAPACITY)
        self._aside.append(ctypes.string_at(ctypes.addressof(words) + 2 * _WORD, count * EVENT * _WORD))
        words[1] = 0


def _event(words: memoryview, program: Program) -> Event:
    kernel, start, end = words[:EVENT_DIMS]
    bound, given = program.kernels[kernel], words[EVENT_DIMS:].tolist()
    if isinstance(bound, BoundPacked):
        nbytes, count, *elements = given
        return Event(kernel, start, end, (), tuple((n,) for n in elements[:count]), nbytes)
    assert isinstance(bound, BoundKernel)
    dims = tuple(given[: len(bound.dims)])
    shapes, nbytes = bound.shapes_at(dims)
    return Event(kernel, start, end, dims, shapes, nbytes)
