"""Staging of a plane: an image of one channel with zeros around it, its columns grouped by residue modulo the stride.

The copy lies in a workspace as [row, column % stride, column // stride]: what a row of the output reads with one tap of
the kernel are neighbours there, whatever the stride. Zeros are written once in each round of the loop `home`; planes
that come one after the other in the loop `at` inside it fall on the same places, so each writes its own pixels alone.
Those are moved by vectors that nothing masks: the last of a row begins where it just fits. Planes may be of any size,
and be copied in strips, rounds of `home`, whose rows then are known numbers apart. The box of what is read, and that
only products may be staged, are as in `stage_box`.
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
    strip, odd = (left - left.offset).split_multiples(stride)
    if top.value is None or odd.value != 0 or any(extent.value != 1 for _, extent in ranges[:-2]):
        raise ScheduleError(f"stage {operand} at {at}: expected one plane, and the same place for each")
    row, column = reading.load.index[-2] - top, reading.load.index[-1] - left
    _, reach = reading.range_of(reading.load.index[-1], stride)
    above, before = -top.value, -left.offset
    widest = reading.bounds.upper(reach)
    pitch = ceildiv(reach if widest is None else const(widest), lanes) * lanes
    columns = [_Columns.of(raw.shape[-1], before, rest, stride, strip, pitch) for rest in range(stride)]
    if strip.value != 0 and (strip.coefficient(home) or 0) < max(one.first for one in columns):
        raise ScheduleError(f"stage {operand} at {at}: expected strips no narrower than the border, got {strip}")
    box = Buffer(free_buffer(s.nest, f"{operand}_staged"), (rows, const(stride), pitch), Scope.WORKSPACE, raw.dtype)
    along_rows, along_rests, along = (f"{operand}.{name}" for name in ("row", "rest", "column"))
    r = var(along_rows)

    def source(one: _Columns, k: Expr) -> Expr:
        return (k + strip) * stride + (one.rest - before)

    def moved(one: _Columns, k: Expr) -> Stmt:
        """Of a row, one of the columns that the stride leaves the same of."""
        return Store(box.name, (r + above, const(one.rest), k), Load(operand, (*channel, r, source(one, k))))

    def of_rows(*inside: Stmt) -> Stmt:
        return Loop(along_rows, minimum(raw.shape[-2], rows - above), LoopKind.SERIAL, block(*inside))

    def across(one: _Columns, lanes: int, most: int) -> Stmt:
        return _across(one.count, lanes, most, along, lambda k: moved(one, k + one.first))

    def filled(lanes: int, most: int = 0) -> Stmt:
        return of_rows(*(across(one, lanes, most) for one in columns))

    unknown = [one for one in columns if one.count.value is None]

    def fill(lanes: int, more: Stmt) -> Stmt:
        """Every row by vectors of so many, or of half as many where some of its columns are fewer than that."""
        if lanes == 1 or not unknown:
            return more
        there = [raw.shape[-1] - 1 - source(one, const(one.first + lanes - 1)) for one in unknown]
        some = [end - (one.first + lanes) for one in unknown for end in (one.end, pitch)]
        enough = tuple(dict.fromkeys([*there, *some]))
        few = Guard(tuple(2 * lanes - one.count for one in unknown), filled(lanes, 2), more)
        return Guard(enough, few, fill(lanes // 2, filled(1)))

    def nothing(k: Expr) -> Stmt:
        return Store(box.name, (r, var(along_rests), k), zero_of(raw.dtype))

    zero = _vector(lanes, along, nothing, var(along) * lanes)
    of_row = Loop(along_rests, const(stride), LoopKind.SERIAL, Loop(along, pitch // lanes, LoopKind.SERIAL, zero))
    in_others = [
        Guard((strip - n,), of_rows(Loop(along, minimum(n, one.end), LoopKind.SERIAL, moved(one, var(along)))))
        for one in columns
        if (n := one.first)  # places of the border in the first strip, which have columns in the others
    ]
    all_columns = block(fill(lanes, filled(lanes)), *in_others)
    s.stage(Staged(box, home, at, all_columns, Loop(along_rows, rows, LoopKind.SERIAL, of_row)))
    reading.from_copy(s, Load(box.name, (row, column % stride, column // stride)))


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns of an image that a stride leaves the same of: how many, and where the first is in a copy."""

    rest: int
    first: int  # those before are of the border
    end: Expr  # those behind are
    count: Expr  # of them that are in the copy

    @classmethod
    def of(cls, width: Expr, before: int, rest: int, stride: int, strip: Expr, pitch: Expr) -> _Columns:
        """Those that are in a copy which begins so many places, of `pitch`, after that of all columns."""
        first = max(-((rest - before) // stride), 0)
        end = (width + (before - rest - 1)) // stride + 1 - strip
        return cls(rest, first, end, minimum(end, pitch) - first)


def _across(count: Expr, lanes: int, most: int, name: str, move: Callable[[Expr], Stmt]) -> Stmt:
    """`move` for each of `count` places, a vector's at least, by vectors; the last may do some again. Where it is known
    that they are fewer, so are the lanes. Two at `most` are no loop."""
    if count.value is not None:
        lanes = min(lanes, 1 << max(count.value.bit_length() - 1, 0))
    if lanes == 1:
        return Loop(name, count, LoopKind.SERIAL, move(var(name)))

    def vector(start: Expr) -> Stmt:
        return _vector(lanes, name, move, start)

    if most == 2:
        return block(vector(const(0)), vector(count - lanes))
    last_apart = count.value is None or count.value % lanes
    whole = ceildiv(count, lanes) - 1 if last_apart else count // lanes
    every = Loop(name, whole, LoopKind.SERIAL, vector(var(name) * lanes))
    return block(every, vector(count - lanes)) if last_apart else every


def _vector(lanes: int, name: str, move: Callable[[Expr], Stmt], start: Expr) -> Stmt:
    if lanes == 1:
        return move(start)
    lane = f"{name}.lane"
    return Loop(lane, const(lanes), LoopKind.VECTOR, move(start + var(lane)))
