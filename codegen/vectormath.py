"""Mathematical functions that LLVM has no instruction for, as LLVM IR over one float or a vector of them.

`definition("exp", 16)` is `define internal <16 x float> @anytile.exp.v16f32(<16 x float> %x) alwaysinline`. Every
function is branch-free, calls nothing but intrinsics that are instructions everywhere, and holds its accuracy with
multiply-adds and without: constants are split so that the products which must be exact are exact in 24 bits.

Errors over all 2^32 arguments, subnormal arguments and results included. `off` is the distance to the correctly rounded
float32 in units of its last place, as `FUNCTIONS` promises it; `error` the real error in such units before rounding.

                 with multiply-adds (AVX-512)      without (SSE2)
                 off     error                     off     error
    exp          1       1.05                      1       1.03
    log          1       1.24                      1       1.26
    tanh         2       1.93                      2       1.96
    erf          2       1.90                      3       2.55   (off by 3 at 8 of the arguments)
    sigmoid      2       2.41                      2       2.41
    gelu         4       3.58                      4       3.87
    gelu_tanh    3       3.46                      3       3.46

Special values: NaN gives NaN; log(+-0) = -inf, log(x < 0) = NaN; tanh, erf, gelu and gelu_tanh keep the sign of zero.
gelu and gelu_tanh of -inf are -0, their limit. exp, sigmoid, gelu and gelu_tanh run into subnormals and then into zero;
such results are rounded once, and are as close in units of their own last place.

The polynomials are minimax fits by Remez exchange, made in 40 digits and rounded to float32 afterwards. `r`, `f`, `t`
are the reduced arguments of the code; errors are those before rounding, relative to what is named.

    _EXPM1  (e^r - 1 - r) / r^2            |r| <= 0.350      degree 4   1.4e-8 of e^r - 1
    _LOG    (log(1+f) - f + f^2/2) / f^3   |f| <= 1/3        degree 6   3.7e-8 of log(1+f)
    _ERF    log(erfc t) / t + 1.125        0 <= t <= 4       degree 8   4.0e-9 of erf t
    _GELU   (t + 2.5) e^(t^2/2) Phi(-t)    0 <= t <= 14.6    degree 9   1.5e-8, in powers of t / (t + 2.5) - 0.25
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from anytile.codegen.lanewise import Lanes, Value, mad, polynomial, select
from anytile.schedules.errors import CodegenError

_LOG2E = 1.4426950408889634
_LN2_HIGH = 0.693145751953125  # 16 bits: its multiples by whole numbers of 8 bits are exact
_LN2_LOW = 1.428606820309417e-06
_ROUND = 12582912.0  # 1.5 * 2^23: a sum with it is a whole number, which stands in its low bits
_TANH_1 = 1.5957691216057308  # 2 sqrt(2 / pi)
_TANH_3 = _TANH_1 * 0.044715

_EXPM1 = (0.4999999701976776, 0.16666537523269653, 0.04166717454791069, 0.008367258124053478, 0.001388653996400535)
_LOG = (
    0.3333326578140259,
    -0.2500423789024353,
    0.20007918775081635,
    -0.1647232621908188,
    0.14042317867279053,
    -0.1512218713760376,
    0.13820196688175201,
)
_ERF = (
    -0.0033791717141866684,
    -0.6366193890571594,
    -0.10277783125638962,
    0.019153064116835594,
    0.00016039713227655739,
    -0.0016670284094288945,
    0.0006328372983261943,
    -0.00011764134978875518,
    9.256266821466852e-06,
)
_GELU = (
    0.9544039964675903,
    -1.1028873920440674,
    0.38951992988586426,
    0.26825523376464844,
    -0.1064969077706337,
    -0.1484919786453247,
    -0.025391103699803352,
    0.06556708365678787,
    0.10165257751941681,
    -0.08056671172380447,
)


@dataclass(frozen=True, slots=True)
class Function:
    """What a function means, and how far it may be off the correctly rounded float32, in units of its last place."""

    ulp: int
    meaning: str
    body: Callable[[Value], Value]


def definition(name: str, lanes: int) -> str:
    """The function over `lanes` floats as LLVM IR; the intrinsics that it calls are for the module to declare."""
    if name not in FUNCTIONS:
        raise CodegenError(f"function {name!r} is not one of {', '.join(FUNCTIONS)}; give it a body in vectormath")
    if lanes < 1 or lanes & (lanes - 1):
        raise CodegenError(f"function {name!r} over {lanes} lanes: a power of two was expected")
    body = Lanes(lanes)
    kind, suffix = body.type("float"), body.suffix("float")
    result = FUNCTIONS[name].body(Value(body, "float", "%x"))
    head = f"define internal {kind} @anytile.{name}.{suffix}({kind} %x) alwaysinline nounwind {{"
    return "\n".join([head, *body.lines, f"  ret {kind} {result.name}", "}", ""])


_USED = re.compile(r"(define internal )?(?:float|<\d+ x float>) @anytile\.(\w+)\.(?:v(\d+))?f32\(")


def needed(text: str) -> list[str]:
    """The definitions of all functions that a module's text calls and does not define itself."""
    found = [(match[2], int(match[3] or 1), match[1] is not None) for match in _USED.finditer(text)]
    given = {(name, lanes) for name, lanes, defined in found if defined}
    return [definition(*key) for key in sorted({(name, lanes) for name, lanes, _ in found} - given)]


def _at_least(bound: float, x: Value) -> Value:
    """max(bound, x), and NaN where x is NaN."""
    return select(x < bound, bound, x)


def _at_most(bound: float, x: Value) -> Value:
    return select(x > bound, bound, x)


def _exponential(bias: int, x: Value, low: Value | None = None) -> tuple[Value, Value]:
    """q and n + bias, where e^(x + low) = (1 + q) 2^n and |q| < 0.42. The number stands where floats have exponents."""
    t = mad(x, _LOG2E, _ROUND + bias)
    n = t - (_ROUND + bias)
    r = mad(n, -_LN2_HIGH, x)
    r = mad(n, -_LN2_LOW, r) if low is None else r + mad(n, -_LN2_LOW, low)
    return mad(r * r, polynomial(r, _EXPM1), r), t.bits() << 23


def _powers(top: int, s: Value) -> tuple[Value, Value]:
    """2^n = a * b, from n + 127 - top in the exponent's place. b is 2^top unless a product with a could be subnormal.

    What is multiplied by a first and by b last is rounded to a subnormal once, and overflows only when it must.
    """
    least = 3 << 23
    a = select(s > least, s, s.like(least))
    return a.as_float(), (s - a + ((127 + top) << 23)).as_float()


def _exp(x: Value) -> Value:
    q, s = _exponential(126, _at_most(89.0, _at_least(-104.0, x)))
    a, b = _powers(1, s)
    return mad(q, a, a) * b


def _log(x: Value) -> Value:
    """x = 2^k (1 + f) with 1 + f in [2/3, 4/3): k is 0 around 1, where log(1 + f) alone must be accurate."""
    subnormal = x < 2.0**-126
    bits = select(subnormal, x * 2.0**23, x).bits()
    above = bits - 0x3F2AAAAB  # the bits of 2/3
    f = (bits - (above & -(1 << 23))).as_float() - 1.0
    whole = above >> 23
    k = select(subnormal, whole - 23, whole).to_float()
    square = f * f
    rest = mad(f * square, polynomial(f, _LOG), mad(k, _LN2_LOW, square * -0.5))
    found = select(x < float("inf"), mad(k, _LN2_HIGH, f + rest), x)
    return select(x > 0.0, found, select(x.compare("eq", 0.0), float("-inf"), x.like(float("nan"))))


def _tanh(x: Value) -> Value:
    """(1 - e) / (1 + e) for e = e^(-2|x|): each side is rounded by itself, so that their errors do not add up."""
    q, s = _exponential(127, _at_most(10.0, x.magnitude()) * -2.0)
    p = s.as_float()
    return (mad(q, -p, 1.0 - p) / mad(q, p, p + 1.0)).signed_as(x)


def _erf(x: Value) -> Value:
    """1 - e^log(erfc |x|). The logarithm is nearly linear at 0, where 1 - e^y is as accurate as y."""
    t = _at_most(4.0, x.magnitude())
    q, s = _exponential(127, mad(t, -1.125, t * polynomial(t, _ERF)))
    p = s.as_float()
    return mad(q, -p, 1.0 - p).signed_as(x)


def _sigmoid(x: Value) -> Value:
    """e / (1 + e) below 0 and 1 / (1 + e) above, for e = e^-|x|."""
    q, s = _exponential(127, _at_least(-104.0, -x.magnitude()))
    a, b = _powers(0, s)
    e = mad(q, a, a) * b
    return select(x < 0.0, e, x.like(1.0)) / (e + 1.0)


def _gelu(x: Value) -> Value:
    """max(x, 0) - |x| Phi(-|x|), and the tail is e^(-x^2/2) times a smooth function.

    The exponent is needed to more than 24 bits: |x| is parted into 12 bits, whose square is exact, and a rest.
    """
    t = _at_most(15.0, x.magnitude())
    high = (t.bits() & -(1 << 12)).as_float()
    q, s = _exponential(127, high * high * -0.5, (t - high) * (t + high) * -0.5)
    a, b = _powers(0, s)
    ratio = t / (t + 2.5)
    smooth = ratio * polynomial(ratio - 0.25, _GELU) * a
    return _positive_part_less(mad(smooth, q, smooth), b, x)


def _gelu_tanh(x: Value) -> Value:
    """x sigmoid(y) for y = 2 sqrt(2/pi) (x + 0.044715 x^3), as max(x, 0) - |x| e / (1 + e) for e = e^-|y|.

    The exponent is needed to more than 24 bits, and only doubles hold a product of three to that.
    """
    t = _at_most(11.0, x.magnitude())
    d = t.to_double()
    y = d * (d * d * -_TANH_3 - _TANH_1)
    high = y.to_float()
    q, s = _exponential(127, high, (y - high.to_double()).to_float())
    a, b = _powers(0, s)
    e = mad(q, a, a)
    return _positive_part_less(t * e / mad(e, b, 1.0), b, x)


def _positive_part_less(a: Value, b: Value, x: Value) -> Value:
    """max(x, 0) - a b for a, b >= 0; where that is zero it has the sign of x."""
    return mad(a, -b, select(x < -0.0, -0.0, x))


FUNCTIONS = {
    "exp": Function(2, "exp(x)", _exp),
    "log": Function(2, "log(x)", _log),
    "tanh": Function(2, "tanh(x)", _tanh),
    "erf": Function(2, "erf(x)", _erf),
    "sigmoid": Function(2, "1 / (1 + exp(-x))", _sigmoid),
    "gelu": Function(4, "0.5 * x * (1 + erf(x / sqrt(2)))", _gelu),
    "gelu_tanh": Function(4, "0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))", _gelu_tanh),
}
