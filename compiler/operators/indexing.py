"""Gather and scatter by positions that are data: along an axis for each element, and by tuples of positions (ND).

A negative position counts from the end; one outside its dimension is an error. None has a kernel: the host does what
numpy says. For a device beside it a scatter is `scatter_rows`, a kernel, by keys that the host makes of the positions:
it has then looked at all of them. `positions_in` is that look for a `take` there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from anytile.compiler.ir.nodes import Array
from anytile.compiler.ir.types import TensorType
from anytile.compiler.operators.scheduling import schedule_as
from anytile.compiler.operators.spec import (
    ALL,
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
    of_dtype,
    of_rank,
)
from anytile.core.plurals import counted
from anytile.schedules.index.expr import Expr, const
from anytile.schedules.operators import OPERATORS as WORKLOADS
from anytile.schedules.operators.movement.gather import GATHER
from anytile.schedules.operators.movement.put import PUT_ROWS, places_of
from anytile.schedules.operators.movement.scatter import MODE, SCATTER_ROWS, keys_in_order, keys_of, scattered
from anytile.schedules.operators.spec import example

_INDEX = ("int64", "int32")
_AXIS = Attribute("axis", "int", 0, "the dimension, counted from the end where negative")
_LEAD = Attribute("lead", "int", 1, "how many first dimensions of x its rows are counted in", least=0)
_BATCHES = Attribute("batches", "int", 0, "how many first dimensions x and the index share", least=0)


def _along(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> int:
    """The axis of x and an index of one rank, in which other dimensions of the index are at most those of x."""
    x, index = args[:2]
    of_dtype(x, ALL, "x")
    of_dtype(index, _INDEX, "index")
    axis = axis_of(integer(attrs, "axis"), x.rank)
    if index.rank != x.rank:
        raise Mismatch(f"an index of {counted(index.rank, 'dimension')}; expected {x.rank}, as x has")
    for i, (own, asked) in enumerate(zip(x.dims, index.dims, strict=True)):
        if i != axis and own != asked:
            facts.at_least(own - asked, 0, f"dimension {i} of x less that of the index")
    return axis


def _take_along(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    _along(args, attrs, facts)
    return (Shaped(args[1].dims, args[0].dtype),)


def _inside(index: Array, size: int) -> Array:
    """Positions counted from the front."""
    if not index.size:
        return index
    least, most = index.min(), index.max()
    if least < -size or most >= size:
        raise Mismatch(f"positions from {least} to {most}; expected {-size} to {size - 1}")
    return np.where(index < 0, index + size, index) if least < 0 else index


def _row(places: Sequence[Array], shape: Sequence[int]) -> Array:
    """Positions along some first dimensions as one, counted in all of them."""
    strides = [math.prod(shape[i + 1 : len(places)]) for i in range(len(places))]
    # Small ones first: what many positions have in common is added up once for all of them.
    order = sorted(zip(places, strides, strict=True), key=lambda each: each[0].size)
    found = np.zeros((), np.int64)
    for place, stride in order:
        term = place if stride == 1 else place * np.int64(stride)
        own = stride != 1 and term.ndim > 0 and term.shape == np.broadcast_shapes(term.shape, found.shape)
        found = np.add(found, term, out=term if own else None)
    return np.asarray(found)


def _places(shape: Sequence[int], index: Array, axis: int) -> Array:
    """Where every element of the index lies in a tensor of that shape."""
    grid: list[Array] = list(np.indices(index.shape, sparse=True))
    grid[axis] = _inside(index, shape[axis])
    return _row(grid, shape)


def _take_along_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    x, index = arrays
    return (x.reshape(-1).take(_places(x.shape, index, axis_of(integer(attrs, "axis"), x.ndim))),)


def _same(x: Shaped, updates: Shaped, dims: tuple[Expr, ...], facts: Facts) -> None:
    of_dtype(updates, (x.dtype,), "updates")
    if updates.rank != len(dims):
        raise Mismatch(f"updates of {counted(updates.rank, 'dimension')}; expected {len(dims)}")
    for own, wanted in zip(updates.dims, dims, strict=True):
        facts.equal(own, wanted, "sizes of updates")


def _arithmetic(x: Shaped, attrs: Attributes) -> None:
    if x.dtype == "bool" and attrs["mode"] != "set":
        raise Mismatch(f"mode={attrs['mode']} of bool; expected set")


def _scatter(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    x, index, updates = args
    _along(args, attrs, facts)
    _arithmetic(x, attrs)
    _same(x, updates, index.dims, facts)
    return (x,)


def _scatter_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    x, index, updates = arrays
    places = _places(x.shape, index, axis_of(integer(attrs, "axis"), x.ndim))
    return (scattered(x, x.ndim, places, updates, str(attrs["mode"])),)


def _put(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    x, index, rows = args
    of_dtype(x, ALL, "x")
    of_dtype(index, _INDEX, "index")
    of_rank(index, 1, "index")
    axis = axis_of(integer(attrs, "axis"), x.rank)
    _same(x, rows, (*x.dims[:axis], index.dims[0], *x.dims[axis + 1 :]), facts)
    return (x,)


def put_rows(x: Array, index: Array, rows: Array, axis: int) -> None:
    """Write rows at positions along an axis of an array; of several at one position the last stays."""
    np.moveaxis(x, axis, 0)[_inside(index, x.shape[axis])] = np.moveaxis(rows, axis, 0)


def _put_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    x, index, rows = arrays
    made = x.copy()
    put_rows(made, index, rows, axis_of(integer(attrs, "axis"), x.ndim))
    return (made,)


def _tuples(x: Shaped, index: Shaped, batches: int, facts: Facts) -> tuple[Expr, ...]:
    """What a tuple of positions, one in each of the first dimensions behind the batches, leaves of x."""
    of_dtype(x, ALL, "x")
    of_dtype(index, _INDEX, "index")
    if not index.rank:
        raise Mismatch("the index is a scalar; expected at least one dimension")
    length = facts.number(index.dims[-1])
    if length is None:
        raise Mismatch(f"an index of the shape {index}; expected to know how many positions there are in a tuple")
    if batches >= index.rank or batches + length > x.rank:
        raise Mismatch(f"tuples of {length} behind {batches} batches into {x}: expected at most {x.rank} dimensions")
    for own, asked in zip(x.dims[:batches], index.dims[:batches], strict=True):
        facts.equal(own, asked, "batches")
    return x.dims[batches + length :]


def _gather_nd(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    x, index = args
    left = _tuples(x, index, integer(attrs, "batches"), facts)
    return (Shaped((*index.dims[:-1], *left), x.dtype),)


def _nd_places(shape: Sequence[int], index: Array, batches: int) -> Array:
    """The row of every tuple, counted in the batches and all dimensions that it has positions in."""
    first = np.indices(index.shape[:-1], sparse=True)[:batches]
    each = [_inside(index[..., i], shape[batches + i]) for i in range(index.shape[-1])]
    return np.broadcast_to(_row((*first, *each), shape), index.shape[:-1])


def _rows_of(x: Array, lead: int) -> Array:
    """The tensor with so many first dimensions as one."""
    return x.reshape(math.prod(x.shape[:lead]), *x.shape[lead:])


def _gather_nd_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    x, index = arrays
    batches = integer(attrs, "batches")
    places = _nd_places(x.shape, index, batches)
    return (_rows_of(x, batches + index.shape[-1]).take(places, axis=0),)


def _scatter_nd(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    x, index, updates = args
    left = _tuples(x, index, 0, facts)
    _arithmetic(x, attrs)
    _same(x, updates, (*index.dims[:-1], *left), facts)
    return (x,)


def _scatter_nd_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    x, index, updates = arrays
    places = _nd_places(x.shape, index, 0)
    return (scattered(x, index.shape[-1], places, updates, str(attrs["mode"])),)


def _positions(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    index, shape = args
    of_dtype(index, _INDEX, "index")
    of_dtype(shape, ("int64",), "shape")
    of_rank(shape, 1, "shape")
    if (rank := facts.number(shape.dims[0])) is not None:
        axis_of(integer(attrs, "axis"), rank)
    return (index,)


def _keys(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    """Of an index that has as many dimensions as there are sizes of x."""
    index, shape = args
    of_dtype(index, _INDEX, "index")
    of_dtype(shape, ("int64",), "shape")
    of_rank(shape, 1, "shape")
    facts.equal(shape.dims[0], const(index.rank), "sizes of x, one for each dimension of the index")
    axis_of(integer(attrs, "axis"), index.rank)
    return (Shaped(index.dims, "int64"),)


def _rows_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    index, shape = arrays[0], arrays[1].tolist()
    return (_places(shape, index, axis_of(integer(attrs, "axis"), index.ndim)),)


def _keys_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    return (keys_of(_rows_meaning(arrays, attrs)[0]),)


def _nd_keys(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    index, shape = args
    of_dtype(index, _INDEX, "index")
    of_dtype(shape, ("int64",), "shape")
    of_rank(shape, 1, "shape")
    if not index.rank:
        raise Mismatch("the index is a scalar; expected at least one dimension")
    facts.at_least(shape.dims[0] - index.dims[-1], 0, "sizes of x less the positions in a tuple")
    return (Shaped(index.dims[:-1], "int64"),)


def _nd_keys_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    return (keys_of(_nd_places(arrays[1].tolist(), arrays[0], 0)),)


def _put_places_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    return (places_of(_inside(arrays[0], int(arrays[1][integer(attrs, "axis")]))),)


def _put_places(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    (index,) = _positions(args, attrs, facts)
    of_rank(index, 1, "index")
    return (Shaped(index.dims, "int64"),)


def _put_inside_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    x, places, updates = arrays
    axis = axis_of(integer(attrs, "axis"), x.ndim)
    outer, inner = math.prod(x.shape[:axis]), math.prod(x.shape[axis + 1 :])
    given = {
        "x": x.reshape(outer, x.shape[axis], inner),
        "places": places,
        "updates": updates.reshape(outer, len(places), inner),
    }
    (made,) = WORKLOADS[PUT_ROWS.name].reference(given, {})
    return (made.reshape(x.shape),)


def _put_inside_schedule(
    args: Sequence[TensorType], results: Sequence[TensorType], attrs: Attributes
) -> Scheduled | None:
    rank = args[0].rank
    axis = axis_of(integer(attrs, "axis"), rank)
    outer, inner = range(axis), range(axis + 1, rank)
    sizes = {
        "outer": [(0, i) for i in outer],
        "n": [(0, axis)],
        "m": [(1, 0)],
        "inner": [(0, i) for i in inner],
    }
    return schedule_as(PUT_ROWS.name, args, sizes, [("outer", outer), ("n", (axis,)), ("inner", inner)])


def _put_keys(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    (index,) = _positions(args, attrs, facts)
    of_rank(index, 1, "index")
    return (Shaped((*map(const, ints(attrs, "outer")), *index.dims), "int64"),)


def _put_keys_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    index, outer, size = arrays[0], ints(attrs, "outer"), int(arrays[1][integer(attrs, "axis")])
    places = np.arange(math.prod(outer))[:, None] * size + _inside(index, size)
    return (keys_of(places.reshape(*outer, len(index))),)


def _bag_keys(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    offsets, rows = args
    of_dtype(offsets, _INDEX, "offsets")
    of_rank(offsets, 1, "offsets")
    if not rows.rank:
        raise Mismatch("rows are a scalar; expected at least one dimension")
    return (Shaped(rows.dims[:1], "int64"),)


def _bag_keys_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    count = len(arrays[1])
    ends = np.append(arrays[0], count).astype(np.int64)
    lengths = np.diff(ends)
    if ends[0] or (lengths < 0).any():
        raise Mismatch(
            f"bags that begin at {ends[:-1].tolist()[:9]} of {count} rows; expected offsets that rise from 0"
        )
    return (keys_in_order(np.repeat(np.arange(len(lengths)), lengths)),)


def _nd_rows(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    (rows,), batches = _nd_keys(args, attrs, facts), integer(attrs, "batches")
    if batches > rows.rank:
        raise Mismatch(f"batches={batches} of an index with {counted(args[0].rank, 'dimension')}; expected fewer")
    return (rows,)


def _nd_rows_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    return (np.array(_nd_places(arrays[1].tolist(), arrays[0], integer(attrs, "batches"))),)


def _by_keys(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    x, keys, updates = args
    of_dtype(x, ALL, "x")
    of_dtype(keys, ("int64",), "keys")
    _arithmetic(x, attrs)
    _same(x, updates, (*keys.dims, *x.dims[_lead(attrs, x.rank) :]), facts)
    return (x,)


def _lead(attrs: Attributes, rank: int) -> int:
    lead = integer(attrs, "lead")
    if lead > rank:
        raise Mismatch(f"lead={lead} of a tensor with {counted(rank, 'dimension')}: expected {rank} at most")
    return lead


def _by_keys_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    x, keys, updates = arrays
    lead = _lead(attrs, x.ndim)
    n, inner = math.prod(x.shape[:lead]), math.prod(x.shape[lead:])
    given = {"x": x.reshape(n, inner), "keys": keys.reshape(-1), "updates": updates.reshape(keys.size, inner)}
    (made,) = WORKLOADS[SCATTER_ROWS.name].reference(given, {"mode": attrs["mode"]})
    return (made.reshape(x.shape),)


def _by_keys_schedule(args: Sequence[TensorType], results: Sequence[TensorType], attrs: Attributes) -> Scheduled | None:
    x, keys, _ = args
    lead = _lead(attrs, x.rank)
    first, rest = range(lead), range(lead, x.rank)
    sizes = {
        "n": [(0, axis) for axis in first],
        "m": [(1, axis) for axis in range(keys.rank)],
        "inner": [(0, axis) for axis in rest],
    }
    walked = [("n", first), ("inner", rest)]
    mode = str(attrs["mode"])
    return schedule_as(SCATTER_ROWS.name, args, sizes, walked, {"mode": mode}, moves=mode == "set")


def _of_rows(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    x, rows = args
    of_dtype(x, ALL, "x")
    of_dtype(rows, ("int64",), "rows")
    return (Shaped((*rows.dims, *x.dims[_lead(attrs, x.rank) :]), x.dtype),)


def _of_rows_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    x, rows = arrays
    lead = _lead(attrs, x.ndim)
    return (_rows_of(x, lead)[rows],)


def _of_rows_schedule(args: Sequence[TensorType], results: Sequence[TensorType], attrs: Attributes) -> Scheduled | None:
    x, rows = args
    lead, made = _lead(attrs, x.rank), range(rows.rank)
    sizes = {
        "outer": [],
        "n": [(0, axis) for axis in range(lead)],
        "m": [(1, axis) for axis in made],
        "inner": [(0, axis) for axis in range(lead, x.rank)],
    }
    walked = [("outer", ()), ("m", made), ("inner", range(rows.rank, results[0].rank))]
    return schedule_as(GATHER.name, args, sizes, walked, {"index": "int64"})


ROWS = (
    Operator(
        name="take_along",
        summary="y[i, j, k] = x[i, index[i, j, k], k], of an index of x's rank, along an axis",
        inputs=("x", "index"),
        relation=_take_along,
        numpy=_take_along_meaning,
        attributes=(_AXIS,),
        examples=(
            example("(?b, 6)", "index (?b, ?t) int64", axis=1),
            example("(6, ?t)", "index (3, ?t) int32"),
            example("(?b, 6) bool", "minus (?b, 2) int64", axis=-1),
        ),
    ),
    Operator(
        name="gather_nd",
        summary="y[i, ...] = x[index[i, 0], index[i, 1], ..., ...]",
        inputs=("x", "index"),
        relation=_gather_nd,
        numpy=_gather_nd_meaning,
        attributes=(_BATCHES,),
        examples=(
            example("(6, 6, ?b)", "index (?t, 2) int64"),
            example("(?b, 6, ?t)", "index (?b, 3, 1) int64", batches=1),
            example("(6, ?t)", "index (2, 0) int64"),
        ),
    ),
    Operator(
        name="scatter",
        summary="x with updates: y[i, index[i, j, k], k] becomes updates[i, j, k], or is joined with it, along an axis",
        inputs=("x", "index", "updates"),
        relation=_scatter,
        numpy=_scatter_meaning,
        attributes=(_AXIS, MODE),
        examples=(
            example("(?b, 6)", "index (?b, 4) int64", "(?b, 4)", axis=1, mode="add"),
            example("(6, ?t)", "index (3, ?t) int32", "(3, ?t)"),
            example("(6, ?t) int64", "index (3, ?t) int64", "(3, ?t) int64", mode="max"),
            example("(6, ?t)", "index (3, ?t) int64", "(3, ?t)", mode="mul"),
            example("(6, ?t)", "minus (3, ?t) int64", "(3, ?t)", mode="min"),
        ),
    ),
    Operator(
        name="put_rows",
        summary="x with other rows at positions along an axis, in x where that may be written and nothing else reads",
        inputs=("x", "index", "rows"),
        relation=_put,
        numpy=_put_meaning,
        attributes=(_AXIS,),
        examples=(
            example("(?b, 6, ?t)", "index (4) int64", "(?b, 4, ?t)", axis=1),
            example("(6, ?b) bool", "index (?t) int32", "(?t, ?b) bool"),
        ),
    ),
    Operator(
        name="scatter_nd",
        summary="x with updates: y[index[i, 0], index[i, 1], ..., ...] becomes updates[i, ...], or is joined with it",
        inputs=("x", "index", "updates"),
        relation=_scatter_nd,
        numpy=_scatter_nd_meaning,
        attributes=(MODE,),
        examples=(
            example("(6, 6, ?b)", "index (?t, 2) int64", "(?t, ?b)", mode="add"),
            example("(6, ?b)", "index (?t, 1) int32", "(?t, ?b)"),
            example("(6, ?b) bool", "index (2, 1) int64", "(2, ?b) bool"),
        ),
    ),
    Operator(
        name="positions_in",
        summary="the index, counted from the front, where each is a position along an axis of a tensor of that shape",
        inputs=("index", "shape"),
        relation=_positions,
        numpy=lambda arrays, attrs: (_inside(arrays[0], int(arrays[1][integer(attrs, "axis")])),),
        attributes=(_AXIS,),
        examples=(example("minus (?b, ?t) int32", "size (3) int64", axis=2),),
    ),
    Operator(
        name="rows_along",
        summary="which element of a tensor of that shape take_along picks along an axis for each of the index, counted "
        "in all of its dimensions",
        inputs=("index", "shape"),
        relation=_keys,
        numpy=_rows_meaning,
        attributes=(_AXIS,),
        examples=(example("minus (?b, ?t) int64", "size (2) int64", axis=1),),
    ),
    Operator(
        name="rows_nd",
        summary="which row of a tensor of that shape gather_nd picks for each tuple of the index, counted in the "
        "dimensions that it is in",
        inputs=("index", "shape"),
        relation=_nd_rows,
        numpy=_nd_rows_meaning,
        attributes=(_BATCHES,),
        examples=(example("index (?b, ?t, 2) int64", "size (3) int64"),),
    ),
    Operator(
        name="gather_rows",
        summary="rows of x, which its first dimensions count, by their numbers, which nobody looks at",
        inputs=("x", "rows"),
        relation=_of_rows,
        numpy=_of_rows_meaning,
        attributes=(_LEAD,),
        schedule=_of_rows_schedule,
        examples=(
            example("(6, ?b)", "index (?t) int64"),
            example("(6, 2, ?t)", "index (?t, 3) int64", lead=2),
        ),
    ),
    Operator(
        name="scatter_keys",
        summary="the sorted keys by which scatter_rows does what scatter does along an axis of a tensor of that shape",
        inputs=("index", "shape"),
        relation=_keys,
        numpy=_keys_meaning,
        attributes=(_AXIS,),
        examples=(example("minus (?b, ?t) int64", "size (2) int64", axis=1),),
    ),
    Operator(
        name="scatter_nd_keys",
        summary="the sorted keys by which scatter_rows does what scatter_nd does to a tensor of that shape",
        inputs=("index", "shape"),
        relation=_nd_keys,
        numpy=_nd_keys_meaning,
        examples=(example("index (?b, ?t, 2) int64", "size (3) int64"),),
    ),
    Operator(
        name="put_keys",
        summary="the sorted keys by which scatter_rows does what put_rows does along an axis of a tensor of that shape",
        inputs=("index", "shape"),
        relation=_put_keys,
        numpy=_put_keys_meaning,
        attributes=(_AXIS, Attribute("outer", "ints", (), "the dimensions before the axis")),
        examples=(
            example("index (?t) int64", "size (2) int64", axis=1),
            example("minus (4) int32", "size (3) int64", axis=2, outer=(2, 3)),
        ),
    ),
    Operator(
        name="put_places",
        summary="where put_inside puts rows along an axis of a tensor of that shape: positions, those -1 that a later "
        "one repeats",
        inputs=("index", "shape"),
        relation=_put_places,
        numpy=_put_places_meaning,
        attributes=(_AXIS,),
        examples=(
            example("minus (?t) int64", "size (2) int64", axis=1),
            example("index (4) int32", "size (1) int64"),
        ),
    ),
    Operator(
        name="put_inside",
        summary="put_rows, at places that put_places has looked at, where x lies; one that is not there is left out",
        inputs=("x", "places", "updates"),
        relation=_put,
        numpy=_put_inside_meaning,
        attributes=(_AXIS,),
        schedule=_put_inside_schedule,
        takes_stored=True,
        examples=(
            example("(?b, 6, ?t)", "minus (4) int64", "(?b, 4, ?t)", axis=1),
            example("(6, ?b)", "one (1) int64", "(1, ?b)"),
        ),
    ),
    Operator(
        name="bag_keys",
        summary="the keys by which scatter_rows joins rows that lie bag behind bag, each from its offset to the next",
        inputs=("offsets", "rows"),
        relation=_bag_keys,
        numpy=_bag_keys_meaning,
        examples=(example("zero (4) int64", "(?t, 6)"),),
    ),
    Operator(
        name=SCATTER_ROWS.name,
        summary="x, whose first dimensions are rows, with updates in the rows that sorted keys say, each row * 2**32 + "
        "the number of its update",
        inputs=("x", "keys", "updates"),
        relation=_by_keys,
        numpy=_by_keys_meaning,
        attributes=(_LEAD, MODE),
        schedule=_by_keys_schedule,
        takes_stored=True,
        examples=(
            example("(?b, 6)", "keys (?t) int64", "(?t, 6)"),
            example("(?b, 2, ?t)", "keys (?t, 3) int64", "(?t, 3, ?t)", lead=2, mode="add"),
            example("(6, ?b)", "keys (2, ?b) int64", "(2, ?b)", lead=2, mode="max"),
        ),
    ),
)
