"""Device array: a result of a model that lies on its device, for whoever reads DLPack or `__cuda_array_interface__`.

It is complete when it is handed out, so a reader needs no stream of ours. What reads it may run on any stream, and
nobody says when that is done: its memory serves again when all of the device was waited for, or at once where nobody
but its own device has seen it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anytile.core.errors import ArgumentError
from anytile.dispatch.arguments.view import View, row_major
from anytile.schedules.nest.stored_floats import added_to_numpy, array_dtype
from anytile.vm.values.devices import Array, Device
from anytile.vm.values.dlpack_capsule import capsule_of
from anytile.vm.values.values import DeviceStorage, Tensor, doubled, read


class DeviceArray:
    """`torch.from_dlpack(array)` and `cupy.asarray(array)` look at it where it lies."""

    def __init__(self, tensor: Tensor, device: Device) -> None:
        self._tensor, self._device = tensor, device

    @property
    def shape(self) -> tuple[int, ...]:
        return self._tensor.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        return array_dtype(self._tensor.dtype)

    @property
    def address(self) -> int:
        if isinstance(self._tensor.keeps, DeviceStorage):
            self._tensor.keeps.block.hand_out()
        return self._tensor.address

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device.dlpack

    def __dlpack__(
        self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None
    ) -> object:
        """Of any version and stream that is asked for: the array is complete."""
        if dl_device not in (None, self._device.dlpack):
            raise BufferError(f"it lies on device {self._device.dlpack}, not on {dl_device}; take it there and move it")
        if copy:
            made = doubled(self._tensor, self._device)
            self._device.wait()
            return DeviceArray(made, self._device).__dlpack__(stream=stream)
        return capsule_of(self.address, self.shape, self._tensor.dtype, self._device.dlpack, self._tensor)

    def seen_by(self, device: Device) -> View | None:
        """What its own device knows of it, which reads it in order with all else; None to others."""
        if device is not self._device:
            return None
        tensor = self._tensor
        return View(tensor.address, tensor.shape, row_major(tensor.shape), tensor.dtype, device.dlpack, tensor)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if added_to_numpy(self.dtype):
            raise ArgumentError(
                f"the array interface has no {self.dtype.name}; take it by DLPack, as torch.from_dlpack does"
            )
        where = self.address, self._tensor.read_only
        return {"version": 3, "shape": self.shape, "typestr": self.dtype.str, "data": where, "stream": None}

    def numpy(self) -> Array:
        """A copy on the host."""
        return read(self._device, self._tensor.address, self.shape, self._tensor.dtype)

    def __repr__(self) -> str:
        return f"DeviceArray({self._tensor.dtype}{list(self.shape)})"
