"""CUDA stream as a device of the machine: a GPU that does all that it is asked in order, on one stream of its own.

Since all is in order, memory that is dropped serves whoever asks next, though kernels that use it may not have begun:
nothing is given back to the driver in between, and nothing waits. One workspace serves all kernels for the same reason.
Invariant: under the lock a kernel's addresses, its workspace among them, are those that the launch passes on.
"""

from __future__ import annotations

import functools
import operator
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from anytile.codegen.artifact import Artifact
from anytile.core.errors import ArgumentError, SpecError
from anytile.dispatch.backends import cuda_device, require_arch
from anytile.dispatch.cuda.arrays import CUDA, CUDA_MANAGED, View, view
from anytile.dispatch.cuda.code import CudaCode
from anytile.dispatch.cuda.device import CudaDevice, Memory, OutOfDeviceMemory
from anytile.dispatch.cuda.loaded import Frame, Loaded, Ready, clear
from anytile.schedules.plans.plan import DispatchPlan
from anytile.vm.runtime.pool_words import class_of
from anytile.vm.values.devices import Array, Run

REMEMBERED_SIZES = 4096


class _Block:
    """Memory of the stream, taken back when it is dropped."""

    __slots__ = ("_free", "_memory", "address", "nbytes")

    def __init__(self, memory: Memory, nbytes: int, free: list[Memory]) -> None:
        self._memory, self._free = memory, free
        self.address, self.nbytes = memory.address, nbytes

    def hand_out(self) -> None:
        self._free = []

    def __del__(self) -> None:
        self._free.append(self._memory)


class StreamDevice:
    """See `Device`. Without a GPU of the caller's it is the one that kernels of this process run on."""

    def __init__(self, gpu: CudaDevice | None = None) -> None:
        self.gpu = cuda_device() if gpu is None else gpu
        self.stream = self.gpu.new_stream()
        self._lock = threading.Lock()
        self._free: dict[int, list[Memory]] = {}  # by how large it is
        self._workspace: _Block | None = None

    def load(self, artifact: Artifact, plan: DispatchPlan) -> Run:
        require_arch(plan.target, self.gpu)
        try:
            code = CudaCode.of(artifact.code)
        except ValueError as error:
            raise SpecError(f"kernel for {plan.workload}: its code is damaged: {error}; compile it again") from None
        if code.plan.workload != plan.workload:
            raise SpecError(f"kernel for {plan.workload}: its code is for {code.plan.workload}; compile it again")
        return _Kernel(self, Loaded(code, self.gpu)).run

    def allocate(self, nbytes: int) -> _Block:
        _, size = class_of(nbytes)
        free = self._free.setdefault(size, [])
        try:
            memory = free.pop()
        except IndexError:
            memory = self._fresh(size)
        return _Block(memory, nbytes, free)

    def _fresh(self, size: int) -> Memory:
        """Memory of the driver's, for which what is free in other sizes goes back to it, if need be."""
        try:
            made = self.gpu.allocate(size)
        except OutOfDeviceMemory:
            for free in list(self._free.values()):
                free.clear()
            self.wait()
            made = self.gpu.allocate(size)
        self.gpu.synchronise()  # whose it was may still use it, on another stream
        return made

    def write(self, address: int, data: Array) -> None:
        if data.nbytes:
            self.gpu.upload(address, data, self.stream)

    def read(self, address: int, nbytes: int) -> Array:
        if not nbytes:
            return np.empty(0, np.uint8)
        found = self.gpu.download(address, nbytes, self.stream)
        self.wait()
        return found

    def wait(self) -> None:
        self.gpu.wait(self.stream)

    def seen(self, where: str, array: Any) -> View | None:
        asked = getattr(array, "__dlpack_device__", None)
        if asked is None or asked()[0] not in (CUDA, CUDA_MANAGED):
            return None
        found = view(where, array, self.stream, self.gpu.index)
        if not found.contiguous:
            raise ArgumentError(
                f"{where}: not contiguous (strides {found.strides} of shape {found.shape}); pass a copy"
            )
        return found

    def launch(self, kernel: _Kernel, addresses: Sequence[int], dims: tuple[int, ...]) -> None:
        with self._lock:
            ready, frame = kernel.at(dims)
            if ready.function is None:
                x, w, y = addresses
                self.gpu.multiply(kernel.loaded.workload.dtype, ready.sizes, x, w, y, self.stream)
            elif not ready.empty:
                if functools.reduce(operator.or_, addresses) % ready.align:
                    raise kernel.not_aligned(addresses, ready.align)
                frame.values[: len(addresses)] = list(addresses)
                if ready.workspace:
                    frame.values[len(addresses)] = self._scratch(ready.workspace)
                self.gpu.launch(ready.function, ready.grid, self.stream, frame.address)

    def _scratch(self, nbytes: int) -> int:
        """The workspace of what is launched next, whose counters are zero then."""
        if self._workspace is None or self._workspace.nbytes < nbytes:
            self._workspace = self.allocate(nbytes)
            clear(self.gpu, self._workspace.address, nbytes, self.stream)
        return self._workspace.address


class _Kernel:
    """A plan's kernels on the device; what runs at some sizes, and the frame it is launched with, is made once."""

    def __init__(self, device: StreamDevice, loaded: Loaded) -> None:
        self._device, self.loaded = device, loaded
        self._at: dict[tuple[int, ...], tuple[Ready, Frame]] = {}

    def run(self, addresses: Sequence[int], dims: tuple[int, ...]) -> None:
        self._device.launch(self, addresses, dims)

    def at(self, dims: tuple[int, ...]) -> tuple[Ready, Frame]:
        known = self._at.get(dims)
        if known is None:
            loaded = self.loaded
            ready = loaded.at(dict(zip(loaded.workload.symbols, dims, strict=True)))
            if len(self._at) >= REMEMBERED_SIZES:
                self._at.clear()
            known = self._at[dims] = ready, loaded.frame(ready, [0] * loaded.tensors, 0)
        return known

    def not_aligned(self, addresses: Sequence[int], align: int) -> ArgumentError:
        tensors = self.loaded.workload.tensors
        tensor, rest = next((t, a % align) for t, a in zip(tensors, addresses, strict=True) if a % align)
        return ArgumentError(
            f"{self.loaded.workload.op}: {tensor.name} begins {rest} bytes after a multiple of {align}, and this "
            "kernel moves vectors; pass a copy of the input"
        )
