"""Operators that only move elements: transpose, concat, split, slice, take, pad, one_hot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anytile.compiler.ir.nodes import Array
from anytile.compiler.ir.types import TensorType
from anytile.compiler.operators.mirror import translated
from anytile.compiler.operators.scheduling import around, every, schedule_as
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
    Scheduled,
    Shaped,
    axis_of,
    integer,
    ints,
    number,
    of_dtype,
    same_dtype,
)
from anytile.core.errors import SpecError
from anytile.schedules.index.expr import Expr, ceildiv, const, maximum
from anytile.schedules.operators import OPERATORS
from anytile.schedules.operators.slicing import END, count, filling, first
from anytile.schedules.operators.spec import MAX_NUMBER, AttributeValue
from anytile.schedules.operators.transpose import MOST_DIMS

AXIS = Attribute("axis", "int", 0, "the dimension, counted from the end where negative")


def _permutation(attrs: Attributes, rank: int) -> tuple[int, ...]:
    given = ints(attrs, "perm")
    perm = tuple(axis_of(a, rank, "perm") for a in given) if given else tuple(reversed(range(rank)))
    if sorted(perm) != list(range(rank)):
        raise Mismatch(f"perm={given} of a tensor with {rank} dimensions: expected each of them once")
    return perm


def _transpose(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    (x,) = args
    return (Shaped(tuple(x.dims[p] for p in _permutation(attrs, x.rank)), x.dtype),)


def _transpose_schedule(
    args: Sequence[TensorType], results: Sequence[TensorType], attrs: Attributes
) -> Scheduled | None:
    """Dimensions of size 1 dropped, and those that stay side by side made one, so that equal moves are one workload."""
    (x,) = args
    groups: list[list[int]] = []
    for axis in _permutation(attrs, x.rank):
        if x.shape[axis] == 1:
            continue
        if groups and all(x.shape[a] == 1 for a in range(groups[-1][-1] + 1, axis)) and groups[-1][-1] < axis:
            groups[-1].append(axis)
        else:
            groups.append([axis])
    if not 0 < len(groups) <= MOST_DIMS:
        return None
    order = sorted(range(len(groups)), key=lambda g: groups[g][0])  # of the groups, as they stand in x
    sizes = {f"d{i}": tuple((0, a) for a in groups[g]) for i, g in enumerate(order)}
    perm = tuple(order.index(g) for g in range(len(groups)))
    back = {axis: at for at, axis in enumerate(_permutation(attrs, x.rank))}
    walked = [(f"d{perm[g]}", [back[a] for a in group]) for g, group in enumerate(groups)]
    return schedule_as("transpose", args, sizes, walked, {"rank": len(groups), "perm": perm})


def _concat(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    dtype, rank = same_dtype(args, ALL), args[0].rank
    axis = axis_of(integer(attrs, "axis"), rank)
    made = list(args[0].dims)
    for other in args[1:]:
        if other.rank != rank:
            raise Mismatch(f"tensors of {rank} and {other.rank} dimensions; expected one number of them")
        for i, dim in enumerate(other.dims):
            made[i] = made[i] + dim if i == axis else facts.equal(made[i], dim)
    return (Shaped(tuple(made), dtype),)


def _concat_schedule(args: Sequence[TensorType], results: Sequence[TensorType], attrs: Attributes) -> Scheduled | None:
    if len(args) > 64:
        return None
    axis = axis_of(integer(attrs, "axis"), args[0].rank)
    sizes, walked = around(0, args[0], axis)
    sizes |= {f"n{i}": ((i, axis),) for i in range(len(args))}
    return schedule_as("concat", args, sizes, walked, {"count": len(args)})


def _split_attrs(attrs: Attributes) -> dict[str, AttributeValue]:
    at = ints(attrs, "at")
    return {"count": (len(at) + 1,), "at": at} if at else {"count": (integer(attrs, "parts"),), "at": (0,)}


def _split(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    (x,) = args
    axis = axis_of(integer(attrs, "axis"), x.rank)
    at = ints(attrs, "at")
    if sorted(at) != list(at) or (at and at[-1] == 0):
        raise Mismatch(f"at={at}: expected positions in their order, not all 0")
    form = OPERATORS["split"].form(_split_attrs(attrs))
    sizes = {"outer": const(1), "n": x.dims[axis], "inner": const(1)}
    return tuple(
        Shaped((*x.dims[:axis], derive(sizes), *x.dims[axis + 1 :]), x.dtype) for derive in form.derived.values()
    )


def _split_schedule(args: Sequence[TensorType], results: Sequence[TensorType], attrs: Attributes) -> Scheduled | None:
    axis = axis_of(integer(attrs, "axis"), args[0].rank)
    sizes, walked = around(0, args[0], axis)
    walked = [(name if name != "n" else "n0", over) for name, over in walked]
    return schedule_as("split", args, sizes, walked, _split_attrs(attrs))


def _split_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    at = ints(attrs, "at")
    return tuple(np.array_split(arrays[0], at or integer(attrs, "parts"), axis=integer(attrs, "axis")))


def _slices(attrs: Attributes, rank: int) -> dict[int, tuple[int, int, int]]:
    """(start, stop, step) of each axis that is cut."""
    start, stop, step = (ints(attrs, name) for name in ("start", "stop", "step"))
    size = max(len(start), len(stop), len(step))
    axes = tuple(axis_of(a, rank, "axes") for a in ints(attrs, "axes")) or tuple(range(size))
    for name, values in (("start", start), ("stop", stop), ("step", step)):
        if values and len(values) != len(axes):
            raise Mismatch(f"{name}={values}: expected {len(axes)} numbers, one for each axis that is cut")
    steps = step or (1,) * len(axes)
    if len(set(axes)) != len(axes) or any(a >= rank for a in axes) or 0 in steps:
        raise Mismatch(f"axes={axes}, step={steps} of {rank} dimensions: expected each axis once, no step of 0")
    starts = start or tuple(END if s < 0 else 0 for s in steps)
    stops = stop or tuple(-MAX_NUMBER if s < 0 else END for s in steps)
    return dict(zip(axes, zip(starts, stops, steps, strict=True), strict=True))


def _taken(size: Expr, start: int, stop: int, step: int) -> Expr:
    """How many positions a slice takes."""
    if stop <= -MAX_NUMBER and step < 0:  # down to the first, which `count` cannot see for an unknown size
        return ceildiv(first(size, start, step) + 1, -step)
    return maximum(count(size, start, stop, step), 0)


def _slice(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    (x,) = args
    made = list(x.dims)
    for axis, at in _slices(attrs, x.rank).items():
        made[axis] = _taken(made[axis], *at)
    return (Shaped(tuple(made), x.dtype),)


def _slice_schedule(args: Sequence[TensorType], results: Sequence[TensorType], attrs: Attributes) -> Scheduled | None:
    (x,) = args
    if not 0 < x.rank <= MOST_DIMS:
        return None
    cut = _slices(attrs, x.rank)
    each = [cut.get(axis, (0, END, 1)) for axis in range(x.rank)]
    start, stop, step = zip(*each, strict=True)
    sizes = {f"d{i}": ((0, i),) for i in range(x.rank)}
    walked = [(f"o{i}", (i,)) for i in range(x.rank)]
    return schedule_as("slice", args, sizes, walked, {"rank": x.rank, "start": start, "stop": stop, "step": step})


def _slice_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    (x,) = arrays
    for axis, at in _slices(attrs, x.ndim).items():
        x = np.take(x, np.arange(*slice(*at).indices(x.shape[axis])), axis)
    return (x,)


def _take(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    x, index = args
    of_dtype(index, INTEGERS, "index")
    axis = axis_of(integer(attrs, "axis"), x.rank)
    return (Shaped((*x.dims[:axis], *index.dims, *x.dims[axis + 1 :]), x.dtype),)


def _take_schedule(args: Sequence[TensorType], results: Sequence[TensorType], attrs: Attributes) -> Scheduled | None:
    x, index = args
    axis = axis_of(integer(attrs, "axis"), x.rank)
    sizes, _ = around(0, x, axis)
    sizes["m"] = every(1, index)
    end = axis + index.rank
    walked = (("outer", range(axis)), ("m", range(axis, end)), ("inner", range(end, x.rank + index.rank - 1)))
    return schedule_as("gather", args, sizes, walked, {"index": index.dtype})


def _take_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    x, index = arrays
    axis = axis_of(integer(attrs, "axis"), x.ndim)
    size = x.shape[axis]
    outside = index[(index < -size) | (index >= size)]
    if outside.size:
        raise Mismatch(f"index {outside.flat[0]} is out of bounds for axis {axis} with size {size}")
    return (np.take(x, index, axis),)


def _pads(attrs: Attributes, rank: int) -> tuple[tuple[int, int], ...]:
    before, after = ints(attrs, "before"), ints(attrs, "after")
    for name, values in (("before", before), ("after", after)):
        if values and len(values) != rank:
            raise Mismatch(f"{name}={values} of a tensor with {rank} dimensions: expected {rank} numbers")
    return tuple(zip(before or (0,) * rank, after or (0,) * rank, strict=True))


def _pad(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    (x,) = args
    around_each = _pads(attrs, x.rank)
    if attrs["mode"] == "constant":
        _filling(attrs, x.dtype)
    else:
        for dim, (before, after) in zip(x.dims, around_each, strict=True):
            if before + after:
                facts.at_least(dim, 1, f"elements for mode={attrs['mode']}")
    return (Shaped(tuple(d + sum(p) for d, p in zip(x.dims, around_each, strict=True)), x.dtype),)


def _filling(attrs: Attributes, dtype: str) -> str:
    """The number around a tensor, as `schedules` spells it; one that is no element of it is refused."""
    value = number(attrs, "value")
    text = repr(value) if dtype == "float32" or not value.is_integer() else repr(int(value))
    try:
        filling({"value": text}, dtype)
    except SpecError as error:
        raise Mismatch(str(error)) from None
    return text


def _pad_attrs(args: Sequence[TensorType | Array], attrs: Attributes, rank: int) -> dict[str, AttributeValue | int]:
    before, after = zip(*_pads(attrs, rank), strict=True)
    mode = str(attrs["mode"])
    text = _filling(attrs, str(args[0].dtype)) if mode == "constant" else "0"
    return {"rank": rank, "before": before, "after": after, "mode": mode, "value": text}


def _pad_schedule(args: Sequence[TensorType], results: Sequence[TensorType], attrs: Attributes) -> Scheduled | None:
    (x,) = args
    if not 0 < x.rank <= MOST_DIMS:
        return None
    sizes = {f"d{i}": ((0, i),) for i in range(x.rank)}
    return schedule_as("pad", args, sizes, [(f"o{i}", (i,)) for i in range(x.rank)], _pad_attrs(args, attrs, x.rank))


def _pad_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    (x,) = arrays
    if not x.ndim:
        return (x,)
    spec = OPERATORS["pad"]
    given = _pad_attrs(arrays, attrs, x.ndim)
    checked = {name: spec.attribute(name).check(value) for name, value in given.items()}
    return spec.reference({"x": x}, spec.complete(checked))


def _one_hot(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    of_dtype(args[0], INTEGERS, "index")
    return (Shaped((*args[0].dims, const(integer(attrs, "depth"))), str(attrs["dtype"])),)


def _one_hot_schedule(args: Sequence[TensorType], results: Sequence[TensorType], attrs: Attributes) -> Scheduled | None:
    (index,) = args
    given = {"depth": translated(attrs)["depth"], "index": index.dtype}
    walked = (("m", range(index.rank)), ("depth", (index.rank,)))
    return schedule_as("one_hot", args, {"m": every(0, index)}, walked, given, dtype=str(attrs["dtype"]))


def _one_hot_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    depth = integer(attrs, "depth")
    return (np.arange(depth) == (arrays[0] % depth)[..., None],)


ROWS = (
    Operator(
        name="transpose",
        summary="y[i_perm[0], i_perm[1], ...] = x[i_0, i_1, ...]; without perm all dimensions turned around",
        inputs=("x",),
        relation=_transpose,
        numpy=lambda arrays, attrs: (arrays[0].transpose(_permutation(attrs, arrays[0].ndim)),),
        pattern="injective",
        attributes=(Attribute("perm", "ints", (), "which dimension of x each one of y is"),),
        schedule=_transpose_schedule,
    ),
    Operator(
        name="concat",
        summary="the tensors one after the other along an axis",
        inputs=("x",),
        relation=_concat,
        numpy=lambda arrays, attrs: (np.concatenate(arrays, axis=integer(attrs, "axis")),),
        pattern="injective",
        attributes=(AXIS,),
        variadic=True,
        schedule=_concat_schedule,
    ),
    Operator(
        name="split",
        summary="parts of x along an axis: of one size (the first ones larger by 1 if need be), or cut at positions",
        inputs=("x",),
        relation=_split,
        numpy=_split_meaning,
        pattern="injective",
        attributes=(
            Attribute("parts", "int", 2, "how many parts", least=1),
            Attribute("at", "ints", (), "the positions to cut at, in place of parts", least=0),
            AXIS,
        ),
        many=True,
        schedule=_split_schedule,
    ),
    Operator(
        name="slice",
        summary="x[start:stop:step] along some axes, by numpy's rules",
        inputs=("x",),
        relation=_slice,
        numpy=_slice_meaning,
        pattern="injective",
        attributes=(
            Attribute(
                "start", "ints", (), "the first positions; the first or, backwards, last one without", least=-MAX_NUMBER
            ),
            Attribute("stop", "ints", (), "the positions no longer taken; without, all are", least=-MAX_NUMBER),
            Attribute("step", "ints", (), "how far apart they are; 1 without", least=-MAX_NUMBER),
            Attribute("axes", "ints", (), "the axes they are for; the first ones without"),
        ),
        schedule=_slice_schedule,
    ),
    Operator(
        name="take",
        summary="y[o, j, i] = x[o, index[j], i] along an axis; a negative index counts from the end",
        inputs=("x", "index"),
        relation=_take,
        numpy=_take_meaning,
        pattern="injective",
        attributes=(AXIS,),
        schedule=_take_schedule,
    ),
    Operator(
        name="pad",
        summary="x with a number, the nearest elements or their reflection around it",
        inputs=("x",),
        relation=_pad,
        numpy=_pad_meaning,
        pattern="injective",
        attributes=(
            Attribute("before", "ints", (), "how many before each dimension", least=0),
            Attribute("after", "ints", (), "how many after it", least=0),
            Attribute("mode", "str", "constant", "what stands there", words=("constant", "edge", "reflect")),
            Attribute("value", "float", 0.0, "the number of mode constant"),
        ),
        schedule=_pad_schedule,
    ),
    Operator(
        name="one_hot",
        summary="y[..., d] = 1 where index[...] is d, else 0",
        inputs=("index",),
        relation=_one_hot,
        numpy=_one_hot_meaning,
        pattern="injective",
        attributes=(
            Attribute("depth", "int", REQUIRED, "how many classes there are", least=1),
            Attribute("dtype", "str", "float32", "of the result", words=(*NUMBERS, "bool")),
        ),
        schedule=_one_hot_schedule,
    ),
)
