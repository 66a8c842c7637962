"""Runs: the stretches of a function that become machine code of their own, and what is known of each.

A run is straight: it begins at its first instruction, nothing jumps into it, and only its last instruction may be a
branch. It holds memory, shapes and kernels on the host, and two functions of the host that are helpers too; calls and
values of data types are the driver's, which calls the runs, and other host functions are Python's.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from anytile.vm.interpreter.kernels import Bound, BoundKernel, BoundPacked, BoundShape
from anytile.vm.program import isa
from anytile.vm.program.executable import Constant, Executable, KernelEntry
from anytile.vm.program.isa import HOST, writes
from anytile.vm.program.liveness import Flow, decided, fixed_registers, written_once
from anytile.vm.program.shape_programs import Check, joint_weight

_PLACING = (isa.AllocStorage, isa.AllocTensor, isa.AllocTensorReg, isa.ReshapeTensor)
LONGEST = 1000  # instructions: LLVM takes longer than in proportion, but what crosses into another run loses its sizes
HEAVIEST = 1 << 12  # atoms and terms of sizes that kernels' calls in a run compute, for the same reason
ALL_COMPILED = 1 << 15  # the same in all runs: a call's arithmetic is written again wherever it is called


class Compiled:
    """Which calls of kernels become machine code. Those whose sizes take more than there is room for are Python's, as
    host functions are."""

    def __init__(self, kernels: Sequence[Bound]) -> None:
        self.costs = [_cost(kernel) for kernel in kernels]
        self.kernels = kernels
        self.left = ALL_COMPILED

    def take(self, i: isa.Instruction) -> int | None:
        """What the sizes of an instruction cost, if it is compiled."""
        cost = 0
        if isinstance(i, isa.InvokePacked):
            kernel = self.kernels[i.kernel]
            if isinstance(kernel, BoundPacked) and not kernel.is_compiled(len(i.args), i.outputs):
                return None
            cost = self.costs[i.kernel] + len(i.args)
        if cost > min(HEAVIEST, self.left):
            return None
        self.left -= cost
        return cost


def _cost(kernel: Bound) -> int:
    if isinstance(kernel, BoundShape):
        return joint_weight(kernel.program.exprs)
    if isinstance(kernel, BoundKernel):
        extents = [e for o in kernel.operands for e in (*o.extents, o.positions_in) if e is not None]
        return joint_weight((*kernel.dims, *extents))
    return 0


@dataclass(frozen=True, slots=True)
class Run:
    """Instructions begin..end-1 of a function. `leaves` are the registers that others read after it, `dying` those
    that each instruction is the last to read, `fixed` those that only ever hold one constant, `placed` those that only
    ever hold what one instruction places in a storage, `storages` those that only ever hold what one allocates."""

    function: int
    begin: int
    end: int
    leaves: frozenset[int]
    dying: tuple[tuple[int, ...], ...]
    fixed: Mapping[int, isa.Instruction]
    placed: Mapping[int, isa.AllocTensor | isa.AllocTensorReg]
    storages: frozenset[int]

    @property
    def name(self) -> str:
        return name_of(self.function, self.begin)


def name_of(function: int, begin: int) -> str:
    """What a run is called in its module."""
    return f"run_{function}_{begin}"


def find_runs(exe: Executable, number: int, flow: Flow, compiled: Compiled) -> list[Run]:
    """The runs of a function, in order."""
    function, kernels = exe.functions[number], exe.kernels
    code = function.code
    targets = flow.targets
    fixed = fixed_registers(function, flow)
    placed = {made for made, i in zip(flow.writes, code, strict=True) if made is not None and isinstance(i, _PLACING)}
    costs = [compiled.take(i) if _straight(i, kernels) else None for i in code]  # None of what is not compiled
    stretches: list[tuple[int, int]] = []
    begin = 0
    while begin < len(code):
        end, cost = begin, 0
        while end < len(code) and end - begin < LONGEST and (end == begin or end not in targets):
            more = costs[end]
            if more is None or cost + more > HEAVIEST or _should_let_go(code, begin, end, flow, placed):
                break
            end, cost = end + 1, cost + more
        if end > begin:
            if end < len(code) and end not in targets and _decidable(code[end], code[begin:end], exe.constants):
                end += 1
            stretches.append((begin, end))
        begin = max(end, begin + 1)
    inside = {at for begin, end in stretches for at in range(begin, end)}
    inside |= {at + 1 for at in range(len(code)) if decided(code, at, flow, fixed) is not None}
    elsewhere = {r for at, used in enumerate(flow.reads) if at not in inside for r in used}
    known = frozenset(fixed) - elsewhere  # every run makes these for itself
    once = written_once(function, flow)
    tensors = {r: i for r, i in once.items() if isinstance(i, isa.AllocTensor | isa.AllocTensorReg)}
    storages = frozenset(r for r, i in once.items() if isinstance(i, isa.AllocStorage))
    return [
        Run(number, begin, end, flow.left_by(begin, end) - known, flow.dying[begin:end], fixed, tensors, storages)
        for begin, end in stretches
    ]


def _should_let_go(code: Sequence[isa.Instruction], begin: int, at: int, flow: Flow, placed: Container[int]) -> bool:
    """Whether memory is asked for while a run would still hold some that an earlier one placed and nobody reads again:
    what a run was given goes back when it ends."""
    if not isinstance(code[at], isa.AllocStorage):
        return False
    made = {flow.writes[n] for n in range(begin, at)}
    return any(r in placed and r not in made for dying in flow.dying[begin:at] for r in dying)


def _straight(i: isa.Instruction, kernels: Sequence[KernelEntry]) -> bool:
    if isinstance(i, isa.AllocStorage):
        return i.device == HOST
    if isinstance(i, isa.InvokePacked):
        return kernels[i.kernel].device == HOST
    return i.is_straight


def _decidable(last: isa.Instruction, before: Sequence[isa.Instruction], constants: Sequence[Constant]) -> bool:
    """Whether compiled code can decide a branch: both sides are whole numbers that the run itself made."""
    if not isinstance(last, isa.If):
        return False
    made = {writes(i): i for i in before}
    return all(_is_whole(made.get(r), constants) for r in (last.left, last.right))


_WHOLE = ("int32", "int64", "bool")  # the scalars that native code reads as numbers


def _is_whole(i: isa.Instruction | None, constants: Sequence[Constant]) -> bool:
    match i:
        case isa.LoadConsti():
            return True
        case isa.LoadConst(constant=constant):
            array = constants[constant].array
            return array.dtype.name in _WHOLE and array.size == 1
        case isa.AllocTensor(dtype=dtype, shape=shape):
            return dtype in _WHOLE and not shape
    return False


@dataclass(frozen=True, slots=True)
class Owner:
    """What keeps a tensor's memory: a storage that the run took, what a register held before it, a constant, or the
    run's own stack, where numbers lie that a kernel reads."""

    how: str  # "taken", "storage", "tensor" (whatever keeps that tensor), "constant" or "stack"
    number: int


@dataclass(frozen=True, slots=True)
class Failure:
    """One way for a run to fail: at which instruction, what, and a word more. Two numbers come with it at run time.

    With a `check` of sizes come the values of the `names` in its shapes.
    """

    at: int
    what: str
    detail: str = ""
    check: Check | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return () if self.check is None else tuple(sorted({n for s in self.check.shapes for d in s for n in d.names}))


@dataclass(frozen=True, slots=True)
class Interface:
    """What the caller of a compiled run, instructions begin..end-1 of a function, must know of it."""

    function: int
    begin: int
    end: int
    frees: tuple[int, ...]  # registers that held something before it, and nobody reads after it
    leaves: tuple[int, ...]  # registers that it writes
    cells: int  # how many it makes at most
    branches: tuple[int, int] | None  # where to go on where its If holds, and where not


@dataclass(frozen=True, slots=True)
class Emitted:
    """A run as LLVM IR, `int32 run(ptr registers, ptr machine)`."""

    interface: Interface
    text: str
    takes: tuple[int, ...]  # registers whose cells it reads, in order
    failures: tuple[Failure, ...]
