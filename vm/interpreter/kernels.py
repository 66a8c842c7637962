"""Kernels of an executable, bound to this process: loaded once, checked at every call, then run.

Invariant: machine code only ever sees arguments of the dtypes, element counts and device that its workload says under
the symbols' values of this call, outputs that may be written, and positions that lie within what they index; those that
lie on a device the host looked at before they went there, and kernels stay within their buffers by any. Ranks are
free: a (1, t, 768) tensor is a (t, 768) one. Nothing here knows instructions.
"""

from __future__ import annotations

import ctypes
import functools
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any as AnyType

import numpy as np
from numpy.typing import NDArray

from anytile.codegen.artifact import Artifact, Packed
from anytile.codegen.load.loader import KERNEL as KERNEL_TYPE
from anytile.codegen.load.loader import Loaded
from anytile.core.dtypes import BY_NAME
from anytile.core.errors import ArgumentError, CodegenError, SpecError, UnsupportedError
from anytile.core.plurals import counted
from anytile.dispatch.arguments.operands import Operands
from anytile.dispatch.cpu.constants import pack
from anytile.dispatch.cpu.huge_pages import Room
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr
from anytile.schedules.operators.spec import ONE, TensorSpec
from anytile.schedules.plans.plan import DispatchPlan, libraries_of
from anytile.schedules.workloads.workload import MAX_DIM, Workload
from anytile.vm.interpreter import host_functions
from anytile.vm.program.executable import KERNEL, SHAPE, KernelEntry
from anytile.vm.program.isa import HOST, ITEMSIZE
from anytile.vm.program.shape_programs import ShapeProgram, argument_of, parse
from anytile.vm.program.sizes import WHOLE, element_count
from anytile.vm.runtime.tensor_words import CODES, HEAD, READ_ONLY
from anytile.vm.values.devices import Device
from anytile.vm.values.memory import Pool
from anytile.vm.values.values import Tensor

Array = NDArray[AnyType]
REMEMBERED = 4096


@dataclass(frozen=True)
class Operand:
    """What one argument of a kernel must be: so many elements of a dtype, by the symbols; or so many bytes, packed."""

    name: str
    dtype: str
    extents: tuple[Expr, ...]
    packed_bytes: int | None
    positions_in: Expr | None
    written: bool

    @functools.cached_property
    def codes(self) -> tuple[int, ...]:
        """The dtype in the words of a tensor, and that of its bits, as which passes give weights in bfloat16."""
        return tuple(CODES[dtype] for dtype in BY_NAME[self.dtype].arrays)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """At some values of the symbols: each argument's shape and elements, what positions choose from, workspace."""

    shapes: tuple[tuple[int, ...], ...]
    elements: tuple[int, ...]
    positions: tuple[int, ...]
    workspace: int


class CheckedKernel(ABC):
    """A kernel of kind `kernel`, as far as it does not matter where it runs: what its arguments must be."""

    def __init__(self, entry: KernelEntry) -> None:
        self.entry, self.name = entry, entry.name
        self.workload = Workload.parse(entry.workload)
        self.dims = tuple(parse(text) for text in entry.dims)
        extents = self.workload.extents
        self.operands = tuple(
            Operand(
                t.name,
                "uint8" if t.name in self.workload.const else self._dtype(t),
                tuple(extents[d] for d in t.dims),
                self._packed_bytes(t.name) if t.name in self.workload.const else None,
                None if t.indexes is None or entry.device != HOST else extents[t.indexes],
                t.output,
            )
            for t in self.workload.tensors
        )
        names = sorted({name for e in self.dims for name in e.names})
        self.named = [(name, *argument_of(name)) for name in names]  # sizes that symbols are of: argument, dimension
        self._met: dict[tuple[int, ...], tuple[int, ...]] = {}  # symbols' values, by the sizes that they come of
        self._wanted: dict[tuple[int, ...], _Wanted] = {}

    def _dtype(self, tensor: TensorSpec) -> str:
        """The machine's dtype of what lies in memory so."""
        return self.workload.dtype_of(tensor)

    @abstractmethod
    def _packed_bytes(self, operand: str) -> int:
        """How many bytes a constant operand takes packed."""

    @abstractmethod
    def _workspace_bytes(self, dims: tuple[int, ...]) -> int:
        """How much memory of the run it works in."""

    def symbols(self, args: Sequence[Tensor]) -> tuple[int, ...]:
        """The symbols' values that the arguments' shapes give."""
        if not self.dims:
            return ()
        found = []
        for _, argument, element in self.named:
            shape = args[argument].shape
            found.append(shape[element] if element < len(shape) else 1)
        sizes = tuple(found)
        known = self._met.get(sizes)
        if known is None:
            by_name = {name: size for (name, _, _), size in zip(self.named, sizes, strict=True)}
            known = tuple([WHOLE.total(e, by_name) for e in self.dims])
            if len(self._met) >= REMEMBERED:
                self._met.clear()
            self._met[sizes] = known
        return known

    def wanted(self, dims: tuple[int, ...]) -> _Wanted:
        """What these symbols' values ask of the arguments; worked out once."""
        known = self._wanted.get(dims)
        if known is None:
            for symbol, value in zip(self.workload.symbols, dims, strict=True):
                if not 0 <= value <= MAX_DIM:
                    raise ArgumentError(f"{self.name}: {symbol}={value} is out of range; expected 0 to {MAX_DIM}")
            values = dict(zip(self.workload.symbols, dims, strict=True))
            shapes = [tuple(max(WHOLE.total(e, values), 0) for e in o.extents) for o in self.operands]
            if any(d > MAX_DIM for shape in shapes for d in shape):
                raise ArgumentError(f"{self.name}: {values}: a dimension is out of range; expected 0 to {MAX_DIM}")
            known = _Wanted(
                tuple(shapes),
                tuple(
                    element_count(shape, ITEMSIZE[o.dtype]) if o.packed_bytes is None else o.packed_bytes
                    for shape, o in zip(shapes, self.operands, strict=True)
                ),
                tuple(0 if o.positions_in is None else WHOLE.total(o.positions_in, values) for o in self.operands),
                self._workspace_bytes(dims),
            )
            if len(self._wanted) >= REMEMBERED:
                self._wanted.clear()
            self._wanted[dims] = known
        return known

    def shapes_at(self, dims: tuple[int, ...]) -> tuple[tuple[tuple[int, ...], ...], int]:
        """What the arguments are as the workload sees them, and how many bytes they take."""
        wanted = self.wanted(dims)
        nbytes = sum(n * ITEMSIZE[o.dtype] for n, o in zip(wanted.elements, self.operands, strict=True))
        return wanted.shapes, nbytes

    def check(self, args: Sequence[Tensor], wanted: _Wanted) -> None:
        """Refuse arguments that machine code must not see."""
        for operand, arg, elements, size in zip(self.operands, args, wanted.elements, wanted.positions, strict=True):
            _, count, code, _, flags = HEAD.unpack_from(arg.words)
            if code not in operand.codes or count != elements:
                raise ArgumentError(
                    f"{self.name}: {operand.name}: expected {counted(elements, 'element')} of {operand.dtype}, "
                    f"got {arg.dtype} of shape {arg.shape}"
                )
            if arg.device != self.entry.device:
                raise ArgumentError(
                    f"{self.name}: {operand.name} lies on device {arg.device}, the kernel runs on {self.entry.device}"
                )
            if operand.written and flags & READ_ONLY:
                raise ArgumentError(f"{self.name}: {operand.name} is written, and lies in read-only memory")
            if operand.positions_in is not None and elements:
                self._check_positions(operand, arg, size)

    def _check_positions(self, operand: Operand, arg: Tensor, size: int) -> None:
        array = arg.array()
        wrong = array[(array < -size) | (array >= size)]
        if wrong.size:
            raise ArgumentError(positions_misfit(self.name, operand.name, size, int(wrong[0])))


class BoundKernel(CheckedKernel):
    """A kernel on the host: object code in this process."""

    def __init__(self, entry: KernelEntry) -> None:
        plan = DispatchPlan.from_json(entry.plan)
        if plan.target.kind != "llvm" or not plan.target.is_host:
            raise UnsupportedError(
                f"kernel {entry.name}: its code is for {plan.target}, and this machine is {Target.host()}; save the "
                f"executable and load the file there, or here, where its kernels are then built again"
            )
        self.loaded = Loaded(_code_of(entry))
        if libraries_of(plan):
            from anytile.dispatch.cpu.kernel import connect_libraries  # here, since few plans have any

            connect_libraries(plan, self.loaded)
        super().__init__(entry)
        self._call = KERNEL_TYPE(self.loaded.entry)

    def _packed_bytes(self, operand: str) -> int:
        extents = self.workload.extents
        for d in self.workload.tensor(operand).dims:
            if d != ONE and extents[d].value is None:
                raise UnsupportedError(
                    f"kernel {self.name}: constant {operand} has the symbolic size {d}={extents[d]}; bind it first"
                )
        chosen = next(p for p in self.loaded.artifact.packed if p.operand == operand)
        return self.loaded.size(chosen.size, [0] * len(self.dims))

    def _workspace_bytes(self, dims: tuple[int, ...]) -> int:
        return self.loaded.workspace_bytes(dims)

    @functools.cached_property
    def workspace_address(self) -> int:
        """The function that says how much workspace sizes need, or 0 where none ever do."""
        name = self.loaded.artifact.workspace
        return 0 if name is None else self.loaded.address(name)

    @functools.cached_property
    def may_need_workspace(self) -> bool:
        """Whether some sizes need workspace, as far as that is known without them."""
        return self.workspace_address != 0 and (bool(self.dims) or self.loaded.workspace_bytes(()) > 0)

    def packed_operand(self, operand: str) -> Packed:
        """What is known of a constant operand."""
        chosen = next((p for p in self.loaded.artifact.packed if p.operand == operand), None)
        if chosen is None:
            raise SpecError(f"kernel {self.name}: it has no constant operand {operand!r}")
        return chosen

    def pack(self, operand: str, raw: Array, room: Room) -> Array:
        """A constant operand as this kernel reads it."""
        chosen = self.packed_operand(operand)
        tensor = self.workload.tensor(operand)
        shape = self.workload.shape(operand, dict.fromkeys(self.workload.symbols, 0))
        if raw.dtype.name not in BY_NAME[self._dtype(tensor)].arrays or raw.size != math.prod(shape):
            raise SpecError(f"kernel {self.name}: constant {operand} should be {shape}, got {raw.dtype}{raw.shape}")
        Operands(self.workload).check_pairs(tensor, raw.reshape(shape))
        return pack(self.loaded, chosen, np.ascontiguousarray(raw), [0] * len(self.dims), room)

    def run(self, args: Sequence[Tensor], outputs: int, pool: Pool, devices: Mapping[int, Device]) -> None:
        """Check and run."""
        dims = self.symbols(args)
        wanted = self.wanted(dims)
        self.check(args, wanted)
        addresses = [arg.address for arg in args]
        workspace = pool.allocate(wanted.workspace) if wanted.workspace else None
        at = 0 if workspace is None else workspace.address
        status = self._call((ctypes.c_void_p * len(addresses))(*addresses), (ctypes.c_int64 * len(dims))(*dims), at)
        if status:
            raise CodegenError(f"{self.name}: the kernel returned {status} at {dims}; compile the model again")


class DeviceKernel(CheckedKernel):
    """A kernel on a device beside the host, which holds its code and its workspace."""

    def __init__(self, entry: KernelEntry, device: Device) -> None:
        super().__init__(entry)
        self.on_device = device.load(_code_of(entry), DispatchPlan.from_json(entry.plan))

    def _packed_bytes(self, operand: str) -> int:
        raise SpecError(f"kernel {self.name}: {operand} is packed, and it runs on device {self.entry.device}; "
                        "expected packed operands on the host alone; compile the model again")  # fmt: skip

    def _workspace_bytes(self, dims: tuple[int, ...]) -> int:
        return 0

    def run(self, args: Sequence[Tensor], outputs: int, pool: Pool, devices: Mapping[int, Device]) -> None:
        """Check, and have it run in its turn."""
        dims = self.asked(args, outputs)
        if dims is not None:
            self.on_device([arg.address for arg in args], dims)

    def asked(self, args: Sequence[Tensor], outputs: int) -> tuple[int, ...] | None:
        """The symbols' values of a call that is in order; None where no result has an element: nothing is to do."""
        dims = self.symbols(args)
        wanted = self.wanted(dims)
        self.check(args, wanted)
        return dims if any(wanted.elements[len(args) - outputs :]) else None


def _code_of(entry: KernelEntry) -> Artifact:
    if entry.artifact is None:
        raise SpecError(f"kernel {entry.name}: it has no object code; load the executable by anytile.load")
    return entry.artifact


def positions_misfit(name: str, operand: str, size: int, got: int) -> str:
    return f"{name}: {operand}: expected positions from {-size} to {size - 1}, got {got}; pass positions that exist"


class BoundShape:
    """A kernel of kind `shape`: int64 tensors on the host in, int64 tensors out."""

    def __init__(self, entry: KernelEntry) -> None:
        self.entry, self.name = entry, entry.name

    @functools.cached_property
    def program(self) -> ShapeProgram:
        """What its text says, which nobody reads where machine code that is kept does its work."""
        return ShapeProgram.parse(self.entry.workload)

    def run(self, args: Sequence[Tensor], outputs: int, pool: Pool, devices: Mapping[int, Device]) -> None:
        """Read, compute, check, write."""
        inputs = [arg.ints() for arg in args[: len(args) - outputs]]
        for i, (count, found) in enumerate(zip(self.program.reads, inputs, strict=True)):
            if count is not None and count != len(found):
                raise ArgumentError(f"{self.name}: argument {i}: expected {counted(count, 'number')}, got {len(found)}")

        def element(argument: int, place: int) -> int:
            if place >= len(inputs[argument]):
                raise ArgumentError(f"{self.name}: argument {argument} has no element {place}")
            return inputs[argument][place]

        for result, target in zip(self.program.evaluate(element), args[len(args) - outputs :], strict=True):
            if target.elements != len(result) or target.dtype != "int64" or target.read_only:
                raise ArgumentError(f"{self.name}: expected a new int64 tensor of {len(result)}, got {target}")
            target.array().reshape(-1)[...] = result


class BoundPacked:
    """A kernel of kind `packed`: a host function of the table, a few of which compiled code does itself."""

    def __init__(self, entry: KernelEntry, functions: Mapping[str, host_functions.HostFunction]) -> None:
        self.entry, self.name = entry, entry.name
        self.function_name, self.attributes = host_functions.parse_call(entry.workload)
        self.function = host_functions.find(self.function_name, functions)

    @property
    def compiled_args(self) -> int:
        """How many arguments, its result among them, a call has that compiled code does itself; 0 where none is."""
        known = ((host_functions.arange, 4), (host_functions.repeat, 2))
        return 0 if self.attributes else next((args for function, args in known if self.function is function), 0)

    def is_compiled(self, args: int, outputs: int) -> bool:
        """Whether compiled code does a call of so many arguments itself."""
        return outputs == 1 and args == self.compiled_args

    def run(self, args: Sequence[Tensor], outputs: int, pool: Pool, devices: Mapping[int, Device]) -> None:
        """Call it with views of the arguments."""
        if any(arg.read_only for arg in args[len(args) - outputs :]):
            raise ArgumentError(f"{self.name}: an output lies in read-only memory")
        arrays = [arg.array() for arg in args]
        split = len(arrays) - outputs
        host_functions.run(self.function, self.function_name, arrays[:split], arrays[split:], self.attributes)


Bound = BoundKernel | DeviceKernel | BoundShape | BoundPacked


def bind(
    entry: KernelEntry, functions: Mapping[str, host_functions.HostFunction], devices: Mapping[int, Device]
) -> Bound:
    """Make an entry callable."""
    if entry.kind == KERNEL:
        return BoundKernel(entry) if entry.device == HOST else DeviceKernel(entry, devices[entry.device])
    return BoundShape(entry) if entry.kind == SHAPE else BoundPacked(entry, functions)
