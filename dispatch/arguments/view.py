"""Array views: memory as DLPack describes it, of whichever library, dtype and device; looked at, never copied."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from anytile.core.dtypes import ROWS
from anytile.core.errors import ArgumentError

_CODES = {row.dlpack: row.name for row in ROWS if row.role != "hosted"}


@dataclass(frozen=True, slots=True)
class View:
    """Memory of some device, as anybody's array describes it. `keeps` must live as long as the address is used."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]  # in elements
    dtype: str
    device: tuple[int, int]  # DLPack's device type, and its number
    keeps: object = field(default=None, repr=False)

    @property
    def contiguous(self) -> bool:
        expected = 1
        for extent, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if extent != 1 and stride != expected:
                return math.prod(self.shape) == 0
            expected *= extent
        return True


class DLTensor(ctypes.Structure):
    """DLPack's own description of a tensor."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


def opened(where: str, capsule: object, array: object) -> View:
    """What a capsule of DLPack says of the array that made it."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    try:
        t = DLTensor.from_address(pointer(capsule, b"dltensor"))
    except ValueError:
        raise ArgumentError(f"{where}: {type(array).__name__} gives a DLPack capsule of another version") from None
    dtype = _CODES.get((t.code, t.bits)) if t.lanes == 1 else None
    if dtype is None:
        raise ArgumentError(f"{where}: its dtype (DLPack code {t.code}, {t.bits} bits) is none that kernels take")
    shape = tuple(t.shape[i] for i in range(t.ndim))
    strides = row_major(shape) if not t.strides else tuple(t.strides[i] for i in range(t.ndim))
    # The capsule stays ours and unconsumed: when it goes, the producer takes its memory back.
    return View((t.data or 0) + t.byte_offset, shape, strides, dtype, (t.device_type, t.device_id), (capsule, array))


def row_major(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides of elements one behind the other."""
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))
