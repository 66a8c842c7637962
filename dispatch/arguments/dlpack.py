"""DLPack import: numpy's own arrays, or anything with `__dlpack__` (torch, jax and other CPU tensors), never copied.

numpy reads DLPack itself, but for bfloat16 and floats of 8 bits, which it has not. What cannot be read without a copy
or lives on another device is an ArgumentError that says so; silent conversion of lists, scalars and foreign dtypes is
none of a kernel's business.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.core.dtypes import BY_NAME, ROWS
from anytile.core.errors import ArgumentError
from anytile.dispatch.arguments.view import View, opened
from anytile.schedules.nest.stored_floats import added_to_numpy

Array = NDArray[Any]
_ADDED = tuple(row.name for row in ROWS if row.bits_as)  # to numpy, by another package
_ON_HOST = 1  # in DLPack's words


def _is_masked(given: object) -> bool:
    """Nothing is, as long as nobody has imported what makes masked arrays."""
    return "numpy.ma" in sys.modules and isinstance(given, np.ma.MaskedArray)


def _is_negated(given: object) -> bool:
    """Whether it is a view of torch's, such as the imaginary part of a conjugate, whose signs are turned when read."""
    turned = getattr(given, "is_neg", None)
    return callable(turned) and turned() is True


class _Bits:
    """The bits of a tensor whose dtype numpy has not, as it looks at memory; they keep it."""

    def __init__(self, seen: View) -> None:
        bits = np.dtype(BY_NAME[seen.dtype].bits_as)
        strides = tuple(bits.itemsize * stride for stride in seen.strides)
        self.__array_interface__ = {
            **{
                "version": 3,
                "shape": seen.shape,
                "strides": strides,
                "typestr": bits.str,
                "data": (seen.address, False),
            }
        }
        self._keeps = seen.keeps


def added_dtype(given: object) -> str:
    """Which of the floats it has that another package adds to numpy, in its arrays or another library's; "" of none."""
    dtype = getattr(given, "dtype", None)
    if isinstance(dtype, np.dtype):
        return dtype.name if added_to_numpy(dtype) else ""
    name = "" if dtype is None else str(dtype).rpartition(".")[2]
    return name if name in _ADDED else ""


def as_array(where: str, given: object) -> Array:
    """A numpy view of the same memory; of floats that numpy has not their bits, as unsigned integers."""
    if type(given) is not np.ndarray and _is_masked(given):
        raise ArgumentError(f"{where}: a masked array has no plain values; pass .filled(...)")
    if isinstance(given, np.ndarray):
        plain = np.asarray(given)
        return plain.view(BY_NAME[plain.dtype.name].bits_as) if added_to_numpy(plain.dtype) else plain
    if not hasattr(given, "__dlpack__") or isinstance(given, np.generic):
        raise ArgumentError(
            f"{where}: expected a numpy array or an object with __dlpack__, got {type(given).__name__}; "
            "pass numpy.asarray(...)"
        )
    if _is_negated(given):
        raise ArgumentError(
            f"{where}: its values lie negated in memory, which DLPack does not say; pass .resolve_neg()"
        )
    try:
        return _bits_of(where, given) if added_dtype(given) else np.from_dlpack(given)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ArgumentError(
            f"{where}: {type(given).__name__} cannot be read through DLPack: {reason}; pass a dense CPU tensor, "
            f"detached, of a dtype that numpy has, or {', '.join(_ADDED)}"
        ) from None


def _bits_of(where: str, given: Any) -> Array:
    """Those of another library's tensor."""
    kind, _ = given.__dlpack_device__()
    if kind != _ON_HOST:
        raise BufferError("it is on another device")
    return np.asarray(_Bits(opened(where, given.__dlpack__(), given)))
