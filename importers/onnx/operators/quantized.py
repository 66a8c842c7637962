"""ONNX's quantised operators, as exactly as ONNX says them: integers less their zero points, times their scales.

Products are computed in int32. What is quantised is divided by its scale in the scale's type, rounded to even, moved by
the zero point and cut off at the ends of its type.
"""

from __future__ import annotations

import numpy as np

from anytile.core.dtypes import FLOAT8
from anytile.importers.core.graph import Dequantised, Refusal, Scaled, Value
from anytile.importers.onnx.operators.products import matmul
from anytile.importers.onnx.operators.scaled import QUANTISED, require_quantised, to_8_bits, whole
from anytile.importers.onnx.operators.windows import convolved, of_channels
from anytile.importers.onnx.proto.call import Call, Row
from anytile.importers.onnx.proto.dtypes import dtype_name

_WIDER = {"int2": "int8", "uint2": "uint8", "int4": "int8", "uint4": "uint8"}


def _spread(c: Call, v: Value, x: Value) -> Value:
    """A scale or zero point as it is to x: one for all, for each index along the axis, or for blocks along it."""
    if block := _block(c, v, x):
        return _repeated(c, v, x, block)
    if v.rank == 0 or (v.rank == 1 and v.dims[0].value == 1):
        return c.reshape(v, ())
    if v.rank != 1:
        raise Refusal(f"a scale of {v.shaped} for {x.shaped}")
    return c.reshape(v, (*v.dims, *[1] * (x.rank - c.axis(c.attr("axis", 1), x.rank) - 1)))


def _block(c: Call, v: Value, x: Value) -> int:
    """How many neighbours of x along the axis have one scale or zero point; 0 where these are for no blocks."""
    block = int(c.attr("block_size", 0))
    return 0 if block < 1 or not v.rank or v.rank != x.rank else block


def _repeated(c: Call, v: Value, x: Value, block: int) -> Value:
    """What is said of blocks, said of each of their elements; the last block may be a part of one."""
    axis = c.axis(c.attr("axis", 1), x.rank)
    before, (count, *behind) = v.dims[:axis], v.dims[axis:]
    wide = c.broadcast(c.reshape(v, (*before, count, 1, *behind)), (*before, count, block, *behind))
    made = c.reshape(wide, (*before, count * block, *behind))
    if made.dims[axis] == x.dims[axis]:
        return made
    return c.cut(made, axis, 0, c.size(x, axis))


def saturated(c: Call, real: Value, zero: Value | None, dtype: str) -> Value:
    """Rounded, moved and cut off."""
    if dtype not in QUANTISED[:4]:
        raise Refusal(f"quantisation to {dtype}; supported are {', '.join(QUANTISED[:4])}")
    made = c.cast(c.do("round", real), "float32")
    if zero is not None and not _is_nothing(zero):
        made = c.do("add", made, c.cast(zero, "float32"))
    ends = np.iinfo(dtype)
    return c.cast(c.do("clip", made, min=float(ends.min), max=float(ends.max)), dtype)


def quantize(c: Call) -> Value:
    """Numbers as integers of a type that the zero point or an attribute says."""
    x, scale, zero = c.x, c[1], c.maybe(2)
    wanted = dtype_name(c.attr("output_dtype")) if c.attr("output_dtype") else "uint8" if zero is None else zero.dtype
    precise = dtype_name(c.attr("precision")) if c.attr("precision") else scale.dtype
    real = c.do("divide", c.cast(x, precise), c.cast(_spread(c, scale, x), precise))
    if wanted in FLOAT8:
        if zero is not None and not _is_nothing(zero):
            real = c.do("add", real, c.cast(_spread(c, zero, x), precise))
        return to_8_bits(c, real, wanted, bool(c.attr("saturate", 1)))
    return saturated(c, real, None if zero is None else _spread(c, zero, x), wanted)


def dequantize(c: Call) -> Value:
    """Integers as the numbers that they stand for."""
    wanted = dtype_name(c.attr("output_dtype")) if c.attr("output_dtype") else c[1].dtype
    return dequantised(c, c.x, c[1], c.maybe(2), wanted)


def dequantised(c: Call, x: Value, scale: Value, zero: Value | None, wanted: str = "float32") -> Value:
    """Numbers times their scales, which remember what they were made of."""
    x, zero = _in_bytes(x), None if zero is None else _in_bytes(zero)
    if x.dtype in FLOAT8:
        zero = None if zero is None or _is_nothing(zero) else zero
    else:
        require_quantised(x)

    def floats() -> Value:
        moved = None if zero is None else _spread(c, zero, x)
        if x.dtype in FLOAT8:
            real = c.cast(x, "float32")
            real = real if moved is None else c.do("subtract", real, c.cast(moved, "float32"))
        else:
            real = c.cast(whole(c, x, moved), "float32")
        return c.cast(c.do("multiply", real, c.cast(_spread(c, scale, x), "float32")), wanted)

    block = _block(c, scale, x)
    is_one = not block and (scale.rank == 0 or scale.dims[0].value == 1)
    one = (lambda v: c.reshape(v, ())) if is_one else (lambda v: v)

    def scaled() -> Scaled:
        axis = None if is_one else c.axis(c.attr("axis", 1), x.rank)
        return Scaled(x, c.cast(one(scale), "float32"), None if zero is None else one(zero), axis, block)

    if all(v is None or v.number is not None for v in (x, scale, zero)):
        for v in (scale, *(() if zero is None else (zero,))):
            _require_fit(c, v, x)
        return Dequantised(x.dims, wanted, scaled(), floats)
    made = floats()
    made.scaled = scaled() if scale.dtype == wanted == "float32" and not block else None
    return made


def _require_fit(c: Call, v: Value, x: Value) -> None:
    """That a scale or zero point is for all of x, each index along its axis, or each block, as shapes that are known
    say."""
    if v.rank == 0 or (v.rank == 1 and v.dims[0].value == 1):
        return
    axis, block = c.axis(c.attr("axis", 1), x.rank), _block(c, v, x)
    own = [c.size(x, i) for i in range(x.rank)]
    wanted = [-(-size // block) if i == axis else size for i, size in enumerate(own)] if block else [own[axis]]
    if [d.value for d in v.dims] != wanted:
        raise Refusal(f"a scale of {v.shaped} for {x.shaped}, block_size={block} and axis {axis}; expected {wanted}")


def _in_bytes(x: Value) -> Value:
    """A constant of 2 or 4 bits as one of 8, of the same numbers."""
    wide = _WIDER.get(x.dtype)
    if wide is None or x.number is None:
        return x
    return Value(x.dims, wide, x.number.astype(wide), None, x.name)


def _is_nothing(zero: Value) -> bool:
    """Whether a zero point is known to move nothing."""
    return zero.number is not None and not zero.number.any()


def _of_rows(c: Call, v: Value | None) -> Value | None:
    """One number for each row of the left matrix; what is right has one for each column, as it is."""
    return c.reshape(v, (*v.dims, 1)) if v is not None and v.rank == 1 and v.dims[0].value != 1 else v


def _matmul_integer(c: Call) -> Value:
    return matmul(c, whole(c, c.x, _of_rows(c, c.maybe(2))), whole(c, c[1], c.maybe(3)))


def _of_kernels(c: Call, v: Value | None, rank: int) -> Value | None:
    """One number for each kernel of a convolution."""
    return v if v is None or not v.rank else c.reshape(v, (*v.dims, *[1] * (rank - 1)))


def _conv_integer(c: Call) -> Value:
    x, w = c.x, c[1]
    return convolved(c, whole(c, x, c.maybe(2)), whole(c, w, _of_kernels(c, c.maybe(3), w.rank)))


def requantised(c: Call, product: Value, by: Value, to: Value, zero: Value | None, dtype: str) -> Value:
    """A product in int32 as integers of another scale."""
    scale = c.cast(c.do("divide", by, to), "float32")
    return saturated(c, c.do("multiply", c.cast(product, "float32"), scale), zero, dtype)


def _q_matmul(c: Call) -> Value:
    a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = (c.maybe(i) for i in range(8))
    if a is None or a_scale is None or b is None or b_scale is None or y_scale is None:
        raise Refusal("an operand or its scale is missing")
    made = matmul(c, whole(c, a, _of_rows(c, a_zero)), whole(c, b, b_zero))
    by = _of_rows(c, a_scale)
    assert by is not None
    dtype = a.dtype if y_zero is None else y_zero.dtype
    return requantised(c, made, c.do("multiply", by, b_scale), y_scale, y_zero, dtype)


def _q_conv(c: Call) -> Value:
    return q_convolved(c, c.x)


def q_convolved(c: Call, x: Value) -> Value:
    """The convolution that the other operands and the attributes say, of an image."""
    x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero = (c[i] for i in range(1, 8))
    made = convolved(c, whole(c, x, x_zero), whole(c, w, _of_kernels(c, w_zero, w.rank)))
    bias = c.maybe(8)
    if bias is not None:
        made = c.do("add", made, of_channels(c, bias, made.rank))
    by = of_channels(c, w_scale, made.rank) if w_scale.rank else w_scale
    return requantised(c, made, c.do("multiply", x_scale, by), y_scale, y_zero, y_zero.dtype)


ROWS = (
    Row("QuantizeLinear", quantize),
    Row("DequantizeLinear", dequantize),
    Row("MatMulInteger", _matmul_integer),
    Row("ConvInteger", _conv_integer),
    Row("QLinearMatMul", _q_matmul),
    Row("QLinearConv", _q_conv),
)
