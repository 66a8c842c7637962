"""Operators as naive loop nests: what a schedule starts from.

Each is one perfect nest around one update, and means that the output is zero at first.
"""

from __future__ import annotations

from anytile.schedules.errors import UnsupportedError
from anytile.schedules.expr import Expr, const, var
from anytile.schedules.nest import Buffer, Load, Loop, LoopKind, LoopNest, Op, Symbol, Update
from anytile.schedules.workload import Any, Workload


def definition(workload: Workload) -> LoopNest:
    """The nest of an operator at a workload's shape."""
    if workload.op != "dense":
        raise UnsupportedError(f"{workload.op} has no loop-nest definition")
    size = {name: _extent(dim) for name, dim in workload.dims}
    params = tuple(
        Buffer(t.name, tuple(size[d] for d in t.dims), dtype=workload.dtype, output=t.output)
        for t in workload.spec.tensors
    )
    m, n, k = var("i_m"), var("i_n"), var("i_k")
    body: Loop | Update = Update("y", (m, n), Op("mul", (Load("x", (m, k)), Load("w", (n, k)))))
    for name in ("k", "n", "m"):
        body = Loop(f"i_{name}", size[name], LoopKind.SERIAL, body)
    return LoopNest(workload.op, params, tuple(Symbol(s) for s in workload.symbols), body)


def _extent(dim: int | Any) -> Expr:
    return const(dim) if isinstance(dim, int) else var(dim.name)
