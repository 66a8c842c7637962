"""Common subexpressions: what was computed before, here or in a block around, is not computed again.

Everything is pure, so two equal steps over the same atoms make equal values. Constants are the same where their bytes
are. Functions and branches are left alone; what is in them is looked at with what stands around them known.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Hashable, MutableMapping

from anytile.compiler.ir.anf import Binding, each_block, is_atom, make_block, map_blocks, map_parts
from anytile.compiler.ir.nodes import Call, Constant, Expr, Let, Module, TupleExpr, TupleGet, Var

_Seen = MutableMapping[Hashable, Var]
_COMPARED_BYTES = 1 << 12  # larger constants are the same where they are one object


def common_subexpressions(module: Module) -> Module:
    return each_block(module, lambda body: _block(body, ChainMap(), ChainMap()))


def _block(block: Expr, seen: ChainMap[Hashable, Var], names: ChainMap[Var, Expr]) -> Expr:
    def follow(atom: Expr) -> Expr:
        return names.get(atom, atom) if isinstance(atom, Var) else atom

    if not isinstance(block, Let):
        return follow(block)
    kept: list[Binding] = []
    for var, value in block.bindings:
        step = map_blocks(map_parts(value, follow), lambda inner: _block(inner, seen.new_child(), names.new_child()))
        if is_atom(step):
            names[var] = step
            continue
        key = _key(step)
        known = None if key is None else seen.get(key)
        if known is not None:
            names[var] = known
            continue
        if key is not None:
            seen[key] = var
        kept.append((var, step))
    return make_block(kept, follow(block.body))


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
    if isinstance(e, Constant) and e.array.nbytes <= _COMPARED_BYTES:
        return e.array.dtype.str, e.array.shape, e.array.tobytes()
    return e
