"""Steps of networks, as exporters write them: norms, activations, products, heads of attention, cells, pairs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.support.generators.graphs.growth import FLOATS, Growth, Step, Value
from tests.support.generators.graphs.operands import any_axis, fits, need, signed

MOST_INPUTS = 5
CACHED = (0, 1, 2, 3, 7, 8, 15, 16, 33)  # rows of a cache


def layer_norm(g: Growth, x: Value) -> None:
    """By an operator, or as the means, squares and roots that exporters write."""
    need(x.rank > 1 and x.dim(-1) is not None and x.dtype in FLOATS)
    n = x.dim(-1) or 0
    way = g.rng.choice(("whole", "parts", "rms"))
    if way == "whole":
        bias = [g.floats(n, like=x)] if g.chance(0.7) else []
        g.one("LayerNormalization", x, g.floats(n, like=x), *bias, axis=-1)
        return
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


def channel_norm(g: Growth, x: Value) -> None:
    """Of each channel, by its own numbers or given ones; or of groups of them, as exporters write that."""
    need(x.rank > 2 and x.dim(1) is not None and x.dtype in FLOATS)
    c = x.dim(1) or 0
    scale, shift = g.floats(c, like=x), g.floats(c, like=x)
    way = g.rng.choice(("instance", "batch", "group"))
    if way == "batch":
        g.one("BatchNormalization", x, scale, shift, g.floats(c, like=x), g.const(g.arrays.random(c) + 0.5, x.dtype))
        return
    need(all(math.prod(a.shape[2:]) > 2 for a in x.at))  # or nothing but its rounding is left of it
    if way == "instance":
        g.one("InstanceNormalization", x, scale, shift)
        return
    groups = g.rng.choice([k for k in range(1, c + 1) if c % k == 0] or [1])
    y = g.one("Reshape", x, g.ints(0, groups, -1))
    y = g.one("InstanceNormalization", y, g.floats(groups, like=x), g.floats(groups, like=x))
    y = g.one("Reshape", y, g.one("Shape", x))
    g.one("Mul", y, g.floats(c, *(1,) * (x.rank - 2), like=x))


def gelu(g: Growth, x: Value) -> None:
    """As the products around an error function, or around a tangent."""
    need(x.dtype in FLOATS)
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
    need(x.dtype in FLOATS)
    y = g.one("Mul", x, g.one("Sigmoid", x))
    if g.chance(0.3) and x.rank and x.dim(-1) is not None and (x.dim(-1) or 0) % 2 == 0:
        parts = g.node("Split", y, results=2, axis=-1, num_outputs=2)
        need(bool(parts))
        g.one("Mul", *parts)


def dense(g: Growth, x: Value) -> None:
    need(x.dtype in FLOATS and x.rank > 0 and x.dim(-1) is not None)
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
    need(x.dtype in FLOATS and x.rank >= 2)
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


def einsum(g: Growth, x: Value) -> None:
    need(x.dtype in FLOATS)
    letters = "abcdef"[: x.rank]
    need(x.rank in (2, 3, 4))
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


def attention(g: Growth, x: Value) -> None:
    """Heads of a layer's rows: projected, split, turned, multiplied, weighed, multiplied, joined."""
    need(x.dtype in FLOATS and x.rank == 3 and x.dim(-1) is not None)
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
        need(bool(alike))
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


def cache(g: Growth, x: Value) -> None:
    """What is made here, behind rows that come in, as decoders keep keys of tokens before; and heads that read both."""
    need(x.rank > 0 and len(g.inputs) < MOST_INPUTS)
    axis = g.rng.choice((max(x.rank - 2, 0), any_axis(g, x)))
    dims = g.dims(x)
    lengths = [g.rng.choice(CACHED) for _ in x.at]
    need(len(set(lengths)) > 1)
    past = g.input((*dims[:axis], g.symbol(lengths), *dims[axis + 1 :]), x.dtype)
    present = g.one("Concat", past, x, axis=signed(g, x, axis))
    if x.dtype in FLOATS and x.rank >= 2 and axis == x.rank - 2 and g.chance(0.6):
        turned = g.one("Transpose", present, perm=[*range(axis), axis + 1, axis])
        weights = g.one("Softmax", g.one("Div", g.one("MatMul", x, turned), g.const(4, x.dtype)), axis=-1)
        g.one("MatMul", weights, present)


def rotary(g: Growth, x: Value) -> None:
    """Halves of the last dimension that are turned into each other."""
    need(x.dtype in FLOATS and x.rank >= 2 and x.dim(-1) is not None and (x.dim(-1) or 0) % 2 == 0)
    n = x.dim(-1) or 0
    last = g.ints(-1)
    first = g.one("Slice", x, g.ints(0), g.ints(n // 2), last)
    second = g.one("Slice", x, g.ints(n // 2), g.ints((1 << 63) - 1), last)
    turned = g.one("Concat", g.one("Neg", second), first, axis=-1)
    alike = [v for v in g.values.values() if v.dtype == x.dtype and fits(v, x) and v.rank and v.dim(-1) == n]
    angle = g.rng.choice(alike)
    g.one("Add", g.one("Mul", x, g.one("Cos", angle)), g.one("Mul", turned, g.one("Sin", angle)))


def recurrent(g: Growth, x: Value) -> None:
    need(x.dtype == "float32" and x.rank == 3 and x.dim(-1) is not None)
    op = g.rng.choice(("LSTM", "GRU", "RNN"))
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[op]
    way = g.rng.choice(("forward", "reverse", "bidirectional"))
    d, h, c = 2 if way == "bidirectional" else 1, g.rng.choice((1, 3, 4, 8)), x.dim(-1) or 0
    w = g.floats(d, gates * h, c, scale=1 / math.sqrt(max(c, 1)))
    r = g.floats(d, gates * h, h, scale=1 / math.sqrt(h))
    bias = [g.floats(d, 2 * gates * h)] if g.chance(0.7) else []
    words: dict[str, Any] = {"linear_before_reset": g.rng.randrange(2)} if op == "GRU" else {}
    found = g.node(op, x, w, r, *bias, results=3 if op == "LSTM" else 2, hidden_size=h, direction=way, **words)
    need(bool(found))
    if g.chance(0.5):
        y = g.one("Transpose", found[0], perm=[0, 2, 1, 3])
        g.one("Reshape", y, g.ints(0, 0, -1))


def narrow(g: Growth, x: Value) -> None:
    """Quantised and back, or a product of integers between."""
    need(x.dtype == "float32" and x.rank >= 2)
    way = g.rng.choice(("pair", "dynamic"))
    if way == "pair":
        dtype = g.rng.choice(("uint8", "int8"))
        scale, zero = g.const(0.05, "float32"), g.const(g.rng.choice((0, 3)), dtype)
        g.one("DequantizeLinear", g.one("QuantizeLinear", x, scale, zero), scale, zero)
    else:
        need(x.dim(-1) is not None)
        found = g.node("DynamicQuantizeLinear", x, results=3)
        need(bool(found))
        w = g.const(g.arrays.integers(-100, 100, (x.dim(-1) or 0, 8)), "int8")
        y = g.one("MatMulInteger", found[0], w, found[2])
        g.one("Mul", g.one("Cast", y, to=1), g.one("Mul", found[1], g.const(0.01, "float32")))


STEPS: dict[Step, int] = {
    layer_norm: 3, channel_norm: 2, gelu: 2, silu: 2, dense: 8, product: 3, einsum: 1, attention: 5, rotary: 2,
    recurrent: 2, narrow: 2, cache: 1,
}  # fmt: skip
