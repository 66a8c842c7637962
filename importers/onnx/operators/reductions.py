"""ONNX's reductions, softmaxes, normalisations and running sums."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.onnx.operators.windows import of_channels
from anytile.importers.onnx.proto.call import Call, Row, Signature
from anytile.schedules.index.expr import const


def _axes(c: Call) -> tuple[int, ...] | None:
    """Axes that go, rising; None where nothing is reduced."""
    x = c.x
    if c.attr("axes") is not None:
        axes = c.ints("axes")
    else:
        given = c.maybe(1)
        axes = () if given is None else c.whole(given, "axes")
    if not axes:
        return None if c.attr("noop_with_empty_axes") else tuple(range(x.rank))
    return tuple(sorted({c.axis(a, x.rank) for a in axes}))


def _reduced(c: Call, name: str, x: Value, axes: tuple[int, ...], keepdims: bool) -> Value:
    """An operator over axes; a scalar is seen as one element."""
    if not x.rank:
        return c.reshape(c.do(name, c.reshape(x, (1,)), axis=(0,)), ())
    return c.do(name, x, axis=axes, keepdims=keepdims)


def _reduction(
    name: str,
    before: Callable[[Call, Value], Value] = lambda c, x: x,
    after: Callable[[Call, Value], Value] = lambda c, x: x,
) -> Callable[[Call], Value]:
    def means(c: Call) -> Value:
        x, axes = before(c, c.x), _axes(c)
        if axes is None:
            return after(c, x)
        return after(c, _reduced(c, name, x, axes, bool(c.attr("keepdims", 1))))

    return means


def _truth(name: str) -> Callable[[Call], Value]:
    """The extreme of truths is that of 0 and 1."""
    plain = _reduction(name)

    def means(c: Call) -> Value:
        if c.x.dtype != "bool":
            return plain(c)
        x, axes = c.cast(c.x, "int32"), _axes(c)
        made = x if axes is None else _reduced(c, name, x, axes, bool(c.attr("keepdims", 1)))
        if any(d.value == 0 for d in c.x.dims):  # of nothing it is the least or the most there is
            made = c.do("greater", made, c.number(0, made))
        return c.cast(made, "bool")

    return means


def _mean(c: Call) -> Value:
    if c.x.dtype in ("float32", "float64", "float16"):
        return _reduction("mean")(c)
    raise Refusal(f"ReduceMean of {c.x.dtype}")


def _log_sum_exp(c: Call) -> Value:
    x, axes = c.x, _axes(c)
    if axes is None:
        return x
    most = _reduced(c, "max", x, axes, True)
    finite = c.do("less", c.do("abs", most), c.number(math.inf, x))
    most = c.do("where", finite, most, c.number(0, x))
    total = _reduced(c, "sum", c.do("exp", c.do("subtract", x, most)), axes, True)
    made = c.do("add", c.do("log", total), most)
    if c.attr("keepdims", 1) or not x.rank:
        return made
    return c.reshape(made, [d for i, d in enumerate(x.dims) if i not in axes])


def _arg(least: bool) -> Callable[[Call], Value]:
    def means(c: Call) -> Value:
        x, axis = c.x, c.axis(c.attr("axis", 0), c.x.rank)
        if least:
            x = c.do("negative", x) if x.dtype.startswith("float") else c.do("subtract", c.number(-1, x), x)
        last = bool(c.attr("select_last_index"))
        if last:
            x = c.do("slice", x, step=(-1,), axes=(axis,))
        made = c.cast(c.do("argmax", x, axis=(axis,), keepdims=bool(c.attr("keepdims", 1))), "int64")
        return c.do("subtract", c.scalar(x.dims[axis] - 1), made) if last else made

    return means


def _as_rows(c: Call, axis: int) -> tuple[Value, int]:
    """The tensor, of which everything from the axis on is one dimension before version 13."""
    return (c.x, axis) if c.version >= 13 else _flat(c, c.x, axis)


def _flat(c: Call, x: Value, axis: int) -> tuple[Value, int]:
    """A tensor of two dimensions, all before an axis and all from it on, and the place of the latter."""
    before, behind = (math.prod(d, start=const(1)) for d in (x.dims[:axis], x.dims[axis:]))
    return c.reshape(x, (before, behind)), 1


def softmax_behind(c: Call, x: Value, axis: int) -> Value:
    """The softmax of everything from an axis on, as one dimension."""
    rows, along = (x, axis) if axis == x.rank - 1 else _flat(c, x, axis)
    return c.reshape(c.do("softmax", rows, axis=along), x.dims)


def _softmax(name: str) -> Callable[[Call], Value]:
    def means(c: Call) -> Value:
        axis = c.axis(c.attr("axis", -1 if c.version >= 13 else 1), c.x.rank)
        rows, along = _as_rows(c, axis)
        return c.reshape(c.do(name, rows, axis=along), c.x.dims)

    return means


def _hardmax(c: Call) -> Value:
    axis = c.axis(c.attr("axis", -1 if c.version >= 13 else 1), c.x.rank)
    rows, along = _as_rows(c, axis)
    first = c.cast(c.do("argmax", rows, axis=(along,), keepdims=True), "int64")
    count = c.small(c.size(rows, along), "a row")
    positions = np.arange(count).reshape([-1 if i == along else 1 for i in range(rows.rank)])
    return c.reshape(c.cast(c.do("equal", c.graph.constant(positions), first), c.x.dtype), c.x.dims)


def _running(name: str) -> Callable[[Call], Value]:
    def means(c: Call) -> Value:
        axis = c.whole(c[1], "the axis")
        return c.do(
            name,
            c.x,
            axis=c.axis(axis[0], c.x.rank),
            exclusive=bool(c.attr("exclusive")),
            reverse=bool(c.attr("reverse")),
        )

    return means


def epsilon(c: Call, name: str = "epsilon") -> float:
    """Files hold 32 bits of it: as somebody wrote it, so that it is the workload that others have."""
    return float(str(np.float32(c.attr(name, 1e-5))))


def _layer_norm(c: Call) -> tuple[Value, ...]:
    return layer_norm(c, c.x, c[1], c.maybe(2), c.axis(c.attr("axis", -1), c.x.rank), c.count > 1)


def _wide(c: Call, *values: Value) -> list[Value]:
    """In float32, where they are float16."""
    return [c.cast(v, "float32") if v.dtype == "float16" else v for v in values]


def layer_norm(c: Call, x: Value, scale: Value, bias: Value | None, axis: int, more: bool) -> tuple[Value, ...]:
    """Rows of the dimensions from an axis on, normalised; and if `more` is asked for their means, and what the rows
    without these were multiplied by. 16 bits hold no epsilon of 1e-12."""
    if x.dtype == "float16":
        beta = None if bias is None else c.cast(bias, "float32")
        made, *rest = layer_norm(c, c.cast(x, "float32"), c.cast(scale, "float32"), beta, axis, more)
        return c.cast(made, x.dtype), *rest
    eps = epsilon(c)
    if not more and axis == x.rank - 1 and scale.dims == x.dims[-1:] and x.dtype == "float32":
        beta = bias if bias is not None else c.do("subtract", scale, scale)
        if beta.dims == scale.dims:
            return (c.do("layer_norm", x, scale, beta, eps=eps),)
    axes = tuple(range(axis, x.rank))
    mean = c.do("mean", x, axis=axes, keepdims=True)
    apart = c.do("subtract", x, mean)
    variance = c.do("mean", c.do("square", apart), axis=axes, keepdims=True)
    scaled = c.do("rsqrt", c.do("add", variance, c.number(eps, x)))
    made = c.do("multiply", c.do("multiply", apart, scaled), scale)
    return c.do("add", made, bias) if bias is not None else made, mean, scaled


def _rms_norm(c: Call) -> Value:
    x, scale = _wide(c, c.x, c[1])
    return c.cast(_rms(c, x, scale), c.x.dtype)


def _rms(c: Call, x: Value, scale: Value) -> Value:
    axis, eps = c.axis(c.attr("axis", -1), x.rank), epsilon(c)
    if axis == x.rank - 1 and scale.dims == x.dims[-1:] and x.dtype == "float32":
        return c.do("rms_norm", x, scale, eps=eps)
    mean = c.do("mean", c.do("square", x), axis=tuple(range(axis, x.rank)), keepdims=True)
    return c.do("multiply", c.do("multiply", x, c.do("rsqrt", c.do("add", mean, c.number(eps, x)))), scale)


def _trained_batch_norm(c: Call) -> tuple[Value, ...]:
    """By the statistics of this batch, with those of all so far moved towards them."""
    x, momentum = c.x, c.attr("momentum", 0.9)
    axes = tuple(i for i in range(x.rank) if i != 1)
    mean = c.do("mean", x, axis=axes)
    apart = c.do("subtract", x, of_channels(c, mean, x.rank))
    variance = c.do("mean", c.do("square", apart), axis=axes)
    made = c.do("batch_norm", x, c[1], c[2], mean, variance, eps=epsilon(c), axis=1)

    def moved(old: Value, new: Value) -> Value:
        kept = c.do("multiply", old, c.number(momentum, old))
        return c.do("add", kept, c.do("multiply", new, c.number(1 - momentum, new)))

    return made, moved(c[3], mean), moved(c[4], variance)


def _batch_norm(c: Call) -> Value | tuple[Value, ...]:
    if c.version >= 14 and c.attr("training_mode"):
        return _trained_batch_norm(c)
    if c.version < 9 and c.attr("spatial", 1) == 0:
        raise Refusal("BatchNormalization with spatial=0")
    if c.version < 7 and not c.attr("is_test"):
        raise Refusal("BatchNormalization in training mode")
    if c.x.rank < 2:
        x = c.reshape(c.x, (*c.x.dims, 1))
        made = c.do("batch_norm", x, *c.tensors[1:], eps=epsilon(c), axis=1)
        return c.reshape(made, c.x.dims)
    return c.do("batch_norm", *c.tensors, eps=epsilon(c), axis=1)


def _instance_norm(c: Call) -> Value:
    (x, gamma, beta), eps = _wide(c, c.x, c[1], c[2]), c.attr("epsilon", 1e-5)
    axes = tuple(range(2, x.rank))
    apart = c.do("subtract", x, c.do("mean", x, axis=axes, keepdims=True))
    variance = c.do("mean", c.do("square", apart), axis=axes, keepdims=True)
    made = c.do("multiply", apart, c.do("rsqrt", c.do("add", variance, c.number(eps, x))))
    scale, bias = (c.reshape(v, (*v.dims, *[1] * len(axes))) for v in (gamma, beta))
    return c.cast(c.do("add", c.do("multiply", made, scale), bias), c.x.dtype)


def _lp_norm(c: Call) -> Value:
    x, p = c.x, c.attr("p", 2)
    axis = c.axis(c.attr("axis", -1), x.rank)
    size = c.do("abs", x) if p == 1 else c.do("square", x)
    total = c.do("sum", size, axis=(axis,), keepdims=True)
    total = total if p == 1 else c.do("sqrt", total)
    zero = c.do("equal", total, c.number(0, x))
    return c.do("where", zero, c.number(0, x), c.do("divide", x, total))


def _global(name: str) -> Callable[[Call], Value]:
    return lambda c: c.do(name, c.x, axis=tuple(range(2, c.x.rank)), keepdims=True)


def _one_hot(c: Call) -> Value:
    """Indices out of range are all off; those below 0 count from the end."""
    index, depth, values = c[0], c[1], c[2]
    axis = c.axis(c.attr("axis", -1), index.rank + 1)
    if depth.number is None:
        depth = c.cast(c.reshape(depth, ()), "int64")
        return c.do("one_hot_by", c.cast(index, "int64"), depth, values, axis=axis)
    count = c.small(c.whole(c.cast(depth, "int64"), "the depth")[0], "the classes")
    index = c.cast(index, "int64")
    index = c.do("where", c.do("less", index, c.number(0, index)), c.do("add", index, c.number(count, index)), index)
    seen = c.reshape(index, (*index.dims[:axis], 1, *index.dims[axis:]))
    positions = np.arange(count).reshape([-1 if i == axis else 1 for i in range(index.rank + 1)])
    on = c.do("equal", seen, c.graph.constant(positions))
    off, there = (c.reshape(c.cut(values, 0, i, i + 1), ()) for i in (0, 1))
    return c.do("where", on, there, off)


def _lrn(c: Call) -> Value:
    """Squares summed over neighbouring channels, which are the rows of an image."""
    x, size = c.x, c.attr("size")
    alpha, beta, bias = c.attr("alpha", 1e-4), c.attr("beta", 0.75), c.attr("bias", 1.0)
    rest = math.prod(x.dims[2:], start=const(1))
    seen = c.reshape(c.do("square", x), (x.dims[0], 1, x.dims[1], rest))
    low = (size - 1) // 2
    pads = (low, 0, size - 1 - low, 0)
    mean = c.do("avg_pool2d", seen, kernel=(size, 1), stride=(1, 1), pad=pads, count="padding")
    base = c.do("add", c.do("multiply", c.reshape(mean, x.dims), c.number(alpha, x)), c.number(bias, x))
    return c.do("divide", x, c.do("exp", c.do("multiply", c.do("log", base), c.number(beta, x))))


def _random(c: Call) -> Value:
    raise Refusal(f"{c.op} makes random numbers")


def _top_k(c: Call) -> tuple[Value, ...]:
    x, axis, largest = c.x, c.axis(c.attr("axis", -1), c.x.rank), bool(c.attr("largest", 1))
    k = c.graph.constant(np.asarray(c.attr("k"), np.int64)) if c.version < 10 else c[1]
    if k.number is None:
        return c.graph.calls("top_k_by", x, c.reshape(k, ()), axis=axis, largest=largest, strict=True)
    count = int(k.number.reshape(-1)[0])
    x = c.at_least(x, [count if i == axis else 0 for i in range(x.rank)])
    return c.graph.calls("top_k", x, k=count, axis=axis, largest=largest)


ROWS = (
    Row("ReduceSum", _reduction("sum")),
    Row("ReduceMean", _mean),
    Row("ReduceMax", _truth("max")),
    Row("ReduceMin", _truth("min")),
    Row("ReduceProd", _reduction("prod"), lambda c, a: np.asarray(np.prod(a[0], keepdims=bool(c.attr("keepdims", 1))))),
    Row("ReduceL1", _reduction("sum", before=lambda c, x: c.do("abs", x))),
    Row("ReduceL2", _reduction("sum", lambda c, x: c.do("square", x), lambda c, x: c.do("sqrt", x))),
    Row("ReduceLogSum", _reduction("sum", after=lambda c, x: c.do("log", x))),
    Row("ReduceLogSumExp", _log_sum_exp),
    Row("ReduceSumSquare", _reduction("sum", before=lambda c, x: c.do("square", x))),
    Row("ArgMax", _arg(least=False)),
    Row("ArgMin", _arg(least=True)),
    Row("Softmax", _softmax("softmax")),
    Row("LogSoftmax", _softmax("log_softmax")),
    Row("Hardmax", _hardmax),
    Row("CumSum", _running("cumsum")),
    Row("CumProd", _running("cumprod")),
    Row("LayerNormalization", _layer_norm, signature=Signature(3, {"axis": -1, "epsilon": 1e-5, "stash_type": 1})),
    Row("RMSNormalization", _rms_norm),
    Row("BatchNormalization", _batch_norm),
    Row("InstanceNormalization", _instance_norm),
    Row("LpNormalization", _lp_norm),
    Row("GlobalAveragePool", _global("mean")),
    Row("GlobalMaxPool", _global("max")),
    Row("OneHot", _one_hot),
    Row("LRN", _lrn),
    Row("TopK", _top_k),
    *(
        Row(name, _random, refused=True)
        for name in (
            "RandomNormal",
            "RandomNormalLike",
            "RandomUniform",
            "RandomUniformLike",
            "Multinomial",
            "Bernoulli",
        )
    ),
)
