"""ATen's reductions, softmaxes, normalisations, running sums and running extremes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.torch.aten.aten_elementwise import cast_to, truth
from anytile.importers.torch.graph.aten_call import FLOATS, Call, Row
from anytile.schedules.index.expr import Expr, const, product
from anytile.schedules.nest.stored_floats import epsilon_of


def reduced(c: Call, name: str, x: Value, axes: Sequence[int], keepdims: bool = False) -> Value:
    """An operator over axes; a scalar is seen as one element."""
    if not x.rank:
        return c.reshape(c.do(name, c.reshape(x, (1,)), axis=(0,)), ())
    return c.do(name, x, axis=tuple(axes), keepdims=keepdims)


def _reduction(name: str) -> Callable[[Call], Value]:
    """In the result's dtype, as torch adds."""

    def means(c: Call) -> Value:
        return reduced(c, name, cast_to(c, c.x, c.dtype), c.dims(), bool(c.arg("keepdim", False)))

    return means


def _extreme(name: str) -> Callable[[Call], Value | tuple[Value, ...]]:
    """Over some axes; over one said as `dim`, with where it is; or of two tensors."""

    def means(c: Call) -> Value | tuple[Value, ...]:
        if c.args.get("other") is not None:
            return c.do({"max": "maximum", "min": "minimum"}[name], c.x, c["other"])
        x = c.cast(c.x, "int32") if c.x.dtype == "bool" else c.x
        keep = bool(c.arg("keepdim", False))
        made = cast_to(c, reduced(c, name, x, c.dims(), keep), c.x.dtype)
        if len(c.told) < 2:
            return made
        return made, _place(c, x, c.dims()[0], keep, least=name == "min")

    return means


def _place(c: Call, x: Value, axis: int, keep: bool, least: bool) -> Value:
    """The position of the first extreme, where NaN is one."""
    x = _turned(c, x) if least else x
    if not x.rank:
        return c.graph.constant(np.asarray(0))
    return c.cast(c.do("argmax", x, axis=(axis,), keepdims=keep), "int64")


def _arg(least: bool) -> Callable[[Call], Value]:
    def means(c: Call) -> Value:
        x = c.cast(c.x, "int32") if c.x.dtype == "bool" else c.x
        if c.arg("dim") is None:
            return c.reshape(_place(c, c.reshape(x, (product(x.dims),)), 0, False, least), c.shape)
        return _place(c, x, c.dim(), bool(c.arg("keepdim", False)), least)

    return means


def _truths(name: str) -> Callable[[Call], Value]:
    def means(c: Call) -> Value:
        x = c.cast(truth(c, c.x), "int32")
        made = reduced(c, name, x, c.dims(), bool(c.arg("keepdim", False)))
        return c.do("greater", made, c.number(0, made))

    return means


def _moments(c: Call) -> tuple[Value, Value]:
    """Variance and mean over some axes."""
    axes, keep = c.dims(), bool(c.arg("keepdim", False))
    x = c.x
    less = c.arg("correction", 1)
    if c.arg("unbiased") is not None:
        less = int(bool(c.arg("unbiased")))
    mean = reduced(c, "mean", x, axes, True)
    apart = c.do("square", c.do("subtract", x, mean))
    if not less:
        variance = reduced(c, "mean", apart, axes, keep)
    else:
        count = c.cast(c.scalar(product([x.dims[a] for a in axes])), x.dtype)
        rest = c.do("maximum", c.do("subtract", count, c.number(less, x)), c.number(0, x))
        variance = c.do("divide", reduced(c, "sum", apart, axes, keep), rest)
    return variance, mean if keep else c.reshape(mean, variance.dims)


def _norm(c: Call) -> Value:
    """The p-norm of vectors."""
    order = c.arg("ord", c.arg("p", 2))
    x, keep = cast_to(c, c.x, c.dtype), bool(c.arg("keepdim", False))
    return length_of(c, x, 2 if order is None else order, c.dims(), keep)


def length_of(c: Call, x: Value, order: float, axes: Sequence[int], keep: bool = False) -> Value:
    """The p-norm over axes."""
    if order == 2:
        return c.do("sqrt", reduced(c, "sum", c.do("square", x), axes, keep))
    size = c.do("abs", x)
    if order in (1, math.inf, -math.inf):
        return reduced(c, {1: "sum", math.inf: "max", -math.inf: "min"}[order], size, axes, keep)
    if order == 0:
        return reduced(c, "sum", c.cast(c.do("not_equal", x, c.number(0, x)), x.dtype), axes, keep)
    total = reduced(c, "sum", c.do("pow", size, c.number(order, x)), axes, keep)
    return c.do("pow", total, c.number(1 / order, x))


def _weight_norm(c: Call) -> tuple[Value, Value]:
    """A direction, of which each slice along a dimension has a length of its own, which is the other argument.

    The dimension -1 is none, as torch has it: all of the direction has one length.
    """
    v, g, at = c["v"], c["g"], c.count("dim")
    rest = [a for a in range(v.rank) if at == -1 or a != c.axis(at, v.rank)]
    length = c.do("sqrt", reduced(c, "sum", c.do("square", v), rest, keepdims=True))
    return c.do("multiply", v, c.do("divide", g, length)), length


def _log_sum_exp(c: Call) -> Value:
    x, axes, keep = cast_to(c, c.x, c.dtype), c.dims(), bool(c.arg("keepdim", False))
    most = reduced(c, "max", x, axes, True)
    most = c.do("where", c.do("isinf", most), c.number(0, x), most)
    made = c.do("add", c.do("log", reduced(c, "sum", c.do("exp", c.do("subtract", x, most)), axes, True)), most)
    return made if keep else c.reshape(made, [d for i, d in enumerate(x.dims) if i not in axes])


def _softmax(name: str, safe: bool = False) -> Callable[[Call], Value]:
    def means(c: Call) -> Value:
        x, axis = c.cast(c.x, c.dtype), c.dim("dim", -1)
        if not x.rank:
            return c.reshape(c.do(name, c.reshape(x, (1,)), axis=0), ())
        return c.do(name, x, axis=axis, guard="empty") if safe else c.do(name, x, axis=axis)

    return means


def _running(name: str) -> Callable[[Call], Value]:
    """Of all elements up to each, in the result's dtype."""

    def means(c: Call) -> Value:
        x = cast_to(c, c.x, c.dtype)
        return c.do(name, x, axis=c.dim()) if x.rank else x

    return means


def _running_extreme(least: bool) -> Callable[[Call], tuple[Value, Value]]:
    """The extreme of all elements up to each, and where the last such is; NaN is one."""

    def means(c: Call) -> tuple[Value, Value]:
        x = c.cast(c.x, "int32") if c.x.dtype == "bool" else c.x
        if not x.rank:
            return c.x, c.graph.constant(np.asarray(0))
        axis = c.dim()
        most = c.do("cummax", _turned(c, x) if least else x, axis=axis)
        most = _turned(c, most) if least else most
        here = c.do("equal", x, most)
        if x.dtype in FLOATS:
            here = c.do("logical_or", here, c.do("isnan", x))
        at = c.positions(x.dims[axis])
        at = c.reshape(at, (*at.dims, *[1] * (x.rank - 1 - axis)))
        return cast_to(c, most, c.x.dtype), c.do("cummax", c.do("where", here, at, c.number(0, at)), axis=axis)

    return means


def _turned(c: Call, x: Value) -> Value:
    """Numbers in the opposite order."""
    if x.dtype in FLOATS:
        return c.do("negative", x)
    return c.do("subtract", c.number(np.iinfo(x.dtype).max if x.dtype.startswith("uint") else -1, x), x)


# -- normalisations ----------------------------------------------------------------------------------------------------


def _ones(c: Call, dims: Sequence[Expr], dtype: str, value: int = 1) -> Value:
    return c.broadcast(c.graph.constant(np.asarray(value, dtype)), dims)


def _normalised(c: Call, x: Value, axes: Sequence[int], eps: float) -> tuple[Value, Value, Value]:
    """(x - mean) / sqrt(variance + eps), the mean, and what it was multiplied by."""
    mean = c.do("mean", x, axis=tuple(axes), keepdims=True)
    apart = c.do("subtract", x, mean)
    variance = c.do("mean", c.do("square", apart), axis=tuple(axes), keepdims=True)
    scale = c.do("rsqrt", c.do("add", variance, c.number(eps, x)))
    return c.do("multiply", apart, scale), mean, scale


def _scaled(c: Call, x: Value, weight: Value | None, bias: Value | None) -> Value:
    made = x if weight is None else c.do("multiply", x, weight)
    return made if bias is None else c.do("add", made, bias)


def _layer_norm(c: Call) -> Value:
    x, weight, bias = c["input"], c.maybe("weight"), c.maybe("bias")
    count, eps = len(c.sizes("normalized_shape")), float(c.arg("eps", 1e-5))
    if count == 1 and x.dtype == "float32":
        dims = x.dims[-1:]
        gamma = _ones(c, dims, x.dtype) if weight is None else weight
        beta = _ones(c, dims, x.dtype, 0) if bias is None else bias
        return c.do("layer_norm", x, gamma, beta, eps=eps)
    made, _, _ = _normalised(c, x, range(x.rank - count, x.rank), eps)
    return _scaled(c, made, weight, bias)


def _rms_norm(c: Call) -> Value:
    x, weight = c["input"], c.maybe("weight")
    count, eps = len(c.sizes("normalized_shape")), c.arg("eps")
    eps = epsilon_of(x.dtype) if eps is None else float(eps)
    if count == 1 and x.dtype == "float32":
        return c.do("rms_norm", x, _ones(c, x.dims[-1:], x.dtype) if weight is None else weight, eps=eps)
    mean = c.do("mean", c.do("square", x), axis=tuple(range(x.rank - count, x.rank)), keepdims=True)
    return _scaled(c, c.do("multiply", x, c.do("rsqrt", c.do("add", mean, c.number(eps, x)))), weight, None)


def _group_norm(c: Call) -> Value:
    """Channels in groups, each normalised with all its elements."""
    x = c["input"]
    groups = c.count("num_groups" if "num_groups" in c.args else "group")
    channels = c.size(x, 1)
    rest = x.dims[2:]
    seen = c.reshape(x, (x.dims[0], groups, product((const(channels // groups), *rest))))
    made, _, _ = _normalised(c, seen, (2,), float(c.arg("eps", 1e-5)))
    weight, bias = (
        None if v is None else c.reshape(v, (channels, *[1] * len(rest))) for v in (c.maybe("weight"), c.maybe("bias"))
    )
    return _scaled(c, c.reshape(made, x.dims), weight, bias)


def _batch_norm(c: Call) -> Value:
    """By statistics that are kept; or, as instance_norm becomes, by the input's own, where none are."""
    if c.arg("training", c.arg("train", False)):
        if c.maybe("running_mean") is not None:
            raise Refusal("batch_norm in training mode; call model.eval() first")
        return _by_its_own(c, (0, *range(2, c["input"].rank)))
    x, channels = c["input"], c["input"].dims[1:2]
    mean, variance = c["running_mean"], c["running_var"]
    weight, bias = c.maybe("weight"), c.maybe("bias")
    gamma = _ones(c, channels, x.dtype) if weight is None else weight
    beta = _ones(c, channels, x.dtype, 0) if bias is None else bias
    return c.do("batch_norm", x, gamma, beta, mean, variance, eps=float(c.arg("eps", 1e-5)), axis=1)


def _instance_norm(c: Call) -> Value:
    if not c.arg("use_input_stats", True):
        return _batch_norm(c)
    return _by_its_own(c, range(2, c["input"].rank))


def _by_its_own(c: Call, axes: Sequence[int]) -> Value:
    """By the mean and the variance over some axes, with a weight for each channel."""
    x = c["input"]
    made, _, _ = _normalised(c, x, axes, float(c.arg("eps", 1e-5)))
    return _scaled(c, made, *(_per_channel(c, c.maybe(name), x.rank) for name in ("weight", "bias")))


def _per_channel(c: Call, value: Value | None, rank: int) -> Value | None:
    """A number for each channel as images of so many dimensions are multiplied with it."""
    return None if value is None else c.reshape(value, (*value.dims, *[1] * (rank - 2)))


def _first(means: Callable[[Call], Value]) -> Callable[[Call], tuple[Value | None, ...]]:
    """An operator of which only the first result is supported: the others are for training."""
    return lambda c: (means(c), *[None] * (len(c.told) - 1))


ROWS = (
    Row("sum", _reduction("sum")),
    Row("mean", _reduction("mean")),
    Row("prod", _reduction("prod")),
    Row("amax", _extreme("max")),
    Row("amin", _extreme("min")),
    Row("max", _extreme("max")),
    Row("min", _extreme("min")),
    Row("argmax", _arg(least=False)),
    Row("argmin", _arg(least=True)),
    Row("any", _truths("max")),
    Row("all", _truths("min")),
    Row("var", lambda c: _moments(c)[0]),
    Row("std", lambda c: c.do("sqrt", _moments(c)[0])),
    Row("var_mean", _moments),
    Row("linalg_vector_norm", _norm),
    Row("norm", _norm),
    Row("_weight_norm", lambda c: _weight_norm(c)[0]),
    Row("_weight_norm_interface", _weight_norm),
    Row("logsumexp", _log_sum_exp),
    Row("softmax", _softmax("softmax")),
    Row("_softmax", _softmax("softmax")),
    Row("_safe_softmax", _softmax("softmax", safe=True)),
    Row("log_softmax", _softmax("log_softmax")),
    Row("_log_softmax", _softmax("log_softmax")),
    *(Row(name, _running(name)) for name in ("cumsum", "cumprod", "logcumsumexp")),
    Row("cummax", _running_extreme(least=False)),
    Row("cummin", _running_extreme(least=True)),
    Row("layer_norm", _layer_norm),
    Row("native_layer_norm", _first(_layer_norm)),
    Row("rms_norm", _rms_norm),
    Row("_fused_rms_norm", _first(_rms_norm)),
    Row("group_norm", _group_norm),
    Row("native_group_norm", _first(_group_norm)),
    Row("batch_norm", _batch_norm),
    Row("_native_batch_norm_legit_no_training", _first(_batch_norm)),
    Row("_batch_norm_no_update", _first(_batch_norm)),
    Row("native_batch_norm", _first(_batch_norm)),
    Row("_native_batch_norm_legit", _first(_batch_norm)),
    Row("_native_batch_norm_legit_functional", _first(_batch_norm)),
    Row("cudnn_batch_norm", _first(_batch_norm)),
    Row("instance_norm", _instance_norm),
)
