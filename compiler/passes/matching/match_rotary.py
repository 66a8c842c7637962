"""Rotary embeddings: queries and keys that are turned by their positions are one elementwise kernel, not four.

    x * c + concat(-x[..., h:], x[..., :h]) * s     where x is 2 h wide

What is joined is made of both halves of a row, each read at the other's place. With the halves as a dimension of their
own it is a choice between two parts of x, which an elementwise kernel reads where they lie, so nothing is cut off,
turned round and joined before it is multiplied:

    x * c + where([true, false], -x[..., 1, :], x[..., 0, :]) * s
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from anytile.compiler.ir.nodes import (
    Call,
    Constant,
    Expr,
    Module,
    Var,
    is_operator_call,
    tensor_of,
)
from anytile.compiler.ir.traverse import Binding, rewrite, variables_read
from anytile.compiler.operators import operator
from anytile.compiler.operators.movement import part_of
from anytile.compiler.operators.sized import dimension
from anytile.compiler.operators.spec import axis_of, integer
from anytile.compiler.passes.convolutional.steps import Steps, each_block_inferred

LEAST_HALF = 8  # elements, below which a vector is mostly empty where halves lie apart
MOST_DIMENSIONS = 6
_DTYPE = "float32"
_IS_FIRST = Constant(np.array([[True], [False]]))  # of two halves


def match_rotary(module: Module) -> Module:
    return each_block_inferred(module, _changed)


def _changed(body: Expr) -> Expr | None:
    reads, known, count = Counter(variables_read(body)), dict[Var, Call](), 0

    def change(var: Var, value: Expr) -> list[Binding] | None:
        nonlocal count
        if not is_operator_call(value):
            return None
        known[var] = value
        found = _turned(value, known, reads) if is_operator_call(value, "add") else None
        count += found is not None
        return None if found is None else _in_parts(*found, value.where).ending_in(var)

    made = rewrite(body, change)
    return made if count else None


def _turned(add: Call, known: Mapping[Var, Call], reads: Counter[Var]) -> tuple[Var, Expr, Expr] | None:
    """x, c and s of an embedding; None where it is none."""

    def factors(e: Expr) -> Sequence[Expr]:
        product = known.get(e) if isinstance(e, Var) and reads[e] == 1 else None
        return product.args if product is not None and is_operator_call(product, "multiply") else ()

    for one, other in (add.args, add.args[::-1]):
        plain, joined = factors(one), factors(other)
        for join, s in (joined, joined[::-1]) if joined else ():
            x = _of_halves(join, known) if isinstance(join, Var) and reads[join] == 1 else None
            if x is None or x not in plain:
                continue
            c = plain[1] if plain[0] is x else plain[0]
            wide = tensor_of(x).shape[-1]
            if all(k.rank and k.shape[-1] == wide and k.dtype == _DTYPE for k in map(tensor_of, (x, c, s))):
                return x, c, s
    return None


def _of_halves(join: Var, known: Mapping[Var, Call]) -> Var | None:
    """What a tensor joins the halves of, the second one negated and before the first."""
    value, kind = known.get(join), tensor_of(join)
    wide = kind.shape[-1] if kind.rank else None
    if value is None or not is_operator_call(value, "concat") or len(value.args) != 2 or kind.rank > MOST_DIMENSIONS:
        return None
    if not isinstance(wide, int) or wide % 2 or wide < 2 * LEAST_HALF:
        return None
    if axis_of(integer(operator("concat").complete(value.attrs), "axis"), kind.rank) != kind.rank - 1:
        return None
    negated, first = value.args
    minus = known.get(negated) if isinstance(negated, Var) else None
    if minus is None or not is_operator_call(minus, "negative"):
        return None
    found = [_half(e, kind.rank - 1, known) for e in (first, minus.args[0])]
    sources = [half[0] for half in found if half is not None]
    if [half[1] for half in found if half is not None] != [0, 1] or sources[0] is not sources[1]:
        return None
    return sources[0]


def _half(e: Expr, axis: int, known: Mapping[Var, Call]) -> tuple[Var, int] | None:
    """What something is a half of along an axis, and which."""
    cut = known.get(e) if isinstance(e, Var) else None
    if cut is None or not is_operator_call(cut, "slice") or not isinstance(x := cut.args[0], Var):
        return None
    part = part_of(tensor_of(x), operator("slice").complete(cut.attrs))
    return (x, part.number) if part is not None and (part.axis, part.count) == (axis, 2) else None


def _in_parts(x: Var, c: Expr, s: Expr, where: str) -> Steps:
    """The steps of an embedding with halves along a dimension before the last."""
    steps = Steps(where)
    wide = tensor_of(x).shape[-1]
    assert isinstance(wide, int)

    def halves(e: Expr) -> Var:
        return steps.reshape(e, [*map(dimension, range(tensor_of(e).rank - 1)), 2, wide // 2])

    parts, whole = halves(x), halves(x)  # seen twice, since a kernel reads a tensor whole or in parts
    axis = tensor_of(x).rank - 1
    first, second = (steps.put("slice", parts, axes=(axis,), start=(i,), stop=(i + 1,), step=(1,)) for i in (0, 1))
    turned = steps.put("where", _IS_FIRST, steps.put("negative", second), first)
    terms = steps.put("multiply", whole, halves(c)), steps.put("multiply", turned, halves(s))
    outer = max(tensor_of(e).rank for e in (x, c, s)) - 1
    steps.reshape(steps.put("add", *terms), [*map(dimension, range(outer)), wide])
    return steps
