"""quantise_within on a CPU: one loop in vectors, in which each element is multiplied, moved, rounded and cut off."""

from __future__ import annotations

from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, const
from anytile.schedules.nest.nodes import Cast, Literal, Load, LoopNest, Op, Stmt, Store, Value
from anytile.schedules.operators.reductions.quantise_rows import STEPS
from anytile.schedules.primitives.vector_rows import Tile, vectors
from anytile.schedules.templates.base.parallel_grain import computed
from anytile.schedules.templates.base.plain import PlainTemplate
from anytile.schedules.templates.base.small_knobs import choices, share
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload

_COST = 5  # of one element, in additions


def _write(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    n, first = workload.extents["n"], (const(0),)
    shared = share(config, computed(n, _COST, [workload.dtype_of(t) for t in workload.tensors]))

    def one(at: Expr, _: Expr, __: Expr) -> Stmt:
        moved: Value = Op("add", (Op("mul", (Load("x", (at,)), Load("by", first))), Load("zero", first)))
        within = Op("min", (Op("max", (Op("round", (moved,)), Literal(0.0))), Literal(STEPS)))
        return Store("y", (at,), Cast("uint8", within))

    tile = Tile(facts(target).lanes, config.int("vectors"))
    return nest.with_body(vectors(n, tile, one, share=shared))


QUANTISE_WITHIN_CPU = PlainTemplate(
    "quantise_within.cpu", "quantise_within", _write, lambda _, target: choices(target, vectors=(4, (1, 2, 4)))
)
