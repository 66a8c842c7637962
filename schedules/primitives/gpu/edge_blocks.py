"""Residue specialisation of a grid: one body without a check for blocks of full tiles, one for the tile at the edge.

A loop of blocks stays one loop, of one tile more if there is a rest; which body a block runs is the same for all its
threads. At the edge what is known of the rest (a number, or a class of neighbouring ones) says how many rows can matter
at all: the loop over the rows of a thread gets shorter, and checks that always hold vanish.
"""

from __future__ import annotations

from dataclasses import replace

from anytile.schedules.index.bounds import Bounds
from anytile.schedules.index.expr import Expr, const, var
from anytile.schedules.nest.nodes import Copy, Guard, Loop, LoopNest, Stmt
from anytile.schedules.nest.simplify import simplify
from anytile.schedules.nest.traverse import each_loop, having, map_exprs, rebuild, walk
from anytile.schedules.primitives.residue import Walk, with_residues


def part_blocks(nest: LoopNest, walk_: Walk, low: int, high: int) -> LoopNest:
    """The nest for `symbol = tile * q + r` with `low <= r <= high`; low = 0 and high = tile - 1 is any size.

    >>> s = matvec()
    >>> split(s, "i", 4, "io", "ii")
    >>> bind(s, LoopKind.BLOCK, "io")
    >>> part_blocks(s.nest, Walk("m", "io", "ii", 4), 1, 2)
    block io in 0..((m + 3) // 4):                     => block io in 0..m_q + 1:
      for ii in 0..4:                                       if -io + m_q - 1 >= 0:
        if -ii - 4*io + m - 1 >= 0:                           for ii in 0..4:
          for k in 0..8:                                        for k in 0..8:
            y[ii + 4*io] += (a[ii + 4*io, k] * x[k])              y[ii + 4*io] += (a[ii + 4*io, k] * x[k])
                                                            else:
                                                              for ii in 0..2:
                                                                if -ii + m_r - 1 >= 0:
                                                                  for k in 0..8:
                                                                    y[ii + 4*m_q] += (a[ii + 4*m_q, k] * x[k])
    """
    known = with_residues(nest, walk_, low, high)
    return _parted(simplify(known.nest), walk_, known.value, known.quotient, high)


def part_fixed(nest: LoopNest, walk_: Walk, rows: int) -> LoopNest:
    """The same where the walked dimension is a number, and the nest has no symbol for it."""
    full, rest = divmod(rows, walk_.tile)
    return _parted(nest, walk_, const(rows), const(full), rest)


def _parted(nest: LoopNest, walk_: Walk, total: Expr, full: Expr, high: int) -> LoopNest:
    blocks = next((s for s in walk(nest.body) if isinstance(s, Loop) and s.var == walk_.outer), None)
    if blocks is None:  # a single tile
        whole = total.value is not None and total.value >= walk_.tile
        return nest if whole else simplify(nest.with_body(_edge(nest.body, walk_, full, high)))
    there = full - 1 - var(walk_.outer)  # >= 0 where the tile is full

    def change(loop: Loop) -> Stmt:
        inside = nest.bounds.having(walk_.outer, 0, full - 1)
        main = _without_checks(loop.body, inside, full)
        if high == 0:
            return replace(loop, extent=full, body=main)
        return replace(loop, body=Guard((there,), main, _edge(loop.body, walk_, full, high)))

    return simplify(nest.with_body(each_loop(nest.body, walk_.outer, change)))


def _edge(body: Stmt, walk_: Walk, full: Expr, high: int) -> Stmt:
    """For the tile at the edge, of at most `high` rows: those that a thread has beyond are not computed."""
    body = map_exprs(body, lambda e: e.substitute({walk_.outer: full}))
    rounds = next((s.extent.value for s in walk(body) if isinstance(s, Loop) and s.var == walk_.inner), None)
    if not rounds:
        return body
    step = walk_.tile // rounds
    needed = const(-(-high // step))
    return each_loop(body, walk_.inner, lambda loop: replace(loop, extent=needed))


def _without_checks(s: Stmt, bounds: Bounds, full: Expr) -> Stmt:
    """Without the conditions that hold because the tile is full."""

    def left(conditions: tuple[Expr, ...], here: Bounds) -> tuple[Expr, ...]:
        return tuple(c for c in conditions if not here.proves_nonnegative(c))

    def visit(x: Stmt, here: Bounds) -> Stmt:
        match x:
            case Loop():
                return having(x, body=visit(x.body, here.having(x.var, 0, x.extent - 1)))
            case Guard(condition, body, otherwise):
                kept = left(condition, here)
                return Guard(kept, visit(body, here), otherwise) if kept else visit(body, here)
            case Copy():
                return having(x, where=left(x.where, here))
            case _:
                return rebuild(x, lambda c: visit(c, here))

    return visit(s, bounds)
