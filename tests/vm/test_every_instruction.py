"""Every instruction of the table, interpreted and compiled: the same value or the same error, whatever it is given.

Operands come out of the table's rows, so that an instruction that is new is tested by being there. What goes elsewhere
(jumps, calls, kernels, constants, other devices) is left to the tests of whole programs.
"""

from __future__ import annotations

from typing import Any as AnyType

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from anytile.core.errors import SpecError
from anytile.schedules.hardware.target import Target
from anytile.vm.executable import Executable
from anytile.vm.native.driver import Driver
from anytile.vm.program import isa
from anytile.vm.program.executable import TensorPort, TuplePort, VMFunction
from anytile.vm.program.isa import Instruction, Kind, Operand, Row
from anytile.vm.session import Session
from anytile.vm.values.values import Adt, tensor_of
from tests.support.run_outcomes import outcome

ELSEWHERE = {Operand.JUMP, Operand.CONST, Operand.FUNCTION, Operand.KERNEL}
ROWS = [
    row
    for row in isa.ROWS
    if not {kind for _, kind in row.operands} & ELSEWHERE
    and Kind.CLOSURE not in row.holds.values()
    and row.kind is not isa.DeviceCopy
]
TENSORS, TUPLE, STORAGE, RESULT, SHAPE = (0, 1, 2), 3, 5, 6, 7
HELD = {Kind.TENSOR: TENSORS, Kind.ADT: (TUPLE,), Kind.STORAGE: (STORAGE,), Kind.ANY: (*TENSORS, TUPLE, STORAGE)}
NUMBER, NUMBERS = TensorPort((), "int64"), TensorPort((None,), "int64")
INPUTS = (("a", NUMBER), ("b", NUMBER), ("v", NUMBERS), ("t", TuplePort((NUMBER, NUMBERS))))
NUMBERS_DRAWN = st.one_of(st.integers(-2, 70), st.integers(-(2**63), 2**63 - 1))
DRAWN: dict[Operand, st.SearchStrategy[AnyType]] = {
    Operand.DST: st.just(RESULT),
    Operand.INT: NUMBERS_DRAWN,
    Operand.UINT: st.sampled_from((0, 1, 2, 8, 64)),
    Operand.DTYPE: st.sampled_from(isa.DTYPES),
    Operand.SHAPE: st.lists(st.integers(0, 9), max_size=3).map(tuple),
    Operand.DEVICE: st.just(isa.HOST),
    Operand.TEXT: st.text(max_size=9),
}


@st.composite
def instructions(draw: st.DrawFn, row: Row) -> Instruction:
    values = []
    for name, kind in row.operands:
        registers = st.sampled_from(HELD[row.holds.get(name, Kind.ANY)])
        if kind is Operand.REGS:
            values.append(draw(st.lists(registers, max_size=3).map(tuple)))
        else:
            values.append(draw(registers if kind is Operand.REG else DRAWN[kind]))
    return row.kind(*values)


def executable(row: Row, instruction: Instruction) -> Executable:
    """A program around it, which returns what it makes; of memory that nothing was written to, the shape."""
    code = [isa.LoadConsti(4, 64), isa.AllocStorage(STORAGE, 4, 64, isa.HOST), instruction]
    made, returned = row.holds.get("dst"), 0
    if made is Kind.TENSOR and Kind.STORAGE in row.holds.values():
        code, returned = [*code, isa.ShapeOf(SHAPE, RESULT)], SHAPE
    elif made not in (None, Kind.STORAGE):
        returned = RESULT
    if isa.successors(instruction, 0):
        code.append(isa.Ret(returned))
    main = VMFunction("main", (Kind.TENSOR,) * 3 + (Kind.ADT,), Kind.ANY, 8, tuple(code))
    return Executable(str(Target.host(threads=1)), (main,), inputs=INPUTS, output=NUMBER)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row.name))
def test_interpreted_and_compiled_are_the_same(row: Row) -> None:
    @settings(max_examples=12)
    @given(instructions(row), NUMBERS_DRAWN, NUMBERS_DRAWN, st.lists(st.integers(-1, 9), max_size=3))
    def same(instruction: Instruction, a: int, b: int, v: list[int]) -> None:
        exe = executable(row, instruction)
        try:
            interpreted, compiled = Session(exe, compiled=False), Session(exe)
        except SpecError:
            assume(False)  # the verifier refuses it, as it does an alignment of 0
        assert isinstance(compiled._engine, Driver)
        number, numbers = (tensor_of(np.array(n, np.int64)) for n in (a, v))
        args = [number, tensor_of(np.array(b, np.int64)), numbers, Adt(0, (number, numbers))]
        assert outcome(compiled, list(args)) == outcome(interpreted, list(args))

    same()
