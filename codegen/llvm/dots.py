"""Dot loops -> calls of `@anytile.dot`: the neighbouring terms of a sum, multiplied and added for all lanes at once.

One operand is the same in every lane, as a row of x is, the other has its terms lane by lane: 32 bits of each make a
word of a lane, or one half of each byte in them, or one byte of every two. Dot loops around have one call take several
words. A loop whose terms lie in another way, or not all of which are there, is written out instead.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from anytile.codegen.llvm.instructions import kind
from anytile.codegen.llvm.narrow.narrow_functions import DOTS, HALF_BYTE
from anytile.codegen.llvm.values import Values
from anytile.core.dtypes import BY_NAME
from anytile.schedules.index.bounds import Bounds
from anytile.schedules.nest.nodes import Cast, Guard, Literal, Load, Loop, LoopKind, Number, Op, Update, Value
from anytile.schedules.nest.simplify import decide

_WORD = 32  # bits
_HALVES = {HALF_BYTE: (4, 0x0F0F0F0F), "int16": (8, 0x00FF00FF)}  # their bits, and the lower ones of a word


def dotted(s: Loop, values: Values, bounds: Bounds) -> bool:
    """Write a dot loop in one call; False where it cannot be, and nothing was written.

    Where dot loops stand in one another the innermost has the terms of a word, and those around it tell words apart.
    """
    outer, body = list[Loop](), s.body
    while isinstance(body, Loop) and body.kind is LoopKind.DOT:
        outer.append(s)
        s, body = body, body.body
    inside = bounds
    for loop in (*outer, s):
        inside = inside.having(loop.var, 0, (loop.extent.value or 0) - 1)
    while isinstance(body, Guard) and body.otherwise is None:
        left = decide(tuple(values.addresses.put_fixed(e) for e in body.condition), inside)
        if left is None:
            return True  # no term is there
        if left:
            return False
        body = body.body
    lanes = values.lanes
    if lanes is None or lanes.mask is not None or not isinstance(body, Update) or body.op != "add":
        return False
    if any(loop.var in _names(body) for loop in (*outer, s)):
        return False
    names = [loop.var for loop in outer]
    every = itertools.product(*(range(loop.extent.value or 0) for loop in outer))
    rounds = [dict(zip(names, at, strict=True)) for at in every]
    words = list[tuple[_Factor, _Factor]]()
    for at in rounds:
        with values.addresses.all_unrolled(at):
            word = _word(s, body, lanes.var, values)
        if word is None:
            return False
        words.append(word)
    if len({(first.dtype, second.dtype) for first, second in words}) != 1:
        return not words
    old, n = values.whole(Load(body.buffer, body.index)), lanes.count
    given = [f"{kind(values.memory.dtype(body.buffer), n)} {old}"]
    for word, at in zip(words, rounds, strict=True):
        with values.addresses.all_unrolled({**at, s.var: 0}):
            given += [f"<{n} x i32> {_loaded(factor, values, n)}" for factor in word]
    ((first, second), *_) = words
    t, several = kind(values.memory.dtype(body.buffer), n), f".{len(words)}" if outer else ""
    function = f"@anytile.dot.{first.dtype}.{second.dtype}.x{n}{several}"
    call = values.w.always(f"call {t} {function}({', '.join(given)})", "f")
    values.memory.store(body.buffer, body.index, call, lanes)
    return True


@dataclass(frozen=True, slots=True)
class _Factor:
    """What a term has on one side: the element of a buffer, or the `half` of one that is a number of so few bits.

    Of bytes two of which make a number of 16 bits the halves are bytes: every other one is an element.
    """

    load: Load
    made: str
    dtype: str
    half: int | None = None


def _word(s: Loop, body: Update, lane: str, values: Values) -> tuple[_Factor, _Factor] | None:
    """Both sides of a word, in the order of its function; None where its terms are not neighbours."""
    match body.value:
        case Op("mul", (one, other)):
            a, b = _factor(one, values), _factor(other, values)
        case _:
            return None
    if a is None or b is None:
        return None
    same, wide = (a, b) if lane not in _names(a.load) else (b, a)
    bits = BY_NAME[values.memory.dtype(same.load.buffer)].bits
    if bits > BY_NAME[values.memory.dtype(wide.load.buffer)].bits:
        wide = _byte_of_two(wide, s.var, values) or wide
    first, second = (same, wide) if (same.dtype, wide.dtype) in DOTS else (wide, same)
    made = DOTS.get((first.dtype, second.dtype))
    if made is None or {a.made, b.made, values.memory.dtype(body.buffer)} != {made}:
        return None
    rounds = s.extent.value or 0
    if rounds * bits != _WORD or not _neighbours(s.var, values, same.load, wide.load, rounds):
        return None
    return first, second


def _factor(v: Value, values: Values) -> _Factor | None:
    match v:
        case Cast(made, Load() as load):
            return _Factor(load, made, values.memory.dtype(load.buffer))
        case Op("bitand", (Op("shr", (Cast(made, Load() as load), Number(by, _))), Literal(15))):
            shift = values.addresses.put_fixed(by).value
        case _:
            return None
    halved = shift in (0, 4) and values.memory.dtype(load.buffer) == "uint8"
    return _Factor(load, made, HALF_BYTE, shift // 4) if halved and shift is not None else None


def _byte_of_two(factor: _Factor, var: str, values: Values) -> _Factor | None:
    """The first or the second of every two bytes as a number of 16 bits."""
    load, last = factor.load, values.addresses.put_fixed(factor.load.index[-1])
    half = last.substitute({var: 0}).value
    if factor.dtype != "uint8" or last.coefficient(var) != 2 or half not in (0, 1):
        return None
    return _Factor(Load(load.buffer, (*load.index[:-1], last - half)), factor.made, "int16", half)


def _loaded(factor: _Factor, values: Values, lanes: int) -> str:
    """32 bits for each lane, in which every term has as many."""
    words = values.memory.words(factor.load.buffer, factor.load.index, lanes)
    if factor.half is None:
        return words
    t, (bits, mask) = f"<{lanes} x i32>", _HALVES[factor.dtype]
    if factor.half:
        words = values.w.value(f"lshr {t} {words}, splat (i32 {bits})", "s")
    return values.w.value(f"and {t} {words}, splat (i32 {mask})", "s")


def _neighbours(var: str, values: Values, same: Load, wide: Load, rounds: int) -> bool:
    """Whether the terms of a lane are next to each other, and those of neighbouring lanes too."""
    addresses = values.addresses
    for load, step in ((same, 0), (wide, rounds)):
        flat = addresses.put_fixed(addresses.flat(load.buffer, load.index))
        apart = flat.coefficient(var)
        halved = apart == 2 and values.memory.dtype(load.buffer) == "uint8"  # every other byte: a half of 16 bits
        if apart != 1 and not (step and halved):
            return False
        if addresses.access(load.buffer, load.index)[2] != step * (apart or 1):
            return False
    return True


def _names(x: Load | Update) -> frozenset[str]:
    return frozenset(name for e in x.index for name in e.names)
