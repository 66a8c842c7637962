"""Dot loops -> calls of `@anytile.dot`: the neighbouring terms of a sum, multiplied and added for all lanes at once.

One operand is the same in every lane, as a row of x is, the other has its terms lane by lane: 32 bits of each make one
term of a lane, or one half of each byte in them. A loop whose terms lie in another way, or not all of which are there,
is written out instead.
"""

from __future__ import annotations

from dataclasses import dataclass

from anytile.codegen.llvm.instructions import kind
from anytile.codegen.llvm.narrow.narrow_functions import DOTS, HALF_BYTE
from anytile.codegen.llvm.values import Values
from anytile.core.dtypes import BY_NAME
from anytile.schedules.index.bounds import Bounds
from anytile.schedules.nest.nodes import Cast, Guard, Literal, Load, Loop, Op, Stmt, Update, Value
from anytile.schedules.nest.simplify import decide

_WORD = 32  # bits
_LOWER = 0x0F0F0F0F  # the lower halves of its bytes


def dotted(s: Loop, values: Values, bounds: Bounds) -> bool:
    """Write a dot loop in one instruction; False where it cannot be, and nothing was written."""
    rounds = s.extent.value or 0
    body: Stmt = s.body
    inside = bounds.having(s.var, 0, rounds - 1)
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
    match body.value:
        case Op("mul", (one, other)):
            a, b = _factor(one, values), _factor(other, values)
        case _:
            return False
    if a is None or b is None:
        return False
    same, wide = (a, b) if lanes.var not in _names(a.load) else (b, a)
    first, second = (same, wide) if (same.dtype, wide.dtype) in DOTS else (wide, same)
    made = DOTS.get((first.dtype, second.dtype))
    if made is None or {a.made, b.made, values.memory.dtype(body.buffer)} != {made} or s.var in _names(body):
        return False
    memory = BY_NAME[values.memory.dtype(same.load.buffer)].bits
    if rounds * memory != _WORD or not _neighbours(s.var, values, same.load, wide.load, rounds):
        return False
    old, n = values.whole(Load(body.buffer, body.index)), lanes.count
    with values.addresses.unrolled(s.var, 0):
        x, w = (_words(factor, values, n) for factor in (first, second))
    t = kind(made, n)
    function = f"@anytile.dot.{first.dtype}.{second.dtype}.x{n}"
    call = values.w.always(f"call {t} {function}({t} {old}, <{n} x i32> {x}, <{n} x i32> {w})", "f")
    values.memory.store(body.buffer, body.index, call, lanes)
    return True


@dataclass(frozen=True, slots=True)
class _Factor:
    """What a term has on one side: the element of a buffer, or the `half` of a byte that is a number of 4 bits."""

    load: Load
    made: str
    dtype: str
    half: int | None = None


def _factor(v: Value, values: Values) -> _Factor | None:
    match v:
        case Cast(made, Load() as load):
            return _Factor(load, made, values.memory.dtype(load.buffer))
        case Op("bitand", (Cast(made, Load() as load), Literal(15))):
            half = 0
        case Op("shr", (Cast(made, Load() as load), Literal(4))):
            half = 1
        case _:
            return None
    return _Factor(load, made, HALF_BYTE, half) if values.memory.dtype(load.buffer) == "uint8" else None


def _words(factor: _Factor, values: Values, lanes: int) -> str:
    """32 bits for each lane, in which every term has as many."""
    words = values.memory.words(factor.load.buffer, factor.load.index, lanes)
    t = f"<{lanes} x i32>"
    if factor.half == 1:
        words = values.w.value(f"lshr {t} {words}, splat (i32 4)", "s")
    if factor.half is not None:
        words = values.w.value(f"and {t} {words}, splat (i32 {_LOWER})", "s")
    return words


def _neighbours(var: str, values: Values, same: Load, wide: Load, rounds: int) -> bool:
    """Whether the terms of a lane are next to each other, and those of neighbouring lanes too."""
    addresses = values.addresses
    for load, step in ((same, 0), (wide, rounds)):
        flat = addresses.put_fixed(addresses.flat(load.buffer, load.index))
        if flat.coefficient(var) != 1 or addresses.access(load.buffer, load.index)[2] != step:
            return False
    return True


def _names(x: Load | Update) -> frozenset[str]:
    return frozenset(name for e in x.index for name in e.names)
