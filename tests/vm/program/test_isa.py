"""The table of instructions: 22 of them, with the opcodes that files hold, and the page that derives from it."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from anytile.vm.program import isa


def test_there_are_22_and_opcodes_are_their_places() -> None:
    assert [row.kind.opcode for row in isa.ROWS] == list(range(22))
    assert len({row.name for row in isa.ROWS}) == 22


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


def test_the_reference_page(golden: object) -> None:
    golden("isa.md", isa.reference())  # type: ignore[operator]
