"""Warp specialisation: tiles that one thread copies in bulk while all others compute, and grids that stay.

`relay` hands the tiles of a loop from one to the others through stages. `persist` makes so many blocks go through all
tiles of the output in turns; then stages are filled for the next tile while the sums of the last one are stored.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from anytile.core.errors import ScheduleError
from anytile.schedules.index.bounds import Bounds
from anytile.schedules.index.expr import Expr, ceildiv, const, minimum, product, rejoined, var
from anytile.schedules.nest.dependences import alike
from anytile.schedules.nest.nodes import (
    Alloc,
    Block,
    BulkCopy,
    Copy,
    Guard,
    Load,
    Loop,
    LoopKind,
    Relay,
    Stmt,
    Store,
    block,
)
from anytile.schedules.nest.traverse import chain_of, guarded, loops, map_exprs, rewrite, unused, walk
from anytile.schedules.primitives.gpu.bind import SPREAD
from anytile.schedules.primitives.gpu.pipeline import at_stage, parts
from anytile.schedules.primitives.gpu.shared_memory import stride
from anytile.schedules.primitives.schedule import Schedule


def relay(s: Schedule, name: str, stages: int, behind: bool = False, cluster: int = 1) -> None:
    """Fill the shared tiles that rounds of the loop `name` read by bulk copies, up to `stages` rounds ahead.

    With `behind` a round's products may be under way while the next one's begin. What of a tile lies outside its
    operand is zero, so it need not be checked. Rounds are counted on where the loop stands in another one that is no
    loop of blocks. So many neighbours along the innermost loop of blocks are a `cluster`: a tile that is the same in
    all of them each copies a part of, for all.

    >>> s = product(4)
    >>> split(s, "k", 4, "ko", "ki")
    >>> reorder(s, "ko", "i", "j", "ki")
    >>> bind(s, LoopKind.THREAD, "j")
    >>> cache_read(s, "a", "ko", Fill(4, 1))
    >>> relay(s, "ko", 2)
    for ko in 0..2:
      shared a_tile: float32[4, 4]
      thread p_a_piece in 0..4:
        unroll p_a_pass in 0..4:
          copy later 1: a_tile[p_a_pass, p_a_piece] = a[p_a_pass, 4*ko + p_a_piece]
      for i in 0..4:
        thread j in 0..4:
          for ki in 0..4:
            y[i, j] += (a_tile[i, ki] * b[ki + 4*ko, j])
    =>
    shared a_tile: float32[2, 4, 4]
    for ko in 0..2:
      relay round ko through 2 stages:
        copy in bulk: a_tile[ko] = a[0, 4*ko]...
      to:
        for i in 0..4:
          thread j in 0..4:
            for ki in 0..4:
              y[i, j] += (a_tile[ko, i, ki] * b[ki + 4*ko, j])
    """
    body = s.nest.body
    blocks = [x.var for x in loops(body) if x.kind is LoopKind.BLOCK]
    if cluster > 1 and not blocks:
        raise ScheduleError(f"relay {name}: a cluster of {cluster}, and no loop of blocks")
    along = blocks[-1] if cluster > 1 else ""

    def change(loop: Loop, count: Expr) -> Stmt:
        return _relayed(loop, count, Relay(count, stages, block(), block(), behind, cluster), along)

    s.put(counted(body, name, const(0), change))
    if s.nest.body == body:
        raise ScheduleError(f"relay {name}: expected tiles that are copied there")


def counted(s: Stmt, name: str, before: Expr, change: Callable[[Loop, Expr], Stmt]) -> Stmt:
    """Change loops of a name, given a round's number in a block; `before` is how often what stands here has run, for
    each thread."""

    def visit(x: Stmt) -> Stmt | None:
        if not isinstance(x, Loop) or x.kind is LoopKind.BLOCK:
            return None
        count = before if x.kind in SPREAD else before * x.extent + var(x.var)
        return change(x, count) if x.var == name else replace(x, body=counted(x.body, name, count, change))

    return rewrite(s, visit)


def _relayed(loop: Loop, count: Expr, as_said: Relay, along: str) -> Stmt:
    tiles, fills, work = parts(loop.body)
    if not fills:
        return loop
    stage, names = count % as_said.stages, frozenset(b.name for b in tiles)
    copies = (copy for fill in fills for copy in _in_bulk(fill, stage, along, as_said.cluster))
    relayed: Stmt = replace(loop, body=replace(as_said, fill=block(*copies), work=at_stage(work, names, stage)))
    for b in reversed(tiles):
        relayed = Alloc(replace(b, shape=(const(as_said.stages), *b.shape)), relayed)
    return relayed


def _in_bulk(fill: Stmt, stage: Expr, along: str, cluster: int) -> Iterator[BulkCopy]:
    """One copy instead of those of threads, or one for each part of a tile: from where the first of them begins."""
    chain, copy = chain_of(fill)
    if not isinstance(copy, Copy):
        raise ScheduleError("relay: a tile is filled by more than a copy")
    *parts_of, row, column = copy.index
    around = [x for x in chain if any(x.var in e.names for e in parts_of)]
    for which in itertools.product(*(range(x.extent.value or 0) for x in around)):
        now = {x.var: const(i) for x, i in zip(around, which, strict=True)}
        index = tuple(e.substitute(now) for e in copy.source.index)
        corner, box, steps, place = box_of(index, [x for x in chain if x not in around], copy.count)
        if (row, column) != place:
            raise ScheduleError(f"relay: {copy.buffer} is not a box of {copy.source.buffer} as it lies")
        shared = cluster > 1 and alike(corner, along, cluster)
        tile = (stage, *(e.substitute(now) for e in parts_of))
        yield BulkCopy(copy.buffer, tile, Load(copy.source.buffer, corner), box, steps, shared)


def box_of(
    index: Sequence[Expr], chain: Sequence[Loop], count: int = 1
) -> tuple[tuple[Expr, ...], tuple[int, ...], tuple[int, ...], tuple[Expr, Expr]]:
    """The box of all that loops reach, `count` neighbours at an index: where it begins, how many it has along each
    dimension, how far they are apart, and the row and column of the index in it, as a tile."""
    first, bounds = {x.var: 0 for x in chain}, Bounds()
    for x in chain:
        bounds = bounds.having(x.var, 0, x.extent - 1)
    corner = tuple(e.substitute(first) for e in index)
    apart = [e - c for e, c in zip(index, corner, strict=True)]
    steps = (*(stride(e) for e in apart[:-1]), 1)
    places = [e // step for e, step in zip(apart, steps, strict=True)]
    last = [bounds.upper(e) for e in places]
    if None in last:
        raise ScheduleError(f"a box from {', '.join(map(str, corner))} on: it has no known size; split its loops first")
    box = tuple((most or 0) + 1 for most in last)
    box, row = (*box[:-1], box[-1] + count - 1), const(0)
    for place, size in zip(places[:-1], box, strict=False):
        row = row * size + place
    return corner, box, steps if max(steps) > 1 else (), (bounds.simplify(rejoined(row)), places[-1])


def persist(s: Schedule, blocks: int) -> None:
    """Have at most so many blocks, each of which does every so many-th tile of those that blocks were for.

    Of the loops of blocks only the outermost may be as long as a symbol says. Whether a tile is there at all is checked
    where it is stored: all blocks go through whole rounds.

    >>> split(s, "i", 4, "io", "ii")
    >>> bind(s, LoopKind.BLOCK, "io")
    >>> accumulate(s, "io")
    >>> persist(s, 8)
    block io in 0..((m + 3) // 4):                => block block in 0..min(((m + 3) // 4), 8):
      register acc: float32[4]                         for turn in 0..((((m + 3) // 4) + 7) // 8):
      for ii in 0..4:                                    if ((m + 3) // 4) - block - 8*turn - 1 >= 0:
        acc[ii] = 0.0                                      register acc: float32[4]
      for ii in 0..4:                                      for ii in 0..4:
        if -ii - 4*io + m - 1 >= 0:                          acc[ii] = 0.0
          for k in 0..8:                                   for ii in 0..4:
            acc[ii] += (a[ii + 4*io, k] * x[k])              if -4*block - ii + m - 32*turn - 1 >= 0:
      for ii in 0..4:                                          for k in 0..8:
        if -ii - 4*io + m - 1 >= 0:                              acc[ii] += (a[4*block + ii + 32*turn, k] * x[k])
          y[ii + 4*io] = acc[ii]                           for ii in 0..4:
                                                             if -4*block - ii + m - 32*turn - 1 >= 0:
                                                               y[4*block + ii + 32*turn] = acc[ii]
    """
    chain, _ = chain_of(s.nest.body)
    loops = [x for x in chain if x.kind is LoopKind.BLOCK]
    if not loops or chain[: len(loops)] != loops or any(x.extent.value is None for x in loops[1:]):
        raise ScheduleError("persist: expected loops of blocks around all, of fixed extents but for the outermost")
    first, inner = loops[0], loops[-1].body
    # Rows that no store checks are those of whole tiles: of a fixed number, which turns do not show to be one.
    checked: tuple[Expr, ...] = () if first.extent.value is None else (first.extent - 1 - var(first.var),)
    if isinstance(inner, Guard) and inner.otherwise is None:
        checked = (*checked, *inner.condition)
        inner = inner.body
    inner = _where_stored(inner, checked, {b.name for b in s.nest.params})
    name, turn = unused(s.nest, "block"), unused(s.nest, "turn")
    number, place = var(turn) * blocks + var(name), dict[str, Expr]()
    for x in reversed(loops[1:]):
        place[x.var], number = number % (x.extent.value or 1), number // (x.extent.value or 1)
    place[first.var] = number
    tiles = product(x.extent for x in loops)
    there = (tiles - 1 - var(turn) * blocks - var(name),)
    body = Guard(there, map_exprs(inner, lambda e: e.substitute(place)))
    turns = ceildiv(tiles, blocks)
    s.put(Loop(name, minimum(tiles, const(blocks)), LoopKind.BLOCK, Loop(turn, turns, LoopKind.SERIAL, body)))


def _where_stored(s: Stmt, condition: tuple[Expr, ...], outputs: set[str]) -> Stmt:
    """A condition around what stores results, instead of around all."""

    def change(x: Stmt) -> Stmt | None:
        if isinstance(x, Alloc | Block):
            return None
        stores = any(isinstance(c, Store) and c.buffer in outputs for c in walk(x))
        return guarded(condition, x) if stores else x

    return rewrite(s, change)
