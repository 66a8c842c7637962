"""Dtypes in expressions: literals take the dtype of what they meet, and what does not fit together is refused.

A text alone says nothing of dtypes: `i + 1` is an integer where i is one. Whoever computes an expression goes through
here, so that kernels and references mean the same by it. The tail of a product, the outputs of a cell and what a
normalisation begins with are `floats`: all that they read is float32 to them, and so must be what they make.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from anytile.core.dtypes import MODEL_FLOATS as FLOATS
from anytile.core.errors import ScheduleError, SpecError
from anytile.schedules.nest import elementwise_text
from anytile.schedules.nest.nodes import Cast, Literal, Op, Value
from anytile.schedules.nest.operations import INTEGERS, OPERATIONS, dtype_of


@lru_cache(1024)
def floats(text: str) -> Value:
    """The value of a text over float32 operands, which must be a float32 again; casts may lead away and back."""
    made = typed(elementwise_text.parse(text), _float32)
    elementwise_text.for_kernels(made, text)
    dtype = dtype_of(made, _float32)
    if dtype != "float32":
        back = f"float32({elementwise_text.write(made)})"
        raise SpecError(f"expression {text!r} makes {dtype} where float32 is stored; write {back}")
    return made


def _float32(operand: str) -> str:
    return "float32"


def typed(v: Value, operand: Callable[[str], str]) -> Value:
    """The value with each literal in the dtype of what it is computed with; what does not fit is refused."""
    try:
        made = _adapted(v, operand)
        dtype_of(made, operand)
    except ScheduleError as error:
        raise SpecError(f"expression {elementwise_text.write(v)!r}: {error}; write a cast, as in float32(x)") from None
    return made


def _adapted(v: Value, operand: Callable[[str], str]) -> Value:
    match v:
        case Op(name, args):
            known = tuple(_adapted(a, operand) for a in args)
            first = int(OPERATIONS[name].chooses)
            is_open = [i >= first and isinstance(a, Literal) for i, a in enumerate(args)]
            kinds = {dtype_of(a, operand) for a, open_ in zip(known[first:], is_open[first:], strict=True) if not open_}
            same = kinds.pop() if len(kinds) == 1 else "float32"
            return Op(name, tuple(_literal(a, same) if open_ else a for a, open_ in zip(known, is_open, strict=True)))
        case Cast(dtype, Literal() as number):  # which may be more than float32 holds
            held = _literal(number, dtype)
            return held if dtype_of(held, operand) == dtype else v
        case Cast(dtype, value):
            return Cast(dtype, _adapted(value, operand))
        case _:
            return v


def _literal(v: Value, dtype: str) -> Value:
    if not isinstance(v, Literal) or v.dtype == dtype:
        return v
    if dtype in FLOATS:
        return replace(v, dtype=dtype)
    if v.number != v.number or abs(v.number) == float("inf"):
        return v
    whole = v.number == int(v.number) and (dtype in INTEGERS or v.number in (0, 1))
    return replace(v, number=int(v.number), dtype=dtype) if whole else v
