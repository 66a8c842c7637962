"""DLPack import: numpy's own arrays, or anything with `__dlpack__` (torch, jax and other CPU tensors), never copied.

What cannot be read without a copy or lives on another device is an ArgumentError that says so; silent conversion of
lists, scalars and foreign dtypes is none of a kernel's business.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.core.errors import ArgumentError

Array = NDArray[Any]
_ADDED_TO_NUMPY = 2  # `isbuiltin` of a dtype that another package made


def _is_masked(given: object) -> bool:
    """Nothing is, as long as nobody has imported what makes masked arrays."""
    return "numpy.ma" in sys.modules and isinstance(given, np.ma.MaskedArray)


def _is_negated(given: object) -> bool:
    """Whether it is a view of torch's, such as the imaginary part of a conjugate, whose signs are turned when read."""
    turned = getattr(given, "is_neg", None)
    return callable(turned) and turned() is True


def as_array(where: str, given: object) -> Array:
    """A numpy view of the same memory."""
    if type(given) is not np.ndarray and _is_masked(given):
        raise ArgumentError(f"{where}: a masked array has no plain values; pass .filled(...)")
    if isinstance(given, np.ndarray):
        plain = np.asarray(given)
        added = plain.dtype.isbuiltin == _ADDED_TO_NUMPY
        return plain.view(np.uint16) if added and plain.dtype.name == "bfloat16" else plain
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
        return np.from_dlpack(given)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ArgumentError(
            f"{where}: {type(given).__name__} cannot be read through DLPack: {reason}; pass a dense CPU tensor, "
            "detached, of a dtype that numpy has"
        ) from None
