"""ONNX's elementwise operators: arithmetic, comparisons, activations, casts, and what is composed of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from anytile.core.dtypes import FLOAT8
from anytile.importers.core import symbolic as sizes
from anytile.importers.core.graph import Refusal, Value
from anytile.importers.core.symbolic import Array
from anytile.importers.onnx.operators.scaled import cast, to_8_bits
from anytile.importers.onnx.proto.call import Call, Row, Symbolic
from anytile.importers.onnx.proto.dtypes import dtype_name

_FLOATS = ("float32", "float64", "float16", "bfloat16")


def _same(name: str) -> Callable[[Call], Value]:
    """An operator that the model language has under this name."""
    return lambda c: c.do(name, *c.tensors)


def _symbolic(name: str) -> Symbolic:
    return lambda c, arrays: sizes.BINARY[name](*arrays)


def _legacy_axis(c: Call) -> Value:
    """The second operand, which before version 7 was broadcast as attributes say."""
    if c.version >= 7 or not c.attr("broadcast"):
        return c[1]
    axis, b = c.attr("axis"), c[1]
    if axis is None:
        return b
    behind = c.x.rank - c.axis(axis, c.x.rank) - b.rank
    return c.reshape(b, (*b.dims, *([1] * behind)))


def _binary(name: str) -> Callable[[Call], Value]:
    return lambda c: c.do(name, c.x, _legacy_axis(c))


def _equal(c: Call) -> Value:
    made, first, second = _binary("equal")(c), c.x.sizes, c[1].sizes
    if first is not None and second is not None and len(first) == len(second) == 1:
        made.equal = (first[0], second[0])
    return made


def _divide(c: Call) -> Value:
    a, b = c.x, _legacy_axis(c)
    return c.do("divide", a, b) if a.dtype in _FLOATS else c.do("truncate_divide", a, b)


def _mod(c: Call) -> Value:
    if c.attr("fmod"):
        return c.do("fmod", c.x, c[1])
    if c.x.dtype not in _FLOATS:
        return c.do("mod", c.x, c[1])
    rest, zero = c.do("fmod", c.x, c[1]), c.number(0, c.x)
    apart = c.do("not_equal", c.do("less", rest, zero), c.do("less", c[1], zero))
    wrong = c.do("logical_and", apart, c.do("not_equal", rest, zero))
    return c.do("where", wrong, c.do("add", rest, c[1]), rest)


_SHIFTS = {"LEFT": "left_shift", "RIGHT": "right_shift"}


def _shift(c: Call) -> Value:
    way = str(c.attr("direction"))
    if way not in _SHIFTS:
        raise Refusal(f"direction={way}; expected LEFT or RIGHT")
    return c.do(_SHIFTS[way], c.x, c[1])


def _pow(c: Call) -> Value:
    x, exponent = c.x, c[1]
    known = exponent.number
    if known is not None and known.size == 1 and exponent.rank <= x.rank and x.dtype in _FLOATS:
        made = _power(c, x, float(known.reshape(-1)[0]))
        if made is not None:
            return made
    return c.do("pow", x, c.cast(exponent, x.dtype))


def _power(c: Call, x: Value, n: float) -> Value | None:
    if n == 0.5:
        return c.do("sqrt", x)
    if n == -0.5:
        return c.do("rsqrt", x)
    if n == -1:
        return c.do("reciprocal", x)
    if n == 1:
        return x
    if n == 2:
        return c.do("square", x)
    if n == 3:
        return c.do("multiply", c.do("square", x), x)
    return None


def _folded(name: str) -> Callable[[Call], Value]:
    """One after the other of any number of tensors."""

    def means(c: Call) -> Value:
        made = c.x
        for other in c.tensors[1:]:
            made = c.do(name, made, other)
        return made

    return means


def _fold_sizes(name: str) -> Symbolic:
    def means(c: Call, arrays: Sequence[Array]) -> Array | None:
        made: Array | None = arrays[0]
        for other in arrays[1:]:
            made = None if made is None else sizes.BINARY[name](made, other)
        return made

    return means


def _mean(c: Call) -> Value:
    total = _folded("add")(c)
    return c.do("divide", total, c.number(len(c.tensors), total))


def _clip(c: Call) -> Value:
    x = c.x
    if c.version < 11:
        low, high = c.attr("min", -math.inf), c.attr("max", math.inf)
        return c.do("clip", x, min=float(max(low, -3.5e38)), max=float(min(high, 3.5e38)))
    made = x
    if c.maybe(1) is not None:
        made = c.do("maximum", made, c[1])
    if c.maybe(2) is not None:
        made = c.do("minimum", made, c[2])
    return made


def _below_zero(c: Call, x: Value, negative: Value, positive: Value) -> Value:
    return c.do("where", c.do("less", x, c.number(0, x)), negative, positive)


def _expm1(c: Call, x: Value) -> Value:
    return c.do("subtract", c.do("exp", x), c.number(1, x))


def _elu(c: Call) -> Value:
    x = c.x
    return _below_zero(c, x, c.do("multiply", _expm1(c, x), c.number(c.attr("alpha", 1.0), x)), x)


def _selu(c: Call) -> Value:
    x, gamma = c.x, c.attr("gamma", 1.0507009873554804934193349852946)
    low = c.do("multiply", _expm1(c, x), c.number(c.attr("alpha", 1.6732632423543772848170429916717), x))
    return c.do("multiply", _below_zero(c, x, low, x), c.number(gamma, x))


def _celu(c: Call) -> Value:
    x, alpha = c.x, c.number(c.attr("alpha", 1.0), c.x)
    low = c.do("multiply", alpha, _expm1(c, c.do("divide", x, alpha)))
    zero = c.number(0, x)
    return c.do("add", c.do("maximum", x, zero), c.do("minimum", low, zero))


def _hard_sigmoid(c: Call) -> Value:
    return _hard(c, c.x, c.attr("alpha", 0.2), c.attr("beta", 0.5))


def _hard(c: Call, x: Value, alpha: float, beta: float) -> Value:
    line = c.do("add", c.do("multiply", x, c.number(alpha, x)), c.number(beta, x))
    return c.do("clip", line, min=0.0, max=1.0)


def _softplus(c: Call) -> Value:
    """Without an exponential that overflows."""
    x, one = c.x, c.number(1, c.x)
    small = c.do("log", c.do("add", c.do("exp", c.do("negative", c.do("abs", x))), one))
    return c.do("add", c.do("relu", x), small)


def _softsign(c: Call) -> Value:
    return c.do("divide", c.x, c.do("add", c.do("abs", c.x), c.number(1, c.x)))


def _thresholded(c: Call) -> Value:
    x = c.x
    return c.do("where", c.do("greater", x, c.number(c.attr("alpha", 1.0), x)), x, c.number(0, x))


def _shrink(c: Call) -> Value:
    x, limit, bias = c.x, c.attr("lambd", 0.5), c.attr("bias", 0.0)
    up = c.do("where", c.do("less", x, c.number(-limit, x)), c.do("add", x, c.number(bias, x)), c.number(0, x))
    return c.do("where", c.do("greater", x, c.number(limit, x)), c.do("subtract", x, c.number(bias, x)), up)


def _prelu(c: Call) -> Value:
    x, slope = c.x, c[1]
    if c.version < 7 and slope.rank == 1 and x.rank > 2:  # one for each channel then
        slope = c.reshape(slope, (*slope.dims, *[1] * (x.rank - 2)))
    return _below_zero(c, x, c.do("multiply", x, slope), x)


def _swish(c: Call) -> Value:
    alpha = c.attr("alpha", 1.0)
    if alpha == 1.0:
        return c.do("silu", c.x)
    return c.do("multiply", c.x, c.do("sigmoid", c.do("multiply", c.x, c.number(alpha, c.x))))


def _gelu(c: Call) -> Value:
    return c.do("gelu_tanh" if c.attr("approximate", "none") == "tanh" else "gelu", c.x)


def _binarized(c: Call) -> Value:
    """A whole number is above a threshold where it is above the next whole one below."""
    x, threshold = c.x, float(c.attr("threshold", 0.0))
    least = threshold if x.dtype.startswith(("float", "bfloat")) else math.floor(threshold)
    return c.cast(c.do("greater", x, c.number(least, x)), x.dtype)


def _is_nan(c: Call) -> Value:
    return c.do("isnan", c.x)


def _is_inf(c: Call) -> Value:
    x, found = c.x, []
    if c.attr("detect_positive", 1):
        found.append(c.do("equal", x, c.number(math.inf, x)))
    if c.attr("detect_negative", 1):
        found.append(c.do("equal", x, c.number(-math.inf, x)))
    if not found:
        return c.do("less", x, c.number(-math.inf, x))
    return found[0] if len(found) == 1 else c.do("logical_or", *found)


def _cast(c: Call) -> Value:
    to = dtype_name(c.attr("to", 0))
    if to in FLOAT8:
        return to_8_bits(c, c.x, to, bool(c.attr("saturate", 1)))
    if c.x.dtype == "bool" and to not in ("bool",) and c.x.number is None:
        return c.do("cast", c.x, dtype=to)
    return cast(c, c.x, to)


def _cast_like(c: Call) -> Value:
    to = c[1].dtype
    return to_8_bits(c, c.x, to, bool(c.attr("saturate", 1))) if to in FLOAT8 else cast(c, c.x, to)


def _bit_cast(c: Call) -> Value:
    to = dtype_name(c.attr("to", 0))
    return c.x if to == c.x.dtype else c.do("bit_cast", c.x, dtype=to)


def _cast_sizes(c: Call, arrays: Sequence[Array]) -> Array | None:
    return arrays[0] if dtype_name(c.attr("to", 0)) in ("int64", "int32") else None


def _where_sizes(c: Call, arrays: Sequence[Array]) -> Array | None:
    condition, a, b = arrays
    return None if sizes.is_symbolic(condition) else np.where(condition, sizes.lifted(a), sizes.lifted(b))


def _negative_sizes(c: Call, arrays: Sequence[Array]) -> Array | None:
    (x,) = arrays
    return sizes.settled(sizes.array_of([-e for e in sizes.elements(x)]).reshape(x.shape), c.x.dtype)


def _leaky(c: Call) -> Value:
    return c.do("leaky_relu", c.x, alpha=float(c.attr("alpha", 0.01)))


ROWS = (
    *(
        Row(name, _same(ours))
        for name, ours in {
            "Abs": "abs",
            "Ceil": "ceil",
            "Exp": "exp",
            "Floor": "floor",
            "Log": "log",
            "Reciprocal": "reciprocal",
            "Relu": "relu",
            "Sigmoid": "sigmoid",
            "Sqrt": "sqrt",
            "Tanh": "tanh",
            "Erf": "erf",
            "Not": "logical_not",
            "Sin": "sin",
            "Cos": "cos",
            "Tan": "tan",
            "Asin": "asin",
            "Acos": "acos",
            "Atan": "atan",
            "Sinh": "sinh",
            "Cosh": "cosh",
            "Asinh": "asinh",
            "Acosh": "acosh",
            "Atanh": "atanh",
            "BitwiseAnd": "bitwise_and",
            "BitwiseOr": "bitwise_or",
            "BitwiseXor": "bitwise_xor",
            "BitwiseNot": "bitwise_not",
            "Sign": "sign",
            "Round": "round",
        }.items()
    ),
    Row("Neg", _same("negative"), _negative_sizes),
    Row("Where", _same("where"), _where_sizes),
    *(
        Row(name, _binary(ours), _symbolic(ours))
        for name, ours in {
            "Add": "add",
            "Sub": "subtract",
            "Mul": "multiply",
            "Less": "less",
            "Greater": "greater",
            "LessOrEqual": "less_equal",
            "GreaterOrEqual": "greater_equal",
        }.items()
    ),
    *(
        Row(name, _binary(ours))
        for name, ours in {
            "And": "logical_and",
            "Or": "logical_or",
            "Xor": "not_equal",
        }.items()
    ),
    Row("Equal", _equal, _symbolic("equal")),
    Row("Div", _divide, _symbolic("truncate_divide")),
    Row("Mod", _mod, _symbolic("mod")),
    Row("BitShift", _shift),
    Row("Pow", _pow),
    Row("Max", _folded("maximum"), _fold_sizes("maximum")),
    Row("Min", _folded("minimum"), _fold_sizes("minimum")),
    Row("Sum", _folded("add"), _fold_sizes("add")),
    Row("Mean", _mean),
    Row("Clip", _clip),
    Row("Elu", _elu),
    Row("Selu", _selu),
    Row("Celu", _celu),
    Row("HardSigmoid", _hard_sigmoid),
    Row("HardSwish", lambda c: c.do("multiply", c.x, _hard(c, c.x, 1 / 6, 0.5))),
    Row("LeakyRelu", _leaky),
    Row("PRelu", _prelu),
    Row("Softplus", _softplus),
    Row("Softsign", _softsign),
    Row("ThresholdedRelu", _thresholded),
    Row("Shrink", _shrink),
    Row("Swish", _swish),
    Row("Gelu", _gelu),
    Row("IsNaN", _is_nan),
    Row("IsInf", _is_inf),
    Row("Cast", _cast, _cast_sizes),
    Row("CastLike", _cast_like),
    Row("BitCast", _bit_cast),
    Row("Binarizer", _binarized, domain="ai.onnx.ml"),
)
