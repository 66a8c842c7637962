"""ATen's operators on shapes, those that move elements, and those that make tensors of a given shape."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from anytile.compiler.ir.nodes import Array, AttrValue
from anytile.importers.core import symbolic
from anytile.importers.core.graph import MOST_FOLDED, Refusal, Value
from anytile.importers.core.small_floats import transposed
from anytile.importers.core.writer import FAR
from anytile.importers.torch.aten.aten_elementwise import cast_to
from anytile.importers.torch.aten.aten_order import repeated_places
from anytile.importers.torch.graph.aten_call import FLOATS, Call, Held, Row
from anytile.schedules.index.expr import Expr, const, maximum, product


def _view(c: Call) -> Value:
    if "dtype" in c.args:
        return _bits(c)
    told, given = c.told[0], c.arg("size", c.arg("shape"))
    if told is None or None not in told.dims or not isinstance(given, list) or len(given) != len(told.dims):
        return c.reshape(c.x, c.shape)
    dims = [_asked(g) if d is None else d for d, g in zip(told.dims, given, strict=True)]
    if any(isinstance(d, Value) for d in dims) or dims.count(None) == 1:
        return _view_by_data(c, [const(-1) if d is None else d for d in dims])
    return c.reshape(c.x, c.shape if None in dims else [d for d in dims if isinstance(d, Expr)])


def _view_by_data(c: Call, sizes: Sequence[Expr | Value]) -> Value:
    """Sizes of which some are data, or one is -1 for what is left, where that is no expression."""
    numbers = [c.scalar(s) if isinstance(s, Expr) else s for s in sizes]
    shape = c.do("concat", *(c.reshape(c.cast(n, "int64"), (1,)) for n in numbers), axis=0)
    made = c.do("reshape_to", c.x, shape)
    told = [None if isinstance(s, Value) or s == const(-1) else s for s in sizes]
    return c.reshape(made, [d if t is None else t for t, d in zip(told, made.dims, strict=True)])


def _bits(c: Call) -> Value:
    """Elements of as many bits; floats of 16 are none here."""
    told = c.told[0]
    if c.narrow or told is None or told.narrow or np.dtype(told.dtype).itemsize != np.dtype(c.x.dtype).itemsize:
        raise Refusal("the bits of elements seen as another dtype")
    return c.do("bit_cast", c.x, dtype=c.dtype) if c.dtype != c.x.dtype else c.x


def _asked(size: Held) -> Expr | Value | None:
    """A size as a program asks for it, where torch's own has no form here; -1 is none."""
    if isinstance(size, int):
        return const(size) if size >= 0 else None
    return size if isinstance(size, Expr | Value) else None


def _permute(c: Call) -> Value:
    return transposed(c, c.x, [c.axis(a, c.x.rank) for a in c.ints("dims")])


def _transpose(c: Call) -> Value:
    a, b = c.dim("dim0"), c.dim("dim1")
    order = list(range(c.x.rank))
    if order:
        order[a], order[b] = order[b], order[a]
    return transposed(c, c.x, order)


def _expand(c: Call) -> Value:
    return c.broadcast(c.x, c.shape)


def _expanded(c: Call) -> tuple[Value, ...]:
    """Tensors of one shape each."""
    return tuple(c.broadcast(x, c.shape) for x in c.tensors("tensors"))


def _difference(c: Call) -> Value:
    """Each element less the one before it, as often as is said; of bools, whether they differ."""
    made, axis = c.x, c.dim("dim", -1)
    if c.arg("prepend") is not None or c.arg("append") is not None:
        ends = (c.maybe("prepend"), made, c.maybe("append"))
        made = c.do("concat", *(x for x in ends if x is not None), axis=axis)
    for _ in range(c.count("n", 1)):
        size = made.dims[axis]
        fewer = maximum(size - 1, 0)
        behind, before = c.part(made, axis, size - fewer, size), c.part(made, axis, const(0), fewer)
        made = c.do("not_equal" if made.dtype == "bool" else "subtract", behind, before)
    return made


def _bound(c: Call, name: str, default: Held) -> Expr:
    found = c.arg(name, default)
    if isinstance(found, Value) and found.sizes is not None and not found.rank:
        return found.sizes[0]
    return c.size_of(found, f"{name} of a slice")


def _is_data(c: Call, *names: str) -> bool:
    """Whether one of several bounds is computed from data."""
    found = (c.arg(name) for name in names)
    return any(isinstance(f, Value) and (f.rank or f.sizes is None) for f in found)


def _place(c: Call, name: str, default: int) -> Value:
    """A bound beside one that is data: torch's word for no end is so large that a size added to it were too large."""
    found = c.arg(name, default)
    number = found.value if isinstance(found, Expr) else found
    return c.valued(max(-FAR, min(number, FAR)) if isinstance(number, int) else found)


def _slice(c: Call) -> Value:
    axis, step = c.dim(), c.count("step", 1)
    if _is_data(c, "start", "end"):
        return c.part_of_data(c.x, axis, _place(c, "start", 0), _place(c, "end", FAR), step)
    return c.part(c.x, axis, _bound(c, "start", 0), _bound(c, "end", FAR), step)


def _narrow(c: Call) -> Value:
    if _is_data(c, "start", "length"):
        start = c.reshape(c.valued(c.arg("start", 0), "int64"), ())
        start = c.do("where", c.do("less", start, 0), c.do("add", start, c.scalar(c.x.dims[c.dim()])), start)
        return c.part_of_data(c.x, c.dim(), start, c.do("add", start, c.valued(c.arg("length"), "int64")), 1)
    first = _bound(c, "start", 0)
    return c.part(c.x, c.dim(), first, first + c.size_of(c.arg("length"), "length"))


def row_at(c: Call, x: Value, axis: int, at: Expr) -> Value:
    """x without an axis, at one position of it."""
    left = (*x.dims[:axis], *x.dims[axis + 1 :])
    if at.value is not None:
        n, size = at.value, x.dims[axis].value
        if size is not None and not -size <= n < size:
            raise Refusal(f"position {n} of {size}")
        return c.reshape(c.cut(x, axis, n, n + 1 if n != -1 else None), left)
    index = c.reshape(c.scalar(at), (1,))
    return c.reshape(c.do("take", x, index, axis=axis), left)


def _select(c: Call) -> Value:
    at = c.arg("index")
    axis = c.dim()
    if isinstance(at, Value):
        taken = c.do("take", c.x, c.reshape(c.cast(at, "int64"), (1,)), axis=axis)
        return c.reshape(taken, (*c.x.dims[:axis], *c.x.dims[axis + 1 :]))
    return row_at(c, c.x, axis, c.size_of(at, "index"))


def _unbind(c: Call) -> tuple[Value, ...]:
    """As many as there are or, where sizes do not say that, as torch counts in what it was called with."""
    axis = c.dim()
    known = c.x.dims[axis].value
    count = len(c.told) if known is None else known
    x = c.as_large(c.x, axis, const(count))
    return tuple(row_at(c, x, axis, const(i)) for i in range(count))


def _pieces(c: Call, lengths: Sequence[Expr]) -> tuple[Value, ...]:
    axis, at, made = c.dim(), const(0), []
    for length in lengths:
        made.append(c.part(c.x, axis, at, at + length))
        at = at + length
    return tuple(made)


def _split(c: Call) -> tuple[Value, ...]:
    given = c.arg("split_size", c.arg("split_sizes"))
    if isinstance(given, list | tuple):
        return _pieces(c, [c.size_of(n, "a size") for n in given])
    axis, made = c.dim(), []
    for t in c.told:
        if t is None or (length := t.dims[axis]) is None:
            raise Refusal("parts whose sizes are data")
        made.append(length)
    return _pieces(c, made)


def _joined(c: Call, tensors: list[Value], axis: int) -> Value:
    return tensors[0] if len(tensors) == 1 else c.do("concat", *tensors, axis=axis)


def _cat(c: Call) -> Value:
    tensors = [cast_to(c, t, c.dtype) for t in c.tensors("tensors")]
    rank = len(c.told[0].dims) if c.told[0] is not None else tensors[0].rank
    kept = [t for t in tensors if t.rank == rank]  # torch lets tensors of nothing be of any shape
    axis, told = c.axis(c.count("dim"), rank), c.told[0]
    if told is None or not told.narrow or all(t.lying is None for t in kept):
        return _joined(c, kept, axis)
    return c.graph.widened(_joined(c, [c.graph.rounded(t, told.narrow) for t in kept], axis))


def _stack(c: Call) -> Value:
    tensors = [cast_to(c, t, c.dtype) for t in c.tensors("tensors")]
    axis = c.axis(c.count("dim"), tensors[0].rank + 1)
    return _joined(c, [c.reshape(t, (*t.dims[:axis], 1, *t.dims[axis:])) for t in tensors], axis)


def _repeat(c: Call) -> Value:
    """Each dimension as two, of which the first is made larger."""
    x, times = c.x, c.sizes("repeats") or c.sizes("dims")
    own: list[Expr] = [*[const(1)] * (len(times) - x.rank), *x.dims]
    times = [*[const(1)] * (x.rank - len(times)), *times]
    seen: list[Expr] = []
    wide: list[Expr] = []
    for size, n in zip(own, times, strict=True):
        if n.value != 1:
            seen, wide = [*seen, const(1)], [*wide, n]
        seen, wide = [*seen, size], [*wide, size]
    return c.reshape(c.broadcast(c.reshape(x, seen), wide), [a * n for a, n in zip(own, times, strict=True)])


def _repeat_interleave(c: Call) -> Value:
    """Each element so often, one beside the other; without elements, their places."""
    if "self" not in c.args:
        return c.cast(repeated_places(c, c["repeats"]), c.dtype)
    x = c.x
    if c.arg("dim") is None:
        x = c.reshape(x, (product(x.dims),))
    axis = c.axis(c.count("dim"), x.rank)
    if isinstance(times := c.arg("repeats"), Value):
        each = c.broadcast(c.reshape(times, (product(times.dims),)), x.dims[axis : axis + 1])
        return c.do("take", x, repeated_places(c, each), axis=axis)
    times = c.size_of(times, "repeats")
    seen = c.reshape(x, (*x.dims[: axis + 1], 1, *x.dims[axis + 1 :]))
    wide = c.broadcast(seen, (*x.dims[: axis + 1], times, *x.dims[axis + 1 :]))
    return c.reshape(wide, (*x.dims[:axis], x.dims[axis] * times, *x.dims[axis + 1 :]))


def _flip(c: Call) -> Value:
    made = c.x
    for axis in c.dims("dims") if c.arg("dims") and c.x.rank else ():
        made = c.do("slice", made, step=(-1,), axes=(axis,))
    return made


def _roll(c: Call) -> Value:
    made, shifts, dims = c.x, c.sizes("shifts"), c.ints("dims")
    if not dims:
        made, dims = c.reshape(made, (product(made.dims),)), (0,)
    for shift, axis in zip(shifts, (c.axis(d, made.rank) for d in dims), strict=True):
        size = made.dims[axis]
        n = shift.value
        if n is None or (size.value is None and n):
            at = c.do("mod", c.do("subtract", c.positions(size), c.scalar(shift)), c.scalar(size))
            made = c.do("take", made, at, axis=axis)
        elif size.value and n % size.value:
            cut = size.value - n % size.value
            made = _joined(c, [c.cut(made, axis, cut, None), c.cut(made, axis, 0, cut)], axis)
    return c.reshape(made, c.x.dims)


def _pad(c: Call) -> Value:
    pads, x = c.sizes("pad"), c.x
    mode, value = str(c.arg("mode", "constant")), c.arg("value", 0)
    if isinstance(value, float) and math.isfinite(value) and x.dtype not in FLOATS:
        value = bool(value) if x.dtype == "bool" else int(value)
    before, after = [0] * x.rank, [0] * x.rank
    for i in range(len(pads) // 2):
        axis, sides = x.rank - 1 - i, pads[2 * i : 2 * i + 2]
        if all(size.value is not None for size in sides):
            before[axis], after[axis] = (c.whole(size, "pad") for size in sides)
        else:
            x = _filled_up(c, x, axis, sides, mode, value)
    return padded(c, x, before, after, {"replicate": "edge"}.get(mode, mode), value)


def _filled_up(c: Call, x: Value, axis: int, sides: Sequence[Expr], mode: str, value: Held) -> Value:
    """x with as many elements before and behind it as sizes say. Sizes below 0 are refused as the model runs."""
    told = c.told[0]
    if mode != "constant" or told is None or told.dims[axis] is None:
        raise Refusal(f"pad by {sides[0]} and {sides[1]} in the mode {mode}; expected numbers, or constants around it")
    sides = [maximum(n, 0) for n in sides]  # what torch makes is then longer, and that is looked at
    return c.filled_up(x, axis, sides, c.valued(value, x.dtype))


def padded(c: Call, x: Value, before: Sequence[int], after: Sequence[int], mode: str, value: Held) -> Value:
    """x with more elements around it, and less where numbers are below 0."""
    for axis in range(x.rank):
        if before[axis] < 0 or after[axis] < 0:
            x = c.cut(x, axis, -min(before[axis], 0), min(after[axis], 0) or None)
    low, high = (tuple(max(n, 0) for n in sides) for sides in (before, after))
    if not any((*low, *high)):
        return x
    if mode == "circular":
        for axis, (front, back) in enumerate(zip(low, high, strict=True)):
            x = c.at_least(x, [max(front, back) if i == axis else 0 for i in range(x.rank)])
            parts = [c.cut(x, axis, -front, None)] if front else []
            x = _joined(c, [*parts, x, *([c.cut(x, axis, 0, back)] if back else [])], axis)
        return x
    if mode not in ("constant", "edge", "reflect"):
        raise Refusal(f"pad in the mode {mode}")
    attrs: dict[str, AttrValue] = {"value": float(value)} if mode == "constant" else {"mode": mode}
    return c.do("pad", x, before=low, after=high, **attrs)


def _size(c: Call) -> Expr:
    return c.x.dims[c.dim()]


def _edges(mode: str) -> Callable[[Call], Value]:
    """Padding of the last dimensions by what is there."""

    def means(c: Call) -> Value:
        pads = c.ints("padding")
        before, after = [0] * c.x.rank, [0] * c.x.rank
        for i in range(len(pads) // 2):
            before[c.x.rank - 1 - i], after[c.x.rank - 1 - i] = pads[2 * i : 2 * i + 2]
        return padded(c, c.x, before, after, mode, 0)

    return means


def _triangle(upper: bool) -> Callable[[Call], Value]:
    def means(c: Call) -> Value:
        x, k = c.x, c.count("diagonal")
        rows, columns = (c.positions(d) for d in x.dims[-2:])
        rows = c.do("add", c.reshape(rows, (*rows.dims, 1)), c.graph.constant(np.asarray(k)))
        kept = c.do("greater_equal" if upper else "less_equal", columns, rows)
        return c.do("logical_and", kept, x) if x.dtype == "bool" else c.do("where", kept, x, c.number(0, x))

    return means


# -- tensors out of nothing --------------------------------------------------------------------------------------------


def filled(c: Call, value: Held) -> Value:
    """A tensor of the result's shape, all of whose elements are one number."""
    scalar = c.reshape(cast_to(c, c.valued(value), c.dtype), ())
    shape = c.shape
    large = product(shape).value
    if large is not None and large > MOST_FOLDED:
        return c.do("full", c.graph.constant(np.asarray([d.value for d in shape])), scalar)
    return c.broadcast(scalar, shape)


def _arange(c: Call) -> Value:
    start, end, step = c.arg("start", 0), c.arg("end"), c.arg("step", 1)
    listed = [start, end, step]
    if all(isinstance(n, Expr | int) for n in listed) and not any(isinstance(n, bool) for n in listed):
        whole = [n.value if isinstance(n, Expr) else n for n in listed]
        numbers = [n for n in whole if n is not None]
        if len(numbers) == len(whole):
            return c.graph.constant(np.arange(*numbers, dtype="int64").astype(c.dtype))
        first, last, by = (c.size_of(n, "a bound") for n in listed)
        if by.value == 1 and (first.value == 0 or symbolic.at_least_zero(last - first)):
            return c.cast(c.span(first, last - first), c.dtype)
        made = c.cast(c.do("arange", *(c.scalar(e) for e in (first, last, by))), c.dtype)
        if first.value == 0 and None not in (c.told[0].dims if c.told[0] is not None else (None,)):
            made = c.reshape(made, c.shape)
            made.spaced = by
        return made
    if all(isinstance(n, int | float) for n in listed):
        return c.graph.constant(np.arange(*listed).astype(c.dtype))
    kind = "float32" if c.dtype in FLOATS else "int64"
    return c.cast(c.do("arange", *(c.valued(n, kind) for n in listed)), c.dtype)


def _linspace(c: Call) -> Value:
    start, end = c.arg("start"), c.arg("end")
    if not isinstance(start, int | float) or not isinstance(end, int | float):
        raise Refusal("linspace between numbers that are data")
    return c.graph.constant(np.linspace(start, end, c.count("steps")).astype(c.dtype))


def _window(weights: Callable[[Call, Array], Array]) -> Callable[[Call], Value]:
    """What a signal is multiplied by before its spectrum, of so many elements: `weights` is told of a whole turn."""

    def means(c: Call) -> Value:
        count = c.small(c.count("window_length"), "a window")
        if count < 2:
            return c.graph.constant(np.ones(count, c.dtype))
        steps = count + int(bool(c.arg("periodic", True))) - 1
        made = weights(c, np.arange(count) * (2 * math.pi / steps))
        return c.graph.constant(made.astype(c.dtype))

    return means


def _hamming(c: Call, turn: Array) -> Array:
    made: Array = float(c.arg("alpha", 0.54)) - float(c.arg("beta", 0.46)) * np.cos(turn)
    return made


def _blackman(c: Call, turn: Array) -> Array:
    made: Array = 0.42 - 0.5 * np.cos(turn) + 0.08 * np.cos(2 * turn)
    return made


def _bartlett(c: Call, turn: Array) -> Array:
    made: Array = 1 - np.abs(turn / math.pi - 1)
    return made


def _kaiser(c: Call, turn: Array) -> Array:
    beta = float(c.arg("beta", 12.0))
    made: Array = np.i0(beta * np.sqrt(np.maximum(1 - np.square(turn / math.pi - 1), 0))) / np.i0(beta)
    return made


def _scalar_tensor(c: Call) -> Value:
    return cast_to(c, c.valued(c.arg("s")), c.dtype)


def _eye(c: Call) -> Value:
    n, m = c.shape
    rows, columns = c.positions(n), c.positions(m)
    return cast_to(c, c.do("equal", c.reshape(rows, (n, 1)), columns), c.dtype)


def _diagonal(c: Call) -> Value:
    matrices, _ = _matrices(c)
    return c.do("take", matrices, _on_diagonal(c, c.shape[-1]), axis=matrices.rank - 1)


def _diagonal_scatter(c: Call) -> Value:
    """x with other elements on a diagonal."""
    matrices, order = _matrices(c)
    moved = [c.x.dims[i] for i in order]
    new = cast_to(c, c["src"], c.x.dtype)
    made = c.do("put_rows", matrices, _on_diagonal(c, new.dims[-1]), new, axis=matrices.rank - 1)
    return c.transpose(c.reshape(made, moved), sorted(range(len(order)), key=order.__getitem__))


def _matrices(c: Call) -> tuple[Value, list[int]]:
    """The matrices of two dimensions as rows, and the order of all dimensions in which these are the last."""
    a, b = (c.axis(c.count(*said), c.x.rank) for said in (("dim1", 0), ("dim2", 1)))
    order = [*(i for i in range(c.x.rank) if i not in (a, b)), a, b]
    x = c.transpose(c.x, order)
    return c.reshape(x, (*x.dims[:-2], x.dims[-2] * x.dims[-1])), order


def _on_diagonal(c: Call, count: Expr) -> Value:
    """The places of so many elements of a diagonal in a matrix's rows, one behind the other."""
    width, offset = c.x.dims[c.axis(c.count("dim2", 1), c.x.rank)], c.count("offset")
    steps = c.do("multiply", c.positions(count), c.scalar(width + 1))
    return c.do("add", steps, c.scalar(const(offset) if offset > 0 else width * -offset))


def _triangle_places(upper: bool) -> Callable[[Call], Value]:
    """Rows and columns of what is kept of a matrix by a triangle."""

    def means(c: Call) -> Value:
        rows, columns = (c.size_of(c.arg(name), name) for name in ("row", "col"))
        at = c.reshape(c.do("add", c.positions(rows), c.graph.constant(np.asarray(c.count("offset")))), (rows, 1))
        kept = c.do("greater_equal" if upper else "less_equal", c.positions(columns), at)
        return c.cast(c.do("nonzero", kept), c.dtype)

    return means


def _pixel_shuffle(c: Call) -> Value:
    x, r = c.x, c.count("upscale_factor")
    *batch, channels, h, w = x.dims
    left = symbolic.quotient(channels, const(r * r))
    if left is None:
        raise Refusal(f"{channels} channels by blocks of {r}")
    count = len(batch)
    x = c.reshape(x, (*batch, left, r, r, h, w))
    order = (*range(count), count, count + 3, count + 1, count + 4, count + 2)
    return c.reshape(c.transpose(x, order), (*batch, left, h * r, w * r))


def _unfold(c: Call) -> Value:
    """Windows along an axis, each of which lies in a last dimension of its own."""
    x, axis = c.x, c.dim("dimension")
    if not x.rank:
        return c.reshape(x, (1,))
    return c.windows(x, axis, c.count("size"), c.count("step"), c.shape[axis])


def _slice_scatter(c: Call) -> Value:
    """x with a part of it replaced: what is before, the new one, what is behind. Of a part with steps, its rows."""
    x, source, axis = c.x, cast_to(c, c["src"], c.x.dtype), c.dim()
    size, step = x.dims[axis], c.count("step", 1)
    first, last = _bound(c, "start", 0), _bound(c, "end", FAR)
    if step != 1:
        begin = maximum(first + size, 0) if (first.value or 0) < 0 else first
        steps = c.do("multiply", c.positions(source.dims[axis]), c.graph.constant(np.asarray(step)))
        return c.put_rows(x, c.do("add", steps, c.scalar(begin)), source, axis)
    if (last.value or 0) >= FAR or (last.value is not None and size.value is not None and last.value > size.value):
        last = size
    first, last = (maximum(e + size, 0) if (e.value or 0) < 0 else e for e in (first, last))
    parts = [c.part(x, axis, const(0), first)] if first.value != 0 else []
    parts.append(source)
    if last != size:
        parts.append(c.part(x, axis, last, size))
    return _joined(c, parts, axis)


def _select_scatter(c: Call) -> Value:
    """x with one row replaced."""
    x, source, axis = c.x, c["src"], c.dim()
    size, at = x.dims[axis], c.size_of(c.arg("index"), "index")
    if (at.value or 0) < 0:
        at = at + size
    parts = [c.part(x, axis, const(0), at)] if at.value != 0 else []
    parts.append(c.reshape(cast_to(c, source, x.dtype), (*x.dims[:axis], 1, *x.dims[axis + 1 :])))
    if at + 1 != size:
        parts.append(c.part(x, axis, at + 1, size))
    return _joined(c, parts, axis)


def _empty(c: Call) -> Value:
    """What lies there is anybody's guess, so zeros are as good."""
    return filled(c, 0)


ROWS = (
    *(
        Row(name, _view)
        for name in (
            "view",
            "_unsafe_view",
            "reshape",
            "flatten",
            "unflatten",
            "unsqueeze",
            "squeeze",
            "view_copy",
            "_reshape_alias",
        )
    ),
    Row("sym_size", _size),
    Row("permute", _permute),
    Row("transpose", _transpose),
    Row("t", lambda c: transposed(c, c.x, list(reversed(range(c.x.rank))))),
    Row("numpy_T", lambda c: c.transpose(c.x, list(reversed(range(c.x.rank))))),
    Row("expand", _expand),
    Row("expand_as", _expand),
    Row("broadcast_to", _expand),
    Row("broadcast_tensors", _expanded),
    Row("diff", _difference),
    Row("slice", _slice),
    Row("narrow", _narrow),
    Row("select", _select),
    Row("unbind", _unbind),
    Row("split", _split),
    Row("split_with_sizes", _split),
    Row("chunk", _split),
    Row("cat", _cat),
    Row("concat", _cat),
    Row("stack", _stack),
    Row("repeat", _repeat),
    Row("tile", _repeat),
    Row("repeat_interleave", _repeat_interleave),
    Row("flip", _flip),
    Row("roll", _roll),
    Row("pad", _pad),
    Row("constant_pad_nd", _pad),
    *(Row(f"reflection_pad{n}d", _edges("reflect")) for n in (1, 2, 3)),
    *(Row(f"replication_pad{n}d", _edges("edge")) for n in (1, 2, 3)),
    Row("tril_indices", _triangle_places(upper=False)),
    Row("triu_indices", _triangle_places(upper=True)),
    Row("tril", _triangle(upper=False)),
    Row("triu", _triangle(upper=True)),
    Row("full", lambda c: filled(c, c.arg("fill_value"))),
    Row("full_like", lambda c: filled(c, c.arg("fill_value"))),
    Row("new_full", lambda c: filled(c, c.arg("fill_value"))),
    Row("fill", lambda c: filled(c, c.arg("value"))),
    *(Row(name, lambda c: filled(c, 1)) for name in ("ones", "ones_like", "new_ones")),
    *(Row(name, lambda c: filled(c, 0)) for name in ("zeros", "zeros_like", "new_zeros", "zero")),
    *(
        Row(name, _empty)
        for name in ("empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided", "empty_permuted")
    ),
    Row("arange", _arange),
    Row("linspace", _linspace),
    Row("scalar_tensor", _scalar_tensor),
    Row("hamming_window", _window(_hamming)),
    Row("blackman_window", _window(_blackman)),
    Row("bartlett_window", _window(_bartlett)),
    Row("kaiser_window", _window(_kaiser)),
    Row("eye", _eye),
    Row("diagonal", _diagonal),
    Row("diagonal_scatter", _diagonal_scatter),
    Row("pixel_shuffle", _pixel_shuffle),
    Row("unfold", _unfold),
    Row("slice_scatter", _slice_scatter),
    Row("select_scatter", _select_scatter),
)
