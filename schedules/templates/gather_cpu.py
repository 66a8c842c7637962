"""gather and one_hot on a CPU: each index is looked up once per row, and a row is moved or cleared in vectors.

The position is an index variable of the nest, so whatever a native caller passes no read or write leaves its buffer.
"""

from __future__ import annotations

from anytile.schedules.expr import Expr, var
from anytile.schedules.loops import lanes_of, moving, nested, product, row
from anytile.schedules.nest import Guard, Let, Literal, Load, LoopNest, Number, Op, Stmt, Store, block
from anytile.schedules.space import Config
from anytile.schedules.target import Target
from anytile.schedules.templates.plain import PlainTemplate
from anytile.schedules.workload import Workload

_AT = "i_at"


def _looked_up(workload: Workload, size: Expr, body: Stmt) -> Stmt:
    """The body with index[i_j] as a position; a negative index counts from the end."""
    dtype = workload.dtype_of(workload.tensor("index"))
    given = Load("index", (var("i_j"),))
    negative = Op("lt", (given, Literal(0, dtype)))
    from_end = Op("add", (given, Number(size, dtype)))
    return Guard((size - 1,), Let(_AT, Op("select", (negative, from_end, given)), size, body))


def _write_gather(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    size = workload.extents
    o, j, at = var("i_outer"), var("i_j"), var(_AT)

    def move(i: Expr) -> Stmt:
        return Store("y", (o, j, i), Load("x", (o, at, i)))

    body = row(size["inner"], lanes_of(target, workload.dtype), move)
    loops = [("i_outer", size["outer"]), ("i_j", size["m"])]
    moved = moving(product([size["outer"], size["m"], size["inner"]]) * 2, workload.dtype)
    return nest.with_body(nested(loops, _looked_up(workload, size["n"], body), moved))


def _write_one_hot(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    size = workload.extents
    j, dtype = var("i_j"), workload.dtype
    clear = row(size["depth"], lanes_of(target, dtype), lambda d: Store("y", (j, d), Literal(0, dtype)))
    mark = _looked_up(workload, size["depth"], Store("y", (j, var(_AT)), Literal(1, dtype)))
    written = moving(product([size["m"], size["depth"]]), dtype)
    return nest.with_body(nested([("i_j", size["m"])], block(clear, mark), written))


GATHER_CPU = PlainTemplate("gather.cpu", "gather", _write_gather)
ONE_HOT_CPU = PlainTemplate("one_hot.cpu", "one_hot", _write_one_hot)
