"""Grown results: storages in which rows were appended, found again by their address when they come back as inputs.

A caller has arrays, which say nothing of what they lie in. Whoever passes a result on to the next call, through torch
or as a view, passes its address; the storage that begins there, and is filled to where the array ends, has the room
behind it. One run at a time has that room: what another run appends to the same array meanwhile it copies.
"""

from __future__ import annotations

import threading
import weakref

from anytile.vm.program.executable import Executable
from anytile.vm.program.isa import AppendTensor
from anytile.vm.values.memory import Storage


class Grown:
    """Storages of results that somebody still has."""

    def __init__(self) -> None:
        self._at: weakref.WeakValueDictionary[int, Storage] = weakref.WeakValueDictionary()
        self._turn = threading.Lock()

    def keep(self, storage: Storage) -> None:
        if storage.filled:
            self._at[storage.address] = storage

    def claimed(self, address: int, nbytes: int) -> Storage | None:
        """The storage that an array fills, which says of itself that nothing is filled until it is told again."""
        with self._turn:
            found = self._at.get(address)
            if found is None or not nbytes or found.filled != nbytes:
                return None
            found.filled = 0
            return found


def grown_inputs(exe: Executable) -> tuple[int, ...]:
    """The inputs that main appends to; parameters come in its first registers."""
    code = exe.functions[exe.main].code
    return tuple(sorted({i.tensor for i in code if isinstance(i, AppendTensor) and i.tensor < len(exe.inputs)}))
