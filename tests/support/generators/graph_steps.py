"""Steps that a random graph grows by: single operators, and those groups of them that exporters write for one idea."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

import numpy as np
import onnx

from tests.support.generators.grown_graphs import FLOATS, Dim, Dropped, Grown, Growth, Value

Step = Callable[[Growth, Value], object]

SMOOTH = (
    "Tanh",
    "Sigmoid",
    "Relu",
    "Neg",
    "Abs",
    "Erf",
    "Softplus",
    "Softsign",
    "Elu",
    "Selu",
    "Celu",
    "Mish",
    "HardSwish",
)
SMOOTH += (
    "HardSigmoid",
    "LeakyRelu",
    "Sin",
    "Cos",
    "Identity",
    "Gelu",
    "Exp",
    "Sqrt",
    "Log",
    "Reciprocal",
    "Floor",
    "Ceil",
)
SMOOTH += ("Round", "Sign", "ThresholdedRelu", "Shrink", "Atan", "Sinh", "Cosh", "Tan", "Asinh")
BINARY = ("Add", "Sub", "Mul", "Div", "Max", "Min")
COMPARED = ("Less", "Greater", "Equal", "LessOrEqual", "GreaterOrEqual")
REDUCED = ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL2", "ReduceL1", "ReduceSumSquare", "ReduceProd")
REDUCED += ("ReduceLogSumExp", "ReduceLogSum")
WHOLE_REDUCED = ("ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd")


def _need(holds: bool) -> None:
    if not holds:
        raise Dropped


def _axis(g: Growth, x: Value) -> int:
    _need(x.rank > 0)
    return g.rng.randrange(x.rank)


def _signed(g: Growth, x: Value, axis: int) -> int:
    return axis - x.rank if g.chance(0.4) else axis


def _other(g: Growth, x: Value) -> Value:
    """Another operand that may broadcast with this one: a value of before, or a constant."""
    alike = [v for v in g.values.values() if v.dtype == x.dtype and v is not x and not v.is_const and fits(v, x)]
    if alike and g.chance(0.6):
        return g.rng.choice(alike)
    shapes: list[tuple[int, ...]] = [()]
    if x.rank and x.dim(-1) is not None:
        shapes.append((x.dim(-1) or 0,))
    if x.rank >= 2 and x.dim(1) is not None:
        shapes.append((x.dim(1) or 0, *(1,) * (x.rank - 2)))
    shape = g.rng.choice(shapes)
    if x.dtype in FLOATS:
        return g.floats(*shape, like=x)
    return g.const(g.numbers(shape, x.dtype))


def fits(a: Value, b: Value) -> bool:
    try:
        for one, other in zip(a.at, b.at, strict=True):
            np.broadcast_shapes(one.shape, other.shape)
    except ValueError:
        return False
    return True


def smooth(g: Growth, x: Value) -> None:
    _need(x.dtype in FLOATS)
    op = g.rng.choice(SMOOTH)
    if op in ("Sqrt", "Log", "Reciprocal"):
        x = g.one("Abs", x)
        x = g.one("Add", x, g.const(0.5, x.dtype))
    g.one(op, x)


def binary(g: Growth, x: Value) -> None:
    _need(x.dtype != "bool")
    op, other = g.rng.choice(BINARY), _other(g, x)
    g.one(op, *((x, other) if g.chance(0.7) else (other, x)))


def power(g: Growth, x: Value) -> None:
    _need(x.dtype in FLOATS)
    by = g.rng.choice((2.0, 3.0, 0.5, -0.5, 1.0, 4.0))
    if by != int(by):
        x = g.one("Add", g.one("Abs", x), g.const(0.3, x.dtype))
    g.one("Pow", x, g.const(by, x.dtype))


def compare(g: Growth, x: Value) -> None:
    _need(x.dtype != "bool")
    found = g.one(g.rng.choice(COMPARED), x, _other(g, x))
    then = g.rng.choice(("where", "cast", "not", "stop"))
    if then == "where":
        g.one("Where", found, x, _other(g, x))
    elif then == "cast":
        g.one("Cast", found, to=g.rng.choice((1, 6, 7)))
    elif then == "not":
        g.one("Not", found)


def logical(g: Growth, x: Value) -> None:
    _need(x.dtype == "bool")
    others = [v for v in g.values.values() if v.dtype == "bool" and fits(v, x)]
    g.one(g.rng.choice(("And", "Or", "Xor")), x, g.rng.choice(others))


def clip(g: Growth, x: Value) -> None:
    _need(x.dtype != "bool")
    low = g.const(-1, x.dtype) if g.chance(0.7) and not x.dtype.startswith("u") else None
    high = g.const(2, x.dtype) if low is None or g.chance(0.7) else None
    g.one("Clip", x, low, *([high] if high else []))


def cast(g: Growth, x: Value) -> None:
    to = g.rng.choice((1, 1, 1, 10, 6, 7, 9, 3, 2, 11))
    if x.dtype in FLOATS and to in (3, 2):
        x = g.one("Clip", x, g.const(0, x.dtype), g.const(100, x.dtype))
    made = g.one("Cast", x, to=to)
    if made.dtype in ("float16", "float64", "uint8", "int8") and g.chance(0.7):
        g.one("Cast", made, to=1)


def reduce(g: Growth, x: Value) -> None:
    _need(x.rank > 0 and x.dtype != "bool")
    op = g.rng.choice(REDUCED if x.dtype in FLOATS else WHOLE_REDUCED)
    if op == "ReduceLogSum":
        x = g.one("Add", g.one("Abs", x), g.const(1, x.dtype))
    axes = [_signed(g, x, a) for a in g.rng.sample(range(x.rank), g.rng.randint(1, min(2, x.rank)))]
    given = [g.ints(*axes)] if g.chance(0.9) else []
    g.one(op, x, *given, keepdims=g.rng.randrange(2))


def arg(g: Growth, x: Value) -> None:
    axis = _axis(g, x)
    g.one(g.rng.choice(("ArgMax", "ArgMin")), x, axis=_signed(g, x, axis), keepdims=g.rng.randrange(2))


def softmax(g: Growth, x: Value) -> None:
    g.one(g.rng.choice(("Softmax", "Softmax", "LogSoftmax")), x, axis=_signed(g, x, _axis(g, x)))


def layer_norm(g: Growth, x: Value) -> None:
    """By an operator, or as the means, squares and roots that exporters write."""
    _need(x.rank > 1 and x.dim(-1) is not None and x.dtype in FLOATS)
    n = x.dim(-1) or 0
    way = g.rng.choice(("whole", "parts", "rms", "instance", "batch", "group"))
    if way == "whole":
        bias = [g.floats(n, like=x)] if g.chance(0.7) else []
        g.one("LayerNormalization", x, g.floats(n, like=x), *bias, axis=-1)
    elif way in ("parts", "rms"):
        at = g.ints(-1)
        mean = g.one("ReduceMean", x, at)
        centred = g.one("Sub", x, mean) if way == "parts" else x
        square = g.one("Pow", centred, g.const(2, x.dtype)) if g.chance(0.5) else g.one("Mul", centred, centred)
        variance = g.one("ReduceMean", square, at)
        root = g.one("Sqrt", g.one("Add", variance, g.const(1e-3, x.dtype)))
        y = g.one("Div", centred, root) if g.chance(0.5) else g.one("Mul", centred, g.one("Reciprocal", root))
        if g.chance(0.7):
            y = g.one("Mul", y, g.floats(n, like=x)) if g.chance(0.5) else g.one("Mul", g.floats(n, like=x), y)
            if g.chance(0.7):
                g.one("Add", y, g.floats(n, like=x))
    else:
        _need(x.rank > 2 and x.dim(1) is not None)
        c = x.dim(1) or 0
        scale, bias = g.floats(c, like=x), g.floats(c, like=x)
        if way == "instance":
            _need(all(math.prod(a.shape[2:]) > 2 for a in x.at))  # or nothing but its rounding is left of it
            g.one("InstanceNormalization", x, scale, bias)
        elif way == "batch":
            mean, var = g.floats(c, like=x), g.const(g.arrays.random(c) + 0.5, x.dtype)
            g.one("BatchNormalization", x, scale, bias, mean, var)
        else:
            _need(all(math.prod(a.shape[1:]) > 2 * c for a in x.at))
            groups = g.rng.choice([k for k in range(1, c + 1) if c % k == 0] or [1])
            if g.chance(0.5):
                shaped = g.one("Reshape", x, g.ints(0, groups, -1))
                y = g.one("InstanceNormalization", shaped, g.floats(groups, like=x), g.floats(groups, like=x))
                y = g.one("Reshape", y, g.one("Shape", x))
                g.one("Mul", y, g.floats(c, *(1,) * (x.rank - 2), like=x))
            else:
                grown = g.one("Reshape", x, g.ints(0, groups, -1))
                g.one("Softmax", grown, axis=-1)


def gelu(g: Growth, x: Value) -> None:
    """As the products around an error function, or around a tangent."""
    _need(x.dtype in FLOATS)
    if g.chance(0.5):
        inner = g.one("Erf", g.one("Div", x, g.const(math.sqrt(2), x.dtype)))
        y = g.one("Mul", x, g.one("Add", inner, g.const(1, x.dtype)))
        g.one("Mul", y, g.const(0.5, x.dtype))
    else:
        cube = g.one("Pow", x, g.const(3, x.dtype))
        inner = g.one("Add", x, g.one("Mul", cube, g.const(0.044715, x.dtype)))
        inner = g.one("Tanh", g.one("Mul", inner, g.const(math.sqrt(2 / math.pi), x.dtype)))
        g.one("Mul", g.one("Mul", g.const(0.5, x.dtype), x), g.one("Add", g.const(1, x.dtype), inner))


def silu(g: Growth, x: Value) -> None:
    _need(x.dtype in FLOATS)
    y = g.one("Mul", x, g.one("Sigmoid", x))
    if g.chance(0.3) and x.rank and x.dim(-1) is not None and (x.dim(-1) or 0) % 2 == 0:
        parts = g.node("Split", y, results=2, axis=-1, num_outputs=2)
        _need(bool(parts))
        g.one("Mul", *parts)


def dense(g: Growth, x: Value) -> None:
    _need(x.dtype in FLOATS and x.rank > 0 and x.dim(-1) is not None)
    k, n = x.dim(-1) or 0, g.rng.choice((1, 2, 3, 4, 8, 15, 16, 17, 24, 32, 33))
    scale = 1 / math.sqrt(max(k, 1))
    if x.rank == 2 and g.chance(0.3):
        flipped = g.rng.randrange(2)
        w = g.floats(*((n, k) if flipped else (k, n)), like=x, scale=scale)
        bias = [g.floats(*g.rng.choice(((n,), (1, n), (), (1,))), like=x)] if g.chance(0.7) else []
        alpha, beta = g.rng.choice(((1.0, 1.0), (0.5, 1.0), (1.0, 2.0)))
        y = g.one("Gemm", x, w, *bias, transB=flipped, alpha=alpha, beta=beta)
    else:
        y = g.one("MatMul", x, g.floats(k, n, like=x, scale=scale))
        if g.chance(0.6):
            bias_, swapped = g.floats(n, like=x), g.chance(0.5)
            y = g.one("Add", *((bias_, y) if swapped else (y, bias_)))
    if g.chance(0.5):
        g.one(g.rng.choice(("Relu", "Tanh", "Sigmoid", "Gelu", "HardSwish")), y)


def product(g: Growth, x: Value) -> None:
    """Of two values, one of which may be the other the other way round."""
    _need(x.dtype in FLOATS and x.rank >= 2)
    others = [v for v in g.values.values() if v.dtype == x.dtype and not v.is_const and v.rank >= 2]
    g.rng.shuffle(others)
    fitting = [v for v in others if all(a.shape[-1] == b.shape[-2] for a, b in zip(x.at, v.at, strict=True))]
    if fitting and g.chance(0.5):
        g.one("MatMul", x, fitting[0])
        return
    order = [*range(x.rank - 2), x.rank - 1, x.rank - 2]
    turned = g.one("Transpose", x, perm=order)
    y = g.one("MatMul", *((x, turned) if g.chance(0.6) else (turned, x)))
    y = g.one("Div", y, g.const(g.rng.choice((2.0, 4.0, 8.0)), x.dtype))
    if g.chance(0.5):
        y = g.one("Softmax", y, axis=-1)
        if g.chance(0.5):
            g.one("MatMul", y, x)


def attention(g: Growth, x: Value) -> None:
    """Heads of a layer's rows: projected, split, turned, multiplied, weighed, multiplied, joined."""
    _need(x.dtype in FLOATS and x.rank == 3 and x.dim(-1) is not None)
    heads, width = g.rng.choice((1, 2, 3)), g.rng.choice((2, 4, 8))
    c = x.dim(-1) or 0

    def projected(of: Value) -> Value:
        y = g.one("MatMul", of, g.floats(c, heads * width, like=x, scale=1 / math.sqrt(max(c, 1))))
        if g.chance(0.6):
            y = g.one("Add", y, g.floats(heads * width, like=x))
        return y

    def split(y: Value) -> Value:
        return g.one("Reshape", y, g.ints(0, 0, heads, width))

    q, k, v = (projected(x) for _ in range(3))
    q, v = (g.one("Transpose", split(y), perm=[0, 2, 1, 3]) for y in (q, v))
    if g.chance(0.5):
        turned = g.one("Transpose", split(k), perm=[0, 2, 3, 1])
    else:
        turned = g.one("Transpose", g.one("Transpose", split(k), perm=[0, 2, 1, 3]), perm=[0, 1, 3, 2])
    if g.chance(0.4):
        q = g.one("Mul", q, g.const(width**-0.5, x.dtype))
        scores = g.one("MatMul", q, turned)
    else:
        scores = g.one("Div", g.one("MatMul", q, turned), g.const(math.sqrt(width), x.dtype))
    mask = g.rng.choice(("none", "add", "causal", "where"))
    if mask == "add":
        alike = [m for m in g.values.values() if m.dtype == x.dtype and not m.is_const and fits(m, scores)]
        alike = [
            m for m in alike if all(np.broadcast(a, b).shape == b.shape for a, b in zip(m.at, scores.at, strict=True))
        ]
        _need(bool(alike))
        scores = g.one("Add", scores, g.rng.choice(alike))
    elif mask in ("causal", "where"):
        length = g.one("Gather", g.one("Shape", x), g.const(1, "int64"), axis=0)
        row = g.one("Range", g.const(0, "int64"), length, g.const(1, "int64"))
        seen = g.one("LessOrEqual", g.one("Unsqueeze", row, g.ints(0)), g.one("Unsqueeze", row, g.ints(1)))
        if mask == "where":
            scores = g.one("Where", seen, scores, g.const(-1e4, x.dtype))
        else:
            added = g.one("Where", seen, g.const(0, x.dtype), g.const(-1e4, x.dtype))
            scores = g.one("Add", scores, g.one("Unsqueeze", added, g.ints(0, 1)) if g.chance(0.5) else added)
    weights = g.one("Softmax", scores, axis=-1)
    y = g.one("Transpose", g.one("MatMul", weights, v), perm=[0, 2, 1, 3])
    y = g.one("Reshape", y, g.ints(0, 0, heads * width) if g.chance(0.5) else g.ints(0, 0, -1))
    if heads * width == c and g.chance(0.7):
        g.one("Add", x, y)


def rotary(g: Growth, x: Value) -> None:
    """Halves of the last dimension that are turned into each other."""
    _need(x.dtype in FLOATS and x.rank >= 2 and x.dim(-1) is not None and (x.dim(-1) or 0) % 2 == 0)
    n = x.dim(-1) or 0
    last = g.ints(-1)
    first = g.one("Slice", x, g.ints(0), g.ints(n // 2), last)
    second = g.one("Slice", x, g.ints(n // 2), g.ints((1 << 63) - 1), last)
    turned = g.one("Concat", g.one("Neg", second), first, axis=-1)
    alike = [v for v in g.values.values() if v.dtype == x.dtype and fits(v, x) and v.rank and v.dim(-1) == n]
    angle = g.rng.choice(alike)
    g.one("Add", g.one("Mul", x, g.one("Cos", angle)), g.one("Mul", turned, g.one("Sin", angle)))


def transpose(g: Growth, x: Value) -> None:
    _need(x.rank > 0)
    g.one("Transpose", x, perm=g.rng.sample(range(x.rank), x.rank))


def reshape(g: Growth, x: Value) -> None:
    """By a shape that is constant, or computed of dimensions."""
    _need(x.rank > 0)
    way = g.rng.choice(("flat", "merge", "split", "computed", "flatten", "turned"))
    if way == "flat":
        g.one("Reshape", x, g.ints(*g.rng.choice(((-1,), (1, -1), (-1, 1)))))
    elif way == "flatten":
        g.one("Flatten", x, axis=g.rng.randint(0, x.rank))
    elif way == "merge":
        _need(x.rank > 1)
        at = g.rng.randrange(x.rank - 1)
        g.one("Reshape", x, g.ints(*([0] * at), -1, *_rest(x, at + 2)))
    elif way == "split":
        at = g.rng.randrange(x.rank)
        n = x.dim(at)
        _need(n is not None and n > 1 and x.rank < 5)
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
    _need(None not in found)
    return [d or 0 for d in found]


def squeeze(g: Growth, x: Value) -> None:
    ones = [i for i in range(x.rank) if x.dim(i) == 1]
    if ones and g.chance(0.5):
        g.one("Squeeze", x, g.ints(g.rng.choice(ones)))
    else:
        g.one("Unsqueeze", x, g.ints(g.rng.randint(-x.rank - 1, x.rank)))


def concat(g: Growth, x: Value) -> None:
    axis = _axis(g, x)

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
    g.one("Concat", *parts, axis=_signed(g, x, axis))


def split(g: Growth, x: Value) -> None:
    axis = _axis(g, x)
    n = x.dim(axis)
    if n is not None and n > 1 and g.chance(0.6):
        cut = g.rng.randint(1, n - 1)
        parts = g.node("Split", x, g.ints(cut, n - cut), results=2, axis=_signed(g, x, axis))
    else:
        parts = g.node("Split", x, results=2, axis=_signed(g, x, axis), num_outputs=2)
    _need(bool(parts))
    if g.chance(0.5) and fits(*parts):
        g.one("Add" if x.dtype != "bool" else "And", *parts)


def slice_(g: Growth, x: Value) -> None:
    axis = _axis(g, x)
    least = x.least(axis)
    way = g.rng.choice(("const", "negative", "back", "step", "computed"))
    whole = (1 << 63) - 1
    if way == "const":
        start = g.rng.randint(0, max(least - 1, 0))
        stop = g.rng.choice((start + 1, least, whole, least + 3))
        g.one("Slice", x, g.ints(start), g.ints(stop), g.ints(_signed(g, x, axis)))
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
    axis = _axis(g, x)
    least = x.least(axis)
    _need(least > 0)
    way = g.rng.choice(("one", "some", "elements", "found", "nd"))
    if way == "one":
        g.one("Gather", x, g.const(g.rng.randint(-least, least - 1), "int64"), axis=axis)
    elif way == "some":
        shape = g.rng.choice(((2,), (3,), (2, 2), (5,)))
        g.one("Gather", x, g.const(g.arrays.integers(-least, least, shape), "int64"), axis=_signed(g, x, axis))
    elif way == "elements":
        best = g.node("TopK", x, g.ints(g.rng.randint(1, least)), results=2, axis=axis)
        _need(bool(best))
        g.one("GatherElements", x, best[1], axis=axis)
    elif way == "nd":
        _need(x.rank > 1)
        where = g.arrays.integers(0, [max(x.least(0), 1), max(x.least(1), 1)], (g.rng.randint(1, 4), 2))
        g.one("GatherND", x, g.const(where, "int64"))
    else:
        best = g.one("ArgMax", x, axis=axis, keepdims=0)
        table = g.floats(max(a.shape[axis] for a in x.at), 4)
        g.one("Gather", table, best, axis=0)


def scatter(g: Growth, x: Value) -> None:
    _need(x.rank > 0 and x.least(0) > 0 and x.dtype != "bool")
    way = g.rng.choice(("elements", "nd"))
    how = g.rng.choice(("none", "add", "max"))
    if way == "nd":
        rows = g.rng.sample(range(x.least(0)), g.rng.randint(1, min(2, x.least(0))))
        shapes = {a.shape[1:] for a in x.at}
        _need(len(shapes) == 1)
        updates = g.const(g.numbers((len(rows), *shapes.pop()), x.dtype))
        g.one("ScatterND", x, g.const([[r] for r in rows], "int64"), updates, reduction=how)
    else:
        axis = _axis(g, x)
        best = g.node("TopK", x, g.ints(g.rng.randint(1, max(x.least(axis), 1))), results=2, axis=axis)
        _need(bool(best))
        g.one("ScatterElements", x, best[1], g.one("Neg", best[0]), axis=axis, reduction=how)


def expand(g: Growth, x: Value) -> None:
    alike = [v for v in g.values.values() if not v.is_const and v.rank >= x.rank and fits(v, x)]
    way = g.rng.choice(("like", "ones", "tile"))
    if way == "like" and alike:
        g.one("Expand", x, g.one("Shape", g.rng.choice(alike)))
    elif way == "tile":
        _need(x.rank > 0)
        g.one("Tile", x, g.ints(*(g.rng.choice((1, 1, 2, 3)) for _ in range(x.rank))))
    else:
        g.one("Expand", x, g.ints(*((g.rng.choice((1, 2, 3)),) if g.chance(0.5) else ()), *(1,) * x.rank))


def pad(g: Growth, x: Value) -> None:
    _need(x.rank > 0)
    mode = g.rng.choice(("constant", "constant", "reflect", "edge", "wrap"))
    low = [g.rng.choice((0, 0, 1, 2)) for _ in range(x.rank)]
    high = [g.rng.choice((0, 0, 1, 3)) for _ in range(x.rank)]
    if mode == "constant" and g.chance(0.2):
        low = [g.rng.choice((0, -1)) if x.least(i) > 2 else 0 for i in range(x.rank)]
    filled = [g.const(g.rng.choice((0, 1)), x.dtype)] if mode == "constant" and g.chance(0.6) else []
    if mode in ("reflect", "wrap"):
        low, high = ([min(n, max(x.least(i) - 1, 0)) for i, n in enumerate(side)] for side in (low, high))
    g.one("Pad", x, g.ints(*low, *high), *filled, mode=mode)


def conv(g: Growth, x: Value) -> None:
    """One or two dimensions, in groups, with a norm or an activation behind."""
    _need(x.dtype in FLOATS and x.rank in (3, 4) and x.dim(1) is not None)
    c, spatial = x.dim(1) or 0, x.rank - 2
    groups = g.rng.choice([k for k in (1, 1, 2, c) if k and c % k == 0] or [1])
    out = groups * g.rng.choice((1, 2, 4, 8))
    kernel = [g.rng.choice((1, 2, 3, 3, 5)) for _ in range(spatial)]
    attributes: dict[str, object] = {"group": groups, "strides": [g.rng.choice((1, 1, 2)) for _ in range(spatial)]}
    if g.chance(0.3):
        attributes["auto_pad"] = g.rng.choice(("SAME_UPPER", "SAME_LOWER", "VALID"))
    else:
        attributes["pads"] = [g.rng.randint(0, k // 2) for k in kernel * 2]
        attributes["dilations"] = [g.rng.choice((1, 1, 2)) for _ in range(spatial)]
    scale = 1 / math.sqrt(max(1, c // groups * math.prod(kernel)))
    bias = [g.floats(out, like=x)] if g.chance(0.6) else []
    if g.chance(0.2):
        attributes.pop("auto_pad", None)
        shape = (c, max(1, out // groups), *kernel)
        bias = [g.floats(shape[1] * groups, like=x)] if bias else []
        g.one("ConvTranspose", x, g.floats(*shape, like=x, scale=scale), *bias, **attributes)
        return
    y = g.one("Conv", x, g.floats(out, c // groups, *kernel, like=x, scale=scale), *bias, **attributes)
    if g.chance(0.3):
        scale_, shift, mean = (g.floats(out, like=x) for _ in range(3))
        y = g.one("BatchNormalization", y, scale_, shift, mean, g.const(g.arrays.random(out) + 0.5, x.dtype))
    act = g.rng.choice(("none", "Relu", "HardSwish", "Sigmoid", "clip", "silu", "residual"))
    if act == "clip":
        y = g.one("Clip", y, g.const(0, x.dtype), g.const(6, x.dtype))
    elif act == "silu":
        y = g.one("Mul", y, g.one("Sigmoid", y))
    elif act == "residual":
        alike = [v for v in g.values.values() if v.dtype == y.dtype and not v.is_const and v is not y and fits(v, y)]
        if alike:
            y = g.one("Relu", g.one("Add", g.rng.choice(alike), y))
    elif act != "none":
        y = g.one(act, y)
    if g.chance(0.2):
        pooled = g.one("GlobalAveragePool", y)
        n = y.dim(1) or 0
        gate = g.one("Conv", pooled, g.floats(n, n, *(1,) * spatial, like=x, scale=1 / math.sqrt(n)))
        g.one("Mul", y, g.one("Sigmoid", gate))


def pool(g: Growth, x: Value) -> None:
    _need(x.dtype in FLOATS and x.rank in (3, 4))
    spatial = x.rank - 2
    kernel = [g.rng.choice((1, 2, 2, 3, 3, 5)) for _ in range(spatial)]
    attributes: dict[str, object] = {"kernel_shape": kernel, "strides": [g.rng.choice((1, 2, 2, 3)) for _ in kernel]}
    if g.chance(0.25):
        attributes["auto_pad"] = g.rng.choice(("SAME_UPPER", "SAME_LOWER", "VALID"))
        attributes["strides"] = [
            min(k, 2) for k in kernel
        ]  # where there is less than none to pad, it is cut away there
    else:
        attributes["pads"] = [g.rng.randint(0, (k - 1) // 2) for k in kernel * 2]
        attributes["ceil_mode"] = int(g.chance(0.3))
    _need(all(n >= k for a in x.at for n, k in zip(a.shape[2:], kernel, strict=True)))
    op = g.rng.choice(("MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool", "LpPool"))
    if op.startswith("Global"):
        g.one(op, x)
        return
    if op == "LpPool":
        attributes.pop("ceil_mode", None)
    if op == "AveragePool":
        attributes["count_include_pad"] = g.rng.randrange(2)
    g.one(op, x, **attributes)


def resize(g: Growth, x: Value) -> None:
    _need(x.dtype in FLOATS and x.rank in (3, 4) and x.least(2) > 0)
    spatial = x.rank - 2
    mode = g.rng.choice(("nearest", "linear", "cubic"))
    if mode == "cubic" and spatial != 2:
        mode = "linear"
    how = g.rng.choice(("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"))
    near = g.rng.choice(("floor", "round_prefer_floor", "ceil", "round_prefer_ceil"))
    words: dict[str, object] = {"mode": mode, "coordinate_transformation_mode": how}
    whole = how == "align_corners"  # of others onnxruntime counts elements of the result, the standard parts of them
    if mode == "nearest":
        words["nearest_mode"] = near
    if g.chance(0.6):
        scales = [
            1.0,
            1.0,
            *(g.rng.choice((2.0, 3.0, 1.0) if whole else (2.0, 2.0, 3.0, 0.5, 1.5, 1.0)) for _ in range(spatial)),
        ]
        g.one("Resize", x, None, g.const(scales, "float32"), **words)
    elif g.chance(0.5):
        _need(x.dim(0) is not None and x.dim(1) is not None)
        sizes = [x.dim(0) or 0, x.dim(1) or 0, *(g.rng.choice((1, 4, 7, 9)) for _ in range(spatial))]
        g.one("Resize", x, None, None, g.ints(*sizes), **words)
    else:
        shape = g.one("Shape", x)
        kept = g.one("Slice", shape, g.ints(0), g.ints(2), g.ints(0))
        grown = g.one("Mul", g.one("Slice", shape, g.ints(2), g.ints(x.rank), g.ints(0)), g.ints(*(2,) * spatial))
        g.one("Resize", x, None, None, g.one("Concat", kept, grown, axis=0), **words)


def blocks(g: Growth, x: Value) -> None:
    _need(x.rank == 4)
    if g.chance(0.5):
        g.one("DepthToSpace", x, blocksize=2, mode=g.rng.choice(("DCR", "CRD")))
    else:
        g.one("SpaceToDepth", x, blocksize=2)


def sized(g: Growth, x: Value) -> None:
    """What is made of a dimension: positions, a filled tensor, a number that others are scaled by."""
    axis = _axis(g, x)
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
        _need(x.dtype == "float32")
        g.one("Div", x, g.one("Cast", size, to=1))
    else:
        _need(x.rank == 2)
        g.one(
            "Trilu",
            x,
            *([g.const(g.rng.choice((-1, 0, 1)), "int64")] if g.chance(0.6) else []),
            upper=g.rng.randrange(2),
        )


def sort(g: Growth, x: Value) -> None:
    axis = _axis(g, x)
    way = g.rng.choice(("top", "sum", "hot"))
    if way == "top":
        _need(x.least(axis) > 0)
        k = g.ints(g.rng.randint(1, x.least(axis)))
        _need(bool(g.node("TopK", x, k, results=2, axis=axis, largest=g.rng.randrange(2))))
    elif way == "sum":
        at = g.const(axis, "int64")
        g.one("CumSum", x, at, exclusive=g.rng.randrange(2), reverse=g.rng.randrange(2))
    else:
        best = g.one("ArgMax", x, axis=axis, keepdims=0)
        g.one("OneHot", best, g.const(5, "int64"), g.const([0.0, 1.0], "float32"), axis=g.rng.choice((-1, 0)))


def recurrent(g: Growth, x: Value) -> None:
    _need(x.dtype == "float32" and x.rank == 3 and x.dim(-1) is not None)
    op = g.rng.choice(("LSTM", "GRU", "RNN"))
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[op]
    way = g.rng.choice(("forward", "reverse", "bidirectional"))
    d, h, c = 2 if way == "bidirectional" else 1, g.rng.choice((1, 3, 4, 8)), x.dim(-1) or 0
    w = g.floats(d, gates * h, c, scale=1 / math.sqrt(max(c, 1)))
    r = g.floats(d, gates * h, h, scale=1 / math.sqrt(h))
    bias = [g.floats(d, 2 * gates * h)] if g.chance(0.7) else []
    words: dict[str, object] = {"hidden_size": h, "direction": way}
    if op == "GRU":
        words["linear_before_reset"] = g.rng.randrange(2)
    found = g.node(op, x, w, r, *bias, results=3 if op == "LSTM" else 2, **words)
    _need(bool(found))
    if g.chance(0.5):
        y = g.one("Transpose", found[0], perm=[0, 2, 1, 3])
        g.one("Reshape", y, g.ints(0, 0, -1))


def narrow(g: Growth, x: Value) -> None:
    """Quantised and back, or a product of integers between."""
    _need(x.dtype == "float32" and x.rank >= 2)
    way = g.rng.choice(("pair", "dynamic"))
    if way == "pair":
        dtype = g.rng.choice(("uint8", "int8"))
        scale, zero = g.const(0.05, "float32"), g.const(g.rng.choice((0, 3)), dtype)
        g.one("DequantizeLinear", g.one("QuantizeLinear", x, scale, zero), scale, zero)
    else:
        _need(x.dim(-1) is not None)
        found = g.node("DynamicQuantizeLinear", x, results=3)
        _need(bool(found))
        w = g.const(g.arrays.integers(-100, 100, (x.dim(-1) or 0, 8)), "int8")
        y = g.one("MatMulInteger", found[0], w, found[2])
        g.one("Mul", g.one("Cast", y, to=1), g.one("Mul", found[1], g.const(0.01, "float32")))


def einsum(g: Growth, x: Value) -> None:
    _need(x.dtype in FLOATS)
    letters = "abcdef"[: x.rank]
    _need(x.rank in (2, 3, 4))
    text = g.rng.choice(
        (
            f"{letters}->{letters[::-1]}",
            f"{letters},{letters}->{letters[:-1]}",
            f"{letters},{letters[:-1]}z->{letters[:-2]}{letters[-1]}z",
            f"{letters},{letters[:-2]}z{letters[-1]}->{letters[:-1]}z",
        )
    )
    count = text.split("->")[0].count(",") + 1
    g.one("Einsum", *(x,) * count, equation=text)


STEPS: dict[Step, int] = {
    smooth: 8, binary: 10, power: 1, compare: 4, logical: 1, clip: 2, cast: 3, reduce: 5, arg: 1, softmax: 3,
    layer_norm: 4, gelu: 2, silu: 2, dense: 8, product: 3, attention: 5, rotary: 2, transpose: 5, reshape: 7,
    squeeze: 3, concat: 4, split: 3, slice_: 5, gather: 4, scatter: 2, expand: 3, pad: 3, conv: 7, pool: 3,
    resize: 3, blocks: 1, sized: 3, sort: 2, recurrent: 2, narrow: 2, einsum: 1,
}  # fmt: skip
NAMES = tuple(step.__name__.rstrip("_") for step in STEPS)
INPUTS: tuple[tuple[Dim, ...], ...] = (
    ("n", 8), ("n", 16), ("b", "n", 8), ("b", "n", 12), (1, "n", 16), ("b", 4, "n", "m"), (1, 3, "n", "m"),
    ("b", 8, "n"), ("n", "m"), ("n",), ("b", "n", "m"), (2, "n", 6), ("b", 4, 7, 7), ("n", "n"), ("m", 8),
    ("b", 1, "n"),
)  # fmt: skip
SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 23, 31, 32, 33)
WAYS = 3  # sizes of a case
TRIES = 12  # of steps, for each that is asked for


def any_sizes(rng: random.Random) -> list[dict[str, int]]:
    """Of the three symbols, in so many ways: never all the same, as such a dimension would look constant."""
    found: dict[str, list[int]] = {}
    for name in "bnm":
        most = 4 if name == "b" else 33
        while len(set(drawn := [rng.choice([s for s in SIZES if s <= most]) for _ in range(WAYS)])) == 1:
            pass
        found[name] = drawn
    return [{name: sizes[i] for name, sizes in found.items()} for i in range(WAYS)]


def any_graph(rng: random.Random, steps: int, names: Sequence[str] = ()) -> Grown:
    """A graph of about so many steps, each at what was made last or anything before. `names` are the steps it has."""
    g = Growth(rng, any_sizes(rng))
    for _ in range(rng.choice((1, 1, 2, 2, 3))):
        g.input(rng.choice(INPUTS), "float16" if g.chance(0.06) else "int64" if g.chance(0.04) else "float32")
    table = {
        step: weight for name, (step, weight) in zip(NAMES, STEPS.items(), strict=True) if not names or name in names
    }
    for _ in range(steps):
        for _ in range(TRIES):
            (step,) = rng.choices(list(table), list(table.values()))
            before = len(g.nodes)
            shown = [v for v in g.values.values() if not v.is_const]
            x = shown[-1] if g.chance(0.5) else rng.choice(shown)
            with g.whole():
                step(g, x)
            if len(g.nodes) > before:
                break
    return g.grown()
