"""gather and one_hot on a CPU: each index is looked up once per row, and a row is moved or cleared in vectors.

The position is an index variable of the nest, so whatever a native caller passes no read or write leaves its buffer.
"""

from __future__ import annotations

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
    block,
)
from anytile.schedules.templates.base.moving_loops import lanes_of, moving, nested, row
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


GATHER_CPU = PlainTemplate("gather.cpu", "gather", _write_gather)
ONE_HOT_CPU = PlainTemplate("one_hot.cpu", "one_hot", _write_one_hot)
