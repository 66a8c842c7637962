"""quantise_within and dequantise_within on a CPU: one loop in vectors, there and back.

There an element is multiplied, moved, rounded and cut off, back it is multiplied and moved.
"""

from __future__ import annotations

from collections.abc import Callable

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


def _quantised(workload: Workload, x: Value) -> Value:
    moved = _moved(workload, x)
    within = Op("min", (Op("max", (Op("round", (moved,)), Literal(0.0))), Literal(STEPS)))
    return Cast("uint8", within)


def _moved(workload: Workload, x: Value) -> Value:
    """Times the first number, plus the second."""
    _, factor, summand = (t.name for t in workload.inputs)
    first = (const(0),)
    return Op("add", (Op("mul", (x, Load(factor, first))), Load(summand, first)))


def _dequantised(workload: Workload, x: Value) -> Value:
    return _moved(workload, Cast("float32", x))


def _template(op: str, made: Callable[[Workload, Value], Value]) -> PlainTemplate:
    def write(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
        n = workload.extents["n"]
        shared = share(config, computed(n, _COST, [workload.dtype_of(t) for t in workload.tensors]))

        def one(at: Expr, _: Expr, __: Expr) -> Stmt:
            return Store("y", (at,), made(workload, Load("x", (at,))))

        tile = Tile(facts(target).lanes, config.int("vectors"))
        return nest.with_body(vectors(n, tile, one, share=shared))

    return PlainTemplate(f"{op}.cpu", op, write, lambda _, target: choices(target, vectors=(4, (1, 2, 4))))


QUANTISE_WITHIN_CPU = _template("quantise_within", _quantised)
DEQUANTISE_WITHIN_CPU = _template("dequantise_within", _dequantised)
