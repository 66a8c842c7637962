"""Instructions to bytes and text and back, for every instruction, and what the readers refuse."""

from __future__ import annotations

import contextlib
import itertools
from typing import Any as AnyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.core.errors import SpecError
from anytile.vm.program import isa
from anytile.vm.program.assembly import assemble, disassemble
from anytile.vm.program.codec import decode, encode
from anytile.vm.program.executable import VMFunction
from anytile.vm.program.isa import Kind, Operand
from tests.support.cases.vm_executables import COUNT, LOOP

_UINT = st.integers(0, 2**63 - 1)
_STRATEGIES: dict[Operand, st.SearchStrategy[AnyType]] = {
    Operand.INT: st.integers(-(2**63), 2**63 - 1),
    Operand.REGS: st.lists(_UINT, max_size=5).map(tuple),
    Operand.SHAPE: st.lists(_UINT, max_size=5).map(tuple),
    Operand.DTYPE: st.sampled_from(isa.DTYPES),
    Operand.TEXT: st.text(max_size=20),
    Operand.FUNCTION: st.just(0),
}


@st.composite
def functions(draw: st.DrawFn) -> VMFunction:
    """Any instructions whose jumps stay inside."""
    count = draw(st.integers(1, 12))
    code = []
    for at in range(count):
        row = draw(st.sampled_from(isa.ROWS))
        values = [
            draw(st.integers(0, count - 1)) - at if kind is Operand.JUMP else draw(_STRATEGIES.get(kind, _UINT))
            for _, kind in row.operands
        ]
        code.append(row.kind(*values))
    params = tuple(draw(st.lists(st.sampled_from(Kind), max_size=3)))
    return VMFunction("main", params, draw(st.sampled_from(Kind)), draw(st.integers(0, 99)), tuple(code))


@pytest.mark.sampled(0)
@given(functions())
def test_bytes_read_back(function: VMFunction) -> None:
    data = encode(function.code)
    assert decode(data) == function.code
    assert encode(decode(data)) == data


@pytest.mark.sampled(0)
@given(functions())
def test_text_reads_back(function: VMFunction) -> None:
    assert assemble(disassemble([function])) == (function,)


@pytest.mark.sampled(0)
@given(functions(), st.data())
def test_a_prefix_is_refused_or_whole_instructions(function: VMFunction, data: st.DataObject) -> None:
    whole = encode(function.code)
    cut = data.draw(st.integers(0, len(whole)))
    with contextlib.suppress(SpecError):
        assert encode(decode(whole[:cut])) == whole[:cut]


@given(st.binary(max_size=60))
def test_any_bytes_are_refused_or_canonical(data: bytes) -> None:
    with contextlib.suppress(SpecError):
        assert encode(decode(data)) == data


@pytest.mark.parametrize("opcode", [0, isa.LoadConsti.opcode])  # a number from 0, one with a sign
def test_two_bytes_are_a_number_only_where_one_is_too_few(opcode: int) -> None:
    for first, second in itertools.product((0x80, 0xBF, 0xC0, 0xFF), range(0x80)):
        data = bytes((opcode, 0, first, second))
        signed = (first & 0x7F) + (second << 7) - (second >> 6 << 14)
        fits = -0x40 <= signed < 0x40 if opcode else second == 0
        if fits:
            with pytest.raises(SpecError, match="in 1 bytes, got 2"):
                decode(data)
        else:
            assert encode(decode(data)) == data


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"\xff", "opcode"),
        (b"\x00\x00", "cut off"),
        (b"\x00\x80\x00\x01", "bytes"),  # 0 in two bytes
        (b"\x15\x7fabc", "at most"),
        (b"\x15\x02\xff\xff", "UTF-8"),
        (b"\x07\x00\x00\x00\x00\x63", "dtype"),
    ],
)
def test_what_the_decoder_refuses(data: bytes, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        decode(data)


@pytest.mark.parametrize("text", [LOOP, COUNT])
def test_programs_by_hand_print_and_parse(text: str) -> None:
    functions = assemble(text)
    assert assemble(disassemble(functions)) == functions


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Move r0, r1", "function name"),
        ("function f() -> any, registers 1:\n  Mov r0, r1", "no instruction"),
        ("function f() -> any, registers 1:\n  Move r0", "takes dst, src"),
        ("function f() -> any, registers 1:\n  Goto nowhere", "expected jump"),
        ("function f() -> any, registers 1:\n  Invoke r0, @g, []", "expected function"),
        ("function f() -> any, registers 1:\n  Move r0, k1", "register"),
        ("function f(matrix) -> any, registers 1:\n  Ret r0", "matrix"),
    ],
)
def test_what_the_assembler_refuses(text: str, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        assemble(text)


def test_disassembly(golden: object) -> None:
    golden("loop.asm", disassemble(assemble(LOOP)))  # type: ignore[operator]
