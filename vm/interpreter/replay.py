"""Replays of straight stretches: what one was found to do at some sizes is done again without being interpreted.

The first time that sizes are met, the interpreter goes through the stretch; the second time, or where others were met,
so does a recorder, whose addresses say which base they lie behind and which notes what a device is asked. From then on
memory is allocated, inputs are copied, the kernels run together, and registers are filled. What the instructions let go
of serves what they ask for later, as it did when they were interpreted; no other thread gets it before the kernels are
on their way. Where only few instructions follow from what changed, as when a sequence grows, those alone are done again
to know what the stretch does at new sizes. Invariant: what is noted follows from the key.
"""

from __future__ import annotations

import struct
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any as AnyType

from anytile.core.errors import AnytileError
from anytile.vm.interpreter.kernels import BoundShape, DeviceKernel
from anytile.vm.interpreter.steps import Machine, Plain, Program, Registers
from anytile.vm.interpreter.stretch_dependences import dependences_of
from anytile.vm.interpreter.stretches import Span
from anytile.vm.program import isa
from anytile.vm.program.executable import VMFunction
from anytile.vm.program.isa import HOST
from anytile.vm.program.liveness import Flow
from anytile.vm.runtime.pool_words import class_of
from anytile.vm.values.devices import Copy, Launch, Room, Together
from anytile.vm.values.memory import Storage
from anytile.vm.values.values import DeviceStorage, Tensor, Value, expect, place, tensor_of

REMEMBERED = 1024
MOST_DERIVED = 0.5  # of a stretch: of more of it no time would be won
ALIGNMENT = 256  # of memory of a device
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
        self._depends = dependences_of(span, function, program, flow)
        self._traced: tuple[tuple[object, ...], _Trace] | None = None  # of what sizes it was
        self._rows_of: dict[int, tuple[int, ...]] = {}  # by the inputs that change
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
            found: list[object] = [regs[r].words[_REST] for r in span.tensors]
            if span.storages or span.numbers:
                found += [regs[r].nbytes for r in span.storages]
                found += [regs[r].ints() for r in span.numbers]
            sizes = tuple(found)
            known = self._known.get(sizes)
            if known is None:
                known = self._learned(sizes, regs, machine)
            if known is None:
                return False
            known.run(regs, machine)
        except _Unforeseen:
            self._follows = False
            return False
        except AnytileError:
            return False
        return True

    def _learned(self, sizes: tuple[object, ...], regs: Registers, machine: Machine) -> _Recording | None:
        """What it does at sizes of which that was not known; None where they are met first and no others tell."""
        if sizes not in self._known:
            others = bool(self._known)
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            known = self._known[sizes] = self._derived(sizes, regs, machine)
            if known is not None or self._traced is not None or not others:
                return known
        known = self._known[sizes] = self._recorded(sizes, regs, machine)
        return known

    def _recorded(self, sizes: tuple[object, ...], regs: Registers, machine: Machine) -> _Recording:
        recorder, rows = _Recorder(self._span, self._program, regs), list[_Done]()
        for (instruction, step, dies), makes in zip(self._rows, self._depends.makes, strict=True):
            begun, launched = recorder.count, len(recorder.launches)
            recorder.do(instruction, step, machine)
            made = {r: _shadow(recorder.regs[r]) for r in makes}
            launch = launched if len(recorder.launches) > launched else None
            rows.append(_Done(begun, recorder.count, launch, made))
            for r in dies:
                recorder.regs[r] = None
        trace = recorder.trace(tuple(rows), machine)
        if self._traced is None:
            self._traced = sizes, trace
        return trace.recording

    def _derived(self, sizes: tuple[object, ...], regs: Registers, machine: Machine) -> _Recording | None:
        """What it does at sizes that were not met, if little of it follows from those that are others than before."""
        if self._traced is None:
            return None
        before, trace = self._traced
        changed = sum(1 << i for i, (old, new) in enumerate(zip(before, sizes, strict=True)) if old != new)
        rows = self._rows_of.get(changed)
        if rows is None:
            rows = self._rows_of[changed] = self._depends.rows(changed)
        if len(rows) > len(self._rows) * MOST_DERIVED:
            return None
        recorder, found = _Recorder(self._span, self._program, regs), dict[int, dict[int, Value]]()
        given, launches = list(recorder.regs), dict[int, Launch]()
        for row in rows:
            done, (instruction, step, _) = trace.rows[row], self._rows[row]
            if not self._depends.makes[row] and done.launch is None and not isinstance(instruction, isa.InvokePacked):
                continue  # it lets go of something
            for r, source in self._depends.reads[row]:
                of = given if source is None else found.get(source, trace.rows[source].made)
                recorder.regs[r] = of[r]
            recorder.count, launched = done.begun, len(recorder.launches)
            recorder.do(instruction, step, machine)
            found[row] = {r: recorder.regs[r] for r in self._depends.makes[row]}
            if (recorder.count, len(recorder.launches) > launched) != (done.ended, done.launch is not None):
                return None  # there is nothing to copy or to compute now, or was nothing then
            if done.launch is not None:
                launches[done.launch] = recorder.launches[-1]
        made_by = self._depends.made_by
        left = {r: found[made_by[r]][r] for r in self._span.leaves if made_by[r] in found}
        try:
            return recorder.derived(trace, launches, left)
        except _Unforeseen:
            return None


@dataclass(frozen=True, slots=True)
class _Recording:
    """What a stretch does at some sizes. Bases are numbered: 0 is the address 0, then come the tensors and storages
    that the stretch is given, then the memory that it asks for."""

    span: Span
    count: int
    tensors: tuple[tuple[int, int], ...]  # base and register of those that lie on the device,
    storages: tuple[tuple[int, int], ...]  # and of storage
    room: Room  # what lies nowhere behind the stretch
    memory: tuple[tuple[int, tuple[int, ...]], ...]  # bytes, and the bases that lie there, one after another
    copies: tuple[tuple[int, int, int], ...]  # base and register of what is copied there before all else, and bytes
    hosted: tuple[tuple[int, int], ...]  # base and bytes of the host's memory, if it is still wanted behind the stretch
    kernels: Together | None
    fixed: tuple[tuple[int, Value], ...]  # registers and what they hold,
    moved: tuple[tuple[int, int], ...]  # or which one they hold the same as,
    kept: tuple[tuple[int, int], ...]  # or of which base the memory is,
    placed: tuple[tuple[int, int, int, bytes, int, tuple[int, ...]], ...]  # or base, bytes behind it, and what is there

    def run(self, regs: Registers, machine: Machine) -> None:
        span, device = self.span, machine.devices[DEVICE]
        bases, held = [0] * self.count, dict[int, AnyType]()
        for base, r in self.tensors:
            bases[base], held[base] = _ADDRESS.unpack_from(regs[r].words)[0], regs[r].keeps
        for base, r in self.storages:
            bases[base], held[base] = regs[r].address, regs[r]
        for nbytes, lying in self.memory:
            storage = DeviceStorage(device.allocate(nbytes), DEVICE)
            for base in lying:
                held[base], bases[base] = storage, storage.address
        for base, nbytes in self.hosted:
            held[base] = machine.pool.allocate(nbytes)
        copies: list[Copy] = []
        for base, r, nbytes in self.copies:
            copies.append((base, _ADDRESS.unpack_from(regs[r].words)[0], nbytes))
        if self.kernels is not None:
            self.kernels(bases, self.room, copies)
        else:
            for base, source, nbytes in copies:
                if base not in self.room.behind:
                    device.write(bases[base], source, nbytes)
        for base, _ in self.hosted:  # of which a device knows nothing
            bases[base] = held[base].address

        filled = list(self.fixed)
        for r, other in self.moved:
            filled.append((r, regs[other]))
        for r, base in self.kept:
            filled.append((r, held[base]))
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


_FIELDS = ("fixed", "moved", "kept", "placed")
_Pieces = tuple[tuple[int, tuple[int, ...]], ...]  # of memory: bytes, and the bases that lie there, one after another
_Left = tuple[str, AnyType]  # what a register holds at the end: the field of a `_Recording` that says it, and how


@dataclass(frozen=True, slots=True)
class _Done:
    """What a recorder did with an instruction: the next base before it and after it, the number of the kernel that it
    launched, and what it made, which keeps no memory."""

    begun: int
    ended: int
    launch: int | None
    made: Mapping[int, Value]


@dataclass(frozen=True, slots=True)
class _Trace:
    """A recording, and how it came about."""

    recording: _Recording
    rows: tuple[_Done, ...]
    memory: tuple[tuple[int, int], ...]
    hosted: Mapping[int, int]  # bytes of the host, by base
    left: Mapping[int, _Left]


def _shadow(value: AnyType) -> AnyType:
    """What is known of a value, without its memory: others lie there afterwards."""
    if isinstance(value, DeviceStorage):
        return DeviceStorage(_Block(_place(value.address)[0], value.nbytes, []), DEVICE)
    if isinstance(value, Storage):
        return None  # who fills it anew makes it anew
    if isinstance(value, Tensor) and value.device == HOST:
        return tensor_of(value.array().copy())
    if isinstance(value, Tensor) and value.address >= _RECORDED:
        return Tensor(value.words, None, value.device, value.shape)
    return value


class _Recorder:
    """Goes through a stretch as the interpreter does, with registers of its own, and notes what it asks for."""

    def __init__(self, span: Span, program: Program, regs: Registers) -> None:
        self.regs = list(regs)
        self._span, self._program = span, program
        self._memory: list[tuple[int, int]] = []
        self._copies: list[tuple[int, int, int]] = []
        self._hosted: list[tuple[int, Storage]] = []
        self._fixed: list[tuple[AnyType, bool]] = []  # what is the same whenever the sizes are; whether memory may go
        self.launches: list[Launch] = []
        self._given: list[tuple[int, AnyType]] = []  # registers, and what stands in for what they hold
        self._there = tuple((base, r) for base, r in enumerate(span.tensors, 1) if regs[r].device != HOST)
        for base, r in enumerate((*span.tensors, *span.storages), 1):
            self.regs[r] = self._stand_in(base, regs[r])
            self._given.append((r, self.regs[r]))
        self._fixed += [(regs[r], True) for r in span.numbers]
        self.count = 1 + len(span.tensors) + len(span.storages)

    def _stand_in(self, base: int, held: AnyType) -> AnyType:
        """The same at a recorder's address, unless it is on the host; and nobody else's."""
        if isinstance(held, DeviceStorage):
            return DeviceStorage(_Block(base, held.nbytes, []), DEVICE)
        if held.device == HOST:
            return Tensor(held.words, held.keeps, HOST, held.shape)
        return Tensor(_ADDRESS.pack(_address(base)) + held.words[_REST], None, DEVICE, held.shape)

    def _asked(self, nbytes: int) -> DeviceStorage:
        self.count += 1
        return DeviceStorage(_Block(self.count - 1, nbytes, self._memory), DEVICE)

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
                    self.launches.append(Launch(kernel.on_device, dims, tuple(_place(a.address) for a in args)))
            case isa.ReshapeTensor():
                known = self._known(regs[i.tensor])
                step(regs, machine)
                if known is not None:
                    self._fixed.append((regs[i.dst], known))
            case _:
                step(regs, machine)
                self._note(i)

    def _known(self, value: AnyType) -> bool | None:
        """Whether memory of what is the same whenever the sizes are may go; None of what is not the same."""
        return next((may_go for one, may_go in self._fixed if one is value), None)

    def _copied(self, register: int, tensor: Tensor) -> Tensor:
        storage = self._asked(tensor.nbytes)
        self._copies.append((self.count - 1, register, tensor.nbytes))
        return place(storage, 0, tensor.shape, tensor.dtype)

    def _note(self, i: isa.Instruction) -> None:
        """What a step of the host made."""
        match i:
            case isa.AllocStorage():
                self._hosted.append((self.count, self.regs[i.dst]))
                self.count += 1
            case isa.LoadConst() | isa.LoadConsti() | isa.ShapeOf():
                self._fixed.append((self.regs[i.dst], False))
            case isa.InvokePacked() if isinstance(self._program.kernels[i.kernel], BoundShape):
                self._fixed += [(self.regs[a], True) for a in i.args[len(i.args) - i.outputs :]]
            case _:
                pass

    def trace(self, rows: tuple[_Done, ...], machine: Machine) -> _Trace:
        """What was noted, and what registers hold now."""
        left = {r: self._left(self.regs[r]) for r in self._span.leaves}
        hosted = {base: storage.nbytes for base, storage in self._hosted}
        kernels = machine.devices[DEVICE].together(self.launches) if self.launches else None
        memory = tuple(self._memory)
        recording = self._recording(self.count, memory, hosted, kernels, left, tuple(self._copies))
        return _Trace(recording, rows, memory, hosted, left)

    def derived(self, trace: _Trace, launches: Mapping[int, Launch], made: Mapping[int, Value]) -> _Recording:
        """The trace's recording, but for what was done again: kernels by their number, and what registers then hold."""
        kernels, asked = trace.recording.kernels, {base: nbytes for base, nbytes in self._memory if nbytes != _GONE}
        memory = tuple((base, n if n == _GONE else asked.get(base, n)) for base, n in trace.memory)
        hosted = {**trace.hosted, **{base: storage.nbytes for base, storage in self._hosted}}
        left = {**trace.left, **{r: self._left(value) for r, value in made.items()}}
        if kernels is not None and launches:
            kernels = kernels.changed(launches)
        again = {base: nbytes for base, _, nbytes in self._copies}
        copies = tuple((base, r, again.get(base, nbytes)) for base, r, nbytes in trace.recording.copies)
        return self._recording(trace.recording.count, memory, hosted, kernels, left, copies)

    def _recording(
        self,
        count: int,
        memory: Sequence[tuple[int, int]],
        hosted: Mapping[int, int],
        kernels: Together | None,
        left: Mapping[int, _Left],
        copies: tuple[tuple[int, int, int], ...],
    ) -> _Recording:
        each = {field: [(r, how) for r, (of, how) in left.items() if of == field] for field in _FIELDS}
        placed = tuple((r, *how) for r, how in each["placed"])
        wanted = {base for _, base in each["kept"]} | {base for _, base, *_ in placed}
        room, apart = _parted(_shared(memory, {base for base, *_ in copies}), wanted)
        return _Recording(
            self._span,
            count,
            self._there,
            tuple(enumerate(self._span.storages, 1 + len(self._span.tensors))),
            room,
            apart,
            copies,
            tuple((base, nbytes) for base, nbytes in hosted.items() if base in wanted),
            kernels,
            tuple(each["fixed"]),
            tuple(each["moved"]),
            tuple(each["kept"]),
            placed,
        )

    def _left(self, value: AnyType) -> _Left:
        """What a register holds at the end."""
        known = self._known(value)
        source = next((register for register, one in self._given if one is value), None)
        if known is not None:
            return "fixed", tensor_of(value.array().copy()) if known else value
        if source is not None:
            return "moved", source
        if isinstance(value, Tensor) and value.device != HOST and value.address < _RECORDED:
            return "fixed", value  # a view of a constant
        if isinstance(value, Tensor):
            base, behind = self._lies(value)
            return "placed", (base, behind, value.words[_REST], value.device, value.shape)
        return "kept", self._base_of(value)

    def _lies(self, tensor: Tensor) -> tuple[int, int]:
        """The base of a tensor, and how far behind it lies."""
        if tensor.device != HOST:
            return _place(tensor.address)
        base = self._base_of(tensor.keeps)
        return base, tensor.address - dict(self._hosted)[base].address

    def _base_of(self, memory: object) -> int:
        if isinstance(memory, DeviceStorage):
            return _place(memory.address)[0]
        for base, storage in self._hosted:
            if storage is memory:
                return base
        raise _Unforeseen


def _shared(memory: Sequence[tuple[int, int]], copied: Container[int]) -> _Pieces:
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


def _parted(pieces: _Pieces, wanted: Container[int]) -> tuple[Room, _Pieces]:
    """Pieces of memory that nobody wants behind the stretch, as its room, and the others."""
    end, behind, apart = 0, dict[int, int](), list[tuple[int, tuple[int, ...]]]()
    for nbytes, there in pieces:
        if any(base in wanted for base in there):
            apart.append((nbytes, there))
        else:
            behind |= dict.fromkeys(there, end)
            end += nbytes + ALIGNMENT - 1 & -ALIGNMENT
    return Room(end, behind), tuple(apart)


def _address(base: int) -> int:
    return _RECORDED + (base << _BASE)


def _place(address: int) -> tuple[int, int]:
    """The base that an address lies behind, and how far; what is not a recorder's always lies where it does."""
    if address < _RECORDED:
        return 0, address
    return (address - _RECORDED) >> _BASE, address & ((1 << _BASE) - 1)
