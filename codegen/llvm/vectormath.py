"""Mathematical functions that LLVM has no instruction for, as LLVM IR over one float or a vector of them.

`definition("exp", 16)` is `define internal <16 x float> @anytile.exp.v16f32(<16 x float> %x) alwaysinline`. Every
function calls nothing but intrinsics that are instructions of the target, and holds its accuracy with
multiply-adds and without: constants are split so that the products which must be exact are exact in 24 bits. A CPU that
has multiply-adds gives the same bits in every width, and whether it multiplies by 2^n in one instruction or in two.

Errors over all 2^32 arguments, subnormal arguments and results included. `off` is the distance to the correctly rounded
float32 in units of its last place, as `FUNCTIONS` promises it; `error` the real error in such units before rounding.

                 with multiply-adds (AVX-512)      without (SSE2)
                 off     error                     off     error
    exp          2       2.00                      2       2.28
    exp2         2       2.01                      2       2.24
    log          1       1.24                      1       1.26
    tanh         2       1.93                      2       1.96
    erf          2       1.94                      2       2.17
    sigmoid      2       2.41                      2       2.41
    gelu         4       4.40                      2       2.45
    gelu_tanh    3       3.46                      3       3.46

gelu_byte is gelu for results that are rounded to 8 bits, and is not so close: it is off by 1e-4 at most, or a millionth
part where that is more, and what is below -4.1 becomes 0. That is 0.15 of the step where 255 of them reach from gelu's
least result to 0, and 0.006 where they reach to 4; near 0, where ranges may be as small, it goes by the argument.

What is made in doubles and rounded once is the nearest float32 but for one argument in millions, and never 2 off: sin,
cos, tan of any argument, however large, asin, acos, atan, sinh, cosh, asinh, acosh, atanh, pow. sin, cos and tan jump
over the reduction of arguments from 2^23 on where there is none; all other functions are free of branches.

Special values: NaN gives NaN; log(+-0) = -inf, log(x < 0) = NaN; tanh, erf, gelu and gelu_tanh keep the sign of zero.
gelu and gelu_tanh of -inf are -0, their limit. exp, exp2, sigmoid, gelu and gelu_tanh run into subnormals and then into
zero; such results are rounded once, and are as close in units of their own last place.

The polynomials are minimax fits by Remez exchange, made in 40 digits and rounded to float32 afterwards. `r`, `f`, `t`
are the reduced arguments of the code; errors are those before rounding, relative to what is named.

    _EXPM1  (e^r - 1 - r) / r^2            |r| <= 0.350      degree 4   1.4e-8 of e^r - 1
    _LOG    (log(1+f) - f + f^2/2) / f^3   |f| <= 1/3        degree 6   3.7e-8 of log(1+f)
    _ERF    log(erfc t) / t + 1            0 <= t <= 4       degree 8   4.0e-9 of erf t

Those below were fitted by weighted least squares instead, and rounded one coefficient after the other, each time with a
new fit of the rest; errors are those with the float32 coefficients. Of many fits `_GELU` is the one whose worst result,
with all roundings, came out best.

    _EXP    e^r                            |r| <= 0.3475     degree 5   9.3e-8 of e^r, and 1 at 0
    _GELU   t e^(t^2/2) Phi(-t)            0 <= t <= 14.6    5 over 5   2.5e-8

That of gelu_byte was fitted by linear programming, with its value at the end of the interval held.

    _GELU_BYTE  (Phi(t) - 1/2) / t in t^2  |t| <= 4.1      degree 7   9.5e-5 of t Phi(t)

Those of doubles interpolate at the zeros of a Chebyshev polynomial; errors are absolute, of the ratio that is named.

    _SIN       (sin r / r - 1) / r^2 in r^2          |r| <= pi / 4    degree 5    2^-52
    _COS       (cos r - 1) / r^2 in r^2              |r| <= pi / 4    degree 5    2^-50
    _ATAN      (atan t / t - 1) / t^2 in t^2         0 <= t <= 1      degree 15   2^-43
    _ASIN      (asin t / t - 1) / t^2 in t^2         0 <= t <= 1/2    degree 10   2^-47
    _LOG_WIDE  (log((1+s)/(1-s)) / s - 2) / s^2      |s| <= 1/5       degree 7    2^-51
    _EXP_WIDE  e^r                                   |r| <= 0.3475    degree 9    2^-45
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from anytile.codegen.llvm.lanewise import PLAIN, Instructions, Lanes, Value, fused, mad, polynomial, rarely, select
from anytile.core.errors import CodegenError

_LOG2E = 1.4426950408889634
_LN2_HIGH = 0.693145751953125  # 16 bits: its multiples by whole numbers of 8 bits are exact
_LN2_LOW = 1.428606820309417e-06
_NOTHING = -104.0  # e to less than that is less than half the smallest number
_NO_POWER = -150.0  # 2 to that is half the smallest number
_ROUND = 12582912.0  # 1.5 * 2^23: a sum with it is a whole number, which stands in its low bits
_TANH_1 = 1.5957691216057308  # 2 sqrt(2 / pi)
_TANH_3 = _TANH_1 * 0.044715

_EXP = (1.0, 0.9999997019767761, 0.49999141693115234, 0.16667649149894714, 0.041899047791957855, 0.008289884775876999)
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
    -0.12837917171418667,
    -0.6366193890571594,
    -0.10277783125638962,
    0.019153064116835594,
    0.00016039713227655739,
    -0.0016670284094288945,
    0.0006328372983261943,
    -0.00011764134978875518,
    9.256266821466852e-06,
)
_GELU_SHIFT = 9.293647766113281
_GELU_BYTE_END = 4.1
_GELU_BYTE = (
    0.3984118103981018,
    -0.06543909758329391,
    0.009249323979020119,
    -0.0009380775154568255,
    6.517477595480159e-05,
    -2.910128841904225e-06,
    7.450415040466396e-08,
    -8.256573758025354e-10,
)
_GELU_OVER = (99.92401885986328, 92.1684799194336, 40.05984878540039)
_GELU_UNDER = (199.84803771972656, 343.7928161621094, 254.5003662109375, 102.91462707519531, 2.5066325664520264)


_SIN = (
    -0.1666666666666665,
    0.00833333333332537,
    -0.00019841269832661677,
    2.7557315031202327e-06,
    -2.505103513823928e-08,
    1.5916995037534224e-10,
)
_COS = (
    -0.4999999999999993,
    0.04166666666661142,
    -0.0013888888880442508,
    2.480158207200713e-05,
    -2.755578060305755e-07,
    2.0662011694777932e-09,
)
_ATAN = (
    -0.3333333333332854,
    0.1999999999760762,
    -0.14285714086566964,
    0.11111104414508388,
    -0.09090789052410664,
    0.07690989285948646,
    -0.06657027146636096,
    0.058328226780560044,
    -0.050774195786630116,
    0.04239053458468334,
    -0.032169290749152424,
    0.020768360685906373,
    -0.010592549442662857,
    0.003906928934156895,
    -0.0009125415235757828,
    0.00010038912296295166,
)
_ASIN = (
    0.16666666666666924,
    0.07499999999738763,
    0.044642857566086616,
    0.03038191804104041,
    0.02237299689799825,
    0.017337378054931334,
    0.014139316700906913,
    0.010298576205968853,
    0.015415156429464177,
    -0.006765972484241838,
    0.02782648259943182,
)
_LOG_WIDE = (
    0.6666666666666663,
    0.4000000000004913,
    0.28571428555085343,
    0.22222224376395705,
    0.1818167172746655,
    0.15390412904937475,
    0.13194746048960507,
    0.13637337032665794,
)
_EXP_WIDE = (
    1.0000000000000144,
    1.0000000000000075,
    0.49999999999409994,
    0.1666666666653738,
    0.04166666705472304,
    0.00833333339418917,
    0.0013888799616766066,
    0.0001984115765476149,
    2.4885433828308645e-05,
    2.764577251526009e-06,
)
_LN2 = 0.6931471805599453
_ROUND_WIDE = 6755399441055744.0  # 1.5 * 2^52: as _ROUND, of doubles
_HALF_PI = 1.5707963267948966
_HALF_PI_HIGH = 1.5707963258028030395507812  # 27 bits: its multiples by whole numbers of 23 bits are exact
_HALF_PI_LOW = 9.920935796805404e-10
# Two zeros and the binary digits of 2 / pi behind its point.
_TWO_OVER_PI = (0x28BE60DB, 0x9391054A, 0x7F09D5F4, 0x7D4D3770, 0x36D8A566, 0x4F10E410, 0x7F9458EA)


@dataclass(frozen=True, slots=True)
class Function:
    """What a function means, and how far it may be off the correctly rounded float32, in units of its last place.

    `arity` is how many floats it takes; `branches` says that it jumps over code that few arguments need. One that may
    be off by more than a last place has an `error` instead, which is absolute.
    """

    ulp: int
    meaning: str
    body: Callable[..., Value]
    arity: int = 1
    branches: bool = False
    error: float = 0.0


def definition(name: str, lanes: int, instructions: Instructions = PLAIN) -> str:
    """The function over `lanes` floats as LLVM IR; the intrinsics that it calls are for the module to declare."""
    if name not in FUNCTIONS:
        raise CodegenError(f"function {name!r} is not one of {', '.join(FUNCTIONS)}; give it a body in vectormath")
    if lanes < 1 or lanes & (lanes - 1):
        raise CodegenError(f"function {name!r} over {lanes} lanes: a power of two was expected")
    body = Lanes(lanes, instructions)
    kind, suffix = body.type("float"), body.suffix("float")
    names = ("%x", "%y")[: FUNCTIONS[name].arity]
    result = FUNCTIONS[name].body(*(Value(body, "float", x) for x in names))
    given = ", ".join(f"{kind} {x}" for x in names)
    head = f"define internal {kind} @anytile.{name}.{suffix}({given}) alwaysinline nounwind {{"
    return "\n".join([head, *body.lines, f"  ret {kind} {result.name}", "}", ""])


_USED = re.compile(r"@anytile\.(\w+)\.(?:v(\d+))?f32\(")  # begins with letters, for which texts are searched fast


def needed(text: str, instructions: Instructions = PLAIN) -> list[str]:
    """The definitions of all functions that a module's text calls and does not define itself."""
    called, given = set[tuple[str, int]](), set[tuple[str, int]]()
    for match in _USED.finditer(text):
        is_defined = text.startswith("define ", text.rfind("\n", 0, match.start()) + 1)
        (given if is_defined else called).add((match[1], int(match[2] or 1)))
    return [definition(*key, instructions) for key in sorted(called - given)]


def _at_least(bound: float, x: Value) -> Value:
    """max(bound, x), and NaN where x is NaN."""
    return select(x < bound, bound, x)


def _at_most(bound: float, x: Value) -> Value:
    return select(x > bound, bound, x)


@dataclass(frozen=True, slots=True)
class _Power:
    """2^n: n as a float, and n + 127 - top where floats have their exponents."""

    n: Value
    s: Value
    top: int

    def factors(self) -> tuple[Value, Value]:
        """2^n = a * b. b is 2^top unless a product with a could be subnormal.

        What is multiplied by a first and by b last is rounded to a subnormal once, and overflows only when it must.
        """
        least = 3 << 23
        a = select(self.s > least, self.s, self.s.like(least))
        return a.as_float(), (self.s - a + ((127 + self.top) << 23)).as_float()

    def of(self, value: Value) -> Value:
        """value * 2^n, rounded once."""
        scaling = value.lanes.instructions.scaling
        return self.finish(value if scaling else value * self.factors()[0])

    def begin(self, q: Value) -> Value:
        """(1 + q) times a; what `finish` multiplies by the rest of 2^n, rounded to a subnormal if need be."""
        if q.lanes.instructions.scaling:
            return q + 1.0
        a, _ = self.factors()
        return mad(q, a, a)

    def finish(self, value: Value) -> Value:
        scaling = value.lanes.instructions.scaling
        return value.scaled(self.n) if scaling else value * self.factors()[1]


def _reduced(x: Value, top: int, low: Value | None = None, unit: float = 1.0) -> tuple[Value, _Power]:
    """r and 2^n, where e^(x + low) = e^r 2^n, |r| < 0.35 and n <= top; x, low and r are in multiples of `unit`."""
    bias = 127 - top
    t = mad(x, _LOG2E * unit, _ROUND + bias)
    n = t - (_ROUND + bias)
    r = mad(n, -_LN2_HIGH / unit, x)
    r = mad(n, -_LN2_LOW / unit, r) if low is None else r + mad(n, -_LN2_LOW / unit, low)
    return r, _Power(n, t.bits() << 23, top)


def _expm1(r: Value) -> Value:
    return mad(r * r, polynomial(r, _EXPM1), r)


def _exponential(x: Value, low: Value | None = None) -> tuple[Value, Value]:
    """q and p, where e^(x + low) = (1 + q) p for a normal power of two p, and |q| < 0.42."""
    r, power = _reduced(x, 0, low)
    return _expm1(r), power.s.as_float()


def _exp(x: Value) -> Value:
    """What becomes 0 is 0 before it is scaled: CPUs take some hundred cycles for a result that is too small, and masks
    are made of such arguments."""
    bounded = x if x.lanes.instructions.scaling else _at_least(_NOTHING, x)
    r, power = _reduced(_at_most(89.0, bounded), 1)
    return power.of(select(x < _NOTHING, 0.0, polynomial(r, _EXP)))


def _exp2(x: Value) -> Value:
    bounded = x if x.lanes.instructions.scaling else _at_least(_NO_POWER, x)
    bounded, bias = _at_most(129.0, bounded), 126
    t = bounded + (_ROUND + bias)
    n = t - (_ROUND + bias)
    power = _Power(n, t.bits() << 23, 127 - bias)
    return power.of(select(x < _NO_POWER, 0.0, polynomial((bounded - n) * _LN2, _EXP)))


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
    q, p = _exponential(_at_most(10.0, x.magnitude()) * -2.0)
    return (mad(q, -p, 1.0 - p) / mad(q, p, p + 1.0)).signed_as(x)


def _erf(x: Value) -> Value:
    """1 - e^log(erfc |x|). The logarithm is nearly linear at 0, where 1 - e^y is as accurate as y."""
    t = _at_most(4.0, x.magnitude())
    q, p = _exponential(t * polynomial(t, _ERF) - t)
    return mad(q, -p, 1.0 - p).signed_as(x)


def _sigmoid(x: Value) -> Value:
    """e / (1 + e) below 0 and 1 / (1 + e) above, for e = e^-|x|."""
    r, power = _reduced(_at_least(-104.0, -x.magnitude()), 0)
    e = power.finish(power.begin(_expm1(r)))
    return select(x < 0.0, e, x.like(1.0)) / (e + 1.0)


def _gelu(x: Value) -> Value:
    """max(x, 0) - |x| Phi(-|x|), and the tail is e^(-x^2/2) times a smooth function, which a ratio comes near to.

    All coefficients of the ratio are positive, and both of its sides have (t + 9.3) t^2 in them, whose error cancels.
    r is in multiples of -1/2, which spares the products with it. The exponent is needed to more than 24 bits; without
    multiply-adds double the bits hold it, and the ratio, which would be rounded too often, as well.
    """
    t = _at_most(15.0, x.magnitude())
    has_fused = t.lanes.instructions.fused
    u = t if has_fused else t.to_double()
    y, c, d = u * u, _GELU_OVER, _GELU_UNDER
    high, low = (y, fused(t, t, -y)) if has_fused else _parts(y)
    r, power = _reduced(high, 0, low, -0.5)
    q = r * polynomial(r, (-0.5, *(e * (-0.5) ** k for k, e in enumerate(_EXPM1, 2))))
    first = y * (u + _GELU_SHIFT)
    over = mad(y, first + mad(u, c[2], c[1]), u * c[0])
    under = mad(y, mad(first, d[4], mad(u, d[3], d[2])), mad(u, d[1], d[0]))
    smooth = over / under if has_fused else (over / under).to_float()
    return _positive_part(x) - power.of(mad(smooth, q, smooth))


def _parts(d: Value) -> tuple[Value, Value]:
    """A double as the sum of two floats."""
    high = d.to_float()
    return high, (d - high.to_double()).to_float()


def _gelu_tanh(x: Value) -> Value:
    """x sigmoid(y) for y = 2 sqrt(2/pi) (x + 0.044715 x^3), as max(x, 0) - |x| e / (1 + e) for e = e^-|y|.

    The exponent is needed to more than 24 bits, and only doubles hold a product of three to that.
    """
    t = _at_most(11.0, x.magnitude())
    d = t.to_double()
    high, low = _parts(d * (d * d * -_TANH_3 - _TANH_1))
    r, power = _reduced(high, 0, low)
    e = power.begin(_expm1(r))
    return _positive_part(x) - power.finish(t * e / (power.finish(e) + 1.0))


def _gelu_byte(x: Value) -> Value:
    """x Phi(x), where Phi(t) - 1/2 is t times a polynomial in t^2, and Phi is 0 or 1 beyond its ends."""
    above = _at_least(-_GELU_BYTE_END, x)
    t = _at_most(_GELU_BYTE_END, above)
    return above * mad(t, polynomial(t * t, _GELU_BYTE), 0.5)


def _positive_part(x: Value) -> Value:
    """max(x, 0); a zero has the sign of x, and so has what is left of it when nothing is subtracted."""
    return select(x < -0.0, -0.0, x)


def _quadrant(x: Value) -> tuple[Value, Value]:
    """q and r for |x| = (pi / 2) (4 n + q) + r: the quadrant in two bits, and a double.

    Below 2^23 the multiple of pi / 2 is subtracted in two parts. From there on |x| is a whole number m 2^e, and of
    2 / pi only those 96 bits count whose products with it are less than 4 and more than r can feel.
    """
    t = x.magnitude()
    d = t.to_double()
    shifted = mad(d, 1.0 / _HALF_PI, _ROUND_WIDE)
    n = shifted - _ROUND_WIDE
    r = mad(n, -_HALF_PI_LOW, mad(n, -_HALF_PI_HIGH, d))

    def huge() -> tuple[Value, Value]:
        bits = t.bits()
        m, e = (bits & 0x7FFFFF).to_long() + 0x800000, (bits >> 23).to_long() - 150
        at, down = e >> 5, e & 31
        words = []
        for k in range(4):
            word = e.like(_TWO_OVER_PI[k + 3])
            for first in (2, 1, 0):
                word = select(at < first + 1, _TWO_OVER_PI[k + first], word)
            words.append(word)
        above, below = (words[0] << 32) | words[1], (words[2] << 32) | words[3]
        high = (above << down) | below.shifted_down(1).shifted_down(down.like(63) - down)
        turned = m * high + (m * (below << down).shifted_down(32)).shifted_down(32)
        q = (turned + (1 << 61)).shifted_down(62)
        return q, (turned - (q << 62)).to_double() * (_HALF_PI * 2.0**-62)

    q, r = rarely(t > 8388607.5, (shifted.bits() & 3, r), huge)
    return q, select(t < float("inf"), r, r.like(float("nan")))


def _sine(r: Value) -> Value:
    z = r * r
    return mad(r * z, polynomial(z, _SIN), r)


def _cosine(r: Value) -> Value:
    z = r * r
    return mad(z, polynomial(z, _COS), 1.0)


def _sin(x: Value) -> Value:
    q, r = _quadrant(x)
    found = select((q & 1) > 0, _cosine(r), _sine(r))
    turned = select((q & 2) > 0, -found, found).to_float()
    return select(x.bits() < 0, -turned, turned)


def _cos(x: Value) -> Value:
    q, r = _quadrant(x)
    found = select((q & 1) > 0, _sine(r), _cosine(r))
    return select(((q + 1) & 2) > 0, -found, found).to_float()


def _tan(x: Value) -> Value:
    q, r = _quadrant(x)
    sine, cosine = _sine(r), _cosine(r)
    odd = (q & 1) > 0
    found = (select(odd, -cosine, sine) / select(odd, sine, cosine)).to_float()
    return select(x.bits() < 0, -found, found)


def _atan(x: Value) -> Value:
    """Above 1 it is pi / 2 less that of 1 / x."""
    t = x.magnitude().to_double()
    above = t > 1.0
    u = select(above, t.like(1.0) / t, t)
    found = mad(u * (u * u), polynomial(u * u, _ATAN), u)
    return select(above, found.like(_HALF_PI) - found, found).to_float().signed_as(x)


def _arc(x: Value) -> tuple[Value, Value]:
    """Whether |x| > 1/2, and the arcsine of |x|, or where that holds of sqrt((1 - |x|) / 2)."""
    t = x.magnitude().to_double()
    above = t > 0.5
    u = select(above, ((t.like(1.0) - t) * 0.5).root(), t)
    return above, mad(u * (u * u), polynomial(u * u, _ASIN), u)


def _asin(x: Value) -> Value:
    above, found = _arc(x)
    return select(above, mad(found, -2.0, _HALF_PI), found).to_float().signed_as(x)


def _acos(x: Value) -> Value:
    above, found = _arc(x)
    below = x < 0.0
    near = select(below, mad(found, -2.0, 2.0 * _HALF_PI), found * 2.0)
    return select(above, near, select(below, found, -found) + _HALF_PI).to_float()


def _log_wide(d: Value) -> Value:
    """The logarithm of a normal double: 2^k (1 + f) with 1 + f in [2/3, 4/3), through s = f / (2 + f)."""
    bits = d.bits()
    above = bits - 0x3FE5555555555555  # the bits of 2/3
    f = (bits - (above & -(1 << 52))).as_float() - 1.0
    k = (above >> 52).to_double()
    s = f / (f + 2.0)
    z = s * s
    found = mad(k, _LN2, mad(s * z, polynomial(z, _LOG_WIDE), s * 2.0))
    known = select(d > 0.0, found, select(d.compare("eq", 0.0), float("-inf"), d.like(float("nan"))))
    return select(d.compare("eq", float("inf")), d, known)


def _exp_wide(d: Value) -> Value:
    """e^d as a double; beyond what a float32 can be it is some number that is beyond it too."""
    d = _at_most(100.0, _at_least(-120.0, d))
    shifted = mad(d, _LOG2E, _ROUND_WIDE)
    n = shifted - _ROUND_WIDE
    power = ((shifted.bits() << 52) + (1023 << 52)).as_float()
    return polynomial(mad(n, -_LN2, d), _EXP_WIDE) * power


_SMALL = 2.0**-6  # below it a few terms of a series are all there is


def _sinh(x: Value) -> Value:
    t = x.magnitude().to_double()
    z, e = t * t, _exp_wide(t)
    series = mad(t * z, polynomial(z, (1.0 / 6.0, 1.0 / 120.0, 1.0 / 5040.0)), t)
    return select(t < _SMALL, series, (e - e.like(1.0) / e) * 0.5).to_float().signed_as(x)


def _cosh(x: Value) -> Value:
    e = _exp_wide(x.magnitude().to_double())
    return ((e + e.like(1.0) / e) * 0.5).to_float()


def _asinh(x: Value) -> Value:
    t = x.magnitude().to_double()
    z = t * t
    series = mad(t * z, polynomial(z, (-1.0 / 6.0, 3.0 / 40.0, -15.0 / 336.0)), t)
    return select(t < _SMALL, series, _log_wide(t + (z + 1.0).root())).to_float().signed_as(x)


def _acosh(x: Value) -> Value:
    d = x.to_double()
    found = _log_wide(d + ((d - 1.0) * (d + 1.0)).root())
    return select(x < 1.0, found.like(float("nan")), found).to_float()


def _atanh(x: Value) -> Value:
    t = x.magnitude().to_double()
    z = t * t
    series = mad(t * z, polynomial(z, (1.0 / 3.0, 1.0 / 5.0, 1.0 / 7.0)), t)
    return select(t < _SMALL, series, _log_wide((t + 1.0) / (t.like(1.0) - t)) * 0.5).to_float().signed_as(x)


def _pow(x: Value, y: Value) -> Value:
    """e^(y log |x|), with the sign of x where y is odd; NaN where x is negative and y no whole number."""
    base, exponent = x.magnitude().to_double(), y.to_double()
    found = _exp_wide(exponent * _log_wide(base)).to_float()
    size = _at_most(2.0**24, y.magnitude()).to_double()  # from there on all are even
    shifted = size + 2.0**52
    whole = (shifted - 2.0**52).compare("eq", size)
    below = x.bits() < 0
    odd = (shifted.bits() << 63) < 0
    signed = select(below, select(whole, select(odd, -found, found), found.like(float("nan"))), found)
    # Of a zero, an infinity and a one the sign is all that matters, and a fraction of them is no error.
    plain = select(base.compare("eq", 0.0), found, select(base.compare("eq", float("inf")), found, signed))
    signed = select(whole, signed, plain)
    unit = select(base.compare("eq", 1.0), select(y.magnitude().compare("eq", float("inf")), 1.0, signed), signed)
    return select(y.compare("eq", 0.0), 1.0, select(x.compare("eq", 1.0), 1.0, unit))


FUNCTIONS = {
    "exp": Function(2, "exp(x)", _exp),
    "exp2": Function(2, "2**x", _exp2),
    "log": Function(2, "log(x)", _log),
    "tanh": Function(2, "tanh(x)", _tanh),
    "erf": Function(2, "erf(x)", _erf),
    "sigmoid": Function(2, "1 / (1 + exp(-x))", _sigmoid),
    "gelu": Function(4, "0.5 * x * (1 + erf(x / sqrt(2)))", _gelu),
    "gelu_tanh": Function(4, "0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))", _gelu_tanh),
    "gelu_byte": Function(0, "0.5 * x * (1 + erf(x / sqrt(2)))", _gelu_byte, error=1e-4),
    "sin": Function(1, "sin(x)", _sin, branches=True),
    "cos": Function(1, "cos(x)", _cos, branches=True),
    "tan": Function(1, "tan(x)", _tan, branches=True),
    "asin": Function(1, "asin(x)", _asin),
    "acos": Function(1, "acos(x)", _acos),
    "atan": Function(1, "atan(x)", _atan),
    "sinh": Function(1, "(exp(x) - exp(-x)) / 2", _sinh),
    "cosh": Function(1, "(exp(x) + exp(-x)) / 2", _cosh),
    "asinh": Function(1, "asinh(x)", _asinh),
    "acosh": Function(1, "acosh(x)", _acosh),
    "atanh": Function(1, "atanh(x)", _atanh),
    "pow": Function(1, "x**y", _pow, arity=2),
}
