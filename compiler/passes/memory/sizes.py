"""Shape functions: sizes of tensors as index expressions, and what must be checked at run time for them to hold.

A relation of the operator table is run on the expressions that stand for the arguments' dimensions: what it makes are
the sizes of the results, and what it could not decide becomes a `Check` with the operator and its place in the model.
That is the shape function of an operator; of several that were fused it is the relations run one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anytile.compiler.ir.memory_dialect import ALIGNMENT
from anytile.compiler.ir.nodes import Call, Constant, Expr, Function, Var, operator_of, type_of
from anytile.compiler.ir.traverse import bindings_of, result_of
from anytile.compiler.ir.types import TensorType, shape_text
from anytile.compiler.operators import operator
from anytile.compiler.operators.shapes import Condition, shape_function
from anytile.compiler.operators.spec import Mismatch, Shaped
from anytile.core.dtypes import BYTES
from anytile.core.errors import SpecError
from anytile.schedules.index.expr import Expr as Index
from anytile.schedules.index.expr import const
from anytile.vm.program.shape_programs import Check

Dims = tuple[Index, ...]


def call_sizes(call: Call, dims: Callable[[Expr], Shaped], checks: dict[Check, None]) -> tuple[Shaped, ...]:
    """The sizes of an operator call's results; `dims` gives those of its arguments."""
    row = operator(operator_of(call))
    given = [dims(a) for a in call.args]
    kinds = map(type_of, call.args)
    shapes = " and ".join(shape_text(k.shape) for k in kinds if isinstance(k, TensorType))
    at = f" at {call.where}" if call.where else ""
    where = f"{call.where if row.name == 'expect' else row.name + at} of {shapes}"  # it says what expects, and where
    try:
        found = shape_function(row, given, call.attrs)
    except Mismatch as error:
        raise Mismatch(f"{where}: {error}") from None
    for condition in found.conditions:
        checks[_check(condition, where, tuple(g.dims for g in given))] = None
    return found.results


def _check(condition: Condition, where: str, shapes: tuple[Dims, ...]) -> Check:
    a, b = condition.a, condition.b
    where += f", {condition.of}" if condition.of else ""
    if condition.kind == "least":
        return Check(b, "<=", a, where, shapes)
    return Check(a, "==" if condition.kind == "equal" else "broadcast", b, where, shapes)


def primitive_sizes(function: Function, args: Sequence[Shaped], checks: dict[Check, None]) -> tuple[Shaped, ...]:
    """The sizes of a primitive function's results, its steps' relations run one after the other."""
    known: dict[Var, Shaped] = dict(zip(function.params, args, strict=True))

    def dims(e: Expr) -> Shaped:
        return known[e] if isinstance(e, Var) else constant_sizes(e)

    made: tuple[Shaped, ...] = ()
    steps = bindings_of(function.body)
    for var, value in steps:
        assert isinstance(value, Call)
        made = call_sizes(value, dims, checks)
        known[var] = made[0]
    assert result_of(function.body) is steps[-1][0]
    return made


def constant_sizes(e: Expr) -> Shaped:
    if not isinstance(e, Constant):
        raise SpecError(f"a {type(e).__name__} where a tensor is expected; run to_anf and type inference first")
    return Shaped(tuple(map(const, e.array.shape)), e.array.dtype.name)


def byte_size(dims: Sequence[Index], dtype: str) -> Index:
    """The bytes of a tensor."""
    size = const(BYTES[dtype])
    for d in dims:
        size = size * d
    return size


def aligned(size: Index) -> Index:
    """The size rounded up, so that what stands behind it is aligned."""
    return (size + (ALIGNMENT - 1)) // ALIGNMENT * ALIGNMENT


def static(dims: Sequence[Index]) -> tuple[int, ...] | None:
    """The shape, where it is known."""
    found = [d.value for d in dims]
    return tuple(d for d in found if d is not None) if None not in found else None
