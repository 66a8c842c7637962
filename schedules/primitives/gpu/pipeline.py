"""Software pipelining: copies that run ahead of what reads them. `pipeline` gives the tiles of a loop several stages.

While one stage is read, the copies for later rounds are under way. The loop then waits only for its own round's copies,
and one barrier in each round is enough: the stage that is filled next was read in the round before it.
"""

from __future__ import annotations

from dataclasses import replace

from anytile.core.errors import ScheduleError
from anytile.schedules.index.expr import Expr, const, var
from anytile.schedules.nest.nodes import (
    Alloc,
    Barrier,
    Block,
    Buffer,
    Commit,
    Copy,
    Guard,
    Load,
    Loop,
    LoopKind,
    Scope,
    Stmt,
    Tile,
    Wait,
    block,
)
from anytile.schedules.nest.traverse import map_exprs, map_loads, rewrite, walk
from anytile.schedules.primitives.schedule import Schedule


def pipeline(s: Schedule, name: str, stages: int) -> None:
    """Fill the shared tiles that rounds of the loop `name` read `stages - 1` rounds ahead; with one stage, in turns.

    Two stages are a double buffer.

    >>> s = product(4)
    >>> split(s, "k", 4, "ko", "ki")
    >>> reorder(s, "ko", "i", "j", "ki")
    >>> bind(s, LoopKind.THREAD, "j")
    >>> cache_read(s, "a", "ko", Fill(4, 1))
    >>> pipeline(s, "ko", 2)
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
    thread p_a_piece in 0..4:
      unroll p_a_pass in 0..4:
        copy later 1: a_tile[0, p_a_pass, p_a_piece] = a[p_a_pass, p_a_piece]
    commit
    for ko in 0..2:
      wait for all but 0
      barrier
      if -ko >= 0:
        thread p_a_piece in 0..4:
          unroll p_a_pass in 0..4:
            copy later 1: a_tile[ko + 1, p_a_pass, p_a_piece] = a[p_a_pass, 4*ko + p_a_piece + 4]
      commit
      for i in 0..4:
        thread j in 0..4:
          for ki in 0..4:
            y[i, j] += (a_tile[ko, i, ki] * b[ki + 4*ko, j])
    """
    body = s.nest.body
    if stages >= 1:
        s.each(name, lambda loop: _piped(loop, stages))
    if s.nest.body == body:
        raise ScheduleError(f"pipeline {name} in {stages} stages: expected at least 1, and tiles that are copied there")


def _piped(loop: Loop, stages: int) -> Stmt:
    tiles, fills, work = parts(loop.body)
    if not fills:
        return loop
    names = frozenset(b.name for b in tiles)
    later = any(isinstance(x, Copy) and x.later for fill in fills for x in walk(fill))
    if not later and stages > 1:
        raise ScheduleError(f"pipeline {loop.var} in {stages} stages: its copies are made at once; expected 1 stage")
    at = var(loop.var)

    def filled(round_: Expr, stage: Expr) -> Stmt:
        return block(*(at_stage(_at_round(f, loop.var, round_), names, stage) for f in fills))

    if stages == 1:
        arrived = (Commit(), Wait(0)) if later else ()
        now = const(0)
        body = block(filled(at, now), *arrived, Barrier(), at_stage(work, names, now), Barrier())
        piped: Stmt = replace(loop, body=body)
    else:
        ahead, first = stages - 1, "p_first"
        begun = Guard((loop.extent - 1 - var(first),), filled(var(first), var(first)))
        start = Loop(first, const(ahead), LoopKind.UNROLLED, block(begun, Commit()))
        next_ = Guard((loop.extent - 1 - at - ahead,), filled(at + ahead, (at + ahead) % stages))
        turn = (Wait(ahead - 1), Barrier(), next_, Commit(), at_stage(work, names, at % stages))
        piped = block(start, replace(loop, body=block(*turn)))
    for b in reversed(tiles):
        piped = Alloc(replace(b, shape=(const(stages), *b.shape)), piped)
    return piped


def parts(s: Stmt) -> tuple[list[Buffer], list[Stmt], Stmt]:
    """The shared tiles that a round allocates, the statements that fill them, and what then reads them."""
    tiles: list[Buffer] = []
    fills: list[Stmt] = []
    while True:
        if isinstance(s, Alloc) and s.buffer.scope is Scope.SHARED:
            tiles.append(s.buffer)
            s = s.body
            continue
        statements = s.body if isinstance(s, Block) else (s,)
        count = 0
        while count < len(statements) and any(isinstance(x, Copy) for x in walk(statements[count])):
            if isinstance(statements[count], Alloc):
                break
            count += 1
        if count == 0:
            return tiles, fills, s
        fills += statements[:count]
        s = block(*statements[count:])


def _at_round(s: Stmt, name: str, round_: Expr) -> Stmt:
    return map_exprs(s, lambda e: e.substitute({name: round_}))


def at_stage(s: Stmt, names: frozenset[str], stage: Expr) -> Stmt:
    """The same with every access to these tiles going to one stage of them."""

    def moved(load: Load) -> Load:
        return Load(load.buffer, (stage, *load.index)) if load.buffer in names else load

    def change(x: Stmt) -> Stmt | None:
        match x:
            case Copy() if x.buffer in names:
                return replace(x, index=(stage, *x.index))
            case Tile(op, args):
                return Tile(op, tuple(moved(a) for a in args))
            case _:
                return None

    return map_loads(rewrite(s, change), moved)
