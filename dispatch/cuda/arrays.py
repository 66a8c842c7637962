"""Arrays on a device, from CuPy, torch, or anything with DLPack: looked at, never copied.

A family knows one library's arrays. Its `address` is the short way: a pointer if the array is exactly what a kernel
takes, else `Unfit`. `view` is the long way, for arrays of any library and for saying what is wrong with one. Nothing
here imports a library: a torch tensor can only come from somebody who has.
"""

from __future__ import annotations

import ctypes
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from anytile.core.dtypes import ROWS
from anytile.core.errors import ArgumentError, ResourceError

CUDA, CUDA_MANAGED = 2, 13  # DLPack's device types
_CODES = {row.dlpack: row.name for row in ROWS if row.role != "hosted"}


class Unfit(Exception):
    """Not exactly what a kernel takes; the long way says why."""


@dataclass(frozen=True, slots=True)
class View:
    """Memory on a device, as anybody's array describes it. `keeps` must live as long as the address is used."""

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


class Family(Protocol):
    """The arrays of one library on one device."""

    def dtype(self, name: str) -> object:
        """How the library calls a dtype; None where it has none of the kind."""
        ...

    def address(self, array: Any, dtype: object) -> int:
        """Where a contiguous array of this dtype on this device lies; `Unfit` for every other one."""
        ...

    def empty(self, shape: tuple[int, ...], dtype: object) -> Any: ...

    def stream(self) -> int:
        """The caller's current stream."""
        ...

    contiguous: str  # how a contiguous copy is made, in the library's words


class TorchFamily:
    """torch's tensors, on torch's current stream of the device."""

    contiguous = "{0}.contiguous()"

    def __init__(self, torch: Any, index: int) -> None:
        self._torch, self._index = torch, index
        self._raw: Callable[[int], int] | None = getattr(torch._C, "_cuda_getCurrentRawStream", None)

    def dtype(self, name: str) -> object:
        return getattr(self._torch, name, None)

    def address(self, array: Any, dtype: object) -> int:
        if array.dtype is not dtype or array.get_device() != self._index or not array.is_contiguous():
            raise Unfit
        return int(array.data_ptr())

    def empty(self, shape: tuple[int, ...], dtype: object) -> Any:
        try:
            return self._torch.empty(shape, dtype=dtype, device=f"cuda:{self._index}")
        except RuntimeError as error:
            if type(error).__name__ != "OutOfMemoryError":  # its place in torch differs by version
                raise
            words = " ".join(str(error).split())[:200]
            raise ResourceError(
                f"a result of shape {shape}: out of device memory ({words}); use smaller sizes"
            ) from None

    def stream(self) -> int:
        if self._raw is not None:
            return self._raw(self._index)
        return int(self._torch.cuda.current_stream(self._index).cuda_stream)


class ForeignFamily:
    """Everybody else's arrays: read through DLPack; results are the device's own kind of array."""

    contiguous = "a contiguous copy of {0}"

    def __init__(self, native: Family) -> None:
        self._native = native

    def dtype(self, name: str) -> object:
        return self._native.dtype(name)

    def address(self, array: Any, dtype: object) -> int:
        raise Unfit  # the long way, always

    def empty(self, shape: tuple[int, ...], dtype: object) -> Any:
        return self._native.empty(shape, dtype)

    def stream(self) -> int:
        return self._native.stream()


def family_of(array: object, native: Family, native_type: type, index: int) -> Family:
    """Which family an array is of."""
    if isinstance(array, native_type):
        return native
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(array, torch.Tensor):
        return TorchFamily(torch, index)
    return ForeignFamily(native)


class _DLTensor(ctypes.Structure):
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


def view(where: str, array: Any, stream: int, here: int) -> View:
    """What DLPack says of an array; its producer sees to it that `stream` waits for what it has under way.

    An array on another device than `here` is refused before its producer is asked: that one knows no such stream.
    """
    if not hasattr(array, "__dlpack__") or not hasattr(array, "__dlpack_device__"):
        raise ArgumentError(
            f"{where}: expected an array on the GPU (CuPy, torch, or anything with __dlpack__), got "
            f"{type(array).__name__}; pass cupy.asarray(...)"
        )
    try:
        kind, number = array.__dlpack_device__()
        if kind == CUDA and number != here:
            raise ArgumentError(
                f"{where}: it is on cuda:{number}, and the kernel is on cuda:{here}; "
                "move it there, or build a kernel on its device"
            )
        if kind == 1:
            capsule = array.__dlpack__()
        else:
            if type(array).__module__.partition(".")[0] == "torch":
                array = array.detach()  # a parameter asks for gradients, which DLPack does not carry
            capsule = array.__dlpack__(stream=stream or 1)  # 1 is the default stream in DLPack's words
    except ArgumentError:
        raise
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ArgumentError(f"{where}: {type(array).__name__} cannot be read through DLPack: {reason}") from None
    return _opened(where, capsule, array)


def _opened(where: str, capsule: object, array: object) -> View:
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    try:
        t = _DLTensor.from_address(pointer(capsule, b"dltensor"))
    except ValueError:
        raise ArgumentError(f"{where}: {type(array).__name__} gives a DLPack capsule of another version") from None
    dtype = _CODES.get((t.code, t.bits)) if t.lanes == 1 else None
    if dtype is None:
        raise ArgumentError(f"{where}: its dtype (DLPack code {t.code}, {t.bits} bits) is none that kernels take")
    shape = tuple(t.shape[i] for i in range(t.ndim))
    strides = _row_major(shape) if not t.strides else tuple(t.strides[i] for i in range(t.ndim))
    # The capsule stays ours and unconsumed: when it goes, the producer takes its memory back.
    return View((t.data or 0) + t.byte_offset, shape, strides, dtype, (t.device_type, t.device_id), (capsule, array))


def _row_major(shape: Sequence[int]) -> tuple[int, ...]:
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))
