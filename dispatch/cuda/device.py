"""Device interface of a GPU: what anytile asks of one, as a protocol, and the ways in which it fails.

`CupyDevice` answers on NVIDIA hardware; the tests have a device that runs the same kernels on the CPU. Addresses,
streams and functions are plain numbers, so that whatever holds them costs nothing to pass on. Invariant: a call either
did what it says, or raised one of the errors below, in one line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from numpy.typing import NDArray

from anytile.core.errors import CodegenError, MeasureError, ResourceError
from anytile.dispatch.cuda.arrays import Family
from anytile.dispatch.cuda.code import Kernel
from anytile.schedules.hardware.nvidia_driver import Device

Array = NDArray[Any]


class OutOfDeviceMemory(ResourceError):
    """The device has not as much memory; it is otherwise well."""


class RecordingEnded(CodegenError):
    """A graph that was being recorded is lost, by what another thread asked of the GPU; the next one may not be."""


class DoesNotFit(ResourceError):
    """The device has no room for the blocks of a kernel that must run together; it is otherwise well."""


class BrokenContext(CodegenError):
    """A kernel did what a GPU does not forgive (an illegal access): nothing runs in this process any more."""


class DeviceLost(MeasureError):
    """The device itself is gone, or does not answer: no process can use it now."""


@dataclass(frozen=True, slots=True)
class Function:
    """A kernel loaded on a device. Whoever launches it, or keeps a graph that does, holds this."""

    handle: int
    block: tuple[int, int, int]
    shared: int
    waits: bool = False  # itself, for what was launched before it, on a GPU that can begin kernels early
    module: object = field(default=None, repr=False, compare=False)  # its code, unloaded after the last holder


class Memory(Protocol):
    """Bytes on the device, given back when the last one who holds this lets go and nothing runs that may use them."""

    @property
    def address(self) -> int: ...
    @property
    def nbytes(self) -> int: ...


class Queue(NamedTuple):
    """Work that runs in order: that of a stream, or of the part of one capture that goes to a stream."""

    stream: int  # the driver's number of it, which no later stream is given
    thread: int = 0  # whose it is, where every thread has a default stream of its own
    capture: int = 0  # the driver's number of it; 0 where nothing is captured


class Graph(Protocol):
    """Recorded work, to be done again and again without a host in between."""

    def launch(self, stream: int) -> None: ...


class CudaDevice(Protocol):
    """One device, with one context of this process. Streams are CUDA's own numbers; 0 is the default one."""

    @property
    def facts(self) -> Device: ...

    @property
    def index(self) -> int:
        """Its number in this process."""
        ...

    @property
    def native(self) -> Family:
        """The arrays of the library that this device is reached through."""
        ...

    @property
    def native_type(self) -> type: ...

    def load(self, kernel: Kernel) -> Function:
        """Its code goes like `Memory` goes: when nobody holds the function and nothing runs that may be it."""
        ...

    def allocate(self, nbytes: int) -> Memory:
        """Memory that nothing which is under way uses, for any stream."""
        ...

    def free_bytes(self) -> int: ...

    def write(self, address: int, data: Array) -> None:
        """Copy a contiguous array to the device; done when this returns."""
        ...

    def read(self, address: int, nbytes: int) -> NDArray[Any]:
        """Bytes of the device, after everything that runs there."""
        ...

    def upload(self, address: int, source: int, nbytes: int, stream: int) -> None:
        """Copy so many bytes of the host when the stream gets there; they may change when this returns."""
        ...

    def download(self, address: int, into: int, nbytes: int, stream: int) -> None:
        """Copy so many bytes of the device to the host when the stream gets there, to be read after a wait for it."""
        ...

    def move(self, address: int, source: int, nbytes: int, stream: int) -> None:
        """Copy so many bytes from one place on the device to another, apart from it, when the stream gets there."""
        ...

    def fill(self, address: int, nbytes: int, byte: int, stream: int) -> None: ...

    def launch(
        self, function: Function, grid: tuple[int, int, int], stream: int, arguments: int, early: bool = False
    ) -> None:
        """`arguments` is the address of a table of pointers to the values of the kernel's parameters. A function that
        waits may begin `early`, while what was launched before it still runs."""
        ...

    def tensor_map(
        self, address: int, dtype: str, sizes: tuple[int, ...], box: tuple[int, ...], steps: tuple[int, ...]
    ) -> bytes:
        """What a kernel is given of an array at an address, to copy boxes of it, whose neighbours are `steps` apart:
        `MAP_BYTES` that only the driver knows the meaning of."""
        ...

    def launch_by(self, onward: Callable[[int, int, int], tuple[int, int]]) -> None:
        """Many launches by native code: `onward(function, early, first)` is given the addresses of what takes a launch
        as cuLaunchKernel does, and as cuLaunchKernelEx does (0 where there is none), and which launch to begin with; it
        answers with which one was refused, and the status."""
        ...

    def multiply(self, dtype: str, sizes: tuple[int, int, int], x: int, w: int, y: int, stream: int) -> None:
        """y[m, n] = x[m, k] @ w[n, k].T by the device's own library; `library` says whether there is one."""
        ...

    def library(self) -> str | None:
        """The library's name and version, or None."""
        ...

    def synchronise(self) -> None:
        """Wait for everything, and before that for another thread that records a graph, which this would end; what
        went wrong on the device shows here. Nobody may hold a lock meanwhile that launches take."""
        ...

    def wait(self, stream: int) -> None:
        """Wait for what a stream has been given; what went wrong on the device shows here."""
        ...

    def new_stream(self) -> int: ...

    def queue(self, stream: int) -> Queue:
        """What work on this stream is in order with, now and in this thread."""
        ...

    def record(self, stream: int, work: Callable[[], None], replayed_on: int | None = None) -> Graph:
        """What `work` launches on the stream, as a graph; nothing runs yet. A graph that is only ever launched on one
        stream is in order with that stream's work, and needs no workspace apart."""
        ...

    def seconds(self, stream: int, work: Callable[[], None]) -> float:
        """How long what `work` launches on the stream took on the device, by events; waits for it."""
        ...
