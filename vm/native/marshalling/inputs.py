"""The quick way in: inputs that are plain become the machine's arguments in one native call (see `inputs`).

Plain are exact ndarrays of the right dtype, contiguous and aligned, exact tuples, and `Data` whose constructors are
named by the executable's own strings. For anything else `Intake` says no, having kept nothing, and `ports` looks again:
it converts what can be converted and says what is wrong with the rest. That C fields lie where the code looks is
checked here against Python's view of them; where they do not there is no quick way.
"""

from __future__ import annotations

import ctypes
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any as AnyType

from anytile.dispatch.cpu.fast_call import fields_are_where_expected
from anytile.schedules.nest.stored_floats import array_dtype
from anytile.vm.native.marshalling.machine import NativeMachine
from anytile.vm.program.executable import Executable, Port, TensorPort, TuplePort
from anytile.vm.program.isa import MAX_RANK
from anytile.vm.runtime.functions import intake
from anytile.vm.runtime.port_words import DATA_PORT, TENSOR_PORT, TUPLE_PORT
from anytile.vm.runtime.tensor_words import CODES
from anytile.vm.values.ports import Data

Words = ctypes.Array[ctypes.c_int64]


class Intake:
    """What an executable's inputs must be, as native code looks at them."""

    def __init__(self, exe: Executable) -> None:
        self._names = tuple(name for name, _ in exe.inputs)
        self._keeps: list[AnyType] = []
        self._known: dict[str, Words] = {}
        self._exe = exe
        ports, shared = self._list([self._port(port) for _, port in exe.inputs]), _shared_sizes(exe)
        sizes = self._list([word for each in shared for word in each])
        self.address = self._list([len(exe.inputs), id(Data), *_SLOTS, ports, len(shared), sizes])
        self._enter = intake(self.address)

    def take(self, machine: NativeMachine, feeds: Mapping[str, AnyType]) -> bool:
        """Make feeds the machine's arguments; whether they are."""
        names = self._names
        try:
            if len(feeds) != len(names):
                return False
            values = [feeds[name] for name in names]
        except (LookupError, TypeError):  # as lists and arrays say, which have no names
            return False
        return self._enter(machine.address, machine.inputs, *values)

    def _list(self, words: Sequence[int]) -> int:
        made = (ctypes.c_int64 * max(len(words), 1))(*words)
        self._keeps.append(made)
        return ctypes.addressof(made)

    def _port(self, port: Port) -> int:
        """The address of a port."""
        if isinstance(port, TensorPort):
            dtype = array_dtype(port.dtype)
            self._keeps.append(dtype)
            sizes = [d if isinstance(d, int) else -1 for d in port.shape]
            return self._list([TENSOR_PORT, id(dtype), CODES[port.dtype], len(sizes), *sizes])
        if isinstance(port, TuplePort):
            return self._list([TUPLE_PORT, 1, 0, len(port.fields), self._list([self._port(f) for f in port.fields])])
        if port.name not in self._known:
            constructors = self._exe.data_type(port.name).constructors
            names = [sys.intern(c.name) for c in constructors]
            self._keeps.append(names)
            made = (ctypes.c_int64 * (2 + 3 * len(names)))(DATA_PORT, len(names))
            self._known[port.name] = made  # before its fields, which may be of this type
            for i, (name, c) in enumerate(zip(names, constructors, strict=True)):
                fields = self._list([self._port(f) for f in c.fields])
                made[2 + 3 * i : 5 + 3 * i] = [id(name), len(c.fields), fields]
        return ctypes.addressof(self._known[port.name])


def takes_quickly(exe: Executable) -> bool:
    """Whether all that an executable's inputs must be is what native code looks at."""
    if not _SLOTS:
        return False
    outside: Counter[str] = Counter()
    for _, port in exe.inputs:
        names = [d for t in _tensors(port) for d in t.shape if isinstance(d, str)]
        outside.update(set(names) if isinstance(port, TensorPort) else names)
    fields = [d for _, p in exe.inputs if not isinstance(p, TensorPort) for t in _tensors(p) for d in t.shape]
    inside = [t for d in exe.data for c in d.constructors for f in c.fields for t in _tensors(f)]
    alone = [Counter(d for d in t.shape if isinstance(d, str)) for t in inside]
    if any(outside[d] > 1 for d in fields if isinstance(d, str)) or any(n > 1 for c in alone for n in c.values()):
        return False  # names that must be the same size in two places, which are looked at in tensors alone
    tensors = [*inside, *(t for _, port in exe.inputs for t in _tensors(port))]
    dtypes = {t.dtype for t in tensors}
    if any(len(t.shape) > MAX_RANK for t in tensors):
        return False
    return all(fields_are_where_expected(array_dtype(dtype)) for dtype in dtypes)


def _shared_sizes(exe: Executable) -> list[tuple[int, int, int, int]]:
    """Dimensions of inputs that have the name of one before: an input and its axis, and those of the one before."""
    first: dict[str, tuple[int, int]] = {}
    found = []
    for place, (_, port) in enumerate(exe.inputs):
        for axis, dim in enumerate(port.shape if isinstance(port, TensorPort) else ()):
            if isinstance(dim, str) and first.setdefault(dim, (place, axis)) != (place, axis):
                found.append((place, axis, *first[dim]))
    return found


def _tensors(port: Port) -> Iterator[TensorPort]:
    """The tensors of a port, without those in values of data types."""
    if isinstance(port, TensorPort):
        yield port
    elif isinstance(port, TuplePort):
        for field in port.fields:
            yield from _tensors(field)


def _slots() -> tuple[int, ...]:
    """Where a `Data` has its constructor and its fields, in bytes; nothing where that cannot be seen."""
    name, field = "probe", object()
    probe = Data(name, field)
    found = []
    for wanted in (probe.constructor, probe.fields):
        places = range(object.__basicsize__, Data.__basicsize__, 8)
        at = [p for p in places if ctypes.c_void_p.from_address(id(probe) + p).value == id(wanted)]
        if len(at) != 1:
            return ()
        found += at
    return tuple(found)


_SLOTS = _slots()
