"""Common subexpression elimination: what was computed before, here or in a block around, is not computed again.

Everything is pure, so two equal steps over the same atoms make equal values. Constants are the same where their bytes
are. Functions and branches are left alone; what is in them is looked at with what stands around them known.
"""

from __future__ import annotations

from collections.abc import Hashable

from anytile.compiler.ir.equality import constant_key
from anytile.compiler.ir.nodes import Call, Constant, Expr, Module, TupleExpr, TupleGet, Var
from anytile.compiler.ir.traverse import Binding, Names, Scoped, each_block, is_atom, rewrite


def common_subexpressions(module: Module) -> Module:
    return each_block(module, _block)


def _block(body: Expr) -> Expr:
    names: Names = {}
    seen: Scoped[Hashable, Var] = Scoped()

    def change(var: Var, step: Expr) -> list[Binding] | None:
        key = _key(step)
        if is_atom(step) or (key is not None and key in seen):
            names[var] = step if is_atom(step) else seen[key]
            return []
        if key is not None:
            seen[key] = var
        return None

    return rewrite(body, change, names, seen.scope)


def _key(step: Expr) -> Hashable | None:
    """What equal steps share; None for those that are not compared."""
    match step:
        case Call(callee, args, attrs):
            return "call", _atom(callee), tuple(map(_atom, args)), attrs
        case TupleExpr(fields):
            return "tuple", tuple(map(_atom, fields))
        case TupleGet(value, index):
            return "get", _atom(value), index
        case _:
            return None


def _atom(e: Hashable) -> Hashable:
    return constant_key(e) if isinstance(e, Constant) else e
