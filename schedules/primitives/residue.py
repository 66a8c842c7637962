"""Residue specialisation: the kernel for x = t*q + r, with the tile t and what is known of r put into a finished nest.

With r a single number every boundary check of the main loop and of the tail folds away, and a small rest shares the
rows of the last full tile: 17 rows in tiles of 8 run as 8 + 5 + 4. With r in a class of neighbouring residues the tail
computes the largest of them and guards its stores. Nothing here measures or chooses; `dispatch` does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from anytile.core.errors import ScheduleError
from anytile.schedules.index.expr import Expr, const, var
from anytile.schedules.nest.nodes import LoopNest, Symbol
from anytile.schedules.nest.traverse import map_exprs, unused
from anytile.schedules.primitives.accumulate import overcompute
from anytile.schedules.primitives.cache_blocks import Blocks, in_blocks
from anytile.schedules.primitives.remainders import known_remainder, partition
from anytile.schedules.primitives.schedule import Jam, Schedule, Split


@dataclass(frozen=True, slots=True)
class Walk:
    """Which loop of a nest walks a symbol in tiles: what residue specialisation needs to know.

    With `jam` a tile that is smaller takes panels side by side, as far as that goes. With `blocks` some tiles are
    walked for all that is around them, before the next ones.
    """

    symbol: str
    outer: str
    inner: str
    tile: int
    jam: Jam | None = None
    blocks: Blocks | None = None


@dataclass(frozen=True, slots=True)
class Residues:
    """A nest in which `symbol = tile * quotient + r` is put, with `low <= r <= high`."""

    nest: LoopNest
    value: Expr
    quotient: Expr


def with_residues(nest: LoopNest, walk: Walk, low: int, high: int) -> Residues:
    """The nest with the symbol's value in place of the symbol: symbols for its quotient, and for r if it varies."""
    if not 0 <= low <= high < walk.tile:
        raise ScheduleError(f"residues {low}..{high} of a tile of {walk.tile}: expected 0 <= low <= high < {walk.tile}")
    q, r = unused(nest, f"{walk.symbol}_q"), unused(nest, f"{walk.symbol}_r")
    made = [Symbol(q, derived=var(walk.symbol) // walk.tile)]
    if low != high:
        made.append(Symbol(r, low, high, var(walk.symbol) % walk.tile))
    value = var(q) * walk.tile + (const(low) if low == high else var(r))

    def put(e: Expr) -> Expr:
        return e.substitute({walk.symbol: value})

    params = tuple(replace(b, shape=tuple(put(e) for e in b.shape)) for b in nest.params)
    given = (s for s in nest.symbols if s.derived is None)
    # Those that were computed from the given ones now may be from these.
    derived = (_from(s, put(s.derived)) for s in nest.symbols if s.derived is not None)
    known = LoopNest(nest.name, params, (*given, *made, *derived), map_exprs(nest.body, put))
    return Residues(known, value, var(q))


def _from(s: Symbol, e: Expr) -> Symbol:
    """The symbol computed in another way; one that is a number lies nowhere else."""
    return replace(s, derived=e) if e.value is None else Symbol(s.name, e.value, e.value, e)


def specialise(nest: LoopNest, walk: Walk, low: int, high: int) -> LoopNest:
    """The nest for `symbol = tile * q + r` with `low <= r <= high`.

    >>> s = matvec()
    >>> split(s, "i", 4, "io", "ii")
    >>> specialise(s.nest, Walk("m", "io", "ii", 4), 3, 3)
    for io in 0..((m + 3) // 4):                       => for io in 0..m_q:
      for ii in 0..4:                                       for ii in 0..4:
        if -ii - 4*io + m - 1 >= 0:                           for k in 0..8:
          for k in 0..8:                                        y[ii + 4*io] += (a[ii + 4*io, k] * x[k])
            y[ii + 4*io] += (a[ii + 4*io, k] * x[k])      for ii in 0..3:
                                                            for k in 0..8:
                                                              y[ii + 4*m_q] += (a[ii + 4*m_q, k] * x[k])
    """
    known = with_residues(nest, walk, low, high)
    name = f"{nest.name}_r{low}" + (f"_{high}" if low != high else "")
    s = Schedule(replace(known.nest, name=name))
    s.splits[walk.outer] = Split(walk.outer, walk.inner, known.value, walk.tile, walk.jam)
    if low == high:
        known_remainder(s, walk.outer, low)
    else:
        s.simplify()
        partition(s, walk.outer)
        overcompute(s, walk.inner)
        s.simplify()
    if walk.blocks is not None:
        in_blocks(s, walk.outer, walk.blocks)
    return s.nest
