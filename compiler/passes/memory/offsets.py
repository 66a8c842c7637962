"""Offset assignment in one arena, for tenants whose live ranges are known and whose sizes may be symbolic.

Who lies below whom is taken from plans for a few typical sizes, laid out by first fit in several orders. A tenant then
begins where the last of those below it ends, as an expression: so no two that live at once overlap, whatever the sizes
are, and nothing is left to be proved. Of all such arrangements the one is taken that comes closest, at sample sizes,
to what lives at once at the worst moment, which no arrangement can go below.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from anytile.schedules.index.bounds import Bounds
from anytile.schedules.index.expr import Expr as Index
from anytile.schedules.index.expr import FloorDiv, Monomial, Var, const, maximum

TYPICAL = 64  # what a symbol stands for where one value has to do
PATTERNS = (16, TYPICAL, 128, 512)  # and where plans are laid out
SAMPLES = (1, 8, 32, 64, 128, 256, 1024)  # and where arrangements are compared
_UNLIKE = (5, 50, 51, 500, 5000, 5001)  # below which symbols are picked where they are unlike
_MOST_SIZES = 16  # of which a place is the largest: with three unknown sizes there can be hundreds

Counts = dict[Monomial, int]  # how much of each term is in a sum
Place = frozenset[Index]  # the largest of some sizes, none of which is known to be smaller than another
ZERO: Place = frozenset((const(0),))


@dataclass(frozen=True, slots=True)
class Tenant:
    """So many bytes from one step to another, both included."""

    made: int
    last: int
    size: Index

    def meets(self, other: Tenant) -> bool:
        return self.made <= other.last and other.made <= self.last


@dataclass(frozen=True, slots=True)
class Arrangement:
    """A place for each tenant, and what all of them take."""

    places: tuple[Place, ...]
    total: Place

    def at(self, typical: int) -> int:
        """The bytes it takes where every symbol is `typical`."""
        return max(value_at(e, typical) for e in self.total)


def arrange(tenants: Sequence[Tenant]) -> Arrangement:
    """The best arrangement of some. They are compared in numbers, and only the best is written as expressions."""
    near = [[i for i, other in enumerate(tenants) if other is not t and other.meets(t)] for t in tenants]
    ranks = {tuple(sorted(range(len(tenants)), key=plan.__getitem__)): None for plan in _plans(tenants, near)}
    sizes = {n: [value_at(t.size, n) for t in tenants] for n in SAMPLES}
    return _stacked(tenants, near, min(ranks, key=lambda r: excess(tenants, lambda n: _height(sizes[n], near, r))))


def excess(tenants: Sequence[Tenant], taken: Callable[[int], int]) -> tuple[float, float]:
    """How much more is taken than lives at once: at the worst sample, and over all of them."""
    over = [taken(n) / max(most_at_once(tenants, n), 1) for n in SAMPLES]
    return max(over), sum(over)


def most_at_once(tenants: Sequence[Tenant], typical: int) -> int:
    """The bytes that live at the worst moment where every symbol is `typical`."""
    change: dict[int, int] = {}
    for t in tenants:
        size = value_at(t.size, typical)
        change[t.made] = change.get(t.made, 0) + size
        change[t.last + 1] = change.get(t.last + 1, 0) - size
    live = most = 0
    for step in sorted(change):
        live += change[step]
        most = max(most, live)
    return most


def _plans(tenants: Sequence[Tenant], near: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Places in numbers, by first fit: the large first, those that are large for long, and as they come."""
    for typical in PATTERNS:
        sizes = [value_at(t.size, typical) for t in tenants]
        weights: tuple[Callable[[int], int], ...] = (
            lambda i, sizes=sizes: -sizes[i],  # type: ignore[misc]  # bound now, as the loop goes on
            lambda i, sizes=sizes: -sizes[i] * (1 + tenants[i].last - tenants[i].made),  # type: ignore[misc]
            lambda i: 0,
        )
        for weight in weights:
            yield _first_fit(sizes, near, sorted(range(len(tenants)), key=lambda i: (weight(i), tenants[i].made)))


def _first_fit(sizes: Sequence[int], near: Sequence[Sequence[int]], order: Sequence[int]) -> list[int]:
    at = [-1] * len(sizes)
    for i in order:
        place = 0
        for j in sorted((j for j in near[i] if at[j] >= 0), key=at.__getitem__):
            if place + sizes[i] <= at[j]:
                break
            place = max(place, at[j] + sizes[j])
        at[i] = place
    return at


def _height(sizes: Sequence[int], near: Sequence[Sequence[int]], rank: Sequence[int]) -> int:
    """What `_stacked` takes in all, where sizes are these numbers."""
    ends: dict[int, int] = {}
    for i in rank:
        ends[i] = sizes[i] + max((ends[j] for j in near[i] if j in ends), default=0)
    return max(ends.values(), default=0)


def _stacked(tenants: Sequence[Tenant], near: Sequence[Sequence[int]], rank: Sequence[int]) -> Arrangement:
    """Each above all that come before it in the ranking and live when it does."""
    places: dict[int, Place] = {}
    total = ZERO
    for i in rank:
        below = (_after(places[j], tenants[j].size) for j in near[i] if j in places)
        places[i] = functools.reduce(larger, below, ZERO)
        total = larger(total, _after(places[i], tenants[i].size))
    return Arrangement(tuple(places[i] for i in range(len(tenants))), total)


@functools.lru_cache(1 << 14)
def value_at(e: Index, typical: int) -> int:
    return e.evaluate(dict.fromkeys(e.names, typical))


def _after(place: Place, size: Index) -> Place:
    return frozenset(e + size for e in place)


@functools.lru_cache(1 << 14)
def larger(a: Place, b: Place) -> Place:
    """The larger of two, whichever it is. Only what is of one is held against what is of the other: neither has two of
    which one is known to be smaller."""
    if a == b:
        return a
    kept: list[Index] = []
    for e in sorted(a | b, key=lambda e: (-value_at(e, TYPICAL), str(e))):
        others = [k for k in kept if not ((e in a and k in a) or (e in b and k in b))]
        if not any(_proved(e, k) for k in others):
            smaller = {k for k in others if _proved(k, e)}
            kept = [*(k for k in kept if k not in smaller), e]
    return frozenset(_fewer(kept))


def _fewer(sizes: list[Index]) -> list[Index]:
    """Sizes of which the largest is no smaller, and not too many: two that are alike become one that covers both."""
    while len(sizes) > _MOST_SIZES:
        found = next(((a, b, c) for a, b in _alike(sizes) if (c := _cover(a, b)) is not None), None)
        if found is None:
            break
        a, b, made = found  # which covers both by what it is, where it may be too long for a proof
        sizes = [*(e for e in sizes if e not in (a, b) and not _proved(e, made)), made]
    return sizes


def _alike(sizes: Sequence[Index]) -> Iterator[tuple[Index, Index]]:
    """All pairs, those first whose cover is, all in all, least above the larger of the two."""
    spread = [_undivided(e) for e in sizes]
    terms = {term: at for at, term in enumerate(dict.fromkeys(term for counts in spread for term in counts))}
    counts = np.zeros((len(sizes), len(terms)))
    for row, of in zip(counts, spread, strict=True):
        for term, count in of.items():
            row[terms[term]] = count
    values = np.array([_probed_term(term) for term in terms], float)
    firsts, seconds = np.triu_indices(len(sizes), 1)
    either = np.maximum((counts @ values)[firsts], (counts @ values)[seconds])
    more = np.maximum(counts[firsts], counts[seconds]) @ values - either
    for at in np.argsort((more / np.maximum(either, 1)).sum(axis=1), kind="stable"):
        yield sizes[firsts[at]], sizes[seconds[at]]


def _undivided(e: Index) -> dict[Monomial, float]:
    """How much of each term is in a sum, what divisions round away aside."""
    found: dict[Monomial, float] = {}
    for term, count in e.terms:
        match term:
            case (FloorDiv(of, by),):
                inner, per = of.terms, count / by
            case _:
                inner, per = ((term, 1),), count
        for one, times in inner:
            found[one] = found.get(one, 0) + times * per
    return found


@functools.lru_cache(1 << 14)
def _cover(a: Index, b: Index) -> Index | None:
    """A size with as much of each term as the one that has more of it, if that is no smaller than both. Of a division
    that only one has it has less, by what the other has of a larger one."""
    terms = [dict(a.terms), dict(b.terms)]
    most = {term: max(t.get(term, 0) for t in terms) for term in (*terms[0], *terms[1])}
    for one, other in (terms, terms[::-1]):
        ours, theirs = ([t for t in these if t not in those] for these, those in ((one, other), (other, one)))
        for term, instead in itertools.product(ours, theirs):
            if (both := min(one[term], other[instead])) > 0 and _divides_less(term, instead):
                for counts, of in ((most, term), (one, term), (other, instead)):
                    counts[of] -= both
    made = _sum(most)
    return made if all(map(_never_negative, most)) or (_proved(a, made) and _proved(b, made)) else None


@functools.lru_cache(1 << 14)
def _divides_less(a: Monomial, b: Monomial) -> bool:
    """Whether two divide by the same, the first never more: `(12*m + 63) // 64` and `(16*m + 63) // 64`."""
    match a, b:
        case (FloorDiv(one, by),), (FloorDiv(other, by_too),) if by == by_too:
            return all(count >= 0 and _never_negative(term) for term, count in (other - one).terms)
        case _:
            return False


@functools.lru_cache(1 << 16)
def _proved(a: Index, b: Index) -> bool:
    """Whether a <= b for every size. Most are not, and most of those are not at one of a few sizes either."""
    if any(map(operator.gt, _probed(a), _probed(b))):
        return False
    return any(_is_never_negative(_least(counts)) for counts in _never_above(dict((b - a).terms)))


def _never_above(counts: Counts) -> Iterator[Counts]:
    """A sum, and what it never falls below: without divisions that are taken off and as much of larger ones, and then
    without what is left of divisions that are not negative."""
    yield counts
    divisions = [term for term in counts if len(term) == 1 and isinstance(term[0], FloorDiv)]
    if not divisions:
        return
    left = dict(counts)
    for less, more in itertools.permutations(divisions, 2):
        if left[less] < 0 < left[more] and _divides_less(less, more):
            both = min(-left[less], left[more])
            left[less] += both
            left[more] -= both
    if left != counts:
        yield left
    fewer = left | {term: min(left[term], 0) for term in divisions if _never_negative(term)}
    if fewer != left:
        yield fewer


def _least(counts: Counts) -> Counts:
    """What a sum never falls below, times a number, with no division: each, alone in a term, is what it divides by less
    its rest, which is all of it or nothing."""
    scale = math.lcm(*(m[0].by for m in counts if len(m) == 1 and isinstance(m[0], FloorDiv)))
    made: Counts = {}
    for term, count in counts.items():
        match term:
            case (FloorDiv(of, by),):
                per = count * scale // by
                for inner, times in of.terms:
                    made[inner] = made.get(inner, 0) + per * times
                if count > 0:
                    made[()] = made.get((), 0) - per * (by - 1)
            case _:
                made[term] = made.get(term, 0) + count * scale
    return made


def _is_never_negative(counts: Counts) -> bool:
    """Most have nothing below zero, or have something and no atom that something else could follow from."""
    if all(count >= 0 and _never_negative(term) for term, count in counts.items() if count):
        return True
    if all(isinstance(atom, Var) for term, count in counts.items() if count for atom in term):
        return False
    made = _sum(counts)
    return bounds_of(made).proves_nonnegative(made)


def _sum(counts: Counts) -> Index:
    return sum((Index(((term, count),)) for term, count in counts.items() if count), const(0))


@functools.lru_cache(1 << 14)
def _never_negative(term: Monomial) -> bool:
    return bounds_of(e := Index(((term, 1),))).proves_nonnegative(e)


@functools.lru_cache(1 << 14)
def _probed(e: Index) -> tuple[int, ...]:
    """Its values where symbols are alike, and where they are very unlike."""
    each = [(count, _probed_term(term)) for term, count in e.terms]
    return tuple(sum(count * values[i] for count, values in each) for i in range(1 + len(SAMPLES) + len(_UNLIKE)))


@functools.lru_cache(1 << 14)
def _probed_term(term: Monomial) -> tuple[int, ...]:
    """The same of one term, of which sums are many."""
    e = Index(((term, 1),))
    alike = (value_at(e, n) for n in (0, *SAMPLES))
    unlike = ({name: zlib.crc32(f"{name} {n}".encode()) % n for name in e.names} for n in _UNLIKE)
    return (*alike, *map(e.evaluate, unlike))


def bounds_of(e: Index) -> Bounds:
    """Sizes are not negative."""
    made = Bounds()
    for name in sorted(e.names):
        made = made.having(name, 0, None)
    return made


def as_number(place: Place) -> Index:
    """The place as one expression."""
    return functools.reduce(maximum, sorted(place, key=str))
