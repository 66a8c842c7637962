"""Constants of 8-bit floats times a scale, which products read as they lie: a quarter of the bytes of float32.

What a model makes of such before it multiplies by them, their widening, scaling and transposition, is one constant of
float32. It remembers what it was made of, and a product with it is one with the 8-bit floats, of whose results the
scales are a factor.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anytile.core.dtypes import FLOAT8, HALVES
from anytile.importers.core.graph import Scaled, Value
from anytile.importers.core.writer import Writer

FLOAT = "float32"


def widened(c: Writer, x: Value, wide: Value) -> Value:
    """What a constant became by a cast to floats, which hold all of its numbers."""
    if x.dtype in FLOAT8 and x.number is not None and wide.dtype in (FLOAT, *HALVES):
        wide.scaled = Scaled(x, c.graph.constant(np.ones((), np.float32), f"{x.name}_scale"), None, None)
    return wide


def multiplied(c: Writer, x: Value, by: Value, made: Value) -> Value:
    """What a constant matrix became by a factor for all of it, or for each of its rows or columns."""
    of, scale = x.scaled, by.number
    if of is None or of.codes.dtype not in FLOAT8 or scale is None or x.rank != 2 or made.dims != x.dims:
        return made
    axis = None if scale.size == 1 else _axis(x, by)
    if scale.size != 1 and (axis is None or of.axis not in (None, axis)):
        return made
    factor = c.reshape(by, () if axis is None else (x.dims[axis],))
    whole = c.do("multiply", of.scale, c.cast(factor, FLOAT))
    made.scaled = Scaled(of.codes, whole, None, of.axis if axis is None else axis)
    return made


def _axis(x: Value, by: Value) -> int | None:
    """Of which of two dimensions a factor has one for each index."""
    if by.rank == 2 and by.dims[1].value == 1 and by.dims[0] == x.dims[0]:
        return 0
    return 1 if by.dims[-1] == x.dims[1] and (by.rank == 1 or by.dims[0].value == 1) else None


def transposed(c: Writer, x: Value, perm: Sequence[int]) -> Value:
    """A transposed value, of which the same is known."""
    made, of = c.transpose(x, perm), x.scaled
    if of is not None and of.codes.dtype in FLOAT8:
        axis = None if of.axis is None else list(perm).index(of.axis)
        made.scaled = Scaled(c.transpose(of.codes, perm), of.scale, None, axis)
    return made


def product_with_small_floats(c: Writer, a: Value, b: Value, columns: int) -> Value | None:
    """A product with such a constant, of whose two axes `columns` is the one of the result; None where its scales are
    of anything else than all of it or each column, and where it is no such constant."""
    right = b.scaled
    if right is None or a.rank < 1 or a.dtype not in (FLOAT, *HALVES) or right.codes.dtype not in FLOAT8:
        return None
    if right.block or right.zero is not None or right.axis not in (None, columns) or right.codes.number is None:
        return None
    left = a.scaled if a.scaled is not None and a.scaled.codes.dtype in FLOAT8 and a.scaled.axis is None else None
    rows = c.cast(a if left is None else left.codes, FLOAT)
    rows = c.reshape(rows, (1, *rows.dims)) if a.rank == 1 else rows
    lying = right.codes if columns == 0 else c.transpose(right.codes, (1, 0))
    made = c.do("quantised_dense", rows, lying, x=FLOAT, w=lying.dtype, out=FLOAT)
    by = right.scale if left is None else c.do("multiply", right.scale, left.scale)
    made = c.cast(c.do("multiply", made, by), a.dtype)
    return c.reshape(made, made.dims[1:]) if a.rank == 1 else made
