"""Dependence analysis of a straight stretch: which instructions follow from which of the sizes that it is given.

Where some sizes change and others stay, as from one word of a decoder to the next, only what follows from those that
change need be done to know what the stretch does (see `replay`). A tensor of the host that a shape function fills is
made anew with the rest of the storage that it lies in, for what was there may have been written over since.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anytile.vm.interpreter.kernels import BoundShape
from anytile.vm.interpreter.steps import Program
from anytile.vm.interpreter.stretches import Span
from anytile.vm.program import isa
from anytile.vm.program.executable import VMFunction
from anytile.vm.program.liveness import Flow

Read = tuple[int, int | None]  # a register, and the row that made what it holds; None of what the stretch was given


@dataclass(frozen=True)
class Dependences:
    """Of a stretch's instructions by their row: what each reads and makes, and a bit for each input it follows from, in
    the order of the span's tensors, storages and numbers. `made_by` is where what registers hold at the end is from."""

    reads: tuple[tuple[Read, ...], ...]
    makes: tuple[tuple[int, ...], ...]
    follows: tuple[int, ...]
    made_by: dict[int, int]

    def rows(self, changed: int) -> tuple[int, ...]:
        """Those that follow from one of the inputs whose bits are set, in order."""
        return tuple(row for row, bits in enumerate(self.follows) if bits & changed)


def dependences_of(span: Span, function: VMFunction, program: Program, flow: Flow) -> Dependences:
    bits: dict[int, int] = {}
    for number, r in enumerate((*span.tensors, *span.storages, *span.numbers)):
        bits[r] = bits.get(r, 0) | 1 << number
    code, made_by = function.code[span.begin : span.end], dict[int, int]()
    reads: list[tuple[Read, ...]] = []
    makes: list[tuple[int, ...]] = []
    for row, i in enumerate(code):
        at = span.begin + row
        reads.append(tuple((r, made_by.get(r)) for r in flow.reads[at]))
        written = flow.writes[at]
        makes.append(_filled(i, program) or (() if written is None else (written,)))
        made_by |= dict.fromkeys(makes[-1], row)

    follows = [0] * len(code)
    before: list[int] = []
    while before != follows:
        before = follows[:]
        for row, i in enumerate(code):
            for r, source in reads[row]:
                follows[row] |= bits.get(r, 0) if source is None else follows[source]
            for filled in _filled(i, program):
                for source in _memory(filled, row, reads, code):
                    follows[source] |= follows[row]
    return Dependences(tuple(reads), tuple(makes), tuple(follows), made_by)


def _filled(i: isa.Instruction, program: Program) -> tuple[int, ...]:
    """The registers whose tensors an instruction fills on the host."""
    if isinstance(i, isa.InvokePacked) and isinstance(program.kernels[i.kernel], BoundShape):
        return i.args[len(i.args) - i.outputs :]
    return ()


def _memory(register: int, row: int, reads: Sequence[Sequence[Read]], code: Sequence[isa.Instruction]) -> Sequence[int]:
    """The rows that made the tensor in a register as a row finds it, from its storage on."""
    found: list[int] = []
    source = dict(reads[row]).get(register)
    while source is not None and not isinstance(code[source], isa.AllocStorage):
        found.append(source)
        inner = code[source]
        of = inner.storage if isinstance(inner, isa.AllocTensor | isa.AllocTensorReg) else None
        source = None if of is None else dict(reads[source]).get(of)
    return found if source is None else [*found, source]
