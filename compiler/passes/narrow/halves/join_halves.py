"""Joining in 16 bits: rows are rounded and put behind others as these lie, where the whole leaves in 16 bits.

A program that computes in float32 widens a cache, joins it with rows of its own, and rounds the whole: of a cache of a
thousand tokens it changes none, and copies all three times. Joined as they lie, rows are all that is rounded, and who
reads the whole widens what is there, which is what the next call will read as well.
"""

from __future__ import annotations

from dataclasses import replace

from anytile.compiler.ir.nodes import Call, Expr, Module, Var, is_operator_call, type_of
from anytile.compiler.ir.traverse import Binding, each_block, rewrite, steps
from anytile.compiler.ir.types import TensorType
from anytile.compiler.passes.narrow.halves.widen_halves import FLOAT, cast_to, leaving
from anytile.schedules.nest.float16 import HALVES


def join_halves(module: Module) -> Module:
    return each_block(module, _joined)


def _joined(body: Expr) -> Expr:
    known = {var: value for var, value in steps(body) if is_operator_call(value, "cast", "concat")}
    leaves = leaving(body)
    rounded: dict[Var, Var] = {}  # by what is joined in float32
    for var, value in known.items():
        source = _cast_of(value, *HALVES)
        if source is not None and var in leaves and (joined := known.get(source)) is not None:
            dtype = str(value.attr("dtype"))
            if is_operator_call(joined, "concat") and any(_lying(a, known, dtype) is not None for a in joined.args):
                rounded.setdefault(source, var)
    gone = set(rounded.values())

    def change(var: Var, value: Expr) -> list[Binding] | None:
        if var in gone:
            return []
        if var not in rounded:
            return None
        assert isinstance(value, Call)
        whole = rounded[var]
        kind = type_of(whole)
        assert isinstance(kind, TensorType)
        made: list[Binding] = []
        args: list[Expr] = []
        for a in value.args:
            lying = _lying(a, known, kind.dtype)
            if lying is None:
                t = type_of(a)
                assert isinstance(t, TensorType)
                lying = Var("rounded", replace(t, dtype=kind.dtype))
                made.append((lying, cast_to(a, kind.dtype, value.where)))
            args.append(lying)
        return [*made, (whole, replace(value, args=tuple(args))), (var, cast_to(whole, FLOAT, value.where))]

    return rewrite(body, change) if rounded else body


def _cast_of(value: Expr | None, *dtypes: str) -> Var | None:
    """What a cast to one of these dtypes is of."""
    if value is None or not is_operator_call(value, "cast") or value.attr("dtype") not in dtypes:
        return None
    (source,) = value.args
    return source if isinstance(source, Var) else None


def _lying(e: Expr, known: dict[Var, Call], dtype: str) -> Var | None:
    """What in 16 bits something in float32 is."""
    source = _cast_of(known.get(e), FLOAT) if isinstance(e, Var) else None
    kind = None if source is None else type_of(source)
    return source if isinstance(kind, TensorType) and kind.dtype == dtype else None
