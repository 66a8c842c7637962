"""ATen's operators that read and write elements at positions that are data."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.torch.aten.aten_elementwise import cast_to
from anytile.importers.torch.graph.aten_call import FLOATS, Call, Held, Row
from anytile.schedules.index.expr import Expr, const, product


def _taken(c: Call, x: Value, index: Value, axis: int) -> Value:
    """Rows of x along an axis at positions of any shape."""
    flat = c.cast(c.reshape(index, (product(index.dims),)), "int64")
    made = c.do("take", x, flat, axis=axis)
    return c.reshape(made, (*x.dims[:axis], *index.dims, *x.dims[axis + 1 :]))


def _embedding(c: Call) -> Value:
    return _taken(c, c["weight"], c["indices"], 0)


def _index_select(c: Call) -> Value:
    x = c.x
    if not x.rank:
        return x
    return _taken(c, x, c.reshape(c["index"], (product(c["index"].dims),)), c.dim())


def _from_front(c: Call, index: Value, size: Expr) -> Value:
    """Positions below 0 count from the end."""
    index = c.cast(index, "int64")
    if index.number is not None and (index.number >= 0).all():
        return index
    behind = c.do("add", index, c.scalar(size))
    return c.do("where", c.do("less", index, c.number(0, index)), behind, index)


def _positions(c: Call, x: Value, held: Held) -> tuple[list[int], list[Value]]:
    """The axes that are indexed, and where; a mask is the positions where it is true."""
    axes: list[int] = []
    found: list[Value] = []
    at = 0
    for given in held:
        if given is None:
            at += 1
            continue
        index = c.valued(given)
        if index.dtype in ("bool", "uint8"):
            there = c.do("nonzero", index)
            for i in range(index.rank):
                row = c.cut(there, 0, i, i + 1)
                found.append(c.reshape(row, there.dims[1:]))
                axes.append(at + i)
            at += index.rank
            continue
        axes.append(at)
        found.append(index)
        at += 1
    return axes, found


def _flat_positions(c: Call, x: Value, axes: Sequence[int], found: Sequence[Value]) -> Value:
    """Positions along several axes as positions in one."""
    flat: Value | None = None
    for axis, index in zip(axes, found, strict=True):
        at = _from_front(c, index, x.dims[axis])
        flat = at if flat is None else c.do("add", c.do("multiply", flat, c.scalar(x.dims[axis])), at)
    if flat is None:
        raise Refusal("no positions")
    return flat


def _index(c: Call) -> Value:
    x = c.x
    axes, found = _positions(c, x, c.arg("indices"))
    if len(found) == 1:
        return _taken(c, x, found[0], axes[0])
    adjacent = axes == list(range(axes[0], axes[0] + len(axes)))
    rest = [i for i in range(x.rank) if i not in axes]
    first = axes[0] if adjacent else 0
    order = [*rest[:first], *axes, *rest[first:]]
    moved = c.transpose(x, order)
    flat = _flat_positions(c, x, axes, found)
    behind = first + len(axes)
    joined = product(moved.dims[first:behind])
    rows = c.reshape(moved, (*moved.dims[:first], joined, *moved.dims[behind:]))
    return _taken(c, rows, flat, first)


def _gather(c: Call) -> Value:
    x, index = c.x, c["index"]
    if not x.rank:
        return c.reshape(c.broadcast(x, (product(index.dims),)), index.dims)
    return c.do("take_along", x, c.cast(index, "int64"), axis=c.dim())


def _scattered(c: Call, source: Value, mode: str, into: Value | None = None, at: Value | None = None) -> Value:
    x, index = c.x if into is None else into, c.cast(c["index"] if at is None else at, "int64")
    updates = cast_to(c, source, x.dtype)
    if updates.rank != index.rank:
        updates = c.broadcast(updates, index.dims)
    for axis in range(index.rank):  # torch reads as much of the source as there are positions
        if updates.dims[axis] != index.dims[axis]:
            updates = c.part(updates, axis, const(0), index.dims[axis])
    return c.do("scatter", x, index, updates, axis=c.dim(), mode=mode)


_MODES = {"sum": "add", "add": "add", "prod": "mul", "multiply": "mul", "amax": "max", "amin": "min"}


def _scatter(c: Call) -> Value:
    source = c.args.get("src")
    reduce = c.arg("reduce")
    mode = "set" if reduce is None else _MODES.get(str(reduce))
    if mode is None:
        raise Refusal(f"scatter with reduce={reduce}")
    return _scattered(c, c.valued(source if source is not None else c.args["value"]), mode)


def _scatter_add(c: Call) -> Value:
    return _scattered(c, c["src"], "add")


def _scatter_reduce(c: Call) -> Value:
    """Where nothing but the source counts, what x has at the positions is replaced by what changes nothing, first."""
    return _reduced_into(c, c["src"], c["index"])


def _index_reduce(c: Call) -> Value:
    """The same of whole rows, which have one position each."""
    axis, source = c.dim(), c["source"]
    rows = product(c["index"].dims)
    at = c.reshape(c["index"], [rows if i == axis else const(1) for i in range(max(source.rank, 1))])
    return _reduced_into(c, source, c.broadcast(at, source.dims))


def _reduced_into(c: Call, source: Value, at: Value) -> Value:
    reduce, own = str(c.arg("reduce")), bool(c.arg("include_self", True))
    mode = _MODES.get("add" if reduce == "mean" else reduce)
    if mode is None:
        raise Refusal(f"{c.op} with reduce={reduce}")
    x = c.x
    if not own:
        x = _scattered(c, _neutral(c, mode, x), "set", at=at)
    made = _scattered(c, source, mode, x, at)
    if reduce != "mean":
        return made
    one = c.number(1, x)
    count = _scattered(c, one, "add", c.broadcast(one if own else c.number(0, x), x.dims), at)
    return c.do("divide" if x.dtype in FLOATS else "floor_divide", made, c.do("maximum", count, one))


def _neutral(c: Call, mode: str, like: Value) -> Value:
    """What an element may be joined with and stays what it is."""
    if mode in ("add", "mul"):
        return c.number(int(mode == "mul"), like)
    if like.dtype in FLOATS:
        return c.number(float("-inf") if mode == "max" else float("inf"), like)
    ends = np.iinfo(like.dtype)
    return c.number(int(ends.min if mode == "max" else ends.max), like)


def _rows_written(c: Call, source: Value, mode: str) -> Value:
    """x whose rows along an axis are replaced, or added to, at positions."""
    x, axis = c.x, c.dim()
    index = c["index"]
    if mode == "set" and x.rank:
        return c.put_rows(x, c.reshape(index, (product(index.dims),)), cast_to(c, source, x.dtype), axis)
    index = c.reshape(index, (product(index.dims), 1))
    order = [axis, *(i for i in range(x.rank) if i != axis)]
    back = sorted(range(x.rank), key=order.__getitem__)
    updates = c.transpose(cast_to(c, source, x.dtype), order)
    made = c.do("scatter_nd", c.transpose(x, order), _from_front(c, index, x.dims[axis]), updates, mode=mode)
    return c.transpose(made, back)


def _index_copy(c: Call) -> Value:
    return _rows_written(c, c["source"], "set")


def _index_add(c: Call) -> Value:
    source = c["source"]
    alpha = c.arg("alpha", 1)
    return _rows_written(c, source if alpha == 1 else c.do("multiply", source, c.valued(alpha, source.dtype)), "add")


def _index_fill(c: Call) -> Value:
    x, axis = c.x, c.dim()
    count = product(c["index"].dims)
    value = c.valued(c.args["value"], x.dtype)
    return _rows_written(c, c.broadcast(c.reshape(value, ()), (*x.dims[:axis], count, *x.dims[axis + 1 :])), "set")


def _index_put(c: Call) -> Value:
    x, values = c.x, cast_to(c, c["values"], c.x.dtype)
    held = c.arg("indices")
    mode = "add" if c.arg("accumulate") else "set"
    masks = [h for h in held if isinstance(h, Value) and h.dtype == "bool"]
    if len(masks) == 1 and len([h for h in held if h is not None]) == 1 and not values.rank:
        lead = next(i for i, h in enumerate(held) if h is not None)
        mask = c.reshape(masks[0], (*masks[0].dims, *[1] * (x.rank - lead - masks[0].rank)))
        return c.do("where", mask, c.do("add", x, values) if mode == "add" else values, x)
    axes, found = _positions(c, x, held)
    if mode == "set" and [index.rank for index in found] == [1]:
        (index,), (axis,) = found, axes
        wide = c.broadcast(values, (*x.dims[:axis], *index.dims, *x.dims[axis + 1 :]))
        return c.put_rows(x, index, wide, axis)
    order = [*axes, *(i for i in range(x.rank) if i not in axes)]
    rest = [x.dims[i] for i in order[len(axes) :]]
    flat = _flat_positions(c, x, axes, found)
    adjacent = axes == list(range(axes[0], axes[0] + len(axes)))
    if adjacent and axes[0]:  # the positions' dimensions stand where the axes were
        before = [x.dims[i] for i in range(axes[0])]
        behind = [x.dims[i] for i in range(axes[-1] + 1, x.rank)]
        wide = c.broadcast(values, (*before, *flat.dims, *behind))
        count, n = len(before), flat.rank
        values = c.transpose(wide, [*range(count, count + n), *range(count), *range(count + n, wide.rank)])
    else:
        values = c.broadcast(values, (*flat.dims, *rest))
    moved = c.transpose(x, order)
    rows = c.reshape(moved, (product(moved.dims[: len(axes)]), *rest))
    updates = c.reshape(values, (product(flat.dims), *rest))
    made = c.do("scatter_nd", rows, c.reshape(flat, (product(flat.dims), 1)), updates, mode=mode)
    back = sorted(range(x.rank), key=order.__getitem__)
    return c.transpose(c.reshape(made, moved.dims), back)


def _put(c: Call) -> Value:
    """x with elements replaced, or added to, at positions in all of it."""
    count, size = product(c["index"].dims), product(c.x.dims)
    at = _from_front(c, c.reshape(c["index"], (count,)), size)
    source = c.reshape(cast_to(c, c["source"], c.x.dtype), (count,))
    mode = "add" if c.arg("accumulate") else "set"
    return c.reshape(c.do("scatter", c.reshape(c.x, (size,)), at, source, axis=0, mode=mode), c.x.dims)


def _embedding_renorm(c: Call) -> Value:
    """A table of which rows that are read are no longer than they may be."""
    table, order = c["self"], float(c.arg("norm_type", 2))
    at = c.cast(c.reshape(c["indices"], (product(c["indices"].dims),)), "int64")
    read = c.do(
        "put_rows", c.broadcast(c.number(0, table), table.dims[:1]), at, c.broadcast(c.number(1, table), at.dims)
    )
    size = c.do("sum", c.do("pow", c.do("abs", table), c.number(order, table)), axis=(1,), keepdims=True)
    size, most = c.do("pow", size, c.number(1 / order, table)), c.number(float(c.arg("max_norm")), table)
    cut = c.do("multiply", table, c.do("divide", most, c.do("add", size, c.number(1e-7, table))))
    is_cut = c.do(
        "logical_and", c.do("greater", size, most), c.do("greater", c.reshape(read, size.dims), c.number(0, read))
    )
    return c.do("where", is_cut, cut, table)


def _non_zero(c: Call) -> Value:
    """Positions as rows."""
    found = c.do("nonzero", c.x)
    return c.transpose(found, (1, 0))


def _masked_select(c: Call) -> Value:
    x, mask = c.x, c["mask"]
    dims = list(x.dims if x.rank >= mask.rank else mask.dims)
    x, mask = c.broadcast(x, dims), c.broadcast(mask, dims)
    found = c.do("nonzero", c.reshape(mask, (product(dims),)))
    return c.do("take", c.reshape(x, (product(dims),)), c.reshape(found, found.dims[1:]), axis=0)


def _masked_scatter(c: Call) -> Value:
    """Elements of the source, one after the other, where a mask is true: as many are before each as are true there."""
    dims = c.shape
    count = product(dims)
    x, mask = (c.reshape(c.broadcast(v, dims), (count,)) for v in (c.x, c["mask"]))
    before = c.do("subtract", c.do("cumsum", c.cast(mask, "int64"), axis=0), 1)
    source = c.reshape(c["source"], (product(c["source"].dims),))
    source = c.do("concat", source, c.reshape(c.number(0, x), (1,)), axis=0)  # so that there is one to take
    taken = c.do("take", source, c.do("maximum", before, 0), axis=0)
    return c.reshape(c.do("where", mask, taken, x), dims)


def _one_hot(c: Call) -> Value:
    index, count = c.x, c.count("num_classes", -1)
    if count < 0:
        raise Refusal("one_hot without num_classes, whose size is data")
    seen = c.reshape(index, (*index.dims, 1))
    return c.cast(c.do("equal", seen, c.graph.constant(np.arange(count))), "int64")


def _item(c: Call) -> Value:
    return c.reshape(c.x, ())


ROWS = (
    Row("embedding", _embedding),
    Row("index_select", _index_select),
    Row("index", _index),
    Row("_unsafe_index", _index),
    Row("gather", _gather),
    Row("take_along_dim", _gather),
    Row("scatter", _scatter),
    Row("scatter_add", _scatter_add),
    Row("scatter_reduce", _scatter_reduce),
    Row("index_reduce", _index_reduce),
    Row("put", _put),
    Row("embedding_renorm", _embedding_renorm),
    Row("index_copy", _index_copy),
    Row("index_add", _index_add),
    Row("index_fill", _index_fill),
    Row("index_put", _index_put),
    Row("_unsafe_index_put", _index_put),
    Row("nonzero", _non_zero),
    Row("masked_select", _masked_select),
    Row("masked_scatter", _masked_scatter),
    Row("one_hot", _one_hot),
    Row("_local_scalar_dense", _item),
    Row("item", _item),
)
