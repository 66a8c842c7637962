"""Index expressions: integer polynomials over variables and a few rounding atoms, always in one canonical form.

An `Expr` is a sum of integer multiples of products of atoms; an atom is a variable, a floor division, a remainder, or
a minimum or maximum of two expressions. Equal polynomials are equal objects, so `8*q + r - r == 8*q` needs no
rewriting. What needs facts about ranges (`min(8, m - 8*i)` is 8 where i < m // 8) lives in `bounds`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial, reduce
from typing import Final, Union

from anytile.core.errors import ScheduleError

ExprLike = Union["Expr", int]


class Var:
    """A loop variable or a symbol. Those of one name are one object: to compare them or to find one in a table takes no
    step of Python."""

    __slots__ = ("name",)
    __match_args__ = ("name",)
    name: str

    def __new__(cls, name: str) -> Var:
        found = _VARS.get(name)
        if found is None:
            made = super().__new__(cls)
            made.name = name
            found = _VARS.setdefault(name, made)  # another thread's, where that was first
        return found

    def __reduce__(self) -> tuple[type[Var], tuple[str]]:
        return Var, (self.name,)

    def __repr__(self) -> str:
        return f"Var(name={self.name!r})"

    def __str__(self) -> str:
        return self.name


_VARS: dict[str, Var] = {}  # by their names, of which there are few


@dataclass(frozen=True, slots=True)
class FloorDiv:
    """`of // by`, rounding down; `by` is a positive number."""

    of: Expr
    by: int

    def __str__(self) -> str:
        return f"({_grouped(self.of)} // {self.by})"


@dataclass(frozen=True, slots=True)
class Mod:
    """`of % by`, never negative; `by` is a positive number."""

    of: Expr
    by: int

    def __str__(self) -> str:
        return f"({_grouped(self.of)} % {self.by})"


@dataclass(frozen=True, slots=True)
class Extreme:
    """The smaller or the larger of two expressions."""

    kind: str  # "min" or "max"
    a: Expr
    b: Expr

    def __str__(self) -> str:
        return f"{self.kind}({self.a}, {self.b})"


Atom = Var | FloorDiv | Mod | Extreme
Monomial = tuple[Atom, ...]


class Expr:
    """A canonical polynomial; make one with `const`, `var` and arithmetic, never by hand. Nothing ever changes one.

    Scheduling makes a million of these and asks some again and again: what follows from the terms is kept when it was
    found out. No dataclass, whose ways to set and to keep a field take longer than most sums.
    """

    terms: Final[tuple[tuple[Monomial, int], ...]]
    _hash: int | None = None
    _names: frozenset[str] | None = None
    _slopes: dict[str, int | None] | None = None

    def __init__(self, terms: tuple[tuple[Monomial, int], ...]) -> None:
        self.terms = terms

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Expr) and self.terms == other.terms)

    def __hash__(self) -> int:
        found = self._hash
        if found is None:
            found = self._hash = hash(self.terms)
        return found

    def __reduce__(self) -> tuple[type[Expr], tuple[tuple[tuple[Monomial, int], ...]]]:
        return Expr, (self.terms,)  # not the hash, which another process has another one of

    def __repr__(self) -> str:
        return f"Expr(terms={self.terms!r})"

    @property
    def value(self) -> int | None:
        """The number this is, if it is one."""
        if not self.terms:
            return 0
        if len(self.terms) == 1 and not self.terms[0][0]:
            return self.terms[0][1]
        return None

    @property
    def offset(self) -> int:
        """The constant term, which is the last."""
        return self.terms[-1][1] if self.terms and not self.terms[-1][0] else 0

    def __add__(self, other: ExprLike) -> Expr:
        if not isinstance(other, Expr):
            return self._plus(other)
        return self._joined(other, 1) if self.terms else other

    __radd__ = __add__

    def __neg__(self) -> Expr:
        return Expr(tuple((m, -c) for m, c in self.terms))

    def __sub__(self, other: ExprLike) -> Expr:
        return self._joined(other, -1) if isinstance(other, Expr) else self._plus(-other)

    def _plus(self, number: int) -> Expr:
        if not number:
            return self
        offset = self.offset
        others = self.terms[:-1] if offset else self.terms
        return Expr((*others, ((), offset + number)) if offset + number else others)

    def _joined(self, other: Expr, times: int) -> Expr:
        """The sum with so many times the other. Where all its monomials are here the order stays as it is."""
        if not other.terms:
            return self
        sums = dict(self.terms)
        for m, c in other.terms:
            sums[m] = sums.get(m, 0) + c * times
        return _canonical(sums) if len(sums) > len(self.terms) else Expr(tuple([t for t in sums.items() if t[1]]))

    def __rsub__(self, other: ExprLike) -> Expr:
        return expr(other) - self

    def __mul__(self, other: ExprLike) -> Expr:
        if isinstance(other, int):  # in order it is already
            if other == 1:
                return self
            return Expr(tuple([(m, c * other) for m, c in self.terms]) if other else ())
        number = other.value
        if number is not None:
            return self * number
        sums: dict[Monomial, int] = {}
        for m1, c1 in self.terms:
            for m2, c2 in other.terms:
                m = tuple(sorted(m1 + m2, key=_text)) if m1 and m2 else m1 or m2
                sums[m] = sums.get(m, 0) + c1 * c2
        return _canonical(sums)

    __rmul__ = __mul__

    def __floordiv__(self, by: int) -> Expr:
        """Exact multiples of `by` come out of the division; the rest stays in an atom."""
        whole, rest = self.split_multiples(by)
        number = rest.value
        return whole + (number // by if number is not None else Expr((((FloorDiv(rest, by),), 1),)))

    def __mod__(self, by: int) -> Expr:
        _, rest = self.split_multiples(by)
        number = rest.value
        return const(number % by) if number is not None else Expr((((Mod(rest, by),), 1),))

    def split_multiples(self, by: int) -> tuple[Expr, Expr]:
        """`(whole, rest)` with `self == by * whole + rest` and every coefficient of `rest` in 0..by-1."""
        if by <= 0:
            raise ScheduleError(f"division of {self} by {by}: expected a positive number")
        whole = tuple([(m, c // by) for m, c in self.terms if c // by])
        return Expr(whole), Expr(tuple([(m, c % by) for m, c in self.terms if c % by]))

    def coefficient(self, name: str) -> int | None:
        """The number that multiplies a variable, or None where it occurs in any other way."""
        slopes = self._slopes
        if slopes is None:
            slopes = self._slopes = {}
            for m, c in self.terms:
                alone = len(m) == 1 and type(m[0]) is Var
                for a in m:
                    for found in _atom_names(a):
                        slopes[found] = c if alone and found not in slopes else None
        return slopes.get(name, 0)

    @property
    def names(self) -> frozenset[str]:
        """Every variable that occurs."""
        found = self._names
        if found is None:
            found = self._names = frozenset([name for m, _ in self.terms for a in m for name in _atom_names(a)])
        return found

    def substitute(self, values: Mapping[str, ExprLike]) -> Expr:
        if self.names.isdisjoint(values):
            return self
        sums, offset, is_moved, is_deep = dict[Monomial, int](), 0, False, False
        for m, c in self.terms:
            left = m
            for a in m:
                if not isinstance(a, Var):
                    is_deep = is_deep or not values.keys().isdisjoint(_atom_names(a))
                elif (value := values.get(a.name)) is not None:
                    if isinstance(value, int):  # as in most terms of what is unrolled: it is multiplied right away
                        c, left = c * value, tuple([b for b in left if b is not a])
                    else:
                        is_deep = True
            if left:
                sums[left] = sums.get(left, 0) + c
                is_moved = is_moved or left is not m
            else:
                offset += c
        rest = _canonical(sums) if is_moved else Expr(tuple(sums.items()))
        if is_deep:
            rest = rest.map_atoms(lambda a: expr(values[a.name]) if isinstance(a, Var) and a.name in values else None)
        return rest._plus(offset)

    def map_atoms(self, change: Callable[[Atom], Expr | None]) -> Expr:
        """Rebuild with some atoms replaced, inside rounding atoms too; None keeps an atom."""
        sums: dict[Monomial, int] = {}
        kept = True
        for m, c in self.terms:
            if len(m) == 1:  # most are: nothing is multiplied out
                one = _rebuild(m[0], change)
                if one is None:
                    sums[m] = sums.get(m, 0) + c
                    continue
                kept = False
                for n, d in one.terms:
                    sums[n] = sums.get(n, 0) + c * d
                continue
            made = [_rebuild(a, change) for a in m]
            if all(e is None for e in made):
                sums[m] = sums.get(m, 0) + c
                continue
            kept, product = False, const(c)
            for a, e in zip(m, made, strict=True):
                product = product * (Expr((((a,), 1),)) if e is None else e)
            for n, d in product.terms:
                sums[n] = sums.get(n, 0) + d
        return self if kept else _canonical(sums)

    def evaluate(self, env: Mapping[str, int]) -> int:
        total = 0
        for m, c in self.terms:
            for a in m:
                c *= _evaluate(a, env)
            total += c
        return total

    def __str__(self) -> str:
        if not self.terms:
            return "0"
        text = ""
        for m, c in self.terms:
            body = "*".join(map(str, m))
            piece = str(abs(c)) if not m else body if abs(c) == 1 else f"{abs(c)}*{body}"
            text += (" - " if c < 0 else " + ") + piece if text else ("-" if c < 0 else "") + piece
        return text


@lru_cache(maxsize=1 << 12)
def const(value: int) -> Expr:
    return Expr((((), value),) if value else ())


@lru_cache(maxsize=1 << 12)
def var(name: str) -> Expr:
    return Expr((((Var(name),), 1),))


def expr(value: ExprLike) -> Expr:
    return value if isinstance(value, Expr) else const(value)


def ceildiv(a: ExprLike, by: int) -> Expr:
    return (expr(a) + (by - 1)) // by


def product(factors: Iterable[ExprLike]) -> Expr:
    return math.prod(map(expr, factors), start=const(1))


def rejoined(e: Expr) -> Expr:
    """The same, with `b * (a // b) + a % b` in it as a."""
    terms = dict(e.terms)
    for m, c in e.terms:
        if len(m) == 1 and isinstance(rest := m[0], Mod) and terms.get((FloorDiv(rest.of, rest.by),)) == c * rest.by:
            return rejoined(e + (rest.of - rest.of // rest.by * rest.by - rest.of % rest.by) * c)
    return e


def minimum(a: ExprLike, b: ExprLike) -> Expr:
    return _extreme("min", expr(a), expr(b))


def maximum(a: ExprLike, b: ExprLike) -> Expr:
    return _extreme("max", expr(a), expr(b))


def _extreme(kind: str, a: Expr, b: Expr) -> Expr:
    difference = (a - b).value
    if difference is not None:
        return a if (difference <= 0) == (kind == "min") else b
    flat = [*_arms(kind, a), *_arms(kind, b)]
    arms: list[Expr] = []
    for arm in flat:  # of two that differ by a number one is left
        near = next((i for i, other in enumerate(arms) if (arm - other).value is not None), None)
        if near is None:
            arms.append(arm)
        else:
            arms[near] = _extreme(kind, arms[near], arm)
    if len(arms) < len(flat):
        return reduce(partial(_extreme, kind), sorted(arms, key=str))
    a, b = sorted((a, b), key=str)
    return Expr((((Extreme(kind, a, b),), 1),))


def _arms(kind: str, e: Expr) -> Iterator[Expr]:
    """What it is the smaller or larger of, all the way down."""
    match e.terms:
        case (((Extreme(own, a, b),), 1),) if own == kind:
            yield from _arms(kind, a)
            yield from _arms(kind, b)
        case _:
            yield e


def _canonical(sums: Mapping[Monomial, int]) -> Expr:
    kept = [(m, c) for m, c in sums.items() if c]
    if len(kept) > 1:
        kept.sort(key=_term_place)
    return Expr(tuple(kept))


def _term_place(term: tuple[Monomial, int]) -> tuple[bool, tuple[str, ...]]:
    return _place(term[0])


@lru_cache(maxsize=1 << 12)
def _place(m: Monomial) -> tuple[bool, tuple[str, ...]]:
    """Variables first, the constant last, equal polynomials alike."""
    return not m, tuple([a.name if type(a) is Var else _text(a) for a in m])


@lru_cache(maxsize=1 << 14)
def _text(a: Atom) -> str:
    return str(a)


def _grouped(e: Expr) -> str:
    return str(e) if len(e.terms) == 1 and e.terms[0][1] == 1 else f"({e})"


def _atom_names(a: Atom) -> Iterable[str]:
    if isinstance(a, Var):
        return (a.name,)
    return a.a.names | a.b.names if isinstance(a, Extreme) else a.of.names


def _rebuild(a: Atom, change: Callable[[Atom], Expr | None]) -> Expr | None:
    """What an atom becomes; None where it stays as it is."""
    changed = change(a)
    if changed is not None or isinstance(a, Var):
        return changed
    match a:
        case FloorDiv(of, by):
            inner = of.map_atoms(change)
            return None if inner is of else inner // by
        case Mod(of, by):
            inner = of.map_atoms(change)
            return None if inner is of else inner % by
        case Extreme(kind, x, y):
            left, right = x.map_atoms(change), y.map_atoms(change)
            return None if left is x and right is y else _extreme(kind, left, right)


def _evaluate(a: Atom, env: Mapping[str, int]) -> int:
    match a:
        case Var(name):
            return env[name]
        case FloorDiv(of, by):
            return of.evaluate(env) // by
        case Mod(of, by):
            return of.evaluate(env) % by
        case Extreme(kind, x, y):
            pick = min if kind == "min" else max
            return pick(x.evaluate(env), y.evaluate(env))
