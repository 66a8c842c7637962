"""Symbolic evaluation of sizes: integer arithmetic over named dimensions, on arrays whose elements are expressions.

What a model computes from shapes is an array of `Expr` (numpy's dtype object), on which numpy's own functions move,
join and cut. Only what numpy cannot do is here: divisions, comparisons and extremes, which answer None where nobody
knows. No size is below 0, and that much is always known of one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.compiler.operators.shapes import bounded, never_equal
from anytile.schedules.index.bounds import Bounds
from anytile.schedules.index.expr import Expr, FloorDiv, Mod, const, maximum, minimum

Array = NDArray[Any]


def is_symbolic(array: Array) -> bool:
    """Whether elements are expressions."""
    return array.dtype == np.object_


def lifted(array: Array) -> Array:
    """Whole numbers as expressions."""
    if is_symbolic(array):
        return array
    made = np.empty(array.shape, np.object_)
    made.reshape(-1)[:] = [const(int(n)) for n in array.reshape(-1)]
    return made


def settled(array: Array, dtype: str) -> Array:
    """An array of expressions, or of numbers where all of them are."""
    flat = array.reshape(-1)
    made = np.empty(array.shape, np.object_)
    made.reshape(-1)[:] = [bounded(e) for e in flat]
    values = [e.value for e in made.reshape(-1)]
    if any(v is None for v in values):
        return made
    return np.asarray(values, np.int64).astype(dtype).reshape(array.shape)


def elements(array: Array) -> tuple[Expr, ...]:
    """One after the other, each an expression."""
    return tuple(lifted(array).reshape(-1))


def array_of(exprs: Sequence[Expr]) -> Array:
    made = np.empty(len(exprs), np.object_)
    made[:] = list(exprs)
    return made


def at_least_zero(e: Expr) -> bool:
    """Whether it is surely not below 0."""
    bounds = Bounds(tuple((name, const(0), None) for name in sorted(e.names)))
    return bounds.proves_nonnegative(e) or any(map(bounds.proves_nonnegative, _without_a_share(e)))


def _without_a_share(e: Expr) -> Iterator[Expr]:
    """What is not above a multiple of it: for each a // n that is taken away the whole a / n is."""
    for monomial, count in e.terms:
        if count < 0 and len(monomial) == 1 and isinstance(share := monomial[0], FloorDiv):
            yield (e - Expr(((monomial, count),))) * share.by + share.of * count


def quotient(a: Expr, b: Expr) -> Expr | None:
    """a // b, where it can be written: with no rest or one short of it, or of what is not below 0 by a number."""
    exact = _exact_quotient(a, b)
    if exact is None and b.value is not None and b.value > 0 and at_least_zero(a):
        return a // b.value
    if exact is None and a.offset == -1:
        more = _exact_quotient(a + 1, b)
        if more is not None and at_least_zero(more - 1):  # and b is at least 1, as what is divided by
            return more - 1
    return exact


def truncated(a: Expr, b: Expr) -> Expr | None:
    """a / b towards zero, where it can be written: of what is surely not above 0, too, or below it by less than b."""
    found, by = quotient(a, b), b.value
    if found is not None or by is None or by <= 0:
        return found
    if at_least_zero(-a):
        return -(-a // by)
    return maximum(a, const(0)) // by if at_least_zero(a + (by - 1)) else None


def _exact_quotient(a: Expr, b: Expr) -> Expr | None:
    if len(b.terms) != 1:
        return const(1) if a == b and b.terms else None
    ((divisor, factor),) = b.terms
    made = []
    for monomial, count in a.terms:
        left = list(monomial)
        for atom in divisor:
            if atom not in left:
                return None
            left.remove(atom)
        if count % factor:
            return None
        made.append(_term(tuple(left), count // factor))
    return sum(made, const(0))


def _term(monomial: tuple[Any, ...], count: int) -> Expr:
    return Expr(((monomial, count),)) if count else const(0)


def remainder(a: Expr, b: Expr) -> Expr | None:
    """a % b, where it can be written; what is missing to the next multiple, as that less a.

    So what is filled up to a multiple is seen to be one.
    """
    if b.value is None:
        return const(0) if _exact_quotient(a, b) is not None else None
    by = b.value
    if by <= 0:
        return None
    rest = _near_zero(a, by)
    if rest.value is None and at_least_zero(-rest):
        return (-rest + (by - 1)) // by * by + rest
    return rest % by


def _near_zero(a: Expr, by: int) -> Expr:
    """What differs from a by multiples of a number, with factors between half of it and less than half below 0."""
    total = const(0)
    for monomial, count in a.terms:
        factors = (m.of if isinstance(m, Mod) and m.by % by == 0 else Expr((((m,), 1),)) for m in monomial)
        total += math.prod(factors, start=const(count))
    return sum((_term(m, n - by if 2 * n > by else n) for m, n in ((m, n % by) for m, n in total.terms)), const(0))


def equal(a: Expr, b: Expr) -> bool | None:
    if a == b:
        return True
    return False if never_equal(a, b) else None


def less(a: Expr, b: Expr) -> bool | None:
    if at_least_zero(b - a - 1):
        return True
    return False if at_least_zero(a - b) else None


def _of_optional(decide: Callable[[Expr, Expr], Any]) -> Callable[[Array, Array], Array | None]:
    """An operation of two elements on arrays, by numpy's rules; None where one element is not known."""

    def made(a: Array, b: Array) -> Array | None:
        first, second = np.broadcast_arrays(lifted(a), lifted(b))
        found = [decide(x, y) for x, y in zip(first.reshape(-1), second.reshape(-1), strict=True)]
        if any(f is None for f in found):
            return None
        kind = np.bool_ if found and all(isinstance(f, bool) for f in found) else np.object_
        out = np.empty(first.shape, kind)
        out.reshape(-1)[:] = found
        return out

    return made


BINARY: dict[str, Callable[[Array, Array], Array | None]] = {
    "add": _of_optional(lambda a, b: a + b),
    "subtract": _of_optional(lambda a, b: a - b),
    "multiply": _of_optional(lambda a, b: a * b),
    "truncate_divide": _of_optional(truncated),
    "mod": _of_optional(remainder),
    "minimum": _of_optional(minimum),
    "maximum": _of_optional(maximum),
    "equal": _of_optional(equal),
    "less": _of_optional(less),
    "greater": _of_optional(lambda a, b: less(b, a)),
    "less_equal": _of_optional(lambda a, b: None if (g := less(b, a)) is None else not g),
    "greater_equal": _of_optional(lambda a, b: None if (g := less(a, b)) is None else not g),
}
