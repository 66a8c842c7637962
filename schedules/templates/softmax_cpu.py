"""softmax on a CPU: the largest of a row, its exponentials with their sum, then one factor for all of them.

A row that is contiguous lies along the lanes, several rows side by side; otherwise each lane has a row of its own.
"""

from __future__ import annotations

import math

from anytile.schedules.cpu import facts
from anytile.schedules.expr import Expr, const, var
from anytile.schedules.nest import Buffer, Literal, Load, LoopNest, Op, Scope, Stmt, Store, Value
from anytile.schedules.rows import ALONE, Across, Along, At, Field, Tile, by_columns, by_rows, holding, reduced
from anytile.schedules.space import Config
from anytile.schedules.target import Target
from anytile.schedules.templates.plain import PlainTemplate
from anytile.schedules.templates.small import choices, share
from anytile.schedules.workload import Workload

_COST = 24  # of one element, in additions


def _softmax(field: Field, log: bool) -> Stmt:
    best = Buffer("i_best", field.lanes, Scope.REGISTER)
    top = Buffer("i_top", field.results, Scope.REGISTER)
    last = Buffer("i_last", field.results, Scope.REGISTER)  # what makes a term of its part of the sum

    def larger(acc: At, at: At) -> Stmt:
        """NaN is passed over here: it spoils the sum."""
        old, new = Load(best.name, acc), Load("x", at)
        return Store(best.name, acc, Op("select", (Op("gt", (new, old)), new, old)))

    def peak(at: At) -> Value:
        found = field.joined(best.name, "max")
        if not log:
            return found  # an infinite one makes NaN of every term
        return Op("select", (Op("lt", (Op("abs", (found,)), Literal(math.inf))), found, Literal(0.0)))

    def below(acc: At, at: At) -> Value:
        return Op("sub", (Load("x", at), Load(top.name, field.result_of(acc))))

    def exponential(acc: At, at: At) -> Value:
        return Op("exp", (below(acc, at),))

    def stored(acc: At, at: At) -> Stmt:
        return Store("y", at, exponential(acc, at))

    def result(acc: At, at: At) -> Stmt:
        whole = Load(last.name, field.result_of(acc))
        value = Op("sub", (below(acc, at), whole)) if log else Op("mul", (Load("y", at), whole))
        return Store("y", at, value)

    def total(at: At) -> Value:
        whole = Load("i_sum", at)
        return Op("log", (whole,)) if log else Op("div", (Literal(1.0), whole))

    if log:
        held, add_up = reduced(field, "i_sum", "add", exponential)
    else:
        held, add_up = reduced(field, "i_sum", "add", lambda _, at: Load("y", at), also=stored)
    return holding(
        (best, top, last, *held),
        field.start(lambda at: Store(best.name, at, Literal(-math.inf))),
        field.each(larger),
        field.finish(lambda at: Store(top.name, at, peak(at))),
        add_up,
        field.finish(lambda at: Store(last.name, at, total(at))),
        field.each(result),
    )


def _write(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    outer, n, inner = (workload.extents[d] for d in ("outer", "n", "inner"))
    log = workload.attributes["log"] == "yes"
    tile = Tile(facts(target).lanes, config.int("vectors"), config.int("rows"))
    shared = share(config, outer * n * inner * _COST)
    if inner.value == 1:

        def rows(first: Expr, count: int) -> Stmt:
            return _softmax(Along(tile, count, n, lambda r, i: (first + r, i, const(0))), log)

        return nest.with_body(by_rows(outer, tile, rows, shared))

    def columns(first: Expr, tile: Tile, left: Expr | None) -> Stmt:
        return _softmax(Across(tile, n, lambda i, c: (var("i_outer"), i, first + c), left), log)

    one = outer.value == 1
    body = by_columns(inner, tile, columns, shared if one else ALONE)
    return nest.with_body((ALONE if one else shared).loop("i_outer", outer, body))


SOFTMAX_CPU = PlainTemplate(
    "softmax.cpu", "softmax", _write, lambda _, target: choices(target, vectors=(4, (1, 2, 4)), rows=(1, (1, 2, 4)))
)
