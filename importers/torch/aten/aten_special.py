"""ATen's special functions: of gamma, its logarithm and what that grows by; the inverse of erf; Bessel's I0 and I1.

Each is a few series, every one where it converges, written out as elementwise steps. The numbers of most follow from
formulas; those of the inverse of erf are polynomials through its values at Chebyshev's points, within 2e-8 of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.torch.graph.aten_call import Call, Row

_GAMMA = 0.57721566490153286  # Euler's
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)  # of 2, 4, ...
# erfinv(x) / x by w = -log(1 - x * x): in powers of w - 2.5 below 5, else of what the root of w is above _FAR.
_NEAR_1 = (1.5014093605, 0.24664027905, -0.0041773928752, -0.0012527263918, 2.1834938624e-4)
_NEAR_2 = (-4.9724196895e-6, -3.4639852676e-6, 4.6813134806e-7, 2.3335967196e-8, -8.9319259702e-9)
_FAR = (math.sqrt(5) + 4.1) / 2
_FAR_1 = (3.0015267761, 1.004297002, 0.0064057779275, -0.0046923718709, 0.0032670022923)
_FAR_2 = (-0.0022089477076, 0.0012232591981, -0.00034779139919, -0.00013684459752, 0.00011153858078)


def _polynomial(c: Call, x: Value, factors: Sequence[float]) -> Value:
    """The sum of factors times powers of x, the constant first."""
    made = c.number(factors[-1], x)
    for factor in reversed(factors[:-1]):
        made = c.do("add", c.do("multiply", made, x), c.number(factor, x))
    return made


def _less(c: Call, x: Value, number: float) -> Value:
    return c.do("less", x, c.number(number, x))


def _beyond_whole(c: Call, x: Value) -> Value:
    """What x is above the nearest whole number."""
    return c.do("subtract", x, c.do("round", x))


def _zeta_less_1(s: int) -> float:
    """2**-s + 3**-s + ...: some terms, and the integral of the others with its first corrections."""
    n, e = 200.0, float(s)
    rest = n ** (1 - e) / (e - 1) + n**-e / 2 + e * n ** (-e - 1) / 12 - e * (e + 1) * (e + 2) * n ** (-e - 3) / 720
    return math.fsum((*(k**-e for k in range(2, int(n))), rest))


def _log_gamma(c: Call) -> Value:
    """From 8 on Stirling's series; below, gamma's own rule leads to where its series around 2 converges, and from
    negative numbers to positive ones."""
    x = c.cast(c.x, c.dtype)
    one, negative = c.number(1, x), _less(c, x, 0)
    y = c.do("where", negative, c.do("subtract", one, x), x)
    near, over, under = y, one, one
    for _ in range(2):
        small = _less(c, near, 1.5)
        under = c.do("where", small, c.do("multiply", under, near), under)
        near = c.do("where", small, c.do("add", near, one), near)
    for _ in range(6):
        large = c.do("greater", near, c.number(2.5, near))
        near = c.do("where", large, c.do("subtract", near, one), near)
        over = c.do("where", large, c.do("multiply", over, near), over)
    beyond = c.do("subtract", near, c.number(2, near))
    count = 27 if x.dtype == "float64" else 12
    series = [1 - _GAMMA, *((-1) ** k * _zeta_less_1(k) / k for k in range(2, count + 1))]
    near = c.do("multiply", beyond, _polynomial(c, beyond, series))
    near = c.do("add", near, c.do("subtract", c.do("log", over), c.do("log", under)))
    logarithm = c.do("log", y)
    far = c.do("multiply", c.do("subtract", y, c.number(0.5, y)), logarithm)
    far = c.do("add", c.do("subtract", far, y), c.number(0.5 * math.log(2 * math.pi), y))
    inverse = c.do("reciprocal", y)
    terms = [b / (2 * k * (2 * k - 1)) for k, b in enumerate(_BERNOULLI, 1)]
    far = c.do("add", far, c.do("multiply", inverse, _polynomial(c, c.do("square", inverse), terms)))
    far = c.do("where", c.do("isinf", y), y, far)
    made = c.do("where", _less(c, y, 8), near, far)
    wave = c.do("abs", c.do("sin", c.do("multiply", _beyond_whole(c, x), c.number(math.pi, x))))
    turned = c.do("subtract", c.do("subtract", c.number(math.log(math.pi), x), c.do("log", wave)), made)
    made = c.do("where", negative, turned, made)
    return c.do("where", c.do("isinf", x), c.number(math.inf, x), made)


def _digamma(c: Call) -> Value:
    """The same of what the logarithm of gamma grows by, whose series is one from 6 on."""
    x = c.cast(c.x, c.dtype)
    one, negative = c.number(1, x), _less(c, x, 0)
    y = c.do("where", negative, c.do("subtract", one, x), x)
    least, less = 12 if x.dtype == "float64" else 6, c.number(0, x)
    for _ in range(least):
        small = _less(c, y, least)
        less = c.do("where", small, c.do("subtract", less, c.do("reciprocal", y)), less)
        y = c.do("where", small, c.do("add", y, one), y)
    inverse = c.do("reciprocal", y)
    square = c.do("square", inverse)
    series = _polynomial(c, square, [b / (2 * k) for k, b in enumerate(_BERNOULLI, 1)])
    made = c.do("subtract", c.do("log", y), c.do("multiply", inverse, c.number(0.5, y)))
    made = c.do("add", c.do("subtract", made, c.do("multiply", square, series)), less)
    beyond = _beyond_whole(c, x)
    angle = c.do("tan", c.do("multiply", beyond, c.number(math.pi, x)))
    turned = c.do("subtract", made, c.do("divide", c.number(math.pi, x), angle))
    pole = c.do("equal", beyond, c.number(0, x))
    turned = c.do("where", pole, c.number(math.nan, x), turned)
    return c.do("where", negative, turned, made)


def _erfinv(c: Call) -> Value:
    x = c.cast(c.x, c.dtype)
    if x.dtype == "float64":
        raise Refusal("the inverse of erf in 64 bits; expected float32")
    one = c.number(1, x)
    w = c.do("log", c.do("multiply", c.do("subtract", one, x), c.do("add", one, x)))
    w = c.do("negative", w)
    near = _polynomial(c, c.do("subtract", w, c.number(2.5, w)), (*_NEAR_1, *_NEAR_2))
    far = _polynomial(c, c.do("subtract", c.do("sqrt", w), c.number(_FAR, w)), (*_FAR_1, *_FAR_2))
    made = c.do("multiply", x, c.do("where", _less(c, w, 5), near, far))
    end = c.do("equal", c.do("abs", x), one)
    return c.do("where", end, c.do("multiply", x, c.number(math.inf, x)), made)


def _bessel(order: int, scaled: bool) -> Callable[[Call], Value]:
    """Bessel's I of order 0 or 1, all of whose terms have one sign; far out by its series in 1 / x. `scaled` is times
    exp(-|x|)."""

    def means(c: Call) -> Value:
        x = c.cast(c.x, c.dtype)
        size = c.do("abs", x)
        limit, terms, more = (30, 70, 20) if x.dtype == "float64" else (12, 30, 8)
        quarter = c.do("square", c.do("multiply", x, c.number(0.5, x)))
        near = c.number(1, x)
        for k in range(terms, 0, -1):
            share = c.do("multiply", quarter, c.number(1 / (k * (k + order)), x))
            near = c.do("add", c.do("multiply", share, near), c.number(1, x))
        if order:
            near = c.do("multiply", near, c.do("multiply", size, c.number(0.5, x)))
        factors = [1.0]
        for k in range(1, more + 1):
            factors.append(-factors[-1] * (4 * order - (2 * k - 1) ** 2) / (8 * k))
        far = _polynomial(c, c.do("reciprocal", size), factors)
        far = c.do("multiply", far, c.do("rsqrt", c.do("multiply", size, c.number(2 * math.pi, x))))
        if scaled:
            near = c.do("multiply", near, c.do("exp", c.do("negative", size)))
        else:
            far = c.do("multiply", far, c.do("exp", size))
        made = c.do("where", _less(c, size, limit), near, far)
        return c.do("where", _less(c, x, 0), c.do("negative", made), made) if order else made

    return means


ROWS = (
    Row("lgamma", _log_gamma),
    *(Row(name, _digamma) for name in ("digamma", "special_digamma")),
    *(Row(name, _erfinv) for name in ("erfinv", "special_erfinv")),
    *(Row(name, _bessel(0, scaled=False)) for name in ("i0", "special_i0")),
    Row("special_i0e", _bessel(0, scaled=True)),
    Row("special_i1", _bessel(1, scaled=False)),
    Row("special_i1e", _bessel(1, scaled=True)),
)
