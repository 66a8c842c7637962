"""gather, one_hot and scatter_rows on a CPU: an index is looked up once per row, and rows are moved in vectors.

The position is an index variable of the nest, so whatever a native caller passes no read or write leaves its buffer.
Updates are joined one after the other: threads share the copy before.
"""

from __future__ import annotations

from collections.abc import Callable

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
    Value,
    block,
)
from anytile.schedules.operators.movement.scatter import KEY_BITS
from anytile.schedules.templates.base.moving_loops import lanes_of, moving, nested, row, rows
from anytile.schedules.templates.base.plain import PlainTemplate
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload

AT = "i_at"
_SEVERAL = 8  # single elements that are looked up side by side


def looked_up(workload: Workload, j: Expr, size: Expr, body: Stmt) -> Stmt:
    """The body with index[j] as a position; a negative index counts from the end."""
    dtype = workload.dtype_of(workload.tensor("index"))
    given = Load("index", (j,))
    negative = Op("lt", (given, Literal(0, dtype)))
    from_end = Op("add", (given, Number(size, dtype)))
    return Let(AT, Op("select", (negative, from_end, given)), size, body)


def _write_gather(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    size, lanes = workload.extents, lanes_of(target, workload.dtype)
    o, m, inner = var("i_outer"), size["m"], size["inner"]

    def moved(j: Expr) -> Stmt:
        def move(i: Expr) -> Stmt:
            return Store("y", (o, j, i), Load("x", (o, var(AT), i)))

        one_by_one = Loop("i_in", inner, LoopKind.SERIAL, move(var("i_in")))
        return looked_up(workload, j, size["n"], Guard((inner - lanes // 2,), row(inner, lanes, move), one_by_one))

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
    return nest.with_body(Guard((size["n"] - 1,), loops))


def _write_one_hot(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    size = workload.extents
    j, dtype = var("i_j"), workload.dtype
    clear = row(size["depth"], lanes_of(target, dtype), lambda d: Store("y", (j, d), Literal(0, dtype)))
    mark = looked_up(workload, j, size["depth"], Store("y", (j, var(AT)), Literal(1, dtype)))
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
    return nest.with_body(block(kept, Loop("i_m", many, LoopKind.SERIAL, each)))


GATHER_CPU = PlainTemplate("gather.cpu", "gather", _write_gather)
ONE_HOT_CPU = PlainTemplate("one_hot.cpu", "one_hot", _write_one_hot)
SCATTER_ROWS_CPU = PlainTemplate("scatter_rows.cpu", "scatter_rows", _write_scatter)
