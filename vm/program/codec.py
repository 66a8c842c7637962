"""Instructions <-> bytes: one byte of opcode, then the operands, numbers as LEB128.

What the decoder accepts the encoder writes back byte for byte: a number in more bytes than it needs, a text that is not
UTF-8, an unknown opcode or anything cut off is a SpecError. No length is believed before it was held against the bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any as AnyType

from anytile.core.errors import SpecError
from anytile.vm.program.isa import DTYPES, ROWS, Instruction, Operand

_SIGNED = (Operand.INT, Operand.JUMP)
_LISTS = (Operand.REGS, Operand.SHAPE)
_LOW, _HIGH = -(2**63), 2**63
_PLAIN = frozenset(Operand) - {*_SIGNED, *_LISTS, Operand.DTYPE, Operand.TEXT}  # numbers that mean what they are
# Of each opcode its operands, and its class with their kinds; that of a plain number is None.
_OPERANDS = tuple([(name, None if kind in _PLAIN else kind) for name, kind in row.operands] for row in ROWS)
_DECODED = tuple((row.kind, [kind for _, kind in named]) for row, named in zip(ROWS, _OPERANDS, strict=True))


def encode(code: Sequence[Instruction]) -> bytes:
    """The bytes of a function's code."""
    out = bytearray()
    for instruction in code:
        out.append(instruction.opcode)
        for name, kind in _OPERANDS[instruction.opcode]:
            value = getattr(instruction, name)
            if kind is None:
                _put(out, value)
            elif kind in _SIGNED:
                _put_signed(out, value)
            elif kind in _LISTS:
                _put(out, len(value))
                for one in value:
                    _put(out, one)
            elif kind is Operand.DTYPE:
                _put(out, DTYPES.index(value))
            else:
                text = value.encode()
                _put(out, len(text))
                out += text
    return bytes(out)


def decode(data: bytes) -> tuple[Instruction, ...]:
    """The inverse of `encode`."""
    code, reader = [], _Reader(data)
    number, operand = reader.number, reader.operand
    while not reader.done:
        opcode = reader.byte()
        if opcode >= len(ROWS):
            raise SpecError(f"code at byte {reader.at - 1}: expected an opcode below {len(ROWS)}, got {opcode}")
        made, kinds = _DECODED[opcode]
        code.append(made(*[number() if kind is None else operand(kind) for kind in kinds]))
    return tuple(code)


def _put(out: bytearray, value: int) -> None:
    if 0 <= value < 0x80:  # as most are
        out.append(value)
        return
    if 0x80 <= value < 0x4000:
        out += bytes((value & 0x7F | 0x80, value >> 7))
        return
    if not 0 <= value < _HIGH:
        raise SpecError(f"operand {value}: expected a number from 0 that 64 bits hold")
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


def _put_signed(out: bytearray, value: int) -> None:
    if not _LOW <= value < _HIGH:
        raise SpecError(f"operand {value}: expected a number that 64 bits hold")
    while not -0x40 <= value < 0x40:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value & 0x7F)


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0
        self.padded = data + b"\x80\x80"  # a number that is cut off is none of a byte or two

    @property
    def done(self) -> bool:
        return self.at >= len(self.data)

    def byte(self) -> int:
        if self.done:
            raise self._cut_off(self.at)
        self.at += 1
        return self.data[self.at - 1]

    def _cut_off(self, at: int) -> SpecError:
        return SpecError(f"code at byte {at}: expected more, got the end; the code is cut off")

    def number(self) -> int:
        """From 0; of one byte or two, as most are, without a loop."""
        at, padded = self.at, self.padded
        low = padded[at]
        if low < 0x80:
            self.at = at + 1
            return low
        high = padded[at + 1]
        if 0 < high < 0x80:
            self.at = at + 2
            return high << 7 | low & 0x7F
        return self._number(signed=False)

    def _number(self, signed: bool) -> int:
        data, start, at, value, shift = self.data, self.at, self.at, 0, 0
        end = len(data)
        while True:
            if at == end:
                raise self._cut_off(at)
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
            if shift >= 70:
                raise SpecError(f"code at byte {start}: expected a number of at most 10 bytes, got a longer one")
        self.at = at
        if signed and byte & 0x40:
            value -= 1 << shift
        if shift >= 63 and not (_LOW if signed else 0) <= value < _HIGH:
            raise SpecError(f"code at byte {start}: expected a number that 64 bits hold, got {value}")
        if shift > 7 and byte in (0, 0x7F):  # else the last byte says something: it is needed
            again = bytearray()
            (_put_signed if signed else _put)(again, value)
            if len(again) != at - start:
                raise SpecError(f"code at byte {start}: expected {value} in {len(again)} bytes, got {at - start}")
        return value

    def count(self) -> int:
        count = self.number()
        if count > len(self.data) - self.at:
            raise SpecError(f"code at byte {self.at}: expected at most {len(self.data) - self.at} more, got {count}")
        return count

    def operand(self, kind: Operand) -> AnyType:
        if kind in _SIGNED:
            return self._number(signed=True)
        if kind in _LISTS:
            number = self.number
            return tuple([number() for _ in range(self.count())])
        if kind is Operand.TEXT:
            return self._text()
        value = self.number()
        if kind is Operand.DTYPE:
            if value >= len(DTYPES):
                raise SpecError(f"code at byte {self.at}: expected a dtype below {len(DTYPES)}, got {value}")
            return DTYPES[value]
        return value

    def _text(self) -> str:
        count = self.count()
        found = self.data[self.at : self.at + count]
        self.at += count
        try:
            return found.decode()
        except UnicodeDecodeError as error:
            raise SpecError(f"code at byte {self.at - count}: expected UTF-8, got {error.reason}") from None
