"""Loops bound to the blocks, warps and threads of a GPU, and sums that several blocks share.

A tile kept by `Schedule.accumulate` in a loop of blocks is the registers of all their threads: its dimensions along
loops that are bound to threads choose one.
"""

from __future__ import annotations

from dataclasses import replace

from anytile.schedules.chains import around, chain_of, exchanged
from anytile.schedules.errors import ScheduleError
from anytile.schedules.expr import Expr, const, var
from anytile.schedules.nest import (
    Alloc,
    Block,
    Buffer,
    Guard,
    Last,
    Load,
    Loop,
    LoopKind,
    Scope,
    Stmt,
    Store,
    Update,
    block,
    free_buffer,
    walk,
)
from anytile.schedules.schedule import Schedule

SPREAD = (LoopKind.WARP, LoopKind.THREAD)


def bind(s: Schedule, kind: LoopKind, *names: str) -> None:
    """Run loops by blocks, warps or threads, each iteration by another one."""
    if kind not in (LoopKind.BLOCK, *SPREAD):
        raise ScheduleError(f"bind {', '.join(names)} to {kind}: expected block, warp or thread")
    for name in names:
        extents = [x.extent for x in walk(s.nest.body) if isinstance(x, Loop) and x.var == name]
        if kind in SPREAD and any(e.value is None for e in extents):
            raise ScheduleError(f"bind {name} to {kind}: its extent {extents[0]} is not a number; split it first")
    s.mark(kind, *names)


def split_reduction(s: Schedule, name: str) -> None:
    """Share the rounds of the reduction loop `name`, the outermost of a tile, among blocks of their own.

    Each leaves its sums in a workspace, and the one that comes last adds them up, in order, and stores the result.
    """
    tile, outer = _tile_of(s.nest.body, ())
    if tile is None or not isinstance(tile.body, Block):
        raise ScheduleError(f"split the reduction {name}: the output is not in registers; call accumulate first")
    start, run, *finish = tile.body.body
    if not isinstance(run, Loop) or run.var != name or run.extent.value is None:
        raise ScheduleError(f"split the reduction {name}: expected it outermost in the tile, of fixed extent")
    rounds, kept = run.extent.value, chain_of(start)[0]
    vector = next((x for x in kept[-1:] if x.kind not in SPREAD and x.extent.value in (2, 4)), None)
    others = [x for x in kept if x is not vector]
    # Neighbouring threads write side by side, and each what it can at once.
    inner = [*sorted(others, key=lambda x: x.kind in SPREAD), *([vector] if vector is not None else [])]
    acc = tile.buffer
    shape = (*(x.extent for x in outer), const(rounds), *(x.extent for x in inner))
    partial = Buffer(free_buffer(s.nest, "partial"), shape, Scope.WORKSPACE, acc.dtype)
    here = tuple(var(x.var) for x in kept)

    def place(of_round: Expr) -> tuple[Expr, ...]:
        return (*(var(x.var) for x in outer), of_round, *(var(x.var) for x in inner))

    put = around(others, _at_once(vector, Store(partial.name, place(var(name)), Load(acc.name, here))))
    each = "p_round"
    again = Load(partial.name, place(var(each)))
    if vector is None:
        add: Stmt = Update(acc.name, here, again)
    else:
        part, one = Buffer(free_buffer(s.nest, "part"), (vector.extent,), Scope.REGISTER, acc.dtype), (var(vector.var),)
        read = _at_once(vector, Store(part.name, one, again))
        add = Alloc(part, block(read, replace(vector, body=Update(acc.name, here, Load(part.name, one)))))
    by_thread, by_register = [x for x in others if x.kind in SPREAD], [x for x in others if x.kind not in SPREAD]
    together = around(by_thread, Loop(each, const(rounds), LoopKind.SERIAL, around(by_register, add)))
    last = Last(name, rounds, block(start, together, *finish))
    shared = Loop(name, run.extent, LoopKind.BLOCK, replace(tile, body=block(start, run.body, put, last)))
    s.nest = s.nest.with_body(Alloc(partial, exchanged(s.nest.body, tile, shared)))


def _tile_of(s: Stmt, outer: tuple[Loop, ...]) -> tuple[Alloc | None, tuple[Loop, ...]]:
    while isinstance(s, Loop) or (isinstance(s, Guard) and s.otherwise is None):
        outer, s = ((*outer, s) if isinstance(s, Loop) else outer), s.body
    return (s, outer) if isinstance(s, Alloc) and s.buffer.scope is Scope.REGISTER else (None, outer)


def _at_once(vector: Loop | None, body: Stmt) -> Stmt:
    return body if vector is None else Loop(vector.var, vector.extent, LoopKind.VECTOR, body)
