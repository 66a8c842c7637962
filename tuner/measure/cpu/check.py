"""Checking one artifact at one point, in guarded memory: place its operands, pack its constants, run it, judge it.

Runs inside the worker process only. Inputs and packed constants are read-only while the kernel runs, outputs and
workspace are NaN beforehand; so a kernel that strays faults here, or leaves a dead canary, or a wrong output.
Streamed constants are timed as copies that take turns, more of them than the caches hold.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from numpy.typing import NDArray

from anytile.codegen.artifact import Packed
from anytile.codegen.load.loader import Loaded
from anytile.core.dtypes import BY_NAME
from anytile.db.records.records import Status
from anytile.dispatch.cpu.huge_pages import HUGE_PAGE
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.stored_floats import bits_of, from_bits
from anytile.schedules.workloads.streaming import copies
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.measure.cpu.guarded_memory import CACHE_LINE, Place, Region
from anytile.tuner.measure.device_api import Failed, name_point
from anytile.tuner.measure.oracle import Case
from anytile.tuner.protocol.candidate import Point
from anytile.tuner.protocol.isolate import memory_ceiling

# What a kernel may map beyond what it was given: a thread's stack and heap, not a leak's worth.
MEMORY_ALLOWANCE = 256 << 20


class Constants:
    """The packed constants of one artifact, shared by all the points it is checked and timed at.

    Packing reads its raw operand against a wall. What it made lies against a wall for the checks, and once more as it
    will be timed; both copies are read-only.
    """

    def __init__(self, loaded: Loaded, foreign: bool = False) -> None:
        """With `foreign` threads it runs a library's, and not those of our pool."""
        self.loaded, self.foreign = loaded, foreign
        self._made: dict[tuple[str, bool, int, tuple[int, ...], int], Region] = {}

    def get(
        self, packed: Packed, raw: NDArray[Any], dims: Sequence[int], place: Place, at: str, stagger: int, copy: int = 0
    ) -> Region:
        """The packed copy of an operand for one kind of place; of those to be timed there may be several."""
        size = _size(self.loaded, packed.size, dims, at)
        timed = place is Place.TIMED
        key = (packed.operand, timed, size, raw.shape, copy)
        if key not in self._made:
            if timed:
                source = self.get(packed, raw, dims, Place.END, at, stagger)
                region = Region(size, Place.TIMED, CACHE_LINE, stagger, poison=False, huge_from=HUGE_PAGE)
                self._made[key] = region
                region.array("uint8", (size,))[...] = source.array("uint8", (size,))
            else:
                region = self._made[key] = Region(size, Place.END, CACHE_LINE)
                self._pack(packed, raw, dims, region, at)
            region.protect(writable=False)
        return self._made[key]

    def _pack(self, packed: Packed, raw: NDArray[Any], dims: Sequence[int], into: Region, at: str) -> None:
        source = Region(raw.nbytes, Place.END, raw.itemsize, poison=False)
        try:
            source.array(raw.dtype.name, raw.shape)[...] = raw
            source.protect(writable=False)
            with memory_ceiling(MEMORY_ALLOWANCE):
                code = self.loaded.call(packed.function, [source.address, into.address], dims)
        finally:
            source.close()
        if code != 0:
            raise Failed(Status.RUNTIME_ERROR, f"packing {packed.operand} returned {code} {at}, expected 0")
        damage = into.damage()
        if damage is not None:
            reason = f"packing {packed.operand} wrote out of bounds, {damage}, {at}"
            raise Failed(Status.WRONG, reason, corrupt=True)

    def close(self) -> None:
        for region in self._made.values():
            region.close()
        self._made.clear()


class Placed:
    """The operands of one kernel at one point; `data`, `dims` and `workspace` are its arguments.

    Where something is streamed there are several of `data`, each with copies of its own.
    """

    def __init__(self, constants: Constants, workload: Workload, point: Point, case: Case, place: Place) -> None:
        self.loaded = loaded = constants.loaded
        self.foreign = constants.foreign
        self.dims = [value for _, value in point]
        self._case = case
        self._place = place
        self._regions: list[tuple[str, Region]] = []
        self._at = f"at {name_point(point)}"
        self._outputs: dict[str, tuple[str, NDArray[Any]]] = {}
        try:
            bindings = dict(point)
            packed = {p.operand: p for p in loaded.artifact.packed}
            self.data: list[int] = []
            self.packed: Region | None = None  # the largest
            kept = 0  # bytes of packed constants
            streamed: dict[int, Callable[[int], Region]] = {}
            for tensor in workload.tensors:
                shape = workload.shape(tensor.name, bindings)
                if tensor.output:
                    # Only element-aligned, as a caller's array may be; inside its walls, that is the hardest case.
                    dtype = BY_NAME[workload.dtype_of(tensor)]
                    region = self._region(tensor.name, dtype.nbytes(math.prod(shape)), dtype.nbytes(1))
                    self._outputs[tensor.name] = dtype.name, region.array(dtype.numpy, shape)
                elif tensor.name in packed:
                    raw, stagger = bits_of(case.inputs[tensor.name], workload.dtype_of(tensor)), len(self.data)
                    copy = partial(constants.get, packed[tensor.name], raw, self.dims, place, self._at, stagger)
                    region = copy(0)
                    if self.packed is None or region.size > self.packed.size:
                        self.packed = region
                    if place is Place.TIMED and tensor.name in workload.streamed:
                        streamed[len(self.data)] = copy
                else:
                    raw = bits_of(case.inputs[tensor.name], workload.dtype_of(tensor))
                    region = self._region(tensor.name, raw.nbytes, raw.itemsize, poison=False)
                    region.array(raw.dtype.name, shape)[...] = raw
                    region.protect(writable=False)
                self.data.append(region.address)
                kept += region.size if tensor.name in packed else 0
            self._tables = [self.data, *self._others(streamed)]
            self._turn = 0
            of_constants = sum(copy(0).size for copy in streamed.values()) * (len(self._tables) - 1)
            size = loaded.artifact.workspace
            self.workspace = self._region(
                "the workspace", _size(loaded, size, self.dims, self._at) if size else 0, CACHE_LINE
            ).address
            self.working_set = of_constants + sum(region.size for _, region in self._regions) + kept
        except BaseException:
            self.close()
            raise

    def _others(self, streamed: Mapping[int, Callable[[int], Region]]) -> list[list[int]]:
        """`streamed` makes a further copy of the operand at a place."""
        size = sum(copy(0).size for copy in streamed.values())
        if not size:
            return []
        return [
            [streamed[place](i).address if place in streamed else address for place, address in enumerate(self.data)]
            for i in range(1, copies(size, Target.host()))
        ]

    def turns(self, calls: int) -> list[list[int]]:
        """What so many calls are to be given in turn; the next ones go on where these stop."""
        first, self._turn = self._turn, (self._turn + calls) % len(self._tables)
        return self._tables[first:] + self._tables[:first]

    def run(self) -> None:
        """One call, which must report success."""
        with memory_ceiling(MEMORY_ALLOWANCE):
            code = self.loaded.call(self.loaded.artifact.entry, self.data, self.dims, self.workspace)
        if code != 0:
            raise Failed(Status.RUNTIME_ERROR, f"returned {code} {self._at}, expected 0")

    def judge(self) -> None:
        """The output must be right and every canary alive."""
        for name, region in self._regions:
            damage = region.damage()
            if damage is not None:
                raise Failed(Status.WRONG, f"wrote out of bounds of {name}, {damage}, {self._at}", corrupt=True)
        for name, (dtype, got) in self._outputs.items():
            difference = self._case.outputs[name].difference(from_bits(got, dtype))
            if difference is not None:
                raise Failed(Status.WRONG, f"{difference}, {self._at}")

    def close(self) -> None:
        self._outputs.clear()  # no view may outlive its region
        for _, region in self._regions:
            region.close()
        self._regions.clear()

    def _region(self, name: str, size: int, align: int, poison: bool = True) -> Region:
        align = align if self._place is Place.END else CACHE_LINE
        region = Region(size, self._place, align, len(self._regions), poison)
        self._regions.append((name, region))
        return region


def _size(loaded: Loaded, function: str, dims: Sequence[int], at: str) -> int:
    size = loaded.size(function, dims)
    if size < 0:
        raise Failed(Status.RUNTIME_ERROR, f"{function} asks for {size} bytes {at}")
    return size
