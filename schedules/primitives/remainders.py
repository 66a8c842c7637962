"""Loops in tiles: full ones, and what is best for the rest, whatever the extent.

A `Split` says which two loops walk a dimension in tiles. `partition` peels one partial tile off, `partition_evenly`
shares a known rest between two tiles, and `exact_rests` leaves no tile that is partial at all: where the extent is
symbolic there is a body for every size that may be left, picked at run time, so that nothing is computed in vain or
checked. A rest of very few rounds, which cannot keep a CPU busy, shares those of the last full tile: 7 in tiles of 6
are 4 + 3. `rest_alone` keeps the rest and nothing else, where it is to be computed in a way of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from anytile.core.errors import ScheduleError
from anytile.schedules.index.expr import Expr, ceildiv, const, var
from anytile.schedules.nest.nodes import Guard, Loop, LoopKind, LoopNest, Stmt, block
from anytile.schedules.nest.simplify import simplify
from anytile.schedules.nest.traverse import map_exprs, rebuild


@dataclass(frozen=True, slots=True)
class Split:
    """Loop `outer` walks `total` in tiles of `factor`."""

    outer: str
    inner: str
    total: Expr
    factor: int


def each_loop(s: Stmt, name: str, change: Callable[[Loop], Stmt]) -> Stmt:
    if isinstance(s, Loop) and s.var == name:
        return change(s)
    return rebuild(s, lambda c: each_loop(c, name, change))


def partition(nest: LoopNest, split: Split, rolled: str = "", step: int = 1) -> LoopNest:
    """The loop `split.outer` as full tiles, then at most one partial tile.

    A parallel loop stays one loop, so that threads share the partial tile as well. The unrolled loop `rolled`, which
    walks a tile in steps of `step`, is a serial one in a partial tile of unknown size: no round of it is written twice.
    """
    full = nest.bounds.simplify(split.total // split.factor)
    rest = split.total - full * split.factor
    most = nest.bounds.upper(rest)
    rows = split.factor if most is None else max(min(most, split.factor), 0)

    def change(loop: Loop) -> Stmt:
        if loop.kind is LoopKind.PARALLEL:
            last = each_loop(loop.body, split.inner, lambda inner: replace(inner, extent=const(rows)))
            return replace(loop, body=Guard((full - 1 - var(loop.var),), loop.body, last))
        last = _tile_at(loop, split, full * split.factor, rows)
        if rolled and rest.value is None and rows > step:
            last = each_loop(last, rolled, lambda x: replace(x, extent=ceildiv(rest, step), kind=LoopKind.SERIAL))
        return block(replace(loop, extent=full), Guard((rest - 1,), last))

    return simplify(nest.with_body(each_loop(nest.body, split.outer, change)))


def partition_evenly(nest: LoopNest, split: Split, rest: int) -> LoopNest:
    """Full tiles, then the last of them and a rest of `rest` together as two tiles of about the same size.

    A tile of very few rows is limited by the latency of its sums and by how fast the other operand streams past; two
    middling ones are not. Where there is no full tile, the rest stands alone.
    """
    full = nest.bounds.simplify(split.total // split.factor)
    together = split.factor + rest
    first = (together + 1) // 2
    if not 0 < rest < split.factor or first > split.factor:
        raise ScheduleError(f"{nest.name}: a rest of {rest} does not go with a tile of {split.factor}")

    def change(loop: Loop) -> Stmt:
        if loop.kind is LoopKind.PARALLEL:
            return _evenly_in_one(loop, split, full, first, rest)
        start = (full - 1) * split.factor
        last_two = (_tile_at(loop, split, start, first), _tile_at(loop, split, start + first, together - first))
        several = block(replace(loop, extent=full - 1), *last_two)
        return Guard((full - 1,), several, _tile_at(loop, split, const(0), rest))

    return simplify(nest.with_body(each_loop(nest.body, split.outer, change)))


def _evenly_in_one(loop: Loop, split: Split, full: Expr, first: int, rest: int) -> Loop:
    """`partition_evenly` as one loop of full + 1 tiles, of which the last two share what is left."""
    at = var(loop.var)

    def tile(rows: int, moved: int = 0) -> Stmt:
        def move(e: Expr) -> Expr:
            return e + _steps(e, split) * moved

        body = map_exprs(loop.body, move) if moved else loop.body
        return each_loop(body, split.inner, lambda inner: replace(inner, extent=const(rows)))

    last = Guard((at - 1,), tile(split.factor + rest - first, first - split.factor), tile(rest))
    body = Guard((full - 2 - at,), loop.body, Guard((full - 1 - at,), tile(first), last))
    return replace(loop, extent=full + 1, body=body)


def _steps(e: Expr, split: Split) -> int:
    """By how many elements e moves for each one along the dimension that was split."""
    steps = e.coefficient(split.outer)
    if steps is None or steps % split.factor:
        raise ScheduleError(f"a tile of {split.outer} cannot begin anywhere: {e} counts whole tiles")
    return steps // split.factor


def _tile_at(loop: Loop, split: Split, start: Expr, rows: int) -> Stmt:
    """What the loop `split.outer` does for the tile of `rows` elements that begins at `start`."""
    whole, odd = start.split_multiples(split.factor)

    def move(e: Expr) -> Expr:
        if odd.value == 0:
            return e.substitute({split.outer: whole})
        steps = _steps(e, split)
        return e + (start * steps - var(split.outer) * (steps * split.factor))

    body = map_exprs(loop.body, move)
    return each_loop(body, split.inner, lambda inner: replace(inner, extent=const(rows)))


def exact_rests(nest: LoopNest, split: Split, least: int) -> LoopNest:
    """`split.outer` without a tile that sticks out; a rest below `least` is not left on its own if there is more."""
    least = min(least, (split.factor + 1) // 2)

    def change(loop: Loop) -> Stmt:
        return _exactly(_unchecked(loop, split), split, least)

    def visit(s: Stmt) -> Stmt:
        return change(s) if isinstance(s, Loop) and s.var == split.outer else rebuild(s, visit)

    return simplify(nest.with_body(visit(nest.body)))


def rest_alone(nest: LoopNest, split: Split, where: Mapping[int, tuple[Expr, ...]]) -> LoopNest:
    """Of the loop `split.outer` only what full tiles leave, if that is one of the sizes in `where` and what stands
    there holds: a body for each size, without a check."""

    def change(loop: Loop) -> Stmt:
        loop, full = _unchecked(loop, split), split.total // split.factor
        bodies: dict[int, Stmt] = {}
        for rows, condition in where.items():
            tile = _tile_at(loop, split, full * split.factor, rows)
            bodies[rows] = Guard(condition, tile) if condition else tile
        rest = split.total - full * split.factor
        return Guard((max(where) - rest,), _choice(rest, bodies) or block())

    return simplify(nest.with_body(each_loop(nest.body, split.outer, change)))


def _unchecked(loop: Loop, split: Split) -> Loop:
    """Without the conditions that keep a partial tile inside: no tile will be partial."""
    outside = split.total - 1 - (var(split.outer) * split.factor + var(split.inner))

    def visit(s: Stmt) -> Stmt:
        if isinstance(s, Guard) and s.otherwise is None and outside in s.condition:
            left = tuple(c for c in s.condition if c != outside)
            return Guard(left, visit(s.body)) if left else visit(s.body)
        return rebuild(s, visit)

    return replace(loop, body=visit(loop.body))


def _exactly(loop: Loop, split: Split, least: int) -> Stmt:
    factor, total = split.factor, split.total
    full = total // factor
    rest = total - full * factor

    def tile(start: Expr, rows: int) -> Stmt:
        return _tile_at(loop, split, start, rows)

    def several(count: Expr) -> Stmt:
        return replace(loop, extent=count)

    def shared(rows: int) -> Stmt:
        first, start = (factor + rows + 1) // 2, (full - 1) * factor
        return block(tile(start, first), tile(start + first, factor + rows - first))

    def alone(rows: int) -> Stmt:
        return tile(full * factor, rows)

    number = rest.value
    if loop.kind is LoopKind.PARALLEL and number != 0:
        # One loop, so that threads share the tail as well; its place is that of one more round.
        last = _choice(rest, {rows: tile(var(loop.var) * factor, rows) for rows in range(1, factor)})
        if number is not None:
            last = tile(var(loop.var) * factor, number)
        assert last is not None
        return replace(loop, extent=full + 1, body=Guard((full - 1 - var(loop.var),), loop.body, last))
    if number is not None and full.value is not None:
        if number == 0:
            return several(full)
        if number < least and full.value:
            return block(several(full - 1), shared(number))
        return block(several(full), alone(number))
    many = block(several(full), _choice(rest, {rows: alone(rows) for rows in range(least, factor)}))
    if least == 1:
        return many
    few = range(1, least)
    sharing = block(several(full - 1), _choice(rest, {rows: shared(rows) for rows in few}))
    without = _choice(rest, {rows: tile(const(0), rows) for rows in few})
    return Guard((rest - 1, least - 1 - rest), Guard((full - 1,), sharing, without), many)


def _choice(rest: Expr, bodies: dict[int, Stmt]) -> Stmt | None:
    """The body of the largest number that is at most `rest`."""
    chosen: Stmt | None = None
    for rows in sorted(bodies):
        chosen = Guard((rest - rows,), bodies[rows], chosen)
    return chosen
