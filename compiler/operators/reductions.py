"""Reductions: sum, mean, max, min, prod and argmax over axes of a tensor; each is the workload `reduce`. And running
products, maxima and sums of exponentials, which have no kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from anytile.compiler.ir.nodes import Array
from anytile.compiler.ir.types import TensorType
from anytile.compiler.operators.scheduling import schedule_as
from anytile.compiler.operators.spec import (
    FLOATS,
    NUMBERS,
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
)
from anytile.schedules.index.expr import const
from anytile.schedules.operators import OPERATORS as WORKLOADS
from anytile.schedules.operators.ranked import MOST_DIMS
from anytile.schedules.operators.spec import AttributeValue, Example, example, wide

# What a reduction over no elements makes of floats; of whole numbers max and min are the ends of their range.
OF_NOTHING = {"sum": 0, "mean": "nan", "max": "-inf", "min": "inf", "prod": 1, "argmax": 0}


_MORE = {
    "sum": example("(?b, ?t, 2, 3)", axis=(0, 2), keepdims=True),
    "max": example("(?b, 3)"),
}


def _reduced(kind: str) -> Operator:
    def relation(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
        (x,) = args
        of_dtype(x, FLOATS if kind == "mean" else NUMBERS, "x")
        gone = reduced_axes(kind, attrs, x.rank)
        keep = attrs["keepdims"]
        dims = tuple(const(1) if i in gone else d for i, d in enumerate(x.dims) if keep or i not in gone)
        return (Shaped(dims, "int64" if kind == "argmax" else x.dtype),)

    def meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
        (x,) = arrays
        gone = reduced_axes(kind, attrs, x.ndim)
        given: dict[str, AttributeValue] = {"kind": kind, "rank": x.ndim, "axes": gone}
        reduce = WORKLOADS["reduce"]
        (y,) = reduce.reference({"x": x}, reduce.complete(given))
        return (np.expand_dims(y, gone) if attrs["keepdims"] else y,)

    def schedule(args: Sequence[TensorType], results: Sequence[TensorType], attrs: Attributes) -> Scheduled | None:
        return _reduce_schedule(kind, args, attrs)

    return Operator(
        name=kind,
        summary=f"{kind} over some dimensions, all of them without an axis; {OF_NOTHING[kind]} over no elements",
        inputs=("x",),
        relation=relation,
        numpy=meaning,
        attributes=(
            Attribute("axis", "ints", (), "the dimensions that go"),
            Attribute("keepdims", "bool", False, "whether they stay, with size 1"),
        ),
        schedule=schedule,
        examples=(example("(?b, ?t, 6)", axis=-1), *((_MORE[kind],) if kind in _MORE else ())),
    )


def reduced_axes(kind: str, attrs: Attributes, rank: int) -> tuple[int, ...]:
    """The axes that go, rising."""
    gone = axes_of(ints(attrs, "axis"), rank)
    if not gone:
        raise Mismatch("x is a scalar; expected at least one dimension")
    if kind == "argmax" and gone[-1] - gone[0] >= len(gone):
        raise Mismatch(f"axis={gone}: expected dimensions side by side")
    return gone


def _reduce_schedule(kind: str, args: Sequence[TensorType], attrs: Attributes) -> Scheduled | None:
    """Dimensions that go, or stay, side by side are one."""
    (x,) = args
    gone = reduced_axes(kind, attrs, x.rank)
    groups: list[tuple[bool, list[int]]] = []
    for axis in range(x.rank):
        if groups and groups[-1][0] == (axis in gone):
            groups[-1][1].append(axis)
        else:
            groups.append((axis in gone, [axis]))
    if len(groups) > MOST_DIMS:
        return None
    sizes = {f"d{i}": tuple((0, a) for a in axes) for i, (_, axes) in enumerate(groups)}
    walked, at = [], 0
    for i, (goes, axes) in enumerate(groups):
        if not goes:
            walked.append((f"d{i}", range(at, at + len(axes))))
        at += len(axes) if not goes or attrs["keepdims"] else 0
    given: dict[str, AttributeValue] = {
        "rank": len(groups),
        "axes": tuple(i for i, (goes, _) in enumerate(groups) if goes),
        "kind": kind,
    }
    return schedule_as("reduce", args, sizes, walked, given)


def _running(
    name: str,
    summary: str,
    accumulated: Callable[[Array, Attributes], Array],
    takes: tuple[str, ...],
    attributes: tuple[Attribute, ...] = (),
    examples: tuple[Example, ...] = (),
) -> Operator:
    """What is made of all elements up to each, along an axis, which `accumulated` sees first."""

    def relation(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
        (x,) = args
        of_dtype(x, takes, "x")
        axis_of(integer(attrs, "axis"), x.rank)
        return (x,)

    def meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
        axis = axis_of(integer(attrs, "axis"), arrays[0].ndim)
        with np.errstate(all="ignore"):
            return (np.moveaxis(accumulated(np.moveaxis(wide(arrays[0]), axis, 0), attrs), 0, axis),)

    return Operator(
        name=name,
        summary=f"{summary} along an axis",
        inputs=("x",),
        relation=relation,
        numpy=meaning,
        attributes=(Attribute("axis", "int", -1, "the dimension, counted from the end where negative"), *attributes),
        examples=(example("(?b, ?t, 6)"), *examples),
    )


def _products(x: Array, attrs: Attributes) -> Array:
    x = x[::-1] if attrs["reverse"] else x
    y = x.cumprod(axis=0, dtype=x.dtype)
    y = np.concatenate([np.ones_like(y[:1]), y[:-1]]) if attrs["exclusive"] else y
    return y[::-1] if attrs["reverse"] else y


ROWS = (
    *map(_reduced, OF_NOTHING),
    _running(
        "cumprod",
        "running products",
        _products,
        NUMBERS,
        attributes=(
            Attribute("exclusive", "bool", False, "whether an element is left out of its own product"),
            Attribute("reverse", "bool", False, "whether products run from the end"),
        ),
        examples=(example("(?b, 3) int32", axis=0, exclusive=True, reverse=True),),
    ),
    _running(
        "cummax",
        "the largest up to each element",
        lambda x, attrs: np.maximum.accumulate(x, axis=0),
        NUMBERS,
        examples=(example("(?b, 3) int64", axis=0),),
    ),
    _running(
        "logcumsumexp",
        "the logarithm of running sums of exp(x)",
        lambda x, attrs: np.logaddexp.accumulate(x, axis=0),
        FLOATS,
    ),
)
