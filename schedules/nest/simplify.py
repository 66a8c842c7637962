"""Simplify a loop nest by what is known of its variables; the meaning stays, to the letter.

Guards that always hold disappear, guards that never hold take their body with them, loops whose guard cuts them short
get the shorter extent, loops that run once or never vanish. After residue specialisation this is what leaves a main
loop without a single boundary check.
"""

from __future__ import annotations

from anytile.schedules.index.bounds import Bounds
from anytile.schedules.index.expr import Expr, const, var
from anytile.schedules.nest.nodes import (
    Ahead,
    Alloc,
    Barrier,
    Block,
    BulkCopy,
    Commit,
    Copy,
    Deliver,
    Guard,
    Last,
    Let,
    Loop,
    LoopKind,
    LoopNest,
    Prefetch,
    Relay,
    Stmt,
    Store,
    Tile,
    Update,
    Wait,
    block,
)
from anytile.schedules.nest.traverse import having, map_exprs, map_value_exprs, own_exprs

# A vector has its lanes, and a loop of threads the number that numbers them.
_WHOLE = (LoopKind.VECTOR, LoopKind.BLOCK, LoopKind.WARP, LoopKind.THREAD)


def simplify(nest: LoopNest) -> LoopNest:
    body = _simplify(nest.body, nest.bounds)
    return nest.with_body(body if body is not None else Block(()))


def decide(condition: tuple[Expr, ...], bounds: Bounds) -> tuple[Expr, ...] | None:
    """What is left to check of `every e >= 0`: () if it always holds, None if it never does."""
    left = []
    for e in condition:
        if bounds.proves_nonnegative(e):
            continue
        if bounds.proves_nonnegative(-e - 1):
            return None
        left.append(bounds.simplify(e))
    return tuple(left)


def _simplify(s: Stmt, bounds: Bounds) -> Stmt | None:
    match s:
        case Loop():
            return _loop(s, bounds)
        case Guard(condition, body, otherwise):
            left = decide(condition, bounds)
            without = bounds.given(-left[0] - 1) if left is not None and len(left) == 1 else bounds
            other = None if otherwise is None else _simplify(otherwise, without)
            if left is None:
                return other
            within = bounds
            for e in left:
                within = within.given(e)
            inner = _simplify(body, within)
            if not left:
                return inner
            if inner is None and other is None:
                return None
            if other is None and isinstance(inner, Guard) and inner.otherwise is None:
                return Guard(tuple(dict.fromkeys((*left, *inner.condition))), inner.body)
            return Guard(left, inner if inner is not None else Block(()), other)
        case Let():
            return _let(s, bounds)
        case Copy(where=where):
            left = decide(where, bounds)  # where none holds zeros are written, so the copy stays
            return own_exprs(having(s, where=where if left is None else left), bounds.simplify)
        case Relay():
            fill, work = (_simplify(c, bounds) for c in (s.fill, s.work))
            return having(s, round=bounds.simplify(s.round), fill=fill or Block(()), work=work or Block(()))
        case Deliver():
            left, within = decide(s.where, bounds), bounds
            for e in left or ():
                within = within.given(e)
            inner = _simplify(s.work, within)
            done = having(s, work=inner or Block(()), where=s.where if left is None else left)
            return own_exprs(done, bounds.simplify)
        case Ahead() | Alloc() | Last():
            inner = _simplify(s.body, bounds)
            return None if inner is None else having(s, body=inner)
        case Block(body=statements):
            kept = [c for c in (_simplify(c, bounds) for c in statements) if c is not None]
            return block(*kept) if kept else None
        case Store() | Update() | Prefetch() | Tile() | BulkCopy() | Barrier() | Commit() | Wait():
            return own_exprs(s, bounds.simplify)


def _loop(s: Loop, bounds: Bounds) -> Stmt | None:
    extent = bounds.simplify(s.extent)
    if s.kind not in _WHOLE:
        extent = _shortened(s, extent, bounds)
    if bounds.proves(extent, 0):
        return None
    if extent.value == 1 and s.kind is not LoopKind.VECTOR:
        return _simplify(map_exprs(s.body, lambda e: e.substitute({s.var: 0})), bounds)
    body = _simplify(s.body, bounds.having(s.var, 0, extent - 1))
    grain = None if s.grain is None else having(s.grain, work=bounds.simplify(s.grain.work))
    return None if body is None else _hoisted(having(s, extent=extent, body=body, grain=grain), bounds)


def _let(s: Let, bounds: Bounds) -> Stmt | None:
    extent = bounds.simplify(s.extent)
    if extent.value == 1:
        return _simplify(map_exprs(s.body, lambda e: e.substitute({s.var: 0})), bounds)
    body = _simplify(s.body, bounds.having(s.var, 0, extent - 1))
    return None if body is None else Let(s.var, map_value_exprs(s.value, bounds.simplify), extent, body)


def _hoisted(s: Loop, bounds: Bounds) -> Stmt:
    """`for v: if c: ...` is `if c: for v: ...` for what c does not say of v; what it says may shorten the loop."""
    body = s.body
    if not isinstance(body, Guard) or body.otherwise is not None:
        return s
    ours = tuple(e for e in body.condition if s.var in e.names)
    others = tuple(e for e in body.condition if s.var not in e.names)
    extent = s.extent if s.kind in _WHOLE else _shortened(s, s.extent, bounds)
    if extent != s.extent:  # the conditions that shortened it now hold
        inner = bounds.having(s.var, 0, extent - 1)
        ours = tuple(e for e in ours if not inner.proves_nonnegative(e))
    kept: Stmt = having(s, extent=extent, body=Guard(ours, body.body) if ours else body.body)
    return Guard(others, kept) if others else kept


def _shortened(s: Loop, extent: Expr, bounds: Bounds) -> Expr:
    """`for v in 0..8: if 2 - v >= 0` runs three times."""
    body = s.body
    if extent.value is None or not isinstance(body, Guard) or body.otherwise is not None:
        return extent
    shortest = extent.value
    for e in body.condition:
        limit = bounds.simplify(e + var(s.var))
        if e.coefficient(s.var) == -1 and limit.value is not None:
            shortest = min(shortest, max(limit.value + 1, 0))
    return const(shortest)
