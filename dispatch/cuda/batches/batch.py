"""Batch of launches: kernels that a GPU is given together, again and again, at other addresses each time.

An operand lies some bytes behind one of the bases that are passed in, or at an address of its own. Everything else of a
launch was worked out when the batch was made, so that no Python runs between two of them. The frames are the batch's:
one thread at a time gives it, or what was made of it by changing some launches.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from anytile.codegen.cache import CodeCache
from anytile.codegen.kept import kept_ir
from anytile.codegen.llvm.compile import ATTRIBUTES, compiled
from anytile.codegen.load import loader
from anytile.core.errors import ArgumentError
from anytile.core.once import once
from anytile.dispatch.cuda.batches import launch_words as words
from anytile.dispatch.cuda.device import CudaDevice
from anytile.dispatch.cuda.loaded import Frame, Loaded, Ready
from anytile.schedules.hardware.target import Target

Place = tuple[int, int]  # which base, and how many bytes behind it
NOWHERE = 0  # the base of what lies at an address of its own
_ENTRY = "anytile_launch_all"
_NUMBER = ctypes.c_int64


@dataclass(frozen=True, slots=True)
class Given:
    """One launch of a batch: what runs, and where each operand lies."""

    loaded: Loaded
    ready: Ready
    places: tuple[Place, ...]

    def addresses(self, bases: Sequence[int]) -> list[int]:
        return [bases[base] + behind for base, behind in self.places]


class Batch:
    """Launches of one device's kernels, in order; no other batch has its `number`."""

    _numbers = itertools.count()

    def __init__(self, launches: Sequence[Given], device: CudaDevice, like: Batch | None = None) -> None:
        self._device, self._given, self.number = device, launches, next(self._numbers)
        launches = [one for one in launches if not one.ready.empty]
        self.count = len(launches)
        self.workspace = max((one.ready.workspace for one in launches), default=0)
        self._parts: list[_Alone | _Row] = []
        for alone, group in groupby(launches, lambda one: one.ready.function is None or bool(one.ready.maps)):
            row, number = list(group), len(self._parts)
            known = like._parts[number] if like is not None and number < len(like._parts) else None
            self._parts += map(_Alone, row) if alone else [_Row(row, known if isinstance(known, _Row) else None)]

    def changed(self, launches: Mapping[int, Given]) -> Batch:
        """The same with other launches in some places."""
        return Batch([launches.get(at, one) for at, one in enumerate(self._given)], self._device, self)

    def launch(self, bases: Sequence[int], workspace: int, stream: int, early: bool = False) -> None:
        """Queue them on a stream; `bases[NOWHERE]` is 0. Those that wait for others themselves may begin `early`."""
        for part in self._parts:
            part.launch(self._device, bases, workspace, stream, early)


class _Alone:
    """What native code does not launch: a product by the device's own library, and a kernel that takes tensor maps."""

    def __init__(self, given: Given) -> None:
        self._given = given

    def launch(self, device: CudaDevice, bases: Sequence[int], workspace: int, stream: int, early: bool) -> None:
        loaded, ready, addresses = self._given.loaded, self._given.ready, self._given.addresses(bases)
        if ready.function is not None and functools.reduce(operator.or_, addresses) % ready.align:
            raise not_aligned(loaded, addresses, ready.align)
        loaded.run(ready, addresses, workspace, stream, early)


class _Row:
    """Kernels of ours in a row; those that stand in the same place of another row are taken over from there."""

    def __init__(self, launches: list[Given], like: _Row | None) -> None:
        self._launches: list[Given] = launches
        self._kept: list[object] = [None] * len(launches)  # what records point to
        self._records: NDArray[np.int64] = np.zeros((len(launches), words.LAUNCH), np.int64)
        others: Sequence[Given | None] = [None] * len(launches)
        if like is not None and len(like._launches) == len(launches):
            self._kept, self._records, others = [*like._kept], like._records.copy(), like._launches
        for at, (given, other) in enumerate(zip(launches, others, strict=True)):
            if given is not other:
                self._kept[at] = _fill(self._records[at], given)

    def launch(self, device: CudaDevice, bases: Sequence[int], workspace: int, stream: int, early: bool) -> None:
        table = (_NUMBER * len(bases))(*bases)
        _, native = _launch_all()

        def onward(driver: int, extended: int, first: int) -> tuple[int, int]:
            status = _NUMBER()
            drivers, end = (driver, extended if early else 0), len(self._records)
            given = (first, end, table, workspace, stream, ctypes.byref(status))
            done = native(*drivers, self._records.ctypes.data, *given)
            if status.value == words.MISALIGNED:
                given = self._launches[done]
                raise not_aligned(given.loaded, given.addresses(bases), given.ready.align)
            return done, status.value

        device.launch_by(onward)


def _fill(record: NDArray[np.int64], given: Given) -> object:
    """Write a launch into its record; what that then points to."""
    function, ready = given.ready.function, given.ready
    assert function is not None
    frame, places = Frame(given.loaded.tensors, ready), np.array(given.places, np.int64)
    record[words.FUNCTION], record[words.SHARED] = function.handle, function.shared
    record[words.GRID_X : words.GRID_Z + 1] = ready.grid
    record[words.BLOCK_X : words.BLOCK_Z + 1] = function.block
    record[words.ODD], record[words.OPERANDS] = ready.align - 1, len(given.places)
    record[words.WORKSPACE], record[words.WAITS] = ready.workspace > 0, function.waits
    record[words.PLACES] = places.ctypes.data
    record[words.VALUES], record[words.ARGUMENTS] = ctypes.addressof(frame.values), frame.address
    return frame, places


def not_aligned(loaded: Loaded, addresses: Sequence[int], align: int) -> ArgumentError:
    """The error of operands that a kernel must not see."""
    tensors = loaded.workload.tensors
    tensor, rest = next((t, a % align) for t, a in zip(tensors, addresses, strict=True) if a % align)
    return ArgumentError(
        f"{loaded.workload.op}: {tensor.name} begins {rest} bytes after a multiple of {align}, and this kernel moves "
        "vectors; pass a copy of the input"
    )


@once
def _launch_all() -> tuple[loader.Loaded, ctypes._FuncPointer]:
    code = loader.Loaded(compiled(kept_ir(__file__, "launches") + ATTRIBUTES, Target.host(), _ENTRY, CodeCache()))
    pointer = ctypes.c_void_p
    kind = ctypes.CFUNCTYPE(_NUMBER, *(pointer, pointer, pointer, _NUMBER, _NUMBER, pointer, _NUMBER, _NUMBER, pointer))
    return code, kind(code.entry)
