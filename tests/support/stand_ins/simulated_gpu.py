"""Simulated GPU: it runs kernels' very texts on the CPU, the protocol `CudaDevice` over `cuda_cpu`, faults included.

What it is told goes wrong, goes wrong as on a GPU: an access out of bounds breaks the context for good, memory ends at
`memory` bytes, and a device that is `lost` answers nothing any more. Arrays of its own pretend to DLPack that they are
on cuda:0.
"""

from __future__ import annotations

import ctypes
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.codegen.cuda.launch import MAP_BYTES
from anytile.core.dtypes import BYTES
from anytile.dispatch.arguments.view import DLTensor
from anytile.dispatch.cuda.arrays import CUDA, Unfit
from anytile.dispatch.cuda.code import Kernel
from anytile.dispatch.cuda.cupy_device import PROGRAMMATIC_STREAM_SERIALISATION, LaunchConfiguration
from anytile.dispatch.cuda.device import BrokenContext, DeviceLost, Function, OutOfDeviceMemory, Queue
from anytile.dispatch.cuda.workspace import Workspaces
from anytile.schedules.hardware.nvidia_driver import Device
from anytile.schedules.nest.stored_floats import bits_of, from_bits
from tests.support.cuda_cpu.compiler import signatures
from tests.support.cuda_cpu.simulator import MAP, Fault, Region, Room, encoded, program

_LIBRARY = 1 << 12  # bytes of the library's workspace
FACTS = Device("Simulated", "sm_90a", 4, 232448, 1 << 14, 1 << 30, (13, 0), "simulated")
Array = NDArray[Any]
_FIRST_STREAM = 7
_NOT_YET = 0xA5  # what is where a copy has yet to come


def _moved(address: int, data: bytes) -> None:
    ctypes.memmove(address, data, len(data))


def lying_there(capsule: object, number: int) -> object:
    """A capsule of the CPU's memory that says to lie on a GPU."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = DLTensor.from_address(pointer(capsule, b"dltensor"))
    tensor.device_type, tensor.device_id = CUDA, number
    return capsule


class SimArray:
    """Enough of an array: numpy memory that lies on the simulated device."""

    def __init__(self, values: Array, number: int = 0, offset: int = 0) -> None:
        self.room = Room(values.nbytes, offset)
        self.values = self.room.bytes.view(values.dtype).reshape(values.shape)
        self.values[...] = values
        self.number = number

    @classmethod
    def viewing(cls, of: SimArray, values: Array) -> SimArray:
        made = cls.__new__(cls)
        made.room, made.values, made.number = of.room, values, of.number
        return made

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    def __dlpack_device__(self) -> tuple[int, int]:
        return CUDA, self.number

    def __dlpack__(self, stream: int | None = None) -> object:
        return lying_there(np.asarray(self.values).__dlpack__(), self.number)


class SimFamily:
    contiguous = "{0}.copy()"

    def __init__(self, device: SimulatedGpu) -> None:
        self._device = device

    def dtype(self, name: str) -> object:
        return None if name == "bfloat16" else np.dtype(name)

    def address(self, array: SimArray, dtype: object) -> int:
        values = array.values
        if values.dtype != dtype or array.number or not values.flags.c_contiguous:
            raise Unfit
        return int(values.__array_interface__["data"][0])

    def empty(self, shape: tuple[int, ...], dtype: Any) -> SimArray:
        return self._device.array(np.empty(shape, dtype))

    def stream(self) -> int:
        return self._device.stream


@dataclass(frozen=True)
class SimMemory:
    address: int
    nbytes: int
    room: Room = field(repr=False)


class SimModule:
    """Code on the device, as long as somebody holds it."""


@dataclass(frozen=True)
class SimGraph:
    work: Sequence[Callable[[], None]]
    device: SimulatedGpu = field(repr=False)

    def launch(self, stream: int) -> None:
        self.device._well()
        self.device.graphs += 1

        def replayed() -> None:
            for step in self.work:
                step()

        self.device._do(replayed, stream)


# As cuLaunchKernel is: the function, its grid and block, shared memory, stream, arguments.
_DRIVER = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.c_int64, *[ctypes.c_uint32] * 7, ctypes.c_int64, *[ctypes.c_void_p] * 2
)
# As cuLaunchKernelEx is: how, the function, arguments.
_EXTENDED = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.POINTER(LaunchConfiguration), ctypes.c_int64, *[ctypes.c_void_p] * 2
)


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


class SimulatedGpu:
    """See `CudaDevice`. `launches`, `early` ones, `graphs` and `allocated` count, `moved` are bytes of copies; `order`
    is in which order threads run."""

    def __init__(self, facts: Device = FACTS, memory: int = 1 << 30, order: str = "forward") -> None:
        self._facts, self._memory, self._order = facts, memory, order
        self.stream, self.lost, self.launches, self.graphs, self.allocated = 0, False, 0, 0, 0
        self._streams = _FIRST_STREAM
        self.early = 0
        self.moved: list[int] = []  # bytes, of each copy on the device
        self.broken: str | None = None
        self.has_library = True
        self._recording: tuple[int, list[Callable[[], None]]] | None = None
        self._replayed_on: dict[int, int] = {}
        self._captures = 0
        self._made: list[SimArray] = []
        self._kernels: list[Kernel] = []
        self.modules: weakref.WeakValueDictionary[int, SimModule] = weakref.WeakValueDictionary()  # that are loaded
        self._products = Workspaces(self)
        self._live: weakref.WeakValueDictionary[int, SimMemory] = weakref.WeakValueDictionary()

    @property
    def facts(self) -> Device:
        return self._facts

    @property
    def index(self) -> int:
        return 0

    @property
    def native(self) -> SimFamily:
        return SimFamily(self)

    @property
    def native_type(self) -> type:
        return SimArray

    def array(self, values: Array, number: int = 0, offset: int = 0) -> SimArray:
        self._made.append(SimArray(values, number, offset))
        return self._made[-1]

    def _well(self) -> None:
        if self.lost:
            raise DeviceLost("the GPU is gone or does not answer: simulated; see `nvidia-smi`, then go on")
        if self.broken is not None:
            raise BrokenContext(f"{self.broken}; the GPU takes no more work from this process, start another")

    def load(self, kernel: Kernel) -> Function:
        self._well()
        assert kernel.launch.kernel in signatures(kernel.text)  # compiled when it is launched: most variants never are
        self._kernels.append(kernel)
        handle, launch, module = len(self._kernels) - 1, kernel.launch, SimModule()
        self.modules[handle] = module
        return Function(handle, launch.block, launch.shared, launch.waits, module)

    def allocate(self, nbytes: int) -> SimMemory:
        self._well()
        if nbytes > self.free_bytes():
            raise OutOfDeviceMemory(f"{nbytes} bytes on the GPU: out of device memory (simulated); use smaller sizes")
        room = Room(max(nbytes, 1))
        memory = SimMemory(room.address, nbytes, room)
        self._live[room.address] = memory
        self.allocated += 1
        return memory

    def free_bytes(self) -> int:
        return self._memory - sum(m.nbytes for m in self._live.values())

    def write(self, address: int, data: Array) -> None:
        self._well()
        ctypes.memmove(address, data.ctypes.data, data.nbytes)

    def read(self, address: int, nbytes: int) -> NDArray[Any]:
        self._well()
        found = np.empty(nbytes, dtype=np.uint8)
        ctypes.memmove(found.ctypes.data, address, nbytes)
        return found

    def upload(self, address: int, source: int, nbytes: int, stream: int) -> None:
        self._well()
        taken = ctypes.string_at(source, nbytes)
        self._do(lambda: _moved(address, taken), stream)

    def download(self, address: int, into: int, nbytes: int, stream: int) -> None:
        self._well()
        ctypes.memset(into, _NOT_YET, nbytes)
        self._do(lambda: _moved(into, ctypes.string_at(address, nbytes)), stream)

    def move(self, address: int, source: int, nbytes: int, stream: int) -> None:
        self._well()
        self.moved.append(nbytes)
        self._do(lambda: _moved(address, ctypes.string_at(source, nbytes)), stream)

    def fill(self, address: int, nbytes: int, byte: int, stream: int) -> None:
        self._well()
        self._do(lambda: _moved(address, bytes([byte]) * nbytes), stream)

    def launch(
        self, function: Function, grid: tuple[int, int, int], stream: int, arguments: int, early: bool = False
    ) -> None:
        self._well()
        self.early += early and function.waits
        handle, block, shared = function.handle, function.block, function.shared
        kernel = self._kernels[handle]
        found = program(kernel.text)
        parameters = found.parameters(kernel.launch.kernel)
        table = (ctypes.c_void_p * len(parameters)).from_address(arguments)
        held: list[Any] = []  # maps, which words point to
        words = []
        for p, at in zip(parameters, table, strict=True):
            if p.type == MAP:
                held.append(ctypes.create_string_buffer(ctypes.string_at(at or 0, MAP_BYTES)))
            words.append(ctypes.addressof(held[-1]) if p.type == MAP else ctypes.c_uint64.from_address(at or 0).value)

        def run(_: list[Any] = held) -> None:
            self._well()
            assert handle in self.modules, f"{kernel.launch.kernel} is launched, and its code was unloaded"
            self.launches += 1
            given = [(p, word) for p, word in zip(parameters, words, strict=True) if p.pointer]
            open_to = {word for p, word in given if not p.const}  # what lies over an input is both
            regions = [self._region(p.name, word, word in open_to, [other for _, other in given]) for p, word in given]
            name = kernel.launch.kernel
            try:
                found.start(name, grid, block, words, regions, shared, self._order)
            except Fault as fault:
                self.broken = str(fault)

        self._do(run, stream)

    def tensor_map(
        self, address: int, dtype: str, sizes: tuple[int, ...], box: tuple[int, ...], steps: tuple[int, ...]
    ) -> bytes:
        self._well()
        return encoded(address, BYTES[dtype], sizes, box, steps)

    def launch_by(self, onward: Callable[[int, int, int], tuple[int, int]]) -> None:
        raised: list[BaseException] = []

        def taken(function: int, x: int, y: int, z: int, *more: int, early: bool = False) -> int:
            (*_, stream, arguments, _nothing) = more
            kernel = self._kernels[function]
            given = Function(function, kernel.launch.block, kernel.launch.shared, kernel.launch.waits)
            try:
                assert more[:4] == (*given.block, given.shared)
                assert given.waits or not early
                self.launch(given, (x, y, z), stream, arguments, early)
            except BaseException as error:  # noqa: BLE001  # native code stands between it and who asked
                raised.append(error)
                return 1
            return 0

        def taken_early(how: Any, function: int, arguments: int, nothing: int) -> int:
            given, attribute = how.contents, how.contents.attributes.contents
            asked = given.count, attribute.kind, attribute.value
            sizes = *given.grid, *given.block, given.shared
            early = asked == (1, PROGRAMMATIC_STREAM_SERIALISATION, 1)
            return taken(function, *sizes, given.stream or 0, arguments, nothing, early=early)

        plain, extended = _DRIVER(taken), _EXTENDED(taken_early)
        _, status = onward(_address(plain), _address(extended), 0)
        if raised:
            raise raised[0]
        assert not status

    def _do(self, work: Callable[[], None], stream: int) -> None:
        """Only what goes to the stream that is captured is recorded; the rest runs."""
        if self._recording is not None and self._captured(stream):
            self._recording[1].append(work)
        else:
            work()

    def _region(self, name: str, address: int, writable: bool, others: Sequence[int]) -> Region:
        """What a parameter may touch: of memory that several lie in, up to where the next one begins."""
        rooms = [(m.address, m.nbytes) for m in self._live.values()]
        rooms += [(a.room.address, a.room.bytes.nbytes) for a in self._made]
        for start, size in rooms:
            if start <= address <= start + size:
                end = min([start + size, *(other for other in others if other > address)])
                return Region(name, address, end - address, writable)
        return Region(name, address, 0, writable)

    def multiply(self, dtype: str, sizes: tuple[int, int, int], x: int, w: int, y: int, stream: int) -> None:
        m, n, k = sizes

        held = np.dtype("uint16" if dtype == "bfloat16" else dtype)

        def at(address: int, rows: int, columns: int) -> Array:
            there = (ctypes.c_uint8 * (rows * columns * held.itemsize)).from_address(address)
            found: Array = np.frombuffer(memoryview(there), held).reshape(rows, columns)
            return found

        def work() -> None:
            left, right = (from_bits(at(*of), dtype).astype(np.float32) for of in ((x, m, k), (w, n, k)))
            np.copyto(at(y, m, n), bits_of(left @ right.T, dtype))

        self._well()
        self._products.address(stream, _LIBRARY)  # not made while a stream is captured
        self._do(work, stream)

    def library(self) -> str | None:
        return "simulated cuBLAS" if self.has_library else None

    def synchronise(self) -> None:
        assert self._recording is None, "the whole GPU is waited for while a graph is recorded"
        self._well()

    def wait(self, stream: int) -> None:
        self._well()

    def new_stream(self) -> int:
        self._streams += 1
        return self._streams - 1

    def queue(self, stream: int) -> Queue:
        stream = self._replayed_on.get(stream, stream)
        return Queue(stream, 0, self._captures if self._captured(stream) else 0)

    def _captured(self, stream: int) -> bool:
        return self._recording is not None and stream == self._recording[0]

    def record(self, stream: int, work: Callable[[], None], replayed_on: int | None = None) -> SimGraph:
        self._well()
        self._recording = (stream, [])
        self._captures += 1
        if replayed_on is not None:
            self._replayed_on[stream] = replayed_on
        try:
            work()
            return SimGraph(self._recording[1], self)
        finally:
            self._recording = None
            self._replayed_on.pop(stream, None)

    def seconds(self, stream: int, work: Callable[[], None]) -> float:
        begin = time.perf_counter()
        work()
        self._well()
        return time.perf_counter() - begin
