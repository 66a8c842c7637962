"""Saturating conversion: which of a nest's values are a float's nearest integer of 8 bits, cut off at the ends.

A nest says it step by step, rounded, held between both ends and cast, and each of `max` and `min` hands NaN on, which
takes three instructions. As one step, a function of `narrow_functions`, it takes four in all, and what was cut off at
an end before need not be.
"""

from __future__ import annotations

from anytile.schedules.nest.nodes import Cast, Literal, Op, Value
from anytile.schedules.operators.products.quantised_dense import INTEGER_LIMITS

DTYPES = ("uint8", "int8")


def saturated(v: Cast) -> Value | None:
    """The float whose nearest integer a value is; None where it is something else."""
    if v.dtype not in DTYPES:
        return None
    least, most = INTEGER_LIMITS[v.dtype]
    match v.value:
        case Op("max", (Op("min", (Op("round", (x,)), Literal(high, _))), Literal(low, _))):
            pass
        case Op("min", (Op("max", (Op("round", (x,)), Literal(low, _))), Literal(high, _))):
            pass
        case _:
            return None
    return _without_ends(x, least, most) if (low, high) == (least, most) else None


def _without_ends(x: Value, least: float, most: float) -> Value:
    """The value without what cuts it off where the conversion does, or beyond."""
    match x:
        case Op("max", (inner, Literal(low, _))) if low <= least:
            return _without_ends(inner, least, most)
        case Op("min", (inner, Literal(high, _))) if high >= most:
            return _without_ends(inner, least, most)
    return x
