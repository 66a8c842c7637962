"""Instructions -> steps: each becomes, once, a Python function over a frame's registers.

The meaning of every instruction that stays inside a function stands here, as plainly as can be; calls and returns are
the interpreter's. A step looks at what it reads, so that a register whose kind the verifier could not know is refused
in one line.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any as AnyType
from typing import TypeVar

from anytile.core.errors import AnytileError, ArgumentError
from anytile.core.plurals import counted
from anytile.vm.interpreter.kernels import Bound, CheckedKernel
from anytile.vm.program import isa
from anytile.vm.program.executable import Executable
from anytile.vm.values.devices import Device
from anytile.vm.values.events import Event
from anytile.vm.values.memory import Pool, Storage
from anytile.vm.values.values import (
    Adt,
    Closure,
    DeviceStorage,
    Tensor,
    Value,
    appended,
    copied,
    expect,
    place,
    reshaped,
    scalar_of,
    tensor_of_ints,
    unexpected,
)

Registers = list[AnyType]


class Machine:
    """Execution context: what one thread runs with. `log` is None unless somebody wants to know what ran."""

    def __init__(self, pool: Pool, devices: Mapping[int, Device]) -> None:
        self.pool, self.devices = pool, devices
        self.log: list[Event] | None = None

    def listen(self, log: list[Event] | None) -> None:
        """Note from now on what runs, or no longer."""
        self.log = log

    def rest(self) -> None:
        """A run is over, and another may begin."""
        if self.log is not None:
            self.listen(None)


@dataclass(frozen=True)
class Program:
    """An executable whose kernels are loaded and whose constants are tensors."""

    exe: Executable
    kernels: tuple[Bound, ...]
    constants: tuple[Tensor, ...]


Plain = Callable[[Registers, Machine], None]
Branch = Callable[[Registers, Machine], int]
Maker = TypeVar("Maker", bound=Callable[..., Plain])


class Stop(AnytileError):
    """What a Fatal instruction says."""


_MAKERS: dict[type[isa.Instruction], Callable[[AnyType, Program], Plain]] = {}


def _meaning(kind: type[isa.Instruction]) -> Callable[[Maker], Maker]:
    """The function below makes the step of such an instruction."""

    def put(maker: Maker) -> Maker:
        _MAKERS[kind] = maker
        return maker

    return put


def plain(instruction: isa.Instruction, program: Program) -> Plain | None:
    """What an instruction does that neither jumps nor calls; None for those that do."""
    maker = _MAKERS.get(type(instruction))
    return None if maker is None else maker(instruction, program)


def branch(i: isa.If, at: int) -> Branch:
    """The place where execution goes on."""
    left, right, then, otherwise = i.left, i.right, at + i.then, at + i.otherwise

    def act(regs: Registers, machine: Machine) -> int:
        a, b = regs[left], regs[right]
        if type(a) is not Tensor or type(b) is not Tensor:
            raise unexpected(Tensor, a if type(b) is Tensor else b)
        return then if a.scalar() == b.scalar() else otherwise

    return act


def tag_branch(i: isa.GetTag, tag: int, then: int, otherwise: int) -> Branch:
    """GetTag and the If behind it that compares the tag with a number, as one step."""
    value = i.value

    def act(regs: Registers, machine: Machine) -> int:
        held = regs[value]
        if type(held) is not Adt:
            raise unexpected(Adt, held)
        return then if held.tag == tag else otherwise

    return act


@_meaning(isa.Move)
def _move(i: isa.Move, program: Program) -> Plain:
    dst, src = i.dst, i.src

    def act(regs: Registers, machine: Machine) -> None:
        regs[dst] = regs[src]

    return act


@_meaning(isa.LoadConst)
def _load_const(i: isa.LoadConst, program: Program) -> Plain:
    dst, value = i.dst, program.constants[i.constant]

    def act(regs: Registers, machine: Machine) -> None:
        regs[dst] = value

    return act


@_meaning(isa.LoadConsti)
def _load_consti(i: isa.LoadConsti, program: Program) -> Plain:
    dst, value = i.dst, scalar_of(i.value)  # read-only, so one serves every run

    def act(regs: Registers, machine: Machine) -> None:
        regs[dst] = value

    return act


def _number(value: Value) -> int:
    numbers = expect(Tensor, value).ints()
    if len(numbers) != 1:
        raise ArgumentError(f"expected an int64 scalar, got {value}")
    return numbers[0]


@_meaning(isa.AllocStorage)
def _alloc_storage(i: isa.AllocStorage, program: Program) -> Plain:
    dst, size, device = i.dst, i.size, i.device

    def act(regs: Registers, machine: Machine) -> None:
        nbytes = _number(regs[size])
        if device == isa.HOST:
            regs[dst] = machine.pool.allocate(nbytes)
        else:
            regs[dst] = DeviceStorage(machine.devices[device].allocate(nbytes), device)

    return act


def _memory(value: Value) -> Storage | DeviceStorage:
    if isinstance(value, Storage | DeviceStorage):
        return value
    raise ArgumentError(f"expected a storage, got a {type(value).__name__.lower()}")


@_meaning(isa.AllocTensor)
def _alloc_tensor(i: isa.AllocTensor, program: Program) -> Plain:
    dst, storage, offset, shape, dtype = i.dst, i.storage, i.offset, i.shape, i.dtype

    def act(regs: Registers, machine: Machine) -> None:
        regs[dst] = place(_memory(regs[storage]), _number(regs[offset]), shape, dtype)

    return act


@_meaning(isa.AllocTensorReg)
def _alloc_tensor_reg(i: isa.AllocTensorReg, program: Program) -> Plain:
    dst, storage, offset, shape, dtype = i.dst, i.storage, i.offset, i.shape, i.dtype

    def act(regs: Registers, machine: Machine) -> None:
        dims = expect(Tensor, regs[shape]).ints()
        regs[dst] = place(_memory(regs[storage]), _number(regs[offset]), dims, dtype)

    return act


@_meaning(isa.AllocADT)
def _alloc_adt(i: isa.AllocADT, program: Program) -> Plain:
    dst, tag, fields = i.dst, i.tag, i.fields

    def act(regs: Registers, machine: Machine) -> None:
        regs[dst] = Adt(tag, tuple([regs[f] for f in fields]))

    return act


@_meaning(isa.AllocClosure)
def _alloc_closure(i: isa.AllocClosure, program: Program) -> Plain:
    dst, function, captured = i.dst, i.function, i.captured

    def act(regs: Registers, machine: Machine) -> None:
        regs[dst] = Closure(function, tuple([regs[c] for c in captured]))

    return act


@_meaning(isa.FreeStorage)
@_meaning(isa.FreeTensor)
def _free(i: isa.FreeStorage | isa.FreeTensor, program: Program) -> Plain:
    src = i.src

    def act(regs: Registers, machine: Machine) -> None:
        regs[src] = None

    return act


@_meaning(isa.InvokePacked)
def _invoke_packed(i: isa.InvokePacked, program: Program) -> Plain:
    number, kernel, outputs, args = i.kernel, program.kernels[i.kernel], i.outputs, i.args

    def act(regs: Registers, machine: Machine) -> None:
        values = [expect(Tensor, regs[a]) for a in args]
        if machine.log is None:
            kernel.run(values, outputs, machine.pool, machine.devices)
            return
        dims = kernel.symbols(values) if isinstance(kernel, CheckedKernel) else ()
        shapes, nbytes = tuple(v.shape for v in values), sum(v.nbytes for v in values)
        start = time.perf_counter_ns()
        kernel.run(values, outputs, machine.pool, machine.devices)
        if kernel.entry.device != isa.HOST:
            machine.devices[kernel.entry.device].wait()  # or its time would be somebody else's
        machine.log.append(Event(number, start, time.perf_counter_ns(), dims, shapes, nbytes))

    return act


@_meaning(isa.GetField)
def _get_field(i: isa.GetField, program: Program) -> Plain:
    dst, value, index = i.dst, i.value, i.index

    def act(regs: Registers, machine: Machine) -> None:
        held = regs[value]
        if type(held) is not Adt:
            raise unexpected(Adt, held)
        if index >= len(held.fields):
            raise ArgumentError(f"expected a value with a field {index}, got {counted(len(held.fields), 'field')}")
        regs[dst] = held.fields[index]

    return act


@_meaning(isa.GetTag)
def _get_tag(i: isa.GetTag, program: Program) -> Plain:
    dst, value = i.dst, i.value

    def act(regs: Registers, machine: Machine) -> None:
        held = regs[value]
        if type(held) is not Adt:
            raise unexpected(Adt, held)
        regs[dst] = scalar_of(held.tag)

    return act


@_meaning(isa.DeviceCopy)
def _device_copy(i: isa.DeviceCopy, program: Program) -> Plain:
    dst, src, origin, to = i.dst, i.src, i.from_, i.to

    def act(regs: Registers, machine: Machine) -> None:
        regs[dst] = copied(expect(Tensor, regs[src]), origin, to, machine.pool, machine.devices)

    return act


@_meaning(isa.ShapeOf)
def _shape_of(i: isa.ShapeOf, program: Program) -> Plain:
    dst, tensor = i.dst, i.tensor

    def act(regs: Registers, machine: Machine) -> None:
        regs[dst] = tensor_of_ints(expect(Tensor, regs[tensor]).shape)

    return act


@_meaning(isa.ReshapeTensor)
def _reshape(i: isa.ReshapeTensor, program: Program) -> Plain:
    dst, tensor, shape = i.dst, i.tensor, i.shape

    def act(regs: Registers, machine: Machine) -> None:
        regs[dst] = reshaped(expect(Tensor, regs[tensor]), expect(Tensor, regs[shape]).ints())

    return act


@_meaning(isa.AppendTensor)
def _append(i: isa.AppendTensor, program: Program) -> Plain:
    dst, tensor, rows, axis, dtype = i.dst, i.tensor, i.rows, i.axis, i.dtype

    def act(regs: Registers, machine: Machine) -> None:
        own, more = expect(Tensor, regs[tensor]), expect(Tensor, regs[rows])
        regs[dst] = appended(own, more, axis, dtype, machine.pool, machine.devices)

    return act


@_meaning(isa.Fatal)
def _fatal(i: isa.Fatal, program: Program) -> Plain:
    message = i.message

    def act(regs: Registers, machine: Machine) -> None:
        raise Stop(message)

    return act
