"""Group quantisation of a weight matrix to 4 bits: neighbours along k share a scale, two weights lie in a byte.

What is largest in a group, of either sign, becomes -8, the one of 16 numbers that has no counterpart on the other side.
Steps are smaller by an eighth than those of a symmetric range, and what stands for 8 is cut off at 7.
"""

from __future__ import annotations

import numpy as np

from anytile.compiler.ir.nodes import Array
from anytile.schedules.operators.products.grouped_dense import GROUPED_DENSE, midpoint, widened

GROUP = 32
# The attributes of a call. What rows lose in 16 bits is a thousandth of what weights lose in 4.
GIVEN = (("group", GROUP), ("scales", "float16"), ("accuracy", "float16"))
_ATTRIBUTES = GROUPED_DENSE.complete(dict(GIVEN))
_ZERO = midpoint(_ATTRIBUTES)
_ROWS = 256  # that are rounded at once, so that what is made of them stays in caches


def grouped_weight(weight: Array) -> tuple[Array, Array] | None:
    """The bytes of a weight as `grouped_dense` takes them, and the scales of its groups in float16; None where those
    do not hold its numbers."""
    n, k = weight.shape
    packed, scales = np.empty((n, -(-k // 2)), np.uint8), np.empty((n, -(-k // GROUP)), np.float16)
    for start in range(0, n, _ROWS):
        rows = slice(start, start + _ROWS)
        _round(weight[rows], packed[rows], scales[rows])
    return (packed, scales) if np.isfinite(scales).all() else None


def _round(weight: Array, packed: Array, scales: Array) -> None:
    n, k = weight.shape
    groups = scales.shape[1]
    if k % GROUP:
        weight = np.pad(weight, ((0, 0), (0, groups * GROUP - k)))
    parts = weight.reshape(n, groups, GROUP)
    high, low = parts.max(axis=2, initial=0.0), parts.min(axis=2, initial=0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        scales[...] = np.where(high > -low, high, low) / np.float32(-_ZERO)
        by = scales.astype(np.float32)
        upside = np.divide(np.float32(1), by, out=np.zeros_like(by), where=by != 0)
        codes = parts * upside[:, :, None]
        codes += np.float32(_ZERO + 0.5)
        np.clip(codes, 0, 2 * _ZERO - 1, out=codes)
        codes = codes.astype(np.uint8).reshape(n, -1)[:, : 2 * packed.shape[1]]
    packed[...] = codes[:, ::2] | codes[:, 1::2] << 4


def weight_of(packed: Array, scales: Array, k: int) -> Array:
    """The weight that bytes and scales stand for, in float64."""
    return widened({"w": packed, "scale": scales}, k, _ATTRIBUTES)
