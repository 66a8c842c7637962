"""Grown results: storages in which rows were appended, found again by their address when they come back as inputs.

A caller has arrays, which say nothing of what they lie in. Whoever passes a result on to the next call, through torch
or as a view, passes its address; the storage that begins there, and is filled to where the array ends, has the room
behind it. One run at a time has that room: what another run appends to the same array meanwhile it copies. On a device
beside the host a run takes its room when it gets to it, and work there is in order.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable
from typing import Generic, Protocol, TypeVar

from anytile.vm.program.executable import Executable
from anytile.vm.program.isa import AppendTensor


class Fillable(Protocol):
    """A storage that knows how many of its bytes tensors take that were appended to one another."""

    filled: int

    @property
    def address(self) -> int: ...
    @property
    def nbytes(self) -> int: ...


S = TypeVar("S", bound=Fillable)


class Grown(Generic[S]):
    """Storages of results that somebody still has."""

    def __init__(self) -> None:
        self._at: weakref.WeakValueDictionary[int, S] = weakref.WeakValueDictionary()
        self._turn = threading.Lock()

    def keep(self, storage: S) -> None:
        if storage.filled:
            self._at[storage.address] = storage

    def longer(self, address: int, held: int, nbytes: int) -> S | None:
        """The storage that begins at an address and is filled with as much as is `held`, now with so many bytes; None
        where nobody knows of one, or it has no room for them."""
        with self._turn:
            storage = self._at.get(address)
            if storage is None or not storage.filled == held > 0 or nbytes > storage.nbytes:
                return None
            storage.filled = nbytes
            return storage

    def claimed(self, arrays: Iterable[tuple[int, int, int]]) -> dict[int, tuple[S, int]]:
        """Of arrays, each a key, an address and its bytes, the storages that they fill, and how much that is: by key.
        They say of themselves that nothing is filled until they are told again."""
        found: dict[int, tuple[S, int]] = {}
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
