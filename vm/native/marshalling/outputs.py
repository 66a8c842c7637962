"""The quick way out: a plain result becomes numpy's arrays in one native call (see `outputs.h`).

Plain is a tensor, or a tuple of tensors, in storage of their own, as kernels' results are; what others have, as views
of inputs, constants and parts that are the same, is copied there. Values of data types take the slow way, by `ports`,
and say what is wrong. Numpy itself makes the arrays, by two functions of its C interface, whose places in its table are
the same for good; of an interface with another number there is no quick way.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any as AnyType

import numpy as np
from numpy._core import _multiarray_umath as _numpy  # type: ignore[attr-defined]  # where numpy keeps its table

from anytile.core.dtypes import BY_NAME
from anytile.schedules.nest.stored_floats import array_dtype
from anytile.vm.native.marshalling.machine import NativeMachine
from anytile.vm.program.executable import Executable, Port, TensorPort, TuplePort
from anytile.vm.program.isa import DTYPES
from anytile.vm.runtime.functions import outlet
from anytile.vm.values.grown import Grown
from anytile.vm.values.memory import PAIR, Storage

_VERSION, _NEW_FROM_DESCR, _SET_BASE = 0, 94, 282  # places in the table
_KNOWN = 0x02000000  # the number of numpy 2's interface


class Outlet:
    """How an executable's plain results become arrays."""

    def __init__(self, exe: Executable, grown: Grown[Storage] | None = None) -> None:
        """With `grown` what results lie in is known when they come back."""
        port = exe.output
        made = {part.dtype for part in _parts(port) if isinstance(part, TensorPort)}
        self._dtypes = [array_dtype(name) if name in made else np.dtype(BY_NAME[name].numpy) for name in DTYPES]
        self._keep = None if grown is None else functools.partial(_kept, grown)
        fields, keep = len(port.fields) if isinstance(port, TuplePort) else -1, 0 if grown is None else id(self._keep)
        words = (_table()[_NEW_FROM_DESCR], _table()[_SET_BASE], fields, keep, *map(id, self._dtypes))
        self._words = (ctypes.c_int64 * len(words))(*words)
        self.address = ctypes.addressof(self._words)
        self._give = outlet(self.address)

    def arrays(self, machine: NativeMachine) -> AnyType | None:
        """What the run returned, which is the caller's then; None where that is not plain, and still the machine's."""
        made = self._give(machine.pool, machine.address)
        return None if isinstance(made, int) else made


def _kept(grown: Grown[Storage], block: object, address: int, nbytes: int, filled: int) -> Storage:
    """The storage of a block, of which appended tensors take so many bytes."""
    storage = Storage(block, PAIR.pack(address, nbytes))
    storage.filled = filled
    grown.keep(storage)
    return storage


def gives_quickly(exe: Executable) -> bool:
    """Whether results of this type may be plain, and numpy is one that is known."""
    port = exe.output
    known = ctypes.CFUNCTYPE(ctypes.c_uint)(_table()[_VERSION])()
    return known == _KNOWN and all(isinstance(part, TensorPort) for part in _parts(port))


def _parts(port: Port) -> tuple[Port, ...]:
    """What a result is of."""
    return port.fields if isinstance(port, TuplePort) else (port,)


def _table() -> ctypes.Array[ctypes.c_int64]:
    """Numpy's functions for programs in C."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.argtypes, pointer.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_void_p
    return (ctypes.c_int64 * (_SET_BASE + 1)).from_address(pointer(_numpy._ARRAY_API, None))
