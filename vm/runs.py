"""Runs: the stretches of a function that become one native call each, and what such a call takes and leaves.

A run is straight: it begins at its first instruction, nothing jumps into it, and only its last instruction may be a
branch. It holds what compiled code can do: memory, shapes, kernels on the host. Calls, values of data types, closures,
host functions and other devices stay with the interpreter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anytile.vm import isa
from anytile.vm.executable import KERNEL, SHAPE, Constant, Executable, KernelEntry, VMFunction
from anytile.vm.isa import HOST, writes
from anytile.vm.liveness import Flow

_STRAIGHT = (
    *(isa.Move, isa.LoadConst, isa.LoadConsti, isa.AllocTensor, isa.AllocTensorReg, isa.FreeStorage, isa.FreeTensor),
    *(isa.ShapeOf, isa.ReshapeTensor),
)
_SHORTEST = 2  # a run of one instruction is not worth the call
LONGEST = 400  # instructions: LLVM's time grows faster than a function's length


@dataclass(frozen=True, slots=True)
class Run:
    """Instructions begin..end-1 of a function. `leaves` are the registers that others read after it, `dying` those
    that each instruction is the last to read, `fixed` those that only ever hold one constant."""

    function: int
    begin: int
    end: int
    leaves: frozenset[int]
    dying: tuple[tuple[int, ...], ...]
    fixed: Mapping[int, isa.Instruction]

    @property
    def name(self) -> str:
        return f"run_{self.function}_{self.begin}"


def find_runs(exe: Executable, number: int, flow: Flow) -> list[Run]:
    """The runs of a function, in order. Which register is on which device only the interpreter knows."""
    if len(exe.devices) > 1:
        return []
    function, kernels = exe.functions[number], exe.kernels
    code = function.code
    targets = {n for at, following in enumerate(flow.nexts) for n in following if n != at + 1}
    fixed = fixed_registers(function, flow)
    stretches: list[tuple[int, int]] = []
    begin = 0
    while begin < len(code):
        end = begin
        while end < len(code) and end - begin < LONGEST and (end == begin or end not in targets):
            if not _straight(code[end], kernels):
                break
            end += 1
        works = any(isinstance(i, isa.InvokePacked | isa.AllocStorage) for i in code[begin:end])
        if works and end - begin >= _SHORTEST:
            if end < len(code) and end not in targets and _decidable(code[end], code[begin:end], exe.constants):
                end += 1
            stretches.append((begin, end))
        begin = max(end, begin + 1)
    inside = {at for begin, end in stretches for at in range(begin, end)}
    elsewhere = {r for at, used in enumerate(flow.reads) if at not in inside for r in used}
    known = frozenset(fixed) - elsewhere  # every run makes these for itself
    return [
        Run(number, begin, end, flow.live_after[end - 1] - known, flow.dying[begin:end], fixed)
        for begin, end in stretches
    ]


def fixed_registers(function: VMFunction, flow: Flow) -> dict[int, isa.Instruction]:
    """Registers that are written once, by the load of a constant."""
    written: dict[int, list[isa.Instruction]] = {}
    for made, i in zip(flow.writes, function.code, strict=True):
        if made is not None:
            written.setdefault(made, []).append(i)
    params = len(function.params)
    loads = {r: found[0] for r, found in written.items() if len(found) == 1 and r >= params}
    return {r: i for r, i in loads.items() if isinstance(i, isa.LoadConst | isa.LoadConsti)}


def _straight(i: isa.Instruction, kernels: Sequence[KernelEntry]) -> bool:
    if isinstance(i, isa.AllocStorage):
        return i.device == HOST
    if isinstance(i, isa.InvokePacked):
        entry = kernels[i.kernel]
        return entry.kind in (KERNEL, SHAPE) and entry.device == HOST
    return isinstance(i, _STRAIGHT)


def _decidable(last: isa.Instruction, before: Sequence[isa.Instruction], constants: Sequence[Constant]) -> bool:
    """Whether compiled code can decide a branch: both sides are whole numbers that the run itself made."""
    if not isinstance(last, isa.If):
        return False
    made = {writes(i): i for i in before}
    return all(_is_whole(made.get(r), constants) for r in (last.left, last.right))


def _is_whole(i: isa.Instruction | None, constants: Sequence[Constant]) -> bool:
    match i:
        case isa.LoadConsti():
            return True
        case isa.LoadConst(constant=constant):
            array = constants[constant].array
            return array.dtype.name != "float32" and array.size == 1
        case isa.AllocTensor(dtype=dtype, shape=shape):
            return dtype != "float32" and not shape
    return False


@dataclass(frozen=True, slots=True)
class Keeps:
    """What keeps a tensor's memory: a storage that the run took, what a register held before it, or a constant."""

    how: str  # "taken", "storage", "tensor" (whatever keeps that tensor) or "constant"
    number: int


@dataclass(frozen=True, slots=True)
class Left:
    """What a run leaves in a register.

    same     what register `number` held before      constant  a constant of the executable
    literal  the int64 scalar `number`               taken     the storage of that number
    tensor   words at `offset` of the results        numbers   int64 numbers at `offset`, a scalar if `scalar`
    """

    register: int
    how: str
    number: int = 0
    offset: int = 0
    scalar: bool = False
    keeps: Keeps | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """One way for a run to fail: at which instruction, what, and a word more. Two numbers come with it at run time."""

    at: int
    what: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Emitted:
    """A run as LLVM IR, and how to call it. The results are words: two numbers of a failure, then address and size of
    each storage taken, then what registers are left with."""

    run: Run
    text: str
    takes: tuple[int, ...]  # registers whose words it reads, in order
    frees: tuple[int, ...]  # registers that held something before it, and nobody reads after it
    leaves: tuple[Left, ...]
    storages: int
    words: int
    failures: tuple[Failure, ...]
    branches: tuple[int, int] | None  # where to go on where its If holds, and where not


FAILED = 16  # the status of failure 0; below it stand 0 and, of a branch not taken, 1
RESULT_STORAGES = 2  # where the storages begin
