"""Factors computed into shared memory: `compute_read`, for what is multiplied as one number and read as several.

A weight that lies in memory in few bits becomes floats before it is multiplied. In registers every warp that needs an
element would widen it by itself; here the threads of a block do so once for all of them, from what copies that run
ahead brought, and products read a tile as they do that of any other operand.
"""

from __future__ import annotations

from dataclasses import dataclass

from anytile.core.dtypes import BYTES
from anytile.core.errors import ScheduleError
from anytile.schedules.index.bounds import Bounds
from anytile.schedules.index.expr import Expr, const, var
from anytile.schedules.nest.nodes import (
    Alloc,
    Barrier,
    Buffer,
    Cast,
    Load,
    Loop,
    LoopKind,
    Op,
    Scope,
    Stmt,
    Store,
    Update,
    Value,
    block,
)
from anytile.schedules.nest.traverse import (
    around,
    exchanged,
    free_buffer,
    having,
    loads,
    loops,
    map_value_exprs,
    rewrite,
    walk,
)
from anytile.schedules.primitives.gpu.shared_memory import Fill, extent_of
from anytile.schedules.primitives.schedule import Schedule

PIECE_BYTES = 16  # that a thread stores at once


@dataclass(frozen=True, slots=True)
class ComputedTile:
    """A tile of shared memory, and the loops of the threads that compute it: over what a thread has of it, and over
    the elements of one such piece."""

    name: str
    step: str
    element: str


def compute_read(s: Schedule, operand: str, beside: str, inside: str, how: Fill, dtype: str) -> ComputedTile:
    """Keep what a round of the loop `inside` multiplies by `beside` in a tile of shared memory, as elements of a dtype.

    Its rows are those of `operand`, whatever else it is made of, its columns the last dimension of `beside`. Nothing is
    checked: what a computation reads has zeros outside by `cache_read` and `hold`. A round begins with a barrier, and
    so it has to be one of `pipeline`'s.

    >>> s = widening()
    >>> split(s, "k", 4, "ko", "ki")
    >>> reorder(s, "ko", "i", "j", "ki")
    >>> bind(s, LoopKind.THREAD, "j")
    >>> compute_read(s, "b", "a", "ko", Fill(4, 4), "float32")
    for ko in 0..2:
      for i in 0..4:
        thread j in 0..4:
          for ki in 0..4:
            y[i, j] += (a[i, ki + 4*ko] * (float32(b[j, ki + 4*ko]) * s[j]))
    =>
    shared b_made: float32[4, 4]
    for ko in 0..2:
      thread c_b_row in 0..4:
        register b_piece: float32[4]
        unroll c_b_of in 0..4:
          b_piece[c_b_of] = (float32(b[c_b_row, c_b_of + 4*ko]) * s[c_b_row])
        vector c_b_lane in 0..4:
          b_made[c_b_row, c_b_lane] = b_piece[c_b_lane]
      barrier
      for i in 0..4:
        thread j in 0..4:
          for ki in 0..4:
            y[i, j] += (a[i, ki + 4*ko] * b_made[j, ki])
    """
    found = [(x, _factor(x, operand, beside)) for x in loops(s.nest.body, inside)]
    reading = [(x, pair) for x, pair in found if pair is not None]
    if len(reading) != 1:
        raise ScheduleError(f"compute_read {operand}: expected one loop {inside} with a product of it and {beside}")
    loop, (other, factor) = reading[0]
    within = {x.var: x.extent for x in loops(loop.body)}
    row = next(v.index[0] for v in loads(factor) if v.buffer == operand)
    rows, down_by, local_row = _walked(row, within, operand)
    columns, along_by, local_column = _walked(other.index[-1], within, operand)
    pieces = columns // how.vector
    across = max(1, min(pieces, how.threads))
    down = min(rows, how.threads // across)
    wide = PIECE_BYTES // BYTES[dtype]
    if columns % how.vector or how.vector % wide or rows % down or pieces % across:
        raise ScheduleError(
            f"compute_read {operand}: a tile of {rows} by {columns} is not computed by {how.threads} threads in pieces "
            f"of {how.vector}"
        )
    tile = Buffer(
        free_buffer(s.nest, f"{operand}_made"), (const(rows), const(columns + how.pad)), Scope.SHARED, dtype,
        swizzle=how.swizzle,
    )  # fmt: skip
    piece = Buffer(free_buffer(s.nest, f"{operand}_piece"), (const(how.vector),), Scope.REGISTER, dtype)
    names = [f"c_{operand}_{what}" for what in ("row", "piece", "pass", "step", "of", "store", "lane")]
    at_row, at_piece, turn, step, of, store, lane = map(var, names)
    here_row, here_column = turn * down + at_row, (step * across + at_piece) * how.vector
    there = dict.fromkeys(within, const(0)) | {down_by: here_row, along_by: here_column + of}
    extents = dict(zip(names, (down, across, rows // down, pieces // across, how.vector), strict=False))
    bounds = Bounds()
    for name, extent in extents.items():
        bounds = bounds.having(name, 0, extent - 1)
    made = map_value_exprs(factor, lambda e: bounds.simplify(e.substitute(there)))
    fill: Stmt = Alloc(piece, block(
        Loop(names[4], const(how.vector), LoopKind.UNROLLED,
             Store(piece.name, (of,), made if dtype == "float32" else Cast(dtype, made))),
        Loop(names[5], const(how.vector // wide), LoopKind.UNROLLED,
             Loop(names[6], const(wide), LoopKind.VECTOR,
                  Store(tile.name, (here_row, here_column + store * wide + lane),
                        Load(piece.name, (store * wide + lane,))))),
    ))  # fmt: skip
    kinds = (LoopKind.THREAD, LoopKind.THREAD, LoopKind.UNROLLED, LoopKind.UNROLLED)
    chain = [Loop(n, const(extents[n]), kind, fill) for n, kind in zip(names, kinds, strict=False)]
    read = Op("mul", (other, Load(tile.name, (local_row, local_column))))

    def change(x: Stmt) -> Stmt | None:
        return having(x, value=read) if isinstance(x, Update) and _product(x.value, operand, beside) else None

    body = block(around(chain, fill), Barrier(), rewrite(loop.body, change))
    s.put(exchanged(s.nest.body, loop, Alloc(tile, having(loop, body=body))))
    return ComputedTile(tile.name, names[3], names[4])


def _factor(s: Stmt, operand: str, beside: str) -> tuple[Load, Value] | None:
    """What of `beside` a statement multiplies, and by what; one product alone."""
    found = {p for x in walk(s) if isinstance(x, Update) and (p := _product(x.value, operand, beside))}
    return found.pop() if len(found) == 1 else None


def _product(v: Value, operand: str, beside: str) -> tuple[Load, Value] | None:
    match v:
        case Op("mul", (Load(buffer) as other, factor)) if buffer == beside:
            return (other, factor) if any(x.buffer == operand for x in loads(factor)) else None
    return None


def _walked(e: Expr, within: dict[str, Expr], operand: str) -> tuple[int, str, Expr]:
    """How many places a round reads along a dimension, the loop over neighbours, and the place in the round."""
    local = e - e.substitute(dict.fromkeys(within, 0))
    by = next((n for n in within if local.coefficient(n) == 1), None)
    if by is None:
        raise ScheduleError(f"compute_read {operand}: no loop walks {e} in steps of one")
    return extent_of(local, within, f"compute_read {operand}"), by, local
