"""Alpha-equivalence: whether two modules are written alike but for the names of variables and constants.

Types, attributes, places and arrays must be the same to the last bit; a NaN is like any other. Bound variables
correspond one to one; a variable that nothing binds is only like itself. The walk keeps its own stack.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from anytile.compiler.ir import nodes as ir
from anytile.compiler.ir.traverse import bound_in, children
from anytile.compiler.ir.types import alike
from anytile.schedules.nest.stored_floats import is_float

_COMPARED_BYTES = 1 << 12


def alpha_equal(a: ir.Module | ir.Expr, b: ir.Module | ir.Expr) -> bool:
    if isinstance(a, ir.Module) and isinstance(b, ir.Module):
        same = list(a.functions) == list(b.functions) and dict(a.data) == dict(b.data)
        return same and all(_equal(a.functions[name], b.functions[name]) for name in a.functions)
    return not isinstance(a, ir.Module) and not isinstance(b, ir.Module) and _equal(a, b)


def _equal(a: ir.Expr, b: ir.Expr) -> bool:
    stack, forth, back = [(a, b)], dict[ir.Var, ir.Var](), dict[ir.Var, ir.Var]()
    while stack:
        x, y = stack.pop()
        if isinstance(x, ir.Var) and isinstance(y, ir.Var):
            if forth.get(x, x) is not y or back.get(y, y) is not x:
                return False
            continue
        bound = list(bound_in(x)), list(bound_in(y))
        if type(x) is not type(y) or len(bound[0]) != len(bound[1]) or not _alike(x, y):
            return False
        for v, w in zip(*bound, strict=True):
            if not alike(v.type, w.type):
                return False
            forth[v], back[w] = w, v
        inside = children(x), children(y)
        if len(inside[0]) != len(inside[1]):
            return False
        stack += zip(*inside, strict=True)
    return True


def _alike(x: ir.Expr, y: ir.Expr) -> bool:
    """Whether two nodes of one kind are alike in what is not another expression or a variable."""
    match x, y:
        case ir.Constant(one), ir.Constant(other):
            return same_array(one, other)
        case ir.GlobalRef(), ir.GlobalRef():
            return x == y
        case ir.TupleGet(_, i), ir.TupleGet(_, j):
            return i == j
        case ir.Function(), ir.Function():
            return repr(x.attrs) == repr(y.attrs) and alike(x.result, y.result)
        case ir.Call(), ir.Call():
            heads = [c if isinstance(c, ir.OperatorRef | ir.ConstructorRef) else None for c in (x.callee, y.callee)]
            return heads[0] == heads[1] and repr(x.attrs) == repr(y.attrs) and x.where == y.where
        case ir.Match(_, one_clauses), ir.Match(_, other_clauses):
            pairs = zip(one_clauses, other_clauses, strict=False)
            return len(one_clauses) == len(other_clauses) and all(_same_form(p, q) for (p, _), (q, _) in pairs)
        case ((ir.TupleExpr() | ir.Let() | ir.If()), _):
            return True
        case _:
            return False


def _same_form(p: ir.Pattern, q: ir.Pattern) -> bool:
    match p, q:
        case ir.Construct(ref, inside), ir.Construct(other, within):
            same = ref == other
        case ir.TuplePattern(inside), ir.TuplePattern(within):
            same = True
        case _:
            return type(p) is type(q) and isinstance(p, ir.Bind) == isinstance(q, ir.Bind)
    return same and len(inside) == len(within) and all(map(_same_form, inside, within))


def constant_key(constant: ir.Constant) -> Hashable:
    """What equal constants share: small ones their dtype, shape and bytes, larger ones that they are one object."""
    array = constant.array
    return (array.dtype.str, array.shape, array.tobytes()) if array.nbytes <= _COMPARED_BYTES else constant


def same_array(a: ir.Array, b: ir.Array) -> bool:
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if not is_float(a.dtype):
        return bool(np.array_equal(a, b))
    nan = np.isnan(a)
    signs = np.signbit(a) == np.signbit(b)
    return bool(np.array_equal(a, b, equal_nan=True) and (signs | nan).all())
