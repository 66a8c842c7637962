"""Operators that move elements of tensors of any rank: transpose, slice, pad. Each is the workload of its name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anytile.compiler.ir.nodes import Array
from anytile.compiler.ir.types import TensorType
from anytile.compiler.operators.scheduling import schedule_as
from anytile.compiler.operators.spec import (
    FLOATS,
    Attribute,
    Attributes,
    Facts,
    Mismatch,
    Operator,
    Scheduled,
    Shaped,
    axis_of,
    ints,
    number,
)
from anytile.core.errors import SpecError
from anytile.schedules.index.expr import Expr, ceildiv, maximum
from anytile.schedules.operators import OPERATORS as WORKLOADS
from anytile.schedules.operators.movement.slicing import END, count, filling, first, sliced
from anytile.schedules.operators.movement.transpose import turned
from anytile.schedules.operators.ranked import MOST_DIMS
from anytile.schedules.operators.spec import MAX_NUMBER, AttributeValue, example


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


@dataclass(frozen=True, slots=True)
class Part:
    """One of `count` equal parts of a tensor along an axis, one behind the other."""

    axis: int
    number: int
    count: int


def part_of(x: TensorType, attributes: Attributes) -> Part | None:
    """The part that a slice with these attributes, defaults included, cuts off; None where it is no such part."""
    cut = [(a, x.shape[a], at) for a, at in _slices(attributes, x.rank).items() if at != (0, END, 1)]
    if len(cut) != 1:
        return None
    ((axis, size, (start, stop, step)),) = cut
    if not isinstance(size, int) or step != 1:
        return None
    first, last, _ = slice(start, stop).indices(size)
    length = last - first
    if length <= 0 or size % length or first % length:
        return None
    return Part(axis, first // length, size // length)


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
    return (sliced(arrays[0], _slices(attrs, arrays[0].ndim)),)


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
    text = repr(value) if dtype in FLOATS or not value.is_integer() else repr(int(value))
    try:
        filling({"value": text}, dtype)
    except SpecError as error:
        raise Mismatch(str(error)) from None
    return text


def _pad_attrs(args: Sequence[TensorType | Array], attrs: Attributes, rank: int) -> dict[str, AttributeValue]:
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
    return WORKLOADS["pad"].reference({"x": x}, _pad_attrs(arrays, attrs, x.ndim))


ROWS = (
    Operator(
        name="transpose",
        summary="y[i_perm[0], i_perm[1], ...] = x[i_0, i_1, ...]; without perm all dimensions turned around",
        inputs=("x",),
        relation=_transpose,
        numpy=lambda arrays, attrs: (turned(arrays[0], _permutation(attrs, arrays[0].ndim)),),
        attributes=(Attribute("perm", "ints", (), "which dimension of x each one of y is"),),
        schedule=_transpose_schedule,
        takes_stored=True,
        moves=True,
        examples=(
            example("(?b, ?t, 6)"),
            example("(?b, ?t, 2, 3)", perm=(0, 2, 1, 3)),
            example("(?b, 1, ?t, 6)", perm=(2, 1, 0, 3)),
        ),
    ),
    Operator(
        name="slice",
        summary="x[start:stop:step] along some axes, by numpy's rules",
        inputs=("x",),
        relation=_slice,
        numpy=_slice_meaning,
        attributes=(
            Attribute(
                "start", "ints", (), "the first positions; the first or, backwards, last one without", least=-MAX_NUMBER
            ),
            Attribute("stop", "ints", (), "the positions no longer taken; without, all are", least=-MAX_NUMBER),
            Attribute("step", "ints", (), "how far apart they are; 1 without", least=-MAX_NUMBER),
            Attribute("axes", "ints", (), "the axes they are for; the first ones without"),
        ),
        schedule=_slice_schedule,
        takes_stored=True,
        moves=True,
        examples=(
            example("(?b, ?t)", start=(1, -2), stop=(9, 7), step=(2, 1)),
            example("(?b, ?t)", start=(-1,), step=(-1,), axes=(1,)),
            example("(?b, ?t)", start=(-2,), stop=(-9,), step=(-2,), axes=(1,)),
            example("(?b, ?t)", step=(1, -3)),
        ),
    ),
    Operator(
        name="pad",
        summary="x with a number, the nearest elements or their reflection around it",
        inputs=("x",),
        relation=_pad,
        numpy=_pad_meaning,
        attributes=(
            Attribute("before", "ints", (), "how many before each dimension", least=0),
            Attribute("after", "ints", (), "how many after it", least=0),
            Attribute("mode", "str", "constant", "what stands there", words=("constant", "edge", "reflect")),
            Attribute("value", "float", 0.0, "the number of mode constant"),
        ),
        schedule=_pad_schedule,
        takes_stored=True,
        moves=True,
        examples=(example("(?b, ?t)", before=(1, 0), after=(0, 2), value=2.0),),
    ),
)
