"""ATen's triangular systems of equations, as of layers that learn by the delta rule: solved by the matrix's inverse.

The inverse grows from the diagonal: blocks of twice the size have those of one size, and -C⁻¹ B A⁻¹ below them, all in
one product. So n equations take log n pairs of products, whatever lies in the other half of the matrix.
"""

from __future__ import annotations

import numpy as np

from anytile.importers.core.graph import MOST_FOLDED, Refusal, Value
from anytile.importers.core.symbolic import Array
from anytile.importers.torch.aten.aten_products import matmul
from anytile.importers.torch.graph.aten_call import Call, Row


def _turned(c: Call, x: Value) -> Value:
    order = list(range(x.rank))
    return c.transpose(x, [*order[:-2], order[-1], order[-2]])


def _inverse(c: Call, lower: Value, is_one: bool) -> Value:
    """Of what lies on and below the diagonal; `is_one` is whether ones are taken to lie on it."""
    n = c.size(lower, lower.rank - 1)
    if n * n > MOST_FOLDED:
        raise Refusal(f"{n} equations; expected at most {int(MOST_FOLDED**0.5)}")
    row, column = np.arange(n)[:, None], np.arange(n)

    def part(kept: Array, otherwise: float) -> Value:
        return c.do("where", c.graph.constant(kept), lower, c.number(otherwise, lower))

    unit = c.cast(c.graph.constant(row == column), lower.dtype)
    inverse = c.broadcast(unit, lower.dims)
    if not is_one:
        diagonal = c.do("prod", part(row == column, 1), axis=(-1,), keepdims=True)
        inverse = c.do("divide", inverse, diagonal)
    size = 1
    while size < n:
        below = (row // (2 * size) == column // (2 * size)) & (row // size > column // size)
        more = matmul(c, matmul(c, inverse, part(below, 0)), inverse)
        inverse, size = c.do("subtract", inverse, more), 2 * size
    return inverse


def _solved(c: Call) -> Value:
    """A x = b, or x A = b where A does not stand on the left."""
    a, b, is_upper = c["self"], c["B"], bool(c.arg("upper"))
    inverse = _inverse(c, _turned(c, a) if is_upper else a, bool(c.arg("unitriangular")))
    inverse = _turned(c, inverse) if is_upper else inverse
    return matmul(c, inverse, b) if c.arg("left", True) else matmul(c, b, inverse)


ROWS = (Row("linalg_solve_triangular", _solved),)
