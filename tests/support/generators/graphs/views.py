"""Steps that move elements: views, parts, repetitions, lookups, and what is made of sizes."""

from __future__ import annotations

import numpy as np
import onnx

from tests.support.generators.graphs.growth import FLOATS, Growth, Step, Value
from tests.support.generators.graphs.operands import any_axis, fits, need, signed


def transpose(g: Growth, x: Value) -> None:
    need(x.rank > 0)
    g.one("Transpose", x, perm=g.rng.sample(range(x.rank), x.rank))


def reshape(g: Growth, x: Value) -> None:
    """By a shape that is constant, or computed of dimensions."""
    need(x.rank > 0)
    way = g.rng.choice(("flat", "merge", "split", "computed", "flatten", "turned"))
    if way == "flat":
        g.one("Reshape", x, g.ints(*g.rng.choice(((-1,), (1, -1), (-1, 1)))))
    elif way == "flatten":
        g.one("Flatten", x, axis=g.rng.randint(0, x.rank))
    elif way == "merge":
        need(x.rank > 1)
        at = g.rng.randrange(x.rank - 1)
        g.one("Reshape", x, g.ints(*([0] * at), -1, *_rest(x, at + 2)))
    elif way == "split":
        at = g.rng.randrange(x.rank)
        n = x.dim(at)
        need(n is not None and n > 1 and x.rank < 5)
        factors = [k for k in range(1, (n or 0) + 1) if (n or 0) % k == 0]
        k = g.rng.choice(factors)
        g.one("Reshape", x, g.ints(*([0] * at), k, (n or 0) // k, *_rest(x, at + 1)))
    elif way == "turned":
        order = g.rng.sample(range(x.rank), x.rank)
        y = g.one("Transpose", x, perm=order)
        y = g.one("Reshape", y, g.ints(*g.rng.choice(((-1,), (0, -1)))))
    else:
        sizes = g.one("Shape", x)
        at = g.rng.randrange(x.rank)
        parts = [g.one("Gather", sizes, g.ints(i), axis=0) for i in range(x.rank)]
        if x.rank > 1 and g.chance(0.5):
            at = g.rng.randrange(x.rank - 1)
            parts[at : at + 2] = [g.one("Mul", parts[at], parts[at + 1])]
        elif g.chance(0.5):
            parts[at] = g.ints(-1)
        else:
            parts.insert(at, g.ints(1))
        g.one("Reshape", x, g.one("Concat", *parts, axis=0) if len(parts) > 1 else parts[0])


def _rest(x: Value, start: int) -> list[int]:
    """Dimensions from here on, which must be known as another one is -1 or they are moved."""
    found = [x.dim(i) for i in range(start, x.rank)]
    need(None not in found)
    return [d or 0 for d in found]


def squeeze(g: Growth, x: Value) -> None:
    ones = [i for i in range(x.rank) if x.dim(i) == 1]
    if ones and g.chance(0.5):
        g.one("Squeeze", x, g.ints(g.rng.choice(ones)))
    else:
        g.one("Unsqueeze", x, g.ints(g.rng.randint(-x.rank - 1, x.rank)))


def concat(g: Growth, x: Value) -> None:
    axis = any_axis(g, x)

    def joins(v: Value) -> bool:
        return (
            v.dtype == x.dtype
            and v.rank == x.rank
            and all(
                np.delete(a.shape, axis).tolist() == np.delete(b.shape, axis).tolist()
                for a, b in zip(v.at, x.at, strict=True)
            )
        )

    others = [v for v in g.values.values() if not v.is_const and joins(v)]
    parts = [x, *(g.rng.choice(others) for _ in range(g.rng.randint(1, 2)))]
    g.rng.shuffle(parts)
    g.one("Concat", *parts, axis=signed(g, x, axis))


def split(g: Growth, x: Value) -> None:
    axis = any_axis(g, x)
    n = x.dim(axis)
    if n is not None and n > 1 and g.chance(0.6):
        cut = g.rng.randint(1, n - 1)
        parts = g.node("Split", x, g.ints(cut, n - cut), results=2, axis=signed(g, x, axis))
    else:
        parts = g.node("Split", x, results=2, axis=signed(g, x, axis), num_outputs=2)
    need(bool(parts))
    if g.chance(0.5) and fits(*parts):
        g.one("Add" if x.dtype != "bool" else "And", *parts)


def slice_(g: Growth, x: Value) -> None:
    axis = any_axis(g, x)
    least = x.least(axis)
    way = g.rng.choice(("const", "negative", "back", "step", "computed"))
    whole = (1 << 63) - 1
    if way == "const":
        start = g.rng.randint(0, max(least - 1, 0))
        stop = g.rng.choice((start + 1, least, whole, least + 3))
        g.one("Slice", x, g.ints(start), g.ints(stop), g.ints(signed(g, x, axis)))
    elif way == "negative":
        g.one("Slice", x, g.ints(-g.rng.randint(1, max(least, 1))), g.ints(whole), g.ints(axis))
    elif way == "back":
        g.one("Slice", x, g.ints(-1), g.ints(-whole), g.ints(axis), g.ints(-g.rng.randint(1, 2)))
    elif way == "step":
        g.one("Slice", x, g.ints(g.rng.randint(0, 1)), g.ints(whole), g.ints(axis), g.ints(g.rng.randint(2, 3)))
    else:
        size = g.one("Gather", g.one("Shape", x), g.ints(axis), axis=0)
        half = g.one("Div", size, g.ints(2)) if g.chance(0.5) else g.one("Sub", size, g.ints(1))
        if g.chance(0.5):
            g.one("Slice", x, g.ints(0), half, g.ints(axis))
        else:
            g.one("Slice", x, half, size, g.ints(axis))


def gather(g: Growth, x: Value) -> None:
    axis = any_axis(g, x)
    least = x.least(axis)
    need(least > 0)
    way = g.rng.choice(("one", "some", "elements", "found", "nd"))
    if way == "one":
        g.one("Gather", x, g.const(g.rng.randint(-least, least - 1), "int64"), axis=axis)
    elif way == "some":
        shape = g.rng.choice(((2,), (3,), (2, 2), (5,)))
        g.one("Gather", x, g.const(g.arrays.integers(-least, least, shape), "int64"), axis=signed(g, x, axis))
    elif way == "elements":
        found = g.node("TopK", x, g.ints(g.rng.randint(1, least)), results=2, axis=axis)
        need(bool(found))
        g.one("GatherElements", x, found[1], axis=axis)
    elif way == "nd":
        need(x.rank > 1)
        where = g.arrays.integers(0, [max(x.least(0), 1), max(x.least(1), 1)], (g.rng.randint(1, 4), 2))
        g.one("GatherND", x, g.const(where, "int64"))
    else:
        best = g.one("ArgMax", x, axis=axis, keepdims=0)
        table = g.floats(max(a.shape[axis] for a in x.at), 4)
        g.one("Gather", table, best, axis=0)


def scatter(g: Growth, x: Value) -> None:
    need(x.rank > 0 and x.least(0) > 0 and x.dtype != "bool")
    way = g.rng.choice(("elements", "nd"))
    how = g.rng.choice(("none", "add", "max"))
    if way == "nd":
        rows = g.rng.sample(range(x.least(0)), g.rng.randint(1, min(2, x.least(0))))
        shapes = {a.shape[1:] for a in x.at}
        need(len(shapes) == 1)
        updates = g.const(g.numbers((len(rows), *shapes.pop()), x.dtype))
        g.one("ScatterND", x, g.const([[r] for r in rows], "int64"), updates, reduction=how)
    else:
        axis = any_axis(g, x)
        best = g.node("TopK", x, g.ints(g.rng.randint(1, max(x.least(axis), 1))), results=2, axis=axis)
        need(bool(best))
        g.one("ScatterElements", x, best[1], g.one("Neg", best[0]), axis=axis, reduction=how)


def expand(g: Growth, x: Value) -> None:
    alike = [v for v in g.values.values() if not v.is_const and v.rank >= x.rank and fits(v, x)]
    way = g.rng.choice(("like", "ones", "tile"))
    if way == "like" and alike:
        g.one("Expand", x, g.one("Shape", g.rng.choice(alike)))
    elif way == "tile":
        need(x.rank > 0)
        g.one("Tile", x, g.ints(*(g.rng.choice((1, 1, 2, 3)) for _ in range(x.rank))))
    else:
        g.one("Expand", x, g.ints(*((g.rng.choice((1, 2, 3)),) if g.chance(0.5) else ()), *(1,) * x.rank))


def pad(g: Growth, x: Value) -> None:
    need(x.rank > 0)
    mode = g.rng.choice(("constant", "constant", "reflect", "edge", "wrap"))
    low = [g.rng.choice((0, 0, 1, 2)) for _ in range(x.rank)]
    high = [g.rng.choice((0, 0, 1, 3)) for _ in range(x.rank)]
    if mode == "constant" and g.chance(0.2):
        low = [g.rng.choice((0, -1)) if x.least(i) > 2 else 0 for i in range(x.rank)]
    filled = [g.const(g.rng.choice((0, 1)), x.dtype)] if mode == "constant" and g.chance(0.6) else []
    if mode in ("reflect", "wrap"):
        low, high = ([min(n, max(x.least(i) - 1, 0)) for i, n in enumerate(side)] for side in (low, high))
    g.one("Pad", x, g.ints(*low, *high), *filled, mode=mode)


def sized(g: Growth, x: Value) -> None:
    """What is made of a dimension: positions, a filled tensor, a number that others are scaled by."""
    axis = any_axis(g, x)
    size = g.one("Gather", g.one("Shape", x), g.const(axis, "int64"), axis=0)
    way = g.rng.choice(("range", "filled", "scale", "eye"))
    if way == "range":
        row = g.one("Range", g.const(0, "int64"), size, g.const(1, "int64"))
        if axis == x.rank - 1 and x.dtype in FLOATS:
            g.one("Add", x, g.one("Cast", row, to=1 if x.dtype == "float32" else 10))
    elif way == "filled":
        shape = g.one("Concat", g.one("Unsqueeze", size, g.ints(0)), g.ints(3), axis=0)
        filled = onnx.numpy_helper.from_array(np.array([1.5], np.float32))
        g.one("ConstantOfShape", shape, value=filled)
    elif way == "scale":
        need(x.dtype == "float32")
        g.one("Div", x, g.one("Cast", size, to=1))
    else:
        need(x.rank == 2)
        g.one(
            "Trilu",
            x,
            *([g.const(g.rng.choice((-1, 0, 1)), "int64")] if g.chance(0.6) else []),
            upper=g.rng.randrange(2),
        )


STEPS: dict[Step, int] = {
    transpose: 5, reshape: 7, squeeze: 3, concat: 4, split: 3, slice_: 5, gather: 4, scatter: 2,
    expand: 3, pad: 3, sized: 3,
}  # fmt: skip
