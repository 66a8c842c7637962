"""softmax on a CPU: the largest of a row, its exponentials with their sum, then one factor for all of them.

Rows that are contiguous lie along the lanes, and their passes overlap: while the exponentials of one row are computed,
the row before gets its factor and the largest of the next is found, in one loop, for these wait for memory and that for
arithmetic. Otherwise each lane has a row of its own, and the passes follow each other. Exponentials wait for their sum
where the result will be, unless that lies in memory in fewer bits: it is rounded once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from anytile.core.dtypes import STORED_FLOATS
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, const, minimum, var
from anytile.schedules.nest.nodes import (
    Buffer,
    Guard,
    Literal,
    Load,
    Loop,
    LoopKind,
    LoopNest,
    Op,
    Scope,
    Stmt,
    Store,
    Value,
    block,
)
from anytile.schedules.primitives.memory_floats import widened
from anytile.schedules.primitives.vector_rows import (
    ALONE,
    Across,
    Along,
    At,
    Field,
    Tile,
    by_columns,
    holding,
    reduced,
    register,
)
from anytile.schedules.templates.base.parallel_grain import computed
from anytile.schedules.templates.base.plain import Choice, PlainTemplate, however_they_lie
from anytile.schedules.templates.base.small_knobs import choices, share
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload

_COST = 10  # of one element, in additions
_LEAST = -float(np.finfo(np.float32).max)
_BEST, _TOP, _SUM, _LAST, _BEFORE = "i_best", "i_top", "i_sum", "i_last", "i_before"
_KEPT = "i_kept"
Keep = Callable[[At], Load]


def _in_result(at: At) -> Load:
    return Load("y", at)


def _by_turns(at: At) -> Load:
    """Where there is room for two rows: one is made while the one before it gets its factor."""
    return Load(_KEPT, (at[0] % 2, at[1]))


@dataclass(frozen=True)
class _Passes:
    """What is done at a term, given its accumulator and its place, and to a result. Exponentials are kept in a place
    `kept` until their sum is known, or computed once more. `guard` says which rows are 0: with "empty" those of nothing
    but -inf, whose largest then counts as finite and whose sum is 0; with "nan" those whose sum is no number."""

    field: Field
    log: bool
    kept: Keep | None = _in_result
    guard: str = "none"

    def start(self) -> Stmt:
        return self.field.start(lambda acc: Store(_BEST, acc, Literal(-math.inf)))

    def larger(self, acc: At, at: At) -> Stmt:
        """NaN is passed over here: it spoils the sum."""
        old, new = Load(_BEST, acc), Load("x", at)
        return Store(_BEST, acc, Op("select", (Op("gt", (new, old)), new, old)))

    def top(self) -> Stmt:
        def peak(at: At) -> Value:
            found = self.field.joined(_BEST, "max")
            if self.guard == "empty":
                return Op("max", (found, Literal(_LEAST)))
            if not self.log:
                return found  # an infinite one makes NaN of every term
            return Op("select", (Op("lt", (Op("abs", (found,)), Literal(math.inf))), found, Literal(0.0)))

        return self.field.finish(lambda at: Store(_TOP, at, peak(at)))

    def below(self, acc: At, at: At, top: str = _TOP) -> Value:
        return Op("sub", (Load("x", at), Load(top, self.field.result_of(acc))))

    def exponential(self, acc: At, at: At) -> Value:
        """What is added up; where they are kept it has been stored first."""
        return Op("exp", (self.below(acc, at),)) if self.log or self.kept is None else self.kept(at)

    def stored(self, acc: At, at: At) -> Stmt:
        if self.log or self.kept is None:
            return block()
        place = self.kept(at)
        return Store(place.buffer, place.index, Op("exp", (self.below(acc, at),)))

    def factor(self) -> Stmt:
        def made(at: At) -> Value:
            total = Load(_SUM, at)
            if self.log:
                return Op("log", (total,))
            made = Op("div", (Literal(1.0), total))
            if self.guard == "empty":
                return Op("select", (Op("eq", (total, Literal(0.0))), Literal(0.0), made))
            return made

        return self.field.finish(lambda at: Store(_LAST, at, made(at)))

    def result(self, acc: At, at: At, top: str = _TOP) -> Stmt:
        last = Load(_LAST, self.field.result_of(acc))
        if self.log:
            return Store("y", at, Op("sub", (self.below(acc, at, top), last)))
        scaled = Op("mul", (self.exponential(acc, at), last))
        if self.guard == "nan":  # a sum that is a number is 1 at least
            return Store("y", at, Op("select", (Op("gt", (last, Literal(0.0))), scaled, Literal(0.0))))
        return Store("y", at, scaled)


def one_after_the_other(field: Field, workload: Workload, kept: Keep | None = None) -> Stmt:
    """The passes over a field's rows, each after the one before it."""
    passes = _Passes(field, bool(workload.attributes["log"]), kept, str(workload.attributes["guard"]))
    held, add_up = reduced(field, _SUM, "add", passes.exponential, also=passes.stored)
    return holding(
        (register(_BEST, field.lanes), register(_TOP, field.results), register(_LAST, field.results), *held),
        passes.start(),
        field.each(passes.larger),
        passes.top(),
        add_up,
        passes.factor(),
        field.each(passes.result),
    )


def _overlapping(first: Expr, count: Expr, n: Expr, tile: Tile, workload: Workload) -> Stmt:
    """`count` rows from `first` on, in a pipeline of three passes."""
    row = var("i_row")

    def field(at: Expr) -> Along:
        return Along(tile, 1, n, lambda r, i: (first + at + r, i, const(0)))

    here, log, guard = field(row), bool(workload.attributes["log"]), str(workload.attributes["guard"])
    apart = _rounds(workload) and not log
    passes = _Passes(here, log, _by_turns if apart else _in_result, guard)
    room = (Buffer(_KEPT, (const(2), n), Scope.WORKSPACE),) if apart else ()

    def moved(at: At, to: Expr) -> At:
        return (first + to, *at[1:])

    def three(acc: At, at: At) -> Stmt:
        return block(passes.result(acc, moved(at, row - 1), _BEFORE), two(acc, at))

    def two(acc: At, at: At) -> Stmt:
        following = moved(at, minimum(row + 1, count - 1))
        return block(passes.stored(acc, at), passes.larger(acc, following))

    held, with_previous = reduced(here, _SUM, "add", passes.exponential, also=three)
    _, alone = reduced(here, _SUM, "add", passes.exponential, also=two)
    one = block(
        passes.top(),
        passes.start(),
        Guard((row - 1,), with_previous, alone),
        passes.factor(),
        here.finish(lambda at: Store(_BEFORE, at, Load(_TOP, at))),
    )
    last = field(count - 1)
    return holding(
        (register(_BEST, here.lanes), *(register(name, here.results) for name in (_TOP, _LAST, _BEFORE)), *held, *room),
        passes.start(),
        field(const(0)).each(passes.larger),
        Loop("i_row", count, LoopKind.SERIAL, one),
        last.each(lambda acc, at: passes.result(acc, at, _BEFORE)),
    )


def _write(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    outer, n, inner = (workload.extents[d] for d in ("outer", "n", "inner"))
    tile = Tile(facts(target).lanes, config.int("vectors"))
    shared = share(config, computed(outer * n * inner, _COST))
    if inner.value == 1:
        rows, b = config.int("rows"), var("i_b_rows")
        some = _overlapping(b * rows, minimum(rows, outer - b * rows), n, tile, workload)
        return widened(nest.with_body(shared.loop("i_b_rows", (outer + rows - 1) // rows, some)))

    def columns(first: Expr, tile: Tile, left: Expr | None) -> Stmt:
        field = Across(tile, n, lambda i, c: (var("i_outer"), i, first + c), left)
        return one_after_the_other(field, workload, None if _rounds(workload) else _in_result)

    one = outer.value == 1
    body = by_columns(inner, tile, columns, shared if one else ALONE)
    return widened(nest.with_body((ALONE if one else shared).loop("i_outer", outer, body)))


def _rounds(workload: Workload) -> bool:
    """Whether the result lies in memory in fewer bits."""
    return workload.dtype_of(workload.outputs[0]) in STORED_FLOATS


def _choices(workload: Workload, target: Target) -> tuple[Choice, ...]:
    """The first and the last row of a pipeline overlap with nothing: long ones, but some for each thread. Rows that
    overlap hide what one vector waits for; of several the last, which are not full, cost more than they hide."""
    vectors = 1 if workload.extents["inner"].value == 1 else 2
    return choices(target, vectors=(vectors, (1, 2, 4)), rows=(32 if target.threads == 1 else 16, (4, 8, 16, 32)))


SOFTMAX_CPU = PlainTemplate("softmax.cpu", "softmax", _write, _choices, served=however_they_lie)
