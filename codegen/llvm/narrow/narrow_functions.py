"""Functions for narrow numbers as LLVM IR: floats of 16 and 8 bits widened and rounded, short dot products.

    @anytile.widen.bfloat16.x16(<16 x i16>)             the bits of 16-bit floats as float32
    @anytile.widen.float8_e4m3fn.x16(<16 x i8>)         those of 8-bit floats
    @anytile.round.float16.x16(<16 x float>)            to nearest, ties to even; NaN stays NaN
    @anytile.nearest.uint8.x16(<16 x float>)            the nearest integer of 8 bits, ties to even
    @anytile.dot.uint8.int8.x16(acc, x, w)              acc[lane] + sum_i x[lane, i] * w[lane, i], terms in 32 bits
    @anytile.dot16.uint8.int8.x16(acc, x, w)            the same where 16 bits hold the sums of terms 0 and 1, 2 and 3
    @anytile.pairs.uint4.int8.x16(acc, x, w)            acc[i] + x[2i] * w[2i] + x[2i + 1] * w[2i + 1] in 16 bits
    @anytile.sums.pairs.x16(acc, pairs)                 acc[lane] + pairs[2 * lane] + pairs[2 * lane + 1] in 32 bits

Each is made of instructions that the CPU has, and means the same on every one. Integers are exact, but for sums that
wrap around: those in 16 bits hold the pairs of `IN_16_BITS` words. A product of bfloat16 in hardware takes numbers
below the smallest normal one for zero. Rounding to bfloat16 in hardware does so too, and is therefore done in whole
numbers.
"""

from __future__ import annotations

import functools
import re
import struct
from collections.abc import Callable, Mapping

from anytile.core.dtypes import BY_NAME
from anytile.schedules.hardware.narrow import NarrowFacts
from anytile.schedules.nest.stored_floats import LAYOUTS
from anytile.schedules.operators.products.quantised_dense import INTEGER_LIMITS

HALF_BYTE = "uint4"  # one half of each byte, the other being 0
# Which operand pairs have dot products, and the dtype of their sums: of two orders the one that has a function.
DOTS: Mapping[tuple[str, str], str] = {
    ("bfloat16", "bfloat16"): "float32",
    ("uint8", "int8"): "int32",
    ("int8", "int8"): "int32",
    (HALF_BYTE, "int8"): "int32",
    ("int16", "int16"): "int32",
}
IN_16_BITS = 8  # sums of two of 15 times 128 that 16 bits hold
_USED = re.compile(r" @anytile\.(widen|round|nearest|dot|dot16|pairs|sums)\.([a-z0-9_.]+)\.x(\d+)\(")
_SIGN = -(2**31) + 2**23 + 2**15 + 2**7  # of four bytes


def narrow_functions(text: str, narrow: Callable[[], NarrowFacts]) -> list[str]:
    """The definitions of all such functions that a module's text calls."""
    used = sorted({(m[1], m[2], int(m[3])) for m in _USED.finditer(text)})
    if not used:
        return []
    offered = narrow()
    return [_definition(what, of, lanes, offered) for what, of, lanes in used]


def _definition(what: str, of: str, lanes: int, offered: NarrowFacts) -> str:
    body = _Body(lanes)
    one, word, two = body.type("float"), body.type("i32"), f"<{2 * lanes} x i16>"
    if what == "widen":
        given, result = f"{body.type(BY_NAME[of].llvm)} %x", one
        made = _widened(body, of, offered)
    elif what == "round":
        given, result = f"{one} %x", body.type(BY_NAME[of].llvm)
        made = _rounded(body, of, offered)
    elif what == "nearest":
        given, result = f"{one} %x", body.type("i8")
        made = _nearest(body, of)
    elif what == "sums":
        given, result = f"{word} %acc, {two} %x", word
        made = body.ints("add", "%acc", _added(body, offered))
    elif what == "pairs":
        given, result = f"{two} %acc, {word} %x, {word} %w", two
        made = _paired(body, offered)
    else:
        first, second = of.split(".")
        result = one if DOTS[first, second] == "float32" else word
        given = f"{result} %acc, {word} %x, {word} %w"
        made = _dot16(body, first, offered) if what == "dot16" else _dot(body, first, offered)
    head = f"define internal {result} @anytile.{what}.{of}.x{lanes}({given}) alwaysinline nounwind {{"
    return "\n".join([head, *body.lines, f"  ret {result} {made}", "}", ""])


class _Body:
    """The straight-line code of one function over some lanes."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        self.lines: list[str] = []

    def type(self, element: str, lanes: int = 0) -> str:
        lanes = lanes or self.lanes
        return element if lanes == 1 else f"<{lanes} x {element}>"

    def put(self, code: str) -> str:
        self.lines.append(f"  %v{len(self.lines)} = {code}")
        return f"%v{len(self.lines) - 1}"

    def number(self, value: int, element: str = "i32") -> str:
        """The same integer in every lane."""
        return str(value) if self.lanes == 1 else f"splat ({element} {value})"

    def real(self, value: float) -> str:
        """The same float32 in every lane."""
        text = f"0x{int.from_bytes(struct.pack('>d', value), 'big'):016X}"
        return text if self.lanes == 1 else f"splat (float {text})"

    @property
    def suffix(self) -> str:
        """How intrinsics spell these floats."""
        return "f32" if self.lanes == 1 else f"v{self.lanes}f32"

    def ints(self, operation: str, x: str, y: str | int) -> str:
        y = y if isinstance(y, str) else self.number(y)
        return self.put(f"{operation} {self.type('i32')} {x}, {y}")

    def cast(self, how: str, source: str, x: str, target: str) -> str:
        return self.put(f"{how} {self.type(source)} {x} to {self.type(target)}")

    def choose(self, test: str, yes: str, no: str) -> str:
        t = self.type("i32")
        return self.put(f"select {self.type('i1')} {test}, {t} {yes}, {t} {no}")

    def compare(self, how: str, x: str, y: int) -> str:
        return self.put(f"icmp {how} {self.type('i32')} {x}, {self.number(y)}")


# Stored floats


def _widened(b: _Body, dtype: str, offered: NarrowFacts) -> str:
    if dtype == "float8_e5m2":  # the upper half of a float16
        upper = b.put(f"shl {b.type('i16')} {b.cast('zext', 'i8', '%x', 'i16')}, {b.number(8, 'i16')}")
        return _widened_from(b, upper, offered)
    if dtype == "float16":
        return _widened_from(b, "%x", offered)
    if dtype == "bfloat16":
        return b.cast("bitcast", "i32", b.ints("shl", b.cast("zext", "i16", "%x", "i32"), 16), "float")
    return _widened_e4m3(b, offered)


def _widened_e4m3(b: _Body, offered: NarrowFacts) -> str:
    """Digits moved to where a wider float has them, whose exponent is then too small by the difference of both biases;
    all of its size is a number of its own there, 480, and NaN here. As a float16 it may be subnormal, which costs
    nothing to convert; as a float32 that would be an exception, and is a difference of two numbers instead."""
    f = b.type("float")
    bits = b.cast("sext", "i8", "%x", "i16" if offered.half else "i32")  # the sign is in every bit from the eighth up
    if offered.half:
        kind = b.type("i16")
        up = b.put(f"shl {kind} {bits}, {b.number(7, 'i16')}")
        moved = b.put(f"and {kind} {up}, {b.number(-(2**15) | 0x7F << 7, 'i16')}")
        digits = b.cast("fpext", "half", b.cast("bitcast", "i16", moved, "half"), "float")
        scaled = b.put(f"fmul {f} {digits}, {b.real(2.0**8)}")
        double = b.put(f"shl {b.type('i8')} %x, {b.number(1, 'i8')}")
        nan = b.put(f"icmp eq {b.type('i8')} {double}, {b.number(-2, 'i8')}")
        quiet = b.cast("bitcast", "i32", b.number(0x7FC00000), "float")
        return b.put(f"select {b.type('i1')} {nan}, {f} {quiet}, {f} {scaled}")
    size = b.ints("and", bits, 0x7F)
    up = b.ints("shl", size, 20)
    normal = b.ints("add", up, 127 - 7 << 23)
    least = b.cast("bitcast", "i32", b.ints("add", up, 127 - 6 << 23), "float")  # of a subnormal one 2^-6 too large
    low = b.cast("bitcast", "float", b.put(f"fsub {f} {least}, {b.real(2.0**-6)}"), "i32")
    found = b.choose(b.compare("ult", size, 8), low, normal)
    found = b.choose(b.compare("eq", size, 0x7F), b.number(0x7FC00000), found)
    return b.cast("bitcast", "i32", b.ints("or", found, b.ints("and", bits, -(2**31))), "float")


def _widened_from(b: _Body, half: str, offered: NarrowFacts) -> str:
    """A float16, by its bits, as float32."""
    if offered.half:
        return b.cast("fpext", "half", b.cast("bitcast", "i16", half, "half"), "float")
    bits = b.cast("zext", "i16", half, "i32")
    # As float32 the digits are those of a number 2^112 too small, of subnormal ones too; the exponent of infinity and
    # NaN becomes 143 by that, and is then made 255.
    sign = b.ints("shl", b.ints("and", bits, 0x8000), 16)
    digits = b.cast("bitcast", "i32", b.ints("shl", b.ints("and", bits, 0x7FFF), 13), "float")
    scaled = b.cast("bitcast", "float", b.put(f"fmul {b.type('float')} {digits}, {b.real(2.0**112)}"), "i32")
    beyond = b.compare("uge", scaled, 143 << 23)
    whole = b.choose(beyond, b.ints("or", scaled, 255 << 23), scaled)
    return b.cast("bitcast", "i32", b.ints("or", whole, sign), "float")


def _rounded(b: _Body, dtype: str, offered: NarrowFacts) -> str:
    if dtype == "float16" and offered.half:
        return b.cast("bitcast", "half", b.cast("fptrunc", "float", "%x", "half"), "i16")
    bits = b.cast("bitcast", "float", "%x", "i32")
    if dtype == "bfloat16":
        odd = b.ints("and", b.ints("lshr", bits, 16), 1)
        near = b.ints("lshr", b.ints("add", b.ints("add", bits, 0x7FFF), odd), 16)
        quiet = b.ints("or", b.ints("lshr", bits, 16), 0x40)
        nan = b.put(f"fcmp uno {b.type('float')} %x, %x")
        return b.cast("trunc", "i32", b.choose(nan, quiet, near), "i16")
    of = LAYOUTS[dtype]
    sign = b.ints("lshr", b.ints("and", bits, -(2**31)), 32 - of.bits)
    size = b.ints("and", bits, 0x7FFFFFFF)
    # Normal: the exponent moves, and half of the last place less one, or one more where that is odd, carries.
    moved, cut = 127 - of.bias, 23 - of.digits
    odd = b.ints("and", b.ints("lshr", size, cut), 1)
    normal = b.ints("lshr", b.ints("add", b.ints("add", size, (1 << cut - 1) - 1 - (moved << 23)), odd), cut)
    # Subnormal: a sum with a power of two has its last place where that of the result is.
    power = 24 - of.bias - of.digits
    summed = b.put(f"fadd {b.type('float')} {b.cast('bitcast', 'i32', size, 'float')}, {b.real(2.0**power)}")
    low = b.ints("sub", b.cast("bitcast", "float", summed, "i32"), power + 127 << 23)
    found = b.choose(b.compare("ult", size, moved + 1 << 23), low, normal)
    found = b.choose(b.compare("ugt", found, of.beyond), b.number(of.beyond), found)
    found = b.choose(b.compare("ugt", size, 255 << 23), b.number(of.nan), found)
    return b.cast("trunc", "i32", b.ints("or", found, sign), BY_NAME[dtype].llvm)


# Integers of 8 bits


def _nearest(b: _Body, dtype: str) -> str:
    """Cut off before it is rounded, as one instruction each: what is compared with NaN is NaN then, and some number."""
    t, end = b.type("float"), b.suffix
    kept = "%x"
    for limit, beyond in zip(INTEGER_LIMITS[dtype], ("ogt", "olt"), strict=True):
        bound = b.real(limit)
        is_beyond = b.put(f"fcmp {beyond} {t} {bound}, {kept}")
        kept = b.put(f"select {b.type('i1')} {is_beyond}, {t} {bound}, {t} {kept}")
    whole = b.put(f"call {b.type('i32')} @llvm.lrint.{end.replace('f', 'i')}.{end}({t} {kept})")
    return b.cast("trunc", "i32", whole, "i8")


# Dot products

_BY_PAIR = {8: "avx2.pmadd.ub.sw", 16: "avx512.pmaddubs.w.512"}  # by lanes
_One = Callable[[int, str, str, str], str]  # of so many lanes: a sum, and words of x and of w


def _dot(b: _Body, x: str, offered: NarrowFacts) -> str:
    one, bits = _instruction(b, x, offered)
    if one is None:
        plain = {"bfloat16": _plain_floats, "int16": _plain_16}.get(x, _plain_bytes)
        return plain(b, x, "%acc", "%x", "%w")
    return _in_parts(b, "float" if x == "bfloat16" else "i32", bits, one)


def _dot16(b: _Body, x: str, offered: NarrowFacts) -> str:
    """By products of bytes that are added in pairs, which saturate at nothing that 16 bits hold."""
    if x != "uint8" or not offered.adds_pairs or b.lanes not in _BY_PAIR:
        return _dot(b, x, offered)

    def one(lanes: int, acc: str, x: str, w: str) -> str:
        four = f"<{4 * lanes} x i8>"
        left, right = (b.put(f"bitcast <{lanes} x i32> {v} to {four}") for v in (x, w))
        pairs = b.put(f"call <{2 * lanes} x i16> @llvm.x86.{_BY_PAIR[lanes]}({four} {left}, {four} {right})")
        return b.put(f"add <{lanes} x i32> {acc}, {_products(b, lanes, pairs, 'splat (i16 1)')}")

    return _in_parts(b, "i32", offered.words, one)


def _instruction(b: _Body, x: str, offered: NarrowFacts) -> tuple[_One | None, int]:
    """What multiplies and adds words of these kinds, and vectors of how many bits it takes; None where nothing does."""
    signed = x == "int8"
    if b.lanes < 4:
        return None, 0
    if x == "bfloat16":
        return (functools.partial(_by_pairs, b) if offered.bfloat16 else None), offered.bfloat16
    if x == "int16":
        return (functools.partial(_by_products, b) if offered.words else None), offered.words
    if offered.bytes:
        signed = offered.signed_bytes if x == HALF_BYTE else signed  # what has no eighth bit has any sign
        return functools.partial(_by_bytes, b, signed, offered), offered.bytes
    return (functools.partial(_by_words, b, signed) if offered.words else None), offered.words


def _in_parts(b: _Body, kind: str, bits: int, one: _One) -> str:
    """`one` on pieces that fit vectors of so many bits, put together again."""
    lanes = min(b.lanes, bits // 32)

    def of(name: str, element: str, start: int) -> str:
        if lanes == b.lanes:
            return name
        picked = ", ".join(f"i32 {i}" for i in range(start, start + lanes))
        t = b.type(element)
        return b.put(f"shufflevector {t} {name}, {t} poison, <{lanes} x i32> <{picked}>")

    starts = range(0, b.lanes, lanes)
    parts = [one(lanes, of("%acc", kind, i), of("%x", "i32", i), of("%w", "i32", i)) for i in starts]
    width = lanes
    while len(parts) > 1:
        whole = ", ".join(f"i32 {i}" for i in range(2 * width))
        t = f"<{width} x {kind}>"
        pairs = zip(parts[::2], parts[1::2], strict=True)
        parts = [b.put(f"shufflevector {t} {p}, {t} {q}, <{2 * width} x i32> <{whole}>") for p, q in pairs]
        width *= 2
    return parts[0]


def _by_pairs(b: _Body, lanes: int, acc: str, x: str, w: str) -> str:
    t, of = f"<{lanes} x float>", f"<{2 * lanes} x bfloat>"
    x, w = (b.put(f"bitcast <{lanes} x i32> {v} to {of}") for v in (x, w))
    name = f"@llvm.x86.avx512bf16.dpbf16ps.{32 * lanes}"
    return b.put(f"call {t} {name}({t} {acc}, {of} {x}, {of} {w})")


def _plain_floats(b: _Body, _: str, acc: str, x: str, w: str) -> str:
    """Pairs of bfloat16: the lower half of 32 bits is the first."""
    t = b.type("float")
    for low in (True, False):
        left, right = (
            b.cast("bitcast", "i32", b.ints("shl", v, 16) if low else b.ints("and", v, -(2**16)), "float")
            for v in (x, w)
        )
        acc = b.put(f"call {t} @llvm.fmuladd.{b.suffix}({t} {left}, {t} {right}, {t} {acc})")
    return acc


def _plain_bytes(b: _Body, dtype: str, acc: str, x: str, w: str) -> str:
    """Four 8-bit integers: those of w are signed, and those of x as its dtype says."""
    for i in range(4):
        up = 24 - 8 * i
        left = b.ints("ashr" if dtype == "int8" else "lshr", b.ints("shl", x, up), 24)
        acc = b.ints("add", acc, b.ints("mul", left, b.ints("ashr", b.ints("shl", w, up), 24)))
    return acc


def _plain_16(b: _Body, _: str, acc: str, x: str, w: str) -> str:
    """Two 16-bit integers."""
    for up in (16, 0):
        left, right = (b.ints("ashr", b.ints("shl", v, up) if up else v, 16) for v in (x, w))
        acc = b.ints("add", acc, b.ints("mul", left, right))
    return acc


def _by_bytes(b: _Body, signed: bool, offered: NarrowFacts, lanes: int, acc: str, x: str, w: str) -> str:
    """In one instruction, where x has the sign that this wants. Else x is 128 more or less, which is taken back.

    What is taken back depends on w alone: rows of x share it.
    """
    word, four = f"<{lanes} x i32>", f"<{4 * lanes} x i8>"

    def dot(acc: str, x: str, w: str) -> str:
        if offered.signed_bytes:
            x, w = (b.put(f"bitcast {word} {v} to {four}") for v in (x, w))
            name = f"@llvm.aarch64.neon.sdot.v{lanes}i32.v{4 * lanes}i8"
            return b.put(f"call {word} {name}({word} {acc}, {four} {x}, {four} {w})")
        name = f"@llvm.x86.avx512.vpdpbusd.{32 * lanes}"
        return b.put(f"call {word} {name}({word} {acc}, {word} {x}, {word} {w})")

    if signed == offered.signed_bytes:
        return dot(acc, x, w)
    turned = b.put(f"xor {word} {x}, splat (i32 {_SIGN})")
    # As unsigned bytes 0x80 is 128 and x is taken for 128 more; as signed ones it is -128 and x is taken for 128 less.
    over = dot("zeroinitializer", f"splat (i32 {_SIGN})", w)
    return b.put(f"sub {word} {dot(acc, turned, w)}, {over}")


def _paired(b: _Body, offered: NarrowFacts) -> str:
    """Products of bytes that are added in pairs: in one instruction, whose saturation so few bits do not meet.

    The sum is then taken for one that anything may have made: LLVM would add up what many registers hold in another
    order, and have none left.
    """
    two, four = f"<{2 * b.lanes} x i16>", f"<{4 * b.lanes} x i8>"
    x, w = (b.put(f"bitcast {b.type('i32')} {v} to {four}") for v in ("%x", "%w"))
    if b.lanes in _BY_PAIR and offered.words >= 32 * b.lanes:
        pairs = b.put(f"call {two} @llvm.x86.{_BY_PAIR[b.lanes]}({four} {x}, {four} {w})")
        return b.put(f'call {two} asm sideeffect "", "=v,0"({two} {b.put(f"add {two} %acc, {pairs}")})')
    wide = f"<{4 * b.lanes} x i16>"
    left, right = b.put(f"zext {four} {x} to {wide}"), b.put(f"sext {four} {w} to {wide}")
    return b.put(f"add {two} %acc, {_neighbours(b, 'i16', 2 * b.lanes, b.put(f'mul {wide} {left}, {right}'))}")


def _added(b: _Body, offered: NarrowFacts) -> str:
    """Pairs of 16-bit integers, added up in 32 bits."""
    if b.lanes >= 4 and offered.words >= 32 * b.lanes:
        return _products(b, b.lanes, "%x", "splat (i16 1)")
    return _neighbours(b, "i32", b.lanes, b.put(f"sext <{2 * b.lanes} x i16> %x to <{2 * b.lanes} x i32>"))


def _neighbours(b: _Body, element: str, count: int, x: str) -> str:
    """So many sums of two neighbours."""
    t, made = f"<{2 * count} x {element}>", f"<{count} x {element}>"
    masks = (", ".join(f"i32 {i}" for i in range(first, 2 * count, 2)) for first in (0, 1))
    even, odd = (b.put(f"shufflevector {t} {x}, {t} poison, <{count} x i32> <{mask}>") for mask in masks)
    added = b.put(f"add {made} {even}, {odd}")
    return b.put(f"extractelement {made} {added}, i64 0") if element == "i32" and count == 1 else added


def _by_words(b: _Body, signed: bool, lanes: int, acc: str, x: str, w: str) -> str:
    """By products of pairs of 16-bit integers: of bytes 0 and 2, and of bytes 1 and 3."""
    word, two = f"<{lanes} x i32>", f"<{2 * lanes} x i16>"

    def halves(v: str, signed: bool) -> tuple[str, str]:
        v = b.put(f"bitcast {word} {v} to {two}")
        shift = "ashr" if signed else "lshr"
        up = b.put(f"shl {two} {v}, splat (i16 8)")
        return tuple(b.put(f"{shift} {two} {part}, splat (i16 8)") for part in (up, v))  # type: ignore[return-value]  # two

    for left, right in zip(halves(x, signed), halves(w, True), strict=True):
        acc = b.put(f"add {word} {acc}, {_products(b, lanes, left, right)}")
    return acc


def _by_products(b: _Body, lanes: int, acc: str, x: str, w: str) -> str:
    word, two = f"<{lanes} x i32>", f"<{2 * lanes} x i16>"
    x, w = (b.put(f"bitcast {word} {v} to {two}") for v in (x, w))
    return b.put(f"add {word} {acc}, {_products(b, lanes, x, w)}")


def _products(b: _Body, lanes: int, x: str, w: str) -> str:
    """Products of pairs of 16-bit integers, added up."""
    two, name = f"<{2 * lanes} x i16>", {4: "sse2.pmadd.wd", 8: "avx2.pmadd.wd", 16: "avx512.pmaddw.d.512"}[lanes]
    return b.put(f"call <{lanes} x i32> @llvm.x86.{name}({two} {x}, {two} {w})")
