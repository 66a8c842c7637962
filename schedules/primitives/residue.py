"""Residue specialisation: the kernel for x = t*q + r, with the tile t and what is known of r put into the nest.

With r a single number every boundary check of the main loop and of the tail folds away, and a small rest shares the
rows of the last full tile: 17 rows in tiles of 8 run as 8 + 5 + 4. With r in a class of neighbouring residues the tail
computes the largest of them and guards its stores. Nothing here measures or chooses; `dispatch` does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from anytile.core.errors import ScheduleError
from anytile.schedules.index.expr import Expr, const, var
from anytile.schedules.nest.nodes import LoopNest, Symbol
from anytile.schedules.nest.simplify import simplify
from anytile.schedules.nest.traverse import map_exprs, unused
from anytile.schedules.primitives.remainders import Split, partition, partition_evenly
from anytile.schedules.primitives.schedule import overcompute


@dataclass(frozen=True, slots=True)
class Walk:
    """Which loop of a nest walks a symbol in tiles: what residue specialisation needs to know."""

    symbol: str
    outer: str
    inner: str
    tile: int


def part(nest: LoopNest, split: Split, rest: int) -> LoopNest:
    """The loop of a split whose last tile has `rest` elements, as full tiles and what is best for the rest."""
    return partition_evenly(nest, split, rest) if 0 < 2 * rest < split.factor else partition(nest, split)


def _ordered(symbols: Sequence[Symbol], more: Sequence[Symbol], put: Callable[[Expr], Expr]) -> tuple[Symbol, ...]:
    """The given symbols, more, and those that were computed from the given ones, which now may be from these."""
    given = (s for s in symbols if s.derived is None)
    return (*given, *more, *(_from(s, put(s.derived)) for s in symbols if s.derived is not None))


def _from(s: Symbol, e: Expr) -> Symbol:
    """The symbol computed in another way; one that is a number lies nowhere else."""
    return replace(s, derived=e) if e.value is None else Symbol(s.name, e.value, e.value, e)


def specialise(nest: LoopNest, walk: Walk, low: int, high: int) -> LoopNest:
    """The nest for `symbol = tile * q + r` with `low <= r <= high`."""
    if not 0 <= low <= high < walk.tile:
        raise ScheduleError(f"residues {low}..{high} of a tile of {walk.tile}: expected 0 <= low <= high < {walk.tile}")
    q, r = unused(nest, f"{walk.symbol}_q"), unused(nest, f"{walk.symbol}_r")
    derived = [Symbol(q, derived=var(walk.symbol) // walk.tile)]
    if low != high:
        derived.append(Symbol(r, low, high, var(walk.symbol) % walk.tile))
    value = var(q) * walk.tile + (const(low) if low == high else var(r))

    def put(e: Expr) -> Expr:
        return e.substitute({walk.symbol: value})

    params = tuple(replace(b, shape=tuple(put(e) for e in b.shape)) for b in nest.params)
    known = LoopNest(f"{nest.name}_r{low}" + (f"_{high}" if low != high else ""), params,
                     _ordered(nest.symbols, derived, put), map_exprs(nest.body, put))  # fmt: skip
    split = Split(walk.outer, walk.inner, value, walk.tile)
    if low == high:
        return part(known, split, low)
    parted = partition(simplify(known), split)
    return simplify(parted.with_body(overcompute(parted, frozenset((walk.inner,)))))
