"""Binding of loops to the blocks, warps and threads of a GPU, and split-k: sums that several blocks share, in memory or
in a thread block cluster.

A tile kept by `Schedule.accumulate` in a loop of blocks is the registers of all their threads: its dimensions along
loops that are bound to threads choose one.
"""

from __future__ import annotations

from dataclasses import replace
from math import gcd

from anytile.core.errors import ScheduleError
from anytile.schedules.index.expr import Expr, const, var
from anytile.schedules.nest.nodes import (
    Alloc,
    Block,
    Buffer,
    Guard,
    Last,
    Literal,
    Load,
    Loop,
    LoopKind,
    Scope,
    Stmt,
    Store,
    Update,
    block,
)
from anytile.schedules.nest.traverse import around, chain_of, exchanged, free_buffer, loops, map_loads, walk
from anytile.schedules.primitives.loops import mark
from anytile.schedules.primitives.schedule import Schedule

SPREAD = (LoopKind.WARP, LoopKind.THREAD)
_ROUND = "p_round"
_WRITTEN = 16  # loads of sums of other blocks that a thread has under way


def bind(s: Schedule, kind: LoopKind, *names: str) -> None:
    """Run loops by blocks, warps or threads, each iteration by another one.

    >>> s = product(8)
    >>> bind(s, LoopKind.BLOCK, "i")
    for i in 0..4:                         => block i in 0..4:
      for j in 0..8:                            for j in 0..8:
        for k in 0..8:                            for k in 0..8:
          y[i, j] += (a[i, k] * b[k, j])            y[i, j] += (a[i, k] * b[k, j])
    """
    if kind not in (LoopKind.BLOCK, *SPREAD):
        raise ScheduleError(f"bind {', '.join(names)} to {kind}: expected block, warp or thread")
    for name in names:
        extents = [x.extent for x in loops(s.nest.body, name)]
        if kind in SPREAD and any(e.value is None for e in extents):
            raise ScheduleError(f"bind {name} to {kind}: its extent {extents[0]} is not a number; split it first")
    mark(s, kind, *names)


def split_reduction(s: Schedule, name: str, cluster: bool = False) -> None:
    """Share the rounds of the reduction loop `name`, the outermost of a tile, among blocks of their own.

    Each leaves its sums in a workspace, and the one that comes last adds them up, in order, and stores the result.
    It reads all of them, its own too, so that it needs no registers for a tile: a few outputs at a time. As a `cluster`
    all add up, each a part of the tile, which the others put into its shared memory (distributed shared memory):
    whoever comes last has less to do, and nothing goes through memory.

    >>> s = matvec(8)
    >>> split(s, "k", 4, "ko", "ki")
    >>> bind(s, LoopKind.BLOCK, "i")
    >>> accumulate(s, "i")
    >>> split_reduction(s, "ko")
    block i in 0..8:                                  => workspace partial: float32[8, 2]
      register acc: float32[]                            block i in 0..8:
      acc[] = 0.0                                          block ko in 0..2:
      for ko in 0..2:                                        register acc: float32[]
        for ki in 0..4:                                      acc[] = 0.0
          acc[] += (a[i, ki + 4*ko] * x[ki + 4*ko])          for ki in 0..4:
      y[i] = acc[]                                             acc[] += (a[i, ki + 4*ko] * x[ki + 4*ko])
                                                             partial[i, ko] = acc[]
                                                             last ko of 2:
                                                               register total: float32[]
                                                               total[] = 0.0
                                                               unroll p_round in 0..2:
                                                                 register part: float32[]
                                                                 part[] = partial[i, p_round]
                                                                 total[] += part[]
                                                               y[i] = total[]
    """
    tile, outer = _tile_of(s.nest.body, ())
    if tile is None or not isinstance(tile.body, Block):
        raise ScheduleError(f"split the reduction {name}: the output is not in registers; call accumulate first")
    start, run, *finish = tile.body.body
    if not isinstance(run, Loop) or run.var != name or run.extent.value is None:
        raise ScheduleError(f"split the reduction {name}: expected it outermost in the tile, of fixed extent")
    rounds, kept = run.extent.value, chain_of(start)[0]
    vector = next((x for x in kept[-1:] if x.kind not in SPREAD and x.extent.value in (2, 4)), None)
    along: tuple[tuple[str, int], ...] | None = ()
    if cluster and (along := _shared_along(finish[0], vector, rounds)) is None:
        along, vector = _shared_along(finish[0], None, rounds), None  # rather than that a thread moves several at once
    if along is None:
        raise ScheduleError(f"split the reduction {name}: {rounds} blocks do not divide what a thread has")
    others = [x for x in kept if x is not vector]
    # Neighbouring threads write side by side, and each what it can at once.
    inner = [*sorted(others, key=lambda x: x.kind in SPREAD), *([vector] if vector is not None else [])]
    acc = tile.buffer
    whose = () if cluster else outer  # shared memory is a tile's own
    shape = (*(x.extent for x in whose), const(rounds), *(x.extent for x in inner))
    scope = Scope.CLUSTER if cluster else Scope.WORKSPACE
    partial = Buffer(free_buffer(s.nest, "partial"), shape, scope, acc.dtype)
    here = tuple(var(x.var) for x in kept)

    def place(of_round: Expr) -> tuple[Expr, ...]:
        return (*(var(x.var) for x in whose), of_round, *(var(x.var) for x in inner))

    put = around(others, _at_once(vector, Store(partial.name, place(var(name)), Load(acc.name, here))))
    names = (free_buffer(s.nest, "total"), free_buffer(s.nest, "part"))
    at_once = () if vector is None else (vector.extent,)
    total, part = (Buffer(free, at_once, Scope.REGISTER, acc.dtype) for free in names)
    of_round = Load(partial.name, place(var(_ROUND)))
    stores = (_added_up(f, acc.name, of_round, (total, part), vector, rounds) for f in finish)
    last = Last(name, rounds, block(*stores), along)
    shared = Loop(name, run.extent, LoopKind.BLOCK, replace(tile, body=block(start, run.body, put, last)))
    if cluster:
        s.put(exchanged(s.nest.body, tile, Alloc(partial, shared)))
    else:
        s.put(Alloc(partial, exchanged(s.nest.body, tile, shared)))


def _shared_along(finish: Stmt, vector: Loop | None, rounds: int) -> tuple[tuple[str, int], ...] | None:
    """The loops of a thread's registers that so many blocks divide evenly, or None. Those come first of which all tiles
    have all rounds: at the edge others are shorter, and less is divided."""
    at_the_edge = {name for s in walk(finish) if isinstance(s, Guard) for e in s.condition for name in e.names}
    found, left = [], rounds
    for x in sorted(chain_of(finish)[0], key=lambda x: x.var in at_the_edge):
        by = gcd(x.extent.value or 0, left)
        if x.kind not in SPREAD and by > 1 and (vector is None or x.var != vector.var):
            found.append((x.var, by))
            left //= by
    return tuple(found) if left == 1 else None


def _added_up(
    finish: Stmt, acc: str, of_round: Load, held: tuple[Buffer, Buffer], vector: Loop | None, rounds: int
) -> Stmt:
    """The stores of a tile, each sum that of all rounds."""
    loops, body = chain_of(finish)
    lanes = () if vector is None else (vector.var,)
    body = around([x for x in loops if x.var in lanes], body)
    by_thread = [x for x in loops if x.kind in SPREAD]
    by_register = [x for x in loops if x.kind not in SPREAD and x.var not in lanes]
    (total, part), one = held, tuple(var(v) for v in lanes)
    read = _at_once(vector, Store(part.name, one, of_round))
    start: Stmt = Store(total.name, one, Literal(0, total.dtype))
    add: Stmt = Update(total.name, one, Load(part.name, one))
    if vector is not None:
        start, add = replace(vector, body=start), replace(vector, body=add)
    all_rounds = Loop(_ROUND, const(rounds), LoopKind.UNROLLED, Alloc(part, block(read, add)))
    body = map_loads(body, lambda v: Load(total.name, one) if v.buffer == acc else v)
    body = Alloc(total, block(start, all_rounds, body))
    written = rounds
    for x in reversed(by_register):
        written *= x.extent.value or _WRITTEN
        body = replace(x, kind=LoopKind.UNROLLED if written <= _WRITTEN else LoopKind.SERIAL, body=body)
    return around(by_thread, body)


def _tile_of(s: Stmt, outer: tuple[Loop, ...]) -> tuple[Alloc | None, tuple[Loop, ...]]:
    while isinstance(s, Loop) or (isinstance(s, Guard) and s.otherwise is None):
        outer, s = ((*outer, s) if isinstance(s, Loop) else outer), s.body
    return (s, outer) if isinstance(s, Alloc) and s.buffer.scope is Scope.REGISTER else (None, outer)


def _at_once(vector: Loop | None, body: Stmt) -> Stmt:
    return body if vector is None else Loop(vector.var, vector.extent, LoopKind.VECTOR, body)
