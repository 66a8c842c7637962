"""The 16-bit floats: formats of memory, whose arithmetic is float32's.

numpy has no bfloat16, so wherever kernels' values are in numpy its numbers are held as float32, each of which is one.
Tensors of models are arrays in the dtype that the package ml_dtypes adds to numpy.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.core.dtypes import BY_NAME, STORED_FLOATS
from anytile.core.errors import UnsupportedError

HALVES = STORED_FLOATS


def held_as(dtype: str) -> str:
    """The dtype of numpy that holds values of a dtype of ours."""
    return BY_NAME[dtype].held or dtype


@functools.cache
def array_dtype(dtype: str) -> np.dtype[Any]:
    """The dtype of numpy's arrays that are tensors of a model; once it was asked for, numpy knows it by its name."""
    if not BY_NAME[dtype].held:
        return np.dtype(dtype)
    try:
        import ml_dtypes
    except ImportError:
        raise UnsupportedError(f"tensors of {dtype}, which numpy has not: pip install ml_dtypes") from None
    added: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    return added


def is_float(dtype: np.dtype[Any]) -> bool:
    """Whether elements are floats; numpy knows no kind of a dtype that was added to it."""
    return dtype.kind == "f" or (dtype.kind == "V" and dtype.name == "bfloat16")


def lowest_of(dtype: str) -> float:
    """The least finite number of a float dtype of models."""
    return float(_limits(dtype).min)


def epsilon_of(dtype: str) -> float:
    """How far the next number of a float dtype is from 1."""
    return float(_limits(dtype).eps)


def _limits(dtype: str) -> Any:
    if not BY_NAME[dtype].held:
        return np.finfo(dtype)
    import ml_dtypes

    return ml_dtypes.finfo(array_dtype(dtype))  # type: ignore[no-untyped-call]  # it says no types


def as_stored(array: NDArray[Any], dtype: str) -> NDArray[Any]:
    """An array of a tensor of this dtype out of one of numpy's files, which have a bfloat16 as two bytes of no kind."""
    is_added = dtype in HALVES and array.dtype.kind == "V" and array.dtype.itemsize == 2
    return array.view(array_dtype(dtype)) if is_added else array


def in_numpy(array: NDArray[Any]) -> NDArray[Any]:
    """The same numbers in a dtype that numpy itself has."""
    return array.astype(np.float32) if array.dtype.kind == "V" and is_float(array.dtype) else array


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
