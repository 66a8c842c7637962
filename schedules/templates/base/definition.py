"""Operators as naive loop nests: what a schedule starts from.

Each is one perfect nest around one update, and means that the output is zero at first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from anytile.core.dtypes import STORED_FLOATS
from anytile.core.errors import UnsupportedError
from anytile.schedules.index.expr import Expr, const
from anytile.schedules.nest.elementwise_text import place, placed
from anytile.schedules.nest.elementwise_types import floats
from anytile.schedules.nest.nodes import (
    Block,
    Buffer,
    Cast,
    Literal,
    Load,
    LoopNest,
    Op,
    Stmt,
    Store,
    Symbol,
    Update,
    Value,
)
from anytile.schedules.nest.traverse import map_value, rewrite
from anytile.schedules.operators.products.gated_dense import GATED_DENSE, SUM, gates_of, outputs, started
from anytile.schedules.operators.products.quantised_dense import INTEGER_LIMITS
from anytile.schedules.primitives.schedule import Result, Schedule, Tail
from anytile.schedules.workloads.workload import Workload

SUMS = "sum"  # a buffer that is none: what a tail makes the output of


def start(workload: Workload) -> Schedule:
    """The start of every template: the operator's nest, and its tail to be computed where the result is stored."""
    return Schedule(definition(workload), tail(workload))


def definition(workload: Workload) -> LoopNest:
    """The nest of an operator at a workload's shape."""
    spec = workload.spec
    if spec.body is None:
        raise UnsupportedError(f"{workload.op} is defined by its templates; it has no nest to schedule")
    return signature(workload).with_body(in_sums(spec.body(workload.extents, workload.attributes), workload))


def in_sums(body: Stmt, workload: Workload) -> Stmt:
    """The operator's nest with what memory holds widened and added up apart, where the output is made of that."""
    stored, halves = dict(workload.stored), workload.dtype in STORED_FLOATS
    if not (halves or stored or converted(workload)):
        return body
    return rewrite(body, lambda s: _summed(s, lambda v: Cast("float32", v) if halves or v.buffer in stored else v))


def _summed(s: Stmt, load: Callable[[Load], Value]) -> Stmt | None:
    """A sum that is added up in another dtype than the output's: only a tail makes the output of it."""
    return replace(s, buffer=SUMS, value=map_value(s.value, load)) if isinstance(s, Update) else None


def tail(workload: Workload) -> Tail | None:
    """What is stored instead of the operator's result: what the tail makes of it, or the outputs of a cell."""
    if workload.op == GATED_DENSE.name:
        return _cell(workload)
    halves, turned = workload.dtype in STORED_FLOATS, converted(workload)
    if not workload.tail and not halves and not turned and not workload.stored:
        return None
    (output,) = workload.outputs
    value, dtype = floats(workload.tail or output.name), workload.dtype_of(output)

    def apply(result: Result, index: tuple[Expr, ...]) -> tuple[Store, ...]:
        at = dict(zip(output.dims, index, strict=True))

        def read(name: str, dims: tuple[str, ...]) -> Value:
            if name == output.name:
                return Cast("float32", result(0)) if turned else result(0)
            load = Load(name, tuple(at[d] for d in dims))
            return Cast("float32", load) if halves or workload.tensor(name).dtype else load

        made = place(value, read)
        return (Store(output.name, index, as_stored(made, dtype)),)

    return apply


def converted(workload: Workload) -> bool:
    """Whether sums of integers become floats before they are stored."""
    sums = workload.spec.sums
    if sums is None or sums(workload.attributes) != "int32":
        return False
    return bool(workload.tail) or workload.dtype_of(workload.outputs[0]) != "int32"


def as_stored(made: Value, dtype: str) -> Value:
    """A float32 as an output holds it: an integer is the nearest one there is."""
    if dtype in INTEGER_LIMITS:
        least, most = INTEGER_LIMITS[dtype]
        made = Op("max", (Op("min", (Op("round", (made,)), Literal(most))), Literal(least)))
    return made if dtype == "float32" else Cast(dtype, made)


def _cell(workload: Workload) -> Tail:
    """The outputs of a cell, gate by gate."""
    made, start = outputs(workload.attributes), started(workload.attributes)
    gates = {f"{SUM}{gate}": gate for gate in range(gates_of(workload.attributes))}

    def apply(result: Result, index: tuple[Expr, ...]) -> tuple[Store, ...]:
        at = dict(zip(("m", "g", "u"), index, strict=True))

        def read(name: str, dims: tuple[str, ...]) -> Value:
            if name not in gates:
                return Load(name, placed(dims, at.__getitem__))
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
