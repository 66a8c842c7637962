"""gather, interpolate, one_hot, scatter_rows, put_rows on a CPU: an index is read once a row, rows move in vectors.

The position is an index variable of the nest, so whatever a native caller passes no read or write leaves its buffer.
Updates are joined one after the other: threads share the copy before.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, const, product, var
from anytile.schedules.nest.nodes import (
    Guard,
    Let,
    Literal,
    Load,
    Loop,
    LoopKind,
    LoopNest,
    Number,
    Op,
    Stmt,
    Store,
    Update,
    Value,
    block,
)
from anytile.schedules.operators.movement.scatter import KEY_BITS
from anytile.schedules.primitives.memory_floats import widened
from anytile.schedules.primitives.vector_rows import unrolled
from anytile.schedules.templates.base.moving_loops import lanes_of, moving, nested, row, rows
from anytile.schedules.templates.base.plain import PlainTemplate, however_they_lie
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload

AT = "i_at"
_SEVERAL = 8  # single elements that are looked up side by side, or rows that one is looked up for
_TAPS = 4  # places that are looked up at once


def looked_up(workload: Workload, j: Sequence[Expr], size: Expr, body: Stmt, name: str = AT) -> Stmt:
    """The body with index[j] as a position; a negative index counts from the end."""
    dtype = workload.dtype_of(workload.tensor("index"))
    given = Load("index", tuple(j))
    negative = Op("lt", (given, Literal(0, dtype)))
    from_end = Op("add", (given, Number(size, dtype)))
    return Let(name, Op("select", (negative, from_end, given)), size, body)


def _write_gather(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    size, lanes = workload.extents, lanes_of(target, workload.dtype)
    o, m, inner = var("i_outer"), size["m"], size["inner"]

    def moved(j: Expr) -> Stmt:
        def move(i: Expr) -> Stmt:
            return Store("y", (o, j, i), Load("x", (o, var(AT), i)))

        one_by_one = Loop("i_in", inner, LoopKind.SERIAL, move(var("i_in")))
        return looked_up(workload, (j,), size["n"], Guard((inner - lanes // 2,), row(inner, lanes, move), one_by_one))

    share = moving(product([size["outer"], m, inner]) * 2, workload.dtype)
    j = var("i_j")
    if inner.value == 1:
        several = Loop("i_s", const(_SEVERAL), LoopKind.UNROLLED, moved(j * _SEVERAL + var("i_s")))
        rounds = m // _SEVERAL
        rest = Loop("i_j", m - rounds * _SEVERAL, LoopKind.SERIAL, moved(rounds * _SEVERAL + j))
        each = block(Loop("i_j", rounds, LoopKind.SERIAL, several), rest)
        across = share.loop("i_outer", size["outer"], each)
        few = Loop("i_outer", size["outer"], LoopKind.SERIAL, block(share.loop("i_j", rounds, several), rest))
        loops: Stmt = Guard((size["outer"] - target.threads,), across, few) if target.threads > 1 else across
    else:
        loops = nested([("i_outer", size["outer"]), ("i_j", m)], moved(j), share)
    return widened(nest.with_body(Guard((size["n"] - 1,), loops)))


_Element = Callable[[Expr, Expr], Stmt]  # what is done to the element of a row at a place of the inner dimension


def _write_interpolate(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    size, lanes = workload.extents, lanes_of(target, workload.dtype)
    o, j, outer, m, inner = var("i_outer"), var("i_j"), size["outer"], size["m"], size["inner"]
    taps = size["taps"].value
    assert taps is not None
    first = (taps - 1) % _TAPS + 1

    def joined(begin: Expr, count: int, kind: type[Store] | type[Update], walk: Callable[[_Element], Stmt]) -> Stmt:
        """Some taps of each element that is walked, whose positions are looked up before."""

        def total(of: Expr, i: Expr) -> Stmt:
            taps = (
                Op("mul", (Load("weights", (j, begin + t)), Load("x", (of, var(f"{AT}_{t}"), i)))) for t in range(count)
            )
            return kind("y", (of, j, i), functools.reduce(lambda a, b: Op("add", (a, b)), taps))

        body = walk(total)
        for t in range(count):
            body = looked_up(workload, (j, begin + t), size["n"], body, f"{AT}_{t}")
        return body

    def place(walk: Callable[[_Element], Stmt]) -> Stmt:
        more = joined(first + var("i_t") * _TAPS, _TAPS, Update, walk)
        return block(
            joined(const(0), first, Store, walk), Loop("i_t", const((taps - first) // _TAPS), LoopKind.SERIAL, more)
        )

    def along(element: _Element) -> Stmt:
        one_by_one = Loop("i_in", inner, LoopKind.SERIAL, element(o, var("i_in")))
        return Guard((inner - lanes // 2,), row(inner, lanes, lambda i: element(o, i)), one_by_one)

    share = moving(product([outer, m, inner]) * (taps + 1), workload.dtype)
    if inner.value == 1:
        rounds, s = outer // _SEVERAL, var("i_s")
        several = place(lambda element: unrolled("i_s", _SEVERAL, element(o * _SEVERAL + s, const(0))))
        single = place(lambda element: element(rounds * _SEVERAL + o, const(0)))
        loops = block(
            share.loop("i_outer", rounds, Loop("i_j", m, LoopKind.SERIAL, several)),
            Loop("i_outer", outer - rounds * _SEVERAL, LoopKind.SERIAL, share.loop("i_j", m, single)),
        )
    else:
        each = place(along)
        loops = share.loop("i_outer", outer, Loop("i_j", m, LoopKind.SERIAL, each))
        if target.threads > 1:
            few = Loop("i_outer", outer, LoopKind.SERIAL, share.loop("i_j", m, each))
            loops = Guard((outer - target.threads,), loops, few)
    return nest.with_body(Guard((size["n"] - 1,), loops))


def _write_one_hot(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    size = workload.extents
    j, dtype = var("i_j"), workload.dtype
    clear = row(size["depth"], lanes_of(target, dtype), lambda d: Store("y", (j, d), Literal(0, dtype)))
    mark = looked_up(workload, (j,), size["depth"], Store("y", (j, var(AT)), Literal(1, dtype)))
    written = moving(product([size["m"], size["depth"]]), dtype)
    return nest.with_body(nested([("i_j", size["m"])], block(clear, mark), written))


def key_of(row: Expr) -> Value:
    """The least key of a row."""
    return Op("shl", (Number(row), Literal(KEY_BITS, "int64")))


def is_of_row(keys: str, at: Expr, row: Expr) -> Value:
    return Op("eq", (Op("shr", (Load(keys, (at,)), Literal(KEY_BITS, "int64"))), Number(row)))


def named_by(at: Expr, many: Expr, body: Callable[[Expr], Stmt]) -> Stmt:
    """The body with the update that a key names, of so many."""
    which = Op("bitand", (Load("keys", (at,)), Literal((1 << KEY_BITS) - 1, "int64")))
    return Let("i_update", which, many, body(var("i_update")))


def joining(mode: str, dtype: str) -> str:
    """The operation of a mode; of bools a sum is whether there is any, a product whether all are."""
    return {"add": "or", "max": "or", "mul": "and", "min": "and"}[mode] if dtype == "bool" else mode


def _write_scatter(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    size, mode, lanes = workload.extents, str(workload.attributes["mode"]), lanes_of(target, workload.dtype)
    n, many, inner = size["n"], size["m"], size["inner"]
    at = var("i_row") - 1  # before the first and behind the last there are none

    def join(update: Expr) -> Stmt:
        def one(i: Expr) -> Stmt:
            new, place = Load("updates", (update, i)), (at, i)
            made = new if mode == "set" else Op(joining(mode, workload.dtype), (Load("y", place), new))
            return Store("y", place, made)

        return row(inner, lanes, one)

    key = Op("shr", (Load("keys", (var("i_m"),)), Literal(KEY_BITS, "int64")))
    there = Guard((at, n - 1 - at), named_by(var("i_m"), many, join))
    each = Let("i_row", Op("add", (key, Literal(1, "int64"))), n + 2, there)

    def copy(i: Expr) -> Stmt:
        return Store("y", (var("i_n"), i), Load("x", (var("i_n"), i)))

    kept = rows([("i_n", n)], inner, lanes, copy, moving(n * inner * 2, workload.dtype))
    return widened(nest.with_body(block(kept, Loop("i_m", many, LoopKind.SERIAL, each))))


def _write_put(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    """A row goes where it is put, if that is there: its place is read as one more, since the nearest below 0 is 0."""
    size, lanes = workload.extents, lanes_of(target, workload.dtype)
    o, j, at = var("i_outer"), var("i_j"), var(AT) - 1
    put = row(size["inner"], lanes, lambda i: Store("y", (o, at, i), Load("updates", (o, j, i))))
    above = Op("add", (Load("places", (j,)), Literal(1, "int64")))
    each = Let(AT, above, size["n"] + 2, Guard((at, size["n"] - 1 - at), put))
    share = moving(product([size["outer"], size["m"], size["inner"]]) * 2, workload.dtype)
    return widened(nest.with_body(nested([("i_outer", size["outer"]), ("i_j", size["m"])], each, share)))


def _moves_alone(workload: Workload) -> bool:
    """Whether nothing is joined, in a result that would be rounded each time."""
    return not workload.stored or workload.attributes["mode"] == "set"


GATHER_CPU = PlainTemplate("gather.cpu", "gather", _write_gather, served=however_they_lie)
INTERPOLATE_CPU = PlainTemplate("interpolate.cpu", "interpolate", _write_interpolate)
ONE_HOT_CPU = PlainTemplate("one_hot.cpu", "one_hot", _write_one_hot)
SCATTER_ROWS_CPU = PlainTemplate("scatter_rows.cpu", "scatter_rows", _write_scatter, served=_moves_alone)
PUT_ROWS_CPU = PlainTemplate("put_rows.cpu", "put_rows", _write_put, served=however_they_lie)
