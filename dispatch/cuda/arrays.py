"""Arrays on a device, from CuPy, torch, or anything with DLPack: looked at, never copied.

A family knows one library's arrays. Its `address` is the short way: a pointer if the array is exactly what a kernel
takes, else `Unfit`. `view` is the long way, for arrays of any library and for saying what is wrong with one. Nothing
here imports a library: a torch tensor can only come from somebody who has.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

from anytile.core.errors import ArgumentError, ResourceError
from anytile.dispatch.arguments.view import View, opened

CUDA, CUDA_MANAGED = 2, 13  # DLPack's device types


class Unfit(Exception):
    """Not exactly what a kernel takes; the long way says why."""


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


def _at(torch: Any, number: int) -> AbstractContextManager[object]:
    """On a device of torch's, which gives no tensor of another than its current one, nor knows that one's streams."""
    current = getattr(torch._C, "_cuda_getDevice", None)
    if current is None or current() == number:
        return nullcontext()
    there: AbstractContextManager[object] = torch.cuda.device(number)
    return there


def is_captured() -> bool:
    """Whether what this thread asks torch to do on its current stream is recorded by torch, and not done.

    Torch is asked where it uses a GPU already: a build of it for GPUs raises where there is none.
    """
    torch = sys.modules.get("torch")
    return torch is not None and torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing()


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
            at: AbstractContextManager[object] = nullcontext()
            torch = sys.modules.get("torch")
            if torch is not None and isinstance(array, torch.Tensor):
                array = array.detach()  # a parameter asks for gradients, which DLPack does not carry
                at = _at(torch, number)
            with at:
                capsule = array.__dlpack__(stream=stream or 1)  # 1 is the default stream in DLPack's words
    except ArgumentError:
        raise
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ArgumentError(f"{where}: {type(array).__name__} cannot be read through DLPack: {reason}") from None
    return opened(where, capsule, array)
