"""A program as the driver reads it: a step for each run, and for each instruction between them, as words.

Jumps are relative to the step that jumps, calls go through the table of functions. Which instruction a step stands for
is what its NUMBER says; a run with nothing to do has no step, and a jump to it is one to what follows.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from anytile.vm.interpreter.host_functions import Twofold
from anytile.vm.interpreter.kernels import Bound, BoundPacked
from anytile.vm.native.regions import Interface
from anytile.vm.program import isa
from anytile.vm.program.executable import Executable
from anytile.vm.program.liveness import Flow, decided, fixed_registers
from anytile.vm.runtime.cell_words import ADT_CODE, CLOSURE_CODE
from anytile.vm.runtime.functions import host_operator
from anytile.vm.runtime.step_words import (
    APPEND,
    BACK_STEP,
    ENTER,
    FIELD,
    FIRST,
    GOTO,
    HOST_STEP,
    INVOKE,
    MAKE,
    MOST_OPERANDS,
    NUMBER,
    ON_TAG,
    PYTHON_STEP,
    RUN,
    TAG,
    TAIL,
    WHEN,
)
from anytile.vm.runtime.tensor_words import CODES

_WORD = 8
_PLACE = 32  # bits of a step's number that say which instruction of its function it is
_LOADS = (isa.LoadConst, isa.LoadConsti)


@dataclass(frozen=True, slots=True)
class Step:
    """One step before it is words: jumps are still instructions. `to` stand before `arguments`."""

    at: int
    operation: int
    a: int = 0
    b: int = 0
    c: int = 0
    to: tuple[int, ...] = ()
    arguments: tuple[int, ...] = ()
    dies: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        return FIRST + len(self.to) + len(self.arguments) + len(self.dies)


class Table:
    """All functions' steps. `address` is what the machine's FUNCTIONS is."""

    def __init__(
        self,
        exe: Executable,
        kernels: Sequence[Bound],
        flows: Sequence[Flow],
        runs: Mapping[tuple[int, int], tuple[Interface, int]],
    ) -> None:
        """`runs`: by function and first instruction, and where each is in memory."""
        words: list[int] = []
        self._places: dict[tuple[int, int], int] = {}
        firsts = []
        for number, flow in enumerate(flows):
            firsts.append(len(words))
            steps = list(_steps(exe, kernels, number, flow, runs))
            places, here = {}, len(words)
            for step in steps:
                places[step.at] = here
                here += step.size
            following = here
            for at in reversed(range(len(flow.reads))):
                following = places.setdefault(at, following)
                self._places[number, at] = following
            for step in steps:
                words += _words(step, number, places)
        self._words = (ctypes.c_int64 * len(words))(*words)
        base = ctypes.addressof(self._words)
        self._base = base
        about = []
        for function, first in zip(exe.functions, firsts, strict=True):
            about += [function.registers, len(function.params), base + _WORD * first]
        self._functions = (ctypes.c_int64 * len(about))(*about)
        self.address = ctypes.addressof(self._functions)

    def instruction(self, step: int) -> tuple[int, int]:
        """Function and instruction of the step at an address."""
        return divmod(self._words[(step - self._base) // _WORD + NUMBER], 1 << _PLACE)

    def step(self, function: int, at: int) -> int:
        """The address of the step of an instruction."""
        return self._base + _WORD * self._places[function, at]


def _words(step: Step, function: int, places: Mapping[int, int]) -> list[int]:
    here = places[step.at]
    arguments = (*(places[n] - here for n in step.to), *step.arguments)
    number = (function << _PLACE) + step.at
    head = (step.operation, number, step.size, step.a, step.b, step.c, len(arguments), len(step.dies))
    return [*head, *arguments, *step.dies]


def _steps(
    exe: Executable,
    kernels: Sequence[Bound],
    number: int,
    flow: Flow,
    runs: Mapping[tuple[int, int], tuple[Interface, int]],
) -> Iterator[Step]:
    function = exe.functions[number]
    code, fixed = function.code, fixed_registers(function, flow)
    end = 0
    for at, (instruction, dies) in enumerate(zip(code, flow.dying, strict=True)):
        if at < end:
            continue
        if (number, at) in runs:
            compiled, address = runs[number, at]
            end = compiled.end
            if compiled.leaves or compiled.frees or not all(isinstance(i, _LOADS) for i in code[at:end]):
                yield Step(at, RUN, address, to=compiled.branches or (end, end), dies=compiled.frees)
            continue
        made = flow.writes[at]
        is_last = made is not None and code[at + 1] == isa.Ret(made)
        match instruction:
            case isa.Ret(src=src):
                yield Step(at, BACK_STEP, src)
            case isa.If(left=left, right=right):
                to = (at + instruction.then, at + instruction.otherwise)
                yield Step(at, WHEN, left, right, to=to, dies=dies)
            case isa.Goto(to=to_):
                yield Step(at, GOTO, to=(at + to_,))
            case isa.GetTag(value=value) if (branches := decided(code, at, flow, fixed)) is not None:
                yield Step(at, ON_TAG, value, branches[0], to=branches[1:], dies=dies)
            case isa.GetTag(dst=dst, value=value):
                yield Step(at, TAG, dst, value, dies=dies)
            case isa.GetField(dst=dst, value=value, index=index):
                yield Step(at, FIELD, dst, value, index, dies=dies)
            case isa.AllocADT(dst=dst, tag=tag, fields=fields):
                yield Step(at, MAKE, dst, tag, ADT_CODE, arguments=fields, dies=dies)
            case isa.AllocClosure(dst=dst, function=called, captured=captured):
                yield Step(at, MAKE, dst, called, CLOSURE_CODE, arguments=captured, dies=dies)
            case isa.Invoke(dst=dst, function=called, args=args):
                dies = tuple(d for d in dies if d != dst)
                yield Step(at, TAIL if is_last else INVOKE, dst, called, arguments=args, dies=dies)
            case isa.InvokeClosure(dst=dst, closure=closure, args=args):
                dies = tuple(d for d in dies if d != dst)
                yield Step(at, ENTER, dst, closure, is_last, arguments=args, dies=dies)
            case isa.AppendTensor(dst=dst, tensor=tensor, rows=rows, axis=axis, dtype=dtype):
                how = (axis, CODES[dtype], isa.ITEMSIZE[dtype])
                yield Step(at, APPEND, dst, tensor, rows, arguments=how, dies=dies)
            case isa.InvokePacked(kernel=kernel, args=args, outputs=outputs) if (
                words := _by_native(kernels[kernel], len(args))
            ) is not None:
                address, *attributes = words
                arguments = (*args, outputs, *attributes)
                yield Step(at, HOST_STEP, address, len(args), kernel, arguments=arguments, dies=dies)
            case _:
                yield Step(at, PYTHON_STEP, dies=dies)


def _by_native(kernel: Bound, operands: int) -> tuple[int, ...] | None:
    """Of a function of the host that native code does: where that is, and its attributes."""
    if not isinstance(kernel, BoundPacked) or not isinstance(kernel.function, Twofold) or operands > MOST_OPERANDS:
        return None
    twofold = kernel.function
    return host_operator(twofold.native), *twofold.words(kernel.attributes)
