"""Operands read through shared memory and through registers: `cache_read` and `hold`.

A tile of shared memory holds what one round of a loop reads of an operand, zeros where that lies outside, so nothing
that reads a tile checks anything: what a zero adds is nothing, and rows that are outside are never stored.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from anytile.core.dtypes import STORED_FLOATS
from anytile.core.errors import ScheduleError
from anytile.schedules.index.bounds import Bounds
from anytile.schedules.index.expr import Expr, const, rejoined, var
from anytile.schedules.nest.nodes import (
    Alloc,
    Buffer,
    Cast,
    Copy,
    Guard,
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
from anytile.schedules.nest.operations import identity
from anytile.schedules.nest.traverse import exchanged, free_buffer, loads, loops, map_loads, rebuild, walk
from anytile.schedules.primitives.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Fill:
    """How threads fill a tile: `vector` neighbouring elements each, at once or `later`; rows of `pad` more elements,
    or with pieces swizzled, so that threads that read a column of it do not meet in one bank. With a `part` the tile is
    several of so many columns, one behind the other."""

    threads: int
    vector: int
    later: bool = True
    pad: int = 0
    swizzle: int = 1
    part: int | None = None


def cache_read(s: Schedule, operand: str, inside: str, how: Fill) -> str:
    """Keep what a round of the loop `inside` reads of an operand in shared memory: a tile of two of its dimensions, or
    of three, of which the first two are its rows. Of a dimension that is read in strides it holds what is read.

    >>> s = product(4)
    >>> split(s, "k", 4, "ko", "ki")
    >>> reorder(s, "ko", "i", "j", "ki")
    >>> bind(s, LoopKind.THREAD, "j")
    >>> cache_read(s, "a", "ko", Fill(4, 2))
    for ko in 0..2:
      for i in 0..4:
        thread j in 0..4:
          for ki in 0..4:
            y[i, j] += (a[i, ki + 4*ko] * b[ki + 4*ko, j])
    =>
    for ko in 0..2:
      shared a_tile: float32[4, 4]
      thread p_a_row in 0..2:
        thread p_a_piece in 0..2:
          unroll p_a_pass in 0..2:
            copy later 2: a_tile[2*p_a_pass + p_a_row, 2*p_a_piece] = a[2*p_a_pass + p_a_row, 4*ko + 2*p_a_piece]
      for i in 0..4:
        thread j in 0..4:
          for ki in 0..4:
            y[i, j] += (a_tile[i, ki] * b[ki + 4*ko, j])
    """
    inner, load = _reader(s, inside, operand)
    raw = s.nest.param(operand)
    within = {x.var: x.extent for x in loops(inner.body)}
    first = tuple(e.substitute(dict.fromkeys(within, 0)) for e in load.index)
    strides = tuple(stride(e - b) for e, b in zip(load.index, first, strict=True))
    local = tuple((e - b) // stride for e, b, stride in zip(load.index, first, strides, strict=True))
    walked = [d for d, e in enumerate(local) if e != const(0)] if len(local) > 2 else range(len(local))
    if len(walked) not in (2, 3):
        raise ScheduleError(f"cache_read {operand}: a round reads it along {len(walked)} dimensions; expected 2 or 3")
    *above, columns = (extent_of(local[d], within, f"cache_read {operand}") for d in walked)
    rows, each = math.prod(above), above[-1]
    row_of = local[walked[-2]] if len(above) == 1 else rejoined(local[walked[0]] * each + local[walked[1]])
    column_of, part = local[walked[-1]], how.part or columns
    local = (row_of, column_of)
    pieces = part // how.vector
    across = max(1, min(pieces, how.threads))
    down = min(rows, how.threads // across)
    if columns % part or part % how.vector or rows % down or pieces % across:
        raise ScheduleError(
            f"cache_read {operand}: a tile of {rows} by {columns} is not filled by {how.threads} threads in vectors "
            f"of {how.vector}"
        )
    shape: tuple[Expr, ...] = (const(rows), const(part + how.pad))
    if how.part:
        shape, local = (const(columns // part), *shape), (column_of // part, row_of, column_of % part)
    tile = Buffer(free_buffer(s.nest, f"{operand}_tile"), shape, Scope.SHARED, raw.dtype, swizzle=how.swizzle)
    names = [f"p_{operand}_{what}" for what in ("row", "piece", "pass", "step", "part")]
    row, piece, turn, step, which = map(var, names)
    there: tuple[Expr, ...] = (turn * down + row, (step * across + piece) * how.vector)
    rows_there = (there[0],) if len(above) == 1 else (there[0] // each, there[0] % each)
    moved = dict(zip(walked, (*rows_there, there[1] + which * part if how.part else there[1]), strict=True))
    there = (which, *there) if how.part else there
    here = tuple(b + moved.get(d, const(0)) * stride for d, (b, stride) in enumerate(zip(first, strides, strict=True)))
    # Rows are whole vectors, so where the last element of one is inside they all are.
    last = (*here[:-1], here[-1] + (how.vector - 1))
    inside_of = (*(e for e in here if e.offset < 0), *(size - 1 - e for size, e in zip(raw.shape, last, strict=True)))
    fill: Stmt = Copy(tile.name, there, Load(operand, here), how.vector, inside_of, how.later)
    for name, extent, kind in (
        (names[3], pieces // across, LoopKind.UNROLLED),
        (names[2], rows // down, LoopKind.UNROLLED),
        (names[1], across, LoopKind.THREAD),
        (names[0], down, LoopKind.THREAD),
    ):
        fill = Loop(name, const(extent), kind, fill)
    if how.part:
        fill = Loop(names[4], const(columns // part), LoopKind.UNROLLED, fill)
    _read_from(s, inner, load, tile, fill, Load(tile.name, local))
    return tile.name


def hold(s: Schedule, buffer: str, inside: str, along: Sequence[str], name: str, vector: str | None = None) -> str:
    """Keep what a round of the loop `inside` reads of a buffer in registers, one for each round of the loops `along`.

    `vector` names the one of them, the last, whose elements are loaded at once. Of a parameter, zeros are kept for what
    lies outside.

    >>> s = product(8)
    >>> hold(s, "b", "j", ("k",), "held")
    for i in 0..4:                         => for i in 0..4:
      for j in 0..8:                            for j in 0..8:
        for k in 0..8:                            register held: float32[8]
          y[i, j] += (a[i, k] * b[k, j])          unroll k in 0..8:
                                                    held[k] = b[k, j]
                                                  for k in 0..8:
                                                    y[i, j] += (a[i, k] * held[k])
    """
    inner, load = _reader(s, inside, buffer)
    within = {x.var: x for x in loops(inner.body)}
    kept = [within[n] for n in along if n in within]
    name = free_buffer(s.nest, name)
    chosen = frozenset(n for e in load.index for n in e.names) & set(within)
    if chosen != set(along):
        raise ScheduleError(f"hold {buffer} inside {inside}: it is chosen by {', '.join(sorted(chosen))}")
    held = Buffer(name, tuple(x.extent for x in kept), Scope.REGISTER, _dtype(s, buffer))
    here = tuple(var(x.var) for x in kept)
    fill: Stmt = Store(name, here, load)
    raw = next((b for b in s.nest.params if b.name == buffer), None)
    if raw is not None:
        inside_of = tuple(size - 1 - e for size, e in zip(raw.shape, load.index, strict=True))
        nothing = Cast(held.dtype, Literal(0.0)) if held.dtype in STORED_FLOATS else identity("add", held.dtype)
        fill = Guard(inside_of, fill, Store(name, here, nothing))
    for x in reversed(kept):
        fill = Loop(x.var, x.extent, LoopKind.VECTOR if x.var == vector else LoopKind.UNROLLED, fill)
    _read_from(s, inner, load, held, fill, Load(name, here))
    return name


def _read_from(s: Schedule, inside: Loop, old: Load, copy: Buffer, fill: Stmt, new: Load) -> None:
    """Have a round of a loop fill a copy and read that; guards of what then reads no parameter are gone."""
    params = {b.name for b in s.nest.params}

    def unguarded(x: Stmt) -> Stmt:
        x = rebuild(x, unguarded)
        return x.body if isinstance(x, Guard) and _reads_tiles_only(x, params) else x

    body = unguarded(map_loads(inside.body, lambda v: new if v == old else v))
    s.put(exchanged(s.nest.body, inside, replace(inside, body=Alloc(copy, block(fill, body)))))


def _reader(s: Schedule, inside: str, buffer: str) -> tuple[Loop, Load]:
    """The loop of this name that reads the buffer, and how it does."""
    found = [
        (x, {v for y in walk(x.body) if isinstance(y, Update | Store) for v in loads(y.value) if v.buffer == buffer})
        for x in loops(s.nest.body, inside)
    ]
    reading = [(x, read) for x, read in found if read]
    if len(reading) != 1 or len(reading[0][1]) != 1:
        raise ScheduleError(f"{buffer} inside {inside}: expected one loop that reads it in one way")
    return reading[0][0], reading[0][1].pop()


def _dtype(s: Schedule, buffer: str) -> str:
    held = [x.buffer for x in walk(s.nest.body) if isinstance(x, Alloc)]
    return next(b.dtype for b in (*s.nest.params, *held) if b.name == buffer)


def stride(e: Expr) -> int:
    """The distance of neighbours among the places that an expression of loops names."""
    return math.gcd(*(c for _, c in e.terms)) or 1


def extent_of(e: Expr, within: dict[str, Expr], what: str) -> int:
    """How many places, from zero on, an expression of loops names; `what` asks."""
    bounds = Bounds()
    for name, extent in within.items():
        bounds = bounds.having(name, 0, extent - 1)
    top = bounds.upper(e)
    if top is None:
        raise ScheduleError(f"{what}: {e} has no known size; split its loops first")
    return top + 1


def _reads_tiles_only(guard: Guard, params: set[str]) -> bool:
    """Whether all that a guard protects is updates that read tiles: then the zeros there do."""
    inside = [x for x in walk(guard.body) if isinstance(x, Update | Store)]
    read = {v.buffer for x in inside for v in loads(x.value)}
    return guard.otherwise is None and all(isinstance(x, Update) for x in inside) and read.isdisjoint(params)
