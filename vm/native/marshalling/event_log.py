"""Event log of compiled code: kernels' calls as words, read after a run so that reading is not measured."""

from __future__ import annotations

import ctypes

from anytile.vm.interpreter.kernels import BoundKernel, BoundPacked
from anytile.vm.interpreter.steps import Program
from anytile.vm.runtime.machine_words import EVENT, EVENT_DIMS
from anytile.vm.values.events import Event

CAPACITY = 1 << 14  # events; no run notes half as many


class EventLog:
    """The array that compiled code writes to, made when somebody first wants to know."""

    def __init__(self) -> None:
        self._words: ctypes.Array[ctypes.c_int64] | None = None

    @property
    def address(self) -> int:
        if self._words is None:
            self._words = (ctypes.c_int64 * (2 + EVENT * CAPACITY))(CAPACITY)
        return ctypes.addressof(self._words)

    def move_to(self, log: list[Event], program: Program, least: int = 1) -> None:
        """Move what was noted to the end of a log, if it is at least so much."""
        words = self._words
        if words is None or words[1] < least:
            return
        for i in range(min(words[1], CAPACITY)):
            at = 2 + EVENT * i
            kernel, start, end = words[at : at + EVENT_DIMS]
            bound = program.kernels[kernel]
            if isinstance(bound, BoundPacked):
                nbytes, count, *elements = words[at + EVENT_DIMS : at + EVENT]
                log.append(Event(kernel, start, end, (), tuple((n,) for n in elements[:count]), nbytes))
                continue
            assert isinstance(bound, BoundKernel)
            dims = tuple(words[at + EVENT_DIMS : at + EVENT_DIMS + len(bound.dims)])
            shapes, nbytes = bound.shapes_at(dims)
            log.append(Event(kernel, start, end, dims, shapes, nbytes))
        words[1] = 0
