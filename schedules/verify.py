"""The verifier: what every loop nest must satisfy, whatever primitives made it.

A nest that passes names only what is in scope, reads and writes inside its buffers for every value of its symbols, and
writes no input. Positions are proved from the ranges of loops and from the guards around a statement; what cannot be
proved is refused, so a primitive that relies on luck is found without running anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from anytile.schedules.bounds import Bounds
from anytile.schedules.errors import ScheduleError
from anytile.schedules.expr import Expr, Extreme, FloorDiv, expr
from anytile.schedules.nest import (
    Alloc,
    Block,
    Buffer,
    Guard,
    Literal,
    Load,
    Loop,
    LoopKind,
    LoopNest,
    Op,
    Prefetch,
    Scope,
    Stmt,
    Store,
    Sum,
    Update,
    Value,
)
from anytile.schedules.printer import print_stmt

OPERATIONS = ("add", "sub", "mul", "div", "max", "min")


def verify(nest: LoopNest) -> None:
    """Raise ScheduleError, naming statement and reason, where the nest is malformed."""
    place = _Place(nest.name, {}, Bounds(), (), None)
    for s in nest.symbols:
        place.fresh(s.name, f"symbol {s.name}")
        if s.derived is not None:
            place.known(s.derived, f"symbol {s.name}")
        if s.high is not None and s.high < s.low:
            place.refuse(f"symbol {s.name}", f"its range {s.low}..{s.high} is empty")
        place = replace(place, bounds=place.bounds.having(s.name, s.low, s.high))
    for b in nest.params:
        if b.scope is not Scope.PARAM:
            place.refuse(f"parameter {b.name}", f"its scope is {b.scope}")
        place = place.holding(b)
    _stmt(nest.body, place)


@dataclass(frozen=True)
class _Place:
    """What holds where a statement stands: buffers and variables in scope, and conditions known to be >= 0."""

    nest: str
    buffers: Mapping[str, Buffer]
    bounds: Bounds
    facts: tuple[Expr, ...]
    lanes: str | None  # the variable of the vector loop around

    def refuse(self, what: str, reason: str) -> None:
        raise ScheduleError(f"{self.nest}: {what}: {reason}")

    def fresh(self, name: str, what: str) -> None:
        if any(name == known for known, _, _ in self.bounds.ranges):
            self.refuse(what, f"{name} is already bound here")

    def known(self, e: Expr, what: str) -> None:
        unbound = e.names - {name for name, _, _ in self.bounds.ranges}
        if unbound:
            self.refuse(what, f"variable {min(unbound)} is not bound here")

    def holding(self, b: Buffer) -> _Place:
        what = f"buffer {b.name}"
        if b.name in self.buffers:
            self.refuse(what, "another buffer of this name is in scope")
        for extent in b.shape:
            self.known(extent, what)
            if b.scope is Scope.REGISTER and extent.value is None:
                self.refuse(what, f"registers need a fixed size, and {extent} is not a number")
        return replace(self, buffers={**self.buffers, b.name: b})

    def within(self, name: str, extent: Expr, lanes: str | None) -> _Place:
        """One more variable, from 0 to below the extent; where it has a value the extent is at least 1."""
        inner = self.bounds.having(name, 0, extent - 1)
        return replace(self, bounds=inner, facts=(*self.facts, _unrounded(extent - 1)), lanes=lanes)

    def given(self, condition: tuple[Expr, ...]) -> _Place:
        return replace(self, facts=(*self.facts, *condition))

    def proves(self, e: Expr) -> bool:
        """Whether e >= 0: by ranges alone, or because it is at least something known to be >= 0."""
        if self.bounds.proves_nonnegative(e):
            return True
        for fact in reversed(self.facts):
            if any(self.bounds.proves_nonnegative(e - scale * fact) for scale in _scales(e, fact)):
                return True
        for monomial, c in e.terms:  # what `min(a, b)` bounds from above, each of its arms does
            if len(monomial) == 1 and isinstance(a := monomial[0], Extreme):
                arms = [self.proves(e - Expr(((monomial, c),)) + c * arm) for arm in (a.a, a.b)]
                return all(arms) if (c > 0) == (a.kind == "min") else any(arms)
        return False


def _scales(e: Expr, fact: Expr) -> set[int]:
    """How often a fact may be taken: once, and so often that one of its terms cancels one of e's."""
    terms = dict(e.terms)
    return {1} | {terms[m] // c for m, c in fact.terms if m in terms and terms[m] % c == 0 and terms[m] // c > 1}


def _unrounded(e: Expr) -> Expr:
    """`x // t + rest >= 0` says exactly that `x + t * rest >= 0`."""
    for monomial, c in e.terms:
        if c == 1 and len(monomial) == 1 and isinstance(a := monomial[0], FloorDiv):
            return a.of + (e - Expr(((monomial, c),))) * a.by
    return e


def _stmt(s: Stmt, place: _Place) -> None:
    match s:
        case Loop(name, extent, kind, body):
            what = f"{kind} {name} in 0..{extent}"
            place.fresh(name, what)
            place.known(extent, what)
            if kind in (LoopKind.UNROLLED, LoopKind.VECTOR) and extent.value is None:
                place.refuse(what, "the extent must be a number")
            if kind is LoopKind.VECTOR:
                _lanes(name, extent.value or 0, what, place)
            _stmt(body, place.within(name, extent, name if kind is LoopKind.VECTOR else place.lanes))
        case Store(buffer, index, value) | Update(buffer, index, value):
            what = print_stmt(s)
            written = _access(buffer, index, what, place)
            if written.scope is Scope.PARAM and not written.output:
                place.refuse(what, f"{buffer} is an input")
            _value(value, what, place)
        case Guard(condition, body, otherwise):
            what = print_stmt(s)
            if not condition:
                place.refuse(what, "a guard without a condition")
            for e in condition:
                place.known(e, what)
            _stmt(body, place.given(condition))
            if otherwise is not None:
                _stmt(otherwise, place.given((-condition[0] - 1,)) if len(condition) == 1 else place)
        case Alloc(buffer, body):
            if buffer.scope is Scope.PARAM:
                place.refuse(f"buffer {buffer.name}", "a parameter cannot be allocated")
            _stmt(body, place.holding(buffer))
        case Prefetch(buffer, index, locality):
            what = print_stmt(s)
            _access(buffer, index, what, place, hint=True)
            if not 0 <= locality <= 3:
                place.refuse(what, f"locality {locality} is not in 0..3")
        case Block(body=statements):
            for child in statements:
                _stmt(child, place)


def _value(v: Value, what: str, place: _Place) -> None:
    match v:
        case Literal():
            return
        case Load(buffer, index):
            _access(buffer, index, what, place)
        case Op(name, args):
            if name not in OPERATIONS or len(args) != 2:
                place.refuse(what, f"{name} of {len(args)} values; expected two for one of {', '.join(OPERATIONS)}")
            for a in args:
                _value(a, what, place)
        case Sum(lane, count, value):
            place.fresh(lane, what)
            _lanes(lane, count, what, place)
            _value(value, what, place.within(lane, expr(count), lane))


def _lanes(name: str, count: int, what: str, place: _Place) -> None:
    if place.lanes is not None:
        place.refuse(what, f"the lanes of {name} stand inside the lanes of {place.lanes}")
    if count < 1:
        place.refuse(what, f"{count} lanes; expected at least 1")


def _access(buffer: str, index: tuple[Expr, ...], what: str, place: _Place, hint: bool = False) -> Buffer:
    held = place.buffers.get(buffer)
    if held is None:
        raise ScheduleError(f"{place.nest}: {what}: buffer {buffer} is not in scope")
    if len(index) != len(held.shape):
        place.refuse(what, f"{buffer} has {len(held.shape)} dimensions, not {len(index)}")
    for d, (e, size) in enumerate(zip(index, held.shape, strict=True)):
        place.known(e, what)
        if hint:
            continue
        if not place.proves(e):
            place.refuse(what, f"cannot prove 0 <= {e} in dimension {d} of {buffer}")
        if not place.proves(size - 1 - e):
            place.refuse(what, f"cannot prove {e} < {size} in dimension {d} of {buffer}")
    return held
