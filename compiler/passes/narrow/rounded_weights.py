"""Quantised weights of a layer: its matrix in 16-bit floats, in 8-bit integers with a scale for each channel, or in 4
bits with a scale for each group of neighbours.

A convolution's weight is a matrix with a row for each channel that comes out. 8-bit integers are symmetric, -127 to
127, so a weight has no zero point; what the activations' zero points add up to is the sum of a channel's integers times
them. Where two products are to add up in 16 bits, pairs of neighbours limit a scale, which is a third larger then: in a
row of a matrix, or among the channels that a tap of a convolution sees.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from anytile.compiler.ir.nodes import Array
from anytile.compiler.passes.narrow.grouped_weights import grouped_weight, weight_of
from anytile.compiler.passes.narrow.histograms import Range
from anytile.core.dtypes import HALVES
from anytile.core.errors import SpecError
from anytile.schedules.nest.stored_floats import bits_of, from_bits, rounded
from anytile.schedules.operators.products.quantised_dense import IN_16_BITS, IN_32_BITS
from anytile.schedules.operators.reductions.quantise_rows import QUANTISE_ROWS

FLOAT, EXACT, INT8, INT4 = "float32", "exact", "int8", "int4"
NARROW = (*HALVES, INT8, INT4)
PRECISIONS = (FLOAT, *NARROW, EXACT)
_MOST = 127.0


@dataclass(frozen=True, eq=False)
class RoundedWeight:
    """A weight as kernels are given it. Of int8, `by` are the scales of its rows and `total` the sums of their
    integers; of int4 `by` are those of its groups. Of other dtypes they are empty. `pairs` is what two products of
    neighbours add up in, as `quantised_dense` has it."""

    dtype: str
    array: Array
    by: Array
    total: Array
    pairs: str = IN_32_BITS

    def scaled(self, within: Range) -> tuple[Array, Array]:
        """The factor and the summand of each channel that make its result of sums of integers within a range."""
        factor = within.scale * self.by
        return factor, (-float(within.zero) * self.total.astype(np.float64) * factor).astype(np.float32)

    def times(self, x: Array, within: Range | None = None) -> Array:
        """The product of rows of float32 with the transposed weight as narrow layers compute it, in float64."""
        if self.dtype != INT8:
            is_grouped = self.dtype == INT4
            weight = weight_of(self.array, self.by, x.shape[1]) if is_grouped else from_bits(self.array, self.dtype)
            x = x if is_grouped else rounded(x, self.dtype)
            return np.asarray(x.astype(np.float64) @ weight.T.astype(np.float64))
        return np.asarray(self.seen(x, within) @ self.value.T)

    @property
    def value(self) -> Array:
        """What 16 bits or the integers of an int8 stand for, in float64."""
        if self.dtype in HALVES:
            return from_bits(self.array, self.dtype).astype(np.float64)
        return np.asarray(self.array * self.by.astype(np.float64).reshape(-1, *[1] * (self.array.ndim - 1)))

    def seen(self, x: Array, within: Range | None) -> Array:
        """Rows of float32 as 16 bits, or as their integers beside an int8 stand for them, in float64."""
        if self.dtype in HALVES:
            return rounded(x, self.dtype).astype(np.float64)
        if within is None:
            codes, scale, zero = QUANTISE_ROWS.reference({"x": x}, {})
            return np.asarray((codes - zero.astype(np.float64)) * scale)
        return np.asarray((within.codes(x) - np.float64(within.zero)) * np.float64(within.scale))


def rounded_weight(weight: Array, dtype: str, pairs: str = IN_32_BITS) -> RoundedWeight | None:
    """A weight in a narrow dtype; None where that holds none of its numbers: they are no numbers, or too large."""
    nothing = np.zeros(0, np.float32)
    with np.errstate(over="ignore"):
        if dtype in HALVES:
            found = RoundedWeight(dtype, bits_of(weight, dtype), nothing, nothing)
            return found if np.isfinite(from_bits(found.array, dtype)).all() else None
    if dtype == INT4:
        made = grouped_weight(weight)
        return made and RoundedWeight(dtype, *made, nothing)
    matrix = weight.reshape(len(weight), math.prod(weight.shape[1:]))
    largest = np.abs(matrix).max(axis=1, initial=0.0)
    if pairs == IN_16_BITS:  # a sum of 127 is 128 where both are rounded up
        whole = weight.shape[1] // 2 * 2
        with np.errstate(over="ignore", invalid="ignore"):
            sums = np.abs(weight[:, :whole:2] + weight[:, 1:whole:2])
        largest = np.maximum(largest, sums.max(axis=tuple(range(1, weight.ndim)), initial=0.0))
    if not np.isfinite(largest).all():
        return None
    by = (np.where(largest > 0, largest, np.float32(1)) / np.float32(_MOST)).astype(np.float32)
    by = np.maximum(by, np.finfo(np.float32).tiny)
    array = np.rint(matrix / by[:, None]).astype(np.int8)
    total = array.sum(axis=1, dtype=np.int64).astype(np.float32)
    return RoundedWeight(dtype, array.reshape(weight.shape), by, total, pairs)


def require_precision(dtype: str, among: tuple[str, ...] = PRECISIONS) -> None:
    """A precision that there is."""
    if dtype not in among:
        raise SpecError(f"precision {dtype!r}: expected one of {', '.join(among)}")
