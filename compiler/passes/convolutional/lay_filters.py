"""Weight layout for a device: constant weights of convolutions in 16 bits have their channels last, as images there do.

A matrix unit is given pieces of 64 channels of a tap, which are a box of such a weight, and other kernels read it in
larger pieces. So it is for images with channels last, all of which are one group. On a CPU weights are packed instead,
when a model is loaded, as the config of its kernel asks.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from anytile.compiler.ir.nodes import Constant, Expr, Module, Var, is_operator_call
from anytile.compiler.ir.traverse import Binding, each_block, rewrite
from anytile.compiler.operators import operator
from anytile.core.dtypes import HALVES
from anytile.schedules.operators.products.conv2d import FILTERS, LAST, USUAL
from anytile.schedules.operators.products.quantised_conv2d import QUANTISED_CONV2D
from anytile.schedules.operators.products.quantised_dense import WEIGHT


def lay_filters(module: Module) -> Module:
    return each_block(module, lambda body: rewrite(body, _changed))


def _changed(var: Var, value: Expr) -> list[Binding] | None:
    if not is_operator_call(value, QUANTISED_CONV2D.name):
        return None
    row, (x, weight) = operator(QUANTISED_CONV2D.name), value.args
    attrs = row.complete(value.attrs)
    lies_as_images = attrs["layout"] == "nhwc" and attrs["groups"] == 1 and attrs[FILTERS.name] == USUAL
    if not isinstance(weight, Constant) or not lies_as_images or attrs[WEIGHT.name] not in HALVES:
        return None
    turned = Constant(np.ascontiguousarray(weight.array.transpose(0, 2, 3, 1)), weight.name)
    given = row.canonical(tuple({**attrs, FILTERS.name: LAST}.items()))
    return [(var, replace(value, args=(x, turned), attrs=given))]
