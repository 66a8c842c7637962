"""ATen's operators about the order of elements: sorts, medians, places among others, and how often elements occur."""

from __future__ import annotations

import numpy as np

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.torch.aten.aten_elementwise import promoted
from anytile.importers.torch.graph.aten_call import FLOATS, Call, Row
from anytile.schedules.index.expr import const, product


def _top_k(c: Call) -> tuple[Value, ...]:
    k = c.size_of(c.arg("k"), "k")
    x, axis, largest = c.x, c.dim("dim", -1), bool(c.arg("largest", True))
    if k.value is None:
        return c.graph.calls("top_k_by", x, c.scalar(k), axis=axis, largest=largest, strict=True)
    x = c.at_least(x, [k.value if i == axis else 0 for i in range(x.rank)])
    return c.graph.calls("top_k", x, k=k.value, axis=axis, largest=largest)


def _sort(c: Call) -> tuple[Value, ...]:
    if not c.x.rank:
        return c.x, c.graph.constant(np.asarray(0))
    return _sorted(c, c.x, c.dim("dim", -1), falling=bool(c.arg("descending", False)))


def _sorted(c: Call, x: Value, axis: int, falling: bool = False) -> tuple[Value, Value]:
    """All elements along an axis in their order, NaN behind all numbers, and where they were."""
    if x.dtype == "bool":
        values, places = _sorted(c, c.cast(x, "uint8"), axis, falling)
        return c.cast(values, "bool"), places
    values, places = c.graph.calls("top_k_by", x, c.scalar(x.dims[axis]), axis=axis, largest=falling)
    return c.reshape(values, x.dims), c.reshape(places, x.dims)


# -- the element at a place of that order ------------------------------------------------------------------------------


def _at(c: Call, x: Value, axis: int, place: Value, keep: bool) -> tuple[Value, Value]:
    """The element at a place of the order along an axis, which is one for all, or of each row its own, and where it
    was."""
    both = _sorted(c, x, axis)
    if place.rank:
        found = [c.do("take_along", v, place, axis=axis) for v in both]
    else:
        found = [c.do("take", v, c.reshape(place, (1,)), axis=axis) for v in both]
    if keep:
        return found[0], found[1]
    values, places = (c.reshape(v, (*x.dims[:axis], *x.dims[axis + 1 :])) for v in found)
    return values, places


def _kth_value(c: Call) -> tuple[Value, ...]:
    k, x, keep = c.size_of(c.arg("k"), "k"), c.x, bool(c.arg("keepdim", False))
    if not x.rank:
        return x, c.graph.constant(np.asarray(0))
    return _at(c, x, c.dim("dim", -1), c.scalar(k - 1), keep)


def _median(among_numbers: bool) -> Row:
    """The lower one of two that are in the middle. It is NaN where an element is, unless it is one `among_numbers`."""

    def means(c: Call) -> Value | tuple[Value, ...]:
        x, is_one = c.x, len(c.told) == 1
        if is_one:
            x = c.reshape(x, (product(x.dims),))
        elif not x.rank:
            return x, c.graph.constant(np.asarray(0))
        axis, keep = 0 if is_one else c.dim("dim", -1), bool(c.arg("keepdim", False))
        size = c.scalar(x.dims[axis])
        missing = c.cast(c.do("isnan", x), "int64") if x.dtype in FLOATS else None
        if missing is None:
            values, places = _at(c, x, axis, _middle(c, size), keep)
        elif among_numbers:
            count = c.do("subtract", size, c.do("sum", missing, axis=(axis,), keepdims=True))
            values, places = _at(c, x, axis, _middle(c, count), keep)
        else:
            values, places = _at(c, x, axis, _middle(c, size), keep)
            gone = c.do("greater", c.do("max", missing, axis=(axis,), keepdims=keep), 0)
            first = c.do("argmax", missing, axis=(axis,), keepdims=keep)
            values = c.do("where", gone, c.number(float("nan"), x), values)
            places = c.do("where", gone, first, places)
        return values if is_one else (values, places)

    return Row("nanmedian" if among_numbers else "median", means)


def _middle(c: Call, count: Value) -> Value:
    """The lower place in the middle of so many; 0 of none."""
    return c.do("maximum", c.do("floor_divide", c.do("subtract", count, 1), 2), 0)


# -- where numbers stand among others ----------------------------------------------------------------------------------


def _search_sorted(c: Call) -> Value:
    """How many elements of a row that rises stand before each number: all that are no larger, from the right."""
    name = "boundaries" if "boundaries" in c.args else "sorted_sequence"
    edges, right = c[name], bool(c.arg("right", False)) or c.arg("side") == "right"
    if (order := c.maybe("sorter")) is not None:
        edges = c.do("take_along", edges, order, axis=edges.rank - 1)
    kind = promoted(c, "self", name)
    edges, given = c.cast(edges, kind), c.valued(c.args["self"], kind)
    wide = edges if edges.rank == 1 else c.reshape(edges, (*edges.dims[:-1], 1, edges.dims[-1]))
    behind = c.do("greater" if right else "greater_equal", wide, c.reshape(given, (*given.dims, 1)))
    before = c.cast(c.do("logical_not", behind), "int32")  # of NaN all stand before
    return c.cast(c.reshape(c.do("sum", before, axis=(given.rank,)), given.dims), c.dtype)


def repeated_places(c: Call, times: Value) -> Value:
    """0, 1, ..., each so often: how many stretches end at or before each place."""
    ends = c.do("cumsum", c.cast(times, "int64"), axis=0)
    count = c.do("sum", c.cast(times, "int64"), axis=(0,))
    none = c.do("full", c.reshape(c.do("add", count, 1), (1,)), c.number(0, ends))
    ended = c.do("scatter", none, ends, c.broadcast(c.number(1, ends), ends.dims), axis=0, mode="add")
    return c.cut(c.do("cumsum", ended, axis=0), 0, 0, -1)


# -- how often elements occur ------------------------------------------------------------------------------------------


def _histogram(c: Call) -> Value:
    """How many elements fall into each of so many bins between two numbers; those outside are not counted.

    Two numbers that are the same stand for the least and the largest element, one apart where these are the same.
    """
    bins, low, high = c.count("bins", 100), c.arg("min", 0), c.arg("max", 0)
    if not isinstance(low, int | float) or not isinstance(high, int | float) or low > high:
        raise Refusal(f"a histogram from {low} to {high}; expected numbers that rise")
    x = c.reshape(c.x, (product(c.x.dims),))
    first, last = c.number(low, x), c.number(high, x)
    if low == high:
        first, last = (c.do(name, x, axis=(0,)) for name in ("min", "max"))
        same, one = c.do("equal", first, last), c.number(1, x)
        first, last = (c.do("where", same, c.do(name, v, one), v) for name, v in (("subtract", first), ("add", last)))
    share = c.do("divide", c.do("subtract", x, first), c.do("subtract", last, first))
    at = c.do("minimum", c.do("floor", c.do("multiply", share, c.number(bins, x))), c.number(bins - 1, x))
    inside = c.do("less_equal", x, last)  # what is below the lowest has a bin below 0
    each = c.reshape(c.graph.constant(np.arange(bins).astype(x.dtype)), (bins, 1))
    counted = c.cast(c.do("logical_and", c.do("equal", each, at), inside), x.dtype)
    return c.do("sum", counted, axis=(1,))


def _bin_count(c: Call) -> Value:
    """How often each whole number from 0 to the largest occurs, or the sum of weights where it does."""
    x, weights = c.cast(c.x, "int64"), c.maybe("weights")
    least = c.size_of(c.arg("minlength", 0), "minlength")
    largest = c.do("max", c.do("concat", x, c.reshape(c.scalar(least - 1), (1,)), axis=0), axis=(0,))
    count = c.reshape(c.do("add", largest, 1), (1,))
    each = c.broadcast(c.number(1, x), x.dims) if weights is None else c.cast(weights, c.dtype)
    return c.do("scatter", c.do("full", count, c.number(0, each)), x, each, axis=0, mode="add")


def _asked(c: Call, values: Value, inverse: Value, counts: Value) -> tuple[Value | None, ...]:
    """What is distinct; and, if they are asked for, the place of each element among that, and how often each occurs."""
    inverse = c.reshape(inverse, c.x.dims)
    return values, inverse if c.arg("return_inverse") else None, counts if c.arg("return_counts") else None


def _unique(c: Call) -> tuple[Value | None, ...]:
    """The values that occur, rising."""
    return _asked(c, *c.graph.calls("unique", c.reshape(c.x, (product(c.x.dims),))))


def _unique_consecutive(c: Call) -> tuple[Value | None, ...]:
    """The first of each stretch of equal elements."""
    if c.arg("dim") is not None and c.x.rank != 1:
        raise Refusal(f"unique_consecutive along a dimension of {c.x.shaped}")
    x = c.reshape(c.x, (product(c.x.dims),))
    size = c.scalar(x.dims[0])
    before = c.do("maximum", c.do("subtract", c.positions(x.dims[0]), 1), 0)
    first = c.do("equal", c.positions(x.dims[0]), 0)
    begins = c.do("logical_or", first, c.do("not_equal", x, c.do("take", x, before, axis=0)))
    found = c.do("nonzero", begins)
    at = c.reshape(found, found.dims[1:])
    ends = c.do("concat", c.cut(at, 0, 1, None), c.reshape(size, (1,)), axis=0)
    ends = c.part(ends, 0, const(0), at.dims[0])  # of nothing there is no end
    stretch = c.do("subtract", c.do("cumsum", c.cast(begins, "int64"), axis=0), 1)
    return _asked(c, c.do("take", x, at, axis=0), stretch, c.do("subtract", ends, at))


ROWS = (
    Row("topk", _top_k),
    Row("sort", _sort),
    Row("kthvalue", _kth_value),
    _median(among_numbers=False),
    _median(among_numbers=True),
    Row("bucketize", _search_sorted),
    Row("searchsorted", _search_sorted),
    Row("histc", _histogram),
    Row("bincount", _bin_count),
    Row("unique_consecutive", _unique_consecutive),
    *(Row(name, _unique) for name in ("_unique2", "_unique")),
)
