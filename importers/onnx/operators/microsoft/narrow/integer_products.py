"""Products of integers in com.microsoft: of rows that are quantised as the model runs, and with results in floats.

Sums are int32, exactly; scales and a bias are what stands behind them, in one kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.core.recurrent_layers import of_floats
from anytile.importers.core.writer import Writer
from anytile.importers.onnx.operators.microsoft.domain import row
from anytile.importers.onnx.operators.products import matmul
from anytile.importers.onnx.operators.quantized import requantised
from anytile.importers.onnx.operators.recurrent import lstm, of_direction
from anytile.importers.onnx.operators.scaled import whole
from anytile.importers.onnx.proto.call import Call

_MOST = 255.0


def _quantised(c: Call, x: Value) -> tuple[Value, Value, Value]:
    """A tensor in uint8, with the scale and zero point of its own range, which holds 0."""
    axes = tuple(range(x.rank))
    low = c.do("minimum", c.do("min", x, axis=axes), c.number(0, x))
    high = c.do("maximum", c.do("max", x, axis=axes), c.number(0, x))
    scale = c.do("divide", c.do("subtract", high, low), c.number(_MOST, x))
    start = c.do("divide", c.do("negative", low), scale)
    zero = c.cast(c.do("clip", c.do("round", start), min=0.0, max=_MOST), "uint8")
    moved = c.do("add", c.do("round", c.do("divide", x, scale)), c.cast(zero, "float32"))
    return c.cast(c.do("clip", moved, min=0.0, max=_MOST), "uint8"), scale, zero


def _scaled(c: Call, product: Value, scales: Sequence[Value], bias: Value | None) -> Value:
    one, other = scales
    made = c.do("multiply", c.cast(product, "float32"), c.do("multiply", one, other))
    return made if bias is None else c.do("add", made, bias)


def _of_floats(c: Call) -> Value:
    x, scale, zero = _quantised(c, c.x)
    made = matmul(c, whole(c, x, zero), whole(c, c[1], c.maybe(3)))
    return _scaled(c, made, (scale, c[2]), c.maybe(4))


def _to_floats(c: Call) -> Value:
    made = matmul(c, whole(c, c.x, _of_rows(c, c.maybe(4))), whole(c, c[1], c.maybe(5)))
    scale = _of_rows(c, c[2])
    assert scale is not None
    return _scaled(c, made, (scale, c[3]), c.maybe(6))


def _of_rows(c: Call, v: Value | None) -> Value | None:
    """A number for each row, where there are several."""
    return v if v is None or v.rank != 1 or v.dims[0].value == 1 else c.reshape(v, (*v.dims, 1))


def _gemm(c: Call) -> Value:
    a, b = whole(c, c.x, c[2]), whole(c, c[3], _along(c, c[5]))
    if c.attr("transA"):
        a = c.transpose(a, (1, 0))
    if c.attr("transB"):
        b = c.transpose(b, (1, 0))
    made = matmul(c, a, b)
    if (bias := c.maybe(6)) is not None:
        made = c.do("add", made, bias)
    by = c.do("multiply", c.reshape(c[1], ()), c[4])
    if (alpha := c.attr("alpha")) != 1.0:
        by = c.do("multiply", by, c.number(alpha, by))
    if (to := c.maybe(7)) is None:
        return c.do("multiply", c.cast(made, "float32"), by)
    zero = c.maybe(8)
    return requantised(c, made, by, c.reshape(to, ()), zero, c.x.dtype if zero is None else zero.dtype)


def _along(c: Call, zero: Value) -> Value:
    """A zero point for each column, which are rows of a matrix that is transposed."""
    is_one = not zero.rank or zero.dims[0].value == 1
    return zero if is_one or not c.attr("transB") else c.reshape(zero, (*zero.dims, 1))


def _lstm(c: Call) -> tuple[Value | None, ...]:
    """Rows of the inputs and of the state are quantised as the model runs, each by its own range."""
    if any(c.maybe(at) is None for at in range(8, 12)):
        raise Refusal("a scale or a zero point of the weights is missing")
    return _NARROW_LSTM(replace(c, op="LSTM"))


@dataclass(eq=False)
class _Rows(Value):
    """A weight's whole numbers, a row for each that it makes, with the scales of rows and what their numbers add up
    to."""

    scale: Value = field(kw_only=True)
    total: Value = field(kw_only=True)


def _weight(c: Call, at: int, direction: int) -> Value:
    """A weight of a direction; one that is no constant is floats."""
    scale, zero = (_of_columns(c, n, direction) for n in (2 * at + 6, 2 * at + 7))
    numbers = c.transpose(whole(c, of_direction(c, at, direction), zero), (1, 0))
    if numbers.number is None:
        return c.do("multiply", c.cast(numbers, "float32"), c.reshape(scale, (*scale.dims, 1)))
    total = c.cast(c.do("sum", numbers, axis=(1,)), "float32")
    return _Rows(numbers.dims, numbers.dtype, numbers.known, name=c[at].name, scale=scale, total=total)


def _of_columns(c: Call, at: int, direction: int) -> Value:
    """The scale or the zero point of a direction's weight: one, or one for each column."""
    made = c.cut(c[at], 0, direction, direction + 1)
    return c.reshape(made, made.dims[1:] or (1,))


def _of_rounded_rows(c: Writer, x: Value, w: Value) -> Value:
    """The product of rows in uint8, with scales and zero points of their own, and whole numbers times a scale."""
    if not isinstance(w, _Rows):
        return of_floats(c, x, w)
    codes, scale, zero = c.graph.calls("quantise_rows", x)
    sums = c.cast(c.do("dense", c.cast(codes, "int32"), w), "float32")
    moved = c.do("subtract", sums, c.do("multiply", zero, w.total))
    return c.do("multiply", moved, c.do("multiply", scale, w.scale))


_NARROW_LSTM = lstm(_weight, _of_rounded_rows)
_LSTM = {
    **{"activations": tuple, "activation_alpha": tuple, "activation_beta": tuple, "clip": float},
    **{"direction": "forward", "hidden_size": int, "input_forget": 0},
}
ROWS = (
    row("DynamicQuantizeMatMul", _of_floats, "f32 w f32 w f32"),
    row("MatMulIntegerToFloat", _to_floats, "q w f f q w f"),
    row("QGemm", _gemm, "q f32 q w f32 w i32 f32 r", {"alpha": 1.0, "transA": 0, "transB": 0}),
    row("DynamicQuantizeLSTM", _lstm, "f32 w w f32 i32 f32 f32 f32 f32 w f32 w", _LSTM),
)
