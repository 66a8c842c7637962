"""Guard of memory-mapped files: one that is cut off while a session reads it is an error, and no SIGBUS.

Weights are read where they lie in the mapped file, and whoever may write the file may cut it off. Native code maps
zeros over what is gone, so that a kernel comes to its end, and says that it did; its results are then nobody's.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
import threading
import weakref
from collections.abc import Iterable
from typing import Any

import numpy as np

from anytile.core.errors import SpecError
from anytile.core.once import once
from anytile.dispatch.cpu.fast_call import address_of
from anytile.vm.runtime.functions import runtime
from anytile.vm.runtime.mapped_words import MOST_MAPPED, PAGE, SPAN, SPAN_BEGIN, SPAN_END, SPAN_LOST, SPANS


class _Watch:
    """The files that this process watches."""

    def __init__(self) -> None:
        self._words = (ctypes.c_int64 * (SPANS + SPAN * MOST_MAPPED))()
        self._words[PAGE] = mmap.PAGESIZE
        self._free = list(range(MOST_MAPPED))
        self._known: dict[int, ctypes.c_int64] = {}  # by where a file lies
        self._lock = threading.RLock()  # a file may go while another comes
        runtime().watch(ctypes.addressof(self._words))

    def lost(self, file: mmap.mmap) -> ctypes.c_int64 | None:
        """The word that says whether a part of a file is gone; None where no more can be watched."""
        begin = address_of(np.frombuffer(file, np.uint8))
        with self._lock:
            if begin not in self._known:
                if not self._free:
                    return None
                at = SPANS + SPAN * self._free.pop()
                pages = -(-len(file) // mmap.PAGESIZE)
                self._words[at + SPAN_LOST] = 0
                self._words[at + SPAN_BEGIN] = begin
                self._words[at + SPAN_END] = begin + pages * mmap.PAGESIZE
                self._known[begin] = ctypes.c_int64.from_buffer(self._words, 8 * (at + SPAN_LOST))
                weakref.finalize(file, self._forget, begin, at)
            return self._known[begin]

    def _forget(self, begin: int, at: int) -> None:
        with self._lock:
            self._words[at + SPAN_BEGIN] = self._words[at + SPAN_END] = 0
            del self._known[begin]
            self._free.append((at - SPANS) // SPAN)


_watch = once(_Watch)


class Files:
    """The mapped files that some values lie in, for as long as those do."""

    def __init__(self, values: Iterable[object]) -> None:
        self._lost: list[ctypes.c_int64] = []
        if sys.maxsize == 2**63 - 1 and sys.platform == "linux":
            files = {id(file): file for file in map(_file, values) if file is not None}
            self._lost = [lost for file in files.values() if (lost := _watch().lost(file)) is not None]

    def require_whole(self) -> None:
        """Refuse what was read while a part of it was gone."""
        for lost in self._lost:
            if lost.value:
                said = "the executable's file was cut off while it was in use, expected one that stays as it is"
                raise SpecError(f"run: {said}; load it again, and replace files by renaming others")


def _file(value: object) -> mmap.mmap | None:
    """The mapped file that an array lies in."""
    at: Any = value
    while True:
        if isinstance(at, np.ndarray):
            at = at.base
        elif isinstance(at, memoryview):
            at = at.obj
        else:
            return at if isinstance(at, mmap.mmap) else None
