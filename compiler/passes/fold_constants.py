"""Constant folding: calls of operators on constants become what they make, branches on a constant the one taken.

The shape of a tensor whose sizes are all known is a constant too. What would be much larger than what it is made from
stays a call, so that files do not grow; what an operator refuses stays too, and is refused where it runs.
"""

from __future__ import annotations

import numpy as np

from anytile.compiler.ir.nodes import Constant, Expr, If, Module, TupleExpr, Var, is_operator_call, operator_of, type_of
from anytile.compiler.ir.traverse import Binding, Names, bindings_of, each_block, is_atom, result_of, rewrite
from anytile.compiler.ir.types import TensorType
from anytile.compiler.operators import operator
from anytile.compiler.operators.shapes import room, run
from anytile.compiler.operators.spec import Mismatch

_ALWAYS_BYTES = 1 << 12  # results up to this size are folded however small their arguments
_MOST_BYTES = 1 << 28


def fold_constants(module: Module) -> Module:
    return each_block(module, _block)


def _block(body: Expr) -> Expr:
    names: Names = {}

    def change(var: Var, step: Expr) -> list[Binding] | None:
        taken = _taken(step)
        if taken is not None:
            taken = rewrite(taken, change, names)
            names[var] = result_of(taken)
            return list(bindings_of(taken))
        made = _folded(step)
        if made is None:
            return None
        if is_atom(made):
            names[var] = made
            return []
        return [(var, made)]

    return rewrite(body, change, names)


def _taken(step: Expr) -> Expr | None:
    """The branch of an If whose condition is known."""
    if not isinstance(step, If) or not isinstance(step.condition, Constant):
        return None
    return step.then if bool(step.condition.array) else step.otherwise


def _folded(step: Expr) -> Expr | None:
    """What a call makes of constants; a tuple of constants where it makes several."""
    if not is_operator_call(step):
        return None
    row = operator(operator_of(step))
    if row.name == "shape_of":
        kind = type_of(step.args[0])
        if isinstance(kind, TensorType) and kind.is_static:
            return Constant(np.asarray(kind.shape, np.int64).reshape(kind.rank))
        return None
    constants = [a for a in step.args if isinstance(a, Constant)]
    if not constants or len(constants) < len(step.args):
        return None
    arrays = [c.array for c in constants]
    try:
        size = room(row, arrays, step.attrs)
        if size > _ALWAYS_BYTES and (size > 2 * sum(a.nbytes for a in arrays) or size > _MOST_BYTES):
            return None
        made = run(row, arrays, step.attrs)
    except Mismatch:
        return None
    name = next((c.name for c in constants if c.name), "")
    results = tuple(Constant(m, name and f"{name}_{row.name}") for m in made)
    return TupleExpr(results) if row.many else results[0]
