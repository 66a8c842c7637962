"""Loop dependence test: what the rounds of a loop do to each other; and loops that alternate their direction.

A loop that walks a packed operand too large for a cache finds the operand's end there when the next call begins at its
start, and nothing of what it needs. Walked to and fro, each call begins with what the last one left. Invariant: only a
loop whose rounds are free to come in any order turns, so no result changes by a bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from anytile.schedules.index.expr import Expr, Extreme, var
from anytile.schedules.nest.nodes import Alloc, Let, Load, Loop, LoopKind, LoopNest, Number, Stmt, Store, Update, Value
from anytile.schedules.nest.traverse import reads, rewrite, walk, walk_value

ORDERED = (LoopKind.SERIAL, LoopKind.PARALLEL)  # kinds of loops whose rounds come one after the other, at least in part


def touched(s: Loop) -> Iterator[tuple[Stmt, Load]]:
    """Where the statements in a loop touch buffers that are not their own, as places that could be loaded."""
    statements = tuple(walk(s.body))
    inside = {c.buffer.name for c in statements if isinstance(c, Alloc)}
    for c in statements:
        written = (Load(c.buffer, c.index),) if isinstance(c, Store) else ()
        yield from ((c, used) for used in (*written, *reads(c)) if used.buffer not in inside)


def meetings(s: Loop) -> Iterator[tuple[Stmt, Load]]:
    """Where one round of a loop may touch what another one writes, as far as indices show in which neither its variable
    is nor one that is computed from it."""
    written = {c.buffer for c in walk(s.body) if isinstance(c, Store | Update)}
    names = _computed(s)
    for c, used in touched(s):
        if used.buffer in written and all(names.isdisjoint(e.names) for e in used.index):
            yield c, used


def _computed(s: Loop) -> set[str]:
    """The variable of a loop, and those that are bound inside to values computed from it. On the way they may lie in
    buffers of the round's own, in which nothing else lies; what is loaded from any other is not computed."""
    inside = tuple(walk(s.body))
    bound = tuple(c for c in inside if isinstance(c, Let))
    names, buffers = {s.var}, set[str]()
    if not bound:
        return names
    stored: dict[str, list[Value]] = {c.buffer.name: [] for c in inside if isinstance(c, Alloc)}
    for c in inside:
        if isinstance(c, Store | Update) and c.buffer in stored:
            stored[c.buffer].append(c.value)

    def follows(value: Value) -> bool:
        parts = tuple(walk_value(value))
        read = {v.buffer for v in parts if isinstance(v, Load)}
        named = {name for v in parts if isinstance(v, Number) for name in v.expr.names}
        return read <= buffers and bool(read or names & named)

    found = -1
    while found < len(names) + len(buffers):
        found = len(names) + len(buffers)
        buffers |= {name for name, values in stored.items() if values and all(map(follows, values))}
        names |= {c.var for c in bound if follows(c.value)}
    return names


def to_and_fro(nest: LoopNest, operand: str) -> LoopNest:
    """The nest whose loops over the first dimension of an operand turn, where they are what walks it outermost."""

    def change(s: Stmt) -> Stmt | None:
        if not isinstance(s, Loop):
            return None
        read = {v.index for c in walk(s) for v in reads(c) if v.buffer == operand}
        if all(s.var not in e.names for index in read for e in index):
            return None
        is_first = all(index[0] == var(s.var) for index in read)
        free = s.kind in ORDERED and is_first and next(meetings(s), None) is None
        return replace(s, turns=free)  # what stands inside walks a part of it

    return nest.with_body(rewrite(nest.body, change))


def alike(index: Sequence[Expr], name: str, count: int) -> bool:
    """Whether expressions are the same in each `count` neighbouring rounds of a loop, counted from the first."""
    first = [[e.substitute({name: var(name) * count + i}) for e in index] for i in range(count)]
    return all(one == first[0] for one in first)


def multiple(e: Expr, of: int) -> bool:
    """Whether an expression shows to be a multiple of a number."""
    return all(
        c % of == 0
        or (len(m) == 1 and isinstance(m[0], Extreme) and all(multiple(arm, of) for arm in (m[0].a, m[0].b)))
        for m, c in e.terms
    )
