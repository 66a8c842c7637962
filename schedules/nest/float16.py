"""The 16-bit floats: formats of memory, whose arithmetic is float32's.

numpy has no bfloat16, so wherever values are in numpy its numbers are held as float32, each of which is one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.core.dtypes import BY_NAME, STORED_FLOATS

HALVES = STORED_FLOATS


def held_as(dtype: str) -> str:
    """The dtype of numpy that holds values of a dtype of ours."""
    return BY_NAME[dtype].held or dtype


def rounded(values: NDArray[Any], dtype: str) -> NDArray[Any]:
    """Values as a dtype of ours holds them: to nearest, ties to even; those of other dtypes as numpy casts them."""
    if dtype != "bfloat16":
        return np.asarray(values).astype(dtype)
    wide = np.ascontiguousarray(values, np.float32)
    bits = wide.view(np.uint32)
    near = (bits + np.uint32(0x7FFF) + (bits >> 16 & 1)) & np.uint32(0xFFFF0000)
    return np.where(np.isnan(wide), wide, near.view(np.float32)).reshape(np.shape(values))


def bits_of(values: NDArray[Any], dtype: str) -> NDArray[Any]:
    """Values as they lie in memory, a single one without dimensions; of a bfloat16 that is held as float32 the upper
    half."""
    if dtype != "bfloat16":
        return np.asarray(values, dtype=dtype, order="C")
    return np.asarray(rounded(values, dtype).view(np.uint32) >> 16).astype(np.uint16)


def from_bits(found: NDArray[Any], dtype: str) -> NDArray[Any]:
    """The inverse: what lies in memory as values."""
    if dtype != "bfloat16":
        return found.view(dtype)
    return (found.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
