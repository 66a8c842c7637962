"""What compiled code notes of the kernels it runs, as events: read after a run, so that reading is not measured."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Protocol

from anytile.vm.interpreter.kernels import Bound, BoundKernel
from anytile.vm.profile import Event
from anytile.vm.runtime.pool import EVENT, EVENT_DIMS

NOTES = 1 << 14  # events that there is room for; no run has half as many


class _HasKernels(Protocol):
    @property
    def kernels(self) -> Sequence[Bound]: ...


class Notes:
    """The array that compiled code writes to, made when somebody first wants to know."""

    def __init__(self) -> None:
        self._words: ctypes.Array[ctypes.c_int64] | None = None

    @property
    def address(self) -> int:
        if self._words is None:
            self._words = (ctypes.c_int64 * (2 + EVENT * NOTES))(NOTES)
        return ctypes.addressof(self._words)

    def read(self, program: _HasKernels, into: list[Event], least: int = 1) -> None:
        """Move what was noted to the end of a log, if it is at least so much."""
        words = self._words
        if words is None or words[1] < least:
            return
        for i in range(min(words[1], NOTES)):
            at = 2 + EVENT * i
            kernel, start, end = words[at : at + EVENT_DIMS]
            bound = program.kernels[kernel]
            assert isinstance(bound, BoundKernel)
            dims = tuple(words[at + EVENT_DIMS : at + EVENT_DIMS + len(bound.dims)])
            shapes, nbytes = bound.shapes_at(dims)
            into.append(Event(kernel, start, end, dims, shapes, nbytes))
        words[1] = 0
