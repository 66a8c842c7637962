"""Rounded products on a CPU: where it multiplies 16-bit floats in hardware, what comes to narrow layers is stored so.

Layers with weights in 16 bits allow what comes to them to be rounded so, too. A CPU that has no products of the kind,
a GPU without matrix units, or a layer of something that no kernel stores would pay for the rounding and get nothing:
such products are exact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from anytile.compiler.ir.nodes import Call, Expr, Function, Module, Var, is_operator_call
from anytile.compiler.ir.traverse import Binding, bindings_of, rewrite
from anytile.compiler.passes.narrow.store_activations import Serves, store_activations
from anytile.schedules.operators.products.quantised_conv2d import QUANTISED_CONV2D
from anytile.schedules.operators.products.quantised_dense import QUANTISED_DENSE, ROUNDED, weight_of

_ROUNDED = ("products", ROUNDED)


def round_products(module: Module, multiplies: Callable[[str], bool], serves: Serves) -> Module:
    """`multiplies` says of a dtype whether the CPU does; it is asked of those that there are."""
    dtypes = {weight_of(dict(call.attrs)) for f in module.functions.values() for call in _rounded(f)}
    for dtype in sorted(dtypes):
        if multiplies(dtype):
            module = store_activations(module, dtype, serves, factors_alone=True)
    if not dtypes:
        return module
    return replace(module, functions={name: _exact(f) for name, f in module.functions.items()})


def _rounded(function: Function) -> list[Call]:
    """The products of a primitive function whose factors may be rounded."""
    if not function.is_primitive:
        return []
    return [v for _, v in bindings_of(function.body) if isinstance(v, Call) and _is_rounded(v)]


def _is_rounded(value: Expr) -> bool:
    return is_operator_call(value, QUANTISED_DENSE.name, QUANTISED_CONV2D.name) and _ROUNDED in value.attrs


def _exact(function: Function) -> Function:
    """The function without leave to round; what it reads may lie in 16 bits all the same."""
    if not _rounded(function):
        return function

    def change(var: Var, value: Expr) -> list[Binding] | None:
        if not isinstance(value, Call) or not _is_rounded(value):
            return None
        return [(var, replace(value, attrs=tuple(a for a in value.attrs if a != _ROUNDED)))]

    return replace(function, body=rewrite(function.body, change))
