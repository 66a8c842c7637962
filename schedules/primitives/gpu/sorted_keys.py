"""Binary search by every thread: how many of the sorted keys in memory are below a limit.

    found = 0; for the powers of two from the largest down: found += p where found + p keys are below the limit

Every thread takes the same steps, as many as the number of keys has bits. A place is an index variable, so that keys
that are not sorted give a wrong count and no access beyond them.
"""

from __future__ import annotations

from anytile.schedules.index.expr import Expr, const, var
from anytile.schedules.nest.nodes import Let, Literal, Load, Loop, LoopKind, Number, Op, Stmt, Store, Value, block

_MOST_BITS = 31  # of a dimension's size
_STEP, _AT = "i_step", "i_probe"


def keys_below(keys: str, count: Expr, limit: Value, found: str) -> Stmt:
    """The register `found`, of int64, is how many of `count` keys are below the limit. There is at least one."""
    bits = _MOST_BITS if count.value is None else count.value.bit_length()
    power = Op("shl", (Literal(1, "int64"), Number(const(bits - 1) - var(_STEP))))
    more = Op("add", (Load(found, ()), power))
    below = Op("and", (Op("le", (more, Number(count))), Op("lt", (Load(keys, (var(_AT),)), limit))))
    step = Store(found, (), Op("select", (below, more, Load(found, ()))))
    one = Let(_AT, Op("sub", (more, Literal(1, "int64"))), count, step)
    return block(Store(found, (), Literal(0, "int64")), Loop(_STEP, const(bits), LoopKind.SERIAL, one))
