"""Kernel table and constant pool of an executable: kernels, each looked up once, and constants, each stored once.

Looking a plan up is an effect that is passed in as a `Planner`. A constant that a kernel reads packed is stored as it
was given, with a note for whom it is to be packed. Of a module with more constants than the caches hold, kernels read
theirs from memory at every run: their workloads say so, and get plans that were measured that way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from anytile.compiler.ir import memory_dialect as dialect
from anytile.compiler.ir.equality import constant_key
from anytile.compiler.ir.memory_dialect import HOST
from anytile.compiler.ir.nodes import Call, Constant, Expr, GlobalRef, Module
from anytile.compiler.ir.traverse import nodes
from anytile.compiler.kernels.kernel_of import kernel_of
from anytile.core.errors import SpecError
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.streaming import overflows_caches, streaming
from anytile.schedules.workloads.workload import Workload
from anytile.vm.program.executable import KERNEL, PACKED, SHAPE, KernelEntry, PackedFor, constant
from anytile.vm.program.executable import Constant as Stored


@dataclass(frozen=True, slots=True)
class Planned:
    """What was found for a workload: the plan as text, which rung of the ladder it stands on, and why in words."""

    plan: str
    rung: str
    because: str = ""


Planner = Callable[[Workload], Planned]


@dataclass(frozen=True, slots=True)
class Weight:
    """An argument that is a constant which a kernel reads packed."""

    value: Constant
    packed: PackedFor


Argument = Expr | Weight


class KernelTable:
    """The kernels and constants of one executable; `beside` plans those that run beside the host."""

    def __init__(self, target: Target, planner: Planner, streams: bool = False, beside: Planner | None = None) -> None:
        self.target, self.planner, self.streams = target, planner, streams
        self.beside = planner if beside is None else beside
        self._entries: list[KernelEntry] = []
        self._places: dict[tuple[str, str], int] = {}
        self._operands: dict[int, tuple[int, ...]] = {}
        self._stored: list[Stored] = []
        self._known: dict[object, int] = {}

    def kernels(self) -> tuple[KernelEntry, ...]:
        return tuple(self._entries)

    def constants(self) -> tuple[Stored, ...]:
        return tuple(self._stored)

    def kernel(self, call: Call, module: Module) -> tuple[int, tuple[Argument, ...]]:
        """The kernel of a `vm.invoke_mut`, and what it is called with: the workload's operands, then its results."""
        ref = call.args[0]
        assert isinstance(ref, GlobalRef)
        index = self._places.get((KERNEL, ref.name))
        if index is None:
            index = self._planned(ref.name, module)
        workload = Workload.parse(self._entries[index].workload)
        given = dialect.inputs_of(call)
        args: list[Argument] = []
        for tensor, place in zip(workload.inputs, self._operands[index], strict=True):
            value = given[place]
            if tensor.name not in workload.const:
                args.append(value)
            elif isinstance(value, Constant):
                args.append(Weight(value, PackedFor(index, tensor.name)))
            else:
                raise SpecError(f"{ref.name}: its {tensor.name} is packed ahead of time; expected a constant")
        return index, (*args, *dialect.outputs_of(call))

    def _planned(self, name: str, module: Module) -> int:
        function = module.function(name)
        found = kernel_of(function)
        if found is None:
            raise SpecError(f"{name}: no kernel does what this primitive function says; fusion made something else")
        workload = found.workload
        device = dict(function.attrs).get("device", HOST)
        assert isinstance(device, int)
        if self.streams and device == HOST:
            workload = streaming(workload)
        planned = self.planner(workload) if device == HOST else self.beside(workload)
        dims = tuple(map(str, found.dims))
        text = str(workload)
        entry = KernelEntry(
            name, KERNEL, text, planned.plan, dims, device=device, rung=planned.rung, because=planned.because
        )
        index = self._add((KERNEL, name), entry)
        self._operands[index] = found.operands
        return index

    def shape(self, program: str) -> int:
        return self._found(SHAPE, program, "sizes")

    def host(self, text: str) -> int:
        return self._found(PACKED, text, text.partition(" ")[0])

    def _found(self, kind: str, text: str, name: str) -> int:
        index = self._places.get((kind, text))
        if index is None:
            index = self._add((kind, text), KernelEntry(f"{name}.{len(self._entries)}", kind, text))
        return index

    def _add(self, key: tuple[str, str], entry: KernelEntry) -> int:
        self._places[key] = len(self._entries)
        self._entries.append(entry)
        return self._places[key]

    def constant(self, value: Constant, packed: PackedFor | None = None, device: int = HOST) -> int:
        """The number of a constant among those of the executable, as it is on a device."""
        key = (packed, device, constant_key(value))
        if key not in self._known:
            self._known[key] = len(self._stored)
            self._stored.append(constant(np.asarray(value.array), value.name, packed, device))
        return self._known[key]


def overflowing(module: Module, target: Target) -> bool:
    """Whether what the module's functions read of constants at one run is more than the target's caches hold."""
    read = (e for function in module.functions.values() for e in nodes(function.body))
    constants = {id(e): e.array.nbytes for e in read if isinstance(e, Constant)}
    return overflows_caches(sum(constants.values()), target)
