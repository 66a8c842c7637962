"""Promises of pairs: which layers of integers are compiled as ones whose products of two fit 16 bits.

`quantise` and whoever writes a module may promise it of a weight for any machine; here the weights themselves are
looked at. Where the target adds up products of bytes in pairs, every constant weight that keeps the promise is compiled
with it, whether somebody gave it or not. Elsewhere it is left out: kernels are the same there, and so are the plans
that were tuned without it. A promise that its weight breaks stays, and is refused with its kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from anytile.compiler.ir.nodes import Constant, Expr, Module, Var, is_operator_call, operator_of
from anytile.compiler.ir.traverse import Binding, each_block, rewrite
from anytile.compiler.operators import operator
from anytile.dispatch.arguments.operands import pairs_beyond
from anytile.schedules.hardware.narrow import narrow_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.operators.products.conv2d import FILTERS, LAST
from anytile.schedules.operators.products.quantised_conv2d import QUANTISED_CONV2D
from anytile.schedules.operators.products.quantised_dense import IN_16_BITS, IN_32_BITS, PAIRS, QUANTISED_DENSE, X
from anytile.vm.program.executable import CUDA

Pairs = Callable[[], str]
_SERVED = (QUANTISED_DENSE.name, QUANTISED_CONV2D.name)


def pairs_on(target: Target) -> str:
    """What two products of bytes are to add up in on a target."""
    return IN_16_BITS if target.kind != CUDA and narrow_facts(target).adds_pairs else IN_32_BITS


def settle_pairs(module: Module, pairs: Pairs | None = None) -> Module:
    """The module as its target has it; `pairs` says what that adds up in, and is asked where there is such a layer.
    Without it nothing is known of the target, and nothing changes."""
    if pairs is None:
        return module

    def change(var: Var, value: Expr) -> list[Binding] | None:
        if not is_operator_call(value, *_SERVED):
            return None
        row, weight = operator(operator_of(value)), value.args[1]
        attrs = row.complete(value.attrs)
        if attrs[X.name] != "uint8" or not isinstance(weight, Constant):
            return None
        wanted, along = pairs(), -1 if attrs.get(FILTERS.name) == LAST else 1
        if attrs[PAIRS.name] == wanted or pairs_beyond(np.moveaxis(weight.array, along, -1)).size:
            return None
        if wanted == IN_16_BITS and weight.array.shape[along] < 2:  # as in a depthwise layer: there are no pairs
            return None
        return [(var, replace(value, attrs=row.canonical(tuple({**attrs, PAIRS.name: wanted}.items()))))]

    return each_block(module, lambda body: rewrite(body, change))
