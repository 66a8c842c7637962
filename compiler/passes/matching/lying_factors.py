"""Products of factors as they lie: what a dense layer has transposed for it, a product reads where it was.

A matrix that is no constant cannot be packed ahead of time, and importers transpose it, since a dense layer has a
weight's rows along its inputs: `dense(x, transpose(w))` is x times w. A `batch_matmul` of one batch takes both factors
in either order, and copies a panel at a time into the caches where that is worth it. What others read transposed, too,
is transposed once for all of them.
"""

from __future__ import annotations

from collections.abc import Mapping

from anytile.compiler.ir.nodes import Call, Expr, Module, OperatorRef, Var, is_operator_call, operator_of, tensor_of
from anytile.compiler.ir.traverse import replace_calls
from anytile.compiler.operators import operator
from anytile.compiler.operators.spec import ints
from anytile.core.dtypes import FLOATS
from anytile.schedules.operators.products.batch_matmul import BATCH_MATMUL
from anytile.schedules.operators.products.dense import DENSE


def lying_factors(module: Module) -> Module:
    return replace_calls(module, _read_as_they_lie)


def _read_as_they_lie(var: Var, call: Call, known: Mapping[Var, Call], reads: Mapping[Var, int]) -> Call | None:
    if operator_of(call) != DENSE.name or call.attrs or not all(isinstance(a, Var) for a in call.args):
        return None
    if any(tensor_of(a).rank != 2 or tensor_of(a).dtype not in FLOATS for a in call.args):
        return None
    before = [_turned(a, known, reads) for a in call.args]
    if before == [None, None]:
        return None
    args = tuple(a if turned is None else turned for a, turned in zip(call.args, before, strict=True))
    lhs, rhs = (layout if turned is None else layout[::-1] for layout, turned in zip(("mk", "nk"), before, strict=True))
    attrs = (("lhs", lhs), ("rhs", rhs), ("y", "mn"))
    row = operator(BATCH_MATMUL.name)
    return Call(OperatorRef(row.name), args, row.canonical(attrs), call.where)


def _turned(factor: Expr, known: Mapping[Var, Call], reads: Mapping[Var, int]) -> Expr | None:
    """What a matrix is the transposition of, for this product alone."""
    call = known.get(factor) if isinstance(factor, Var) and reads[factor] == 1 else None
    if call is None or not is_operator_call(call, "transpose"):
        return None
    perm = ints(operator("transpose").complete(call.attrs), "perm")
    return call.args[0] if tuple(p % 2 for p in perm) in ((), (1, 0)) else None
