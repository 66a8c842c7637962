"""Remainders of split loops: full tiles, and what is best for the rest, whatever the extent.

`partition` peels one partial tile off, `partition_evenly` shares a known rest between two tiles, and `exact_remainders`
leaves no tile that is partial at all: where the extent is symbolic there is a body for every size that may be left,
picked at run time, so that nothing is computed in vain or checked. A rest of very few rounds, which cannot keep a CPU
busy, shares those of the last full tile: 7 in tiles of 6 are 4 + 3. `tiles_to_the_end` does so where the end itself
is apart, as the border of an image is. `remainder_alone` keeps the rest and nothing else, where it is to be computed in
a way of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod

from anytile.core.dtypes import BYTES
from anytile.core.errors import ScheduleError
from anytile.schedules.index.expr import Expr, ceildiv, const, minimum, var
from anytile.schedules.nest.nodes import Alloc, Guard, Loop, LoopKind, Prefetch, Scope, Stmt, block
from anytile.schedules.nest.traverse import each_loop, guarded, having, map_exprs, rewrite, walk
from anytile.schedules.primitives.schedule import Schedule, Split
from anytile.schedules.primitives.side_by_side import side_by_side

# Rows of a tile that streams the other operand past faster than hints can ask for it: the CPU's own prefetchers see one
# plain stream. Hints cost a Zen 4 20 to 30 % at 2 to 5 rows from memory, as much at one from the last cache; where each
# step takes no more than a line they gain as much.
MOST_UNHINTED, LINE = 5, 64


def partition(s: Schedule, outer: str, rolled: str | None = None, step: int = 1) -> None:
    """Peel the last, possibly partial tile off a split loop, so that full tiles carry no condition.

    A parallel loop stays one loop, so that threads share the partial tile as well. Where it is known only at run time
    how much is left, the unrolled loop `rolled`, which walks a tile in steps of `step`, becomes a serial one there.
    Nothing that it does may depend on its variable being a number.

    >>> split(s, "i", 4, "io", "ii")
    >>> partition(s, "io")
    for io in 0..((m + 3) // 4):                       => for io in 0..(m // 4):
      for ii in 0..4:                                       for ii in 0..4:
        if -ii - 4*io + m - 1 >= 0:                           for k in 0..8:
          for k in 0..8:                                        y[ii + 4*io] += (a[ii + 4*io, k] * x[k])
            y[ii + 4*io] += (a[ii + 4*io, k] * x[k])      if -4*(m // 4) + m - 1 >= 0:
                                                            for ii in 0..3:
                                                              if -4*(m // 4) - ii + m - 1 >= 0:
                                                                for k in 0..8:
                                                                  y[4*(m // 4) + ii] += (a[4*(m // 4) + ii, k] * x[k])
    """
    split = s.tiles(outer, "partition")
    full = s.nest.bounds.simplify(split.total // split.factor)
    rest = split.total - full * split.factor
    most = s.nest.bounds.upper(rest)
    rows = split.factor if most is None else max(min(most, split.factor), 0)

    def change(loop: Loop) -> Stmt:
        if loop.kind is LoopKind.PARALLEL:
            last = _with_rows(loop.body, split, rows)
            return replace(loop, body=Guard((full - 1 - var(loop.var),), loop.body, last))
        last = _tile_at(loop, split, full * split.factor, rows)
        if rolled is not None and rest.value is None and rows > step:
            last = each_loop(last, rolled, lambda x: replace(x, extent=ceildiv(rest, step), kind=LoopKind.SERIAL))
        return block(replace(loop, extent=full), Guard((rest - 1,), last))

    s.each(outer, change)
    s.simplify()


def partition_evenly(s: Schedule, outer: str, rest: int) -> None:
    """Full tiles, then the last of them and a rest of `rest` together as two tiles of about the same size.

    A tile of very few rows is limited by the latency of its sums and by how fast the other operand streams past; two
    middling ones are not. Where there is no full tile, the rest stands alone.

    >>> s = matvec(9)
    >>> split(s, "i", 4, "io", "ii")
    >>> partition_evenly(s, "io", 1)
    for io in 0..3:                                    => for ii in 0..4:
      for ii in 0..4:                                       for k in 0..8:
        if -ii - 4*io + 8 >= 0:                               y[ii] += (a[ii, k] * x[k])
          for k in 0..8:                                  for ii in 0..3:
            y[ii + 4*io] += (a[ii + 4*io, k] * x[k])        for k in 0..8:
                                                              y[ii + 4] += (a[ii + 4, k] * x[k])
                                                          for ii in 0..2:
                                                            for k in 0..8:
                                                              y[ii + 7] += (a[ii + 7, k] * x[k])
    """
    split = s.tiles(outer, "partition")
    full = s.nest.bounds.simplify(split.total // split.factor)
    together = split.factor + rest
    first = (together + 1) // 2
    if not 0 < rest < split.factor or first > split.factor:
        raise ScheduleError(f"{s.nest.name}: a rest of {rest} does not go with a tile of {split.factor}")

    def change(loop: Loop) -> Stmt:
        if loop.kind is LoopKind.PARALLEL:
            return _evenly_in_one(loop, split, full, first, rest)
        start = (full - 1) * split.factor
        last_two = (_tile_at(loop, split, start, first), _tile_at(loop, split, start + first, together - first))
        several = block(replace(loop, extent=full - 1), *last_two)
        return Guard((full - 1,), several, _tile_at(loop, split, const(0), rest))

    s.each(outer, change)
    s.simplify()


def known_remainder(s: Schedule, outer: str, rest: int) -> None:
    """Full tiles and what is best for a rest of so many elements: a tile apart, or where it is small shared evenly."""
    if 0 < 2 * rest < s.tiles(outer, "partition").factor:
        partition_evenly(s, outer, rest)
    else:
        partition(s, outer)


def exact_remainders(s: Schedule, outer: str, least: int) -> None:
    """No tile that sticks out: a body for each size of the last one; a rest below `least` is not left on its own.

    >>> split(s, "i", 3, "io", "ii")
    >>> exact_remainders(s, "io", 1)
    for io in 0..((m + 2) // 3):                       => for io in 0..(m // 3):
      for ii in 0..3:                                       for ii in 0..3:
        if -ii - 3*io + m - 1 >= 0:                           for k in 0..8:
          for k in 0..8:                                        y[ii + 3*io] += (a[ii + 3*io, k] * x[k])
            y[ii + 3*io] += (a[ii + 3*io, k] * x[k])      if -3*(m // 3) + m - 2 >= 0:
                                                            for ii in 0..2:
                                                              for k in 0..8:
                                                                y[3*(m // 3) + ii] += (a[3*(m // 3) + ii, k] * x[k])
                                                          else:
                                                            if -3*(m // 3) + m - 1 >= 0:
                                                              for k in 0..8:
                                                                y[3*(m // 3)] += (a[3*(m // 3), k] * x[k])
    """
    s.simplify()
    split = s.tiles(outer, "exact remainders of")
    least = min(least, (split.factor + 1) // 2)
    s.each(outer, lambda loop: _exactly(_unchecked(loop, split), split, least))
    s.simplify()


def tiles_to_the_end(s: Schedule, outer: str, least: int) -> None:
    """Full tiles, and a body for each size of what is left, which ends where all does and has `least` rounds at least.

    What a body checks near the end is decided there whatever the extent, and full tiles do not come near it: none sees
    the last `least` rounds. Where more than a tile is left, some are apart before the last. Where there are not as many
    rounds the loop stays as it is.

    >>> split(s, "i", 2, "io", "ii")
    >>> tiles_to_the_end(s, "io", 1)
    for io in 0..((m + 1) // 2):                       => if m - 1 >= 0:
      for ii in 0..2:                                       for io in 0..((m + 1) // 2) - 1:
        if -ii - 2*io + m - 1 >= 0:                           for ii in 0..2:
          for k in 0..8:                                        for k in 0..8:
            y[ii + 2*io] += (a[ii + 2*io, k] * x[k])              y[ii + 2*io] += (a[ii + 2*io, k] * x[k])
                                                            if -2*((m + 1) // 2) + m >= 0:
                                                              for ii in 0..2:
                                                                for k in 0..8:
                                                                  y[ii + m - 2] += (a[ii + m - 2, k] * x[k])
                                                            else:
                                                              for k in 0..8:
                                                                y[m - 1] += (a[m - 1, k] * x[k])
    """
    s.simplify()
    split = s.tiles(outer, "tiles to the end of")
    if not 0 < least <= split.factor:
        raise ScheduleError(f"tiles to the end of {outer}: expected 1 to {split.factor} rounds at least, got {least}")
    bounds, enough = s.nest.bounds, split.total - least
    full = bounds.simplify(enough // split.factor)
    rest = split.total - full * split.factor

    some = bounds.proves(1, full)  # of the full tiles

    def change(checked: Loop) -> Stmt:
        loop = _unchecked(checked, split)
        is_shared = loop.kind is LoopKind.PARALLEL
        moved = (var(loop.var) - full) * split.factor if is_shared else const(0)  # which is 0 in the last round

        def before_end(rows: int, behind: int = 0) -> Stmt:
            return _tile_at(loop, split, split.total - (rows + behind) + moved, rows)

        def apart(rows: int) -> Stmt:
            whole = split.total - (rows + least + split.factor)  # what stands before, which is said where it is known
            return guarded((whole,) if some else (), before_end(rows, least))

        last = before_end(least)
        for rows in range(least + 1, split.factor + 1):
            last = Guard((rest - rows, rows - rest), before_end(rows), last)
        before = {least + rows: apart(rows) for rows in range(split.factor - least + 1, split.factor)}
        left = block(_choice(rest, before), last)
        if is_shared:  # one loop, so that threads share what is left as well
            body = block(Guard((full - 1 - var(loop.var),), loop.body), Guard((var(loop.var) - full,), left))
            tiles: Stmt = replace(loop, extent=full + 1, body=body)
        else:
            tiles = block(replace(loop, extent=full), left)
        return tiles if bounds.proves_nonnegative(enough) else Guard((enough,), tiles, checked)

    s.each(outer, change)
    s.simplify()


def shorten_last(s: Schedule, outer: str) -> None:
    """No check of a tile: its loop has as many rounds as there are, fewer in the last.

    >>> split(s, "i", 4, "io", "ii")
    >>> shorten_last(s, "io")
    for io in 0..((m + 3) // 4):                       => for io in 0..((m + 3) // 4):
      for ii in 0..4:                                       for ii in 0..min(-4*io + m, 4):
        if -ii - 4*io + m - 1 >= 0:                           for k in 0..8:
          for k in 0..8:                                        y[ii + 4*io] += (a[ii + 4*io, k] * x[k])
            y[ii + 4*io] += (a[ii + 4*io, k] * x[k])
    """
    split = s.tiles(outer, "shorten the last of")
    rounds = minimum(split.factor, split.total - var(outer) * split.factor)

    def change(loop: Loop) -> Stmt:
        return each_loop(_unchecked(loop, split), split.inner, lambda inner: replace(inner, extent=rounds))

    s.each(outer, change)
    del s.splits[outer]


def remainder_alone(s: Schedule, outer: str, where: Mapping[int, tuple[Expr, ...]]) -> None:
    """Only what full tiles leave, if that is one of the sizes in `where` and what stands there holds.

    There is a body for each size, without a check.

    >>> split(s, "i", 3, "io", "ii")
    >>> remainder_alone(s, "io", {1: ()})
    for io in 0..((m + 2) // 3):                       => if 3*(m // 3) - m + 1 >= 0 and -3*(m // 3) + m - 1 >= 0:
      for ii in 0..3:                                       for k in 0..8:
        if -ii - 3*io + m - 1 >= 0:                           y[3*(m // 3)] += (a[3*(m // 3), k] * x[k])
          for k in 0..8:
            y[ii + 3*io] += (a[ii + 3*io, k] * x[k])
    """
    split = s.tiles(outer, "remainder of")
    full = split.total // split.factor
    rest = split.total - full * split.factor

    def change(loop: Loop) -> Stmt:
        loop = _unchecked(loop, split)
        bodies = {
            rows: guarded(condition, _tile_at(loop, split, full * split.factor, rows))
            for rows, condition in where.items()
        }
        return Guard((max(where) - rest,), _choice(rest, bodies) or block())

    s.each(outer, change)
    s.simplify()


def _with_rows(body: Stmt, split: Split, rows: int) -> Stmt:
    """A tile of so many rounds; one of few that takes panels side by side is done with them before a hint would pay."""
    if split.jam is not None and rows <= MOST_UNHINTED and rows < split.factor and _step_bytes(body) > LINE:
        body = rewrite(body, lambda s: block() if isinstance(s, Prefetch) else None)
    if 0 < rows < split.factor and split.jam is not None:
        body = side_by_side(body, split.inner, rows, split.jam)
    return each_loop(body, split.inner, lambda inner: having(inner, extent=const(rows)))


def _step_bytes(tile: Stmt) -> int:
    """Of the other operand for each step along the sums: a vector for each sum of a row."""
    sums = [s.buffer for s in walk(tile) if isinstance(s, Alloc) and s.buffer.scope is Scope.REGISTER]
    return max((prod(e.value or 0 for e in b.shape[1:]) * BYTES[b.dtype] for b in sums), default=0)


def _evenly_in_one(loop: Loop, split: Split, full: Expr, first: int, rest: int) -> Loop:
    """`partition_evenly` as one loop of full + 1 tiles, of which the last two share what is left."""
    at = var(loop.var)

    def tile(rows: int, moved: int = 0) -> Stmt:
        body = map_exprs(loop.body, lambda e: e + _steps(e, split) * moved) if moved else loop.body
        return _with_rows(body, split, rows)

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

    return _with_rows(map_exprs(loop.body, move), split, rows)


def _unchecked(loop: Loop, split: Split) -> Loop:
    """Without the conditions that keep a partial tile inside: no tile will be partial."""
    outside = split.total - 1 - (var(split.outer) * split.factor + var(split.inner))

    def change(s: Stmt) -> Stmt | None:
        if not (isinstance(s, Guard) and s.otherwise is None and outside in s.condition):
            return None
        return guarded(tuple(c for c in s.condition if c != outside), rewrite(s.body, change))

    return replace(loop, body=rewrite(loop.body, change))


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


def _choice(rest: Expr, bodies: Mapping[int, Stmt]) -> Stmt | None:
    """The body of the largest number that is at most `rest`."""
    chosen: Stmt | None = None
    for rows in sorted(bodies):
        chosen = Guard((rest - rows,), bodies[rows], chosen)
    return chosen
