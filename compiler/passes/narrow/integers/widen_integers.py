"""Integer products as products of floats, for devices that have kernels of no others.

A GPU's kernels multiply no int32, and what numpy would do on the host takes copies there and back. Bytes and weights
less their zero points are whole numbers that float32 has, and so are their sums as long as no part of one is beyond
2**24. Larger ones are rounded as a model of floats rounds them where a cast to float32 reads them; others stay. Rows
that are quantised by their own ranges, for which there is one kernel on a CPU, are so by the steps that this is.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from anytile.compiler.ir.nodes import (
    AttrValue,
    Call,
    Constant,
    Expr,
    Module,
    OperatorRef,
    TupleExpr,
    Var,
    is_operator_call,
    tensor_of,
)
from anytile.compiler.ir.traverse import Binding, each_block, rewrite
from anytile.compiler.ir.types import TensorType
from anytile.compiler.operators import operator
from anytile.compiler.passes.narrow.integers.integer_products import FLOAT, IntegerProduct, rewritten
from anytile.schedules.operators.reductions.quantise_rows import QUANTISE_ROWS, STEPS, TINIEST


def widen_integers(module: Module) -> Module:
    """The module with products of float32 in the place of int32 ones, and ranges of rows found step by step."""
    widened = rewritten(module, of_floats, rounds=True)
    return each_block(widened, lambda body: rewrite(body, _by_steps))


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


def _by_steps(var: Var, value: Expr) -> list[Binding] | None:
    """`quantise_rows` as reductions and elementwise steps, operation by operation as that is defined."""
    if not isinstance(value, Call) or not is_operator_call(value, QUANTISE_ROWS.name):
        return None
    (x,), whole, made = value.args, tensor_of(value.args[0]), list[Binding]()
    of_row = replace(whole, shape=(*whole.shape[:-1], 1))

    def step(name: str, kind: TensorType, op: str, *args: Expr, **attrs: AttrValue) -> Var:
        call = Call(OperatorRef(op), args, operator(op).canonical(tuple(attrs.items())), value.where)
        made.append((Var(name, kind), call))
        return made[-1][0]

    def number(n: float) -> Constant:
        return Constant(np.asarray(n, np.float32))

    nothing, each = number(0), number(1 / STEPS)
    last: dict[str, AttrValue] = {"axis": (whole.rank - 1,), "keepdims": True}
    low = step("low", of_row, "minimum", step("least", of_row, "min", x, **last), nothing)
    high = step("high", of_row, "maximum", step("most", of_row, "max", x, **last), nothing)
    spread = (step("part", of_row, "multiply", end, each) for end in (high, low))
    scale = step("scale", of_row, "subtract", *spread)
    is_there = step("is_there", replace(of_row, dtype="bool"), "greater_equal", scale, number(TINIEST))
    by = step("by", of_row, "where", is_there, step("inverse", of_row, "reciprocal", scale), nothing)
    start = step("start", of_row, "multiply", step("below", of_row, "negative", low), by)
    zero = step("zero", of_row, "round", start)
    rounded = step("rounded", whole, "round", step("scaled", whole, "multiply", x, by))
    moved = step("moved", whole, "add", rounded, zero)
    codes = step("codes", whole, "clip", moved, min=0.0, max=STEPS)
    held = step("held", replace(whole, dtype="uint8"), "cast", codes, dtype="uint8")
    return [*made, (var, TupleExpr((held, scale, zero)))]
