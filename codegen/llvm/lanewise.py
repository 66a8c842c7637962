"""Arithmetic over the lanes of a vector, written with Python operators and kept as straight-line LLVM IR.

A `Lanes` is the body of one function. Its values are SSA names with an element type; the same code makes scalars
(one lane) and vectors of any width, which give the same bits. Nothing branches but `rarely`, and no instruction becomes
a call of a library: what only some CPUs have, `Instructions` must offer. `mad` is `llvm.fmuladd`: one rounding where
the CPU has multiply-adds, two where it has not. What uses it must be accurate both ways.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass

from anytile.schedules.hardware.cpu import CpuFacts

_FLOATS = {"float": "f32", "double": "f64"}


@dataclass(frozen=True, slots=True)
class Instructions:
    """What a CPU has beyond what all have; without it code runs everywhere."""

    fused: bool = False  # a * b + c rounded once
    scaling: bool = False  # a * 2^n rounded once, for any n: of AVX-512, in vectors of `_WIDE`

    @classmethod
    def of(cls, cpu: CpuFacts) -> Instructions:
        return cls(cpu.has_fma, cpu.vector_bits == 512)


PLAIN = Instructions()
_WIDE = 16


class Lanes:
    """The body of a function over `count` lanes; an instruction that was already written is not written again."""

    def __init__(self, count: int, instructions: Instructions = PLAIN) -> None:
        self.count = count
        self.instructions = instructions
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

    def part(self, v: Value, which: int) -> str:
        """The name of `_WIDE` lanes of a float; where there are fewer, nothing is known of the others."""
        wide = f"<{_WIDE} x float>"
        if self.count == _WIDE:
            return v.name
        if self.count == 1:
            return self.put("float", f"insertelement {wide} poison, float {v.name}, i64 0").name
        lanes = range(which * _WIDE, (which + 1) * _WIDE)
        return self._shuffled(v.name, "poison", self.count, [i if i < self.count else None for i in lanes]).name

    def joined(self, parts: list[Value]) -> Value:
        """What `part` took apart."""
        if self.count == 1:
            return self.put("float", f"extractelement <{_WIDE} x float> {parts[0].name}, i64 0")
        width = _WIDE
        while len(parts) > 1:
            whole: list[int | None] = list(range(2 * width))
            pairs = zip(parts[::2], parts[1::2], strict=True)
            parts, width = [self._shuffled(a.name, b.name, width, whole) for a, b in pairs], 2 * width
        if width == self.count:
            return parts[0]
        return self._shuffled(parts[0].name, "poison", width, list(range(self.count)))

    def _shuffled(self, a: str, b: str, width: int, lanes: list[int | None]) -> Value:
        kind, places = f"<{width} x float>", ", ".join("i32 poison" if i is None else f"i32 {i}" for i in lanes)
        return self.put("float", f"shufflevector {kind} {a}, {kind} {b}, <{len(lanes)} x i32> <{places}>")


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

    def __lshift__(self, other: Value | int) -> Value:
        return self._binary("shl", self, other)

    def __rshift__(self, other: int) -> Value:
        return self._binary("ashr", self, other)

    def shifted_down(self, other: Value | int) -> Value:
        """Zeros come in from above."""
        return self._binary("lshr", self, other)

    def __lt__(self, other: Value | float) -> Value:
        return self.compare("lt", other)

    def __gt__(self, other: Value | float) -> Value:
        return self.compare("gt", other)

    def __or__(self, other: Value) -> Value:
        return self._binary("or", self, other)

    def compare(self, how: str, other: Value | float) -> Value:
        """A truth value per lane; false where an operand is NaN."""
        b = self._like(other)
        test = f"fcmp o{how}" if self.element in _FLOATS else f"icmp s{how}"
        return self.lanes.put("i1", f"{test} {self.lanes.type(self.element)} {self.name}, {b.name}")

    def bits(self) -> Value:
        """A float as the integer of its size."""
        return self._cast("bitcast", "i64" if self.element == "double" else "i32")

    def as_float(self) -> Value:
        """The float of its size that has these bits."""
        return self._cast("bitcast", "double" if self.element == "i64" else "float")

    def root(self) -> Value:
        """The square root, rounded once."""
        kind = self.lanes.type(self.element)
        return self.lanes.put(
            self.element, f"call {kind} @llvm.sqrt.{self.lanes.suffix(self.element)}({kind} {self.name})"
        )

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

    def scaled(self, n: Value) -> Value:
        """self * 2^n for whole floats n, rounded once; of `Instructions.scaling`."""
        lanes, parts = self.lanes, max(1, self.lanes.count // _WIDE)
        kind, found = f"<{_WIDE} x float>", []
        for part in range(parts):
            a, b = (lanes.part(v, part) for v in (self, n))
            masked = f"{kind} {a}, {kind} {b}, {kind} poison, i16 -1, i32 4"  # all lanes, and round as everywhere
            found.append(lanes.put("float", f"call {kind} @llvm.x86.avx512.mask.scalef.ps.512({masked})"))
        return lanes.joined(found)

    def to_float(self) -> Value:
        """The nearest float32 of a double or an integer."""
        return self._cast("fptrunc" if self.element == "double" else "sitofp", "float")

    def to_double(self) -> Value:
        """The double that a float32 equals, the nearest one of an integer."""
        return self._cast("fpext" if self.element == "float" else "sitofp", "double")

    def to_long(self) -> Value:
        """The 64 bits of an integer that is not negative."""
        return self._cast("zext", "i64")

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


def rarely(test: Value, usual: tuple[Value, ...], otherwise: Callable[[], tuple[Value, ...]]) -> tuple[Value, ...]:
    """`usual`, and in lanes where the test holds what `otherwise` writes: code that is jumped over where none does."""
    lanes, one_bit = test.lanes, test.lanes.type("i1")
    name = f"v{lanes.count}i1"
    some = test.name
    if lanes.count > 1:
        some = lanes.put("i1", f"call i1 @llvm.vector.reduce.or.{name}({one_bit} {test.name})").name
    before, at = dict(lanes._known), len(lanes.lines)
    here = next((line[:-1] for line in reversed(lanes.lines) if line.endswith(":")), "0")
    lanes.lines += [f"  br i1 {some}, label %rare{at}, label %usual{at}", f"rare{at}:"]
    found = tuple(select(test, a, b) for a, b in zip(otherwise(), usual, strict=True))
    lanes.lines += [f"  br label %usual{at}", f"usual{at}:"]
    lanes._known = before  # what is written in there is not known behind it
    return tuple(
        lanes.put(b.element, f"phi {lanes.type(b.element)} [ {b.name}, %{here} ], [ {a.name}, %rare{at} ]")
        for a, b in zip(found, usual, strict=True)
    )


def mad(a: Value, b: Value | float, c: Value | float) -> Value:
    """a * b + c, rounded once where the target has multiply-adds."""
    lanes, kind = a.lanes, a.lanes.type(a.element)
    y, z = a._like(b), a._like(c)
    call = f"call {kind} @llvm.fmuladd.{lanes.suffix(a.element)}({kind} {a.name}, {kind} {y.name}, {kind} {z.name})"
    return lanes.put(a.element, call)


def fused(a: Value, b: Value, c: Value) -> Value:
    """a * b + c, rounded once; of `Instructions.fused`."""
    lanes, kind = a.lanes, a.lanes.type(a.element)
    name = f"@llvm.fma.{lanes.suffix(a.element)}"
    return lanes.put(a.element, f"call {kind} {name}({kind} {a.name}, {kind} {b.name}, {kind} {c.name})")


def polynomial(x: Value, coefficients: tuple[float, ...]) -> Value:
    """c0 + c1 x + c2 x^2 + ..., by Horner's rule."""
    total = mad(x, coefficients[-1], coefficients[-2])
    for c in reversed(coefficients[:-2]):
        total = mad(total, x, c)
    return total
