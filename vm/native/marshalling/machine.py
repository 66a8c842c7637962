"""Execution context of the native engine: the words by which Python and native code tell each other how a run stands.

The words (see `machine_words`) hold the pool, where to note kernels' calls, a stack of frames and the free list of
cells. What those were made of goes back to the system with the machine.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Mapping

from anytile.vm.interpreter.steps import Machine
from anytile.vm.native.marshalling.event_log import EventLog
from anytile.vm.runtime.machine_words import CHUNKS, LOG, MACHINE, OUT, POOL, SEEN, STACK
from anytile.vm.values.devices import Device
from anytile.vm.values.events import Event
from anytile.vm.values.memory import Pool, libc

_WORD = 8


class NativeMachine(Machine):
    """What one thread runs native code with. Native code lets go of a run's cells; until then `given` are kept."""

    def __init__(self, pool: Pool, devices: Mapping[int, Device]) -> None:
        super().__init__(pool, devices)
        self.words = (ctypes.c_int64 * MACHINE)()
        self.words[POOL] = pool.address
        self.address = ctypes.addressof(self.words)
        self.out = memoryview(self.words).cast("B")[_WORD * OUT : _WORD * SEEN]
        self.inputs: list[object] = []  # arrays that a run reads, until it is over
        self.given: object = None  # cells that native code may look at until it has let go of a run
        self.events = EventLog()
        weakref.finalize(self, _free_all, self.words)

    def listen(self, log: list[Event] | None) -> None:
        super().listen(log)
        self.events.clear()
        self.words[LOG] = 0 if log is None else self.events.address

    def rest(self) -> None:
        super().rest()
        self.inputs.clear()


def _free_all(words: ctypes.Array[ctypes.c_int64]) -> None:
    """Give the system what cells and frames were made of."""
    free = libc().free
    free(words[STACK])
    chunk = words[CHUNKS]
    while chunk:
        following = ctypes.c_int64.from_address(chunk).value
        free(chunk)
        chunk = following
