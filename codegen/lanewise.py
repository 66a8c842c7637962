"""Arithmetic over the lanes of a vector, written with Python operators and kept as straight-line LLVM IR.

A `Lanes` is the body of one function. Its values are SSA names with an element type; the same code makes scalars
(one lane) and vectors of any width. Nothing branches, and no instruction becomes a call of a library on any target.
`mad` is `llvm.fmuladd`: one rounding where the CPU has multiply-adds, two where it has not. What uses it must be
accurate both ways.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

_FLOATS = {"float": "f32", "double": "f64"}


class Lanes:
    """The body of a function over `count` lanes; an instruction that was already written is not written again."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.lines: list[str] = []
        self._known: dict[str, Value] = {}

    def type(self, element: str) -> str:
        return element if self.count == 1 else f"<{self.count} x {element}>"

    def suffix(self, element: str) -> str:
        return _FLOATS[element] if self.count == 1 else f"v{self.count}{_FLOATS[element]}"

    def constant(self, number: float, element: str) -> Value:
        """The same number in every lane; a float32 is given as the double that equals it."""
        if element in _FLOATS:
            rounded = struct.unpack("<f", struct.pack("<f", number))[0] if element == "float" else number
            text = f"0x{int.from_bytes(struct.pack('>d', rounded), 'big'):016X}"
        else:
            text = str(int(number))
        return Value(self, element, text if self.count == 1 else f"splat ({element} {text})")

    def put(self, element: str, code: str) -> Value:
        if code not in self._known:
            name = f"%v{len(self.lines)}"
            self.lines.append(f"  {name} = {code}")
            self._known[code] = Value(self, element, name)
        return self._known[code]


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """One value per lane. Python numbers beside it become constants of its type."""

    lanes: Lanes
    element: str
    name: str

    def __add__(self, other: Value | float) -> Value:
        return self._binary("add", self, other)

    def __sub__(self, other: Value | float) -> Value:
        return self._binary("sub", self, other)

    def __rsub__(self, other: float) -> Value:
        return self._binary("sub", other, self)

    def __mul__(self, other: Value | float) -> Value:
        return self._binary("mul", self, other)

    def __truediv__(self, other: Value | float) -> Value:
        return self._binary("div", self, other)

    def __and__(self, other: Value | float) -> Value:
        return self._binary("and", self, other)

    def __lshift__(self, other: int) -> Value:
        return self._binary("shl", self, other)

    def __rshift__(self, other: int) -> Value:
        return self._binary("ashr", self, other)

    def __lt__(self, other: Value | float) -> Value:
        return self.compare("lt", other)

    def __gt__(self, other: Value | float) -> Value:
        return self.compare("gt", other)

    def compare(self, how: str, other: Value | float) -> Value:
        """A truth value per lane; false where an operand is NaN."""
        b = self._like(other)
        test = f"fcmp o{how}" if self.element in _FLOATS else f"icmp s{how}"
        return self.lanes.put("i1", f"{test} {self.lanes.type(self.element)} {self.name}, {b.name}")

    def bits(self) -> Value:
        """A float32 as an integer."""
        return self._cast("bitcast", "i32")

    def as_float(self) -> Value:
        return self._cast("bitcast", "float")

    def magnitude(self) -> Value:
        """|x|"""
        kind = self.lanes.type(self.element)
        call = f"call {kind} @llvm.fabs.{self.lanes.suffix(self.element)}({kind} {self.name})"
        return self.lanes.put(self.element, call)

    def signed_as(self, other: Value) -> Value:
        """|x| with the other's sign."""
        kind = self.lanes.type(self.element)
        name = f"@llvm.copysign.{self.lanes.suffix(self.element)}"
        return self.lanes.put(self.element, f"call {kind} {name}({kind} {self.name}, {kind} {other.name})")

    def __neg__(self) -> Value:
        return self.lanes.put(self.element, f"fneg {self.lanes.type(self.element)} {self.name}")

    def like(self, number: float) -> Value:
        """A constant of the same type."""
        return self.lanes.constant(number, self.element)

    def to_float(self) -> Value:
        """The nearest float32 of a double or an integer."""
        return self._cast("fptrunc" if self.element == "double" else "sitofp", "float")

    def to_double(self) -> Value:
        return self._cast("fpext", "double")

    def _cast(self, how: str, element: str) -> Value:
        of = self.lanes.type(self.element)
        return self.lanes.put(element, f"{how} {of} {self.name} to {self.lanes.type(element)}")

    def _like(self, other: Value | float) -> Value:
        return other if isinstance(other, Value) else self.like(other)

    def _binary(self, op: str, a: Value | float, b: Value | float) -> Value:
        # Doubles have bits to spare: whether their products are rounded before they are added makes no difference.
        name = {"float": f"f{op}", "double": f"f{op} contract"}.get(self.element, op)
        x, y = self._like(a), self._like(b)
        return self.lanes.put(self.element, f"{name} {self.lanes.type(self.element)} {x.name}, {y.name}")


def select(test: Value, yes: Value | float, no: Value) -> Value:
    """One of two values per lane."""
    kind, a = no.lanes.type(no.element), no._like(yes)
    return no.lanes.put(no.element, f"select {no.lanes.type('i1')} {test.name}, {kind} {a.name}, {kind} {no.name}")


def mad(a: Value, b: Value | float, c: Value | float) -> Value:
    """a * b + c, rounded once where the target has multiply-adds."""
    lanes, kind = a.lanes, a.lanes.type(a.element)
    y, z = a._like(b), a._like(c)
    call = f"call {kind} @llvm.fmuladd.{lanes.suffix(a.element)}({kind} {a.name}, {kind} {y.name}, {kind} {z.name})"
    return lanes.put(a.element, call)


def polynomial(x: Value, coefficients: tuple[float, ...]) -> Value:
    """c0 + c1 x + c2 x^2 + ..., by Horner's rule."""
    total = mad(x, coefficients[-1], coefficients[-2])
    for c in reversed(coefficients[:-2]):
        total = mad(total, x, c)
    return total
