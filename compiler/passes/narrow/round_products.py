"""Rounded products on a CPU: where it multiplies 16-bit floats in hardware, what comes to narrow layers is stored so.

Layers with weights in 16 bits allow what comes to them to be rounded so, too, and products of two tensors may be
allowed it. A CPU that has no products of the kind, a GPU without matrix units, or a layer of something that no kernel
stores would pay for the rounding and get nothing: such products are exact.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from anytile.compiler.ir.nodes import Expr, Function, Module, Var, is_operator_call
from anytile.compiler.ir.traverse import Binding, rewrite
from anytile.compiler.kernels.memory_dtypes import rounded_factors
from anytile.compiler.passes.narrow.store_activations import Serves, store_activations
from anytile.schedules.operators.products.quantised_conv2d import QUANTISED_CONV2D
from anytile.schedules.operators.products.quantised_dense import PRODUCTS, QUANTISED_DENSE


def round_products(module: Module, multiplies: Collection[str], serves: Serves) -> Module:
    """`multiplies` are the dtypes that the CPU does."""
    dtypes = {rounded_factors(f) for f in module.functions.values() if f.is_primitive}
    for dtype in sorted(dtypes.intersection(multiplies)):
        module = store_activations(module, dtype, serves, factors_alone=True)
    return exact(module, QUANTISED_DENSE.name, QUANTISED_CONV2D.name)


def exact(module: Module, *ops: str) -> Module:
    """The module without leave to round factors of these operators, which may lie in 16 bits all the same."""

    def change(var: Var, value: Expr) -> list[Binding] | None:
        if not is_operator_call(value, *ops) or value.attr(PRODUCTS.name) is None:
            return None
        return [(var, replace(value, attrs=tuple(a for a in value.attrs if a[0] != PRODUCTS.name)))]

    def of(f: Function) -> Function:
        return replace(f, body=rewrite(f.body, change)) if f.is_primitive and rounded_factors(f) else f

    return replace(module, functions={name: of(f) for name, f in module.functions.items()})
