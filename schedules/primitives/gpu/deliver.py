"""Bulk stores: results that groups of warps leave in shared memory, from where tiles go to memory by themselves.

A thread that stores its sums where they belong writes pairs of columns, a row apart from its neighbours. By `deliver`
whole boxes are stored, while the group goes on; what of one lies outside the output is left out without a check.
Results that follow from sums alone are not checked one by one either: those outside are put into the tile, too.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from anytile.core.dtypes import BYTES
from anytile.core.errors import ScheduleError
from anytile.schedules.index.expr import Expr, const, var
from anytile.schedules.nest.nodes import Alloc, Buffer, Deliver, Guard, Load, Loop, LoopKind, Scope, Stmt, Store
from anytile.schedules.nest.traverse import free_buffer, guarded, loops, map_exprs, reads, rewrite, unused, walk
from anytile.schedules.primitives.gpu.relay import box_of, counted
from anytile.schedules.primitives.schedule import Schedule

BOX_ROW = 128  # bytes
_PIECES = 8  # of such a row, in the order that a swizzle gives them


def deliver(s: Schedule, group: str, fragment: str, stages: int) -> None:
    """Store what the loop `group` of warps stores by bulk copies of boxes, of which up to `stages` are under way.

    `fragment` is the loop inside it over pieces of columns; a box has as many of them as 128 bytes have room for.

    >>> s = group_result()
    >>> deliver(s, "wg", "nj", 2)
    register acc: float32[2, 16, 4, 8, 4, 2, 2]
    warp wg in 0..2:
      unroll nj in 0..16:
        warp w in 0..4:
          thread g in 0..8:
            thread p in 0..4:
              unroll h in 0..2:
                if -g - 8*h + m - 16*w - 64*wg - 1 >= 0:
                  vector l in 0..2:
                    y[g + 8*h + 16*w + 64*wg, l + 8*nj + 2*p] = acc[wg, nj, w, g, p, h, l]
    =>
    register acc: float32[2, 16, 4, 8, 4, 2, 2]
    shared y_tile: float32[2, 2, 64, 32] swizzle 8
    warp wg in 0..2:
      unroll box in 0..4:
        deliver round box through 2 stages:
          unroll nj in 0..4:
            warp w in 0..4:
              thread g in 0..8:
                thread p in 0..4:
                  unroll h in 0..2:
                    vector l in 0..2:
                      y_tile[(box % 2), wg, g + 8*h + 16*w, l + 8*nj + 2*p] = acc[wg, 4*box + nj, w, g, p, h, l]
        to: y[64*wg, 32*box]... = y_tile[(box % 2), wg]
    """

    def change(loop: Loop, before: Expr) -> Stmt:
        stored = [c for c in walk(loop) if isinstance(c, Store) and c.buffer in outputs]
        return _delivered(s, loop, stored, fragment, stages, before) if stored else loop

    outputs, body = {b.name for b in s.nest.params if b.output}, s.nest.body
    s.put(counted(_checked_inside(body, group), group, const(0), change))
    if s.nest.body == body:
        raise ScheduleError(f"deliver {group}: no loop of this name stores results")


def _checked_inside(body: Stmt, group: str) -> Stmt:
    """Conditions around loops of this name inside them: a round that does nothing is one, too."""

    def change(x: Stmt) -> Stmt | None:
        if isinstance(x, Guard) and x.otherwise is None and isinstance(x.body, Loop) and x.body.var == group:
            return replace(x.body, body=guarded(x.condition, x.body.body))
        return None

    return rewrite(body, change)


def _unchecked(x: Stmt) -> Stmt | None:
    return rewrite(x.body, _unchecked) if isinstance(x, Guard) and x.otherwise is None else None


def _delivered(s: Schedule, loop: Loop, stored: list[Store], fragment: str, stages: int, before: Expr) -> Stmt:
    guard = loop.body if isinstance(loop.body, Guard) and loop.body.otherwise is None else Guard((), loop.body)
    inner, store, group = guard.body, stored[0], loop.extent.value
    if len(stored) > 1 or group is None or not isinstance(inner, Loop) or inner.var != fragment:
        raise ScheduleError(f"deliver {loop.var}: expected one store of results, in the loop {fragment}")
    out, within = s.nest.param(store.buffer), tuple(loops(inner))
    corner, size, steps, at = box_of(store.index, within)
    rows, width = prod(size[:-1]), size[-1]
    columns, count = BOX_ROW // BYTES[out.dtype], inner.extent.value or 0
    boxes = width // columns
    if steps or boxes < 1 or width % columns or count % boxes:
        raise ScheduleError(f"deliver {loop.var}: {rows} by {width}; expected whole boxes of {columns} columns")
    each, box = count // boxes, unused(s.nest, "box")
    round_ = before * boxes + var(box)
    tile = Buffer(
        free_buffer(s.nest, f"{out.name}_tile"),
        (const(stages), loop.extent, const(rows), const(columns)),
        Scope.SHARED,
        out.dtype,
        swizzle=_PIECES,
    )
    corner = (*corner[:-1], corner[-1] + var(box) * columns)
    place = (round_ % stages, var(loop.var))

    def into_tile(x: Stmt) -> Stmt | None:
        if not isinstance(x, Store) or x.buffer != out.name:
            return None
        return replace(x, buffer=tile.name, index=(*place, *at))

    moved = map_exprs(inner.body, lambda e: e.substitute({fragment: each * var(box) + var(fragment)}))
    body = rewrite(moved, into_tile)
    params = {b.name for b in s.nest.params}
    if not any(load.buffer in params for x in walk(body) for load in reads(x)):
        body = rewrite(body, _unchecked)
    work = replace(inner, extent=const(each), body=body)
    box_size, source = (*size[:-1], columns), Load(tile.name, place)
    made = Deliver(round_, stages, work, out.name, corner, source, box_size, guard.condition)
    return Alloc(tile, replace(loop, body=Loop(box, const(boxes), LoopKind.UNROLLED, made)))
