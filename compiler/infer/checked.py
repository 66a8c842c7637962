"""Run-time checks of sizes: a condition that cannot be decided becomes a step, `expect`, around what has the sizes.

So every check at run time is an operator's, with its place in the model, and no later pass needs to know of another
kind. What a size is compared with is a number, or a dimension of some tensor that is in scope.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from anytile.compiler.infer.scope import Scope
from anytile.compiler.ir.nodes import Call, Expr, Let, OperatorRef, TupleExpr, TupleGet, Var
from anytile.compiler.ir.types import TensorType, TupleType, Type
from anytile.compiler.operators.reshaping import ANY_SIZE, size_like
from anytile.compiler.operators.spec import Mismatch


def checked(e: Expr, actual: Type, made: Type, where: str, scope: Scope, visible: Mapping[Var, Type]) -> Expr:
    """An expression of type `actual` as one of type `made`, which says more about sizes, and is checked to be it."""
    if isinstance(made, TensorType) and isinstance(actual, TensorType):
        return _expected(e, actual, made, where, scope, visible)
    if isinstance(made, TupleType) and isinstance(actual, TupleType):
        whole = Var("whole", actual)
        pairs = enumerate(zip(actual.fields, made.fields, strict=True))
        fields = (checked(TupleGet(whole, i), a, m, where, scope, visible) for i, (a, m) in pairs)
        return Let(((whole, e),), TupleExpr(tuple(fields)))
    return e


def _expected(
    e: Expr, actual: TensorType, made: TensorType, where: str, scope: Scope, visible: Mapping[Var, Type]
) -> Expr:
    sizes: list[int] = []
    likes: list[Var] = []
    for own, wanted in zip(actual.shape, made.shape, strict=True):
        size = scope.size(wanted)
        if scope.size(own) == size:
            sizes.append(ANY_SIZE)
        elif size.value is not None:
            sizes.append(size.value)
        else:
            like, axis = _holder(visible.items(), wanted, scope)
            before = sum(v.type.rank for v in likes if isinstance(v.type, TensorType))
            sizes.append(size_like(before + axis))
            likes.append(like)
    if all(s == ANY_SIZE for s in sizes):
        return e
    return Call(OperatorRef("expect"), (e, *likes), (("sizes", tuple(sizes)),), where)


def _holder(visible: Iterable[tuple[Var, Type]], dim: object, scope: Scope) -> tuple[Var, int]:
    """A variable, and the dimension of it that has a size."""
    for v, t in visible:
        if isinstance(t, TensorType):
            for axis, own in enumerate(t.shape):
                if own == dim:
                    return v, axis
    raise Mismatch(f"no tensor at hand has a dimension {dim} to check it by")
