"""Casts last: what a kernel widens or rounds itself is seen regrouped before the cast, which fusion then takes in.

A cache is widened and then viewed by sequences and heads, and a product or attention reads the view. Its kernel widens
what it reads itself, so the views move before the cast: the cache is read once, in half of the bytes. Rows that are
rounded to join a cache are viewed as the cache is, and whoever joins them rounds them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from anytile.compiler.ir.nodes import Call, Expr, Module, Var, is_operator_call, tensor_of
from anytile.compiler.ir.traverse import Binding, Scoped, each_block, rewrite, variables_read
from anytile.compiler.ir.types import TensorType
from anytile.compiler.kernels.kernel_of import ROUNDS, WIDENS
from anytile.compiler.kernels.memory_dtypes import FLOAT
from anytile.compiler.passes.memory.manifest_alloc import VIEWS
from anytile.core.dtypes import STORED_FLOATS


def cast_last(module: Module) -> Module:
    return each_block(module, _cast_last)


def _cast_last(body: Expr) -> Expr:
    reads, known = Counter(variables_read(body)), Scoped[Var, Call]()

    def change(var: Var, value: Expr) -> list[Binding] | None:
        if is_operator_call(value):
            known[var] = value
        if not is_operator_call(value, *WIDENS, *ROUNDS):
            return None
        given = STORED_FLOATS if is_operator_call(value, *WIDENS) else (FLOAT,)
        made: list[Binding] = []
        args = tuple(_seen_first(a, given, known, reads, made) for a in value.args)
        return [*made, (var, replace(value, args=args))] if made else None

    return rewrite(body, change, scope=known.scope)


def _seen_first(
    operand: Expr, given: Sequence[str], known: Mapping[Var, Call], reads: Mapping[Var, int], made: list[Binding]
) -> Expr:
    """An operand that is a view of what was cast for it alone, from certain dtypes, as what is cast of such a view; its
    steps go to `made`."""
    views: list[tuple[Var, Call]] = []
    at = operand
    while isinstance(at, Var) and reads[at] == 1 and at in known and is_operator_call(known[at], *VIEWS):
        views.append((at, known[at]))
        at = known[at].args[0]
    cast = known.get(at) if isinstance(at, Var) and reads[at] == 1 and views else None
    if cast is None or not is_operator_call(cast, "cast") or tensor_of(cast.args[0]).dtype not in given:
        return operand
    (lying,) = cast.args
    for var, call in reversed(views):
        kind = tensor_of(var)
        seen = Var(var.name, TensorType(kind.shape, tensor_of(lying).dtype))
        made.append((seen, replace(call, args=(lying, *call.args[1:]))))
        lying = seen
    last = Var(views[0][0].name, tensor_of(views[0][0]))
    made.append((last, replace(cast, args=(lying,))))
    return last
