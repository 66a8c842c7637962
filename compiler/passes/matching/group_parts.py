"""Joins of very many parts: a concat of more of them than a kernel takes is one of concats of fewer.

Such are the steps of a recurrent layer, or the pages of a cache. Else the host would copy them, one by one.
"""

from __future__ import annotations

from itertools import pairwise

from anytile.compiler.ir.nodes import Expr, Module, Var, is_operator_call
from anytile.compiler.ir.traverse import Binding, rewrite
from anytile.compiler.passes.convolutional.steps import Steps, each_block_inferred
from anytile.schedules.operators.movement.joining import MOST_PARTS


def group_parts(module: Module) -> Module:
    return each_block_inferred(module, _changed)


def _changed(body: Expr) -> Expr | None:
    count = 0

    def change(var: Var, step: Expr) -> list[Binding] | None:
        nonlocal count
        if not is_operator_call(step, "concat") or len(step.args) <= MOST_PARTS:
            return None
        count += 1
        steps, parts, attrs = Steps(step.where), list(step.args), dict(step.attrs)
        while len(parts) > 1:
            groups = -(-len(parts) // MOST_PARTS)
            ends = [len(parts) * i // groups for i in range(groups + 1)]
            runs = (parts[a:b] for a, b in pairwise(ends))
            parts = [steps.put("concat", *run, **attrs) for run in runs]
        return steps.ending_in(var)

    made = rewrite(body, change)
    return made if count else None
