"""Grown results: storages in which rows were appended, found again by their address when they come back as inputs.

A caller has arrays, which say nothing of what they lie in. Whoever passes a result on to the next call, through torch
or as a view, passes its address; the storage that begins there, and is filled to where the array ends, has the room
behind it. One run at a time has that room: what another run appends to the same array meanwhile it copies.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable

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

    def claimed(self, arrays: Iterable[tuple[int, int, int]]) -> dict[int, tuple[Storage, int]]:
        """Of arrays, each a key, an address and its bytes, the storages that they fill, and how much that is: by key.
        They say of themselves that nothing is filled until they are told again."""
        found: dict[int, tuple[Storage, int]] = {}
        with self._turn:
            for key, address, nbytes in arrays:
                storage = self._at.get(address)
                if storage is not None and storage.filled == nbytes > 0:
                    storage.filled = 0
                    found[key] = storage, nbytes
        return found


def grown_inputs(exe: Executable) -> tuple[int, ...]:
    """The inputs that main appends to; parameters come in its first registers."""
    code = exe.functions[exe.main].code
    return tuple(sorted({i.tensor for i in code if isinstance(i, AppendTensor) and i.tensor < len(exe.inputs)}))
