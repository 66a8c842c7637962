"""Splitting of products with a concatenation into sums of two, of which that of a known row can be made before.

A row is a tensor that is known before a step is reached, as one of a tensor that a recurrence walks; what it is joined
with, as the state, is not. Whoever splits says which variables are rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from anytile.compiler.ir.nodes import Array, Call, Constant, Expr, OperatorRef, Var, is_operator_call
from anytile.compiler.ir.traverse import Binding, rewrite
from anytile.compiler.ir.types import TensorType
from anytile.compiler.operators import operator

Known = Mapping[Var, Call]
IsRow = Callable[[Var, Known], bool]


def split_products(block: Expr, is_row: IsRow) -> Expr:
    """The block with products of a row and something else as sums; `is_row` is told what calls made variables."""
    known: dict[Var, Call] = {}

    def change(var: Var, step: Expr) -> Iterable[Binding] | None:
        if not isinstance(step, Call):
            return None
        known[var] = step
        return _parted(var, step, known, is_row)

    return rewrite(block, change)


def _parted(var: Var, product: Call, known: Known, is_row: IsRow) -> Iterator[Binding]:
    """A product as one of the row and one of the rest, if it is of both."""
    joined = known.get(product.args[0]) if product.args and isinstance(product.args[0], Var) else None
    width = None if joined is None else _row_width(joined, known, is_row)
    if joined is None or width is None or not _can_begin(product):
        yield var, product
        return
    row, rest = joined.args
    weight = product.args[1]
    assert isinstance(weight, Constant)
    of_row, of_rest = weight.array[..., :width], weight.array[..., width:]
    made, other = Var("input"), Var("state")
    yield made, Call(OperatorRef("dense"), (row, _constant(of_row.reshape(-1, width), weight)), where=product.where)
    if is_operator_call(product, "dense"):
        yield other, replace(product, args=(rest, _constant(of_rest, weight)))
        yield var, Call(OperatorRef("add"), (other, made), where=product.where)
    else:
        yield from _gates(var, product, made, rest, of_rest)


def _row_width(joined: Call, known: Known, is_row: IsRow) -> int | None:
    """How long the row is, where a step joins one with one other thing by their last dimension of two."""
    if not is_operator_call(joined, "concat") or len(joined.args) != 2 or not isinstance(joined.args[0], Var):
        return None
    row = joined.args[0]
    kind = row.type
    if not is_row(row, known) or not isinstance(kind, TensorType) or kind.rank != 2:
        return None
    width = kind.shape[-1]
    axis = operator("concat").complete(joined.attrs)["axis"]
    return width if axis in (1, -1) and isinstance(width, int) else None


def _can_begin(product: Call) -> bool:
    """Whether a product with a constant can begin with a known sum: a plain one, or a cell of at most a bias."""
    if len(product.args) < 2 or not isinstance(product.args[1], Constant):
        return False
    if is_operator_call(product, "dense"):
        return True
    start = product.attr("start", "")
    has_bias = len(product.args) > 2 and isinstance(product.args[2], Constant)
    return is_operator_call(product, "gated_dense") and (not start or (has_bias and str(start).endswith("[g, u]")))


def _gates(var: Var, product: Call, made: Var, rest: Expr, weights: Array) -> Iterator[Binding]:
    """A cell that begins with the row's product, and its bias if it had one."""
    gates, units, _ = weights.shape
    whole, others = product.args[1], product.args[2:]
    assert isinstance(whole, Constant)
    if product.attr("start", ""):
        bias, summed = others[0], Var("input")
        assert isinstance(bias, Constant)
        yield summed, Call(OperatorRef("add"), (made, _constant(bias.array.reshape(-1), bias)), where=product.where)
        made, others = summed, others[1:]
    by_gate = Var("input")
    yield by_gate, Call(OperatorRef("reshape"), (made,), (("shape", (0, gates, units)),), product.where)
    attrs = (*(a for a in product.attrs if a[0] != "start"), ("start", "input[m, g, u]"))
    yield var, replace(product, args=(rest, _constant(weights, whole), by_gate, *others), attrs=attrs)


def _constant(array: Array, of: Constant) -> Constant:
    return Constant(np.ascontiguousarray(array), of.name)
