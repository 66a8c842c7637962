"""Operands of candidates in the memory of a GPU: guarded for a check, many copies in turn for timing.

For a check every tensor lies between zones of a pattern that must still be there afterwards, and is itself that pattern
(NaN) before: what strays shows in a zone, what reads astray in the result. For timing there are as many copies of all
operands as exceed the second-level cache three times, and calls take them in turn: a weight comes from memory, as in a
model.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from anytile.codegen.cuda.launch import COUNTERS
from anytile.core.dtypes import BYTES
from anytile.db.records.records import Status
from anytile.dispatch.cuda.device import CudaDevice, Memory
from anytile.dispatch.cuda.loaded import Loaded, Ready, clear
from anytile.schedules.operators import TensorSpec
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.measure.cuda.cases import Operands
from anytile.tuner.measure.device_api import Failed, name_point
from anytile.tuner.protocol.candidate import Point

PATTERN = 0xFF  # as float32, bfloat16 and float16 that is NaN
ZONE = 4096
MOST_COPIES = 256
_STOCK_BYTES = 4 << 30
_STOCK_SHARE = 4  # a part of the free memory
_CACHES = 3  # times the second-level cache, which does not forget what is oldest first


class Guarded:
    """The operands of one call, each in a zone of its own; `shift` moves them off any greater alignment than theirs."""

    def __init__(self, loaded: Loaded, workload: Workload, point: Point, case: Operands, shift: int) -> None:
        self._loaded, self._device, self._case = loaded, loaded.device, case
        self._at = f"at {name_point(point)}"
        self._tensors = workload.tensors
        bindings = dict(point)
        self._ready: Ready = loaded.at(bindings)
        self._zones: list[tuple[str, Memory, int, int]] = []  # name, memory, bytes before, bytes of the operand
        self.pointers: list[int] = []
        for tensor in self._tensors:
            size = math.prod(workload.shape(tensor.name, bindings)) * BYTES[workload.dtype_of(tensor)]
            self.pointers.append(self._zone(tensor.name, size, shift))
            if not tensor.output:
                case.put(tensor, self.pointers[-1])
        self._workspace = 0
        if self._ready.workspace:
            self._workspace = self._zone("the workspace", self._ready.workspace, 0)
            clear(self._device, self._workspace, self._ready.workspace, 0)
        self._device.synchronise()

    def run(self) -> None:
        self._loaded.run(self._ready, self.pointers, self._workspace, 0)
        self._device.synchronise()

    def judge(self) -> None:
        for name, memory, before, size in self._zones:
            self._require_clean(name, "before", memory.address, before)
            self._require_clean(name, "after", memory.address + before + size, memory.nbytes - before - size)
        if self._workspace:
            counters = self._device.read(self._workspace, min(self._ready.workspace, COUNTERS))
            if counters.any():
                raise Failed(Status.WRONG, f"left its counters other than zero, {self._at}")
        for tensor, address in zip(self._tensors, self.pointers, strict=True):
            if not tensor.output and not self._case.untouched(tensor, address):
                raise Failed(Status.WRONG, f"wrote into the input {tensor.name}, {self._at}", corrupt=True)
        for tensor, address in zip(self._tensors, self.pointers, strict=True):
            if tensor.output:
                judge_output(self._case, tensor, address, self._at)

    def _require_clean(self, name: str, where: str, address: int, size: int) -> None:
        strays = np.flatnonzero(self._device.read(address, size) != PATTERN)
        if len(strays):
            far = size - int(strays[-1]) if where == "before" else int(strays[0]) + 1
            reason = f"wrote out of bounds of {name}, {far} bytes {where} it, {self._at}"
            raise Failed(Status.WRONG, reason, corrupt=True)

    def _zone(self, name: str, size: int, shift: int) -> int:
        memory = self._device.allocate(ZONE + shift + size + ZONE)
        self._device.fill(memory.address, memory.nbytes, PATTERN, 0)
        self._zones.append((name, memory, ZONE + shift, size))
        return memory.address + ZONE + shift


def judge_output(case: Operands, tensor: TensorSpec, address: int, at: str) -> None:
    difference = case.objection(tensor, address)
    if difference is not None:
        raise Failed(Status.WRONG, f"{difference}, {at}")


@dataclass(frozen=True)
class Copies:
    """Several sets of operands of one point; `sets[i]` is a kernel's pointer table. Nobody writes inputs."""

    sets: tuple[tuple[int, ...], ...]
    nbytes: int
    held: tuple[Memory, ...] = field(repr=False)


class Stock:
    """The copies of late, shared by all candidates of a point: who was checked writes nothing but its output."""

    def __init__(self, device: CudaDevice) -> None:
        self._device = device
        self._limit = min(_STOCK_BYTES, device.free_bytes() // _STOCK_SHARE)
        self._kept: OrderedDict[tuple[Workload, Point], Copies] = OrderedDict()

    def get(self, workload: Workload, point: Point, case: Operands) -> Copies:
        key = (workload, point)
        if key not in self._kept:
            self._make_room(bytes_on_device(workload, point))
            self._kept[key] = self._made(workload, dict(point), case)
        self._kept.move_to_end(key)
        return self._kept[key]

    def clear(self) -> None:
        self._kept.clear()

    def _make_room(self, one: int) -> None:
        while self._kept and sum(c.nbytes for c in self._kept.values()) + one > self._limit:
            self._kept.popitem(last=False)

    def _made(self, workload: Workload, bindings: Mapping[str, int], case: Operands) -> Copies:
        tensors = workload.tensors
        sizes = [math.prod(workload.shape(t.name, bindings)) * BYTES[workload.dtype_of(t)] for t in tensors]
        count = copies_of(sum(sizes), self._device.facts.l2, self._limit)
        held: list[Memory] = []
        sets = []
        for _ in range(count):
            pointers = []
            for tensor, size in zip(tensors, sizes, strict=True):
                memory = self._device.allocate(size)
                if tensor.output:
                    self._device.fill(memory.address, size, PATTERN, 0)
                else:
                    case.put(tensor, memory.address)
                held.append(memory)
                pointers.append(memory.address)
            sets.append(tuple(pointers))
        self._device.synchronise()
        return Copies(tuple(sets), sum(sizes) * count, tuple(held))


def copies_of(nbytes: int, cache: int, limit: int) -> int:
    """How many copies together exceed the cache so often that none survives in it until it is its turn again."""
    wanted = math.ceil(_CACHES * cache / max(nbytes, 1)) + 1 if nbytes < _CACHES * cache else 1
    return max(1, min(wanted, MOST_COPIES, limit // max(nbytes, 1)))


def bytes_on_device(workload: Workload, point: Point) -> int:
    """What one set of operands takes."""
    shapes = [(math.prod(workload.shape(t.name, dict(point))), workload.dtype_of(t)) for t in workload.tensors]
    return sum(count * BYTES[dtype] for count, dtype in shapes)
