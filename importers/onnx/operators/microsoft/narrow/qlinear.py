"""Steps of quantised files in com.microsoft: what floats would be, of integers with a scale and a zero point each.

Numbers are widened, the step is done in float32 and its result quantised again: one kernel, which reads and writes
bytes. onnxruntime rounds in other places here and there, so that a result may be the integer beside.
"""

from __future__ import annotations

from collections.abc import Callable

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.onnx.operators.microsoft.activations import activated
from anytile.importers.onnx.operators.microsoft.domain import row
from anytile.importers.onnx.operators.microsoft.fused_images import channels_last, channels_second
from anytile.importers.onnx.operators.quantized import dequantised, dequantize, q_convolved, quantize, saturated
from anytile.importers.onnx.operators.reductions import softmax_behind
from anytile.importers.onnx.operators.scaled import whole
from anytile.importers.onnx.operators.windows import average_pooled
from anytile.importers.onnx.proto.call import Call

_MANY = 2**16  # inputs, of which an operator may take any number
_POOL = {
    **{"kernel_shape": tuple, "strides": tuple, "pads": tuple},
    **{"auto_pad": "NOTSET", "ceil_mode": 0, "count_include_pad": 0, "channels_last": 0},
}
_CONVOLUTION = {
    **{"kernel_shape": tuple, "strides": tuple, "pads": tuple, "dilations": tuple},
    **{"auto_pad": "NOTSET", "group": 1, "channels_last": 0},
}


def _wide(c: Call, at: int) -> Value:
    """An operand, whose scale and zero point are the two inputs behind it, as what it stands for."""
    return dequantised(c, c[at], _one(c, c[at + 1]), None if (zero := c.maybe(at + 2)) is None else _one(c, zero))


def _one(c: Call, v: Value) -> Value:
    """A number for the whole tensor."""
    return c.reshape(v, ())


def _narrow(c: Call, real: Value, at: int, dtype: str) -> Value:
    """A result, whose scale and zero point are the input `at` and the one behind it."""
    zero = c.maybe(at + 1)
    scaled = c.do("divide", real, _one(c, c[at]))
    return saturated(c, scaled, None if zero is None else _one(c, zero), dtype if zero is None else zero.dtype)


def _binary(name: str) -> Callable[[Call], Value]:
    return lambda c: _narrow(c, c.do(name, _wide(c, 0), _wide(c, 3)), 6, c.x.dtype)


def _unary(means: Callable[[Call, Value], Value]) -> Callable[[Call], Value]:
    return lambda c: _narrow(c, means(c, _wide(c, 0)), 3, c.x.dtype)


def _leaky(c: Call, x: Value) -> Value:
    return activated(c, x, "LeakyRelu", [c.attr("alpha")])


def _channels_first(c: Call, means: Callable[[Value], Value], x: Value) -> Value:
    """What becomes of images, whose channels may lie last."""
    if not c.attr("channels_last"):
        return means(x)
    return channels_last(c, means(channels_second(c, x)))


def _pooled(c: Call, x: Value) -> Value:
    return _channels_first(c, lambda image: average_pooled(c, image), x)


def _global_mean(c: Call, x: Value) -> Value:
    axes = tuple(range(1, x.rank - 1) if c.attr("channels_last") else range(2, x.rank))
    return c.do("mean", x, axis=axes, keepdims=True)


def _reduced(c: Call, name: str, x: Value) -> Value:
    axes = tuple(sorted({c.axis(a, x.rank) for a in c.ints("axes")})) or tuple(range(x.rank))
    return c.do(name, x, axis=axes, keepdims=bool(c.attr("keepdims", 1)))


def _softmax(c: Call, x: Value) -> Value:
    """Of everything from the axis on before version 13 of ONNX's operators."""
    axis = c.axis(c.attr("axis"), x.rank)
    return c.do("softmax", x, axis=axis) if c.attr("opset", 13) >= 13 else softmax_behind(c, x, axis)


def _joined(c: Call) -> Value:
    if len(c.inputs) < 5 or (len(c.inputs) - 2) % 3:
        raise Refusal(f"{len(c.inputs)} inputs; expected a scale and a zero point, and three for each tensor")
    given = range(2, len(c.inputs), 3)

    def is_as(at: int) -> bool:
        """Whether a tensor has the scale and the zero point of the result."""
        pairs = ((c[at + 1].number, c[0].number), (c[at + 2].number, c[1].number))
        return all(a is not None and b is not None and (a.reshape(()) == b.reshape(())) for a, b in pairs)

    rows = [c[at] if is_as(at) else _narrow(c, _wide(c, at), 0, c[at].dtype) for at in given]
    return c.do("concat", *rows, axis=c.axis(c.attr("axis", 0), rows[0].rank))


def _chosen(c: Call) -> Value:
    return _narrow(c, c.do("where", c.x, _wide(c, 1), _wide(c, 4)), 7, c[1].dtype)


def _convolved(c: Call) -> Value:
    return _channels_first(c, lambda image: q_convolved(c, image), c.x)


def _summed(c: Call) -> Value:
    return _reduced(c, "sum", c.cast(c.x, "int32"))


def _multiplied(c: Call) -> Value:
    a, b = ((0, 1), (2, 3))
    return c.do("multiply", *(whole(c, c[at], c.maybe(zero)) for at, zero in (a, b)))


_ONE = "q f32 q f32 q"
_TWO = "q f32 q q f32 q f32 q"
_AXES: dict[str, object] = {"axes": tuple, "keepdims": int}
ROWS = (
    row("QLinearAdd", _binary("add"), _TWO),
    row("QLinearMul", _binary("multiply"), _TWO),
    row("QLinearSigmoid", _unary(lambda c, x: c.do("sigmoid", x)), _ONE),
    row("QLinearLeakyRelu", _unary(_leaky), _ONE, {"alpha": 0.01}),
    row("QLinearAveragePool", _unary(_pooled), _ONE, _POOL),
    row("QLinearGlobalAveragePool", _unary(_global_mean), _ONE, {"channels_last": 0}),
    row("QLinearReduceMean", _unary(lambda c, x: _reduced(c, "mean", x)), _ONE, _AXES),
    row("QLinearSoftmax", _unary(_softmax), _ONE, {"axis": -1, "opset": int}),
    row("QLinearConcat", _joined, _MANY, {"axis": int}),
    row("QLinearWhere", _chosen, f"bool {_TWO}"),
    row("QLinearConv", _convolved, "q f32 q w f32 w f32 r i32", _CONVOLUTION),
    row("QuantizeLinear", quantize, 3, {"axis": int, "block_size": 0}),
    row("DequantizeLinear", dequantize, 3, {"axis": int, "block_size": 0}),
    row("ReduceSumInteger", _summed, "q", _AXES),
    row("MulInteger", _multiplied, "q q q q"),
)
