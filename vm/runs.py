"""Runs: the stretches of a function that become one native call each, and what such a call takes and leaves.

A run is straight: it begins at its first instruction, nothing jumps into it, and only its last instruction may be a
branch. It holds what compiled code can do: memory, shapes, kernels on the host. Calls, values of data types, closures,
host functions and other devices stay with the interpreter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anytile.vm import isa
from anytile.vm.executable import KERNEL, SHAPE, KernelEntry, VMFunction
from anytile.vm.isa import HOST, successors, writes
from anytile.vm.liveness import dying, live_after

_STRAIGHT = (
    *(isa.Move, isa.LoadConst, isa.LoadConsti, isa.AllocTensor, isa.AllocTensorReg, isa.FreeStorage, isa.FreeTensor),
    *(isa.ShapeOf, isa.ReshapeTensor),
)
_SHORTEST = 2  # a run of one instruction is not worth the call
LONGEST = 400  # instructions: LLVM's time grows faster than a function's length


@dataclass(frozen=True, slots=True)
class Run:
    """Instructions begin..end-1 of a function. `leaves` are the registers that are read after it."""

    function: int
    begin: int
    end: int
    leaves: frozenset[int]
    dying: tuple[tuple[int, ...], ...]

    @property
    def name(self) -> str:
        return f"run_{self.function}_{self.begin}"


def find_runs(function: VMFunction, number: int, kernels: Sequence[KernelEntry]) -> list[Run]:
    """The runs of a function, in order."""
    code = function.code
    targets = {n for at, i in enumerate(code) for n in successors(i, at) if n != at + 1}
    after, dies = live_after(code), dying(code)
    found: list[Run] = []
    begin = 0
    while begin < len(code):
        end = begin
        while end < len(code) and end - begin < LONGEST and (end == begin or end not in targets):
            if not _straight(code[end], kernels):
                break
            end += 1
        works = any(isinstance(i, isa.InvokePacked | isa.AllocStorage) for i in code[begin:end])
        if works and end - begin >= _SHORTEST:
            if end < len(code) and end not in targets and _decidable(code[end], code[begin:end]):
                end += 1
            found.append(Run(number, begin, end, after[end - 1], tuple(dies[begin:end])))
        begin = max(end, begin + 1)
    return found


def _straight(i: isa.Instruction, kernels: Sequence[KernelEntry]) -> bool:
    if isinstance(i, isa.AllocStorage):
        return i.device == HOST
    if isinstance(i, isa.InvokePacked):
        entry = kernels[i.kernel]
        return entry.kind in (KERNEL, SHAPE) and entry.device == HOST
    return isinstance(i, _STRAIGHT)


def _decidable(last: isa.Instruction, before: Sequence[isa.Instruction]) -> bool:
    """Whether compiled code can decide a branch: both sides are whole numbers that the run itself made."""
    if not isinstance(last, isa.If):
        return False
    made = {writes(i): i for i in before}
    return all(
        isinstance(i, isa.LoadConsti) or (isinstance(i, isa.AllocTensor) and i.dtype != "float32" and not i.shape)
        for i in (made.get(last.left), made.get(last.right))
    )


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
    leaves: tuple[Left, ...]
    storages: int
    words: int
    failures: tuple[Failure, ...]
    branches: tuple[int, int] | None  # where to go on where its If holds, and where not


FAILED = 16  # the status of failure 0; below it stand 0 and, of a branch not taken, 1
RESULT_STORAGES = 2  # where the storages begin
