"""Shape functions, made of the operators' relations; and an operator run on arrays as its shape function allows.

A relation run on the names of unknown dimensions leaves two things: the sizes of its results as expressions of them,
and the conditions that could not be decided. That is the operator's shape function, ready to be compiled, and those of
several operators become one by putting one's results into the next. Run on numbers, every condition is decided.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from anytile.compiler.ir.nodes import Array, Attrs
from anytile.compiler.ir.types import Any, TensorType
from anytile.compiler.operators.spec import Facts, Mismatch, Mode, Operator, Shaped, dtype_name
from anytile.core.dtypes import BYTES
from anytile.schedules.index.bounds import Bounds
from anytile.schedules.index.expr import Atom, Expr, Extreme, FloorDiv, const, maximum, minimum, var
from anytile.schedules.nest.stored_floats import as_tensor, in_numpy

_MOST_DIVISOR = 2**31  # so that what is divided stays within 64 bits


@dataclass(frozen=True, slots=True)
class Condition:
    """What must hold at run time of two dimensions: `equal`, `broadcast` (equal, or one is 1), or `least`: a >= b.

    `of` says what they are, where they are no dimensions of an argument: for people.
    """

    kind: str
    a: Expr
    b: Expr
    of: str = ""

    def holds(self, sizes: Mapping[str, int]) -> bool:
        a, b = self.a.evaluate(sizes), self.b.evaluate(sizes)
        return a >= b if self.kind == "least" else a == b or (self.kind == "broadcast" and 1 in (a, b))

    def __str__(self) -> str:
        if self.kind == "broadcast":
            return f"{self.a} == {self.b}, or one of them 1"
        return f"{self.a} {'>=' if self.kind == 'least' else '=='} {self.b}"


@dataclass(frozen=True, slots=True)
class ShapeFunction:
    """The shapes of one call's results over the names of its arguments' unknown dimensions, and what must hold.

    In the modes "data" and "upper_bound" `unknown` names the dimensions that are not known before the operator's
    `sizes`, or its result, are there.
    """

    mode: Mode
    results: tuple[Shaped, ...]
    conditions: tuple[Condition, ...]
    unknown: tuple[str, ...] = ()


def _sizes(e: Expr) -> Bounds:
    """What is known of the names in an expression: no size is below 0."""
    return Bounds(tuple((name, const(0), None) for name in sorted(e.names)))


def bounded(e: Expr) -> Expr:
    """The same size in a simpler form, since none is below 0; of divisions one inside the other one is left."""
    bounds = _sizes(e)
    while (simpler := _without_flags(bounds.simplify(e).map_atoms(_simpler))) != e:
        e = simpler  # inside may decide what is around it
    return e


def _simpler(a: Atom) -> Expr | None:
    match a:
        case Extreme(kind, x, y):
            one, other = _without_flags(x), _without_flags(y)
            return None if (one, other) == (x, y) else (minimum if kind == "min" else maximum)(one, other)
        case FloorDiv(of, by) if (inner := _without_flags(of)) != of:
            return inner // by
        case _:
            return _divided_once(a)


def _without_flags(e: Expr) -> Expr:
    """A sum without factors that change nothing: `min(1, n)`, which is 0 or 1, beside itself or beside what makes n."""
    if not any(isinstance(a, Extreme) for m, _ in e.terms if len(m) > 1 for a in m):
        return e
    made = const(0)
    for monomial, count in e.terms:
        kept = list(monomial)
        for atom in monomial:
            size = _flagged(atom)
            if size is not None and (kept.count(atom) > 1 or _is_factor(size, [a for a in kept if a != atom])):
                kept.remove(atom)
        made += Expr(((tuple(kept), count),))
    return made


def _flagged(a: Atom) -> Expr | None:
    """The n of `min(1, n)`, if it is never below 0."""
    match a:
        case Extreme("min", x, y) if 1 in (x.value, y.value):
            size = y if x.value == 1 else x
            return size if _sizes(size).proves_nonnegative(size) else None
        case _:
            return None


def _is_factor(size: Expr, atoms: Sequence[Atom]) -> bool:
    """Whether a product of atoms is 0 where a size is."""
    return len(size.terms) == 1 and size.value is None and all(a in atoms for a in size.terms[0][0])


def _divided_once(a: Atom) -> Expr | None:
    """`(x // m + y) // n` as `(x + m*y) // (m*n)`: sizes behind several strides are equal objects if they are equal."""
    if not isinstance(a, FloorDiv):
        return None
    divisions = [(m, c) for m, c in a.of.terms if any(isinstance(b, FloorDiv) for b in m)]
    if len(divisions) != 1:
        return None
    ((monomial, count),) = divisions
    inner = monomial[0]
    if len(monomial) != 1 or count != 1 or not isinstance(inner, FloorDiv) or inner.by * a.by > _MOST_DIVISOR:
        return None
    rest = a.of - Expr(((monomial, 1),))
    return (inner.of + inner.by * rest) // (inner.by * a.by)


def never_equal(a: Expr, b: Expr) -> bool:
    """Whether two sizes surely differ: one is always larger, or they leave different rests."""
    difference = a - b
    divisor = math.gcd(*(c for monomial, c in difference.terms if monomial))
    if divisor == 0 or difference.offset % divisor:
        return difference.offset != 0
    bounds = _sizes(difference)
    return bounds.proves_nonnegative(difference - 1) or bounds.proves_nonnegative(-difference - 1)


def broadcasted(a: Expr, b: Expr) -> Expr:
    """What two dimensions make of which nothing is known but that they can be broadcast: 0 with 0 or 1 is 0."""
    return maximum(a, b) * minimum(minimum(a, b), 1)


def unlimited(e: Expr) -> Expr:
    """A size without its limit: `min(512, n)` is n as long as that fits. With a limit of 2 or more either is 1 where
    the other is."""
    match e.terms:
        case (((Extreme("min", a, b),), 1),):
            if (a.value or 0) > 1:
                return unlimited(b)
            if (b.value or 0) > 1:
                return unlimited(a)
    return e


def certain_broadcast(a: Expr, b: Expr) -> Expr | None:
    """What two dimensions make, if that can be said: the one that is not 1. None where it depends."""
    if a == b or b.value == 1 or b == maximum(a, 0):  # beside n elements max(n, 0), as a cut has them, are n
        return a
    if a.value == 1 or a == maximum(b, 0):
        return b
    if never_equal(a, b) and never_equal(a, const(1)) and never_equal(b, const(1)):
        raise Mismatch(f"{a} and {b} cannot be broadcast; expected the same, or 1")
    return None


@dataclass
class Recorder(Facts):
    """Facts that assume nothing: whatever is not certain becomes a condition. Numbers are decided at once."""

    conditions: list[Condition] = field(default_factory=list)
    unknowns: list[str] = field(default_factory=list)

    def _record(self, kind: str, a: Expr, b: Expr, of: str = "") -> None:
        condition = Condition(kind, a, b, of)
        if condition not in self.conditions:
            self.conditions.append(condition)

    def equal(self, a: Expr, b: Expr, of: str = "") -> Expr:
        if never_equal(a, b):
            raise Mismatch(f"{of and f'{of}: '}{a} is not {b}; expected equal sizes, change one of the shapes")
        if a != b:
            divisor = math.gcd(*(c for e in (a, b) for _, c in e.terms))  # 768 n == 768 m says that n == m
            self._record("equal", a // divisor, b // divisor, of)
        return a if b.value is None else b

    def broadcast(self, a: Expr, b: Expr) -> Expr:
        certain = certain_broadcast(a, b)
        if certain is not None:
            return certain
        if unlimited(a) == unlimited(b):  # of 512 rows as many as there are, beside as many
            self._record("equal", a, b)
            return unlimited(a)
        self._record("broadcast", a, b)
        for one in (a, b):
            if never_equal(one, const(1)):
                return one
        return broadcasted(a, b)

    def at_least(self, a: Expr, least: int, of: str = "") -> None:
        bounds = _sizes(a)
        if bounds.proves_nonnegative(least - 1 - a):
            raise Mismatch(f"{of and f'{of}: '}a dimension of {a}; expected at least {least}")
        if not bounds.proves_nonnegative(a - least):
            self._record("least", a, const(least), of)

    def number(self, a: Expr) -> int | None:
        return a.value

    def unknown(self, name: str) -> Expr:
        made = f"{name}_{len(self.unknowns)}_"
        self.unknowns.append(made)
        return var(made)


def shaped(t: TensorType) -> Shaped:
    """A tensor type as relations see it."""
    return Shaped(tuple(var(d.name) if isinstance(d, Any) else const(d) for d in t.shape), t.dtype)


def shape_function(row: Operator, args: Sequence[Shaped], attrs: Attrs) -> ShapeFunction:
    """The shape function of one call; what can never be is refused by a Mismatch."""
    row.check_count(len(args))
    recorder = Recorder()
    results = row.relation(tuple(args), row.complete(attrs), recorder)
    results = tuple(Shaped(tuple(map(bounded, r.dims)), r.dtype) for r in results)
    return ShapeFunction(row.mode, results, tuple(recorder.conditions), tuple(recorder.unknowns))


def sizes_of(row: Operator, arrays: Sequence[Array], attrs: Attrs) -> tuple[tuple[int, ...], ...] | None:
    """The shapes of results that follow from data, or of the memory that these need; None where shapes alone say."""
    if row.bound is not None:
        dims = row.bound([Shaped(tuple(map(const, a.shape)), dtype_name(a.dtype)) for a in arrays], row.complete(attrs))
        return tuple(tuple(d.value or 0 for d in shape) for shape in dims)
    return None if row.sizes is None else row.sizes(tuple(map(in_numpy, arrays)), row.complete(attrs))


def room(row: Operator, arrays: Sequence[Array], attrs: Attrs) -> int:
    """The bytes that a call on arrays makes, or takes room for, told without making them."""
    args = [Shaped(tuple(map(const, a.shape)), dtype_name(a.dtype)) for a in arrays]
    results = shape_function(row, args, attrs).results
    shapes = sizes_of(row, arrays, attrs)
    if shapes is None:
        shapes = tuple(tuple(d.value or 0 for d in r.dims) for r in results)
    return sum(math.prod(s) * BYTES[r.dtype] for s, r in zip(shapes, results, strict=True))


Kinds = tuple[tuple[tuple[int, ...], str], ...]  # of arrays: shapes and dtypes


def kinds_of(arrays: Sequence[Array]) -> Kinds:
    return tuple((a.shape, dtype_name(a.dtype)) for a in arrays)


def run(row: Operator, arrays: Sequence[Array], attrs: Attrs) -> tuple[Array, ...]:
    """What an operator makes of arrays, rounded to its results' dtypes; a Mismatch where they do not fit."""
    return tuple(made.copy() for made in run_of(row, kinds_of(arrays), attrs)(arrays))


def run_of(row: Operator, kinds: Kinds, attrs: Attrs) -> Callable[[Sequence[Array]], tuple[Array, ...]]:
    """The same of any arrays of these kinds: what follows from those alone is worked out once. Results may lie where
    the arrays do, in any order."""
    args = [Shaped(tuple(map(const, shape)), dtype) for shape, dtype in kinds]
    results = [(expected, [d.value for d in expected.dims]) for expected in shape_function(row, args, attrs).results]
    complete = row.complete(attrs)
    as_they_lie = row.moves or (row.takes_stored and row.anchor) or row.name == "bit_cast"

    def found(arrays: Sequence[Array]) -> tuple[Array, ...]:
        made = []
        if not as_they_lie:  # numpy does not sort what was added to it, nor compute all
            arrays = [in_numpy(a) for a in arrays]
        for array, (expected, known) in zip(row.numpy(tuple(arrays), complete), results, strict=True):
            if len(known) != array.ndim or any(k not in (None, n) for k, n in zip(known, array.shape, strict=True)):
                raise AssertionError(f"{row.name}: the shape function says {expected}, numpy made {array.shape}")
            with np.errstate(all="ignore"):
                made.append(as_tensor(np.asarray(array), expected.dtype))
        return tuple(made)

    return found
