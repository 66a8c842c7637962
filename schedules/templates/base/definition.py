"""Operators as naive loop nests: what a schedule starts from.

Each is one perfect nest around one update, and means that the output is zero at first.
"""

from __future__ import annotations

from dataclasses import replace

from anytile.core.errors import UnsupportedError
from anytile.schedules.index.expr import Expr, const
from anytile.schedules.nest.elementwise_text import place
from anytile.schedules.nest.elementwise_types import floats
from anytile.schedules.nest.float16 import HALVES
from anytile.schedules.nest.nodes import Block, Buffer, Cast, Load, LoopNest, Op, Stmt, Store, Symbol, Update, Value
from anytile.schedules.nest.traverse import map_value, rewrite
from anytile.schedules.operators.products.gated_dense import GATED_DENSE, SUM, gates_of, outputs, started
from anytile.schedules.primitives.schedule import Result, Schedule, Tail
from anytile.schedules.workloads.workload import Workload


def start(workload: Workload) -> Schedule:
    """The start of every template: the operator's nest, and its tail to be computed where the result is stored."""
    return Schedule(definition(workload), tail(workload))


def definition(workload: Workload) -> LoopNest:
    """The nest of an operator at a workload's shape."""
    spec = workload.spec
    if spec.body is None:
        raise UnsupportedError(f"{workload.op} is defined by its templates; it has no nest to schedule")
    body = spec.body(workload.extents, workload.attributes)
    return signature(workload).with_body(rewrite(body, _in_float32) if workload.dtype in HALVES else body)


def _in_float32(s: Stmt) -> Stmt | None:
    """A sum of 16-bit floats, added up in float32; only a tail makes the output of it."""
    if not isinstance(s, Update):
        return None
    return replace(s, buffer="sum", value=map_value(s.value, lambda v: Cast("float32", v)))


def tail(workload: Workload) -> Tail | None:
    """What is stored instead of the operator's result: what the tail makes of it, or the outputs of a cell."""
    if workload.op == GATED_DENSE.name:
        return _cell(workload)
    halves = workload.dtype in HALVES
    if not workload.tail and not halves:
        return None
    (output,) = workload.outputs
    value = floats(workload.tail or output.name)

    def apply(result: Result, index: tuple[Expr, ...]) -> tuple[Store, ...]:
        at = dict(zip(output.dims, index, strict=True))

        def read(name: str, dims: tuple[str, ...]) -> Value:
            if name == output.name:
                return result(0)
            load = Load(name, tuple(at[d] for d in dims))
            return Cast("float32", load) if halves else load

        made = place(value, read)
        return (Store(output.name, index, Cast(workload.dtype, made) if halves else made),)

    return apply


def _cell(workload: Workload) -> Tail:
    """The outputs of a cell, gate by gate."""
    made, start = outputs(workload.attributes), started(workload.attributes)
    gates = {f"{SUM}{gate}": gate for gate in range(gates_of(workload.attributes))}

    def apply(result: Result, index: tuple[Expr, ...]) -> tuple[Store, ...]:
        at = dict(zip(("m", "g", "u"), index, strict=True))

        def read(name: str, dims: tuple[str, ...]) -> Value:
            if name not in gates:
                return Load(name, tuple(at[d] for d in dims))
            begun = result(gates[name])
            if start is None:
                return begun
            of_gate = {**at, "g": const(gates[name])}
            return Op("add", (begun, Load(start.buffer, tuple(of_gate[str(d)] for d in start.index))))

        return tuple(Store(name, (at["m"], at["u"]), place(value, read)) for name, value in made.items())

    return apply


def signature(workload: Workload) -> LoopNest:
    """Parameters and symbols of every kernel for the workload, around nothing."""
    size = workload.extents
    params = tuple(
        Buffer(t.name, tuple(size[d] for d in t.dims), dtype=workload.dtype_of(t), output=t.output)
        for t in workload.tensors
    )
    return LoopNest(workload.op, params, tuple(Symbol(s) for s in workload.symbols), Block(()))
