"""Straight stretches: instructions in a row that ask a device for work and never look at what it makes.

What such a stretch does follows from the sizes that it meets, so at sizes that come again it is not interpreted: what
it was found to do is done again (see `replay`). Numbers of the host count as sizes where the stretch computes with
them. What needs the host's hands ends a stretch: its kernels, copies from a device, jumps, calls, and data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from anytile.vm.interpreter.kernels import BoundShape, DeviceKernel
from anytile.vm.interpreter.steps import Program
from anytile.vm.program import isa
from anytile.vm.program.executable import VMFunction
from anytile.vm.program.isa import HOST
from anytile.vm.program.liveness import Flow

_PLAIN = (isa.Move, isa.LoadConst, isa.LoadConsti, isa.ShapeOf, isa.AllocStorage, isa.AllocTensor, isa.AllocTensorReg,
          isa.ReshapeTensor, isa.FreeStorage, isa.FreeTensor)  # fmt: skip
_AT_ITS_END = (isa.Move, isa.LoadConst, isa.ReshapeTensor, isa.FreeStorage, isa.FreeTensor)  # which make no memory


@dataclass(frozen=True)
class Span:
    """The instructions begin..end-1 of a function. Of the registers that they read before they write them `numbers` are
    looked into, `storages` get tensors, and of `tensors` shape and place matter; what `dies` of all is not read again.
    `leaves` are written and read afterwards."""

    begin: int
    end: int
    numbers: tuple[int, ...]
    storages: tuple[int, ...]
    tensors: tuple[int, ...]
    leaves: tuple[int, ...]
    dies: tuple[int, ...]


def spans_of(function: VMFunction, program: Program, flow: Flow) -> Iterator[Span]:
    """The stretches of a function, as long as can be, each with a kernel in it of the one device beside the host."""
    if len(program.exe.devices) != 2:
        return
    begin, end, made = 0, 0, set[int]()  # `end` is behind the last kernel so far, if that is behind `begin`
    for at, i in enumerate(function.code):
        if at in flow.targets or not _fits(i, program, made):  # as the last one never does
            if end > begin:
                yield _span(function, program, flow, begin, end, at)
            made.clear()
            begin = at if _fits(i, program, made) else at + 1
        if at >= begin and (written := flow.writes[at]) is not None:
            made.add(written)
        if _is_kernel(i, program):
            end = at + 1


def _is_kernel(i: isa.Instruction, program: Program) -> bool:
    return isinstance(i, isa.InvokePacked) and isinstance(program.kernels[i.kernel], DeviceKernel)


def _fits(i: isa.Instruction, program: Program, made: set[int]) -> bool:
    """Whether an instruction may be in a stretch that has made some registers before it."""
    match i:
        case isa.InvokePacked() if isinstance(program.kernels[i.kernel], BoundShape):
            return made.issuperset(i.args[len(i.args) - i.outputs :])
        case isa.InvokePacked():
            return _is_kernel(i, program)
        case isa.DeviceCopy():
            return i.from_ == HOST and i.src not in made
        case _:
            return isinstance(i, _PLAIN)


def _span(function: VMFunction, program: Program, flow: Flow, begin: int, end: int, most: int) -> Span:
    """The stretch up to its last kernel, and what follows that and makes no memory."""
    while end < most and isinstance(function.code[end], _AT_ITS_END):
        end += 1
    roles: tuple[dict[int, None], ...] = {}, {}, {}  # numbers, storages, tensors, in the order that they are read
    given, made, dead = set[int](), set[int](), set[int]()
    for at in range(begin, end):
        i = function.code[at]
        looked_at, placed_in = _roles(i, program)
        given.update(set(flow.reads[at]) - made)
        for r in flow.reads[at]:
            if r not in made and not isinstance(i, isa.FreeStorage | isa.FreeTensor):
                roles[0 if r in looked_at else 1 if r in placed_in else 2][r] = None
        if (written := flow.writes[at]) is not None:
            made.add(written)
            dead.discard(written)
        dead.update(flow.dying[at])
    numbers, storages, tensors = map(tuple, roles)
    return Span(begin, end, numbers, storages, tensors, tuple(sorted(made - dead)), tuple(sorted(given & dead)))


def _roles(i: isa.Instruction, program: Program) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The registers whose numbers an instruction reads, and those of storage."""
    match i:
        case isa.AllocStorage():
            return (i.size,), ()
        case isa.AllocTensor():
            return (i.offset,), (i.storage,)
        case isa.AllocTensorReg():
            return (i.offset, i.shape), (i.storage,)
        case isa.ReshapeTensor():
            return (i.shape,), ()
        case isa.InvokePacked() if isinstance(program.kernels[i.kernel], BoundShape):
            return i.args[: len(i.args) - i.outputs], ()
        case _:
            return (), ()
