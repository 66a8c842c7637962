"""Reduction across threads: each adds up its own terms of a sum, then the lanes of a warp do, then the warps.

After `spread`, the tile that `Schedule.accumulate` made has one sum for every thread that shares an output. What the
warps found goes through shared memory, and from there neighbouring threads store neighbouring outputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anytile.core.errors import ScheduleError
from anytile.schedules.index.expr import Expr, const, var
from anytile.schedules.nest.nodes import (
    Alloc,
    Barrier,
    Block,
    Buffer,
    Guard,
    Load,
    Loop,
    LoopKind,
    Reduce,
    Scope,
    Stmt,
    Store,
    Update,
    block,
)
from anytile.schedules.nest.traverse import (
    around,
    chain_of,
    exchanged,
    free_buffer,
    loops,
    map_exprs,
    map_loads,
    rewrite,
    walk,
)
from anytile.schedules.primitives.schedule import Schedule


def spread(s: Schedule, warps: str, lanes: str, rows: str, threads: int) -> None:
    """Share each sum of the tile among the reduction loops `warps` and `lanes`, which are bound to warps and threads.

    `rows` is the loop of the tile along which a block has several outputs of one column.

    >>> s = matvec(8)
    >>> split(s, "i", 4, "io", "ii")
    >>> split(s, "k", 4, "kw", "kl")
    >>> reorder(s, "io", "kw", "kl", "ii")
    >>> bind(s, LoopKind.BLOCK, "io")
    >>> bind(s, LoopKind.WARP, "kw")
    >>> bind(s, LoopKind.THREAD, "kl")
    >>> accumulate(s, "io")
    >>> spread(s, "kw", "kl", "ii", 8)
    block io in 0..2:
      register acc: float32[4]
      for ii in 0..4:
        acc[ii] = 0.0
      warp kw in 0..2:
        thread kl in 0..4:
          for ii in 0..4:
            acc[ii] += (a[ii + 4*io, kl + 4*kw] * x[kl + 4*kw])
      for ii in 0..4:
        y[ii + 4*io] = acc[ii]
    =>
    block io in 0..2:
      shared sums: float32[2, 4]
      register acc: float32[2, 4, 4]
      warp kw in 0..2:
        thread kl in 0..4:
          for ii in 0..4:
            acc[kw, kl, ii] = 0.0
      warp kw in 0..2:
        thread kl in 0..4:
          for ii in 0..4:
            acc[kw, kl, ii] += (a[ii + 4*io, kl + 4*kw] * x[kl + 4*kw])
      warp kw in 0..2:
        for ii in 0..4:
          sums[kw, ii] = sum(acc[kw, kl, ii] for kl in 0..4)
      barrier
      thread p_ii in 0..4:
        register total: float32[]
        total[] = sums[0, p_ii]
        unroll p_part in 0..2:
          if p_part - 1 >= 0:
            total[] += sums[p_part, p_ii]
        y[4*io + p_ii] = total[]
    """
    tile = next((x for x in walk(s.nest.body) if isinstance(x, Alloc) and x.buffer.scope is Scope.REGISTER), None)
    if tile is None or not isinstance(tile.body, Block) or len(tile.body.body) != 3:
        raise ScheduleError(f"spread over {warps} and {lanes}: the output is not in registers; call accumulate first")
    start, run, finish = tile.body.body
    found = {x.var: x for x in loops(run)}
    if warps not in found or lanes not in found:
        raise ScheduleError(f"spread over {warps} and {lanes}: expected two loops of the reduction")
    shared = (found[warps], found[lanes])
    acc = replace(tile.buffer, shape=(*(x.extent for x in shared), *tile.buffer.shape))
    own = (var(warps), var(lanes))

    def own_place(x: Stmt) -> Stmt | None:
        if isinstance(x, Store | Update) and x.buffer == acc.name:
            return replace(x, index=(*own, *x.index))
        return None

    kept, _ = chain_of(start)
    by_warp = [shared[0], *(x for x in kept if x.kind is LoopKind.WARP)]
    by_lane = [x for x in kept if x.kind is not LoopKind.WARP]
    begin = around([*by_warp, shared[1], *by_lane], rewrite(kept[-1].body if kept else start, own_place))
    sums = Buffer(free_buffer(s.nest, "sums"), (shared[0].extent, *(x.extent for x in kept)), Scope.SHARED, acc.dtype)
    here = tuple(var(x.var) for x in kept)
    count = shared[1].extent.value or 0
    of_warp = Reduce("add", lanes, count, Load(acc.name, (*own, *here)))
    add = around([*by_warp, *by_lane], Store(sums.name, (var(warps), *here), of_warp))
    total = Buffer(free_buffer(s.nest, "total"), (), Scope.REGISTER, acc.dtype)
    end = _finished(finish, kept, (acc, sums, total), rows, threads)
    body = Alloc(sums, block(Alloc(acc, block(begin, rewrite(run, own_place), add)), Barrier(), end))
    s.put(exchanged(s.nest.body, tile, body))


def _finished(
    finish: Stmt, kept: Sequence[Loop], buffers: tuple[Buffer, Buffer, Buffer], rows: str, threads: int
) -> Stmt:
    """The stores, each output by a thread of its own: columns side by side, and rows as far as there are threads."""
    acc, sums, total = buffers
    columns = 1
    for x in kept:
        columns *= 1 if x.var == rows else x.extent.value or 1
    extent = next((x.extent.value or 1 for x in kept if x.var == rows), 1)
    side = min(extent, max(1, threads // columns))
    names = {x.var: var(f"p_{x.var}") for x in kept}
    turn = f"p_{rows}_turn"
    put: dict[str, Expr] = {**names, rows: var(turn) * side + names.get(rows, const(0))}

    def without_loops(x: Stmt) -> Stmt | None:
        return rewrite(x.body, without_loops) if isinstance(x, Loop) else None

    stored = map_loads(rewrite(finish, without_loops), lambda v: Load(total.name, ()) if v.buffer == acc.name else v)
    at = (var("p_part"), *(var(x.var) for x in kept))
    parts = Loop("p_part", sums.shape[0], LoopKind.UNROLLED, Update(total.name, (), Load(sums.name, at)))
    started = Store(total.name, (), Load(sums.name, (const(0), *at[1:])))
    more = Guard((var("p_part") - 1,), parts.body)
    body: Stmt = Alloc(total, block(started, replace(parts, body=more), stored))
    body = Loop(turn, const(-(-extent // side)), LoopKind.UNROLLED, map_exprs(body, lambda e: e.substitute(put)))
    for x in (*(x for x in reversed(kept) if x.var != rows), *(x for x in kept if x.var == rows)):  # rows outermost
        body = Loop(f"p_{x.var}", const(side) if x.var == rows else x.extent, LoopKind.THREAD, body)
    return body
