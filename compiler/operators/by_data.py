"""Forms of slice, pad, split, tile, broadcast, one_hot and top_k whose sizes are data, and tile by attributes.

Their results are as large as int64 arguments say ("data"): the machine asks for the sizes before it calls, and the host
does what numpy says.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from anytile.compiler.ir.nodes import Array
from anytile.compiler.operators.dynamic import LARGEST, top
from anytile.compiler.operators.spec import (
    ALL,
    INTEGERS,
    NUMBERS,
    REQUIRED,
    Attribute,
    Attributes,
    Facts,
    Mismatch,
    Operator,
    Shaped,
    axis_of,
    integer,
    ints,
    of_dtype,
    of_rank,
)
from anytile.schedules.index.expr import Expr
from anytile.schedules.operators.spec import MAX_NUMBER, example

Shapes = tuple[tuple[int, ...], ...]
_AXES = Attribute("axes", "ints", (), "the axes they are for; the first ones without")
_AXIS = Attribute("axis", "int", 0, "the dimension, counted from the end where negative")


def _numbers(tensor: Shaped, what: str, facts: Facts) -> int:
    """How many numbers an int64 argument is."""
    of_dtype(tensor, ("int64",), what)
    of_rank(tensor, 1, what)
    count = facts.number(tensor.dims[0])
    if count is None:
        raise Mismatch(f"{what} of the shape {tensor}; expected to know how many numbers there are")
    return count


def _checked(shape: tuple[int, ...]) -> tuple[int, ...]:
    if min(shape, default=0) < 0 or math.prod(shape) > MAX_NUMBER:
        raise Mismatch(f"a result of the shape {shape}: expected sizes from 0, {MAX_NUMBER} elements at most")
    return shape


def _chosen(attrs: Attributes, count: int, rank: int) -> tuple[int, ...]:
    """The axes that so many numbers are for."""
    axes = tuple(axis_of(a, rank, "axes") for a in ints(attrs, "axes")) or tuple(range(count))
    if len(axes) != count or len(set(axes)) != count or count > rank:
        raise Mismatch(f"axes={axes} for {count} numbers of {rank} dimensions: expected each axis once")
    return axes


def _unknown(x: Shaped, axes: tuple[int, ...], facts: Facts) -> tuple[Expr, ...]:
    return tuple(facts.unknown(f"d{i}") if i in axes else d for i, d in enumerate(x.dims))


def _shapes_of(made: tuple[Array, ...]) -> Shapes:
    return tuple(a.shape for a in made)


def _slice(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    x, *bounds = args
    counts = {_numbers(b, what, facts) for b, what in zip(bounds, ("start", "stop", "step"), strict=True)}
    if len(counts) != 1:
        raise Mismatch("start, stop and step of different lengths; expected one number each for every axis")
    return (Shaped(_unknown(x, _chosen(attrs, counts.pop(), x.rank), facts), x.dtype),)


def _slice_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    x, *bounds = arrays
    cut = [slice(None)] * x.ndim
    for axis, *at in zip(_chosen(attrs, len(bounds[0]), x.ndim), *(b.tolist() for b in bounds), strict=True):
        start, stop, step = at
        if step == 0:
            raise Mismatch("a step of 0; expected any other")
        begin, end, step = slice(start, stop, step).indices(x.shape[axis])
        cut[axis] = slice(begin, None if end < 0 else end, step) if range(begin, end, step) else slice(0)
    return (x[tuple(cut)],)


def _pad(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    x, before, after, value = args
    counts = {_numbers(before, "before", facts), _numbers(after, "after", facts)}
    if len(counts) != 1:
        raise Mismatch("before and after of different lengths; expected one number each for every axis")
    of_rank(value, 0, "value")
    of_dtype(value, (x.dtype,), "value")
    return (Shaped(_unknown(x, _chosen(attrs, counts.pop(), x.rank), facts), x.dtype),)


def _pads(arrays: tuple[Array, ...], attrs: Attributes) -> list[tuple[int, int]]:
    x, before, after, _ = arrays
    around = [(0, 0)] * x.ndim
    for axis, *each in zip(_chosen(attrs, len(before), x.ndim), before.tolist(), after.tolist(), strict=True):
        around[axis] = each[0], each[1]
    return around


def _pad_sizes(arrays: tuple[Array, ...], attrs: Attributes) -> Shapes:
    sizes = zip(arrays[0].shape, _pads(arrays, attrs), strict=True)
    return (_checked(tuple(n + before + after for n, (before, after) in sizes)),)


def _pad_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    """Negative numbers cut off: before anything is put around that is made of what is left, else of all behind it."""
    x, mode = arrays[0], str(attrs["mode"])
    around = _pads(arrays, attrs)
    _pad_sizes(arrays, attrs)
    more = [(max(b, 0), max(a, 0)) for b, a in around]
    if mode == "constant":
        return (_cut(np.pad(x, more, constant_values=arrays[3].item()), around),)
    cut = _cut(x, around)
    for n, pair in zip(cut.shape, more, strict=True):
        if max(pair) and not n:
            raise Mismatch(f"a dimension of 0; expected at least 1 for mode={mode}")
    return (np.pad(cut, more, mode=mode),)  # type: ignore[call-overload]  # the words of numpy


def _cut(x: Array, around: Sequence[tuple[int, int]]) -> Array:
    ends = (slice(max(-b, 0), max(n + min(a, 0), 0)) for n, (b, a) in zip(x.shape, around, strict=True))
    return x[tuple(ends)]


def _split(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    x, sizes = args
    axis = axis_of(integer(attrs, "axis"), x.rank)
    count = _numbers(sizes, "sizes", facts)
    return tuple(Shaped(_unknown(x, (axis,), facts), x.dtype) for _ in range(count))


def _split_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    x, sizes = arrays
    axis = axis_of(integer(attrs, "axis"), x.ndim)
    if sizes.sum() != x.shape[axis] or (sizes < 0).any():
        raise Mismatch(f"sizes {tuple(sizes.tolist())} of a dimension of {x.shape[axis]}; expected all of it")
    return tuple(np.split(x, np.cumsum(sizes)[:-1], axis))


def _tile(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    (x,) = args
    repeats = ints(attrs, "repeats")
    if len(repeats) != x.rank:
        raise Mismatch(f"repeats={repeats} of {x}: expected {x.rank} numbers")
    return (Shaped(tuple(d * n for d, n in zip(x.dims, repeats, strict=True)), x.dtype),)


def _tile_by(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    x, repeats = args
    if _numbers(repeats, "repeats", facts) != x.rank:
        raise Mismatch(f"repeats of the shape {repeats} for {x}: expected {x.rank} numbers")
    return (Shaped(_unknown(x, tuple(range(x.rank)), facts), x.dtype),)


def _tile_sizes(arrays: tuple[Array, ...], attrs: Attributes) -> Shapes:
    x, repeats = arrays
    return (_checked(tuple(n * r for n, r in zip(x.shape, repeats.tolist(), strict=True))),)


def _tile_by_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    _tile_sizes(arrays, attrs)
    return (np.tile(arrays[0], arrays[1]),)


def _broadcast(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    x, shape = args
    rank = max(_numbers(shape, "shape", facts), x.rank)
    return (Shaped(tuple(facts.unknown(f"d{i}") for i in range(rank)), x.dtype),)


def _broadcast_sizes(arrays: tuple[Array, ...], attrs: Attributes) -> Shapes:
    x, shape = arrays[0].shape, tuple(arrays[1].tolist())
    try:
        return (_checked(np.broadcast_shapes(x, _checked(shape))),)
    except ValueError:
        raise Mismatch(f"{x} and {shape} cannot be broadcast; expected the same sizes, or 1") from None


def _broadcast_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    return (np.broadcast_to(arrays[0], _broadcast_sizes(arrays, attrs)[0]),)


def _one_hot(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    index, depth, values = args
    of_dtype(index, INTEGERS, "index")
    of_dtype(depth, ("int64",), "depth")
    of_rank(depth, 0, "depth")
    of_dtype(values, ALL, "values")
    of_rank(values, 1, "values")
    facts.equal(values.dims[0], values.dims[0] * 0 + 2, "numbers: off, on")
    axis = axis_of(integer(attrs, "axis"), index.rank + 1)
    return (Shaped((*index.dims[:axis], facts.unknown("depth"), *index.dims[axis:]), values.dtype),)


def _one_hot_sizes(arrays: tuple[Array, ...], attrs: Attributes) -> Shapes:
    index, depth = arrays[0], int(arrays[1])
    axis = axis_of(integer(attrs, "axis"), index.ndim + 1)
    return (_checked((*index.shape[:axis], depth, *index.shape[axis:])),)


def _one_hot_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    index, depth, values = arrays
    (shape,) = _one_hot_sizes(arrays, attrs)
    axis = axis_of(integer(attrs, "axis"), index.ndim + 1)
    there = np.where(index < 0, index + int(depth), index) if index.dtype.kind == "i" else index
    classes = np.arange(int(depth)).reshape([-1 if i == axis else 1 for i in range(len(shape))])
    return (np.where(classes == np.expand_dims(there, axis), values[1], values[0]),)


def _top_k(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    x, k = args
    of_dtype(x, NUMBERS, "x")
    of_dtype(k, ("int64",), "k")
    of_rank(k, 0, "k")
    axis = axis_of(integer(attrs, "axis"), x.rank)
    dims = (*x.dims[:axis], facts.unknown("k"), *x.dims[axis + 1 :])
    return (Shaped(dims, x.dtype), Shaped(dims, "int64"))


def _top_k_count(arrays: tuple[Array, ...], attrs: Attributes) -> int:
    k, size = int(arrays[1]), int(arrays[0].shape[axis_of(integer(attrs, "axis"), arrays[0].ndim)])
    if k < 0 or (attrs["strict"] and k > size):
        raise Mismatch(
            f"k is {k}; expected {f'0 to {size}, as many as there are' if attrs['strict'] else 'at least 0'}"
        )
    return min(k, size)


def _top_k_sizes(arrays: tuple[Array, ...], attrs: Attributes) -> Shapes:
    shape, axis = list(arrays[0].shape), axis_of(integer(attrs, "axis"), arrays[0].ndim)
    shape[axis] = _top_k_count(arrays, attrs)
    return (tuple(shape), tuple(shape))


def _top_k_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    return top(arrays[0], _top_k_count(arrays, attrs), attrs)


ROWS = (
    Operator(
        name="slice_by",
        summary="x[start:stop:step] along some axes, the bounds being data; numpy's rules, any int64 as a bound",
        inputs=("x", "start", "stop", "step"),
        relation=_slice,
        numpy=_slice_meaning,
        attributes=(_AXES,),
        mode="data",
        sizes=lambda arrays, attrs: _shapes_of(_slice_meaning(arrays, attrs)),
        examples=(
            example("(?b, ?t)", "index (1) int64", "index (1) int64", "one (1) int64", axes=(1,)),
            example("(?b, ?t) bool", "minus (2) int64", "index (2) int64", "minus (2) int64"),
        ),
    ),
    Operator(
        name="pad_by",
        summary="x with so many elements around it as data say; negative numbers cut off",
        inputs=("x", "before", "after", "value"),
        relation=_pad,
        numpy=_pad_meaning,
        attributes=(
            _AXES,
            Attribute("mode", "str", "constant", "what stands there", words=("constant", "edge", "reflect", "wrap")),
        ),
        mode="data",
        sizes=_pad_sizes,
        examples=(example("(?b, ?t)", "index (2) int64", "index (2) int64", "()"),),
    ),
    Operator(
        name="split_by",
        summary="x in parts along an axis whose sizes are data, which are all of it",
        inputs=("x", "sizes"),
        relation=_split,
        numpy=_split_meaning,
        attributes=(_AXIS,),
        many=True,
        mode="data",
        sizes=lambda arrays, attrs: _shapes_of(_split_meaning(arrays, attrs)),
        examples=(example("(3, ?t)", "one (3) int64"),),
    ),
    Operator(
        name="tile",
        summary="x again and again along each dimension",
        inputs=("x",),
        relation=_tile,
        numpy=lambda arrays, attrs: (np.tile(arrays[0], ints(attrs, "repeats")),),
        attributes=(Attribute("repeats", "ints", REQUIRED, "how often, for each dimension", least=0),),
        examples=(example("(?b, ?t)", repeats=(2, 3)),),
    ),
    Operator(
        name="tile_by",
        summary="x again and again along each dimension, how often being data",
        inputs=("x", "repeats"),
        relation=_tile_by,
        numpy=_tile_by_meaning,
        mode="data",
        sizes=_tile_sizes,
        examples=(example("(?b, ?t)", "index (2) int64"),),
    ),
    Operator(
        name="broadcast_by",
        summary="x broadcast with a shape that is data, as numpy broadcasts two arrays",
        inputs=("x", "shape"),
        relation=_broadcast,
        numpy=_broadcast_meaning,
        mode="data",
        sizes=_broadcast_sizes,
        examples=(example("(?b, 1)", "one (2) int64"), example("()", "index (2) int64")),
    ),
    Operator(
        name="one_hot_by",
        summary="values[1] where the index is the class, else values[0]; the number of classes is data, at an axis",
        inputs=("index", "depth", "values"),
        relation=_one_hot,
        numpy=_one_hot_meaning,
        attributes=(Attribute("axis", "int", -1, "which dimension of the result the classes are"),),
        mode="data",
        sizes=_one_hot_sizes,
        examples=(example("index (?b, ?t) int64", "index () int64", "(2)", axis=1),),
    ),
    Operator(
        name="top_k_by",
        summary="the k largest or smallest along an axis, in that order, and their indices; k is data",
        inputs=("x", "k"),
        relation=_top_k,
        numpy=_top_k_meaning,
        attributes=(
            Attribute("axis", "int", -1, "the dimension, counted from the end where negative"),
            LARGEST,
            Attribute("strict", "bool", False, "whether more than there are is refused; else all are taken"),
        ),
        many=True,
        mode="data",
        sizes=_top_k_sizes,
        examples=(example("(?b, ?t)", "index () int64", largest=False), example("(?b, ?t) int64", "index () int64")),
    ),
)
