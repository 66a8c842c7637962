"""Integer products as products of floats, for devices that have kernels of no others.

A GPU's kernels multiply no int32, and what numpy would do on the host takes copies there and back. Bytes and weights
less their zero points are whole numbers that float32 has, and so are their sums as long as no part of one is beyond
2**24. Larger ones are rounded as a model of floats rounds them where a cast to float32 reads them; others stay.
"""

from __future__ import annotations

from dataclasses import replace

from anytile.compiler.ir.nodes import Call, Expr, Module, OperatorRef, Var, tensor_of
from anytile.compiler.ir.traverse import Binding
from anytile.compiler.passes.narrow.integers.integer_products import FLOAT, IntegerProduct, rewritten


def widen_integers(module: Module) -> Module:
    """The module with products of float32 in the place of int32 ones."""
    return rewritten(module, of_floats, rounds=True)


def of_floats(product: IntegerProduct, var: Var, of: str) -> list[Binding] | None:
    """The steps that a product is, the last of which makes what the variable is of a dtype; None where it stays."""
    if of != FLOAT and not product.fits(FLOAT):
        return None
    call = product.call
    x = call.args[0]
    wide = Var("wide", replace(tensor_of(x), dtype=FLOAT))
    made = replace(call, args=(wide, product.weight.floats))
    first = (wide, _cast(x, FLOAT, call.where))
    if of == FLOAT:
        return [first, (var, made)]
    sums = Var("sums", replace(tensor_of(var), dtype=FLOAT))
    return [first, (sums, made), (var, _cast(sums, of, call.where))]


def _cast(x: Expr, dtype: str, where: str) -> Call:
    return Call(OperatorRef("cast"), (x,), (("dtype", dtype),), where)
