"""Register tiles: a tile of the output that lives in registers while it is summed up, and its epilogue.

`accumulate` makes the nest imperfect: it starts the tile, runs the updates, and stores the result through the tail of
the schedule. `overcompute` then lets the updates run where a tile sticks out, so that only stores are guarded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anytile.core.errors import ScheduleError
from anytile.schedules.index.bounds import Bounds
from anytile.schedules.index.expr import Expr, minimum, var
from anytile.schedules.nest.nodes import (
    Alloc,
    Block,
    Buffer,
    Guard,
    Load,
    Loop,
    Reduce,
    Scope,
    Stmt,
    Store,
    Update,
    Value,
    block,
)
from anytile.schedules.nest.operations import dtype_of, identity
from anytile.schedules.nest.traverse import around, chain_of, free_buffer, guarded, map_value, rebuild, walk
from anytile.schedules.primitives.schedule import Result, Schedule, Tail


def accumulate(s: Schedule, inside: str, lanes: str | None = None, gates: str | None = None) -> str:
    """Keep a tile of the output in registers within the loop `inside`: start it, update it, store it once.

    Where a reduction loop stands outside, the tile starts from what is already there, except in the first round. The
    tail, an epilogue, is computed where the result is complete: at the store of the last round.
    `lanes` names a vector loop over the reduction: the tile keeps one result per lane, reduced at the store.
    `gates` names a loop of the tile whose iterations are stored together: the tail makes one of them.
    Copies that were staged are put in their places.

    >>> split(s, "i", 4, "io", "ii")
    >>> reorder(s, "io", "k", "ii")
    >>> accumulate(s, "io")
    for io in 0..((m + 3) // 4):                       => for io in 0..((m + 3) // 4):
      for k in 0..8:                                        register acc: float32[4]
        for ii in 0..4:                                     for ii in 0..4:
          if -ii - 4*io + m - 1 >= 0:                         acc[ii] = 0.0
            y[ii + 4*io] += (a[ii + 4*io, k] * x[k])        for k in 0..8:
                                                              for ii in 0..4:
                                                                if -ii - 4*io + m - 1 >= 0:
                                                                  acc[ii] += (a[ii + 4*io, k] * x[k])
                                                            for ii in 0..4:
                                                              if -ii - 4*io + m - 1 >= 0:
                                                                y[ii + 4*io] = acc[ii]
    """
    outer, tile, conditions, update = _tile(s, inside)
    out_names = frozenset(n for e in update.index for n in e.names)
    spatial = [loop for loop in tile if loop.var in out_names]
    kept = [*spatial, *(loop for loop in tile if loop.var == lanes)]
    if lanes is not None and (lanes in out_names or lanes not in {loop.var for loop in tile}):
        raise ScheduleError(f"accumulate inside {inside}: {lanes} is not a reduction loop inside it")
    shape = tuple(loop.extent for loop in kept)
    if any(e.value is None for e in shape):
        sizes = ", ".join(map(str, shape))
        raise ScheduleError(f"accumulate inside {inside}: the tile {sizes} is not of fixed size")
    acc = Buffer(free_buffer(s.nest, "acc"), shape, Scope.REGISTER, _dtype(s, update))
    here = tuple(var(loop.var) for loop in kept)
    # What depends on a loop of the reduction says which terms there are, not which outputs.
    reduced = {loop.var for loop in (*outer, *tile)} - out_names
    of_output = tuple(c for c in conditions if c.names.isdisjoint(reduced))
    above = tuple(c for c in of_output if c.names.isdisjoint({loop.var for loop in tile}))
    at_store = tuple(c for c in of_output if c not in above)
    at_update = tuple(c for c in conditions if c not in above)

    result: Load | Reduce = Load(acc.name, here)
    if lanes is not None:
        width = next(loop.extent.value for loop in tile if loop.var == lanes)
        result = Reduce(update.op, lanes, width or 0, Load(acc.name, here))
    start = around(kept, Store(acc.name, here, identity(update.op, acc.dtype)))
    rounds = [loop for loop in outer if loop.var not in out_names]
    if gates is not None and (s.tail is None or gates not in {loop.var for loop in spatial}):
        raise ScheduleError(f"accumulate inside {inside}: {gates} is no loop of the tile that a tail makes one")
    if rounds:
        if lanes is not None or gates is not None:
            what = "gates" if lanes is None else "lanes"
            raise ScheduleError(f"accumulate inside {inside}: {what} exclude a reduction loop outside")
        for loop in rounds:  # without a first round nothing would start the output
            if not s.nest.bounds.proves(1, loop.extent):
                raise ScheduleError(f"accumulate inside {inside}: loop {loop.var} outside it may never run")
        first = tuple(-var(loop.var) for loop in rounds)
        again = guarded(at_store, Store(acc.name, here, Load(update.buffer, update.index)))
        start = Guard(first, start, around(kept, again))
    run = around(tile, guarded(at_update, Update(acc.name, here, update.value, update.op)))
    finish = _stored(s, update, result, spatial, at_store, rounds, gates)
    body: Stmt = Alloc(acc, block(start, run, finish))
    s.put(around(outer, guarded(above, body)))
    s.put(s.with_copies())
    s.staged.clear()
    s.accumulated = True
    return acc.name


def _tile(s: Schedule, inside: str) -> tuple[list[Loop], list[Loop], tuple[Expr, ...], Update]:
    chain, innermost = chain_of(s.nest.body)
    position = next((i for i, loop in enumerate(chain) if loop.var == inside), None)
    if position is None:
        raise ScheduleError(f"accumulate inside {inside}: no such loop in the perfect nest")
    conditions = innermost.condition if isinstance(innermost, Guard) else ()
    update = innermost.body if isinstance(innermost, Guard) else innermost
    if not isinstance(update, Update):
        raise ScheduleError(f"accumulate inside {inside}: expected one update in the innermost loop")
    return chain[: position + 1], chain[position + 1 :], conditions, update


def _dtype(s: Schedule, update: Update) -> str:
    """Of an output; of sums that only a tail sees, that of their terms."""
    held = {b.name: b.dtype for b in (*s.nest.params, *(staged.buffer for staged in s.staged))}
    return held.get(update.buffer) or dtype_of(update.value, held.__getitem__)


def _stored(
    s: Schedule,
    update: Update,
    result: Value,
    spatial: Sequence[Loop],
    condition: tuple[Expr, ...],
    rounds: Sequence[Loop],
    gates: str | None,
) -> Stmt:
    """The tile on its way to the output, through the tail if there is one and the sums are complete."""

    def stored(result: Value, tail: Tail) -> Stmt:
        def gate(number: int) -> Value:
            if gates is None:
                return result
            return map_value(result, lambda v: Load(v.buffer, tuple(e.substitute({gates: number}) for e in v.index)))

        stores = block(*tail(gate, update.index))
        return around([loop for loop in spatial if loop.var != gates], guarded(condition, stores))

    def plain(result: Result, index: tuple[Expr, ...]) -> tuple[Store, ...]:
        return (Store(update.buffer, index, result(0)),)

    if s.tail is None:
        return stored(result, plain)
    if not isinstance(result, Load):  # a tail may read its result twice, and adding up lanes is dear
        shape = tuple(loop.extent for loop in spatial)
        total = Buffer(free_buffer(s.nest, "total"), shape, Scope.REGISTER, _dtype(s, update))
        there = Load(total.name, tuple(var(loop.var) for loop in spatial))
        add_up = around(spatial, Store(total.name, there.index, result))
        return Alloc(total, block(add_up, stored(there, s.tail)))
    finished = stored(result, s.tail)
    if not rounds:
        return finished
    last = tuple(var(loop.var) - loop.extent + 1 for loop in rounds)
    return Guard(last, finished, stored(result, plain))


def overcompute(s: Schedule, *names: str) -> None:
    """Let register updates run where a tile sticks out in these loops; only stores stay guarded.

    Sound because a register outside the output is never stored. A load that would leave its buffer is moved to the last
    element of the dimension.

    >>> split(s, "i", 4, "io", "ii")
    >>> reorder(s, "io", "k", "ii")
    >>> accumulate(s, "io")
    >>> overcompute(s, "ii")
    for io in 0..((m + 3) // 4):                  => for io in 0..((m + 3) // 4):
      register acc: float32[4]                         register acc: float32[4]
      for ii in 0..4:                                  for ii in 0..4:
        acc[ii] = 0.0                                    acc[ii] = 0.0
      for k in 0..8:                                   for k in 0..8:
        for ii in 0..4:                                  for ii in 0..4:
          if -ii - 4*io + m - 1 >= 0:                      acc[ii] += (a[min(ii + 4*io, m - 1), k] * x[k])
            acc[ii] += (a[ii + 4*io, k] * x[k])        for ii in 0..4:
      for ii in 0..4:                                    if -ii - 4*io + m - 1 >= 0:
        if -ii - 4*io + m - 1 >= 0:                        y[ii + 4*io] = acc[ii]
          y[ii + 4*io] = acc[ii]
    """
    body, chosen = s.nest.body, frozenset(names)
    held = [x.buffer for x in walk(body) if isinstance(x, Alloc)]
    registers = {b.name for b in held if b.scope is Scope.REGISTER}
    shapes = {b.name: b.shape for b in (*s.nest.params, *held)}
    stored = {c for x in walk(body) if isinstance(x, Guard) and _stores(x.body) for c in x.condition}

    def visit(x: Stmt, bounds: Bounds, dropped: tuple[Expr, ...] = ()) -> Stmt:
        match x:
            case Loop():
                return replace(x, body=visit(x.body, bounds.having(x.var, 0, x.extent - 1), dropped))
            case Guard(condition, inner, None):
                of_tile = _tile_names(inner, registers)
                # A condition that no store checks says which terms there are, not which outputs.
                gone = tuple(c for c in condition if c in stored and c.names & chosen and c.names & chosen <= of_tile)
                return guarded(tuple(c for c in condition if c not in gone), visit(inner, bounds, (*dropped, *gone)))
            case Update():
                return replace(x, value=map_value(x.value, lambda v: _clamped(v, dropped, shapes, bounds)))
            case _:
                return rebuild(x, lambda c: visit(c, bounds, dropped))

    s.put(visit(body, s.nest.bounds))


def _stores(s: Stmt) -> bool:
    return any(isinstance(c, Store) for c in walk(s))


def _tile_names(s: Stmt, registers: set[str]) -> frozenset[str]:
    """The variables that choose a register, where all that s does is update registers; none where it does more."""
    leaves = [c for c in walk(s) if not isinstance(c, Loop | Guard | Block)]
    if not all(isinstance(c, Update) and c.buffer in registers for c in leaves):
        return frozenset()
    chosen = [frozenset(n for e in c.index for n in e.names) for c in leaves if isinstance(c, Update)]
    return frozenset.intersection(*chosen) if chosen else frozenset()


def _clamped(load: Load, dropped: tuple[Expr, ...], shapes: dict[str, tuple[Expr, ...]], bounds: Bounds) -> Load:
    index = []
    for e, size in zip(load.index, shapes[load.buffer], strict=True):
        for c in dropped:
            if e.names & c.names and not bounds.proves(e, size - 1) and (e + c).names.isdisjoint(e.names & c.names):
                e = minimum(e, e + c)
        index.append(e)
    return Load(load.buffer, tuple(index))
