"""Operators as naive loop nests: what a schedule starts from.

Each is one perfect nest around one update, and means that the output is zero at first.
"""

from __future__ import annotations

from anytile.schedules.errors import UnsupportedError
from anytile.schedules.nest import Block, Buffer, LoopNest, Symbol
from anytile.schedules.workload import Workload


def definition(workload: Workload) -> LoopNest:
    """The nest of an operator at a workload's shape."""
    spec = workload.spec
    if spec.body is None:
        raise UnsupportedError(f"{workload.op} is defined by its templates; it has no nest to schedule")
    return signature(workload).with_body(spec.body(workload.extents, workload.attributes))


def signature(workload: Workload) -> LoopNest:
    """Parameters and symbols of every kernel for the workload, around nothing."""
    size = workload.extents
    params = tuple(
        Buffer(t.name, tuple(size[d] for d in t.dims), dtype=workload.dtype_of(t), output=t.output)
        for t in workload.tensors
    )
    return LoopNest(workload.op, params, tuple(Symbol(s) for s in workload.symbols), Block(()))
