"""Staging of a plane: an image of one channel with zeros around it, its columns grouped by residue modulo the stride.

The copy lies in a workspace as [row, column % stride, column // stride]: what a row of the output reads with one tap of
the kernel are neighbours there, whatever the stride. Zeros are written once in each round of the loop `home`; planes
that come one after the other in the loop `at` inside it fall on the same places, so each writes its own pixels alone.
Those are moved by vectors that nothing masks: the last of a row begins where it just fits. Planes may be of any size;
where it is not known that a row of the image ends within the copy's, these are longer by a vector. The box of what is
read, and that only products may be staged, are as in `stage_box`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from anytile.core.errors import ScheduleError
from anytile.schedules.index.expr import Expr, ceildiv, const, minimum, var
from anytile.schedules.nest.nodes import Buffer, Guard, Load, Loop, LoopKind, Scope, Stmt, Store, block
from anytile.schedules.nest.traverse import free_buffer
from anytile.schedules.primitives.pack import zero_of
from anytile.schedules.primitives.schedule import Schedule, Staged
from anytile.schedules.primitives.stage_box import Reading


def stage_plane(s: Schedule, operand: str, home: str, at: str, stride: int, lanes: int) -> None:
    """Read `operand`, whose last dimensions are rows and columns, from a copy of the plane that a round of `at` reads.

    >>> s = depthwise()
    >>> stage_plane(s, "x", "g", "c", 2, 4)
    for g in 0..2:
      for c in 0..4:
        for h in 0..3:
          for v in 0..8:
            for t in 0..3:
              if t + 2*v - 1 >= 0:
                y[g, c, h, v] += (x[g, c, h, t + 2*v - 1] * w[t])
    =>
    for g in 0..2:
      workspace x_staged: float32[3, 2, 12]
      for x.row in 0..3:
        for x.rest in 0..2:
          for x.column in 0..3:
            vector x.column.lane in 0..4:
              x_staged[x.row, x.rest, 4*x.column + x.column.lane] = 0.0
      for c in 0..4:
        for x.row in 0..3:
          for x.column in 0..2:
            vector x.column.lane in 0..4:
              x_staged[x.row, 0, 4*x.column + x.column.lane + 1] = x[g, c, x.row, 8*x.column + 2*x.column.lane + 1]
          for x.column in 0..2:
            vector x.column.lane in 0..4:
              x_staged[x.row, 1, 4*x.column + x.column.lane] = x[g, c, x.row, 8*x.column + 2*x.column.lane]
        for h in 0..3:
          for v in 0..8:
            for t in 0..3:
              y[g, c, h, v] += (x_staged[h, (t % 2), (t // 2) + v] * w[t])
    """
    reading = Reading.of(s, operand, at)
    raw = reading.raw
    if home not in [loop.var for loop in reading.outer[:-1]]:
        raise ScheduleError(f"stage {operand}: expected a loop around {at} to keep its zeros, got {home}")
    ranges = [reading.range_of(e) for e in reading.load.index]
    channel = tuple(low for low, _ in ranges[:-2])
    (top, rows), (left, _) = ranges[-2:]
    if top.value is None or left.value is None or any(extent.value != 1 for _, extent in ranges[:-2]):
        raise ScheduleError(f"stage {operand} at {at}: expected one plane, and the same place for each")
    row, column = reading.load.index[-2] - top, reading.load.index[-1] - left
    _, reach = reading.range_of(reading.load.index[-1], stride)
    above, before, tight = -top.value, -left.value, ceildiv(reach, lanes) * lanes
    sorted_out = [_Columns.of(raw.shape[-1], before, rest, stride) for rest in range(stride)]
    is_wide = not all(s.nest.bounds.decides(c.count, tight - c.first) for c in sorted_out)
    pitch = tight + lanes * is_wide  # a vector may reach over what is read
    box = Buffer(free_buffer(s.nest, f"{operand}_staged"), (rows, const(stride), pitch), Scope.WORKSPACE, raw.dtype)
    along_rows, along_rests, along = (f"{operand}.{name}" for name in ("row", "rest", "column"))
    r = var(along_rows)

    def moved(columns: _Columns) -> Stmt:
        """Of a row, the columns that the stride leaves the same of."""
        first, rest = columns.first, columns.rest

        def move(k: Expr) -> Stmt:
            source = (*channel, r, (k + first) * stride + (rest - before))
            return Store(box.name, (r + above, const(rest), k + first), Load(operand, source))

        if not is_wide:
            return _across(minimum(columns.count, tight - first), lanes, along, move)
        return _across(columns.count, lanes, along, move, tight - first)

    def zero(k: Expr) -> Stmt:
        return Store(box.name, (r, var(along_rests), k), zero_of(raw.dtype))

    of_row = Loop(along_rests, const(stride), LoopKind.SERIAL, _across(pitch, lanes, along, zero))
    zeros = Loop(along_rows, rows, LoopKind.SERIAL, of_row)
    inside = block(*map(moved, sorted_out))
    fill = Loop(along_rows, minimum(raw.shape[-2], rows - above), LoopKind.SERIAL, inside)
    s.stage(Staged(box, home, at, fill, zeros))
    reading.from_copy(s, Load(box.name, (row, column % stride, column // stride)))


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns of an image that a stride leaves the same of: how many, and where the first is in a copy."""

    rest: int
    first: int  # those before are of the border
    count: Expr

    @classmethod
    def of(cls, width: Expr, before: int, rest: int, stride: int) -> _Columns:
        first = max(-((rest - before) // stride), 0)
        return cls(rest, first, (width + (before - rest - 1)) // stride + (1 - first))


def _across(count: Expr, lanes: int, name: str, move: Callable[[Expr], Stmt], needed: Expr | None = None) -> Stmt:
    """`move` for each of `count` places by vectors; by vectors of half as many where there are fewer than that. Of
    vectors that begin behind what is `needed` there are none."""
    if count.value is not None:
        lanes = min(lanes, 1 << max(count.value.bit_length() - 1, 0))

    def of(start: Expr, body: Stmt) -> Stmt:
        return body if needed is None else Guard((needed - 1 - start,), body)

    if lanes == 1:
        return Loop(name, count, LoopKind.SERIAL, of(var(name), move(var(name))))
    whole, lane = count // lanes, f"{name}.lane"

    def vector(start: Expr) -> Stmt:
        return of(start, Loop(lane, const(lanes), LoopKind.VECTOR, move(start + var(lane))))

    many = Loop(name, whole, LoopKind.SERIAL, vector(var(name) * lanes))
    last = Guard((count - whole * lanes - 1,), vector(count - lanes))
    if count.value is not None:
        return block(many, last)
    return Guard((count - lanes,), block(many, last), _across(count, lanes // 2, name, move, needed))
