"""The table of instructions, with the opcodes that files hold, and what derives from it."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from anytile.vm.program import isa

IN_FILES = """
    Move Ret If Goto LoadConst LoadConsti AllocStorage AllocTensor AllocTensorReg AllocADT AllocClosure FreeStorage
    FreeTensor Invoke InvokeClosure InvokePacked GetField GetTag DeviceCopy ShapeOf ReshapeTensor Fatal
"""


def test_opcodes_are_places_in_the_table_and_those_in_files_stay() -> None:
    assert [row.kind.opcode for row in isa.ROWS] == list(range(len(isa.ROWS)))
    assert [row.name for row in isa.ROWS][: len(IN_FILES.split())] == IN_FILES.split()
    assert len({row.name for row in isa.ROWS}) == len(isa.ROWS)


def test_instructions_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        isa.Move(0, 1).dst = 2  # type: ignore[misc]


def test_reads_and_writes_come_out_of_the_table() -> None:
    call = isa.InvokeClosure(4, 3, (1, 2))
    assert isa.reads(call) == (3, 1, 2)
    assert isa.writes(call) == 4
    assert isa.writes(isa.Ret(0)) is None
    assert isa.successors(isa.If(0, 1, 5, 1), 10) == (15, 11)
    assert isa.successors(isa.Fatal("x"), 3) == ()


def test_every_register_operand_says_what_it_holds() -> None:
    for row in isa.ROWS:
        registers = {
            name for name, kind in row.operands if kind in (isa.Operand.DST, isa.Operand.REG, isa.Operand.REGS)
        }
        assert registers == set(row.holds)


def test_the_reference_has_a_line_for_each() -> None:
    lines = isa.reference().splitlines()[2:]
    assert [line.split(" | ")[1] for line in lines] == [row.name for row in isa.ROWS]
    assert all(line.count(" | ") == 3 for line in lines)
