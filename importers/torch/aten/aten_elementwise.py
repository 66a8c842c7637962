"""ATen's elementwise operators: arithmetic under torch's promotion of dtypes, comparisons, activations, casts.

Torch has said which dtype a result has. Arithmetic is done in it, so arguments are cast to it first; comparisons are
done in the dtype that both arguments are promoted to.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from anytile.importers.core import small_floats
from anytile.importers.core.graph import Refusal, Value
from anytile.importers.torch.graph.aten_call import FLOATS, Call, Held, Row
from anytile.schedules.index.expr import const


def _unary(name: str) -> Callable[[Call], Value]:
    """An operator of the model language, in the result's dtype."""
    return lambda c: c.do(name, c.cast(c.x, c.dtype))


def _whole(name: str) -> Callable[[Call], Value]:
    """The same, which leaves whole numbers as they are."""
    return lambda c: c.do(name, c.x) if c.x.dtype in FLOATS else c.x


def _both(c: Call, first: str = "self", second: str = "other", dtype: str = "") -> tuple[Value, Value]:
    """Two arguments in the result's dtype."""
    kind = dtype or c.dtype
    return c.valued(c.args[first], kind), c.valued(c.args[second], kind)


def _scaled(c: Call, value: Value, by: Held) -> Value:
    """A value times a number that is mostly 1."""
    return value if isinstance(by, int | float) and by == 1 else c.do("multiply", value, c.valued(by, value.dtype))


def _add(c: Call) -> Value:
    a, b = _both(c)
    if c.dtype == "bool":
        return c.do("logical_or", a, b)
    return c.do("add", a, _scaled(c, b, c.arg("alpha", 1)))


def _sub(c: Call) -> Value:
    a, b = _both(c)
    return c.do("subtract", a, _scaled(c, b, c.arg("alpha", 1)))


def _rsub(c: Call) -> Value:
    a, b = _both(c)
    return c.do("subtract", b, _scaled(c, a, c.arg("alpha", 1)))


def _mul(c: Call) -> Value:
    a, b = _both(c)
    made = c.do("logical_and" if c.dtype == "bool" else "multiply", a, b)
    return small_floats.multiplied(c, a, b, small_floats.multiplied(c, b, a, made))


def _div(c: Call) -> Value:
    a, b = _both(c)
    mode = c.arg("rounding_mode")
    if mode is None:
        return c.do("divide", a, b)
    if c.dtype in FLOATS:
        return _floored(c, a, b) if mode == "floor" else c.do("trunc", c.do("divide", a, b))
    return c.do("floor_divide" if mode == "floor" else "truncate_divide", a, b)


def _floor_divide(c: Call) -> Value:
    a, b = _both(c)
    return _floored(c, a, b) if c.dtype in FLOATS else c.do("floor_divide", a, b)


def _floored(c: Call, a: Value, b: Value) -> Value:
    """How often b goes into a, by what remains: a quotient that is rounded may be a whole number too high."""
    rest = c.do("fmod", a, b)
    times = c.do("divide", c.do("subtract", a, rest), b)
    times = c.do("where", _is_across(c, rest, b), c.do("subtract", times, c.number(1, times)), times)
    return c.do("where", c.do("equal", b, c.number(0, b)), c.do("divide", a, b), c.do("round", times))


def _is_across(c: Call, rest: Value, b: Value) -> Value:
    """Whether something remains whose sign is not the divisor's."""
    zero = c.number(0, rest)
    apart = c.do("not_equal", c.do("less", rest, zero), c.do("less", b, zero))
    return c.do("logical_and", c.do("not_equal", rest, zero), apart)


def _remainder(c: Call) -> Value:
    """With the sign of the divisor."""
    a, b = _both(c)
    if c.dtype not in FLOATS:
        return c.do("mod", a, b)
    rest = c.do("fmod", a, b)
    return c.do("where", _is_across(c, rest, b), c.do("add", rest, b), rest)


def _pow(c: Call) -> Value:
    base, exponent = c.args["self"], c.args["exponent"]
    if isinstance(exponent, int | float) and c.dtype in FLOATS:
        made = _power(c, c.valued(base, c.dtype), float(exponent))
        if made is not None:
            return made
    return c.do("pow", c.valued(base, c.dtype), c.valued(exponent, c.dtype))


def _power(c: Call, x: Value, n: float) -> Value | None:
    if n == 1:
        return x
    if n == 3:
        return c.do("multiply", c.do("square", x), x)
    name = {2.0: "square", 0.5: "sqrt", -0.5: "rsqrt", -1.0: "reciprocal"}.get(n)
    return None if name is None else c.do(name, x)


def _binary(name: str) -> Callable[[Call], Value]:
    return lambda c: c.do(name, *_both(c))


def promoted(c: Call, *names: str) -> str:
    """The dtype of arguments together: that of the highest kind, tensors before those without dimensions."""
    kinds = ("bool", "int", "float")
    best: dict[int, list[tuple[int, str]]] = {}
    for name in names:
        given = c.args[name]
        value = c.valued(given)
        level = 0 if not isinstance(given, Value) else 1 if not given.rank else 2
        kind = next(i for i, k in enumerate(kinds) if value.dtype.removeprefix("u").startswith(k))
        best.setdefault(level, []).append((kind, value.dtype))
    chosen: tuple[int, str] = (-1, "")
    for level in sorted(best, reverse=True):
        kind = max(k for k, _ in best[level])
        if kind > chosen[0]:
            widest = max(
                (d for k, d in best[level] if k == kind), key=lambda d: int("".join(filter(str.isdigit, d)) or 0)
            )
            default = {1: "int64", 2: "float32"}.get(kind, widest)
            chosen = (kind, default if level == 0 else widest)
    return chosen[1]


def _compared(name: str) -> Callable[[Call], Value]:
    def means(c: Call) -> Value:
        dtype = promoted(c, "self", "other")
        kind = "int32" if dtype == "bool" and name not in ("equal", "not_equal") else dtype
        return c.do(name, *_both(c, dtype=kind))

    return means


def _logical(name: str) -> Callable[[Call], Value]:
    return lambda c: c.do(name, truth(c, c["self"]), truth(c, c["other"]))


def truth(c: Call, x: Value) -> Value:
    """Whether elements are not 0."""
    return x if x.dtype == "bool" else c.do("not_equal", x, c.number(0, x))


def cast_to(c: Call, x: Value, dtype: str) -> Value:
    """A tensor in another dtype; true is what is not 0."""
    return truth(c, x) if dtype == "bool" else c.cast(x, dtype)


def _bits(numbers: str, truths: str) -> Callable[[Call], Value]:
    """One operator of numbers, another of truths."""
    return lambda c: c.do(truths if c.dtype == "bool" else numbers, *_both(c))


def _where(c: Call) -> Value:
    return c.do("where", truth(c, c["condition"]), *_both(c))


def _masked_fill(c: Call) -> Value:
    x = c["self"]
    return c.do("where", c["mask"], c.valued(c.args["value"], x.dtype), x)


def _clamp(c: Call) -> Value:
    made = c.cast(c.x, c.dtype)
    for name, bound in (("maximum", c.arg("min")), ("minimum", c.arg("max"))):
        if bound is not None:
            made = c.do(name, made, c.valued(bound, c.dtype))
    return made


def _gelu(c: Call) -> Value:
    return c.do("gelu_tanh" if c.arg("approximate", "none") == "tanh" else "gelu", c.x)


def _less_than(c: Call, x: Value, number: float, low: Value, high: Value) -> Value:
    return c.do("where", c.do("less", x, c.number(number, x)), low, high)


def _expm1(c: Call, x: Value) -> Value:
    """Near 0 by its series: the subtraction has no digits left there. In 64 bits the logarithm says what it lost."""
    one = c.number(1, x)
    if x.dtype == "float64":
        power = c.do("exp", x)
        apart = c.do("subtract", power, one)
        near = c.do("divide", c.do("multiply", apart, x), c.do("log", power))
        near = c.do("where", c.do("equal", power, one), x, near)
        return _less_than(c, c.do("abs", x), 0.5, near, apart)
    half = c.do("multiply", x, c.number(0.5, x))
    third = c.do("multiply", c.do("square", x), c.number(1 / 6, x))
    near = c.do("multiply", x, c.do("add", one, c.do("add", half, third)))
    far = c.do("subtract", c.do("exp", x), one)
    return _less_than(c, c.do("abs", x), 1e-2, near, far)


def _log1p(c: Call, x: Value) -> Value:
    """The same for the logarithm: in 64 bits times what the sum with 1 has rounded away."""
    one = c.number(1, x)
    whole = c.do("add", x, one)
    if x.dtype == "float64":
        near = c.do("divide", c.do("multiply", c.do("log", whole), x), c.do("subtract", whole, one))
        near = c.do("where", c.do("equal", whole, one), x, near)
        return _less_than(c, c.do("abs", x), 0.5, near, c.do("log", whole))
    half = c.do("multiply", x, c.number(-0.5, x))
    third = c.do("multiply", c.do("square", x), c.number(1 / 3, x))
    near = c.do("multiply", x, c.do("add", one, c.do("add", half, third)))
    return _less_than(c, c.do("abs", x), 1e-2, near, c.do("log", whole))


def _erfc(c: Call) -> Value:
    """1 - erf(x); far out, where nothing is left of that, exp(-x**2) / sqrt(pi) over a continued fraction.

    That is x + (1/2) / (x + (2/2) / (x + (3/2) / ...)).
    """
    x = c.cast(c.x, "float64" if c.dtype == "float64" else "float32")
    below = x
    for k in range(72 if x.dtype == "float64" else 24, 0, -1):
        below = c.do("add", x, c.do("divide", c.number(k / 2, x), below))
    power = c.do("exp", c.do("negative", c.do("square", x)))
    far = c.do("divide", c.do("multiply", power, c.number(1 / math.sqrt(math.pi), x)), below)
    return c.cast(_less_than(c, x, 1.5, c.do("subtract", c.number(1, x), c.do("erf", x)), far), c.dtype)


def _elu(c: Call) -> Value:
    """alpha * (exp(x * input_scale) - 1) below 0, and all of it times scale."""
    x, scale = c.x, c.arg("scale", 1.0)
    low = _scaled(c, _expm1(c, _scaled(c, x, c.arg("input_scale", 1.0))), c.arg("alpha", 1.0))
    return _scaled(c, _less_than(c, x, 0, low, x), scale)


def _celu(c: Call) -> Value:
    alpha = c.arg("alpha", 1.0)
    return _less_than(c, c.x, 0, _scaled(c, _expm1(c, _scaled(c, c.x, 1 / alpha)), alpha), c.x)


def _selu(c: Call) -> Value:
    low = _scaled(c, _expm1(c, c.x), 1.6732632423543772848170429916717)
    return _scaled(c, _less_than(c, c.x, 0, low, c.x), 1.0507009873554804934193349852946)


def _hard(c: Call, x: Value) -> Value:
    """What lies between 0 and 1 of x / 6 + 1 / 2."""
    line = c.do("add", c.do("multiply", x, c.number(1 / 6, x)), c.number(0.5, x))
    return c.do("clip", line, min=0.0, max=1.0)


def _soft_plus(c: Call, x: Value) -> Value:
    """log(1 + exp(x)) without an exponential that overflows."""
    return c.do("add", c.do("relu", x), _log1p(c, c.do("exp", c.do("negative", c.do("abs", x)))))


def _softplus(c: Call) -> Value:
    x, beta, limit = c.x, c.arg("beta", 1), c.arg("threshold", 20)
    scaled = _scaled(c, x, beta)
    return _less_than(c, scaled, limit, _scaled(c, _soft_plus(c, scaled), 1 / beta), x)


def _log_sigmoid(c: Call) -> Value:
    return c.do("negative", _soft_plus(c, c.do("negative", c.x)))


def _cast(c: Call) -> Value:
    told = c.told[0]
    made = cast_to(c, rounded(c, c.x, c.narrow), c.dtype)
    made = made if told is None or told.narrow == c.narrow else rounded(c, made, told.narrow)
    return small_floats.widened(c, c.x, made)


def rounded(c: Call, x: Value, narrow: str) -> Value:
    """x as floats of 16 bits hold it, in float32: to the nearest, halves to even bits."""
    return c.graph.widened(c.graph.rounded(x, narrow)) if narrow else x


def _round(c: Call) -> Value:
    x, decimals = c.x, c.count("decimals")
    if x.dtype not in FLOATS:
        return x
    if not decimals:
        return c.do("round", x)
    factor = c.number(10.0**decimals, x)
    return c.do("divide", c.do("round", c.do("multiply", x, factor)), factor)


def _lerp(c: Call) -> Value:
    a, b = _both(c, "self", "end")
    return c.do("add", a, c.do("multiply", c.valued(c.args["weight"], c.dtype), c.do("subtract", b, a)))


def _with_product(name: str) -> Callable[[Call], Value]:
    """self + value * (tensor1 * tensor2), or their quotient."""

    def means(c: Call) -> Value:
        both = c.do(name, *_both(c, "tensor1", "tensor2"))
        return c.do("add", c.valued(c.args["self"], c.dtype), _scaled(c, both, c.arg("value", 1)))

    return means


def _logs(base: float) -> Callable[[Call], Value]:
    def means(c: Call) -> Value:
        made = c.do("log", c.cast(c.x, c.dtype))
        return c.do("multiply", made, c.number(1 / math.log(base), made))

    return means


def _glu(c: Call) -> Value:
    axis = c.dim("dim", -1)
    half = c.shape[axis]
    gate = c.do("sigmoid", c.part(c.x, axis, half, half * 2))
    return c.do("multiply", c.part(c.x, axis, const(0), half), gate)


def _dropout(c: Call) -> Value:
    refuse_dropout(c, c.arg("p"))
    return c.x


def _native_dropout(c: Call) -> tuple[Value, None]:
    """With the mask of what was kept behind; what torch does not say is training."""
    refuse_dropout(c, c.arg("p"))
    return c.x, None


def refuse_dropout(c: Call, p: float) -> None:
    if c.arg("train", True) and p != 0.0:
        raise Refusal("dropout in training mode; call model.eval() first")


def _rrelu(c: Call) -> tuple[Value, None]:
    """A slope at random in training, and behind it what was drawn; else the one in the middle."""
    if c.arg("training", False):
        raise Refusal("rrelu in training mode; call model.eval() first")
    slope = (c.arg("lower", 1 / 8) + c.arg("upper", 1 / 3)) / 2
    return c.do("leaky_relu", c["self"], alpha=slope), None


def _prelu(c: Call) -> Value:
    x, slope = c.x, c["weight"]
    if slope.rank == 1 and x.rank > 1:
        slope = c.reshape(slope, (*slope.dims, *[1] * (x.rank - 2)))
    return _less_than(c, x, 0, c.do("multiply", x, slope), x)


def _atan2(c: Call) -> Value:
    """The angle of a quotient, moved by half a turn on the left; the signs decide where both are 0 or infinite."""
    y, x = _both(c)
    zero, pi = c.number(0, x), c.number(math.pi, x)
    half = c.do("where", _is_below(c, y), c.number(-math.pi, x), pi)
    far = c.do("logical_and", c.do("isinf", x), c.do("isinf", y))
    ratio = c.do("where", far, c.do("multiply", c.do("sign", y), c.do("sign", x)), c.do("divide", y, x))
    nothing = c.do("logical_and", c.do("equal", y, zero), c.do("equal", x, zero))
    angle = c.do("where", nothing, y, c.do("atan", ratio))
    return c.do("where", _is_below(c, x), c.do("add", angle, half), angle)


def _is_below(c: Call, x: Value) -> Value:
    """Whether a number is below 0 or is -0, whose reciprocal is below 0."""
    zero = c.number(0, x)
    return c.do("logical_or", c.do("less", x, zero), c.do("less", c.do("reciprocal", x), zero))


def _is_signed(c: Call, x: Value) -> Value:
    """Whether the bit of the sign is set, as -0 and some NaN have it."""
    if x.dtype in FLOATS:
        x = c.do("bit_cast", x, dtype="int64" if x.dtype == "float64" else "int32")
    return c.graph.constant(np.zeros((), bool)) if x.dtype == "bool" else c.do("less", x, c.number(0, x))


def _signbit(c: Call) -> Value:
    return c.broadcast(_is_signed(c, c.x), c.x.dims)


def _copysign(c: Call) -> Value:
    size, sign = _both(c)
    size = c.do("abs", size)
    return c.do("where", _is_signed(c, sign), c.do("negative", size), size)


def _number_of(name: str) -> Callable[[Call], Value]:
    """One of two, of which NaN is none if the other is a number."""

    def means(c: Call) -> Value:
        a, b = _both(c)
        if c.dtype not in FLOATS:
            return c.do(name, a, b)
        return c.do("where", c.do("isnan", a), b, c.do("where", c.do("isnan", b), a, c.do(name, a, b)))

    return means


def _hypot(c: Call) -> Value:
    """The length of two sides, of which the larger is taken out, for squares overflow; infinite if one is."""
    a, b = (c.do("abs", side) for side in _both(c))
    long, short = c.do("maximum", a, b), c.do("minimum", a, b)
    share = c.do("divide", short, c.do("where", c.do("equal", long, c.number(0, long)), c.number(1, long), long))
    made = c.do("multiply", long, c.do("sqrt", c.do("add", c.do("square", share), c.number(1, share))))
    far = c.do("logical_or", c.do("isinf", a), c.do("isinf", b))
    return c.do("where", far, c.number(math.inf, made), made)


def _ldexp(c: Call) -> Value:
    x, exponent = _both(c)
    return c.do("multiply", x, c.do("pow", c.number(2, x), exponent))


def _next_after(c: Call) -> Value:
    """The next number on the way to another: numbers of one sign are in the order of their bits."""
    if c.narrow:
        raise Refusal(f"the next number in {c.narrow}, which is computed in float32")
    x, to = _both(c)
    own = c.do("bit_cast", x, dtype="int64" if x.dtype == "float64" else "int32")
    zero = c.number(0, x)
    grows = c.do("equal", c.do("greater", to, x), c.do("greater", x, zero))
    step = c.do("where", grows, c.number(1, own), c.number(-1, own))
    near = c.do("bit_cast", c.do("add", own, step), dtype=x.dtype)
    least = c.number(float(np.finfo(x.dtype).smallest_subnormal), x)
    from_zero = c.do("where", c.do("greater", to, zero), least, c.do("negative", least))
    near = c.do("where", c.do("equal", x, zero), from_zero, near)
    near = c.do("where", c.do("equal", x, to), to, near)
    none = c.do("logical_or", c.do("isnan", x), c.do("isnan", to))
    return c.do("where", none, c.do("add", x, to), near)


def _sign(c: Call) -> Value:
    """1, 0 or -1; of NaN it is 0."""
    x = c.cast(c.x, c.dtype)
    made = c.do("sign", x)
    return made if x.dtype not in FLOATS else c.do("where", c.do("isnan", x), c.number(0, x), made)


ROWS = (
    *(
        Row(name, _unary(ours))
        for name, ours in {
            "abs": "abs",
            "exp": "exp",
            "log": "log",
            "neg": "negative",
            "_neg_view": "negative",
            "reciprocal": "reciprocal",
            "relu": "relu",
            "sigmoid": "sigmoid",
            "silu": "silu",
            "sqrt": "sqrt",
            "rsqrt": "rsqrt",
            "square": "square",
            "tanh": "tanh",
            "erf": "erf",
            "sin": "sin",
            "cos": "cos",
            "tan": "tan",
            "asin": "asin",
            "acos": "acos",
            "atan": "atan",
            "sinh": "sinh",
            "cosh": "cosh",
            "asinh": "asinh",
            "acosh": "acosh",
            "atanh": "atanh",
        }.items()
    ),
    *(Row(name, _whole(name)) for name in ("floor", "ceil", "trunc")),
    Row("round", _round),
    Row("sign", _sign),
    Row("sgn", _sign),
    Row("add", _add),
    Row("sub", _sub),
    Row("rsub", _rsub),
    Row("mul", _mul),
    Row("div", _div),
    Row("true_divide", _div),
    Row("floor_divide", _floor_divide),
    Row("remainder", _remainder),
    Row("fmod", _binary("fmod")),
    Row("pow", _pow),
    Row("signbit", _signbit),
    Row("copysign", _copysign),
    Row("fmax", _number_of("maximum")),
    Row("fmin", _number_of("minimum")),
    Row("hypot", _hypot),
    Row("ldexp", _ldexp),
    Row("nextafter", _next_after),
    Row("maximum", _bits("maximum", "logical_or")),
    Row("minimum", _bits("minimum", "logical_and")),
    Row("atan2", _atan2),
    *(
        Row(name, _compared(ours))
        for name, ours in {
            "eq": "equal",
            "ne": "not_equal",
            "lt": "less",
            "le": "less_equal",
            "gt": "greater",
            "ge": "greater_equal",
        }.items()
    ),
    Row("logical_and", _logical("logical_and")),
    Row("logical_or", _logical("logical_or")),
    Row("logical_xor", _logical("not_equal")),
    Row("logical_not", lambda c: c.do("logical_not", truth(c, c.x))),
    Row("bitwise_and", _bits("bitwise_and", "logical_and")),
    Row("bitwise_or", _bits("bitwise_or", "logical_or")),
    Row("bitwise_xor", _bits("bitwise_xor", "not_equal")),
    Row("__and__", _bits("bitwise_and", "logical_and")),
    Row("__or__", _bits("bitwise_or", "logical_or")),
    Row("__xor__", _bits("bitwise_xor", "not_equal")),
    Row("bitwise_not", lambda c: c.do("logical_not" if c.dtype == "bool" else "bitwise_not", c.x)),
    *(Row(name, _binary("left_shift")) for name in ("bitwise_left_shift", "__lshift__")),
    *(Row(name, _binary("right_shift")) for name in ("bitwise_right_shift", "__rshift__")),
    Row("where", _where),
    Row("masked_fill", _masked_fill),
    Row("isnan", lambda c: c.do("isnan", c.cast(c.x, "float32") if c.x.dtype not in FLOATS else c.x)),
    Row("isinf", lambda c: c.do("isinf", c.cast(c.x, "float32") if c.x.dtype not in FLOATS else c.x)),
    Row("clamp", _clamp),
    Row("clamp_min", _clamp),
    Row("clamp_max", _clamp),
    Row("hardtanh", lambda c: c.do("clip", c.x, min=float(c.arg("min_val", -1)), max=float(c.arg("max_val", 1)))),
    Row("relu6", lambda c: c.do("clip", c.x, min=0.0, max=6.0)),
    Row("hardsigmoid", lambda c: _hard(c, c.x)),
    Row("hardswish", lambda c: c.do("multiply", c.x, _hard(c, c.x))),
    Row("leaky_relu", lambda c: c.do("leaky_relu", c.x, alpha=float(c.arg("negative_slope", 0.01)))),
    Row("prelu", _prelu),
    Row("rrelu_with_noise_functional", _rrelu),
    Row("rrelu_with_noise", lambda c: _rrelu(c)[0]),
    Row("rrelu", lambda c: _rrelu(c)[0]),
    Row("_prelu_kernel", _prelu),
    Row("gelu", _gelu),
    Row("elu", _elu),
    Row("celu", _celu),
    Row("selu", _selu),
    Row("glu", _glu),
    Row("softplus", _softplus),
    Row("mish", lambda c: c.do("multiply", c.x, c.do("tanh", _soft_plus(c, c.x)))),
    Row("log_sigmoid", _log_sigmoid),
    Row("log_sigmoid_forward", lambda c: (_log_sigmoid(c), None)),
    Row("expm1", lambda c: _expm1(c, c.cast(c.x, c.dtype))),
    Row("log1p", lambda c: _log1p(c, c.cast(c.x, c.dtype))),
    Row("log2", _logs(2)),
    Row("log10", _logs(10)),
    Row(
        "exp2",
        lambda c: c.do("exp", c.do("multiply", c.cast(c.x, c.dtype), c.number(math.log(2), c.cast(c.x, c.dtype)))),
    ),
    Row("erfc", _erfc),
    Row("lerp", _lerp),
    Row("addcmul", _with_product("multiply")),
    Row("addcdiv", _with_product("divide")),
    Row("dropout", _dropout),
    Row("native_dropout", _native_dropout),
    *(Row(name, _cast) for name in ("_to_copy", "to", "type_as", "prims.convert_element_type")),
    *(
        Row(name, lambda c: c.x)
        for name in ("clone", "alias", "detach", "contiguous", "lift_fresh_copy", "lift_fresh", "resolve_neg", "copy_")
    ),
    Row("copy", lambda c: c.broadcast(rounded(c, cast_to(c, c["src"], c.dtype), c.narrow), c.shape)),
)
