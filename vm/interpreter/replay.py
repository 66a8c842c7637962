"""Replays of straight stretches: what one was found to do at some sizes is done again without being interpreted.

The first time that sizes are met, the interpreter goes through the stretch; the second time so does a recorder, whose
addresses say which base they lie behind and which notes what a device is asked. From then on memory is allocated,
inputs are copied, the kernels run together, and registers are filled. What the instructions let go of serves what they
ask for later, as it did when they were interpreted; no other thread gets it before the kernels are on their way.
Invariant: what is noted follows from the key.
"""

from __future__ import annotations

import struct
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any as AnyType

import numpy as np

from anytile.core.errors import AnytileError
from anytile.vm.interpreter.kernels import BoundShape, DeviceKernel
from anytile.vm.interpreter.steps import Machine, Plain, Program, Registers
from anytile.vm.interpreter.stretches import Span
from anytile.vm.program import isa
from anytile.vm.program.executable import VMFunction
from anytile.vm.program.isa import HOST
from anytile.vm.program.liveness import Flow
from anytile.vm.runtime.pool_words import class_of
from anytile.vm.values.devices import Launch, Together
from anytile.vm.values.memory import Storage
from anytile.vm.values.values import DeviceStorage, Tensor, Value, expect, place, tensor_of

REMEMBERED = 1024
DEVICE = 1  # the one beside the host
_RECORDED = 1 << 61  # addresses from here on are a recorder's; no device has any
_BASE = 44  # bits of such an address that say how far behind its base it is
_ADDRESS = struct.Struct("=q")
_REST = slice(_ADDRESS.size, None)  # of a tensor's words: all but where it lies
_GONE = -1


class _Unforeseen(Exception):
    """Something of a stretch that may be otherwise the next time."""


class Stretch:
    """A stretch of a program. Threads share it: what it knows only grows."""

    def __init__(self, span: Span, function: VMFunction, program: Program, flow: Flow, steps: Sequence[Plain]) -> None:
        rows = slice(span.begin, span.end)
        self.end, self._span, self._program = span.end, span, program
        self._rows = list(zip(function.code[rows], steps, flow.dying[rows], strict=True))
        self._kinds: list[tuple[int, type]] = [(r, Tensor) for r in (*span.tensors, *span.numbers)] + [
            (r, DeviceStorage) for r in span.storages
        ]
        self._known: dict[tuple[object, ...], _Recording | None] = {}  # None: met once
        self._follows = True  # what it does from its sizes

    def play(self, regs: Registers, machine: Machine) -> bool:
        """Do what the stretch does, if that is known; where that fails, its steps are to say why and where."""
        if machine.log is not None or not self._follows:
            return False
        span = self._span
        for r, kind in self._kinds:
            if type(regs[r]) is not kind:
                return False
        try:
            sizes = (
                *[regs[r].words[_REST] for r in span.tensors],
                *[regs[r].nbytes for r in span.storages],
                *[regs[r].ints() for r in span.numbers],
            )
            if sizes not in self._known:
                if len(self._known) >= REMEMBERED:
                    self._known.clear()
                self._known[sizes] = None
                return False
            known = self._known.get(sizes)
            if known is None:
                known = self._known[sizes] = self._recorded(regs, machine)
            known.run(regs, machine)
        except _Unforeseen:
            self._follows = False
            return False
        except AnytileError:
            return False
        return True

    def _recorded(self, regs: Registers, machine: Machine) -> _Recording:
        recorder = _Recorder(self._span, self._program, regs)
        for instruction, step, dies in self._rows:
            recorder.do(instruction, step, machine)
            for r in dies:
                recorder.regs[r] = None
        return recorder.recording(machine)


@dataclass(frozen=True, slots=True)
class _Recording:
    """What a stretch does at some sizes. Bases are numbered: 0 is the address 0, then come the tensors and storages
    that the stretch is given, then the memory that it asks for."""

    span: Span
    count: int
    memory: tuple[tuple[int, tuple[int, ...]], ...]  # bytes, and the bases that lie there, one after another
    copies: tuple[tuple[int, int], ...]  # base, and the register of what is copied there before all else
    rooms: tuple[tuple[int, int], ...]  # base and bytes of the host's memory, if it is still wanted behind the stretch
    kernels: Together | None
    fixed: tuple[tuple[int, Value], ...]  # registers and what they hold,
    moved: tuple[tuple[int, int], ...]  # or which one they hold the same as,
    kept: tuple[tuple[int, int], ...]  # or of which base the memory is,
    placed: tuple[tuple[int, int, int, bytes, int, tuple[int, ...]], ...]  # or base, bytes behind it, and what is there

    def run(self, regs: Registers, machine: Machine) -> None:
        span, device = self.span, machine.devices[DEVICE]
        held: list[AnyType] = [None, *[regs[r].keeps for r in span.tensors], *[regs[r] for r in span.storages]]
        bases = [0, *[_ADDRESS.unpack_from(regs[r].words)[0] for r in span.tensors]]
        bases += [regs[r].address for r in span.storages]
        held += [None] * (self.count - len(held))
        bases += [0] * (self.count - len(bases))

        for nbytes, lying in self.memory:
            storage = DeviceStorage(device.allocate(nbytes), DEVICE)
            for base in lying:
                held[base], bases[base] = storage, storage.address
        for base, r in self.copies:
            device.write(bases[base], np.ascontiguousarray(regs[r].array()))
        for base, nbytes in self.rooms:
            held[base] = machine.pool.allocate(nbytes)
            bases[base] = held[base].address
        if self.kernels is not None:
            self.kernels(bases)

        filled = [*self.fixed, *[(r, regs[other]) for r, other in self.moved], *[(r, held[b]) for r, b in self.kept]]
        for r, base, behind, words, on, shape in self.placed:
            filled.append((r, Tensor(_ADDRESS.pack(bases[base] + behind) + words, held[base], on, shape)))
        for r in span.dies:
            regs[r] = None
        for r, value in filled:
            regs[r] = value


class _Block:
    """Memory of a recorder, which notes when nobody holds it any more."""

    __slots__ = ("_memory", "_number", "address", "nbytes")

    def __init__(self, number: int, nbytes: int, memory: list[tuple[int, int]]) -> None:
        self.address, self.nbytes = _address(number), nbytes
        self._number, self._memory = number, memory
        memory.append((number, nbytes))

    def hand_out(self) -> None:
        """Nobody looks at it."""

    def __del__(self) -> None:
        self._memory.append((self._number, _GONE))


class _Recorder:
    """Goes through a stretch as the interpreter does, with registers of its own, and notes what it asks for."""

    def __init__(self, span: Span, program: Program, regs: Registers) -> None:
        self.regs = list(regs)
        self._span, self._program = span, program
        self._memory: list[tuple[int, int]] = []
        self._copies: list[tuple[int, int]] = []
        self._rooms: list[tuple[int, Storage]] = []
        self._fixed: list[tuple[AnyType, bool]] = []  # what is the same whenever the sizes are; whether it is in a room
        self._launches: list[Launch] = []
        self._given: list[tuple[int, AnyType]] = []  # registers, and what stands in for what they hold
        for base, r in enumerate((*span.tensors, *span.storages), 1):
            self.regs[r] = self._stand_in(base, regs[r])
            self._given.append((r, self.regs[r]))
        self._fixed += [(regs[r], True) for r in span.numbers]
        self._count = 1 + len(span.tensors) + len(span.storages)

    def _stand_in(self, base: int, held: AnyType) -> AnyType:
        """The same at a recorder's address, unless it is on the host; and nobody else's."""
        if isinstance(held, DeviceStorage):
            return DeviceStorage(_Block(base, held.nbytes, []), DEVICE)
        if held.device == HOST:
            return Tensor(held.words, held.keeps, HOST, held.shape)
        return Tensor(_ADDRESS.pack(_address(base)) + held.words[_REST], None, DEVICE, held.shape)

    def _asked(self, nbytes: int) -> DeviceStorage:
        self._count += 1
        return DeviceStorage(_Block(self._count - 1, nbytes, self._memory), DEVICE)

    def do(self, i: isa.Instruction, step: Plain, machine: Machine) -> None:
        regs = self.regs
        match i:
            case isa.AllocStorage() if i.device != HOST:
                (nbytes,) = regs[i.size].ints()
                regs[i.dst] = self._asked(nbytes)
            case isa.DeviceCopy():
                tensor = expect(Tensor, regs[i.src])
                regs[i.dst] = tensor if tensor.device == i.to else self._copied(i.src, tensor)
            case isa.InvokePacked() if isinstance(kernel := self._program.kernels[i.kernel], DeviceKernel):
                args = [expect(Tensor, regs[a]) for a in i.args]
                dims = kernel.asked(args, i.outputs)
                if dims is not None:
                    self._launches.append(Launch(kernel.on_device, dims, tuple(_place(a.address) for a in args)))
            case _:
                step(regs, machine)
                self._note(i)

    def _copied(self, register: int, tensor: Tensor) -> Tensor:
        storage = self._asked(tensor.nbytes)
        self._copies.append((self._count - 1, register))
        return place(storage, 0, tensor.shape, tensor.dtype)

    def _note(self, i: isa.Instruction) -> None:
        """What a step of the host made."""
        match i:
            case isa.AllocStorage():
                self._rooms.append((self._count, self.regs[i.dst]))
                self._count += 1
            case isa.LoadConst() | isa.LoadConsti() | isa.ShapeOf():
                self._fixed.append((self.regs[i.dst], False))
            case isa.InvokePacked() if isinstance(self._program.kernels[i.kernel], BoundShape):
                self._fixed += [(self.regs[a], True) for a in i.args[len(i.args) - i.outputs :]]
            case _:
                pass

    def recording(self, machine: Machine) -> _Recording:
        """What was noted, and what registers hold now."""
        memory = _shared(tuple(self._memory), {base for base, _ in self._copies})
        fixed: list[tuple[int, Value]] = []
        moved: list[tuple[int, int]] = []
        kept: list[tuple[int, int]] = []
        placed = []
        for r in self._span.leaves:
            value = self.regs[r]
            known = next((in_room for one, in_room in self._fixed if one is value), None)
            source = next((register for register, one in self._given if one is value), None)
            if known is not None:
                fixed.append((r, tensor_of(value.array().copy()) if known else value))
            elif source is not None:
                moved.append((r, source))
            elif isinstance(value, Tensor) and value.device != HOST and value.address < _RECORDED:
                fixed.append((r, value))  # a view of a constant
            elif isinstance(value, Tensor):
                base, behind = self._lies(value)
                placed.append((r, base, behind, value.words[_REST], value.device, value.shape))
            else:
                kept.append((r, self._base_of(value)))
        wanted = {base for _, base in kept} | {base for _, base, *_ in placed}
        return _Recording(
            self._span,
            self._count,
            memory,
            tuple(self._copies),
            tuple((base, room.nbytes) for base, room in self._rooms if base in wanted),
            machine.devices[DEVICE].together(self._launches) if self._launches else None,
            tuple(fixed),
            tuple(moved),
            tuple(kept),
            tuple(placed),
        )

    def _lies(self, tensor: Tensor) -> tuple[int, int]:
        """The base of a tensor, and how far behind it lies."""
        if tensor.device != HOST:
            return _place(tensor.address)
        base = self._base_of(tensor.keeps)
        return base, tensor.address - dict(self._rooms)[base].address

    def _base_of(self, memory: object) -> int:
        if isinstance(memory, DeviceStorage):
            return _place(memory.address)[0]
        for base, room in self._rooms:
            if room is memory:
                return base
        raise _Unforeseen


def _shared(memory: Sequence[tuple[int, int]], copied: Container[int]) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """What is asked for in order, as pieces of memory, each with the bases that lie there in turn. What is copied comes
    before all else, into memory that nothing lay in before."""
    pieces: list[tuple[int, list[int]]] = []
    free: dict[int, list[list[int]]] = {}  # by size class: who lay there
    lying: dict[int, tuple[int, list[int]]] = {}
    for base, nbytes in memory:
        if nbytes == _GONE:
            size, there = lying.pop(base)
            free.setdefault(size, []).append(there)
            continue
        _, size = class_of(nbytes)
        if base not in copied and free.get(size):
            there = free[size].pop()
            there.append(base)
        else:
            there = [base]
            pieces.append((size, there))
        lying[base] = size, there
    return tuple((size, tuple(there)) for size, there in pieces)


def _address(base: int) -> int:
    return _RECORDED + (base << _BASE)


def _place(address: int) -> tuple[int, int]:
    """The base that an address lies behind, and how far; what is not a recorder's always lies where it does."""
    if address < _RECORDED:
        return 0, address
    return (address - _RECORDED) >> _BASE, address & ((1 << _BASE) - 1)
