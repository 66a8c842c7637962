"""Dot loops -> calls of `@anytile.dot`: the neighbouring terms of a sum, multiplied and added for all lanes at once.

One operand is the same in every lane, as a row of x is, the other has its terms lane by lane: 32 bits of each make one
term of a lane. A loop whose terms lie in another way, or not all of which are there, is written out instead.
"""

from __future__ import annotations

from anytile.codegen.llvm.instructions import kind
from anytile.codegen.llvm.narrow.narrow_functions import DOTS
from anytile.codegen.llvm.values import Values
from anytile.core.dtypes import BY_NAME
from anytile.schedules.index.bounds import Bounds
from anytile.schedules.nest.nodes import Cast, Guard, Load, Loop, Op, Stmt, Update
from anytile.schedules.nest.simplify import decide

_WORD = 32  # bits


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
        case Op("mul", (Cast(made, Load() as a), Cast(other, Load() as b))) if made == other:
            same, wide = (a, b) if lanes.var not in _names(a) else (b, a)
        case _:
            return False
    dtypes = values.memory.dtype(same.buffer), values.memory.dtype(wide.buffer)
    if DOTS.get(dtypes) != made or made != values.memory.dtype(body.buffer) or s.var in _names(body):
        return False
    if rounds * BY_NAME[dtypes[0]].bits != _WORD or not _neighbours(s.var, values, same, wide, rounds):
        return False
    old, n = values.whole(Load(body.buffer, body.index)), lanes.count
    with values.addresses.unrolled(s.var, 0):
        x, w = (values.memory.words(load.buffer, load.index, n) for load in (same, wide))
    t = kind(made, n)
    function = f"@anytile.dot.{dtypes[0]}.{dtypes[1]}.x{n}"
    call = values.w.always(f"call {t} {function}({t} {old}, <{n} x i32> {x}, <{n} x i32> {w})", "f")
    values.memory.store(body.buffer, body.index, call, lanes)
    return True


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
