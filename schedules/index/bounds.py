"""What can be proved about index expressions from the ranges of their variables, and the simplification it allows.

A `Bounds` maps variables to inclusive ranges whose ends are expressions of variables that stand further out. A proof of
`e >= 0` eliminates the innermost variable by the end of its range that makes e smallest, until a number is left. It is
sound and incomplete: False means "not proved".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import gcd

from anytile.schedules.index.expr import (
    Atom,
    Expr,
    ExprLike,
    Extreme,
    FloorDiv,
    Mod,
    Var,
    const,
    expr,
    maximum,
    minimum,
    var,
)

_DEPTH = 24  # proofs that need more steps than this do not occur in our nests; the limit keeps failure cheap


Ranges = tuple[tuple[str, Expr | None, Expr | None], ...]


@dataclass(frozen=True, slots=True)
class Bounds:
    """Ranges of variables, from the outermost to the innermost. An end of None is unknown.

    The same is asked for every statement of a tile: answers are kept, and the bounds further in are the same object
    whenever the same variable comes.
    """

    ranges: Ranges = ()
    _further: dict[tuple[str, ExprLike | None, ExprLike | None], Bounds] = field(
        default_factory=dict, compare=False, repr=False
    )
    _given: dict[Expr, Bounds] = field(default_factory=dict, compare=False, repr=False)
    _proofs: dict[Expr, bool] = field(default_factory=dict, compare=False, repr=False)
    _simple: dict[Expr, Expr] = field(default_factory=dict, compare=False, repr=False)

    def having(self, name: str, low: ExprLike | None, high: ExprLike | None) -> Bounds:
        """These bounds and one more variable further in."""
        found = self._further.get((name, low, high))
        if found is None:
            ends = (None if low is None else expr(low), None if high is None else expr(high))
            found = Bounds((*(r for r in self.ranges if r[0] != name), (name, *ends)))
            self._further[name, low, high] = found
        return found

    def given(self, e: Expr) -> Bounds:
        """These bounds where e >= 0 is known too: a variable that stands alone in e may have a shorter range."""
        found = self._given.get(e)
        if found is None:
            found = self._given[e] = self._shortened(e)
        return found

    def _shortened(self, e: Expr) -> Bounds:
        ranges = list(self.ranges)
        for i, (name, low, high) in enumerate(ranges):
            c, further_out = e.coefficient(name), frozenset(r[0] for r in ranges[:i])
            if c not in (1, -1) or not e.names - {name} <= further_out:
                continue
            end = var(name) - c * e
            if c == 1 and (low is None or self.proves(low, end)):
                ranges[i] = (name, end, high)
            elif c == -1 and (high is None or self.proves(end, high)):
                ranges[i] = (name, low, end)
        shorter = tuple(ranges)
        return self if shorter == self.ranges else Bounds(shorter)

    def proves_nonnegative(self, e: ExprLike) -> bool:
        e = expr(e)
        found = self._proofs.get(e)
        if found is None:
            found = self._proofs[e] = _prove(e, self.ranges, _DEPTH)
        return found

    def proves(self, smaller: ExprLike, larger: ExprLike) -> bool:
        """Whether `smaller <= larger` always holds."""
        return self.proves_nonnegative(expr(larger) - smaller)

    def decides(self, one: ExprLike, other: ExprLike) -> bool:
        """Whether it is known which of two is the larger."""
        return self.proves(one, other) or self.proves(other, one)

    def upper(self, e: ExprLike) -> int | None:
        """A number that e never exceeds, if one can be found."""
        return _upper(expr(e), self.ranges, _DEPTH)

    def simplify(self, e: ExprLike) -> Expr:
        """The same value in a simpler form: decided minima and maxima, rounding that has become exact."""
        e = expr(e)
        found = self._simple.get(e)
        if found is None:
            found = self._simple[e] = e.map_atoms(self._decide)
        return found

    def _decide(self, a: Atom) -> Expr | None:
        match a:
            case FloorDiv(of, by):
                of = self.simplify(of)
                whole, rest = of.split_multiples(by)
                quotient = self._constant_quotient(rest, by)
                return of // by if quotient is None else whole + quotient
            case Mod(of, by):
                of = self.simplify(of)
                _, rest = of.split_multiples(by)
                quotient = self._constant_quotient(rest, by)
                return of % by if quotient is None else rest - quotient * by
            case Extreme(kind, x, y):
                x, y = self.simplify(x), self.simplify(y)
                small, large = (x, y) if kind == "min" else (y, x)
                if self.proves(x, y):
                    return small
                if self.proves(y, x):
                    return large
                return None if (x, y) == (a.a, a.b) else (minimum if kind == "min" else maximum)(x, y)
            case _:
                return None

    def _constant_quotient(self, rest: Expr, by: int) -> int | None:
        """The number that `rest // by` always is, if it can be proved."""
        top = self.upper(rest)
        if top is None:
            return None
        quotient = top // by
        return quotient if self.proves_nonnegative(rest - quotient * by) else None


def _prove(e: Expr, ranges: Ranges, depth: int) -> bool:
    number = e.value
    if number is not None:
        return number >= 0
    if depth == 0:
        return False
    if all(c >= 0 for _, c in e.terms) and all(_atom_nonnegative(a, ranges, depth - 1) for m, _ in e.terms for a in m):
        return True
    return _prove_in_steps(e, ranges, depth)


@lru_cache(maxsize=1 << 14)
def _prove_in_steps(e: Expr, ranges: Ranges, depth: int) -> bool:
    """What several ways of taking an expression apart come to is proved once."""
    for monomial, c in e.terms:  # an extreme bounds from one side only: try both of its arms
        if len(monomial) == 1 and isinstance(a := monomial[0], Extreme):
            rest = e - Expr(((monomial, c),))
            arms = (rest + c * a.a, rest + c * a.b)
            need_both = (c > 0) == (a.kind == "min")
            proofs = (_prove(arm, ranges, depth - 1) for arm in arms)
            return all(proofs) if need_both else any(proofs)
    for monomial, c in e.terms:  # by*(of//by) lies within of-by+1 .. of
        if len(monomial) == 1 and isinstance(a := monomial[0], FloorDiv) and c % a.by == 0:
            if _prove_inwards(e, ranges, depth) or _prove_rounded(e, ranges, depth):
                return True
            rest = e - Expr(((monomial, c),))
            per = c // a.by
            return _prove(rest + per * (a.of if c < 0 else a.of - (a.by - 1)), ranges, depth - 1)
    for monomial, c in e.terms:
        if len(monomial) == 1 and isinstance(a := monomial[0], Mod):
            rest = e - Expr(((monomial, c),))
            return _prove(rest if c > 0 else rest + c * (a.by - 1), ranges, depth - 1)
    for i in range(len(ranges) - 1, -1, -1):
        name, low, high = ranges[i]
        if name not in e.names:
            continue
        slope = e.coefficient(name)
        if slope is None:
            return _prove_product(e, name, ranges, depth) or _prove_scaled(e, ranges, depth)
        end = low if slope > 0 else high
        return end is not None and _prove(e + slope * (end - var(name)), ranges[:i], depth - 1)
    return False


def _prove_inwards(e: Expr, ranges: Ranges, depth: int) -> bool:
    """Eliminate the innermost variable before any rounding: what it is bounded by may cancel, or round to nothing."""
    for i in range(len(ranges) - 1, -1, -1):
        name, low, high = ranges[i]
        if name in e.names:
            slope = e.coefficient(name)
            if slope is None:
                return _prove_rounded(e, ranges, depth, name)
            end = None if not slope else low if slope > 0 else high
            return end is not None and _prove(e + slope * (end - var(name)), ranges[:i], depth - 1)
    return False


def _prove_rounded(e: Expr, ranges: Ranges, depth: int, name: str = "") -> bool:
    """Put the least or the largest number for a division: `(m + 2) // 6` is at least 1 where m is at least 4.

    Of one that `name` is in, if it is said.
    """
    for monomial, c in e.terms:
        if len(monomial) == 1 and isinstance(a := monomial[0], FloorDiv) and (not name or name in a.of.names):
            end = _lower(a.of, ranges, depth - 1) if c > 0 else _upper(a.of, ranges, depth - 1)
            if end is not None:
                return _prove(e - Expr(((monomial, c),)) + c * (end // a.by), ranges, depth - 1)
    return False


def _prove_product(e: Expr, name: str, ranges: Ranges, depth: int) -> bool:
    """`name` multiplies other variables: replace it where the cofactor has a known sign."""
    index, (_, low, high) = next((i, r) for i, r in enumerate(ranges) if r[0] == name)
    v = Var(name)
    total, factor = const(0), const(0)
    for m, c in e.terms:
        if m.count(v) == 1:
            rest = list(m)
            rest.remove(v)
            factor = factor + Expr(((tuple(rest), c),))
        elif any(name in Expr((((a,), 1),)).names for a in m):
            return False
        else:
            total = total + Expr(((m, c),))
    if low is not None and _prove(factor, ranges[:index], depth - 1):
        return _prove(total + factor * low, ranges[:index], depth - 1)
    if high is not None and _prove(-factor, ranges[:index], depth - 1):
        return _prove(total + factor * high, ranges[:index], depth - 1)
    return False


def _prove_scaled(e: Expr, ranges: Ranges, depth: int) -> bool:
    """The last resort: multiply out a division. Where it stands alone nothing is lost by that."""
    for monomial, c in e.terms:
        if len(monomial) == 1 and isinstance(a := monomial[0], FloorDiv):
            rest = e - Expr(((monomial, c),))
            if c in (1, -1):  # of//by >= -rest, or of//by < rest + 1
                return _prove(a.of + rest * a.by if c == 1 else (rest + 1) * a.by - 1 - a.of, ranges, depth - 1)
            scale = a.by // gcd(a.by, c)
            return scale > 1 and _prove(e * scale, ranges, depth - 1)
    return False


def _atom_nonnegative(a: Atom, ranges: Ranges, depth: int) -> bool:
    match a:
        case Var(name):
            for i in range(len(ranges) - 1, -1, -1):
                if ranges[i][0] == name:
                    low = ranges[i][1]
                    return low is not None and _prove(low, ranges[:i], depth)
            return False
        case FloorDiv(of, _):
            return _prove(of, ranges, depth)
        case Mod():
            return True
        case Extreme(kind, x, y):
            proofs = (_prove(arm, ranges, depth) for arm in (x, y))
            return all(proofs) if kind == "min" else any(proofs)


def _upper(e: Expr, ranges: Ranges, depth: int) -> int | None:
    """Eliminate variables by the end of their range that makes e largest."""
    number = e.value
    if number is not None or depth == 0:
        return number
    for monomial, c in e.terms:
        if not monomial:
            continue
        if len(monomial) != 1:
            return None
        a, rest = monomial[0], e - Expr(((monomial, c),))
        match a:
            case Extreme(kind, x, y):
                tops = [_upper(rest + c * arm, ranges, depth - 1) for arm in (x, y)]
                known = [t for t in tops if t is not None]
                if (c > 0) == (kind == "min"):
                    return min(known, default=None)
                return max(known) if len(known) == 2 else None
            case Mod(_, by):
                return _upper(rest + max(c * (by - 1), 0), ranges, depth - 1)
            case FloorDiv(of, by):
                if c % by:
                    known_end = _upper(of, ranges, depth - 1) if c > 0 else _lower(of, ranges, depth - 1)
                    return None if known_end is None else _upper(rest + c * (known_end // by), ranges, depth - 1)
                per = c // by
                return _upper(rest + per * (of if c > 0 else of - (by - 1)), ranges, depth - 1)
            case _:
                continue
    for i in range(len(ranges) - 1, -1, -1):
        name, low, high = ranges[i]
        c_or_none = e.coefficient(name)
        if not c_or_none:
            if c_or_none is None:
                return None
            continue
        end = high if c_or_none > 0 else low
        if end is None:
            return None
        return _upper(e + c_or_none * (end - var(name)), ranges[:i], depth - 1)
    return None


def _lower(e: Expr, ranges: Ranges, depth: int) -> int | None:
    """A number that e never falls below, if one can be found."""
    top = _upper(-e, ranges, depth)
    return None if top is None else -top


def assume(symbols: Mapping[str, tuple[int, int | None]]) -> Bounds:
    """Bounds for symbols with constant ranges."""
    made = Bounds()
    for name, (low, high) in symbols.items():
        made = made.having(name, low, high)
    return made
