"""Products of what was dequantised: whole numbers times a scale, which are multiplied as whole numbers and scaled then.

Models that were quantised with QDQ say `DequantizeLinear` of both factors and a product of floats behind it. A weight
would be a constant of floats there, four times its bytes. What DequantizeLinear makes remembers its integers, and a
product with such a constant is one of those, in int32, where its sums fit: the same but for how floats round.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from anytile.importers.core.graph import Dequantised, Refusal, Scaled, Value
from anytile.importers.onnx.operators.grouped import FLOATS
from anytile.importers.onnx.proto.call import Call
from anytile.schedules.index.expr import Expr
from anytile.schedules.nest.stored_floats import LAYOUTS

QUANTISED = ("uint8", "int8", "uint16", "int16", "int32")
_BYTES = ("uint8", "int8")
_MOST = 255 * 255  # of one product
_SUM = 2**31

Product = Callable[[Value, Value], Value]


def to_8_bits(c: Call, x: Value, dtype: str, saturate: bool = True) -> Value:
    """Numbers as 8-bit floats: what is beyond the largest is that or, unless it is to saturate, infinity, or NaN where
    there is none."""
    layout = LAYOUTS[dtype]
    if layout.infinite and saturate and x.dtype != dtype:
        most = layout.largest
        wide = c.cast(x, "float32")
        x = c.do("clip", wide, min=-most, max=most)
    elif not layout.infinite and not saturate:
        wide = c.cast(x, "float32")
        is_beyond = c.do("greater", c.do("abs", wide), c.number(layout.largest + layout.step / 2, wide))
        x = c.do("where", is_beyond, c.number(math.nan, wide), wide)
    return c.cast(x, dtype)


def require_quantised(x: Value) -> None:
    """That numbers are of a type that int32 holds."""
    if x.dtype not in QUANTISED:
        raise Refusal(f"quantised numbers of {x.dtype}; supported are {', '.join(QUANTISED)}")


def whole(c: Call, x: Value, zero: Value | None) -> Value:
    """Numbers less their zero point, in int32."""
    require_quantised(x)
    made = c.cast(x, "int32")
    is_zero = zero is None or (zero.number is not None and not zero.number.any())
    return made if zero is None or is_zero else c.do("subtract", made, c.cast(zero, "int32"))


def transposed(c: Call, x: Value, perm: tuple[int, ...]) -> Value:
    """A transposed value; a constant is as its source whole numbers times a scale."""
    of = x.scaled
    if of is None or not isinstance(x, Dequantised):
        return c.transpose(x, perm)
    scale, zero = of.scale, of.zero
    if of.block:
        scale, zero = c.transpose(scale, perm), None if zero is None else c.transpose(zero, perm)
    codes, axis = c.transpose(of.codes, perm), None if of.axis is None else perm.index(of.axis)
    turned = replace(of, codes=codes, scale=scale, zero=zero, axis=axis)
    return Dequantised(codes.dims, x.dtype, turned, lambda: c.transpose(x, perm))


def reshaped(c: Call, x: Value, sizes: Sequence[Expr]) -> Value:
    """A value in another shape. A constant is still whole numbers times a scale where a matrix is made of it whose
    blocks were rows, as they are written where no operator has blocks."""
    of, shape = x.scaled, [s.value for s in sizes]
    if of is None or not isinstance(x, Dequantised) or (of.zero is not None and of.zero.dims != of.scale.dims):
        return c.reshape(x, sizes)
    own = [c.size(x, axis) for axis in range(x.rank)]
    by_rows = of.axis == x.rank - 1 and of.block >= own[-1] if of.block else of.axis == 0 and x.rank == 2
    if by_rows and len(shape) == 2 and own[-1] and (shape[1] or 0) % own[-1] == 0 and shape != own:
        axis, block, cells = 1, own[-1], (sizes[0], sizes[1] // own[-1])
    elif x.rank == 3 and of.axis == 1 and of.block >= own[1] and shape == [own[0] * own[1], own[2]]:
        axis, block, cells = 0, own[1], (x.dims[0], x.dims[2])
    else:
        return c.reshape(x, sizes)
    codes, scale = c.reshape(of.codes, sizes), c.reshape(of.scale, cells)
    zero = None if of.zero is None else c.reshape(of.zero, cells)
    return Dequantised(codes.dims, x.dtype, Scaled(codes, scale, zero, axis, block), lambda: c.reshape(x, sizes))


def cast(c: Call, x: Value, dtype: str) -> Value:
    """A value in another dtype; a constant is in one of floats still whole numbers times a scale."""
    if x.scaled is None or not isinstance(x, Dequantised) or dtype not in FLOATS or dtype == x.dtype:
        return c.cast(x, dtype)
    return Dequantised(x.dims, dtype, x.scaled, lambda: c.cast(x, dtype))


def product_of_integers(
    c: Call, a: Value, b: Value, product: Product, columns: int, spread: Callable[[Value], Value] = lambda v: v
) -> Value | None:
    """A product of two such values; None where it is one of floats.

    `columns` is the axis of b along which the result has columns, and `spread` makes of a number for each what it is to
    the result.
    """
    left, right = a.scaled, b.scaled
    if left is None or right is None or a.dtype != "float32" or right.codes.number is None or left.axis is not None:
        return None
    if left.block or right.block:
        return None
    if not {left.codes.dtype, right.codes.dtype} <= set(_BYTES) or right.axis not in (None, columns):
        return None
    terms = math.prod(right.codes.number.shape) // max(right.codes.number.shape[columns], 1)
    if terms * _MOST >= _SUM:
        return None
    zero = right.zero
    if zero is not None and right.axis is not None:
        zero = c.reshape(zero, [n if i == columns else 1 for i, n in enumerate(right.codes.dims)])
    weight = whole(c, right.codes, zero)
    if b.rank > 2 and not (b.rank <= 4 and _is_int8(weight)):  # convolutions, whose integers have such kernels alone
        return None
    made = product(whole(c, left.codes, left.zero), weight)
    by = right.scale if right.axis is None else spread(right.scale)
    return c.do("multiply", c.cast(made, "float32"), c.do("multiply", c.cast(left.scale, "float32"), by))


def _is_int8(weight: Value) -> bool:
    ends, array = np.iinfo(np.int8), weight.number
    return array is not None and bool(((array >= ends.min) & (array <= ends.max)).all())
