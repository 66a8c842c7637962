"""Remainders of panels, whose last one is narrower: for operands that are laid out at run time.

`narrow` peels the last, partial panel off and writes it once for every number of vectors that it may have, so that no
round computes vectors that lie outside altogether; the last vector of those is masked. Where very few elements are left
a vector of them is mostly empty: `narrow` may leave them out, and `last_few` is the same loop for these alone, to be
computed in a way of its own and put `beside` the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anytile.schedules.index.expr import Expr, const, var
from anytile.schedules.nest.nodes import Guard, Loop, LoopKind, Stmt, Symbol, block
from anytile.schedules.nest.traverse import guarded, map_exprs, rebuild, unused
from anytile.schedules.primitives.remainders import remainder_alone
from anytile.schedules.primitives.schedule import Schedule


def narrow(s: Schedule, outer: str, vectors: Sequence[str], lanes: int, shortest: int, few: int = 0) -> None:
    """The panels of the split `outer` as full ones, then at most one with fewer vectors, which loops `vectors` walk.

    Where the rest is known only at run time there is one copy of the body for every number of vectors. The last vector
    of that panel may have fewer lanes, in steps of `shortest`: half a vector costs some CPUs half as much. With `few`
    no panel begins a vector for so few elements, and none a second half for half as many: they are left out.

    >>> s = matvec(13)
    >>> split(s, "i", 8, "io", "ij")
    >>> split(s, "ij", 4, "ii", "iv")
    >>> vectorize(s, "iv")
    >>> narrow(s, "io", ("ii",), 4, 4)
    for io in 0..2:
      for ii in 0..2:
        vector iv in 0..4:
          if -4*ii - 8*io - iv + 12 >= 0:
            for k in 0..8:
              y[4*ii + 8*io + iv] += (a[4*ii + 8*io + iv, k] * x[k])
    =>
    for ii in 0..2:
      vector iv in 0..4:
        for k in 0..8:
          y[4*ii + iv] += (a[4*ii + iv, k] * x[k])
    for ii in 0..2:
      vector iv in 0..4:
        if -4*ii - iv + 4 >= 0:
          for k in 0..8:
            y[4*ii + iv + 8] += (a[4*ii + iv + 8, k] * x[k])
    """
    nest, split = s.nest, s.tiles(outer, "narrow")
    full = nest.bounds.simplify(split.total // split.factor)
    rest = nest.bounds.simplify(split.total - full * split.factor)
    symbols, known = nest.symbols, rest.value
    left: Expr = rest
    if known is None:
        symbol = unused(nest, f"{split.inner}_rest")
        symbols = (*symbols, Symbol(symbol, 0, split.factor - 1, rest))
        left = var(symbol)

    def change(loop: Loop) -> Stmt:
        made: Stmt | None = None
        for size in range(shortest, split.factor + 1, shortest):
            before, enough = (_reach(n, lanes, few) for n in (size - shortest, size))
            if known is None or before < known <= enough:
                made = Guard((left - before - 1,), panel(loop, *divmod(size, lanes)), made)
        return block(replace(loop, extent=full), made)

    def panel(loop: Loop, whole: int, short: int) -> Stmt:
        def put(e: Expr) -> Expr:
            e = e.substitute({loop.var: full})
            near = e - rest + left  # how far it is to the end, said in terms of what is left
            return near if near.names.isdisjoint(rest.names) else e

        def visit(x: Stmt) -> Stmt:
            if isinstance(x, Guard):
                return rebuild(replace(x, condition=tuple(put(e) for e in x.condition)), visit)
            x = rebuild(x, visit)
            if not isinstance(x, Loop) or x.var not in vectors:
                return x
            last = map_exprs(_with_lanes(x.body, short), lambda e: e.substitute({x.var: whole}))
            return block(replace(x, extent=const(whole)), last if short else None)

        return map_exprs(visit(loop.body), lambda e: e.substitute({loop.var: full}))

    s.nest = replace(nest, symbols=symbols)
    s.each(outer, change)
    s.simplify()


def _reach(size: int, lanes: int, few: int) -> int:
    """How many elements may be there where vectors for `size` of them are computed."""
    return size + (few if size % lanes == 0 else few // 2)


def _with_lanes(s: Stmt, lanes: int) -> Stmt:
    """The same with shorter vectors."""
    s = rebuild(s, lambda x: _with_lanes(x, lanes))
    return replace(s, extent=const(lanes)) if isinstance(s, Loop) and s.kind is LoopKind.VECTOR else s


def last_few(s: Schedule, outer: str, lanes: int, few: int) -> None:
    """Of the split `outer`, whose factor is the shortest vector, only the elements that `narrow` leaves out.

    >>> split(s, "i", 4, "io", "ii")
    >>> last_few(s, "io", 4, 1)
    for io in 0..((m + 3) // 4):                       => if 4*(m // 4) - m + 1 >= 0 and -4*(m // 4) + m - 1 >= 0:
      for ii in 0..4:                                       for k in 0..8:
        if -ii - 4*io + m - 1 >= 0:                           y[4*(m // 4)] += (a[4*(m // 4), k] * x[k])
          for k in 0..8:
            y[ii + 4*io] += (a[ii + 4*io, k] * x[k])
    """
    split = s.tiles(outer, "the last few of")
    left = split.total - split.total // lanes * lanes
    whole = (split.factor - 1 - left,) if split.factor < lanes else ()  # no half vector before them
    remainder_alone(s, outer, {n: () if n <= few // 2 else whole for n in range(1, few + 1)})


def beside(s: Schedule, other: Schedule) -> None:
    """What both do, in one loop where the same one is around all of each; the symbols are those of the first.

    >>> s, other = matvec(8), matvec(8)
    >>> split(other, "k", 4, "ko", "ki")
    >>> beside(s, other)
    for i in 0..8:                 => for i in 0..8:
      for k in 0..8:                    for k in 0..8:
        y[i] += (a[i, k] * x[k])          y[i] += (a[i, k] * x[k])
                                        for ko in 0..2:
                                          for ki in 0..4:
                                            y[i] += (a[i, ki + 4*ko] * x[ki + 4*ko])
    """
    s.simplify()
    other.simplify()
    first, second = s.nest.body, other.nest.body
    where: tuple[Expr, ...] = ()  # what does not depend on the loop is asked outside it
    if isinstance(second, Guard) and second.otherwise is None:
        where, second = second.condition, second.body
    if isinstance(first, Loop) and isinstance(second, Loop) and replace(second, body=first.body) == first:
        s.put(replace(first, body=block(first.body, guarded(where, second.body))))
    else:
        s.put(block(first, other.nest.body))
