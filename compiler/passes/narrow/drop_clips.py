"""Removal of clips before quantising: integers of a range from 0 cut off below 0 and above it by themselves.

Behind a ReLU a range begins at 0, so what the ReLU would make 0 is the integer 0 without it, and what a clip would make
its most is the largest integer where the range ends no higher. A tail then has a step or two less for each number.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

from anytile.compiler.ir.nodes import Call, Constant, Expr, Module, Var, is_operator_call
from anytile.compiler.ir.traverse import Binding, bindings_of, each_block, every_block, rewrite, variables_read
from anytile.compiler.operators import operator
from anytile.compiler.operators.spec import number
from anytile.compiler.passes.narrow.share_integers import number_of
from anytile.schedules.operators.reductions.quantise_rows import STEPS

_ROUNDED = 0.25  # what rounds to the largest integer, however a range's factor was rounded


def drop_clips(module: Module) -> Module:
    return each_block(module, _dropped)


def _dropped(body: Expr) -> Expr:
    reads = Counter(variables_read(body))
    values = {var: value for block in every_block(body) for var, value in bindings_of(block)}
    makers: dict[Var, list[Call]] = {}
    for value in values.values():
        if is_operator_call(value, "quantise_within") and isinstance(value.args[0], Var):
            makers.setdefault(value.args[0], []).append(value)
    sources: dict[Var, Var] = {}
    for var, calls in makers.items():
        source = var
        if reads[var] != len(calls):
            continue
        while (found := _source(values.get(source), calls)) is not None and reads[found] == 1:
            sources[var] = source = found

    def change(var: Var, value: Expr) -> list[Binding] | None:
        if not is_operator_call(value, "quantise_within"):
            return None
        x = value.args[0]
        return [(var, replace(value, args=(sources[x], *value.args[1:])))] if x in sources else None

    return rewrite(body, change)


def _source(value: Expr | None, calls: list[Call]) -> Var | None:
    """What a step cuts off that these calls cut off anyway."""
    if value is None or not is_operator_call(value, "relu", "clip", "maximum", "minimum"):
        return None
    (x, *numbers), low, high = value.args, -math.inf, math.inf
    if is_operator_call(value, "relu"):
        low = 0.0
    elif is_operator_call(value, "clip"):
        attrs = operator("clip").complete(value.attrs)
        low, high = number(attrs, "min"), number(attrs, "max")
    elif not isinstance(numbers[0], Constant) or numbers[0].array.size != 1:
        return None
    elif is_operator_call(value, "maximum"):
        low = number_of(numbers[0])
    else:
        high = number_of(numbers[0])
    ends = [(number_of(c.args[2]), number_of(c.args[1])) for c in calls]
    is_cut = low <= 0 and all(zero == 0 and high * by >= STEPS - _ROUNDED for zero, by in ends)
    return x if is_cut and isinstance(x, Var) else None
