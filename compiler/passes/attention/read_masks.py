"""Causal masks, recognised: what exporters add to scores, or choose them by, so that no key behind a query is seen.

    where(arange(n) <= arange(m)[:, None], scores, -inf)       scores + where(tril, 0, -inf)

Places come from `arange`, whatever views they went through, or are constants; a condition may be negated, compared
with a number that a choice made of it, or be a constant triangle. For -inf exporters also write the least float there
is: where a query sees itself, the exponentials are 0 all the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from anytile.compiler.ir.nodes import Call, Constant, Expr, Var, operator_of, tensor_of
from anytile.compiler.ir.types import Dim
from anytile.compiler.passes.matching.guard_softmax import number_of
from anytile.compiler.passes.matching.positions import VIEWS, counts_along

HIDDEN = -1e30  # a score as low as this, or lower, has no weight beside any other
# what a comparison says of its first operand's place and its second one's, and whether so or not
_NOT_BEHIND = {
    "less_equal": (1, 2, True),
    "greater": (1, 2, False),
    "greater_equal": (2, 1, True),
    "less": (2, 1, False),
}


class CausalMasks:
    """`known` are the calls so far."""

    def __init__(self, known: Mapping[Var, Call]) -> None:
        self.known = known

    def adds(self, e: Expr) -> bool:
        """Whether it is 0 where a query sees a key up to its own place, and hides it behind that."""
        if isinstance(e, Constant):
            return _is_triangle(e.array == 0) and bool((e.array[e.array != 0] <= HIDDEN).all())
        call = self._call(e)
        if call is None or operator_of(call) != "where" or not _is_square(e):
            return False
        one, other = (number_of(a, self.known) for a in call.args[1:])
        if one is None or other is None or max(one, other) != 0 or min(one, other) > HIDDEN:
            return False
        return self.keeps(call.args[0], one == 0)

    def keeps(self, e: Expr, wanted: bool = True) -> bool:
        """Whether it is as wanted where a query sees a key up to its own place, and not behind that."""
        if isinstance(e, Constant):
            return e.array.dtype == np.bool_ and _is_triangle(e.array == wanted)
        call = self._call(e)
        if call is None or not _is_square(e):
            return False
        name, args = operator_of(call), call.args
        if name == "logical_not":
            return self.keeps(args[0], not wanted)
        if name in VIEWS or (name == "cast" and tensor_of(args[0]).dtype == "bool"):
            return self.keeps(args[0], wanted)
        if name in ("equal", "not_equal"):
            return self._compared(args, wanted == (name == "equal"))
        if name not in _NOT_BEHIND:
            return False
        *places, so = _NOT_BEHIND[name]
        return so == wanted and [counts_along(a, self.known) for a in args] == places

    def _compared(self, args: Sequence[Expr], wanted: bool) -> bool:
        """Whether a choice of two numbers, of which one is compared with, keeps what it should."""
        for one, other in (args, args[::-1]):
            number, chosen = number_of(other, self.known), self._call(one)
            if number is None or chosen is None or operator_of(chosen) != "where":
                continue
            first, second = (number_of(a, self.known) == number for a in chosen.args[1:])
            if first != second:
                return self.keeps(chosen.args[0], wanted == first)
        return False

    def _call(self, e: Expr) -> Call | None:
        return self.known.get(e) if isinstance(e, Var) else None


def without_ones(shape: Sequence[Dim]) -> tuple[Dim, ...]:
    """A shape without the dimensions of 1 that it begins with."""
    first = next((i for i, d in enumerate(shape) if d != 1), len(shape))
    return tuple(shape[first:])


def _is_square(e: Expr) -> bool:
    shape = without_ones(tensor_of(e).shape)
    return len(shape) == 2 and shape[0] == shape[1]


def _is_triangle(seen: np.ndarray) -> bool:
    size = seen.shape[-1] if seen.ndim else 0
    return seen.size == size * size and np.array_equal(seen.reshape(size, size), np.tri(size, dtype=bool))
