"""Constant folding: calls of operators on constants become what they make, branches on a constant the one taken.

The shape of a tensor whose sizes are all known is a constant too. What would be much larger than what it is made from
stays a call, so that files do not grow; what an operator refuses stays too, and is refused where it runs.
"""

from __future__ import annotations

import numpy as np

from anytile.compiler.ir.anf import Binding, each_block, is_atom, make_block, map_blocks, map_parts
from anytile.compiler.ir.nodes import Call, Constant, Expr, If, Let, Module, OperatorRef, TupleExpr, Var
from anytile.compiler.ir.types import TensorType
from anytile.compiler.operators import operator
from anytile.compiler.operators.shapes import run
from anytile.compiler.operators.spec import Mismatch

_ALWAYS_BYTES = 1 << 12  # results up to this size are folded however small their arguments
_MOST_BYTES = 1 << 28


def fold_constants(module: Module) -> Module:
    return each_block(module, lambda body: _block(body, {}))


def _block(block: Expr, outer: dict[Var, Expr]) -> Expr:
    names = dict(outer)

    def follow(atom: Expr) -> Expr:
        return names.get(atom, atom) if isinstance(atom, Var) else atom

    if not isinstance(block, Let):
        return follow(block)
    kept: list[Binding] = []
    waiting = [iter(block.bindings)]
    results: list[tuple[Var, Expr]] = []  # of branches that were taken, for whoever stands around them
    while waiting:
        found = next(waiting[-1], None)
        if found is None:
            waiting.pop()
            if results and waiting:
                var, result = results.pop()
                names[var] = follow(result)
            continue
        var, value = found
        step = map_parts(value, follow)
        taken = _taken(step)
        if taken is not None:
            results.append((var, taken.body if isinstance(taken, Let) else taken))
            waiting.append(iter(taken.bindings if isinstance(taken, Let) else ()))
            continue
        made = _folded(step)
        if made is not None and is_atom(made):
            names[var] = made
        else:
            kept.append((var, map_blocks(step if made is None else made, lambda inner: _block(inner, names))))
    return make_block(kept, follow(block.body))


def _taken(step: Expr) -> Expr | None:
    """The branch of an If whose condition is known."""
    if not isinstance(step, If) or not isinstance(step.condition, Constant):
        return None
    return step.then if bool(step.condition.array) else step.otherwise


def _folded(step: Expr) -> Expr | None:
    """What a call makes of constants; a tuple of constants where it makes several."""
    if not isinstance(step, Call) or not isinstance(step.callee, OperatorRef):
        return None
    row = operator(step.callee.name)
    if row.name == "shape_of":
        (x,) = step.args
        kind = x.type if isinstance(x, Var | Constant) else None
        if isinstance(kind, TensorType) and kind.is_static:
            return Constant(np.asarray(kind.shape, np.int64).reshape(kind.rank))
        return None
    arrays = [a.array for a in step.args if isinstance(a, Constant)]
    if not arrays or len(arrays) < len(step.args):
        return None
    try:
        made = run(row, arrays, step.attrs)
    except Mismatch:
        return None
    size = sum(m.nbytes for m in made)
    if size > _ALWAYS_BYTES and (size > 2 * sum(a.nbytes for a in arrays) or size > _MOST_BYTES):
        return None
    name = next((a.name for a in step.args if isinstance(a, Constant) and a.name), "")
    constants = tuple(Constant(m, name and f"{name}_{row.name}") for m in made)
    return TupleExpr(constants) if row.many else constants[0]
