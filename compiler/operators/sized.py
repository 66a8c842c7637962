"""Operators whose sizes are expressions of dimensions: reshaping, broadcasting, and tensors of sizes.

An attribute `sizes` is a text of expressions over `d0`, `d1`, ...: the dimensions of all arguments, those of the first
one before those of the second. So a shape that a model computes from shapes stays arithmetic on dimensions, which type
inference and shape functions see through: equal sizes have one name, and a reshape is a view.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anytile.compiler.ir.nodes import Array
from anytile.compiler.operators.spec import REQUIRED, Attribute, Attributes, Facts, Mismatch, Operator, Shaped
from anytile.core.errors import ScheduleError
from anytile.schedules.index.expr import Expr, const, product
from anytile.schedules.index.expr_text import parse_exprs
from anytile.schedules.operators.spec import example

REPEATS = ("broadcast_to", "broadcast_sized", "broadcast_like")  # operators that repeat a tensor to a shape
FIRST_LIKE = {"sizes_of": 0, "reshape_sized": 1, "broadcast_sized": 1}  # the argument from which on only sizes are read


def _canonical(text: str) -> str:
    try:
        return sizes_text(parse_exprs(text))
    except ScheduleError as error:
        raise Mismatch(f"sizes={error}") from None


def sizes_text(sizes: Sequence[Expr]) -> str:
    """The attribute's text of some expressions."""
    return ", ".join(map(str, sizes))


def dimension(position: int) -> str:
    """What the attribute calls a dimension, all of all arguments being counted one after the other."""
    return f"d{position}"


def sizes_at(args: Sequence[Shaped], attrs: Attributes) -> tuple[Expr, ...]:
    """What the attribute says of some arguments."""
    wanted = parse_exprs(str(attrs["sizes"]))
    known = {dimension(i): d for i, d in enumerate(d for a in args for d in a.dims)}
    unknown = sorted({n for e in wanted for n in e.names} - known.keys())
    if unknown:
        raise Mismatch(f"sizes={attrs['sizes']}: {unknown[0]} is no dimension; expected d0 to d{len(known) - 1}")
    return tuple(e.substitute(known) for e in wanted)


def _numbers(arrays: Sequence[Array], attrs: Attributes) -> tuple[int, ...]:
    args = [Shaped(tuple(map(const, a.shape))) for a in arrays]
    return tuple(e.evaluate({}) for e in sizes_at(args, attrs))


def _reshape(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    wanted = sizes_at(args, attrs)
    for size in wanted:
        facts.at_least(size, 0, "a size")
    facts.equal(product(args[0].dims), product(wanted), "elements")
    return (Shaped(wanted, args[0].dtype),)


def _broadcast(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    x, wanted = args[0], sizes_at(args, attrs)
    if len(wanted) < x.rank:
        raise Mismatch(f"{x} to {sizes_text(wanted)}: expected at least {x.rank} dimensions")
    for size in wanted:
        facts.at_least(size, 0, "a size")
    for own, size in zip(x.dims, wanted[len(wanted) - x.rank :], strict=True):
        facts.equal(facts.broadcast(own, size), size)
    return (Shaped(wanted, x.dtype),)


def _tensor(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    return (Shaped((const(len(sizes_at(args, attrs))),), "int64"),)


_SIZES = Attribute("sizes", "str", REQUIRED, "expressions over the arguments' dimensions", canonical=_canonical)

ROWS = (
    Operator(
        name="reshape_sized",
        summary="x in a shape whose sizes are computed from the dimensions of x and of other tensors",
        inputs=("x", "likes"),
        relation=_reshape,
        numpy=lambda arrays, attrs: (arrays[0].reshape(_numbers(arrays, attrs)),),
        attributes=(_SIZES,),
        variadic=True,
        optional=1,
        examples=(
            example("(?b, ?t, 6)", sizes="d0*d1, 2, 3"),
            example("(?t, 6)", "(?t, 1)", sizes="2*d2, 3"),
        ),
    ),
    Operator(
        name="broadcast_sized",
        summary="x repeated to a shape whose sizes are computed from the dimensions of x and of other tensors",
        inputs=("x", "likes"),
        relation=_broadcast,
        numpy=lambda arrays, attrs: (np.broadcast_to(arrays[0], _numbers(arrays, attrs)),),
        attributes=(_SIZES,),
        variadic=True,
        optional=1,
        examples=(example("(?b, 1)", "(?t, 6)", sizes="2, d0, d2 + 1"),),
    ),
    Operator(
        name="sizes_of",
        summary="a tensor of sizes that are computed from the dimensions of tensors",
        inputs=("likes",),
        relation=_tensor,
        numpy=lambda arrays, attrs: (np.asarray(_numbers(arrays, attrs), np.int64),),
        attributes=(_SIZES,),
        variadic=True,
        examples=(example("(?b, ?t, 6)", "(?t)", sizes="d0*d1, d3 + 1, 7"),),
    ),
)
