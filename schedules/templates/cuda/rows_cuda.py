"""What reduces rows, on a GPU: softmax, layer_norm, rms_norm and reduce, by warps that share a row or have their own.

    block bo, bm: warp wm, wn: thread ln: pass after pass over the terms of a row; between them lanes and warps join

One schedule for all of them: the passes of an operator are those that it has on a CPU, over fields whose lanes are
threads. A row that lies along memory is read by neighbouring threads, in pieces of 16 bytes where rows are whole
pieces; of other dimensions each thread has a result of its own, neighbours beside each other. No pass but the last
writes. A result is one block's however many terms it has: a reduction to a single number keeps one multiprocessor busy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from anytile.core.dtypes import HALVES
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, ceildiv, var
from anytile.schedules.nest.nodes import Barrier, Loop, LoopKind, LoopNest, Stmt, block
from anytile.schedules.primitives.gpu.points import each_by_blocks
from anytile.schedules.primitives.gpu.row_fields import WARP, AcrossThreads, AlongThreads, Team, joined
from anytile.schedules.primitives.memory_floats import widened
from anytile.schedules.primitives.vector_rows import At, Field
from anytile.schedules.templates.base.definition import signature
from anytile.schedules.templates.base.plain import Choice, PlainTemplate, however_they_lie
from anytile.schedules.templates.base.space import Config, Knob
from anytile.schedules.templates.cpu.norm_cpu import normalised
from anytile.schedules.templates.cpu.reduce_cpu import Reduction
from anytile.schedules.templates.cpu.softmax_cpu import one_after_the_other
from anytile.schedules.templates.cuda.dense_simt import aligned
from anytile.schedules.workloads.workload import Workload

_LANES = 4  # elements of 16 bytes
_LONG = 1024  # terms that keep more than a warp busy


@dataclass(frozen=True)
class Rows:
    """An operator as rows: so many `results` of so many `terms`, which lie `along` memory or not, at each index of the
    loops `outside`; where a term is, and what a field of them does, told where a result lies among the results."""

    nest: LoopNest
    results: Expr
    terms: Expr
    along: bool
    place: Callable[[Expr, Expr], At]
    passes: Callable[[Field, Callable[[At], Expr]], Stmt]
    outside: tuple[tuple[str, Expr], ...] = ()


def _reduce(nest: LoopNest, workload: Workload) -> Rows:
    it = Reduction.of(workload)
    outside = tuple((f"i_{i}", it.form.sizes[i]) for i in it.outside)
    return Rows(it.nest(nest), it.results, it.terms, it.along, it.at, it.made, outside)


def _softmax(nest: LoopNest, workload: Workload) -> Rows:
    outer, n, inner = (workload.extents[d] for d in ("outer", "n", "inner"))

    def passes(field: Field, where: object) -> Stmt:
        return one_after_the_other(field, workload)

    if inner.value == 1:
        nest = replace(nest, params=tuple(replace(b, shape=(outer, n)) for b in nest.params))
        return Rows(nest, outer, n, True, lambda i, r: (r, i), passes)
    first = var("i_outer")
    return Rows(nest, inner, n, False, lambda i, c: (first, i, c), passes, (("i_outer", outer),))


def _norm(nest: LoopNest, workload: Workload) -> Rows:
    rows, n = workload.extents["rows"], workload.extents["n"]
    return Rows(nest, rows, n, True, lambda i, r: (r, i), lambda field, where: normalised(field, workload))


_FORMS: dict[str, Callable[[LoopNest, Workload], Rows]] = {
    "softmax": _softmax,
    "layer_norm": _norm,
    "rms_norm": _norm,
    "reduce": _reduce,
}


def _write(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    it = _FORMS[workload.op](nest, workload.storing({}))
    team, dtypes = Team(config.int("rows"), config.int("shares")), {b.name: b.dtype for b in it.nest.params}
    tiles = var("bm")
    if it.along:
        whole = set(dtypes.values()) <= {"float32", *HALVES} and all(c % _LANES == 0 for _, c in it.terms.terms)
        team = replace(team, vector=_LANES if whole else 1)
        rows = AlongThreads(team, tiles * team.rows, it.results, it.terms, lambda r, i: it.place(i, r), dtypes)
        field: Field = rows
        tile, result = team.rows, rows.row
    else:
        columns = AcrossThreads(team, tiles * (team.rows * WARP), it.results, it.terms, it.place)
        field = columns
        tile, result = team.rows * WARP, columns.column
    body: Stmt = joined(it.passes(field, lambda _: result), team)
    around = list(it.outside)
    body = Loop("bm", ceildiv(it.results, tile), LoopKind.BLOCK, body)
    if around:
        body = each_by_blocks(*around.pop(), body)
    for name, size in reversed(around):
        body = Loop(name, size, LoopKind.SERIAL, block(body, Barrier()))
    nest = aligned(it.nest) if team.vector > 1 else it.nest
    return widened(nest.with_body(body))


def _choices(workload: Workload, target: Target) -> tuple[Choice, ...]:
    """A warp has a row of its own, unless rows are long."""
    it = _FORMS[workload.op](signature(workload), workload)
    long = it.terms.value is None or it.terms.value > _LONG
    return (
        Choice(Knob("rows", (1, 2, 4), "warps beside each other, with results of their own"), 1 if long else 4),
        Choice(Knob("shares", (1, 2, 4, 8), "warps that share a result"), 4 if long else 1),
    )


ROWS_CUDA = tuple(
    PlainTemplate(f"{op}.cuda", op, _write, _choices, "cuda", version=2, served=however_they_lie) for op in _FORMS
)
