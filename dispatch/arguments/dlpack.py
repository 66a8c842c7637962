"""DLPack import: numpy's own arrays, or anything with `__dlpack__` (torch, jax and other CPU tensors), never copied.

numpy reads DLPack itself, but for bfloat16, which it has not. What cannot be read without a copy or lives on another
device is an ArgumentError that says so; silent conversion of lists, scalars and foreign dtypes is none of a kernel's
business.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.core.errors import ArgumentError
from anytile.dispatch.arguments.view import View, opened

Array = NDArray[Any]
_ADDED_TO_NUMPY = 2  # `isbuiltin` of a dtype that another package made
_ON_HOST = 1  # in DLPack's words


def _is_masked(given: object) -> bool:
    """Nothing is, as long as nobody has imported what makes masked arrays."""
    return "numpy.ma" in sys.modules and isinstance(given, np.ma.MaskedArray)


def _is_negated(given: object) -> bool:
    """Whether it is a view of torch's, such as the imaginary part of a conjugate, whose signs are turned when read."""
    turned = getattr(given, "is_neg", None)
    return callable(turned) and turned() is True


class _Bits:
    """The bits of a bfloat16 tensor, as numpy looks at memory; they keep it."""

    def __init__(self, seen: View) -> None:
        strides = tuple(2 * stride for stride in seen.strides)
        self.__array_interface__ = {
            **{"version": 3, "shape": seen.shape, "strides": strides, "typestr": "<u2", "data": (seen.address, False)}
        }
        self._keeps = seen.keeps


def is_bfloat16(given: object) -> bool:
    """Whether it is an array of the bfloat16 that another package adds to numpy, or another library's of its own."""
    dtype = getattr(given, "dtype", None)
    if isinstance(dtype, np.dtype):
        return dtype.isbuiltin == _ADDED_TO_NUMPY and dtype.name == "bfloat16"
    return dtype is not None and str(dtype).endswith("bfloat16")


def as_array(where: str, given: object) -> Array:
    """A numpy view of the same memory; of bfloat16 its bits, in uint16."""
    if type(given) is not np.ndarray and _is_masked(given):
        raise ArgumentError(f"{where}: a masked array has no plain values; pass .filled(...)")
    if isinstance(given, np.ndarray):
        plain = np.asarray(given)
        return plain.view(np.uint16) if is_bfloat16(plain) else plain
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
        return _bits_of(where, given) if is_bfloat16(given) else np.from_dlpack(given)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ArgumentError(
            f"{where}: {type(given).__name__} cannot be read through DLPack: {reason}; pass a dense CPU tensor, "
            "detached, of a dtype that numpy has, or bfloat16"
        ) from None


def _bits_of(where: str, given: Any) -> Array:
    """Those of another library's bfloat16 tensor."""
    kind, _ = given.__dlpack_device__()
    if kind != _ON_HOST:
        raise BufferError("it is on another device")
    return np.asarray(_Bits(opened(where, given.__dlpack__(), given)))
