"""Operators as naive loop nests: what a schedule starts from.

Each is one perfect nest around one update, and means that the output is zero at first.
"""

from __future__ import annotations

from anytile.schedules.errors import UnsupportedError
from anytile.schedules.expr import Expr
from anytile.schedules.expression import parse, place
from anytile.schedules.nest import Block, Buffer, Load, LoopNest, Symbol, Value
from anytile.schedules.schedule import Schedule, Tail
from anytile.schedules.workload import Workload


def start(workload: Workload) -> Schedule:
    """The start of every template: the operator's nest, and its tail to be computed where the result is stored."""
    return Schedule(definition(workload), tail(workload))


def definition(workload: Workload) -> LoopNest:
    """The nest of an operator at a workload's shape."""
    spec = workload.spec
    if spec.body is None:
        raise UnsupportedError(f"{workload.op} is defined by its templates; it has no nest to schedule")
    return signature(workload).with_body(spec.body(workload.extents, workload.attributes))


def tail(workload: Workload) -> Tail | None:
    """What the workload's tail makes of one element of the result, given where that element is."""
    if not workload.tail:
        return None
    value = parse(workload.tail)
    (output,) = workload.outputs

    def apply(result: Value, index: tuple[Expr, ...]) -> Value:
        at = dict(zip(output.dims, index, strict=True))

        def read(name: str, dims: tuple[str, ...]) -> Value:
            return result if name == output.name else Load(name, tuple(at[d] for d in dims))

        return place(value, read)

    return apply


def signature(workload: Workload) -> LoopNest:
    """Parameters and symbols of every kernel for the workload, around nothing."""
    size = workload.extents
    params = tuple(
        Buffer(t.name, tuple(size[d] for d in t.dims), dtype=workload.dtype_of(t), output=t.output)
        for t in workload.tensors
    )
    return LoopNest(workload.op, params, tuple(Symbol(s) for s in workload.symbols), Block(()))
