"""Direct convolutions: a model without leave to make sums of convolutions otherwise than they are defined.

Minimal filtering (Winograd) rounds differently, and a result's error goes by the largest numbers near it: who compiles
with `precision="exact"` has none of it. Tuned plans are looked up for these workloads then, which have their own.
"""

from __future__ import annotations

from dataclasses import replace

from anytile.compiler.ir.nodes import Expr, Module, Var, is_operator_call, operator_of
from anytile.compiler.ir.traverse import Binding, rewrite
from anytile.compiler.operators import operator
from anytile.schedules.operators.products.conv2d import ALGORITHM, CONV2D, DIRECT
from anytile.schedules.operators.products.quantised_conv2d import QUANTISED_CONV2D


def direct_sums(module: Module) -> Module:
    """The module, whose operators are in primitive functions, with direct convolutions."""
    functions = {
        name: replace(f, body=rewrite(f.body, _change)) if f.is_primitive else f for name, f in module.functions.items()
    }
    return replace(module, functions=functions)


def _change(var: Var, value: Expr) -> list[Binding] | None:
    if not is_operator_call(value, CONV2D.name, QUANTISED_CONV2D.name):
        return None
    row = operator(operator_of(value))
    attrs = {**row.complete(value.attrs), ALGORITHM.name: DIRECT}
    return [(var, replace(value, attrs=row.canonical(tuple(attrs.items()))))]
