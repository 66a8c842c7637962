"""Loop transformations: tiling, reordering, how loops run, and peeling of borders.

Splits keep every loop rectangular: a tile that may stick out of its dimension gets a condition on the innermost
statement, and later primitives decide where that condition is checked, or prove it away.
"""

from __future__ import annotations

from dataclasses import replace

from anytile.core.errors import ScheduleError
from anytile.schedules.index.expr import Expr, ExprLike, ceildiv, const, expr, var
from anytile.schedules.nest.nodes import DOT_KINDS, Grain, Guard, Loop, LoopKind, Prefetch, Stmt, block
from anytile.schedules.nest.traverse import around, chain_of, loops, map_exprs
from anytile.schedules.primitives.schedule import Jam, Schedule, Split


def split(s: Schedule, name: str, factor: int, outer: str, inner: str, jam: Jam | None = None) -> tuple[str, str]:
    """Tiling: `for name in 0..E` becomes `for outer in 0..ceil(E / factor): for inner in 0..factor`.

    A last tile that is smaller may take panels side by side: see `side_by_side`.

    >>> split(s, "i", 4, "io", "ii")
    for i in 0..m:                 => for io in 0..((m + 3) // 4):
      for k in 0..8:                    for ii in 0..4:
        y[i] += (a[i, k] * x[k])          if -ii - 4*io + m - 1 >= 0:
                                            for k in 0..8:
                                              y[ii + 4*io] += (a[ii + 4*io, k] * x[k])
    """
    loop = s.loop(name)
    if factor < 1:
        raise ScheduleError(f"split {name} by {factor}: expected at least 1")
    if loop.kind is LoopKind.PARALLEL:
        raise ScheduleError(f"split {name}: it is parallel; split it before")
    if len(list(loops(s.nest.body, name))) > 1:
        raise ScheduleError(f"split {name}: it has been copied; split before accumulate and partition")
    taken = {x.var for x in loops(s.nest.body)} | {x.name for x in s.nest.symbols}
    for fresh in (outer, inner):
        if fresh in taken:
            raise ScheduleError(f"{s.nest.name} already has a {fresh!r}")
    whole = var(outer) * factor + var(inner)
    bounds = s.nest.bounds
    body = map_exprs(loop.body, lambda e: e.substitute({name: whole}))
    if bounds.simplify(loop.extent % factor).value != 0:
        body = _guard_innermost(body, loop.extent - 1 - whole)
    tiled = Loop(inner, const(factor), loop.kind, body)
    outermost = Loop(outer, bounds.simplify(ceildiv(loop.extent, factor)), loop.kind, tiled)
    s.each(name, lambda _: outermost)
    s.splits[outer] = Split(outer, inner, loop.extent, factor, jam)
    return outer, inner


def fuse(s: Schedule, outer: str, inner: str, fused: str) -> str:
    """Loop fusion: two loops, one right inside the other, become one over the pairs of their indices.

    >>> fuse(s, "i", "k", "f")
    for i in 0..m:                 => for f in 0..8*m:
      for k in 0..8:                    y[(f // 8)] += (a[(f // 8), (f % 8)] * x[(f % 8)])
        y[i] += (a[i, k] * x[k])
    """
    around_, within = s.loop(outer), s.loop(inner)
    size = within.extent.value
    if around_.body is not within or size is None or fused in {x.var for x in loops(s.nest.body)} - {outer, inner}:
        raise ScheduleError(f"fuse {outer} and {inner}: expected {inner} right inside {outer}, of a known extent, and "
                            f"no other loop {fused!r}")  # fmt: skip
    places = {outer: var(fused) // size, inner: var(fused) % size}
    body = map_exprs(within.body, lambda e: e.substitute(places))
    s.each(outer, lambda _: Loop(fused, around_.extent * size, around_.kind, body))
    return fused


def reorder(s: Schedule, *names: str) -> None:
    """Loop interchange: put the loops of a perfect nest into this order; every loop of the nest is named.

    >>> reorder(s, "k", "i")
    for i in 0..m:                 => for k in 0..8:
      for k in 0..8:                    for i in 0..m:
        y[i] += (a[i, k] * x[k])          y[i] += (a[i, k] * x[k])
    """
    chain, innermost = chain_of(s.nest.body)
    by_name = {loop.var: loop for loop in chain}
    if sorted(by_name) != sorted(names):
        raise ScheduleError(f"reorder {', '.join(names)}: the loops are {', '.join(by_name)}")
    s.put(around([by_name[n] for n in names], innermost))


def mark(s: Schedule, kind: LoopKind, *names: str) -> None:
    """Set how loops run: what `unroll`, `vectorize` and `gpu.bind` have in common."""
    for name in names:
        loop = s.loop(name)
        if kind in (LoopKind.UNROLLED, LoopKind.VECTOR, *DOT_KINDS) and loop.extent.value is None:
            raise ScheduleError(f"{kind} {name}: its extent {loop.extent} is not a number; split it first")
        s.each(name, lambda found: replace(found, kind=kind))


def unroll(s: Schedule, *names: str) -> None:
    """Write every iteration of these loops out.

    >>> unroll(s, "k")
    for i in 0..m:                 => for i in 0..m:
      for k in 0..8:                    unroll k in 0..8:
        y[i] += (a[i, k] * x[k])          y[i] += (a[i, k] * x[k])
    """
    mark(s, LoopKind.UNROLLED, *names)


def vectorize(s: Schedule, *names: str) -> None:
    """Run each iteration of these loops in a lane of a vector.

    >>> split(s, "i", 4, "io", "ii")
    >>> reorder(s, "io", "k", "ii")
    >>> vectorize(s, "ii")
    for io in 0..((m + 3) // 4):                       => for io in 0..((m + 3) // 4):
      for k in 0..8:                                        for k in 0..8:
        for ii in 0..4:                                       vector ii in 0..4:
          if -ii - 4*io + m - 1 >= 0:                           if -ii - 4*io + m - 1 >= 0:
            y[ii + 4*io] += (a[ii + 4*io, k] * x[k])              y[ii + 4*io] += (a[ii + 4*io, k] * x[k])
    """
    mark(s, LoopKind.VECTOR, *names)


def dot(s: Schedule, name: str, *, paired: bool = False) -> None:
    """Multiply and add the terms of this loop, the innermost one, in one instruction where the CPU has it.

    In memory they are neighbours, of each lane of the vector loop around: pairs of bfloat16, or four 8-bit integers.
    `paired` says that 16 bits hold the sums of the first two products and of the other two.

    >>> split(s, "k", 4, "ko", "ki")
    >>> dot(s, "ki")
    for i in 0..m:                                   => for i in 0..m:
      for ko in 0..2:                                     for ko in 0..2:
        for ki in 0..4:                                     dot ki in 0..4:
          y[i] += (a[i, ki + 4*ko] * x[ki + 4*ko])            y[i] += (a[i, ki + 4*ko] * x[ki + 4*ko])
    """
    mark(s, LoopKind.DOT16 if paired else LoopKind.DOT, name)


def parallel(s: Schedule, name: str, work: ExprLike, least: int) -> None:
    """Share the iterations of a loop among threads, one for every `least` of the `work` that the nest does.

    What a loop outside it runs in turns is shared once, around all of it, as long as nothing else is done there.

    >>> parallel(s, "i", 16 * var("m"), 1000)
    for i in 0..m:                 => parallel i in 0..m, a thread for every 1000 of 16*m:
      for k in 0..8:                    for k in 0..8:
        y[i] += (a[i, k] * x[k])          y[i] += (a[i, k] * x[k])
    """
    loop = s.loop(name)
    grain = Grain(expr(work), least)
    if least < 1:
        raise ScheduleError(f"parallel {name}: a thread for every {least}; expected at least 1")
    if any(x.kind is LoopKind.PARALLEL for x in loops(s.nest.body)):
        raise ScheduleError(f"parallel {name}: another loop is parallel already")
    if loop.kind is not LoopKind.SERIAL:
        raise ScheduleError(f"parallel {name}: it is a loop of kind {loop.kind}")
    s.each(name, lambda found: replace(found, kind=LoopKind.PARALLEL, grain=grain))


def peel(s: Schedule, name: str, front: int, back: int) -> None:
    """Loop peeling: the first `front` and the last `back` rounds apart from the others, where there are as many.

    What is checked in a border is decided there once and for all, and the rounds between need no check. One round is
    code of its own; several, of a border wider than a round, are a loop that checks.

    >>> s = stencil()
    >>> accumulate(s, "i")
    >>> peel(s, "i", 1, 1)
    for c in 0..2:                                 => for c in 0..2:
      for i in 0..n:                                    if n - 2 >= 0:
        register acc: float32[]                           register acc: float32[]
        acc[] = 0.0                                       acc[] = 0.0
        for t in 0..3:                                    for t in 0..3:
          if i + t - 1 >= 0 and -i + n - t >= 0:            if t - 1 >= 0:
            acc[] += (x[c, i + t - 1] * w[t])                 acc[] += (x[c, t - 1] * w[t])
        y[c, i] = acc[]                                   y[c, 0] = acc[]
                                                          for i in 0..n - 2:
                                                            register acc: float32[]
                                                            acc[] = 0.0
                                                            for t in 0..3:
                                                              acc[] += (x[c, i + t] * w[t])
                                                            y[c, i + 1] = acc[]
                                                          register acc: float32[]
                                                          acc[] = 0.0
                                                          for t in 0..2:
                                                            acc[] += (x[c, n + t - 2] * w[t])
                                                          y[c, n - 1] = acc[]
                                                        else:
                                                          for i in 0..n:
                                                            register acc: float32[]
                                                            acc[] = 0.0
                                                            for t in 0..3:
                                                              if i + t - 1 >= 0 and -i + n - t >= 0:
                                                                acc[] += (x[c, i + t - 1] * w[t])
                                                            y[c, i] = acc[]
    """
    s.simplify()
    bounds = s.nest.bounds

    def change(loop: Loop) -> Stmt:
        def at(e: Expr) -> Stmt:
            return map_exprs(loop.body, lambda i: i.substitute({name: e}))

        def rounds(first: Expr, count: Expr) -> Stmt:
            return at(first) if count.value == 1 else replace(loop, extent=count, body=at(var(name) + first))

        few = loop.extent - (front + back)
        begin, end = rounds(const(0), const(front)), rounds(loop.extent - back, const(back))
        apart = block(begin, replace(loop, extent=few, body=at(var(name) + front)), end)
        return apart if bounds.proves_nonnegative(few) else Guard((few,), apart, loop)

    s.each(name, change)
    s.simplify()


def prefetch(s: Schedule, operand: str, at: str, along: int, ahead: int, lanes: str, locality: int) -> None:
    """In loop `at`, touch what `operand` reads `ahead` further along its dimension `along`, a vector at a time.

    >>> split(s, "i", 4, "io", "ii")
    >>> reorder(s, "io", "k", "ii")
    >>> pack(s, "a", ("io", "k", "ii"))
    >>> prefetch(s, "a_packed", "k", 1, 16, "ii", 3)
    for io in 0..((m + 3) // 4):                           => for io in 0..((m + 3) // 4):
      for k in 0..8:                                            for k in 0..8:
        for ii in 0..4:                                           prefetch a_packed[io, k + 16, 0] locality 3
          if -ii - 4*io + m - 1 >= 0:                             for ii in 0..4:
            y[ii + 4*io] += (a_packed[io, k, ii] * x[k])            if -ii - 4*io + m - 1 >= 0:
                                                                      y[ii + 4*io] += (a_packed[io, k, ii] * x[k])
    """
    s.loop(at)
    read = s.reads(operand)
    if not read or not 0 <= along < len(read[0].index):
        raise ScheduleError(f"prefetch {operand}: nothing reads it along a dimension {along}")
    load = read[0]
    index = tuple(e.substitute({lanes: 0}) + (ahead if d == along else 0) for d, e in enumerate(load.index))
    by_name = {x.var: x for x in loops(s.nest.body)}

    def change(found: Loop) -> Stmt:
        below = dict.fromkeys(x.var for x in loops(found.body))
        needed = [by_name[n] for n in below if any(n in e.names for e in index)]
        return replace(found, body=block(around(needed, Prefetch(operand, index, locality)), found.body))

    s.each(at, change)


def _guard_innermost(s: Stmt, condition: Expr) -> Stmt:
    if isinstance(s, Loop):
        return replace(s, body=_guard_innermost(s.body, condition))
    if isinstance(s, Guard) and s.otherwise is None:
        return replace(s, condition=(*s.condition, condition))
    return Guard((condition,), s)
