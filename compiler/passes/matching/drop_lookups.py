"""Lookup elimination: elements that are looked up at their own positions are there already.

`x[arange(b)[:, None], arange(s)]` is x, if these are x's own sizes: so masks of transformers read what hides padding.
The tuples that `gather_nd` takes are then numbers of a dimension each, so what it makes is x turned, seen in more
dimensions and repeated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anytile.compiler.ir.nodes import (
    Call,
    Constant,
    Expr,
    Module,
    OperatorRef,
    Var,
    is_operator_call,
    operator_of,
    tensor_of,
)
from anytile.compiler.ir.traverse import Binding, Names, each_block, rewrite
from anytile.compiler.ir.types import Dim, TensorType
from anytile.compiler.operators import operator
from anytile.compiler.operators.sized import dimension
from anytile.compiler.operators.spec import integer
from anytile.compiler.passes.matching.positions import counts_along

_LOOKUP = "gather_nd"


def drop_lookups(module: Module) -> Module:
    return each_block(module, _block)


def _block(body: Expr) -> Expr:
    known: dict[Var, Call] = {}
    names: Names = {}

    def change(var: Var, step: Expr) -> list[Binding] | None:
        if not is_operator_call(step):
            return None
        known[var] = step
        calls = _moved(step, known) if operator_of(step) == _LOOKUP else None
        if calls is None:
            return None
        if not calls:
            names[var] = step.args[0]
        return [*calls[:-1], *((var, call) for _, call in calls[-1:])]

    return rewrite(body, change, names)


def _moved(call: Call, known: Mapping[Var, Call]) -> list[Binding] | None:
    """How x is turned and repeated, in place of a lookup whose tuples are positions."""
    x, index = call.args
    axes = _axes(call, known)
    asked, own = tensor_of(index).shape[:-1], tensor_of(x).shape
    if axes is None or len(set(axes)) < len(axes) or any(asked[a] != d for a, d in zip(axes, own, strict=False)):
        return None
    steps: list[Binding] = []

    def put(name: str, x: Expr, shape: Sequence[Dim], *likes: Expr, **attrs: tuple[int, ...] | str) -> Expr:
        made = Var(name, TensorType(tuple(shape), tensor_of(x).dtype))
        given = operator(name).canonical(tuple(attrs.items()))
        steps.append((made, Call(OperatorRef(name), (x, *likes), given, call.where)))
        return made

    order, rest = sorted(range(len(axes)), key=axes.__getitem__), own[len(axes) :]
    if order != list(range(len(axes))):
        perm = (*order, *range(len(axes), len(own)))
        x = put("transpose", x, [own[i] for i in perm], perm=perm)
    gone = tuple(a for a in range(len(asked)) if a not in axes)
    if gone:
        x = put("expand_dims", x, [*(1 if a in gone else d for a, d in enumerate(asked)), *rest], axis=gone)
    if any(asked[a] != 1 for a in gone):
        rank = tensor_of(x).rank
        sizes = [*range(rank, rank + len(asked)), *range(len(asked), rank)]
        put("broadcast_sized", x, (*asked, *rest), index, sizes=", ".join(map(dimension, sizes)))
    return steps


def _axes(call: Call, known: Mapping[Var, Call]) -> list[int] | None:
    """Along which dimension of the tuples each of x's own is counted: those of a batch are those of the tuples, too."""
    index = call.args[1]
    shape = tensor_of(index).shape
    parts: Sequence[Expr] = (index,)
    made = known.get(index) if isinstance(index, Var) else None
    if made is not None and is_operator_call(made, "concat"):
        if integer(operator("concat").complete(made.attrs), "axis") % len(shape) != len(shape) - 1:
            return None
        parts = made.args
    elif isinstance(index, Constant):
        parts = [Constant(index.array[..., i : i + 1]) for i in range(index.array.shape[-1])]
    if any(tensor_of(p).shape[-1] != 1 for p in parts):
        return None
    along = [counts_along(p, known) for p in parts]
    batches = integer(operator(_LOOKUP).complete(call.attrs), "batches")
    return None if 0 in along else [*range(batches), *(len(shape) - axis for axis in along)]
