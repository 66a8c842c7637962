"""ONNX's operators on shapes, and those that give tensors another one or other sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from anytile.compiler.operators.shapes import unlimited
from anytile.importers.core import symbolic as sizes
from anytile.importers.core.graph import Refusal, Value
from anytile.importers.core.symbolic import Array
from anytile.importers.core.writer import FAR
from anytile.importers.onnx.operators.scaled import reshaped, transposed
from anytile.importers.onnx.proto.call import Call, Row
from anytile.importers.onnx.proto.dtypes import dtype_name
from anytile.schedules.index.expr import Expr, ceildiv, const, maximum, minimum


def _product(dims: Sequence[Expr]) -> Expr:
    return math.prod(dims, start=const(1))


def _shape(c: Call) -> Value:
    dims = c.x.dims[slice(c.attr("start"), c.attr("end"))]
    return c.graph.known(sizes.settled(sizes.array_of(dims), "int64"))


def _size(c: Call) -> Value:
    return c.graph.known(sizes.settled(sizes.array_of([_product(c.x.dims)]).reshape(()), "int64"))


def _reshape(c: Call) -> Value:
    x = c.x
    if c.version < 5:
        wanted: tuple[Expr, ...] | None = tuple(map(const, c.ints("shape")))
    else:
        wanted = c[1].sizes
    if wanted is None:
        return c.do("reshape_to", x, c[1]) if c.attr("allowzero") else _reshape_by_data(c, x, c[1])
    return reshaped(c, x, _completed(c, x, wanted))


def _reshape_by_data(c: Call, x: Value, shape: Value) -> Value:
    """0 is the dimension of x at that place."""
    count = c.size(shape, 0)
    own = sizes.array_of([d for d, _ in zip((*x.dims, *[const(1)] * count), range(count), strict=False)])
    stays = c.do("equal", shape, c.number(0, shape))
    return c.do("reshape_to", x, c.do("where", stays, c.graph.known(sizes.settled(own, "int64")), shape))


def _completed(c: Call, x: Value, wanted: Sequence[Expr]) -> list[Expr]:
    made = list(wanted)
    if not c.attr("allowzero"):
        for i, size in enumerate(made):
            if size.value == 0:
                if i >= x.rank:
                    raise Refusal(f"shape {_told(wanted)}: the 0 at {i} stays as it is, and x has {x.rank} dimensions")
                made[i] = x.dims[i]
    rest = [i for i, size in enumerate(made) if size.value == -1]
    if len(rest) > 1 or any((s.value or 0) < -1 for s in made):
        raise Refusal(f"shape {_told(wanted)}: expected sizes, and -1 once")
    if rest:
        at, left, own = rest[0], list(made), list(x.dims)
        del left[at]
        for size in list(left):  # a dimension that stays cancels, even where it may be 0
            if size in own:
                own.remove(size)
                left.remove(size)
        whole, parts = _product(own), _product(left)
        found = sizes.quotient(whole, parts)
        if found is None and (count := parts.value):
            found = whole // count  # which is looked at as the model runs
        if found is None:  # which is data then
            shape = c.graph.known(sizes.settled(sizes.array_of(made), "int64"))
            found = c.do("reshape_to", x, shape).dims[at]
        made[at] = found
    return made


def _reshape_numbers(c: Call, arrays: Sequence[Array]) -> Array | None:
    shape = c[1].number
    if shape is None:
        return None
    wanted = shape.tolist()
    if not c.attr("allowzero"):
        wanted = [own or arrays[0].shape[i] for i, own in enumerate(wanted)]
    return np.reshape(arrays[0], wanted)


def _told(exprs: Sequence[Expr]) -> str:
    return f"({', '.join(map(str, exprs))})"


def _flatten(c: Call) -> Value:
    axis = c.attr("axis", 1)
    axis = axis + c.x.rank if axis < 0 else axis
    return c.reshape(c.x, (_product(c.x.dims[:axis]), _product(c.x.dims[axis:])))


def _axes(c: Call, at: int) -> tuple[int, ...] | None:
    """Axes that were an attribute before version 13."""
    if c.attr("axes") is not None:
        return c.ints("axes")
    given = c.maybe(at)
    return None if given is None else c.whole(given, "axes")


def _squeeze(c: Call) -> Value:
    x, axes = c.x, _axes(c, 1)
    if axes is None:
        # how many dimensions there will be must be known: those of unknown size are taken to stay, and looked at
        unsure = [d.value is None and sizes.equal(d, const(1)) is not False for d in x.dims]
        x = c.at_least(x, [2 if is_unsure else 0 for is_unsure in unsure])
        axes = tuple(i for i, d in enumerate(x.dims) if d.value == 1)
    gone = {c.axis(a, x.rank) for a in axes}
    for axis in gone:
        if sizes.equal(x.dims[axis], const(1)) is False:
            raise Refusal(f"Squeeze of {x.shaped}: dimension {axis} is not 1")
    if x.node is not None and any(x.dims[a].value is None for a in gone):
        return c.do("squeeze", x, axis=tuple(sorted(gone)))
    return c.reshape(x, [d for i, d in enumerate(x.dims) if i not in gone])


def _unsqueeze(c: Call) -> Value:
    axes = _axes(c, 1)
    if axes is None:
        raise Refusal("Unsqueeze without axes")
    made = list(c.x.dims)
    rank = len(made) + len(axes)
    for axis in sorted(c.axis(a, rank) for a in axes):
        made.insert(axis, const(1))
    if len({c.axis(a, rank) for a in axes}) != len(axes):
        raise Refusal(f"axes {axes}: the same one twice")
    return c.reshape(c.x, made)


def _expand(c: Call) -> Value:
    x = c.x
    found = c[1].sizes
    if found is None:
        return c.do("broadcast_by", x, c[1])
    wanted = list(found)
    own = [const(1)] * (len(wanted) - x.rank) + list(x.dims)
    wanted = [const(1)] * (x.rank - len(wanted)) + wanted
    made = []
    for a, b in zip(own, wanted, strict=True):
        if a == b or b.value == 1:
            made.append(a)
        elif a.value == 1 or sizes.equal(b, const(1)) is False:
            made.append(b)
        elif unlimited(a) == unlimited(b):
            made.append(unlimited(b))
        else:
            made.append(maximum(a, b) * minimum(minimum(a, b), 1))
    return c.broadcast(x, made)


def _dropout(c: Call) -> tuple[Value, ...]:
    return dropout(c, c.x, c.maybe(1), c.maybe(2))


def dropout(c: Call, x: Value, ratio: Value | None, training: Value | None) -> tuple[Value, ...]:
    """x of which nothing is dropped, as outside of training, and a mask that keeps all of it."""
    trains = training is not None and bool(c.numbers(training, "training_mode").any())
    if trains and (ratio is None or c.numbers(ratio, "ratio").any()):
        raise Refusal(f"{c.op} in training mode")
    if c.count < 2:
        return (x,)
    return x, c.broadcast(c.graph.constant(np.asarray(True)), x.dims)


def _transpose(c: Call) -> Value:
    perm = c.ints("perm", tuple(reversed(range(c.x.rank))))
    return transposed(c, c.x, perm)


def _concat(c: Call) -> Value:
    tensors = c.tensors
    axis = c.axis(c.attr("axis", 1), tensors[0].rank)
    return tensors[0] if len(tensors) == 1 else c.do("concat", *tensors, axis=axis)


def _concat_sizes(c: Call, arrays: Sequence[Array]) -> Array:
    return np.concatenate([sizes.lifted(a) for a in arrays], c.attr("axis", 1))


def _parts(c: Call, axis: int) -> list[tuple[Expr, Expr]]:
    """From where to where each part goes: of parts that are alike, the last may be shorter."""
    x = c.x
    given = c.maybe(1) if c.version >= 13 else None
    if given is not None:
        lengths = c.whole(given, "split")
    elif c.attr("split") is not None:
        lengths = c.ints("split")
    else:
        size, parts = x.dims[axis], c.attr("num_outputs") or len(c.outputs)
        if parts != len(c.outputs):
            raise Refusal(f"num_outputs={parts} of {len(c.outputs)} results")
        cuts = [minimum(ceildiv(size, parts) * i, size) for i in range(parts)]
        return list(zip(cuts, [*cuts[1:], size], strict=True))
    ends = np.cumsum(lengths).tolist()
    known = x.dims[axis].value
    if known is not None and (ends or [0])[-1] != known:
        raise Refusal(f"split {lengths} of a dimension of {known}: expected that sum")
    return [(const(a), const(b)) for a, b in zip([0, *ends[:-1]], ends, strict=True)]


def _split(c: Call) -> tuple[Value, ...]:
    axis = c.axis(c.attr("axis", 0), c.x.rank)
    given = c.maybe(1) if c.version >= 13 else None
    if given is not None and given.number is None:
        return c.graph.calls("split_by", c.x, given, axis=axis)
    return tuple(c.part(c.x, axis, a, b) for a, b in _parts(c, axis))


def _slice(c: Call) -> Value:
    x = c.x
    if c.version >= 10 and any(v is not None and v.sizes is None for v in map(c.maybe, (1, 2, 4))):
        return _slice_by_data(c)
    starts, stops, axes, steps = _bounds(c)
    for start, stop, axis, step in zip(starts, stops, axes, steps, strict=True):
        x = c.part(x, c.axis(axis, x.rank), start, stop, step)
    return x


def _slice_by_data(c: Call) -> Value:
    starts, stops, steps = (None if (v := c.maybe(i)) is None else c.cast(v, "int64") for i in (1, 2, 4))
    assert starts is not None
    assert stops is not None
    count = c.size(starts, 0)
    steps = c.graph.constant(np.ones(count, np.int64)) if steps is None else steps
    axes = range(count) if c.maybe(3) is None else c.whole(c[3], "axes")
    return c.do("slice_by", c.x, starts, stops, steps, axes=tuple(c.axis(a, c.x.rank) for a in axes))


def _bounds(c: Call) -> tuple[list[Expr], list[Expr], tuple[int, ...], tuple[int, ...]]:
    if c.version < 10:
        starts, stops = ([const(n) for n in c.ints(name)] for name in ("starts", "ends"))
        return starts, stops, c.ints("axes", range(len(starts))), (1,) * len(starts)
    starts, stops = (list(c.sizes(c[i], f"the {what}")) for i, what in ((1, "starts"), (2, "ends")))
    axes = range(len(starts)) if c.maybe(3) is None else c.whole(c[3], "axes")
    steps = (1,) * len(starts) if c.maybe(4) is None else c.whole(c[4], "steps")
    return starts, stops, tuple(axes), tuple(max(-FAR, min(step, FAR)) for step in steps)


def _slice_sizes(c: Call, arrays: Sequence[Array]) -> Array | None:
    starts, stops, axes, steps = _bounds(c)
    cuts = [slice(None)] * arrays[0].ndim
    for start, stop, axis, step in zip(starts, stops, axes, steps, strict=True):
        if start.value is None or stop.value is None:
            return None
        last = None if stop.value <= -FAR and step < 0 else stop.value
        cuts[axis] = slice(start.value, last, step)
    made: Array = arrays[0][tuple(cuts)]
    return made


def _tile(c: Call) -> Value:
    """Each dimension as two, of which the first is made larger."""
    x, repeats = c.x, c[1].sizes
    if repeats is None:
        return c.do("tile_by", x, c[1])
    if len(repeats) != x.rank:
        raise Refusal(f"{len(repeats)} repeats of {x.rank} dimensions")
    seen: list[Expr] = []
    wide: list[Expr] = []
    made: list[Expr] = []
    for size, times in zip(x.dims, repeats, strict=True):
        if times.value != 1:
            seen, wide = [*seen, const(1)], [*wide, times]
        seen, wide, made = [*seen, size], [*wide, size], [*made, size * times]
    return c.reshape(c.broadcast(c.reshape(x, seen), wide), made)


def _range(c: Call) -> Value:
    # numbers, which some write as tensors of one
    start, stop, step = (c.reshape(v, ()) if v.dims == (const(1),) else v for v in (c[i] for i in range(3)))
    known = [v.sizes for v in (start, stop, step)]
    if all(k is not None for k in known) and start.dtype in ("int64", "int32"):
        (first,), (last,), (by,) = (k for k in known if k is not None)
        n = by.value
        if first.value is not None and last.value is not None and n:
            count = c.small(max(-(-(last.value - first.value) // n), 0), "a range")
            return c.graph.constant((first.value + n * np.arange(count)).astype(start.dtype))
        if n == 1 and sizes.at_least_zero(last - first):
            return c.cast(c.span(first, last - first), start.dtype)
    return c.do("arange", start, stop, step)


def _constant_of_shape(c: Call) -> Value:
    given = c.attr("value")
    value = np.zeros(1, np.float32) if given is None else given
    scalar = c.graph.constant(value.reshape(()))
    wanted = c[0].sizes
    if wanted is None:
        return c.do("full", c[0], scalar)
    return c.broadcast(scalar, wanted)


def _constant(c: Call) -> Value:
    for name, kind in (("value", None), ("value_float", np.float32), ("value_int", np.int64)):
        if c.attr(name) is not None:
            return c.graph.constant(np.asarray(c.attr(name), kind))
    for name, kind in (("value_floats", np.float32), ("value_ints", np.int64)):
        if c.attr(name) is not None:
            return c.graph.constant(np.asarray(c.attr(name), kind))
    raise Refusal(f"a constant of {', '.join(n for n, v in c.attributes.items() if v is not None) or 'nothing'}")


def _eye_like(c: Call) -> Value:
    dtype = c.x.dtype if c.attr("dtype") is None else dtype_name(c.attr("dtype"))
    n, m = (c.size(c.x, axis) for axis in (0, 1))
    c.small(n * m, "a matrix")
    return c.graph.constant(np.eye(n, m, c.attr("k", 0), dtype))


def _trilu(c: Call) -> Value:
    x = c.x
    k = c.maybe(1)
    rows, columns = (c.positions(d) for d in x.dims[-2:])
    rows = c.reshape(rows, (*rows.dims, 1))
    if k is not None:
        rows = c.do("add", rows, c.reshape(k, ()))
    upper = c.attr("upper", 1)
    kept = c.do("greater_equal" if upper else "less_equal", columns, rows)
    zero = c.number(0, x)
    if x.dtype == "bool":
        return c.do("logical_and", kept, x)
    return c.do("where", kept, x, zero)


def _pad_value(c: Call, x: Value) -> Value:
    if c.version < 11:
        return c.number(float(c.attr("value", 0.0)), x)
    given = c.maybe(2)
    return c.number(0, x) if given is None else c.reshape(given, ())


_PADS = ("constant", "reflect", "edge", "wrap")


def _pad(c: Call) -> Value:
    x, mode = c.x, str(c.attr("mode", "constant"))
    if mode not in _PADS:
        raise Refusal(f"mode={mode}; expected one of {', '.join(_PADS)}")
    axes = list(range(x.rank))
    if c.maybe(3) is not None:
        axes = [c.axis(a, x.rank) for a in c.whole(c[3], "axes")]
    value = _pad_value(c, x)
    if c.version >= 11 and c[1].number is None:
        count, told = len(axes), c[1].sizes
        if told is not None and mode == "constant" and len(told) == 2 * count and all(map(sizes.at_least_zero, told)):
            for axis, *sides in zip(axes, told[:count], told[count:], strict=True):
                x = c.filled_up(x, axis, sides, value)
            return x
        pads = c.cast(c[1], "int64")
        return c.do(
            "pad_by", x, c.cut(pads, 0, 0, count), c.cut(pads, 0, count, 2 * count), value, axes=tuple(axes), mode=mode
        )
    given = c.ints("pads") or c.ints("paddings") if c.version < 11 else c.whole(c[1], "the pads")
    if len(given) != 2 * len(axes):
        raise Refusal(f"{len(given)} pads of {len(axes)} axes")
    before, after = [0] * x.rank, [0] * x.rank
    for i, axis in enumerate(axes):
        before[axis], after[axis] = given[i], given[i + len(axes)]
    x = c.at_least(x, [max(-b - a, 0) for b, a in zip(before, after, strict=True)])
    if mode != "constant":
        return _padded(c, _cropped(c, x, before, after), before, after, value, mode)
    return _cropped(c, _padded(c, x, before, after, value, mode), before, after)


def _cropped(c: Call, x: Value, before: Sequence[int], after: Sequence[int]) -> Value:
    """What is below 0 of the pads, taken away."""
    for axis, (first, last) in enumerate(zip(before, after, strict=True)):
        if first < 0 or last < 0:
            x = c.cut(x, axis, -min(first, 0), min(last, 0) or None)
    return x


def _padded(c: Call, x: Value, before: Sequence[int], after: Sequence[int], value: Value, mode: str) -> Value:
    """What is above 0 of the pads, added."""
    low, high = (tuple(max(n, 0) for n in sides) for sides in (before, after))
    if not any((*low, *high)):
        return x
    number = value.number
    if mode in ("edge", "reflect"):
        return c.do("pad", x, before=low, after=high, mode=mode)
    if mode == "constant" and number is not None and (number.dtype.kind not in "iu" or int(float(number)) == number):
        return c.do("pad", x, before=low, after=high, value=float(number))
    sides = (c.graph.constant(np.asarray(side, np.int64)) for side in (low, high))
    made = c.do("pad_by", x, *sides, value, mode=mode)
    return c.reshape(made, [d + b + a for d, b, a in zip(x.dims, low, high, strict=True)])


def _depth_to_space(c: Call) -> Value:
    x, size = c.x, c.attr("blocksize")
    n, channels, h, w = x.dims
    left = sizes.quotient(channels, const(size * size))
    if left is None:
        raise Refusal(f"DepthToSpace of {channels} channels by blocks of {size}")
    if c.attr("mode", "DCR") == "DCR":
        x = c.transpose(c.reshape(x, (n, size, size, left, h, w)), (0, 3, 4, 1, 5, 2))
    else:
        x = c.transpose(c.reshape(x, (n, left, size, size, h, w)), (0, 1, 4, 2, 5, 3))
    return c.reshape(x, (n, left, h * size, w * size))


def _space_to_depth(c: Call) -> Value:
    x, size = c.x, c.attr("blocksize")
    n, channels, h, w = x.dims
    high, wide = h // size, w // size
    order = (0, 3, 5, 1, 2, 4) if c.attr("mode", "DCR") == "DCR" else (0, 1, 3, 5, 2, 4)
    x = c.transpose(c.reshape(x, (n, channels, high, size, wide, size)), order)
    return c.reshape(x, (n, channels * (size * size), high, wide))


ROWS = (
    Row("Shape", _shape),
    Row("Size", _size),
    Row("Reshape", _reshape, _reshape_numbers),
    Row("Flatten", _flatten),
    Row("Squeeze", _squeeze, lambda c, a: np.squeeze(a[0], _axes(c, 1))),
    Row("Unsqueeze", _unsqueeze, lambda c, a: np.expand_dims(a[0], _axes(c, 1) or ())),
    Row("Expand", _expand),
    Row("Identity", lambda c: c.inputs[0], lambda c, a: a[0]),
    Row("Dropout", _dropout),
    Row("Transpose", _transpose),
    Row("Concat", _concat, _concat_sizes),
    Row("Split", _split),
    Row("Slice", _slice, _slice_sizes),
    Row("Tile", _tile),
    Row("Range", _range),
    Row("ConstantOfShape", _constant_of_shape),
    Row("Constant", _constant),
    Row("EyeLike", _eye_like),
    Row("Trilu", _trilu),
    Row("Pad", _pad),
    Row("DepthToSpace", _depth_to_space),
    Row("SpaceToDepth", _space_to_depth),
)
