"""Operators that give a tensor another shape, its elements staying in order; that make it longer; and broadcasting.

Only what repeats elements has a kernel: where the bytes lie already as they should, the virtual machine gives them
another shape (`ReshapeTensor`), or writes what comes behind them there (`AppendTensor`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from anytile.compiler.ir.nodes import Array
from anytile.compiler.ir.types import TensorType
from anytile.compiler.operators.scheduling import elementwise_as, schedule_as
from anytile.compiler.operators.spec import (
    ALL,
    REQUIRED,
    Attribute,
    Attributes,
    Facts,
    Mismatch,
    Operator,
    Scheduled,
    Shaped,
    axes_of,
    axis_of,
    integer,
    ints,
    of_dtype,
    of_rank,
    same_dtype,
)
from anytile.schedules.index.expr import Expr, const, product
from anytile.schedules.operators.attribute import FIRST_AXIS
from anytile.schedules.operators.movement.joining import MOST_PARTS
from anytile.schedules.operators.spec import example
from anytile.schedules.workloads.workload import MAX_DIM


def _reshape(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    """Dimensions that stay are left out of the account, so that the rest is known even where one of them is 0."""
    (x,) = args
    shape = ints(attrs, "shape")
    stay = {i for i, n in enumerate(shape) if n == 0}
    if shape.count(-1) > 1 or any(i >= x.rank for i in stay):
        raise Mismatch(f"shape={shape} of {x}: expected sizes, 0 for one that stays, -1 once for the rest")
    left = product([d for i, d in enumerate(x.dims) if i not in stay])
    known = math.prod(n for n in shape if n > 0)
    rest = left // known
    facts.equal(left, rest * known if -1 in shape else const(known), f"elements for {shape=}")
    return (
        Shaped(tuple(x.dims[i] if n == 0 else rest if n == -1 else const(n) for i, n in enumerate(shape)), x.dtype),
    )


def _reshape_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    (x,) = arrays
    shape = ints(attrs, "shape")
    rest = math.prod(n for i, n in enumerate(x.shape) if shape[i : i + 1] != (0,))
    rest //= math.prod(n for n in shape if n > 0)
    return (x.reshape([x.shape[i] if n == 0 else rest if n == -1 else n for i, n in enumerate(shape)]),)


def _flatten(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    return (Shaped((product(args[0].dims),), args[0].dtype),)


def _expand_dims(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    (x,) = args
    given = ints(attrs, "axis")
    made = list(x.dims)
    for axis in axes_of(given, x.rank + len(given)) if given else ():
        made.insert(axis, const(1))
    return (Shaped(tuple(made), x.dtype),)


def _expand_dims_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    return (np.expand_dims(arrays[0], ints(attrs, "axis")),)


def _squeeze(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    (x,) = args
    given = ints(attrs, "axis")
    gone = axes_of(given, x.rank) if given else ()
    for axis in gone:
        facts.equal(x.dims[axis], const(1))
    return (Shaped(tuple(d for i, d in enumerate(x.dims) if i not in gone), x.dtype),)


def _squeeze_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    return (np.squeeze(arrays[0], ints(attrs, "axis")),)


def _reshape_like(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    x, like = args
    facts.equal(product(x.dims), product(like.dims))
    return (Shaped(like.dims, x.dtype),)


def _broadcast_to(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    (x,) = args
    shape = ints(attrs, "shape")
    if len(shape) < x.rank:
        raise Mismatch(f"shape={shape} of {x}: expected at least {x.rank} dimensions")
    made = []
    for i, n in enumerate(shape):
        own = x.dims[i - len(shape) + x.rank] if i >= len(shape) - x.rank else const(1)
        if n != -1 and facts.number(own) != 1:
            _must_become(own, const(n), facts)
        made.append(own if n == -1 else const(n))
    return (Shaped(tuple(made), x.dtype),)


def _must_become(own: Expr, wanted: Expr, facts: Facts) -> None:
    """A dimension can be broadcast to another: together they make that one."""
    facts.equal(facts.broadcast(own, wanted), wanted)


def _broadcast_like(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    x, like = args
    if like.rank < x.rank:
        raise Mismatch(f"{x} to the shape {like}: expected at least {x.rank} dimensions")
    for own, wanted in zip(x.dims, like.dims[like.rank - x.rank :], strict=True):
        _must_become(own, wanted, facts)
    return (Shaped(like.dims, x.dtype),)


def _repeat_schedule(args: Sequence[TensorType], results: Sequence[TensorType], attrs: Attributes) -> Scheduled | None:
    return elementwise_as(lambda texts: texts[0], args[:1], results[0])


def _reshape_to(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    x, shape = args
    of_rank(shape, 1, "shape")
    of_dtype(shape, ("int64",), "shape")
    rank = facts.number(shape.dims[0])
    if rank is None:
        raise Mismatch(f"a shape of {shape} numbers; expected to know how many dimensions the result has")
    return (Shaped(tuple(facts.unknown(f"d{i}") for i in range(rank)), x.dtype),)


def _reshape_to_sizes(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[tuple[int, ...], ...]:
    x, shape = arrays
    wanted = tuple(int(n) for n in shape)
    rest = math.prod(n for n in wanted if n != -1)
    fits = wanted.count(-1) <= 1 and min(wanted, default=0) >= -1
    if -1 in wanted and fits:
        wanted = tuple(x.size // max(rest, 1) if n == -1 else n for n in wanted)
    if not fits or math.prod(wanted) != x.size or max(wanted, default=0) > MAX_DIM:
        raise Mismatch(f"{x.shape} to the shape {tuple(int(n) for n in shape)}: expected as many elements, {x.size}")
    return (wanted,)


def _reshape_to_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    return (arrays[0].reshape(_reshape_to_sizes(arrays, attrs)[0]),)


ANY_SIZE = -1


def size_like(position: int) -> int:
    """In `sizes` of expect: the size of that dimension of the tensors behind x, all counted one after the other."""
    return -2 - position


def _expect(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    x, *likes = args
    sizes, others = ints(attrs, "sizes"), [d for t in likes for d in t.dims]
    if len(sizes) != x.rank or any(-2 - n >= len(others) for n in sizes):
        raise Mismatch(f"sizes={sizes} of {x}: expected one for each dimension, that speaks of a tensor behind x")
    made = []
    for own, n in zip(x.dims, sizes, strict=True):
        wanted = own if n == ANY_SIZE else const(n) if n >= 0 else others[-2 - n]
        facts.equal(own, wanted)
        made.append(wanted)
    least, most = ints(attrs, "least") or (0,) * x.rank, ints(attrs, "most") or (ANY_SIZE,) * x.rank
    if len(least) != x.rank or len(most) != x.rank:
        raise Mismatch(f"least={least}, most={most} of {x}: expected one for each dimension")
    for i, (dim, low, high) in enumerate(zip(made, least, most, strict=True)):
        facts.at_least(dim, low, f"dimension {i}, from {low}")
        if high != ANY_SIZE:
            facts.at_least(high - dim, 0, f"{high} less dimension {i}, to {high}")
    return (Shaped(tuple(made), x.dtype),)


def _append(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    x, rows = args
    of_rank(rows, x.rank, "rows")
    axis = axis_of(integer(attrs, "axis"), x.rank)
    made = list(x.dims)
    for i, (own, other) in enumerate(zip(x.dims, rows.dims, strict=True)):
        if i == axis:
            made[i] = own + other
        else:
            made[i] = facts.equal(own, other)
            if i < axis:
                facts.equal(made[i], const(1), f"dimension {i}, before axis {axis}")
    return (Shaped(tuple(made), same_dtype(args, ALL)),)


def _append_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    return (np.concatenate(arrays, axis=integer(attrs, "axis")),)


def _repeat_each(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    (x,) = args
    axis, times = axis_of(integer(attrs, "axis"), x.rank), integer(attrs, "times")
    return (Shaped(tuple(d * times if i == axis else d for i, d in enumerate(x.dims)), x.dtype),)


def _repeat_each_schedule(
    args: Sequence[TensorType], results: Sequence[TensorType], attrs: Attributes
) -> Scheduled | None:
    """Parts of one row, all of which are x."""
    (x,), times = args, integer(attrs, "times")
    axis = axis_of(integer(attrs, "axis"), x.rank)
    rows, inside = (tuple((0, a) for a in axes) for axes in (range(axis + 1), range(axis + 1, x.rank)))
    sizes = {"outer": rows, "inner": inside, **{f"n{i}": () for i in range(times)}}
    return schedule_as("concat", args, sizes, (), {"count": times}, (0,) * times)


ROWS = (
    Operator(
        name="expect",
        summary="x, whose sizes must be these: a number, -1 for any, -2 - i for dimension i of the tensors behind x",
        inputs=("x", "likes"),
        relation=_expect,
        numpy=lambda arrays, attrs: (arrays[0],),
        attributes=(
            Attribute("sizes", "ints", REQUIRED, "what they must be"),
            Attribute("least", "ints", (), "what each is at least, or nothing", least=0),
            Attribute("most", "ints", (), "what each is at most, -1 for any", least=ANY_SIZE),
        ),
        variadic=True,
        optional=1,
        examples=(
            example("(?b, ?t, 6)", "(?b)", sizes=(-2, -1, 6)),
            example("(?b, ?t, 6)", sizes=(-1, -1, -1), least=(0, 0, 6), most=(MAX_DIM, -1, 6)),
        ),
    ),
    Operator(
        name="reshape",
        summary="x in another shape: 0 is a dimension that stays, -1 what is left",
        inputs=("x",),
        relation=_reshape,
        numpy=_reshape_meaning,
        attributes=(Attribute("shape", "ints", REQUIRED, "the sizes", least=-1),),
        examples=(
            example("(?b, ?t, 6)", shape=(0, -1, 2, 3)),
            example("(?b, ?t, 6)", shape=(-1, 3)),
        ),
    ),
    Operator(
        name="flatten",
        summary="x as one dimension",
        inputs=("x",),
        relation=_flatten,
        numpy=lambda arrays, attrs: (arrays[0].reshape(-1),),
        examples=(example("(?b, ?t, 6)"),),
    ),
    Operator(
        name="expand_dims",
        summary="x with new dimensions of 1, at these axes of the result",
        inputs=("x",),
        relation=_expand_dims,
        numpy=_expand_dims_meaning,
        attributes=(Attribute("axis", "ints", (0,), "where"),),
        examples=(example("(?b, ?t)", axis=(0, -1)),),
    ),
    Operator(
        name="squeeze",
        summary="x without these dimensions, which must be 1",
        inputs=("x",),
        relation=_squeeze,
        numpy=_squeeze_meaning,
        attributes=(Attribute("axis", "ints", (0,), "which"),),
        examples=(example("(?b, 1, ?t)", axis=1),),
    ),
    Operator(
        name="reshape_like",
        summary="x in the shape of another tensor",
        inputs=("x", "like"),
        relation=_reshape_like,
        numpy=lambda arrays, attrs: (arrays[0].reshape(arrays[1].shape),),
        examples=(example("(?b, 6)", "(?b, 2, 3)"),),
    ),
    Operator(
        name="reshape_to",
        summary="x in a shape that is data, -1 being what is left",
        inputs=("x", "shape"),
        relation=_reshape_to,
        numpy=_reshape_to_meaning,
        mode="data",
        sizes=_reshape_to_sizes,
        examples=(example("(?b, 6)", "minus (1) int64"),),
    ),
    Operator(
        name="append",
        summary="x with rows behind its own, in the memory of x where nothing was appended to x before",
        inputs=("x", "rows"),
        relation=_append,
        moves=True,
        numpy=_append_meaning,
        attributes=(Attribute("axis", "int", 0, "along which; all dimensions before it are 1"),),
        examples=(
            example("(?b, ?t)", "(3, ?t)"),
            example("(1, ?b, 6) bool", "(1, 2, 6) bool", axis=-2),
        ),
    ),
    Operator(
        name="broadcast_to",
        summary="x repeated along new dimensions and those of 1; -1 is a dimension that stays",
        inputs=("x",),
        relation=_broadcast_to,
        numpy=lambda arrays, attrs: (_repeated(arrays[0], ints(attrs, "shape")),),
        attributes=(Attribute("shape", "ints", REQUIRED, "the sizes", least=-1),),
        examples=(example("(?b, 1)", shape=(2, -1, 5)),),
    ),
    Operator(
        name="repeat_each",
        summary="x with each element along an axis so many times, one behind the other",
        inputs=("x",),
        relation=_repeat_each,
        numpy=lambda arrays, attrs: (arrays[0].repeat(integer(attrs, "times"), integer(attrs, "axis")),),
        attributes=(
            FIRST_AXIS,
            Attribute("times", "int", REQUIRED, "how many times", least=2, most=MOST_PARTS),
        ),
        schedule=_repeat_each_schedule,
        takes_stored=True,
        moves=True,
        examples=(
            example("(?b, ?t)", axis=-1, times=2),
            example("(?b, ?t, 3)", axis=1, times=3),
        ),
    ),
    Operator(
        name="broadcast_like",
        summary="x repeated to the shape of another tensor",
        inputs=("x", "like"),
        relation=_broadcast_like,
        numpy=lambda arrays, attrs: (np.broadcast_to(arrays[0], arrays[1].shape),),
        schedule=_repeat_schedule,
        examples=(example("(?b, 1)", "(?b, ?t)"),),
    ),
)


def _repeated(x: Array, shape: tuple[int, ...]) -> Array:
    own = (1,) * (len(shape) - x.ndim) + x.shape
    return np.broadcast_to(x, [o if n == -1 else n for n, o in zip(shape, own, strict=True)])
