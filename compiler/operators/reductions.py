"""Operators over whole dimensions: sums and their kin, softmax, normalisations, running sums, pooling."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from anytile.compiler.ir.nodes import Array
from anytile.compiler.ir.types import TensorType
from anytile.compiler.operators.mirror import mirrored, mirrored_meaning, translated
from anytile.compiler.operators.scheduling import around, every, schedule_as
from anytile.compiler.operators.spec import (
    FLOATS,
    NUMBERS,
    Attribute,
    Attributes,
    Axis,
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
)
from anytile.schedules.index.expr import const
from anytile.schedules.operators import OPERATORS
from anytile.schedules.operators.spec import AttributeValue
from anytile.schedules.operators.transpose import MOST_DIMS

_EPS = Attribute("eps", "float", 1e-5, "what is added to the variance")


# What a reduction over no elements makes of floats; of whole numbers max and min are the ends of their range.
OF_NOTHING = {"sum": 0, "mean": "nan", "max": "-inf", "min": "inf", "prod": 1, "argmax": 0}


def _reduced(kind: str) -> Operator:
    def relation(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
        (x,) = args
        of_dtype(x, FLOATS if kind == "mean" else NUMBERS, "x")
        gone = _gone(kind, attrs, x.rank)
        keep = attrs["keepdims"]
        dims = tuple(const(1) if i in gone else d for i, d in enumerate(x.dims) if keep or i not in gone)
        return (Shaped(dims, "int64" if kind == "argmax" else x.dtype),)

    def meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
        (x,) = arrays
        gone = _gone(kind, attrs, x.ndim)
        given: dict[str, AttributeValue] = {"kind": kind, "rank": (x.ndim,), "axes": gone}
        (y,) = OPERATORS["reduce"].reference({"x": x}, given)
        return (np.expand_dims(y, gone) if attrs["keepdims"] else y,)

    def schedule(args: Sequence[TensorType], results: Sequence[TensorType], attrs: Attributes) -> Scheduled | None:
        return _reduce_schedule(kind, args, attrs)

    return Operator(
        name=kind,
        summary=f"{kind} over some dimensions, all of them without an axis; {OF_NOTHING[kind]} over no elements",
        inputs=("x",),
        relation=relation,
        numpy=meaning,
        pattern="reduction",
        attributes=(
            Attribute("axis", "ints", (), "the dimensions that go"),
            Attribute("keepdims", "bool", False, "whether they stay, with size 1"),
        ),
        schedule=schedule,
    )


def _gone(kind: str, attrs: Attributes, rank: int) -> tuple[int, ...]:
    gone = axes_of(ints(attrs, "axis"), rank)
    if not gone:
        raise Mismatch("x is a scalar; expected at least one dimension")
    if kind == "argmax" and gone[-1] - gone[0] >= len(gone):
        raise Mismatch(f"axis={gone}: expected dimensions side by side")
    return gone


def _reduce_schedule(kind: str, args: Sequence[TensorType], attrs: Attributes) -> Scheduled | None:
    """Dimensions that go, or stay, side by side are one."""
    (x,) = args
    gone = _gone(kind, attrs, x.rank)
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
    given: dict[str, AttributeValue | int] = {
        "rank": len(groups),
        "axes": tuple(i for i, (goes, _) in enumerate(groups) if goes),
        "kind": kind,
    }
    return schedule_as("reduce", args, sizes, walked, given)


def _along(name: str, op: str, summary: str, fixed: Mapping[str, str], attributes: tuple[Attribute, ...]) -> Operator:
    """An operator of (outer, n, inner) over one axis of a tensor that keeps its shape."""

    def relation(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
        of_dtype(args[0], OPERATORS[op].dtypes, "x")
        axis_of(integer(attrs, "axis"), args[0].rank)
        return args

    def given(attrs: Attributes) -> dict[str, AttributeValue]:
        return {**translated({key: value for key, value in attrs.items() if key != "axis"}), **fixed}

    def meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
        (x,) = arrays
        axis = axis_of(integer(attrs, "axis"), x.ndim)
        collapsed = x.reshape(math.prod(x.shape[:axis]), x.shape[axis], math.prod(x.shape[axis + 1 :]))
        (y,) = OPERATORS[op].reference({"x": collapsed}, OPERATORS[op].complete(given(attrs)))
        return (y.reshape(x.shape),)

    def schedule(args: Sequence[TensorType], results: Sequence[TensorType], attrs: Attributes) -> Scheduled | None:
        sizes, walked = around(0, args[0], axis_of(integer(attrs, "axis"), args[0].rank))
        return schedule_as(op, args, sizes, walked, given(attrs))

    axis = Attribute("axis", "int", -1, "the dimension, counted from the end where negative")
    return Operator(name, summary, ("x",), relation, meaning, "reduction", (axis, *attributes), schedule=schedule)


def _row_norm(name: str, parameters: tuple[str, ...]) -> Operator:
    """A normalisation of the last dimension, with parameters of its size."""

    def relation(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
        x, *others = args
        if not x.rank:
            raise Mismatch("x is a scalar; expected x[..., n]")
        for what, tensor in zip(("x", *parameters), args, strict=True):
            of_dtype(tensor, FLOATS, what)
        for what, tensor in zip(parameters, others, strict=True):
            of_rank(tensor, 1, what)
            facts.equal(x.dims[-1], tensor.dims[0])
        return (x,)

    def meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
        x = arrays[0]
        rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
        (y,) = mirrored_meaning(name, (rows, *arrays[1:]), attrs)
        return (y.reshape(x.shape),)

    def schedule(args: Sequence[TensorType], results: Sequence[TensorType], attrs: Attributes) -> Scheduled | None:
        rank = args[0].rank
        sizes: dict[str, tuple[Axis, ...]] = {"rows": every(0, args[0], 0, -1), "n": ((1, 0),)}
        return schedule_as(name, args, sizes, (("rows", range(rank - 1)), ("n", (rank - 1,))), translated(attrs))

    return Operator(
        name=name,
        summary=OPERATORS[name].summary.replace("rows", "..."),
        inputs=("x", *parameters),
        relation=relation,
        numpy=meaning,
        pattern="reduction",
        attributes=(_EPS,),
        schedule=schedule,
    )


_STATISTICS = ("gamma", "beta", "mean", "variance")


def _batch_norm(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    x, *others = args
    axis = axis_of(integer(attrs, "axis"), x.rank)
    for what, tensor in zip(("x", *_STATISTICS), args, strict=True):
        of_dtype(tensor, FLOATS, what)
    for what, tensor in zip(_STATISTICS, others, strict=True):
        of_rank(tensor, 1, what)
        facts.equal(x.dims[axis], tensor.dims[0])
    return (x,)


def _batch_norm_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    x = arrays[0]
    axis = axis_of(integer(attrs, "axis"), x.ndim)
    collapsed = x.reshape(math.prod(x.shape[:axis]), x.shape[axis], math.prod(x.shape[axis + 1 :]))
    (y,) = mirrored_meaning("batch_norm", (collapsed, *arrays[1:]), {"eps": attrs["eps"]})
    return (y.reshape(x.shape),)


def _batch_norm_schedule(
    args: Sequence[TensorType], results: Sequence[TensorType], attrs: Attributes
) -> Scheduled | None:
    sizes, walked = around(0, args[0], axis_of(integer(attrs, "axis"), args[0].rank), middle="c")
    sizes["c"] = ((1, 0),)
    return schedule_as("batch_norm", args, sizes, walked, translated({"eps": attrs["eps"]}))


_WINDOW = (
    Attribute("kernel", "ints", (2, 2), "the window: rows, columns", least=1, count=2),
    Attribute("stride", "ints", (2, 2), "steps of the window", least=1, count=2),
    Attribute("pad", "ints", (0, 0, 0, 0), "around the image: top, left, bottom, right", least=0, count=4),
    Attribute("dilation", "ints", (1, 1), "distance of the window's elements", least=1, count=2),
    Attribute("ceil", "bool", False, "whether a last window may reach beyond the padding"),
    Attribute("layout", "str", "nchw", "the order of the images' dimensions", words=("nchw", "nhwc")),
)

ROWS = (
    *(_reduced(kind) for kind in OF_NOTHING),
    _along("softmax", "softmax", "exp(x) / sum(exp(x)) along an axis", {"log": "no"}, ()),
    _along("log_softmax", "softmax", "the logarithm of softmax", {"log": "yes"}, ()),
    _along(
        "cumsum",
        "cumsum",
        "running sums along an axis",
        {},
        (
            Attribute("exclusive", "bool", False, "whether an element is left out of its own sum"),
            Attribute("reverse", "bool", False, "whether sums run from the end"),
        ),
    ),
    _row_norm("layer_norm", ("gamma", "beta")),
    _row_norm("rms_norm", ("gamma",)),
    Operator(
        name="batch_norm",
        summary="(x - mean) / sqrt(variance + eps) * gamma + beta along an axis, statistics given",
        inputs=("x", *_STATISTICS),
        relation=_batch_norm,
        numpy=_batch_norm_meaning,
        pattern="reduction",
        attributes=(_EPS, Attribute("axis", "int", 1, "the dimension of the channels")),
        schedule=_batch_norm_schedule,
    ),
    mirrored("max_pool2d", ("x",), "reduction", _WINDOW),
    mirrored(
        "avg_pool2d",
        ("x",),
        "reduction",
        (*_WINDOW, Attribute("count", "str", "padding", "what a mean counts", words=("padding", "image"))),
    ),
)
