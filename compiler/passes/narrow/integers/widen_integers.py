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
from anytile.compiler.ir.traverse import Binding, rewrite
from anytile.compiler.passes.convolutional.steps import Steps, each_block_inferred
from anytile.compiler.passes.narrow.integers.integer_products import FLOAT, IntegerProduct, rewritten
from anytile.schedules.operators.reductions.quantise_rows import QUANTISE_ROWS, STEPS, TINIEST


def widen_integers(module: Module) -> Module:
    """The module with products of float32 in the place of int32 ones, and ranges of rows found step by step."""
    widened = rewritten(module, of_floats, rounds=True)
    return each_block_inferred(widened, _in_steps)


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


def _in_steps(body: Expr) -> Expr | None:
    """A block whose rows are quantised by reductions and elementwise steps, operation by operation as `quantise_rows`
    is defined; None where it quantises none."""
    found = list[Steps]()

    def change(var: Var, value: Expr) -> list[Binding] | None:
        if not isinstance(value, Call) or not is_operator_call(value, QUANTISE_ROWS.name):
            return None
        (x,), do = value.args, Steps(value.where)
        found.append(do)
        of_row: dict[str, AttrValue] = {"axis": (tensor_of(x).rank - 1,), "keepdims": True}
        low = do.put("minimum", do.put("min", x, **of_row), _number(0))
        high = do.put("maximum", do.put("max", x, **of_row), _number(0))
        scale = do.put("subtract", *(do.put("multiply", end, _number(1 / STEPS)) for end in (high, low)))
        is_there = do.put("greater_equal", scale, _number(TINIEST))
        by = do.put("where", is_there, do.put("reciprocal", scale), _number(0))
        zero = do.put("round", do.put("multiply", do.put("negative", low), by))
        moved = do.put("add", do.put("round", do.put("multiply", x, by)), zero)
        codes = do.put("cast", do.put("clip", moved, min=0.0, max=STEPS), dtype="uint8")
        return [*do.bound, (var, TupleExpr((codes, scale, zero)))]

    made = rewrite(body, change)
    return made if found else None


def _number(number: float) -> Constant:
    return Constant(np.asarray(number, np.float32))
