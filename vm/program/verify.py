"""The verifier: what holds of a program before any of it runs. A program that does not hold is a SpecError.

Every operand names something that exists; jumps stay in the function and no path runs out of it; a register is written
before it is read, on every path, and not read after it was freed; registers hold what instructions want of them, where
that can be known (the rest the machine checks as it goes); calls have the right number of arguments. What only the
sizes at run time decide (that a tensor lies in its storage, that a kernel's arguments fit it) is checked at run time.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from anytile.core.errors import AnytileError, ArgumentError, SpecError
from anytile.core.plurals import counted
from anytile.schedules.workloads.workload import Workload
from anytile.vm.program.executable import (
    KERNEL,
    PACKED,
    SHAPE,
    Executable,
    KernelEntry,
    Port,
    Sound,
    TensorPort,
    TuplePort,
    VMFunction,
)
from anytile.vm.program.isa import (
    ALIGNMENT,
    DTYPES,
    HOST,
    ITEMSIZE,
    MAX_RANK,
    ROWS,
    AllocClosure,
    AllocStorage,
    AllocTensor,
    FreeStorage,
    FreeTensor,
    Instruction,
    Invoke,
    InvokePacked,
    Kind,
    Move,
    Operand,
    Ret,
    successors,
    writes,
)
from anytile.vm.program.liveness import Budget, blocks_of
from anytile.vm.program.shape_programs import ALL_WORK, ShapeProgram, Work, argument_of, parse
from anytile.vm.program.sizes import element_count

INSTRUCTIONS = 1 << 17  # of all functions: compiling one takes a third of a millisecond
NESTED = 100  # tuples of a port in each other: what describes them goes down one level a call
# A frame is never much larger than the code that made it: so many registers for each instruction, and some.
REGISTERS_EACH, REGISTERS_FREE = 4, 64
LOOKED_AT = 16  # times that verifying looks at an instruction, on average: each path that comes to it may say more
_State = dict[int, Kind]  # of registers that are written on every path

_FREE = (Operand.INT, Operand.UINT, Operand.DTYPE, Operand.SHAPE, Operand.TEXT)
# Of each opcode the operands that have limits, and of them the registers that are read, with what each must hold.
_LIMITED = tuple([(n, kind, row.holds.get(n)) for n, kind in row.operands if kind not in _FREE] for row in ROWS)
_READ = tuple(
    [(n, kind, row.holds[n]) for n, kind in row.operands if kind in (Operand.REG, Operand.REGS)] for row in ROWS
)

E = TypeVar("E", bound=Executable)  # a face stays one


def verified(exe: E) -> E:
    """The executable, refused where it is not sound; it then says what of it is, so that nobody looks twice."""
    verify(exe)
    return replace(exe, sound=Sound.of(exe))


def verify(exe: Executable) -> None:
    """Refuse an executable that is not sound."""
    if exe.sound is not None and exe.sound.holds(exe):
        return
    names = [f.name for f in exe.functions]
    if len(set(names)) != len(names):
        raise SpecError(f"executable: expected functions of different names, got {', '.join(names)}")
    if not exe.devices:
        raise SpecError("executable: expected at least one device, the host; got none")
    main = exe.functions[exe.main]
    if len(main.params) != len(exe.inputs):
        takes = counted(len(main.params), "value")
        raise SpecError(f"executable: main takes {takes}, got {counted(len(exe.inputs), 'name')} of inputs")
    for name, port in exe.inputs:
        _verify_port(f"input {name}", port)
    _verify_port("the result", exe.output)
    for data in exe.data:
        for constructor in data.constructors:
            for port in constructor.fields:
                _verify_port(f"constructor {constructor.name}", port)
    instructions = sum(len(f.code) for f in exe.functions)
    if instructions > INSTRUCTIONS:
        raise SpecError(f"executable: expected at most {INSTRUCTIONS} instructions, got {instructions}")
    work = Work(ALL_WORK)
    arities = [_verify_kernel(entry, len(exe.devices), work) for entry in exe.kernels]
    for c in exe.constants:
        if c.dtype not in DTYPES or len(c.shape) > MAX_RANK:
            raise SpecError(f"constant {c.name}: expected one of {', '.join(DTYPES)}, got {c.dtype}")
        _verify_size(f"constant {c.name}", c.shape, c.dtype)
        if c.laid is not None and c.packed is None:
            raise SpecError(f"constant {c.name}: it is packed, and for no kernel")
        if c.packed is not None and not 0 <= c.packed.kernel < len(exe.kernels):
            raise SpecError(f"constant {c.name}: it is packed for kernel {c.packed.kernel} of {len(exe.kernels)}")
        if not 0 <= c.device < len(exe.devices):
            raise SpecError(f"constant {c.name}: device {c.device} of {len(exe.devices)}")
        if c.device != HOST and c.packed is not None:
            raise SpecError(f"constant {c.name}: expected a packed constant on the host, got one on device {c.device}")
    budget = Budget()
    for function in exe.functions:
        _Function(exe, function, arities).verify(budget)


def _verify_size(where: str, shape: Iterable[int | str | None], dtype: str) -> None:
    """Refuse a tensor that is too large whatever its unknown dimensions are."""
    try:
        element_count([d for d in shape if isinstance(d, int)], ITEMSIZE[dtype])
    except ArgumentError as error:
        raise SpecError(f"{where}: {error}") from None


def _verify_port(where: str, port: Port) -> None:
    waiting = [(port, 0)]
    while waiting:
        found, depth = waiting.pop()
        if isinstance(found, TensorPort):
            _verify_size(where, found.shape, found.dtype)
        elif isinstance(found, TuplePort):
            if depth == NESTED:
                raise SpecError(f"{where}: expected at most {NESTED} tuples in each other, got more")
            waiting += [(field, depth + 1) for field in found.fields]


def _verify_kernel(entry: KernelEntry, devices: int, work: Work) -> tuple[int, int] | None:
    """How many inputs and outputs a kernel has that is sound; None where it takes what it is given."""
    if not 0 <= entry.device < devices:
        raise SpecError(f"kernel {entry.name}: device {entry.device} of {devices}")
    try:
        if entry.kind == SHAPE:
            program = ShapeProgram.parse(entry.workload, work)
            return len(program.reads), len(program.results)
        if entry.kind == KERNEL:
            workload = Workload.parse(entry.workload)
            if len(entry.dims) != len(workload.symbols):
                wanted = ", ".join(workload.symbols) or "none"
                raise SpecError(f"expected an expression for each of {wanted}, got {len(entry.dims)}")
            for text in entry.dims:
                for name in parse(text, work).names:
                    index, element = argument_of(name)
                    if index >= len(workload.tensors) or element >= MAX_RANK:
                        raise SpecError(f"{name} is no dimension of an argument")
            return len(workload.inputs), len(workload.outputs)
        if entry.kind != PACKED:
            raise SpecError(f"kind {entry.kind!r} is not {KERNEL}, {SHAPE} or {PACKED}")
    except AnytileError as error:
        raise SpecError(f"kernel {entry.name}: {error}") from None
    return None


class _Function:
    """One function under verification."""

    def __init__(self, exe: Executable, function: VMFunction, arities: list[tuple[int, int] | None]) -> None:
        self.exe, self.function, self.arities = exe, function, arities
        self.limits = {
            Operand.CONST: len(exe.constants),
            Operand.FUNCTION: len(exe.functions),
            Operand.KERNEL: len(exe.kernels),
            Operand.DEVICE: len(exe.devices),
        }

    def verify(self, budget: Budget) -> None:
        function = self.function
        most = len(function.params) + REGISTERS_EACH * len(function.code) + REGISTERS_FREE
        if not 0 <= function.registers <= most:
            raise self._wrong(None, f"expected at most {most} registers for its code, got {function.registers}")
        if len(function.params) > function.registers:
            raise self._wrong(None, f"{len(function.params)} parameters do not fit {function.registers} registers")
        if not function.code:
            raise self._wrong(None, "expected code, got none")
        for at, instruction in enumerate(function.code):
            self._operands(at, instruction)
        self._flow(budget)

    def _wrong(self, at: int | None, what: str) -> SpecError:
        where = f"function {self.function.name}" + ("" if at is None else f", instruction {at}")
        if at is not None:
            where += f" ({type(self.function.code[at]).__name__})"
        return SpecError(f"{where}: {what}; compile the model again")

    def _operands(self, at: int, instruction: Instruction) -> None:
        """What an instruction says on its own."""
        function = self.function
        for name, kind, held in _LIMITED[instruction.opcode]:
            value = getattr(instruction, name)
            if held is not None:
                for r in value if kind is Operand.REGS else (value,):
                    if not 0 <= r < function.registers:
                        raise self._wrong(at, f"{name} is register {r} of {function.registers}")
            elif kind in self.limits and not 0 <= value < self.limits[kind]:
                raise self._wrong(at, f"{name} is {kind.value} {value} of {self.limits[kind]}")
            elif kind is Operand.JUMP and not 0 <= at + value < len(function.code):
                raise self._wrong(at, f"{name} jumps to {at + value} of {len(function.code)}")
        if not all(0 <= n < len(function.code) for n in successors(instruction, at)):
            raise self._wrong(at, "the function runs out without a Ret")
        match instruction:
            case AllocTensor(shape=shape) if len(shape) > MAX_RANK:
                raise self._wrong(at, f"expected at most {MAX_RANK} dimensions, got {len(shape)}")
            case AllocTensor(shape=shape, dtype=dtype):
                try:
                    element_count(shape, ITEMSIZE[dtype])
                except ArgumentError as error:
                    raise self._wrong(at, str(error)) from None
            case AllocStorage(alignment=a) if a < 1 or a & (a - 1) or a > ALIGNMENT:
                raise self._wrong(at, f"expected an alignment of 1, 2, 4, ... {ALIGNMENT}, got {a}")
            case Invoke(function=f, args=args) if len(args) != len(self.exe.functions[f].params):
                wanted = len(self.exe.functions[f].params)
                raise self._wrong(
                    at, f"{self.exe.functions[f].name} takes {counted(wanted, 'argument')}, got {len(args)}"
                )
            case AllocClosure(function=f, captured=captured) if len(captured) > len(self.exe.functions[f].params):
                raise self._wrong(at, f"more captured values than {self.exe.functions[f].name} has parameters")
            case InvokePacked():
                self._kernel_call(at, instruction)

    def _kernel_call(self, at: int, call: InvokePacked) -> None:
        entry, count = self.exe.kernels[call.kernel], len(call.args)
        wanted = self.arities[call.kernel] or (count - call.outputs, call.outputs)
        if (count - call.outputs, call.outputs) != wanted or call.outputs > count:
            got = f"{count - call.outputs} and {call.outputs}"
            raise self._wrong(
                at, f"{entry.name} takes {counted(wanted[0], 'input')} and {counted(wanted[1], 'output')}, got {got}"
            )
        if entry.kind != KERNEL and entry.device != HOST:
            raise self._wrong(at, f"{entry.name} runs on the host only")

    def _flow(self, budget: Budget) -> None:
        """Every path through the function, by what registers hold where blocks begin that read them."""
        code, function = self.function.code, self.function
        blocks = blocks_of(code, budget)
        states: list[_State | None] = [None] * len(blocks)
        states[0] = dict(enumerate(function.params))
        waiting = [0]  # the first blocks first, since most code runs down
        queued = [True, *[False] * len(blocks)]
        steps = LOOKED_AT * len(code)
        while waiting:
            block = blocks[number := heapq.heappop(waiting)]
            queued[number] = False
            state = dict(states[number] or ())
            steps -= block.end - block.begin
            if steps < 0:
                raise self._wrong(None, f"expected loops that settle after looking {LOOKED_AT} times at its code")
            for at in range(block.begin, block.end):
                self._step(at, code[at], state)
            for n in block.nexts:
                known, carries = states[n], blocks[n].carries
                budget.pay(len(carries))
                if known is None:
                    merged = {r: state[r] for r in carries if r in state}
                else:
                    merged = {r: kind if kind is state[r] else Kind.ANY for r, kind in known.items() if r in state}
                if merged != known:
                    states[n] = merged
                    if not queued[n]:
                        queued[n] = True
                        heapq.heappush(waiting, n)

    def _step(self, at: int, instruction: Instruction, state: _State) -> None:
        for name, kind, wanted in _READ[instruction.opcode]:
            value = getattr(instruction, name)
            for r in value if kind is Operand.REGS else (value,):
                held = state.get(r)
                if held is None:
                    raise self._wrong(at, f"{name} reads register {r}, which is not written on every path")
                self._fits(at, name, held, wanted)
        match instruction:
            case Ret(src=src):
                self._fits(at, "src", state[src], self.function.result)
            case Invoke(dst=dst, function=f, args=args):
                called = self.exe.functions[f]
                for i, (r, wanted) in enumerate(zip(args, called.params, strict=True)):
                    self._fits(at, f"argument {i} of {called.name}", state[r], wanted)
                state[dst] = called.result
            case Move(dst=dst, src=src):
                state[dst] = state[src]
            case FreeStorage(src=src) | FreeTensor(src=src):
                del state[src]
            case _:
                made = writes(instruction)
                if made is not None:
                    state[made] = ROWS[instruction.opcode].holds["dst"]

    def _fits(self, at: int, name: str, held: Kind, wanted: Kind) -> None:
        if Kind.ANY not in (held, wanted) and held is not wanted:
            raise self._wrong(at, f"{name}: expected a {wanted.value}, got a {held.value}")
