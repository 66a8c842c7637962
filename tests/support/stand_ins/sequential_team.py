"""Test double of the thread team: one of any size that runs one thread after another, in any order, and counts.

What generated code computes may depend neither on how many threads it gets nor on which of them comes first.
"""

from __future__ import annotations

import ctypes
import threading
import weakref

from anytile.codegen.load.loader import Loaded
from anytile.codegen.threads.thread_table import CLOCK, COUNT, FORK, HOME, LEFT_ALONE, LIMIT, NUMBER, SLOT

_WORK = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_FORK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint)
_CLOCK = ctypes.CFUNCTYPE(ctypes.c_double)
_NUMBER = ctypes.CFUNCTYPE(ctypes.c_int)


_serving: weakref.WeakKeyDictionary[Loaded, Team] = weakref.WeakKeyDictionary()


class Team:
    """`limit` threads may be asked for; no more than `gives` are there when they are.

    At first they have been `idle` for so many seconds; what they do `takes` as many as a test says.
    """

    def __init__(
        self,
        limit: int = 64,
        gives: int = 64,
        backwards: bool = False,
        idle: float = 0.0,
        takes: float = 0.0,
    ) -> None:
        self.asked: list[int] = []
        self._gives, self._backwards = gives, backwards
        self._thread, self._size = 0, 1
        self.time, self._takes = idle, takes
        self._functions = {
            FORK: _FORK(self._fork),
            NUMBER: _NUMBER(lambda: self._thread),
            COUNT: _NUMBER(lambda: self._size),
            CLOCK: _CLOCK(lambda: self.time),
        }
        self.table = (ctypes.c_int64 * (HOME + 1))()
        self.table[HOME] = LEFT_ALONE
        self.table[LIMIT] = limit
        for place, function in self._functions.items():
            self.table[place] = ctypes.cast(function, ctypes.c_void_p).value or 0

    def serve(self, loaded: Loaded) -> Team:
        """The code of `loaded` starts threads here from now on, and keeps this team from being collected."""
        _serving[loaded] = self
        ctypes.c_void_p.from_address(loaded.address(SLOT)).value = ctypes.addressof(self.table)
        return self

    def _fork(self, work: int, context: int, threads: int, flags: int) -> None:
        self.asked.append(threads)
        self._size = min(threads, self._gives)
        for thread in sorted(range(self._size), reverse=self._backwards):
            self._thread = thread
            if thread == 0:
                _WORK(work)(context)
            else:
                other = threading.Thread(target=_WORK(work), args=(context,))
                other.start()
                other.join()
        self._thread, self._size = 0, 1
        self.time += self._takes


def without_team(loaded: Loaded) -> Loaded:
    """The code as it is where there is no team: its slot is null."""
    ctypes.c_void_p.from_address(loaded.address(SLOT)).value = None
    return loaded
