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
    AttrValue,
    Call,
    Constant,
    Expr,
    Module,
    OperatorRef,
    Var,
    is_operator_call,
    tensor_of,
    type_of,
)
from anytile.compiler.ir.traverse import Binding, each_block, rewrite, variables_read
from anytile.compiler.ir.types import Dim, TensorType
from anytile.compiler.operators import operator
from anytile.compiler.operators.movement import part_of
from anytile.compiler.operators.sized import dimension
from anytile.compiler.operators.spec import axis_of, integer

LEAST_HALF = 8  # elements, below which a vector is mostly empty where halves lie apart
MOST_DIMENSIONS = 6
_DTYPE = "float32"


def match_rotary(module: Module) -> Module:
    return each_block(module, _matched)


def _matched(body: Expr) -> Expr:
    reads, known = Counter(variables_read(body)), dict[Var, Call]()

    def change(var: Var, value: Expr) -> list[Binding] | None:
        if not is_operator_call(value):
            return None
        known[var] = value
        return _turned(var, value, known, reads) if is_operator_call(value, "add") else None

    return rewrite(body, change)


def _turned(var: Var, add: Call, known: Mapping[Var, Call], reads: Counter[Var]) -> list[Binding] | None:
    """The steps of one embedding; None where it is none."""

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
            kinds = [type_of(e) for e in (x, c, s, one, other, var)]
            if all(isinstance(k, TensorType) and k.rank and k.shape[-1] == wide and k.dtype == _DTYPE for k in kinds):
                return _Turning(var, add.where).steps(x, c, s, one, other)
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


class _Turning:
    """The steps in the place of one, with halves along a dimension before the last."""

    def __init__(self, var: Var, where: str) -> None:
        self.var, self.where, self.bound = var, where, list[Binding]()

    def steps(self, x: Var, c: Expr, s: Expr, plain: Expr, joined: Expr) -> list[Binding]:
        # x is seen twice: in parts, and whole.
        parts, whole, by, across = (self.halves(e) for e in (x, x, c, s))
        shape = tensor_of(parts).shape
        one = (*shape[:-2], 1, shape[-1])
        first, second = (
            self.put("slice", one, parts, axes=(len(shape) - 2,), start=(i,), stop=(i + 1,), step=(1,)) for i in (0, 1)
        )
        is_first = Constant(np.array([[True], [False]]))
        turned = self.put("where", shape, is_first, self.put("negative", one, second), first)
        terms = (
            self.put("multiply", _halved(plain), whole, by),
            self.put("multiply", _halved(joined), turned, across),
        )
        made = self.put("add", _halved(self.var), *terms)
        outer = tensor_of(self.var).rank - 1
        sizes = ", ".join([*map(dimension, range(outer)), str(tensor_of(self.var).shape[-1])])
        last = Call(OperatorRef("reshape_sized"), (made,), (("sizes", sizes),), self.where)
        return [*self.bound, (self.var, last)]

    def put(self, name: str, shape: Sequence[Dim], *args: Expr, **attrs: AttrValue) -> Var:
        made = Var(name, TensorType(tuple(shape), _DTYPE))
        given = operator(name).canonical(tuple(attrs.items()))
        self.bound.append((made, Call(OperatorRef(name), args, given, self.where)))
        return made

    def halves(self, e: Expr) -> Var:
        shape = _halved(e)
        sizes = ", ".join([*map(dimension, range(len(shape) - 2)), *map(str, shape[-2:])])
        return self.put("reshape_sized", shape, e, sizes=sizes)


def _halved(e: Expr) -> tuple[Dim, ...]:
    """The dimensions of something with its halves as one of them."""
    *outer, wide = tensor_of(e).shape
    assert isinstance(wide, int)
    return (*outer, 2, wide // 2)
