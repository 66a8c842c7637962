"""Scatter lowering for a device: keys that the host makes of positions, and a kernel that joins updates by them.

The host looks at every position anyway, since one outside its dimension is an error. What it makes of them, sorted
keys, is all that goes to the device: x and its updates stay where kernels made them. Keys of constant positions are
constants.
"""

from __future__ import annotations

import numpy as np

from anytile.compiler.ir.nodes import (
    AttrValue,
    Call,
    Constant,
    Expr,
    Module,
    OperatorRef,
    Var,
    is_operator_call,
    operator_of,
    tensor_of,
)
from anytile.compiler.ir.traverse import Binding, each_block, rewrite
from anytile.compiler.ir.types import Dim, TensorType
from anytile.compiler.operators import operator
from anytile.compiler.operators.shapes import run
from anytile.compiler.operators.spec import Mismatch
from anytile.core.dtypes import COMPUTED

_ALONG, _ND = "scatter", "scatter_nd"


def lower_scatter(module: Module) -> Module:
    return each_block(module, lambda body: rewrite(body, _change))


def _change(var: Var, value: Expr) -> list[Binding] | None:
    if not is_operator_call(value, _ALONG, _ND) or tensor_of(value.args[0]).dtype not in COMPUTED:
        return None
    x, index, updates = value.args
    attrs, along = operator(operator_of(value)).complete(value.attrs), operator_of(value) == _ALONG
    shape, asked = tensor_of(x).shape, tensor_of(index).shape
    lead = len(shape) if along else asked[-1]
    if not isinstance(lead, int):
        return None
    steps: list[Binding] = []

    def put(name: str, args: tuple[Expr, ...], dims: tuple[Dim, ...], **given: AttrValue) -> Expr:
        """A call, bound to a name, or what it makes of constants."""
        call = Call(OperatorRef(name), args, operator(name).canonical(tuple(given.items())), value.where)
        if all(isinstance(a, Constant) for a in args):
            (made,) = run(operator(name), tuple(a.array for a in args if isinstance(a, Constant)), call.attrs)
            return Constant(made)
        bound = Var(name, TensorType(dims, "int64"))
        steps.append((bound, call))
        return bound

    known = [d for d in shape[:lead] if isinstance(d, int)]
    sizes = Constant(np.asarray(known, np.int64)) if len(known) == lead else put("shape_of", (x,), (len(shape),))
    try:
        if along:
            keys = put("scatter_keys", (index, sizes), asked, axis=attrs["axis"])
        else:
            keys = put("scatter_nd_keys", (index, sizes), asked[:-1])
    except Mismatch:  # a constant position that is not there: who runs it is told
        return None
    by = operator("scatter_rows").canonical((("lead", lead), ("mode", attrs["mode"])))
    steps.append((var, Call(OperatorRef("scatter_rows"), (x, keys, updates), by, value.where)))
    return steps
