"""Broadcast elimination: what the next elementwise step repeats by itself is not repeated before it.

`where(c, broadcast(x), y)` is `where(c, x, y)` if c and y alone have every dimension of the result. A broadcast is a
copy, and where sizes are computed one by a function of the host; an elementwise kernel reads each element in its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from anytile.compiler.ir.nodes import Call, Expr, Module, Var, operator_of, type_of
from anytile.compiler.ir.traverse import replace_calls
from anytile.compiler.ir.types import TensorType
from anytile.compiler.operators import operator
from anytile.compiler.operators.sized import REPEATS


def drop_broadcasts(module: Module) -> Module:
    return replace_calls(module, _without)


def _without(var: Var, step: Call, known: Mapping[Var, Call], reads: Mapping[Var, int]) -> Call | None:
    row = operator(operator_of(step))
    if row.element is None or not isinstance(var.type, TensorType):
        return None
    args = list(step.args)
    for i, arg in enumerate(args):
        made = known.get(arg) if isinstance(arg, Var) else None
        if made is not None and operator_of(made) in REPEATS:
            kept = [*args[:i], made.args[0], *args[i + 1 :]]
            if _make(kept, var.type):
                args = kept
    return replace(step, args=tuple(args)) if args != list(step.args) else None


def _make(args: Sequence[Expr], result: TensorType) -> bool:
    """Whether tensors, broadcast, are surely of a result's shape."""
    kinds = [t for a in args if isinstance(t := type_of(a), TensorType)]
    for axis in range(-result.rank, 0):
        own = [t.shape[axis] for t in kinds if t.rank >= -axis]
        if not all(d in (1, result.shape[axis]) for d in own) or not any(d == result.shape[axis] for d in own):
            return False
    return len(kinds) == len(args)
