"""Sums whose terms lie with several threads: each adds up its own, then the lanes of a warp, then the warps.

After `spread`, the tile that `Schedule.accumulate` made has one sum for every thread that shares an output. What the
warps found goes through shared memory, and from there neighbouring threads store neighbouring outputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anytile.schedules.errors import ScheduleError
from anytile.schedules.expr import Expr, const, var
from anytile.schedules.nest import (
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
    map_exprs,
    map_value,
    rebuild,
    walk,
)
from anytile.schedules.schedule import Schedule

_SUMS = "sums"


def spread(s: Schedule, warps: str, lanes: str, rows: str, threads: int) -> None:
    """Share each sum of the tile among the reduction loops `warps` and `lanes`, which are bound to warps and threads.

    `rows` is the loop of the tile along which a block has several outputs of one column.
    """
    tile = next((x for x in walk(s.nest.body) if isinstance(x, Alloc) and x.buffer.scope is Scope.REGISTER), None)
    if tile is None or not isinstance(tile.body, Block) or len(tile.body.body) != 3:
        raise ScheduleError(f"spread over {warps} and {lanes}: the output is not in registers; call accumulate first")
    start, run, finish = tile.body.body
    found = {x.var: x for x in walk(run) if isinstance(x, Loop)}
    if warps not in found or lanes not in found:
        raise ScheduleError(f"spread over {warps} and {lanes}: expected two loops of the reduction")
    shared = (found[warps], found[lanes])
    acc = replace(tile.buffer, shape=(*(x.extent for x in shared), *tile.buffer.shape))
    own = (var(warps), var(lanes))

    def theirs(x: Stmt) -> Stmt:
        if isinstance(x, Store | Update) and x.buffer == acc.name:
            return replace(x, index=(*own, *x.index))
        return rebuild(x, theirs)

    kept = _loops(start)
    by_warp = [shared[0], *(x for x in kept if x.kind is LoopKind.WARP)]
    by_lane = [x for x in kept if x.kind is not LoopKind.WARP]
    begin = _around([*by_warp, shared[1], *by_lane], theirs(kept[-1].body if kept else start))
    sums = Buffer(_SUMS, (shared[0].extent, *(x.extent for x in kept)), Scope.SHARED, acc.dtype)
    here = tuple(var(x.var) for x in kept)
    count = shared[1].extent.value or 0
    total = Reduce("add", lanes, count, Load(acc.name, (*own, *here)))
    add: Stmt = Store(_SUMS, (var(warps), *here), total)
    add = _around([*by_warp, *by_lane], add)
    end = _finished(finish, kept, sums, rows, threads)
    body = Alloc(sums, block(Alloc(acc, block(begin, theirs(run), add)), Barrier(), end))
    s.nest = s.nest.with_body(_exchanged(s.nest.body, tile, body))


def _finished(finish: Stmt, kept: Sequence[Loop], sums: Buffer, rows: str, threads: int) -> Stmt:
    """The stores, each output by a thread of its own: columns side by side, and rows as far as there are threads."""
    columns = 1
    for x in kept:
        columns *= 1 if x.var == rows else x.extent.value or 1
    extent = next((x.extent.value or 1 for x in kept if x.var == rows), 1)
    side = min(extent, max(1, threads // columns))
    names = {x.var: var(f"p_{x.var}") for x in kept}
    turn = f"p_{rows}_turn"
    put: dict[str, Expr] = {**names, rows: var(turn) * side + names.get(rows, const(0))}

    def stored(x: Stmt) -> Stmt:
        match x:
            case Loop():
                return stored(x.body)
            case Store():
                return replace(x, value=map_value(x.value, lambda v: Load("total", ()) if v.buffer == "acc" else v))
            case _:
                return rebuild(x, stored)

    at = (var("p_part"), *(var(x.var) for x in kept))
    parts = Loop("p_part", sums.shape[0], LoopKind.UNROLLED, Update("total", (), Load(_SUMS, at)))
    started = Store("total", (), Load(_SUMS, (const(0), *at[1:])))
    more = Guard((var("p_part") - 1,), parts.body)
    total = Buffer("total", (), Scope.REGISTER, sums.dtype)
    body: Stmt = Alloc(total, block(started, replace(parts, body=more), stored(finish)))
    body = Loop(turn, const(-(-extent // side)), LoopKind.UNROLLED, map_exprs(body, lambda e: e.substitute(put)))
    others = [x for x in kept if x.var != rows]
    spread_loops = [*((x.var, x.extent) for x in kept if x.var == rows), *((x.var, x.extent) for x in others)]
    for name, size in reversed(spread_loops):
        body = Loop(f"p_{name}", const(side) if name == rows else size, LoopKind.THREAD, body)
    return body


def _loops(s: Stmt) -> list[Loop]:
    found = []
    while isinstance(s, Loop):
        found.append(s)
        s = s.body
    return found


def _around(loops: Sequence[Loop], body: Stmt) -> Stmt:
    for loop in reversed(loops):
        body = replace(loop, body=body)
    return body


def _exchanged(s: Stmt, old: Stmt, new: Stmt) -> Stmt:
    return new if s is old else rebuild(s, lambda c: _exchanged(c, old, new))
