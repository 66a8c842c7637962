"""Operands staged inside a loop, and loops over panels whose last one is narrower: what run-time operands need.

`stage` copies what one round of a loop reads of an operand into a small workspace, in the order in which it is read:
a panel that stays in the first-level cache. `narrow` peels the last, partial panel off and writes it once for every
number of vectors that it may have, so that no round computes vectors that lie outside altogether; the last vector of
those is masked. Where very few elements are left a vector of them is mostly empty: `narrow` may leave them out, and
`last_few` is the same loop for these alone, to be computed in a way of its own and put `beside` the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anytile.core.errors import ScheduleError
from anytile.schedules.index.expr import Expr, const, minimum, var
from anytile.schedules.nest.nodes import (
    Alloc,
    Buffer,
    Guard,
    Load,
    Loop,
    LoopKind,
    LoopNest,
    Scope,
    Stmt,
    Store,
    Symbol,
    Update,
    block,
)
from anytile.schedules.nest.simplify import simplify
from anytile.schedules.nest.traverse import free_buffer, loads, map_exprs, map_value, rebuild, unused, walk
from anytile.schedules.primitives.remainders import Split, rest_alone
from anytile.schedules.primitives.schedule import Schedule

RUN = 4  # elements of a row read together where a panel is a transposition: see codegen.transposed


def stage(
    s: Schedule, operand: str, inside: str, home: str | None, depth: int, vectors: str, lanes: str, along: Split
) -> str:
    """Copy what a round of the loop `inside` reads of an operand into a workspace that lives in the loop `home`
    (None: around all loops).

    `depth` is the operand's dimension that is staged whole, `along` the split of the other one that moves: `vectors`
    and `lanes` are the loops that walk its panel. Elements outside are the last one's again, or undefined.
    """
    raw = s.nest.param(operand)
    loops = {x.var: x for x in walk(s.nest.body) if isinstance(x, Loop)}
    found = {v for x in walk(s.nest.body) if isinstance(x, Update) for v in loads(x.value) if v.buffer == operand}
    if len(found) != 1:
        raise ScheduleError(f"stage {operand}: expected one way of reading it, found {len(found)}")
    (read,) = found
    moving = [d for d, e in enumerate(read.index) if {vectors, lanes} <= e.names]
    if len(moving) != 1 or read.index[depth].names & {vectors, lanes}:
        raise ScheduleError(f"stage {operand}: expected one dimension along {vectors} and {lanes}, and {depth} apart")
    count, width, size = loops[vectors].extent, loops[lanes].extent, raw.shape[depth]
    name = free_buffer(s.nest, f"{operand}_packed")
    held = Buffer(name, (size, count, width), Scope.WORKSPACE, raw.dtype)
    there = Load(name, (read.index[depth], var(vectors), var(lanes)))
    v, lane = f"p_{vectors}", f"p_{lanes}"
    at = read.index[moving[0]].substitute({vectors: var(v), lanes: var(lane)})
    contiguous = moving[0] == len(raw.shape) - 1

    def copied(k: Expr) -> Stmt:
        index = list(read.index)
        index[depth], index[moving[0]] = k, at if contiguous else minimum(at, along.total - 1)
        body: Stmt = Store(name, (k, var(v), var(lane)), Load(operand, tuple(index)))
        if contiguous:
            body = Guard((along.total - 1 - at,), body)
        return Loop(lane, width, LoopKind.VECTOR, body)

    if contiguous:
        fill: Stmt = Loop("p_k", size, LoopKind.SERIAL, Loop(v, count, LoopKind.SERIAL, copied(var("p_k"))))
    else:
        whole = size // RUN
        inner = Loop("p_ki", const(RUN), LoopKind.UNROLLED, copied(var("p_ko") * RUN + var("p_ki")))
        rest = Loop("p_kr", size - whole * RUN, LoopKind.SERIAL, copied(whole * RUN + var("p_kr")))
        runs = block(Loop("p_ko", whole, LoopKind.SERIAL, inner), rest)
        fill = Loop(v, count, LoopKind.SERIAL, runs)

    def swap(x: Stmt) -> Stmt:
        match x:
            case Update():
                return replace(x, value=map_value(x.value, lambda v: there if v == read else v))
            case Loop() if x.var == inside:
                x = replace(x, body=block(fill, swap(x.body)))
            case _:
                x = rebuild(x, swap)
        return replace(x, body=Alloc(held, x.body)) if isinstance(x, Loop) and x.var == home else x

    body = swap(s.nest.body)
    s.nest = s.nest.with_body(Alloc(held, body) if home is None else body)
    return name


def narrow(s: Schedule, outer: str, vectors: Sequence[str], lanes: int, shortest: int, few: int = 0) -> None:
    """The panels of the split `outer` as full ones, then at most one with fewer vectors, which loops `vectors` walk.

    Where the rest is known only at run time there is one copy of the body for every number of vectors. The last vector
    of that panel may have fewer lanes, in steps of `shortest`: half a vector costs some CPUs half as much. With `few`
    no panel begins a vector for so few elements, and none a second half for half as many: they are left out.
    """
    nest, split = s.nest, s.splits[outer]
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

    def visit(x: Stmt) -> Stmt:
        return change(x) if isinstance(x, Loop) and x.var == outer else rebuild(x, visit)

    s.nest = simplify(replace(nest, symbols=symbols, body=visit(nest.body)))


def _reach(size: int, lanes: int, few: int) -> int:
    """How many elements may be there where vectors for `size` of them are computed."""
    return size + (few if size % lanes == 0 else few // 2)


def last_few(s: Schedule, outer: str, lanes: int, few: int) -> None:
    """Of the split `outer`, whose factor is the shortest vector, only the elements that `narrow` leaves out."""
    split = s.splits[outer]
    left = split.total - split.total // lanes * lanes
    whole = (split.factor - 1 - left,) if split.factor < lanes else ()  # no half vector before them
    s.nest = rest_alone(s.nest, split, {n: () if n <= few // 2 else whole for n in range(1, few + 1)})


def beside(nest: LoopNest, other: LoopNest) -> LoopNest:
    """What both nests do, in one loop where the same one is around all of each; the symbols are those of the first."""
    first, second = nest.body, other.body
    where: tuple[Expr, ...] = ()  # what does not depend on the loop is asked outside it
    if isinstance(second, Guard) and second.otherwise is None:
        where, second = second.condition, second.body
    if isinstance(first, Loop) and isinstance(second, Loop) and replace(second, body=first.body) == first:
        inside = Guard(where, second.body) if where else second.body
        return nest.with_body(replace(first, body=block(first.body, inside)))
    return nest.with_body(block(first, other.body))


def _with_lanes(s: Stmt, lanes: int) -> Stmt:
    """The same with shorter vectors."""
    s = rebuild(s, lambda x: _with_lanes(x, lanes))
    return replace(s, extent=const(lanes)) if isinstance(s, Loop) and s.kind is LoopKind.VECTOR else s
