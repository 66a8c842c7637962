"""ONNX's operators that read or write elements at positions that are data: gathers, scatters, and their kin."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.core.symbolic import Array, is_symbolic
from anytile.importers.onnx.operators.grouped import rows_in_few_bits
from anytile.importers.onnx.proto.call import Call, Row
from anytile.schedules.index.expr import Expr, const


def _product(dims: Sequence[Expr]) -> Expr:
    return math.prod(dims, start=const(1))


def _gather(c: Call) -> Value:
    axis = c.axis(c.attr("axis", 0), c.x.rank)
    return (rows_in_few_bits(c, c.x, c[1]) if axis == 0 else None) or _taken(c, axis, c[1].dims)


def _taken(c: Call, axis: int, asked: Sequence[Expr]) -> Value:
    """Slices along one dimension, by positions of a shape."""
    x, index = c.x, c[1]
    flat = c.cast(c.reshape(index, (_product(asked),)), "int64")
    return c.reshape(c.do("take", x, flat, axis=axis), (*x.dims[:axis], *asked, *x.dims[axis + 1 :]))


def _gather_sizes(c: Call, arrays: Sequence[Array]) -> Array | None:
    x, index = arrays
    if is_symbolic(index):
        return None
    try:
        return np.asarray(np.take(x, index, c.attr("axis", 0)))
    except IndexError:
        raise Refusal(f"Gather of {index.tolist()} from {len(x)} sizes") from None


def _gather_nd(c: Call) -> Value:
    batches, index = int(c.attr("batch_dims", 0)), c[1]
    if not batches and index.rank and index.dims[-1].value == 1:  # a position of a row, as Gather has it
        return _taken(c, 0, index.dims[:-1])
    return c.do("gather_nd", c.x, index, batches=batches)


def _gather_elements(c: Call) -> Value:
    return c.do("take_along", c.x, c[1], axis=c.axis(c.attr("axis", 0), c.x.rank))


_REDUCTIONS = {"none": "set", "add": "add", "mul": "mul", "max": "max", "min": "min"}


def _mode(c: Call) -> str:
    said = str(c.attr("reduction", "none"))
    if said not in _REDUCTIONS:
        raise Refusal(f"reduction={said}; expected one of {', '.join(_REDUCTIONS)}")
    return _REDUCTIONS[said]


def _scatter_elements(c: Call) -> Value:
    return c.do("scatter", c.x, c[1], c[2], axis=c.axis(c.attr("axis", 0), c.x.rank), mode=_mode(c))


def _tensor_scatter(c: Call) -> Value:
    """Rows of a cache from where each batch begins to write."""
    x, updates, starts = c.x, c[1], c.maybe(2)
    axis, mode = c.axis(c.attr("axis", -2), x.rank), str(c.attr("mode", "linear"))
    if axis == 0 or mode not in ("linear", "circular"):
        raise Refusal(f"axis={axis}, mode={mode}")
    rows = updates.dims[axis]
    index = c.reshape(c.positions(rows), (rows, *[1] * (x.rank - axis - 1)))
    if starts is not None:
        first = c.cast(c.reshape(starts, (*starts.dims, *[1] * (x.rank - 1))), "int64")
        index = c.do("add", first, index)
    if mode == "circular":
        index = c.do("mod", index, c.scalar(x.dims[axis]))
    return c.do("scatter", x, c.broadcast(index, updates.dims), updates, axis=axis)


def _unique(c: Call) -> tuple[Value, ...]:
    """The values in their order, or in that of their first places, which are the least of equal ones."""
    x = c.x
    if c.attr("axis") is not None and x.rank != 1:
        raise Refusal(f"Unique along an axis of {x.shaped}")
    flat = c.reshape(x, (_product(x.dims),))
    values, inverse, counts = c.graph.calls("unique", flat)
    places = c.positions(flat.dims[0])
    most = c.broadcast(c.scalar(flat.dims[0]), values.dims)
    first = c.do("scatter", most, inverse, places, axis=0, mode="min")
    if not c.attr("sorted", 1):
        _, order = c.graph.calls("top_k_by", first, c.scalar(values.dims[0]), axis=0, largest=False)
        order = c.reshape(order, values.dims)
        values, first, counts = (c.do("take", v, order, axis=0) for v in (values, first, counts))
        rank = c.do("scatter", order, order, c.positions(values.dims[0]), axis=0)
        inverse = c.do("take", rank, inverse, axis=0)
    return values, first, inverse, counts


def _features(c: Call) -> Value:
    """Columns of the last dimension, of as many rows as there are."""
    x, index = c.x, c[1]
    x = c.reshape(x, (1, *x.dims)) if x.rank == 1 else x
    return c.do("take", x, c.cast(c.reshape(index, (_product(index.dims),)), "int64"), axis=x.rank - 1)


def _compress(c: Call) -> Value:
    x, condition = c.x, c[1]
    axis = c.attr("axis")
    if axis is None:
        x, axis = c.reshape(x, (_product(x.dims),)), 0
    found = c.do("nonzero", condition)
    index = c.reshape(found, (found.dims[1],))
    return c.do("take", x, index, axis=c.axis(axis, x.rank))


def _non_zero(c: Call) -> Value:
    return c.do("nonzero", c.x)


def _reverse_sequence(c: Call) -> Value:
    """Row t of batch b is row length - 1 - t before its length, and itself behind."""
    x, lengths = c.x, c.cast(c[1], "int64")
    time, batch = int(c.attr("time_axis", 0)), int(c.attr("batch_axis", 1))
    if {time, batch} != {0, 1}:
        raise Refusal(f"ReverseSequence along axis {time} of batches along {batch}")
    steps, images = x.dims[time], x.dims[batch]

    def lying(numbers: Value, axis: int) -> Value:
        return c.reshape(numbers, (numbers.dims[0], 1) if axis == 0 else (1, numbers.dims[0]))

    at, ends, image = lying(c.positions(steps), time), lying(lengths, batch), lying(c.positions(images), batch)
    turned = c.do("subtract", c.do("subtract", ends, c.number(1, ends)), at)
    source = c.do("where", c.do("less", at, ends), turned, at)
    first, second = (source, image) if time == 0 else (image, source)
    places = c.do("add", c.do("multiply", first, c.scalar(x.dims[1])), second)
    rows = c.reshape(x, (steps * images, *x.dims[2:]))
    return c.reshape(c.do("take", rows, c.reshape(places, (steps * images,)), axis=0), x.dims)


ROWS = (
    Row("Gather", _gather, _gather_sizes),
    Row("GatherND", _gather_nd),
    Row("GatherElements", _gather_elements),
    Row("ScatterND", lambda c: c.do("scatter_nd", c.x, c[1], c[2], mode=_mode(c))),
    Row("ScatterElements", _scatter_elements),
    Row("Scatter", _scatter_elements),
    Row("TensorScatter", _tensor_scatter),
    Row("Unique", _unique),
    Row("ArrayFeatureExtractor", _features, domain="ai.onnx.ml"),
    Row("Compress", _compress),
    Row("NonZero", _non_zero),
    Row("ReverseSequence", _reverse_sequence),
)
