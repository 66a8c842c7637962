"""Weights on their way before their kernel's turn: what blocks ask for while what was launched before them still runs.

A GPU that launches early sets blocks up while the kernel before still ends; they wait then, and only afterwards ask
memory for the first time. `ask_ahead` has them ask for their first rounds' part of an operand before they wait, by
prefetches to the cache where all writes meet: so it is right whoever writes the operand, and needs no promise that
nobody does.
"""

from __future__ import annotations

from anytile.core.errors import ScheduleError
from anytile.schedules.index.expr import Expr, const, var
from anytile.schedules.nest.nodes import (
    Ahead,
    Alloc,
    Block,
    BulkCopy,
    Copy,
    Guard,
    Loop,
    LoopKind,
    Prefetch,
    Relay,
    Stmt,
    Store,
    Update,
    block,
)
from anytile.schedules.nest.traverse import guarded, having, loops, map_exprs, reads, walk
from anytile.schedules.primitives.gpu.bind import SPREAD
from anytile.schedules.primitives.schedule import Schedule


def ask_ahead(s: Schedule, *operands: str) -> None:
    """Have blocks ask ahead for what their first rounds read of parameters, in as large pieces as they read them.

    The first rounds are those that a block comes to first: of a loop one, with what is copied ahead of it, and of a
    relay as many as it has stages. So it comes last, behind all that says how an operand is read.

    >>> s = product(64)
    >>> split(s, "j", 16, "bn", "jt")
    >>> split(s, "k", 4, "ko", "ki")
    >>> reorder(s, "bn", "ko", "i", "jt", "ki")
    >>> bind(s, LoopKind.BLOCK, "bn")
    >>> bind(s, LoopKind.THREAD, "jt")
    >>> cache_read(s, "b", "ko", Fill(16, 4))
    >>> ask_ahead(s, "b")
    block bn in 0..4:
      for ko in 0..2:
        shared b_tile: float32[4, 16]
        thread p_b_row in 0..4:
          thread p_b_piece in 0..4:
            copy later 4: b_tile[p_b_row, 4*p_b_piece] = b[4*ko + p_b_row, 16*bn + 4*p_b_piece]
        for i in 0..4:
          thread jt in 0..16:
            for ki in 0..4:
              y[i, 16*bn + jt] += (a[i, ki + 4*ko] * b_tile[ki, jt])
    =>
    block bn in 0..4:
      ahead:
        thread p_b_row in 0..4:
          thread p_b_piece in 0..4:
            prefetch b[p_b_row, 16*bn + 4*p_b_piece] locality 3
      for ko in 0..2:
        shared b_tile: float32[4, 16]
        thread p_b_row in 0..4:
          thread p_b_piece in 0..4:
            copy later 4: b_tile[p_b_row, 4*p_b_piece] = b[4*ko + p_b_row, 16*bn + 4*p_b_piece]
        for i in 0..4:
          thread jt in 0..16:
            for ki in 0..4:
              y[i, 16*bn + jt] += (a[i, ki + 4*ko] * b_tile[ki, jt])
    """
    what = f"ask_ahead {', '.join(operands)}"

    def begun(x: Stmt, along: str) -> Stmt:
        asked = _First(frozenset(operands), along).of(x)
        if asked == block():
            raise ScheduleError(f"{what}: no round reads it of memory")
        return block(Ahead(asked), x)

    def visit(x: Stmt) -> Stmt:
        if not any(c.kind is LoopKind.BLOCK for c in loops(x)):
            return begun(x, "")
        match x:
            case Loop(name, kind=LoopKind.BLOCK, body=body) if not any(c.kind is LoopKind.BLOCK for c in loops(body)):
                return having(x, body=begun(body, name))
            case Loop(kind=LoopKind.BLOCK) | Alloc() | Guard(otherwise=None):
                return having(x, body=visit(x.body))
        raise ScheduleError(f"{what}: loops of blocks stand in rounds of others; expected them around all")

    s.put(visit(s.nest.body))


class _First:
    """What of a statement reads operands in a block's first rounds, as prefetches of that."""

    def __init__(self, operands: frozenset[str], along: str) -> None:
        self._operands = operands
        self._along = along  # the innermost loop of blocks, neighbours along which may be a cluster

    def of(self, s: Stmt) -> Stmt:
        match s:
            case Loop(body=Relay() as relay):
                fill = guarded((s.extent - 1 - var(s.var),), self._fill(relay))
                return Loop(s.var, const(relay.stages), LoopKind.UNROLLED, fill) if fill != block() else block()
            case Relay() as relay:
                return self._fill(relay)
            case Loop(name, extent, kind, body):
                return self._loop(name, extent, kind, self.of(body))
            case Guard(condition, body, otherwise):
                then, rest = self.of(body), block() if otherwise is None else self.of(otherwise)
                if rest != block():
                    return Guard(condition, then, rest)
                return Guard(condition, then) if then != block() else then
            case Alloc():
                return self.of(s.body)
            case Block(statements):
                return block(*map(self.of, statements))
            case Copy(source=source, where=where) if source.buffer in self._operands:
                return guarded(where, Prefetch(source.buffer, source.index))
            case Store() | Update():
                found = dict.fromkeys(v for v in reads(s) if v.buffer in self._operands)
                return block(*(Prefetch(v.buffer, v.index) for v in found))
            case _:
                return block()

    def _loop(self, name: str, extent: Expr, kind: LoopKind, asked: Stmt) -> Stmt:
        """Of rounds the first, which there may not be, and of what is read at once where it begins."""
        if asked == block():
            return asked
        if kind in SPREAD or (kind is LoopKind.UNROLLED and name in _names(asked)):
            return Loop(name, extent, kind, asked)
        there = (extent - 1,) if (extent.value or 0) < 1 else ()
        return guarded(there, map_exprs(asked, lambda e: e.substitute({name: 0})))

    def _fill(self, relay: Relay) -> Stmt:
        """Its bulk copies; what blocks of a cluster copy for each other is asked for by whoever copies it."""
        copies = (c for c in walk(relay.fill) if isinstance(c, BulkCopy) and c.source.buffer in self._operands)
        return block(*(self._box(c, relay.cluster) for c in copies))

    def _box(self, s: BulkCopy, cluster: int) -> Stmt:
        corner, box = list(s.source.index), list(s.box)
        if s.shared:
            box[s.parted] //= cluster
            corner[s.parted] = corner[s.parted] + var(self._along) % cluster * box[s.parted]
        return Prefetch(s.source.buffer, tuple(corner), box=tuple(box))


def _names(s: Stmt) -> set[str]:
    """The variables that it speaks of."""
    found: set[str] = set()
    for x in walk(s):
        match x:
            case Prefetch():
                found.update(*(e.names for e in x.index))
            case Guard():
                found.update(*(e.names for e in x.condition))
            case Loop():
                found |= x.extent.names
    return found
