"""Small nests out of rows and vectors: what operators are made of that are not one update nest.

A loop over positions runs in rounds of several vectors, then in single vectors, then in one masked vector, so that
every extent may be symbolic. A reduction runs over a `Field`: `Along` reduces the dimension that the lanes lie in,
several rows side by side, `Across` another one, with a result in each lane, `Down` the same for one vector with several
accumulators. What is written for a field works for all.

Sums of floats are added up in blocks of `BLOCK` terms for each accumulator, and the blocks' sums with their rounding
errors carried along: a sum of any length is within `SUM_ULPS` * 2**-24 * sum(abs(terms)) of the exact one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

from anytile.schedules.index.expr import Expr, ExprLike, const, expr, var
from anytile.schedules.nest.nodes import (
    Alloc,
    Buffer,
    Grain,
    Guard,
    Literal,
    Load,
    Loop,
    LoopKind,
    Op,
    Reduce,
    Scope,
    Stmt,
    Store,
    Update,
    Value,
    block,
)
from anytile.schedules.nest.operations import identity

BLOCK = 32  # terms that one accumulator adds up before their sum is put away
SUM_ULPS = 48  # BLOCK, the single and masked vectors of a rest, the vectors and lanes of a block, the last addition
At = tuple[Expr, ...]
_R, _U, _V, _O = "i_r", "i_u", "i_v", "i_o"  # rows side by side, vectors of a round, lanes, rounds


@dataclass(frozen=True, slots=True)
class Tile:
    """How much runs side by side: lanes of a vector, vectors of a round, rows."""

    lanes: int
    vectors: int
    rows: int = 1

    @property
    def width(self) -> int:
        return self.lanes * self.vectors


@dataclass(frozen=True, slots=True)
class Share:
    """Whether and how a loop is shared among threads."""

    grain: Grain | None = None

    def loop(self, name: str, extent: Expr, body: Stmt) -> Loop:
        kind = LoopKind.SERIAL if self.grain is None else LoopKind.PARALLEL
        return Loop(name, extent, kind, body, self.grain)


ALONE = Share()


def unrolled(name: str, count: int, body: Stmt) -> Stmt:
    return Loop(name, const(count), LoopKind.UNROLLED, body)


def holding(buffers: Sequence[Buffer], *statements: Stmt) -> Stmt:
    body = block(*statements)
    for b in reversed(buffers):
        body = Alloc(b, body)
    return body


def vectors(
    size: ExprLike,
    tile: Tile,
    body: Callable[[Expr, Expr, Expr], Stmt],
    begin: ExprLike = 0,
    share: Share = ALONE,
    beside: Callable[[Stmt], Stmt] = lambda s: s,
) -> Stmt:
    """`body(position, vector, lane)` at each of `size` positions; `beside` wraps what runs in one round."""
    size, lane = expr(size), var(_V)

    def vector(start: Expr, unit: Expr, partial: bool = False) -> Stmt:
        inner = body(begin + start + lane, unit, lane)
        if partial:
            inner = Guard((size - 1 - start - lane,), inner)
        return Loop(_V, const(tile.lanes), LoopKind.VECTOR, inner)

    rounds, whole = size // tile.width, size // tile.lanes
    o, u, first = var(_O), var(_U), const(0)
    many = unrolled(_U, tile.vectors, vector(o * tile.width + u * tile.lanes, u))
    single = vector((rounds * tile.vectors + o) * tile.lanes, first)
    return block(
        share.loop(_O, rounds, beside(many)),
        Loop(_O, whole - rounds * tile.vectors, LoopKind.SERIAL, beside(single)),
        Guard((size - whole * tile.lanes - 1,), beside(vector(whole * tile.lanes, first, partial=True))),
    )


def by_rows(rows: Expr, tile: Tile, body: Callable[[Expr, int], Stmt], share: Share = ALONE) -> Stmt:
    """`body(first row, rows)` for all rows, `tile.rows` at once and the rest one by one."""
    groups, g = rows // tile.rows, var("i_g")
    rest = body(groups * tile.rows + g, 1)
    return block(
        share.loop("i_g", groups, body(g * tile.rows, tile.rows)),
        Loop("i_g", rows - groups * tile.rows, LoopKind.SERIAL, rest),
    )


def by_columns(columns: Expr, tile: Tile, body: Callable[[Expr, Tile, Expr | None], Stmt], share: Share) -> Stmt:
    """`body(first column, tile, columns left if not all lanes have one)` for all columns."""
    wide, whole, c = columns // tile.width, columns // tile.lanes, var("i_c")
    one = replace(tile, vectors=1)
    return block(
        share.loop("i_c", wide, body(c * tile.width, tile, None)),
        Loop(
            "i_c",
            whole - wide * tile.vectors,
            LoopKind.SERIAL,
            body((wide * tile.vectors + c) * tile.lanes, one, None),
        ),
        Guard((columns - whole * tile.lanes - 1,), body(whole * tile.lanes, one, columns - whole * tile.lanes)),
    )


class Field(Protocol):
    """Where a reduction runs: `size` terms for each result, accumulated in registers of the shape `lanes`."""

    @property
    def size(self) -> Expr: ...
    @property
    def lanes(self) -> tuple[Expr, ...]: ...
    @property
    def results(self) -> tuple[Expr, ...]: ...
    @property
    def block(self) -> int | None:
        """Terms of a result in one block of a sum; None where each of many accumulators has few of them."""
        ...

    @property
    def apart(self) -> bool:
        """Whether joining is dear: each accumulator then puts its own sums away, and all are joined once, at last."""
        ...

    def each(self, body: Callable[[At, At], Stmt], begin: ExprLike = 0, size: Expr | None = None) -> Stmt:
        """`body(place of the accumulator, place of the term)` for every term of every result."""
        ...

    def start(self, body: Callable[[At], Stmt]) -> Stmt:
        """`body` for every accumulator."""
        ...

    def finish(self, body: Callable[[At], Stmt]) -> Stmt:
        """`body`, which touches registers alone, for every result."""
        ...

    def deliver(self, body: Callable[[At], Stmt]) -> Stmt:
        """`body` for every result that there is."""
        ...

    def joined(self, buffer: str, op: str) -> Value:
        """In `finish`: what a result's accumulators make together."""
        ...

    def result_of(self, accumulator: At) -> At:
        """The place of the result that an accumulator belongs to."""
        ...

    def first(self, accumulator: At) -> Expr:
        """The position of the first term that an accumulator may see."""
        ...


@dataclass(frozen=True)
class Along:
    """`count` rows, each reduced along the lanes; `place(row, position)` is where a term is."""

    tile: Tile
    count: int
    size: Expr
    place: Callable[[Expr, Expr], At]
    apart: ClassVar[bool] = False

    @property
    def lanes(self) -> tuple[Expr, ...]:
        return (const(self.count), const(self.tile.vectors), const(self.tile.lanes))

    @property
    def results(self) -> tuple[Expr, ...]:
        return (const(self.count),)

    @property
    def block(self) -> int | None:
        return BLOCK * self.tile.width

    def _rows(self, body: Stmt) -> Stmt:
        return unrolled(_R, self.count, body)

    def each(self, body: Callable[[At, At], Stmt], begin: ExprLike = 0, size: Expr | None = None) -> Stmt:
        def one(position: Expr, u: Expr, lane: Expr) -> Stmt:
            return body((var(_R), u, lane), self.place(var(_R), position))

        return vectors(self.size if size is None else size, self.tile, one, begin, beside=self._rows)

    def start(self, body: Callable[[At], Stmt]) -> Stmt:
        one = Loop(_V, const(self.tile.lanes), LoopKind.VECTOR, body((var(_R), var(_U), var(_V))))
        return self._rows(unrolled(_U, self.tile.vectors, one))

    def finish(self, body: Callable[[At], Stmt]) -> Stmt:
        return self._rows(body((var(_R),)))

    deliver = finish

    def joined(self, buffer: str, op: str) -> Value:
        terms: list[Value] = [Load(buffer, (var(_R), const(u), var(_V))) for u in range(self.tile.vectors)]
        return Reduce(op, _V, self.tile.lanes, _paired(op, terms))

    def result_of(self, accumulator: At) -> At:
        return accumulator[:1]

    def first(self, accumulator: At) -> Expr:
        return accumulator[1] * self.tile.lanes + accumulator[2]


@dataclass(frozen=True)
class Across:
    """One result in each lane of a tile of columns; `place(position, column)` is where a term is.

    Where `left` is given only so many lanes have a column.
    """

    tile: Tile
    size: Expr
    place: Callable[[Expr, Expr], At]
    left: Expr | None = None
    apart: ClassVar[bool] = False

    @property
    def lanes(self) -> tuple[Expr, ...]:
        return (const(self.tile.vectors), const(self.tile.lanes))

    @property
    def results(self) -> tuple[Expr, ...]:
        return self.lanes

    @property
    def block(self) -> int:
        return BLOCK

    def each(self, body: Callable[[At, At], Stmt], begin: ExprLike = 0, size: Expr | None = None) -> Stmt:
        position = begin + var(_O)
        column = var(_U) * self.tile.lanes + var(_V)
        inner = self.deliver(lambda at: body(at, self.place(position, column)))
        return Loop(_O, self.size if size is None else size, LoopKind.SERIAL, inner)

    def start(self, body: Callable[[At], Stmt]) -> Stmt:
        return unrolled(_U, self.tile.vectors, Loop(_V, const(self.tile.lanes), LoopKind.VECTOR, body(self._at)))

    finish = start

    def deliver(self, body: Callable[[At], Stmt]) -> Stmt:
        inner = body(self._at)
        if self.left is not None:
            inner = Guard((self.left - 1 - var(_V),), inner)
        return unrolled(_U, self.tile.vectors, Loop(_V, const(self.tile.lanes), LoopKind.VECTOR, inner))

    def joined(self, buffer: str, op: str) -> Value:
        return Load(buffer, self._at)

    def result_of(self, accumulator: At) -> At:
        return accumulator

    def first(self, accumulator: At) -> Expr:
        return const(0)

    @property
    def _at(self) -> At:
        return (var(_U), var(_V))


@dataclass(frozen=True)
class Down:
    """One result in each lane of one vector of columns; `count` accumulators take the terms of each in turns, so that
    none waits for the one before. `place(position, column)` is where a term is; see `Across`."""

    count: int
    vector: int
    size: Expr
    place: Callable[[Expr, Expr], At]
    left: Expr | None = None
    block: ClassVar[int | None] = None
    apart: ClassVar[bool] = False

    @property
    def lanes(self) -> tuple[Expr, ...]:
        return (const(self.count), const(self.vector))

    @property
    def results(self) -> tuple[Expr, ...]:
        return (const(1), const(self.vector))

    def each(self, body: Callable[[At, At], Stmt], begin: ExprLike = 0, size: Expr | None = None) -> Stmt:
        size = self.size if size is None else size
        rounds, o, u = size // self.count, var(_O), var(_U)

        def one(accumulator: Expr, position: Expr) -> Stmt:
            return self._vector(body((accumulator, var(_V)), self.place(begin + position, var(_V))), self.left)

        return block(
            Loop(_O, rounds, LoopKind.SERIAL, unrolled(_U, self.count, one(u, o * self.count + u))),
            Loop(_O, size - rounds * self.count, LoopKind.SERIAL, one(const(0), rounds * self.count + o)),
        )

    def start(self, body: Callable[[At], Stmt]) -> Stmt:
        return unrolled(_U, self.count, self._vector(body((var(_U), var(_V)))))

    def finish(self, body: Callable[[At], Stmt]) -> Stmt:
        return self._vector(body((const(0), var(_V))))

    def deliver(self, body: Callable[[At], Stmt]) -> Stmt:
        return self._vector(body((const(0), var(_V))), self.left)

    def joined(self, buffer: str, op: str) -> Value:
        return _paired(op, [Load(buffer, (const(u), var(_V))) for u in range(self.count)])

    def result_of(self, accumulator: At) -> At:
        return (const(0), accumulator[1])

    def first(self, accumulator: At) -> Expr:
        return accumulator[0]

    def _vector(self, body: Stmt, left: Expr | None = None) -> Stmt:
        inner = body if left is None else Guard((left - 1 - var(_V),), body)
        return Loop(_V, const(self.vector), LoopKind.VECTOR, inner)


Around = Callable[[Stmt], Stmt]
Term = Callable[[At, At], Value]
Also = Callable[[At, At], Stmt]


def reduced(
    field: Field,
    name: str,
    op: str,
    term: Term,
    dtype: str = "float32",
    around: Around = lambda s: s,
    also: Also | None = None,
) -> tuple[list[Buffer], Stmt]:
    """Registers and statements after which the first register, `name`, holds op over all terms of each result.

    `term` is told the places of its accumulator and of itself; `also` is done there before. With loops `around` a
    result has terms in each of their rounds.
    """
    if op == "add" and dtype == "float32" and field.block is not None:
        return _sum(field, field.block, name, term, around, also)
    result = register(name, field.results, dtype)
    held = register(f"{name}_lanes", field.lanes, dtype)
    return [result, held], block(
        field.start(lambda at: Store(held.name, at, identity(op, dtype))),
        around(field.each(lambda acc, at: block(_done(also, acc, at), Update(held.name, acc, term(acc, at), op)))),
        field.finish(lambda at: Store(name, at, field.joined(held.name, op))),
    )


def _done(also: Also | None, acc: At, at: At) -> Stmt | None:
    return None if also is None else also(acc, at)


def _sum(
    field: Field, terms: int, name: str, term: Term, around: Around, also: Also | None
) -> tuple[list[Buffer], Stmt]:
    apart = field.apart
    result, part = register(name, field.results), register(f"{name}_part", field.lanes)
    own = f"{name}_own" if apart else name
    total, low, more, sum_ = (
        register(n, field.lanes if apart else field.results)
        for n in (own, f"{name}_low", f"{name}_more", f"{name}_sum")
    )
    every = field.start if apart else field.finish

    def join(buffer: str) -> Stmt:
        return field.finish(lambda at: Store(name, at, field.joined(buffer, "add")))

    def part_of(begin: ExprLike, size: Expr, then: Stmt) -> Stmt:
        return block(
            field.start(lambda at: Store(part.name, at, Literal(0.0))),
            field.each(lambda acc, at: block(_done(also, acc, at), Update(part.name, acc, term(acc, at))), begin, size),
            then,
        )

    one = part_of(0, field.size, join(part.name))
    if around(one) == one and field.size.value is not None and field.size.value <= terms:
        return [result, part], one

    def put_away(at: At) -> Stmt:
        add = exactly_added(own, low.name, more.name, sum_.name, at)
        return block(Store(more.name, at, Load(part.name, at) if apart else field.joined(part.name, "add")), add)

    def last(at: At) -> Stmt:
        exact = Op("add", (Load(own, at), Load(low.name, at)))
        return Store(own, at, Op("select", (_finite(own, at), exact, Load(own, at))))

    blocks, b = field.size // terms, var("i_b")
    run = block(
        Loop("i_b", blocks, LoopKind.SERIAL, part_of(b * terms, const(terms), every(put_away))),
        part_of(blocks * terms, field.size - blocks * terms, every(put_away)),
    )
    clear = every(lambda at: block(Store(own, at, Literal(0.0)), Store(low.name, at, Literal(0.0))))
    made = block(clear, around(run), every(last), join(own) if apart else None)
    return [result, *([total] if apart else []), low, more, sum_, part], made


def exactly_added(total: str, low: str, more: str, sum_: str, at: At) -> Stmt:
    """total += more; what rounding takes from it is added to `low`. `sum_` is a register to do it in."""
    old, new, added = Load(total, at), Load(sum_, at), Load(more, at)
    taken = _minus(new, old)
    lost = Op("add", (_minus(old, _minus(new, taken)), _minus(added, taken)))
    return block(Store(sum_, at, Op("add", (old, added))), Update(low, at, lost), Store(total, at, new))


def only_beside_a_number(total: str, low: str, at: At) -> Stmt:
    """Beside an infinite total nothing is carried along: what rounding took from it is no number."""
    return Store(low, at, Op("select", (_finite(total, at), Load(low, at), Literal(0.0))))


def _finite(total: str, at: At) -> Value:
    return Op("lt", (Op("abs", (Load(total, at),)), Literal(math.inf)))


def _minus(a: Value, b: Value) -> Value:
    return Op("sub", (a, b))


def register(name: str, shape: tuple[Expr, ...], dtype: str = "float32") -> Buffer:
    return Buffer(name, shape, Scope.REGISTER, dtype)


def _paired(op: str, terms: list[Value]) -> Value:
    while len(terms) > 1:
        pairs: list[Value] = [Op(op, (a, b)) for a, b in zip(terms[::2], terms[1::2], strict=False)]
        terms = [*pairs, *terms[len(pairs) * 2 :]]
    return terms[0]
