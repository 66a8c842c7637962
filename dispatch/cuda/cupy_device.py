"""The device through CuPy: its wrappers of the driver and the runtime, called with plain numbers.

Everything of an error is read off its code: what is out of memory stays usable, what broke the context ends the use of
the device by this process, and what means that the device is gone says so. CuPy is imported here and nowhere else.
"""

from __future__ import annotations

import ctypes
import functools
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.codegen.cuda.launch import MAP_BYTES
from anytile.core.command_hint import command_line
from anytile.core.dtypes import BYTES
from anytile.core.errors import AnytileError, CodegenError, UnsupportedError
from anytile.dispatch.cuda.arrays import Family, Unfit
from anytile.dispatch.cuda.code import Kernel
from anytile.dispatch.cuda.cublas import Cublas, load
from anytile.dispatch.cuda.device import (
    BrokenContext,
    DeviceLost,
    DoesNotFit,
    Function,
    OutOfDeviceMemory,
    Queue,
    RecordingEnded,
)
from anytile.schedules.hardware import nvidia_driver as machine
from anytile.schedules.hardware.gpu import gpu_facts
from anytile.schedules.hardware.nvidia_driver import Device
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.stored_floats import array_dtype

# The codes of cudaError_t and CUresult, which agree in these.
_MEMORY = {2}
_NO_ROOM = {701, 720, 912}  # for a block, or for those of a cluster at once, as in a slice of a GPU
_NO_IMAGE = {209, 218}  # not a kernel for this device
_TOO_NEW = {200, 222}  # a cubin that the driver cannot read, PTX that it does not know
_BROKEN = {226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721}
_LOST = {3, 4, 46, 100, 101, 214, 220, 802, 803, 804, 999}
_INVALIDATED = {901}  # a capture, as by a wait for the whole device, in whatever thread and library
_OWN_DEFAULT = 2  # the handle of every thread's own default stream
_NO_CONTEXT = 201  # this thread has not used the device yet
_H2D, _D2H, _D2D = 1, 2, 3
_PAGEABLE = 0  # cudaMemoryTypeUnregistered
_READS_PAGEABLE = 88  # cudaDevAttrPageableMemoryAccess
_TAKEN_ASIDE = 64 << 10  # bytes that any driver takes along with the command to copy them
_RELAXED = 2  # a capture in which this thread and others may allocate
_MAX_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
_PLAIN_SHARED = 48 << 10
PROGRAMMATIC_STREAM_SERIALISATION = 6  # CUlaunchAttributeID
MAPS = 4096  # tensor maps that are remembered
_MAP_DTYPES = {"float16": 6, "float32": 7, "bfloat16": 9}  # CUtensorMapDataType
_NOT_INTERLEAVED, _SWIZZLE_128, _PROMOTED_256, _ZEROS_OUTSIDE = 0, 3, 3, 0


def open_device() -> CupyDevice:
    """The device that CuPy would use; one line says what is missing."""
    found = machine.find()
    try:
        import cupy
        from cupy_backends.cuda.api import driver, runtime
    except ImportError as error:
        reason = " ".join(str(error).split())[:200]
        raise machine.NoDevice(f"{machine.CUPY} ({reason})") from None
    wanted = runtime.runtimeGetVersion()
    if wanted // 1000 > found.driver[0]:
        raise UnsupportedError(
            f"the NVIDIA driver supports CUDA {found.driver[0]}.{found.driver[1]}, and this CuPy is for CUDA "
            f"{wanted // 1000}.{wanted % 1000 // 10}; install a newer driver, or anytile[cuda{found.driver[0]}]"
        )
    with _translated():
        index = int(runtime.getDevice())
        cupy.zeros(1)  # makes the context now, where its failure can be said plainly
    facts = machine.find(index) if index else found
    return CupyDevice(cupy, driver, runtime, facts, index)


@functools.cache
def cublas() -> Any:
    """CuPy's cuBLAS, or None where the library is not installed."""
    try:
        from cupy_backends.cuda.libs import cublas as found
    except ImportError:
        return None
    return found


@functools.cache
def _array_dtype(name: str) -> object:
    """numpy's name for the dtype of CuPy's arrays; None where a package that adds it to numpy is not installed."""
    try:
        return array_dtype(name)
    except UnsupportedError:
        return None


@functools.cache
def cuda() -> Any:
    """The driver's library, for what CuPy does not wrap."""
    return ctypes.CDLL("libcuda.so.1")


def _extended() -> Any:
    """What takes launches that may begin early; None where the driver has nothing that does."""
    return getattr(cuda(), "cuLaunchKernelEx", None)


class LaunchAttribute(ctypes.Structure):
    """CUlaunchAttribute."""

    _fields_ = (("kind", ctypes.c_int), ("pad", ctypes.c_int), ("value", ctypes.c_int), ("rest", ctypes.c_int * 15))


class LaunchConfiguration(ctypes.Structure):
    """CUlaunchConfig."""

    _fields_ = (
        *(("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_uint)),
        *(("stream", ctypes.c_void_p), ("attributes", ctypes.POINTER(LaunchAttribute)), ("count", ctypes.c_uint)),
    )


def _said_of_map(
    address: int, dtype: str, sizes: tuple[int, ...], box: tuple[int, ...], steps: tuple[int, ...]
) -> tuple[Any, ...]:
    """What the driver is told of a tensor map; it counts dimensions from the last one on."""
    rank, pitches = len(sizes), [BYTES[dtype] * prod(sizes[d:]) for d in range(len(sizes) - 1, 0, -1)]
    dims, pitch = (ctypes.c_uint64 * rank)(*reversed(sizes)), (ctypes.c_uint64 * (rank - 1))(*pitches)
    reach = [size * step for size, step in zip(box, steps, strict=True)]
    boxes, every = (ctypes.c_uint32 * rank)(*reversed(reach)), (ctypes.c_uint32 * rank)(*reversed(steps))
    what = _MAP_DTYPES[dtype], rank, ctypes.c_void_p(address), dims, pitch, boxes, every
    return *what, _NOT_INTERLEAVED, _SWIZZLE_128, _PROMOTED_256, _ZEROS_OUTSIDE


@contextmanager
def _translated(what: str = "the GPU") -> Iterator[None]:
    """CuPy's exceptions, those without a code too, and the out-of-memory of its pool, as ours."""
    try:
        yield
    except AnytileError:
        raise
    except MemoryError as error:
        raise OutOfDeviceMemory(f"{what}: out of device memory ({_line(error)}); use smaller sizes") from None
    except RuntimeError as error:
        code = getattr(error, "status", None)
        if code is None or type(error).__name__ == "CUBLASError":  # whose codes are others
            raise CodegenError(f"{what}: {_line(error)}") from None
        raise _failure(int(code), what, _line(error)) from None


def _failure(code: int, what: str, words: str) -> Exception:
    if code in _MEMORY:
        return OutOfDeviceMemory(f"{what}: out of device memory ({words}); use smaller sizes")
    if code in _NO_ROOM:
        return DoesNotFit(
            f"{what}: the GPU, or the slice of it that this is, has no room for the kernel's blocks that run together "
            f"({words}); tune it there, or build it untuned"
        )
    if code in _INVALIDATED:
        return RecordingEnded(f"{what}: {words}; another thread waited for the whole GPU, or the like")
    if code in _BROKEN:
        return BrokenContext(f"{what}: {words}; the GPU takes no more work from this process, start another")
    if code in _LOST:
        return DeviceLost(f"the GPU is gone or does not answer: {words}; see `nvidia-smi`, then go on")
    if code in _TOO_NEW:
        return CodegenError(
            f"{what}: made by a newer CUDA toolkit than the driver takes ({words}); install a newer driver, or the "
            f"NVRTC of the driver's CUDA version (`{command_line('doctor')}` shows both), and build it again"
        )
    if code in _NO_IMAGE:
        return CodegenError(f"{what}: not code for this device ({words}); build it for this machine's target")
    return CodegenError(f"{what}: {words}")


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]


class CupyFamily:
    """CuPy's arrays, on CuPy's current stream of the device, whichever device is the current one."""

    contiguous = "cupy.ascontiguousarray({0})"

    def __init__(self, cupy: Any, index: int, several: bool) -> None:
        self._cupy, self._index, self._several = cupy, index, several
        self._current = cupy.cuda.get_current_stream

    def dtype(self, name: str) -> object:
        return _array_dtype(name)

    def address(self, array: Any, dtype: object) -> int:
        data = array.data
        if array.dtype != dtype or data.device_id != self._index or not array.flags.c_contiguous:
            raise Unfit
        return int(data.ptr)

    def empty(self, shape: tuple[int, ...], dtype: object) -> Any:
        try:
            if not self._several:
                return self._cupy.empty(shape, dtype)
            with self._cupy.cuda.Device(self._index):
                return self._cupy.empty(shape, dtype)
        except (MemoryError, RuntimeError):
            with _translated(f"a result of shape {shape}"):
                raise

    def stream(self) -> int:
        return int(self._current(self._index).ptr)


@dataclass(frozen=True, slots=True)
class _Memory:
    """Memory that is not given back at once: kernels on streams that CuPy's pool knows nothing of may still use it."""

    pointer: Any  # cupy.cuda.MemoryPointer, which gives the memory back
    nbytes: int
    let_go: list[Any]  # until the device was waited for

    def __del__(self) -> None:
        self.let_go.append(self.pointer)

    @property
    def address(self) -> int:
        return int(self.pointer.ptr)


@dataclass(frozen=True, slots=True)
class _Image:
    """Code in the device's memory."""

    handle: int
    driver: Any

    def __del__(self) -> None:
        if not sys.is_finalizing():  # all goes with the process
            with suppress(RuntimeError):  # of a context that is broken nothing is left
                self.driver.moduleUnload(self.handle)


@dataclass(frozen=True, slots=True)
class _Module:
    """Code that is not unloaded at once: kernels of it may be under way, on any stream and in graphs."""

    image: _Image
    let_go: list[Any] = field(repr=False)  # until the device was waited for

    def __del__(self) -> None:
        self.let_go.append(self.image)


@dataclass(frozen=True, slots=True)
class _Graph:
    """CuPy's own graphs come from its own streams alone."""

    executable: int
    runtime: Any
    home: Callable[[str], AbstractContextManager[None]]

    def launch(self, stream: int) -> None:
        with self.home("a graph"):
            self.runtime.graphLaunch(self.executable, stream)

    def __del__(self) -> None:
        with suppress(RuntimeError):  # of a context that is broken nothing is left; what runs is let run
            self.runtime.graphExecDestroy(self.executable)


class CupyDevice:
    """See `CudaDevice`."""

    def __init__(self, cupy: Any, driver: Any, runtime: Any, facts: Device, index: int) -> None:
        self._cupy, self._driver, self._runtime = cupy, driver, runtime
        self._facts, self._index = facts, index
        self._several = int(runtime.getDeviceCount()) > 1
        self._family = CupyFamily(cupy, index, self._several)
        self._let_go: list[Any] = []
        self._recording = threading.Lock()  # waiting for all of the device ends any capture on it, whoever waits
        self._recorder: int | None = None  # the thread that holds it to record
        self._streams: list[Any] = []
        self._replayed_on: dict[int, int] = {}  # of streams that are captured: where the graph will run
        self._cublas: Cublas | None = None
        self._maps = functools.lru_cache(MAPS)(self._encoded)
        self._reads_pageable: bool | None = None  # by itself, when it gets there

    @property
    def facts(self) -> Device:
        return self._facts

    @property
    def index(self) -> int:
        return self._index

    @property
    def native(self) -> Family:
        return self._family

    @property
    def native_type(self) -> type:
        return self._cupy.ndarray  # type: ignore[no-any-return]

    @contextmanager
    def _at_home(self, what: str = "the GPU") -> Iterator[None]:
        """On this device, also in a thread that has not used it yet; the caller's device stays what it was."""
        with _translated(what):
            before = int(self._runtime.getDevice())
            self._runtime.setDevice(self._index)
            try:
                yield
            finally:
                if before != self._index:
                    self._runtime.setDevice(before)

    def load(self, kernel: Kernel) -> Function:
        launch = kernel.launch
        with self._at_home(launch.kernel):
            image = _Image(int(self._driver.moduleLoadData(kernel.cubin)), self._driver)
            module = _Module(image, self._let_go)
            handle = int(self._driver.moduleGetFunction(image.handle, launch.kernel))
            if launch.shared > _PLAIN_SHARED:
                self._driver.funcSetAttribute(handle, _MAX_DYNAMIC_SHARED, launch.shared)
        early = gpu_facts(Target.parse(f"cuda -arch={kernel.arch}")).early_launches
        return Function(handle, launch.block, launch.shared, launch.waits and early, module)

    def allocate(self, nbytes: int) -> _Memory:
        if self._let_go and self._recording.acquire(blocking=False):  # who is waited for may wait for what we hold
            try:
                self._give_back()
            finally:
                self._recording.release()
        with self._at_home(f"{nbytes} bytes on the GPU"):
            memory = _Memory(self._cupy.cuda.alloc(max(nbytes, 1)), nbytes, self._let_go)
            self._runtime.streamSynchronize(self._family.stream())  # where the pool's may be in use that nobody holds
        return memory

    def free_bytes(self) -> int:
        with self._at_home():
            free, _ = self._runtime.memGetInfo()
            return int(free) + int(self._cupy.get_default_memory_pool().free_bytes())

    def write(self, address: int, data: NDArray[Any]) -> None:
        if data.nbytes:
            with self._at_home("a copy to the GPU"):
                self._runtime.memcpy(address, data.ctypes.data, data.nbytes, _H2D)
                self._runtime.streamSynchronize(0)  # it may still be on its way when the call returns

    def read(self, address: int, nbytes: int) -> NDArray[Any]:
        found = np.empty(nbytes, dtype=np.uint8)
        self.synchronise()
        if nbytes:
            with _translated("a copy from the GPU"):
                self._runtime.memcpy(found.ctypes.data, address, nbytes, _D2H)
        return found

    def upload(self, address: int, source: int, nbytes: int, stream: int) -> None:
        with self._at_home("a copy to the GPU"):
            self._runtime.memcpyAsync(address, source, nbytes, _H2D, stream)
            if not self._is_taken_aside(source, nbytes):
                self._runtime.streamSynchronize(stream)

    def _is_taken_aside(self, source: int, nbytes: int) -> bool:
        """Whether memory of the host that is copied may change when the copy was asked for. What is pageable is staged
        by then; where the GPU reaches all memory of the process itself, it might be, and no more is promised."""
        if self._runtime.pointerGetAttributes(source).type != _PAGEABLE:
            return False
        if nbytes <= _TAKEN_ASIDE:
            return True
        if self._reads_pageable is None:
            self._reads_pageable = bool(self._runtime.deviceGetAttribute(_READS_PAGEABLE, self._index))
        return not self._reads_pageable

    def download(self, address: int, into: int, nbytes: int, stream: int) -> None:
        with self._at_home("a copy from the GPU"):
            self._runtime.memcpyAsync(into, address, nbytes, _D2H, stream)

    def move(self, address: int, source: int, nbytes: int, stream: int) -> None:
        with self._at_home("a copy on the GPU"):
            self._runtime.memcpyAsync(address, source, nbytes, _D2D, stream)

    def fill(self, address: int, nbytes: int, byte: int, stream: int) -> None:
        if nbytes:
            with self._at_home("filling memory"):
                self._runtime.memsetAsync(address, byte, nbytes, stream)

    def launch(
        self, function: Function, grid: tuple[int, int, int], stream: int, arguments: int, early: bool = False
    ) -> None:
        launch = self._launch_early if early and function.waits and _extended() is not None else self._launch
        if self._several:  # the caller's device may be another one, and must stay so
            with self._cupy.cuda.Device(self._index):
                launch(function, grid, stream, arguments)
        else:
            launch(function, grid, stream, arguments)

    def _launch(self, function: Function, grid: tuple[int, int, int], stream: int, arguments: int) -> None:
        call = (function.handle, *grid, *function.block, function.shared, stream, arguments, 0)
        try:
            self._driver.launchKernel(*call)
        except RuntimeError as error:
            with _translated("a launch"):
                if getattr(error, "status", None) != _NO_CONTEXT:
                    raise
                self._runtime.setDevice(self._index)
                self._driver.launchKernel(*call)

    def _launch_early(self, function: Function, grid: tuple[int, int, int], stream: int, arguments: int) -> None:
        attribute = LaunchAttribute(kind=PROGRAMMATIC_STREAM_SERIALISATION, value=1)
        how = LaunchConfiguration(grid, function.block, function.shared, stream, ctypes.pointer(attribute), 1)
        given = map(ctypes.c_void_p, (function.handle, arguments, 0))
        self._asked("a launch", _extended(), ctypes.byref(how), *given)

    def tensor_map(
        self, address: int, dtype: str, sizes: tuple[int, ...], box: tuple[int, ...], steps: tuple[int, ...]
    ) -> bytes:
        return self._maps(address, dtype, sizes, box, steps)

    def _encoded(self, address: int, dtype: str, sizes: tuple[int, ...], *boxes: tuple[int, ...]) -> bytes:
        """By the driver, which asks no GPU for it, but that the thread has a context."""
        room = ctypes.create_string_buffer(2 * MAP_BYTES)
        start = -(-ctypes.addressof(room) // MAP_BYTES) * MAP_BYTES
        encode = getattr(cuda(), "cuTensorMapEncodeTiled", None)
        if encode is None:
            raise UnsupportedError(
                "the kernel copies by tensor maps, which need a driver for CUDA 12; install a newer one"
            )
        what = f"a tensor map of {dtype} {' x '.join(map(str, sizes))}"
        self._asked(what, encode, ctypes.c_void_p(start), *_said_of_map(address, dtype, sizes, *boxes))
        return ctypes.string_at(start, MAP_BYTES)

    def launch_by(self, onward: Callable[[int, int, int], tuple[int, int]]) -> None:
        plain, extended = (ctypes.cast(f, ctypes.c_void_p).value or 0 for f in (cuda().cuLaunchKernel, _extended()))
        with self._at_home("a launch"):
            refused, status = onward(plain, extended, 0)
            if status == _NO_CONTEXT:
                self._runtime.setDevice(self._index)
                _, status = onward(plain, extended, refused)
            if status:
                raise _failure(status, "a launch", f"the driver's status {status}")

    def multiply(self, dtype: str, sizes: tuple[int, int, int], x: int, w: int, y: int, stream: int) -> None:
        m, n, k = sizes
        with self._at_home("cuBLAS"):
            if k:
                self._library().multiply(dtype, sizes, x, w, y, stream)
            else:
                self.fill(y, m * n * (4 if dtype == "float32" else 2), 0, stream)

    def library(self) -> str | None:
        try:
            with self._at_home("cuBLAS"):
                return self._library().version()
        except UnsupportedError:
            return None

    def _library(self) -> Cublas:
        if self._cublas is None:
            if cublas() is None:
                raise UnsupportedError("no cuBLAS was found; pip install 'cupy-cuda13x[ctk]', or tune without it")
            major = int(self._runtime.runtimeGetVersion()) // 1000
            try:
                found = load(major)
            except UnsupportedError:  # CuPy finds it where the loader does not look
                self._cupy.cuda.device.get_cublas_handle()
                found = load(major)
            self._cublas = Cublas(found, self)
        return self._cublas

    def synchronise(self) -> None:
        if self._recorder == threading.get_ident():
            raise CodegenError("the GPU cannot be waited for while this thread records a graph")
        with self._recording:
            self._give_back()

    def _give_back(self) -> None:
        """Wait for everything; then what was let go before is free."""
        with self._at_home("a kernel"):
            gone = len(self._let_go)
            self._runtime.deviceSynchronize()
            del self._let_go[:gone]

    def wait(self, stream: int) -> None:
        with self._at_home("a kernel"):
            self._runtime.streamSynchronize(stream)

    def new_stream(self) -> int:
        with self._at_home():
            self._streams.append(self._cupy.cuda.Stream(non_blocking=True))
        return int(self._streams[-1].ptr)

    def queue(self, stream: int) -> Queue:
        stream = self._replayed_on.get(stream, stream)
        with _translated("a stream"):
            number, capture = self._number(stream), self._capture(stream)
        return Queue(number, threading.get_ident() if stream == _OWN_DEFAULT else 0, capture)

    def _number(self, stream: int) -> int:
        found = ctypes.c_uint64()
        self._asked("a stream", cuda().cuStreamGetId, ctypes.c_void_p(stream), ctypes.byref(found))
        return found.value

    def _capture(self, stream: int) -> int:
        status, found = ctypes.c_int(), ctypes.c_uint64()
        driver, nothing = cuda(), [None] * 3
        ask = getattr(driver, "cuStreamGetCaptureInfo_v2", None)
        if ask is None:  # of which headers for CUDA 13 say nothing any more
            ask, nothing = driver.cuStreamGetCaptureInfo_v3, [None] * 4
        self._asked("a stream", ask, ctypes.c_void_p(stream), ctypes.byref(status), ctypes.byref(found), *nothing)
        return found.value if status.value else 0

    def _asked(self, what: str, function: Any, *arguments: Any) -> None:
        status = int(function(*arguments))
        if status == _NO_CONTEXT:
            self._runtime.setDevice(self._index)
            status = int(function(*arguments))
        if status:
            raise _failure(status, what, f"the driver's status {status}")

    def record(self, stream: int, work: Callable[[], None], replayed_on: int | None = None) -> _Graph:
        with self._at_home("recording a graph"):
            with self._recording:
                self._recorder = threading.get_ident()
                try:
                    graph = self._captured(stream, work, replayed_on)
                finally:
                    self._recorder = None
            try:
                return _Graph(int(self._runtime.graphInstantiate(graph)), self._runtime, self._at_home)
            finally:
                self._runtime.graphDestroy(graph)

    def _captured(self, stream: int, work: Callable[[], None], replayed_on: int | None) -> int:
        self._runtime.streamBeginCapture(stream, _RELAXED)
        if replayed_on is not None:
            self._replayed_on[stream] = replayed_on
        try:
            work()
        except BaseException:
            with suppress(RuntimeError):  # what ended the capture matters more than how it ends
                self._runtime.graphDestroy(self._runtime.streamEndCapture(stream))
            raise
        finally:
            self._replayed_on.pop(stream, None)
        return int(self._runtime.streamEndCapture(stream))

    def seconds(self, stream: int, work: Callable[[], None]) -> float:
        with self._at_home("timing"), self._event() as before, self._event() as after:
            self._runtime.eventRecord(before, stream)
            work()
            self._runtime.eventRecord(after, stream)
            self._runtime.eventSynchronize(after)
            return float(self._runtime.eventElapsedTime(before, after)) * 1e-3

    @contextmanager
    def _event(self) -> Iterator[int]:
        event = int(self._runtime.eventCreate())
        try:
            yield event
        finally:
            with suppress(RuntimeError):  # what went wrong before says why
                self._runtime.eventDestroy(event)
