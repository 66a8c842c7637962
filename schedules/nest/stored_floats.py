"""Stored floats, those of 16 and 8 bits: formats of memory, whose arithmetic is float32's.

numpy has float16 alone, so wherever kernels' values are in numpy the numbers of the others are held as float32, each of
which is one. Tensors of models are arrays in the dtypes that the package ml_dtypes adds to numpy.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.core.dtypes import BY_NAME, FLOAT8, STORED_FLOATS
from anytile.core.errors import UnsupportedError

_BEYOND_ALL = np.float32(2**20)  # numbers of 8 bits
_OTHER_LIBRARIES = 2  # `isbuiltin` of a dtype that another package made


@dataclass(frozen=True, slots=True)
class Layout:
    """The bits of a small float, from the highest: its sign, its exponent less than `bias`, `digits` behind the point.

    With `infinite` the largest exponent is that of infinity and NaN, as IEEE 754 has it. Without, it is one of numbers,
    and NaN has all bits but the sign: what is beyond the largest number is rounded to it, infinity too.
    """

    bits: int
    digits: int
    bias: int
    infinite: bool = True

    @property
    def largest(self) -> float:
        """The largest number."""
        digits, exponent = divmod(self.beyond - self.infinite, 1 << self.digits)[::-1]
        return float((1 + digits / (1 << self.digits)) * 2.0 ** (exponent - self.bias))

    @property
    def step(self) -> float:
        """How far the one before it is from it."""
        return float(2.0 ** ((self.beyond - self.infinite >> self.digits) - self.bias - self.digits))

    @property
    def nan(self) -> int:
        """A NaN, without its sign: of several the quiet one."""
        return (1 << self.bits - 1) - (1 if not self.infinite else 1 << self.digits - 1)

    @property
    def beyond(self) -> int:
        """What a number beyond the largest one becomes."""
        return (1 << self.bits - 1) - (2 if not self.infinite else 1 << self.digits)


LAYOUTS: Mapping[str, Layout] = {
    "float16": Layout(16, 10, 15),
    "float8_e4m3fn": Layout(8, 3, 7, infinite=False),
    "float8_e5m2": Layout(8, 2, 15),
}
# How far apart neighbours are at most, relative to them.
STEPS = {"bfloat16": 2.0**-7, **{dtype: 2.0**-of.digits for dtype, of in LAYOUTS.items()}}


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
    added: np.dtype[Any] = np.dtype(getattr(ml_dtypes, dtype))
    return added


def added_to_numpy(dtype: np.dtype[Any]) -> bool:
    """Whether it is one of ours that numpy itself has not."""
    return dtype.isbuiltin == _OTHER_LIBRARIES and dtype.name in STORED_FLOATS


def is_float(dtype: np.dtype[Any]) -> bool:
    """Whether elements are floats; numpy knows no kind of a dtype that was added to it."""
    return dtype.kind == "f" or added_to_numpy(dtype)


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
    """An array of a tensor of this dtype out of one of numpy's files, where elements are bytes of no kind."""
    is_added = array.dtype.kind == "V" and array.dtype.itemsize * 8 == BY_NAME[dtype].bits and BY_NAME[dtype].held
    return array.view(array_dtype(dtype)) if is_added else array


def as_bytes(array: NDArray[Any]) -> NDArray[Any]:
    """An array as one of numpy's files keeps it, of which `as_stored` is the inverse: what numpy writes of a dtype that
    it has not it may not read."""
    return array.view(f"V{array.dtype.itemsize}") if added_to_numpy(array.dtype) else array


def as_tensor(values: NDArray[Any], dtype: str) -> NDArray[Any]:
    """The same numbers as a tensor of a model has them, rounded as here."""
    if dtype in FLOAT8 and values.dtype.name != dtype:
        return bits_of(in_numpy(values), dtype).view(array_dtype(dtype))
    return values.astype(array_dtype(dtype), copy=False)


def in_numpy(array: NDArray[Any]) -> NDArray[Any]:
    """The same numbers in a dtype that numpy itself has."""
    return array.astype(np.float32) if added_to_numpy(array.dtype) else array


def rounded(values: NDArray[Any], dtype: str) -> NDArray[Any]:
    """Values as a dtype of ours holds them: to nearest, ties to even; those of other dtypes as numpy casts them."""
    if not BY_NAME[dtype].held:
        return np.asarray(values).astype(dtype)
    return from_bits(bits_of(values, dtype), dtype)


def bits_of(values: NDArray[Any], dtype: str) -> NDArray[Any]:
    """Values as they lie in memory, a single one without dimensions."""
    if not BY_NAME[dtype].held:
        return np.asarray(values, dtype=dtype, order="C")
    wide = np.asarray(values, dtype=np.float32, order="C")
    if dtype != "bfloat16":
        return _rounded_bits(wide, LAYOUTS[dtype])
    bits = wide.view(np.uint32)
    near = np.asarray(bits + np.uint32(0x7FFF) + (bits >> 16 & 1) >> 16)
    return np.asarray(np.where(np.isnan(wide), bits >> 16 | 0x40, near)).astype(np.uint16)


def from_bits(found: NDArray[Any], dtype: str) -> NDArray[Any]:
    """The inverse: what lies in memory as values."""
    if not BY_NAME[dtype].held:
        return found.view(dtype)
    if dtype != "bfloat16":
        return _numbers(LAYOUTS[dtype])[found.view(np.uint8)]
    return (found.view(np.uint16).astype(np.uint32) << 16).view(np.float32)


@functools.cache
def _numbers(of: Layout) -> NDArray[np.float32]:
    """The numbers of 8 bits, by these."""
    bits = np.arange(1 << of.bits - 1)
    exponents, digits = bits >> of.digits, bits & (1 << of.digits) - 1
    ones = np.where(exponents > 0, 1 << of.digits, 0)
    sizes = np.ldexp((ones + digits).astype(np.float32), np.maximum(exponents, 1) - of.bias - of.digits)
    sizes[of.beyond + 1 :] = np.nan
    if of.infinite:
        sizes[of.beyond] = np.inf
    return np.concatenate([sizes, -sizes])


def _rounded_bits(wide: NDArray[np.float32], of: Layout) -> NDArray[np.uint8]:
    """Of floats the nearest numbers of 8 bits."""
    sizes = np.abs(wide)
    finite = np.where(np.isfinite(sizes), np.minimum(sizes, _BEYOND_ALL), 0)
    exponents = np.maximum(np.frexp(finite)[1] - 1, 1 - of.bias)
    steps = np.ldexp(np.rint(np.ldexp(finite, of.digits - exponents)), exponents - of.digits)
    ordered = _numbers(of)[: of.beyond + (0 if of.infinite else 1)]  # the finite ones, from 0 up
    bits = np.where(np.isfinite(sizes) & (steps <= ordered[-1]), np.searchsorted(ordered, steps), of.beyond)
    bits = np.where(np.isnan(sizes), of.nan, bits)
    return np.asarray(bits | np.signbit(wide) << of.bits - 1).astype(np.uint8)
