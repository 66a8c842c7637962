"""ONNX's operators that read elements at positions that are data: gathers, and what is made of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.core.symbolic import Array, is_symbolic
from anytile.importers.onnx.proto.call import Call, Row
from anytile.schedules.index.expr import Expr, const


def _product(dims: Sequence[Expr]) -> Expr:
    return math.prod(dims, start=const(1))


def _gather(c: Call) -> Value:
    x, index = c.x, c[1]
    axis = c.axis(c.attr("axis", 0), x.rank)
    flat = c.cast(c.reshape(index, (_product(index.dims),)), "int64")
    made = c.do("take", x, flat, axis=axis)
    return c.reshape(made, (*x.dims[:axis], *index.dims, *x.dims[axis + 1 :]))


def _gather_sizes(c: Call, arrays: Sequence[Array]) -> Array | None:
    x, index = arrays
    if is_symbolic(index):
        return None
    try:
        return np.asarray(np.take(x, index, c.attr("axis", 0)))
    except IndexError:
        raise Refusal(f"Gather of {index.tolist()} from {len(x)} sizes") from None


def _from_front(c: Call, index: Value, size: Expr) -> Value:
    """Positions below 0 count from the end."""
    index = c.cast(index, "int64")
    total = c.scalar(size)
    return c.do("where", c.do("less", index, c.number(0, index)), c.do("add", index, total), index)


def _gather_nd(c: Call) -> Value:
    """Positions along several axes as positions in one."""
    x, index, batch = c.x, c[1], int(c.attr("batch_dims", 0))
    depth = c.size(index, index.rank - 1)
    if batch + depth > x.rank:
        raise Refusal(f"GatherND of {x.shaped} with {depth} positions behind {batch} batches")
    flat: Value | None = None
    for i in range(depth):
        own = c.cut(index, index.rank - 1, i, i + 1)
        at = _from_front(c, c.reshape(own, own.dims[:-1]), x.dims[batch + i])
        if flat is None:
            flat = at
        else:
            size = c.scalar(x.dims[batch + i])
            flat = c.do("add", c.do("multiply", flat, size), at)
    assert flat is not None
    inner = x.dims[batch + depth :]
    count = _product(x.dims[batch : batch + depth])
    if batch:
        starts = _batch_starts(c, x.dims[:batch], count, flat.rank)
        flat = c.do("add", flat, starts)
    rows = c.reshape(x, (_product(x.dims[: batch + depth]), *inner))
    made = c.do("take", rows, c.reshape(flat, (_product(flat.dims),)), axis=0)
    return c.reshape(made, (*index.dims[:-1], *inner))


def _batch_starts(c: Call, dims: Sequence[Expr], count: Expr, rank: int) -> Value:
    """Where each batch begins, as it is added to positions of that rank."""
    made = c.do("multiply", c.positions(_product(dims)), c.scalar(count))
    return c.reshape(made, (*dims, *[1] * (rank - len(dims))))


def _gather_elements(c: Call) -> Value:
    """The flat position of each element: its own along all axes but one."""
    x, index = c.x, c[1]
    axis = c.axis(c.attr("axis", 0), x.rank)
    flat: Value | None = None
    for i in range(x.rank):
        if i == axis:
            at = _from_front(c, index, x.dims[i])
        else:
            at = c.reshape(c.positions(index.dims[i]), [index.dims[i] if j == i else 1 for j in range(x.rank)])
        if flat is None:
            flat = at
        else:
            size = c.scalar(x.dims[i])
            flat = c.do("add", c.do("multiply", flat, size), at)
    if flat is None:
        raise Refusal("GatherElements of a scalar")
    flat = c.broadcast(flat, index.dims)
    taken = c.do("take", c.reshape(x, (_product(x.dims),)), c.reshape(flat, (_product(flat.dims),)), axis=0)
    return c.reshape(taken, index.dims)


def _compress(c: Call) -> Value:
    x, condition = c.x, c[1]
    axis = c.attr("axis")
    if axis is None:
        x, axis = c.reshape(x, (_product(x.dims),)), 0
    found = c.do("nonzero", c.cast(condition, "int64"))
    index = c.reshape(found, (found.dims[1],))
    return c.do("take", x, index, axis=c.axis(axis, x.rank))


def _non_zero(c: Call) -> Value:
    return c.do("nonzero", c.cast(c.x, "int64") if c.x.dtype == "bool" else c.x)


def _reverse_sequence(c: Call) -> Value:
    """Row t of batch b is row length - 1 - t before its length, and itself behind."""
    x, lengths = c.x, c.cast(c[1], "int64")
    time, batch = int(c.attr("time_axis", 0)), int(c.attr("batch_axis", 1))
    if {time, batch} != {0, 1}:
        raise Refusal(f"ReverseSequence along axis {time} of batches along {batch}")
    rows = c.transpose(x, (batch, time, *range(2, x.rank)))
    n, steps = rows.dims[:2]

    at, ends = c.positions(steps), c.reshape(lengths, (n, 1))
    turned = c.do("subtract", c.do("subtract", ends, c.number(1, ends)), at)
    source = c.do("where", c.do("less", at, ends), turned, at)
    first = c.reshape(c.do("multiply", c.positions(n), c.scalar(steps)), (n, 1))
    flat = c.reshape(c.do("add", source, first), (n * steps,))
    taken = c.do("take", c.reshape(rows, (n * steps, *rows.dims[2:])), flat, axis=0)
    return c.transpose(c.reshape(taken, rows.dims), (batch, time, *range(2, x.rank)))


ROWS = (
    Row("Gather", _gather, _gather_sizes),
    Row("GatherND", _gather_nd),
    Row("GatherElements", _gather_elements),
    Row("Compress", _compress),
    Row("NonZero", _non_zero),
    Row("ReverseSequence", _reverse_sequence),
)
