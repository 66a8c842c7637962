"""Software pipelining: copies that run ahead of what reads them. `pipeline` gives the tiles of a loop several stages.

While one stage is read, the copies for later rounds are under way. The loop then waits only for its own round's copies,
and one barrier in each round is enough: the stage that is filled next was read in the round before it. What is too
little for copies is loaded into registers, by `load_ahead` a round ahead.
"""

from __future__ import annotations

from collections.abc import Callable
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
    Store,
    Tile,
    Wait,
    block,
)
from anytile.schedules.nest.traverse import (
    around,
    children,
    exchanged,
    free_buffer,
    guarded,
    map_exprs,
    map_loads,
    rebuild,
    rewrite,
    walk,
)
from anytile.schedules.primitives.gpu.bind import SPREAD
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


def load_ahead(s: Schedule, name: str, *held: str) -> None:
    """Have threads load what rounds of the loop `name` have of parameters in the registers `held` one round ahead.

    >>> s = product(4)
    >>> split(s, "k", 4, "ko", "ki")
    >>> reorder(s, "ko", "j", "i", "ki")
    >>> bind(s, LoopKind.THREAD, "j")
    >>> hold(s, "b", "j", ("ki",), "held")
    >>> load_ahead(s, "ko", "held")
    for ko in 0..2:                                   => register held_next: float32[4, 4]
      thread j in 0..4:                                  thread j in 0..4:
        register held: float32[4]                          unroll ki in 0..4:
        unroll ki in 0..4:                                   held_next[j, ki] = b[ki, j]
          held[ki] = b[ki + 4*ko, j]                     for ko in 0..2:
        for i in 0..4:                                     thread j in 0..4:
          for ki in 0..4:                                    register held: float32[4]
            y[i, j] += (a[i, ki + 4*ko] * held[ki])          unroll ki in 0..4:
                                                               held[ki] = held_next[j, ki]
                                                             if -ko >= 0:
                                                               unroll ki in 0..4:
                                                                 held_next[j, ki] = b[ki + 4*ko + 4, j]
                                                             for i in 0..4:
                                                               for ki in 0..4:
                                                                 y[i, j] += (a[i, ki + 4*ko] * held[ki])
    """
    for one in held:
        later = free_buffer(s.nest, f"{one}_next")
        before = s.nest.body
        s.each(name, lambda loop, one=one, later=later: _loaded_ahead(loop, one, later))  # type: ignore[misc]  # binds them now
        if s.nest.body is before:
            raise ScheduleError(f"load_ahead {one}: no round of {name} fills it in loops of threads")


def _loaded_ahead(loop: Loop, one: str, later: str) -> Stmt:
    """The rounds of a loop, each of which has what the one before it loaded, and loads what the next one has."""
    place = _place(loop.body, one, ())
    if place is None:
        return loop
    chain, alloc = place
    fill, rest = _parted(alloc)
    at, last = tuple(var(x.var) for x in chain), loop.extent - 1

    def loaded(round_: Expr) -> Stmt:
        filled = rewrite(fill, lambda x: Store(later, (*at, *x.index), x.value) if isinstance(x, Store) else None)
        return _at_round(filled, loop.var, round_)

    now = _always(fill, lambda x: replace(x, value=Load(later, (*at, *x.index))))
    more, then = last - 1 - var(loop.var), loaded(var(loop.var) + 1)
    if isinstance(then, Guard) and then.otherwise is not None:  # zeros, which nobody reads where no round is left
        then = replace(then, condition=(more, *then.condition))
    else:
        then = Guard((more,), then)
    body = exchanged(loop.body, alloc, replace(alloc, body=block(now, then, rest)))
    first = guarded(() if (last.value or -1) >= 0 else (last,), loaded(const(0)))
    kept = replace(alloc.buffer, name=later, shape=(*(x.extent for x in chain), *alloc.buffer.shape))
    return Alloc(kept, block(around(chain, first), replace(loop, body=body)))


def _place(s: Stmt, name: str, inside: tuple[Loop, ...]) -> tuple[tuple[Loop, ...], Alloc] | None:
    """Where registers of a name are allocated, and the loops around that, all of threads or unrolled."""
    if isinstance(s, Alloc) and s.buffer.name == name:
        return inside, s
    if isinstance(s, Loop):
        if s.kind not in (LoopKind.UNROLLED, *SPREAD):
            return None
        inside = (*inside, s)
    return next((found for c in children(s) if (found := _place(c, name, inside)) is not None), None)


def _parted(s: Alloc) -> tuple[Stmt, Stmt]:
    """What fills registers, and what then reads them."""
    match s.body:
        case Block((fill, *rest)) if {x.buffer for x in walk(fill) if isinstance(x, Store)} == {s.buffer.name}:
            return fill, block(*rest)
    raise ScheduleError(f"load_ahead {s.buffer.name}: something comes before it is filled")


def _always(s: Stmt, change: Callable[[Store], Stmt]) -> Stmt:
    """What is stored on conditions, or else zeros are, stored in any case, and in another way."""
    match s:
        case Guard(body=body):
            return _always(body, change)
        case Store():
            return change(s)
        case _:
            return rebuild(s, lambda c: _always(c, change))


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
