"""CupyDevice without a GPU: what each code of an error becomes, and the calls that it makes, on a CuPy made up."""

from __future__ import annotations

import ctypes
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from anytile.codegen.cuda.launch import Launch
from anytile.core.errors import ArgumentError, CodegenError, UnsupportedError
from anytile.dispatch.backends import CudaBackend
from anytile.dispatch.cuda import cupy_device
from anytile.dispatch.cuda.code import Kernel
from anytile.dispatch.cuda.cupy_device import (
    CupyDevice,
    LaunchAttribute,
    LaunchConfiguration,
    _translated,
    open_device,
)
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
from anytile.schedules.hardware.nvidia_driver import Device
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import const
from anytile.schedules.nest import stored_floats

FACTS = Device("Made up", "sm_80", 8, 160 << 10, 1 << 20, 1 << 30, (12, 4))


class CudaError(RuntimeError):
    def __init__(self, status: int) -> None:
        super().__init__(f"cudaError {status}:\nwhat it means")
        self.status = status


class CUBLASError(CudaError):
    pass


class Calls:
    """A module whose functions write down how they were called; `fails` says what the next ones raise."""

    def __init__(self, **answers: Any) -> None:
        self.log: list[tuple[Any, ...]] = []
        self.fails: list[Exception | None] = []
        self._answers = answers

    def __getattr__(self, name: str) -> Any:
        def call(*args: Any) -> Any:
            self.log.append((name, *args))
            failure = self.fails.pop(0) if self.fails else None
            if failure is not None:
                raise failure
            return self._answers.get(name, 0)

        return call


class Driver:
    """libcuda, as far as streams are asked of it: `numbers` by handle, and the `capture` that all are in."""

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}
        self.capture, self.statuses = 0, list[int]()

    def cuStreamGetId(self, stream: Any, found: Any) -> int:
        found._obj.value = self.numbers.get(stream.value or 0, 1000 + (stream.value or 0))
        return self.statuses.pop(0) if self.statuses else 0

    def cuStreamGetCaptureInfo_v2(self, stream: Any, status: Any, found: Any, *nothing: None) -> int:
        status._obj.value, found._obj.value = self.capture > 0, self.capture or 99
        return 0


@pytest.fixture(autouse=True)
def cuda(monkeypatch: pytest.MonkeyPatch) -> Driver:
    found = Driver()
    monkeypatch.setattr(cupy_device, "cuda", lambda: found)
    return found


def made(count: int = 1, index: int = 0) -> tuple[CupyDevice, Calls, Calls]:
    """A device, and the stream of device `i` is 5 + i."""
    pageable = SimpleNamespace(type=0)
    runtime = Calls(getDeviceCount=count, memGetInfo=(100, 200), pointerGetAttributes=pageable)
    driver = Calls(moduleGetFunction=77)
    current: list[int] = []

    @contextmanager
    def use(number: int) -> Iterator[None]:
        current.append(number)
        yield
        current.pop()

    streams = SimpleNamespace(get_current_stream=lambda i=0: SimpleNamespace(ptr=5 + i), Device=use)
    cupy = SimpleNamespace(cuda=streams, ndarray=list, empty=lambda shape, dtype: (shape, *current))
    found = CupyDevice(cupy, driver, runtime, FACTS, index)
    runtime.log.clear()
    return found, driver, runtime


def done(runtime: Calls) -> list[tuple[Any, ...]]:
    """What was called, without how the right device was seen to."""
    return [call for call in runtime.log if call[0] not in ("getDevice", "setDevice")]


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (2, OutOfDeviceMemory, "out of device memory .*; use smaller sizes"),
        (701, DoesNotFit, "no room for the kernel's blocks .*; tune it there, or build it untuned"),
        (912, DoesNotFit, "it: the GPU, or the slice of it that this is, has no room"),
        (901, RecordingEnded, "it: cudaError 901: what it means; another thread waited for the whole GPU"),
        (700, BrokenContext, "the GPU takes no more work from this process, start another"),
        (719, BrokenContext, "start another"),
        (226, BrokenContext, "start another"),  # contained on the device, and the process has to end
        (721, BrokenContext, "start another"),
        (46, DeviceLost, "the GPU is gone or does not answer: .*see `nvidia-smi`, then go on"),
        (214, DeviceLost, "the GPU is gone"),
        (209, CodegenError, "not code for this device .*build it for this machine's target"),
        (
            200,
            CodegenError,
            "it: made by a newer CUDA toolkit than the driver takes .*install a newer driver, or the NVRTC",
        ),
        (222, CodegenError, "made by a newer CUDA toolkit than the driver takes"),
        (1, CodegenError, "it: cudaError 1: what it means"),
    ],
)
def test_every_code_becomes_what_a_caller_can_act_on(status: int, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words) as error, _translated("it"):
        raise CudaError(status)
    assert "\n" not in str(error.value)


def test_cupy_has_what_is_called_of_it() -> None:
    """Where it is installed: no GPU is needed for looking."""
    pytest.importorskip("cupy")
    from cupy_backends.cuda.api import driver, runtime

    text = Path(cupy_device.__file__).read_text(encoding="utf-8")
    for holder, module in (("_runtime", runtime), ("_driver", driver)):
        called = set(re.findall(rf"self\.{holder}\.(\w+)", text)) | set(re.findall(rf"\b{holder[1:]}\.(\w+)\(", text))
        assert called
        assert not [name for name in called - {"cuStreamGetCaptureInfo_v3"} if not hasattr(module, name)]
    (before, after) = (runtime.streamBeginCapture.__doc__, runtime.eventElapsedTime.__doc__)
    assert "mode=streamCaptureModeRelaxed" in before
    assert runtime.streamCaptureModeRelaxed == 2
    assert after.startswith("eventElapsedTime(intptr_t start, intptr_t end)")
    assert runtime.memoryTypeUnregistered == 0
    assert hasattr(runtime.PointerAttributes, "type")


def test_codes_of_cublas_are_its_own() -> None:
    with pytest.raises(CodegenError, match="it: cudaError 3") as error, _translated("it"):
        raise CUBLASError(3)
    assert not isinstance(error.value, DeviceLost)
    with pytest.raises(OutOfDeviceMemory, match="out of device memory"), _translated("it"):
        raise MemoryError("pool")


def test_a_launch_is_one_call_of_the_driver() -> None:
    device, driver, runtime = made()
    device.launch(Function(77, (32, 2, 1), 1024), (3, 4, 5), 9, 4096)
    assert driver.log == [("launchKernel", 77, 3, 4, 5, 32, 2, 1, 1024, 9, 4096, 0)]
    assert runtime.log == []


def test_a_thread_that_has_not_used_the_device_yet_may_launch() -> None:
    device, driver, runtime = made()
    driver.fails = [CudaError(201)]
    device.launch(Function(77, (32, 1, 1), 0), (1, 1, 1), 0, 8)
    assert [call[0] for call in driver.log] == ["launchKernel"] * 2
    assert runtime.log == [("setDevice", 0)]
    driver.fails = [CudaError(700)]
    with pytest.raises(BrokenContext):
        device.launch(Function(77, (32, 1, 1), 0), (1, 1, 1), 0, 8)


def test_an_early_launch_says_so_to_the_driver(cuda: Driver) -> None:
    given: list[tuple[Any, ...]] = []

    def launched(how: Any, *more: Any) -> int:
        how = how._obj
        attribute = how.attributes.contents
        given.append((*how.grid, *how.block, how.shared, how.stream, how.count, attribute.kind, attribute.value))
        given.append(tuple(m.value for m in more))
        return statuses.pop(0)

    device, driver, _ = made()
    waits, statuses = Function(77, (32, 2, 1), 1024, waits=True), [0, 201, 0, 700]
    device.launch(waits, (3, 4, 5), 9, 4096, early=True)  # a driver that knows no such launches
    cuda.cuLaunchKernelEx = launched  # type: ignore[attr-defined]
    device.launch(waits, (3, 4, 5), 9, 4096)
    device.launch(Function(77, (32, 2, 1), 1024), (3, 4, 5), 9, 4096, early=True)  # a kernel that does not wait
    assert driver.log == [("launchKernel", 77, 3, 4, 5, 32, 2, 1, 1024, 9, 4096, 0)] * 3
    assert not given
    device.launch(waits, (3, 4, 5), 9, 4096, early=True)
    assert given == [(3, 4, 5, 32, 2, 1, 1024, 9, 1, 6, 1), (77, 4096, None)]
    device.launch(waits, (3, 4, 5), 9, 4096, early=True)  # a thread that has not used the device yet
    with pytest.raises(BrokenContext, match="a launch: the driver's status 700"):
        device.launch(waits, (3, 4, 5), 9, 4096, early=True)
    assert (ctypes.sizeof(LaunchAttribute), ctypes.sizeof(LaunchConfiguration)) == (72, 56)  # as cuda.h has them


@pytest.mark.parametrize(("arch", "early"), [("sm_80", False), ("sm_89", False), ("sm_90a", True), ("sm_120", True)])
def test_kernels_wait_themselves_from_hopper_on(arch: str, early: bool) -> None:
    device, _, _ = made()
    launch = Launch("f", (const(1), const(1), const(1)), (32, 1, 1), waits=True)
    assert device.load(Kernel("", b"", arch, launch)).waits is early
    assert not device.load(Kernel("", b"", arch, replace(launch, waits=False))).waits


def test_modules_are_loaded_on_their_device_from_any_thread() -> None:
    """A thread that has not used the device has no context there, and the caller's device is the caller's choice."""
    device, driver, runtime = made(2)
    runtime._answers["getDevice"] = 1
    one = const(1)
    device.load(Kernel("", b"cubin", "sm_80", Launch("k", (one, one, one), (32, 1, 1), 100 << 10)))
    assert runtime.log == [("getDevice",), ("setDevice", 0), ("setDevice", 1)]
    assert driver.log == [("moduleLoadData", b"cubin"), ("moduleGetFunction", 0, "k"),
                          ("funcSetAttribute", 77, 8, 100 << 10)]  # fmt: skip
    driver.fails = [CudaError(209)]
    with pytest.raises(CodegenError, match="k: not code for this device"):
        device.load(Kernel("", b"cubin", "sm_80", Launch("k", (one, one, one), (32, 1, 1))))
    assert runtime.log[-1] == ("setDevice", 1)


def test_copies_are_done_when_they_return() -> None:
    device, _, runtime = made()
    data = np.arange(4, dtype=np.float32)
    device.write(64, data)
    device.write(64, data[:0])
    assert done(runtime) == [("memcpy", 64, data.ctypes.data, 16, 1), ("streamSynchronize", 0)]
    assert device.read(64, 0).nbytes == 0


@pytest.mark.parametrize(
    ("kind", "nbytes", "reads", "waits"),
    [
        *((0, 16, 0, False), (1, 16, 0, True), (3, 16, 0, True)),
        *((0, 1 << 16, 1, False), (0, 1 << 17, 0, False), (0, 1 << 17, 1, True)),
    ],
)
def test_an_array_may_change_when_its_copy_was_asked_for(kind: int, nbytes: int, reads: int, waits: bool) -> None:
    """The driver has pageable memory taken aside by then, if the GPU does not read it itself; what is pinned or managed
    it reads when it gets there."""
    device, _, runtime = made()
    runtime._answers |= {"pointerGetAttributes": SimpleNamespace(type=kind), "deviceGetAttribute": reads}
    for _ in range(2):
        device.upload(64, 4096, nbytes, 9)
    copied = [("memcpyAsync", 64, 4096, nbytes, 1, 9), ("pointerGetAttributes", 4096)]
    asked = [("deviceGetAttribute", 88, 0)] * (kind == 0 and nbytes > 1 << 16)  # once
    waited = [("streamSynchronize", 9)] * waits
    assert done(runtime) == [*copied, *asked, *waited, *copied, *waited]


def test_results_and_streams_are_of_the_kernels_device() -> None:
    """Whatever device is the current one."""
    device, _, _ = made(2, index=1)
    assert device.native.stream() == 6
    assert device.native.empty((3,), np.float32) == ((3,), 1)
    alone, _, _ = made()
    assert alone.native.empty((3,), np.float32) == ((3,),)


def test_work_is_in_order_with_that_of_its_stream_its_thread_or_its_capture(cuda: Driver) -> None:
    device, _, runtime = made()
    seven = device.queue(7)
    assert seven == device.queue(7) == Queue(1007)
    cuda.numbers[7] = 2000  # that stream was destroyed, and the next one got its handle
    assert device.queue(7) == Queue(2000)
    own = [device.queue(2)]  # the default stream of every thread has one handle
    other = threading.Thread(target=lambda: own.append(device.queue(2)))
    other.start()
    other.join()
    assert own[0] == device.queue(2) != own[1]
    cuda.capture = 5
    first = device.queue(7)
    cuda.capture = 6
    assert len({first, device.queue(7), device.queue(8), seven}) == 4
    cuda.statuses = [201, 0]
    runtime.log.clear()
    assert device.queue(7) == Queue(2000, capture=6)
    assert runtime.log == [("setDevice", 0)]
    cuda.statuses = [700]
    with pytest.raises(BrokenContext):
        device.queue(7)


def test_memory_is_given_back_when_nothing_can_use_it_any_more() -> None:
    """The pool would hand it to the next who asks, and a kernel on another stream may still write it."""
    device, _, runtime = made()
    given_back: list[int] = []

    class Pointer:
        def __init__(self, address: int) -> None:
            self.ptr = address

        def __del__(self) -> None:
            given_back.append(self.ptr)

    addresses = iter((16, 32, 48))
    device._cupy.cuda.alloc = lambda nbytes: Pointer(next(addresses))
    memory = device.allocate(8)
    assert memory.address == 16
    del memory
    assert given_back == []
    held = device.allocate(8)  # which waits for the device first
    assert given_back == [16]
    assert ("deviceSynchronize",) in runtime.log
    del held
    device.synchronise()
    assert given_back == [16, 32]


def test_nobody_waits_for_the_whole_device_while_another_thread_records_on_it() -> None:
    """The driver would end the capture for that, and refuse to wait, whatever mode and thread it is."""
    device, _, runtime = made()
    device._cupy.cuda.alloc = lambda nbytes: SimpleNamespace(ptr=16)
    device.allocate(8)
    runtime.log.clear()
    begun, over = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        over.wait(20)

    recorder = threading.Thread(target=device.record, args=(7, work))
    recorder.start()
    begun.wait(20)
    waiter = threading.Thread(target=device.synchronise)
    waiter.start()
    held = device.allocate(8)  # what was let go is given back later; who is recording may wait for this thread
    device.write(held.address, np.ones(4, np.uint8))
    device.wait(9)
    waiter.join(0.1)
    assert waiter.is_alive()
    over.set()
    recorder.join()
    waiter.join()
    calls = [call[0] for call in done(runtime)]
    assert calls.index("deviceSynchronize") > calls.index("streamEndCapture")
    assert runtime.log.count(("streamSynchronize", 5)) == 1  # nothing that the pool's memory was given out for


def test_who_records_cannot_wait_for_the_device() -> None:
    device, _, runtime = made()
    with pytest.raises(CodegenError, match="cannot be waited for while this thread records a graph"):
        device.record(7, device.synchronise)
    assert ("deviceSynchronize",) not in runtime.log
    device.synchronise()
    assert ("deviceSynchronize",) in runtime.log


def test_code_is_unloaded_when_nobody_can_run_it_any_more() -> None:
    """A kernel of it may be under way when the last one who holds it lets go."""
    device, driver, runtime = made()
    driver._answers["moduleLoadData"] = 41
    runtime.log = driver.log  # in one order
    one = const(1)
    function = device.load(Kernel("", b"cubin", "sm_80", Launch("k", (one, one, one), (32, 1, 1))))
    held = [function]
    device.synchronise()
    del function
    device.synchronise()
    held.clear()
    assert ("moduleUnload", 41) not in driver.log
    driver.log.clear()
    device.synchronise()
    assert done(driver) == [("deviceSynchronize",), ("moduleUnload", 41)]
    held.append(device.load(Kernel("", b"cubin", "sm_80", Launch("k", (one, one, one), (32, 1, 1)))))
    held.clear()
    driver.fails = [None, None, None, CudaError(700)]  # what broke the context is said to whoever waits, and once
    device.synchronise()
    assert driver.log[-1] == ("moduleUnload", 41)


class Library:
    """libcublas, whose functions write down how they were called; `status` says what each answers."""

    def __init__(self) -> None:
        self.log: list[tuple[Any, ...]] = []
        self.status: dict[str, int] = {}

    def __getattr__(self, name: str) -> Any:
        def call(*args: Any) -> int:
            self.log.append((name, *args))
            if name == "cublasCreate_v2":
                ctypes.c_void_p.from_address(args[0]).value = 11
            elif name == "cublasGetVersion_v2":
                ctypes.c_int.from_address(args[1]).value = 120304
            return self.status.get(name, 0)

        return call


def refused(*args: Any) -> Any:
    raise RuntimeError("calling cuBLAS API during stream capture is currently unsupported")


def with_library(monkeypatch: pytest.MonkeyPatch) -> tuple[CupyDevice, Library, Calls]:
    """CuPy's own wrappers refuse, as they do while a stream is being captured."""
    device, _, runtime = made()
    library = Library()
    addresses = iter(range(1 << 20, 1 << 30, 1 << 20))
    device._cupy.cuda.alloc = lambda nbytes: SimpleNamespace(ptr=next(addresses))
    device._cupy.cuda.device = SimpleNamespace(get_cublas_handle=refused)
    monkeypatch.setattr(cupy_device, "cublas", lambda: SimpleNamespace(setStream=refused, sgemm=refused))
    monkeypatch.setattr(cupy_device, "load", lambda major: library)
    return device, library, runtime


@pytest.mark.parametrize(
    ("dtype", "name"), [("float32", "cublasSgemm_v2"), ("bfloat16", "cublasGemmEx"), ("float16", "cublasGemmEx")]
)
def test_the_library_gets_the_product_the_other_way_round(
    monkeypatch: pytest.MonkeyPatch, dtype: str, name: str
) -> None:
    """Column-major: y.T[n, m] = w[n, k] @ x.T[k, m]."""
    device, library, _ = with_library(monkeypatch)
    device.multiply(dtype, (2, 3, 4), 100, 200, 300, 9)
    assert [call[0] for call in library.log] == [
        "cublasCreate_v2", "cublasSetStream_v2", "cublasSetWorkspace_v2", name]  # fmt: skip
    called, handle, *rest = library.log[3]
    assert (called, handle, rest[:5]) == (name, 11, [1, 0, 3, 2, 4])
    assert [a for a in rest if a in (100, 200, 300)] == [200, 100, 300]
    assert device.library() == "cuBLAS 12.3"
    without, _, _ = made()
    monkeypatch.setattr(cupy_device, "cublas", lambda: None)
    assert without.library() is None
    with pytest.raises(UnsupportedError, match="no cuBLAS was found"):
        without.multiply(dtype, (2, 3, 4), 100, 200, 300, 9)


def test_the_library_runs_on_the_callers_stream_with_that_streams_workspace(
    monkeypatch: pytest.MonkeyPatch, cuda: Driver
) -> None:
    """Also while the stream is captured: then nothing is made, and before the first call there is nothing to use."""
    device, library, runtime = with_library(monkeypatch)
    cuda.capture = 3
    with pytest.raises(ArgumentError, match="captured before its first call"):
        device.multiply("float32", (2, 3, 4), 100, 200, 300, 9)
    cuda.capture = 0
    device.multiply("float32", (2, 3, 4), 100, 200, 300, 9)
    cuda.capture = 4
    library.log.clear()
    device._cupy.cuda.alloc = refused
    runtime.log.clear()
    for stream in (9, 10, 9):
        device.multiply("float32", (2, 3, 4), 100, 200, 300, stream)
    assert [call[2] for call in library.log if call[0] == "cublasSetStream_v2"] == [9, 10, 9]
    spaces = [call[2] for call in library.log if call[0] == "cublasSetWorkspace_v2"]
    assert spaces[0] == spaces[2] != spaces[1]
    assert ("deviceSynchronize",) not in runtime.log


@pytest.mark.parametrize("name", ["cublasCreate_v2", "cublasSetStream_v2", "cublasSetWorkspace_v2", "cublasSgemm_v2"])
def test_every_status_of_the_library_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    device, library, _ = with_library(monkeypatch)
    library.status[name] = 13
    with pytest.raises(CodegenError, match=rf"cuBLAS: {name}: execution failed \(status 13\)"):
        device.multiply("float32", (2, 3, 4), 100, 200, 300, 9)
    library.status[name] = 3
    with pytest.raises(OutOfDeviceMemory, match="allocation failed") as error:
        device.multiply("float32", (2, 3, 4), 100, 200, 300, 9)
    assert str(error.value).count("use smaller sizes") == 1


def test_what_goes_wrong_in_a_recording_is_said_and_ends_the_capture() -> None:
    device, _, runtime = made()
    runtime._answers["streamEndCapture"] = 40
    with pytest.raises(CodegenError, match="recording a graph: calling cuBLAS API"):
        device.record(7, refused)
    assert done(runtime) == [("streamBeginCapture", 7, 2), ("streamEndCapture", 7), ("graphDestroy", 40)]
    runtime.fails = [None, None, None, CudaError(901)]  # the capture was invalidated
    with pytest.raises(CodegenError, match="recording a graph: cudaError 901"):
        device.record(7, lambda: None)
    runtime.fails = [None, None, None, None, CudaError(900)]
    runtime.log.clear()
    with pytest.raises(CodegenError, match="recording a graph: cudaError 900"):
        device.record(7, lambda: None)
    assert [call[0] for call in done(runtime)][-2:] == ["graphInstantiate", "graphDestroy"]


def test_a_graph_that_stays_on_one_stream_shares_what_that_streams_work_has(cuda: Driver) -> None:
    device, _, runtime = made()
    runtime._answers |= {"streamEndCapture": 40, "graphInstantiate": 5}
    found: list[Queue] = []
    graph = device.record(7, lambda: found.append(device.queue(7)), replayed_on=9)
    graph.launch(9)
    assert found == [device.queue(9)]
    assert done(runtime)[1:] == [("streamEndCapture", 7), ("graphInstantiate", 40), ("graphDestroy", 40),
                                 ("graphLaunch", 5, 9)]  # fmt: skip
    runtime.fails = [CudaError(700)]
    del graph
    assert done(runtime)[-1] == ("graphExecDestroy", 5)
    assert device.queue(7) != device.queue(9)
    with pytest.raises(CodegenError):
        device.record(7, refused, replayed_on=9)
    assert device.queue(7) != device.queue(9)


def test_a_graph_is_launched_on_its_device_whichever_is_the_current_one() -> None:
    device, _, runtime = made(count=2, index=1)
    runtime._answers |= {"streamEndCapture": 40, "graphInstantiate": 5}
    graph = device.record(7, lambda: None)
    runtime.log.clear()
    graph.launch(9)
    assert runtime.log == [("getDevice",), ("setDevice", 1), ("graphLaunch", 5, 9), ("setDevice", 0)]


def test_time_is_between_two_events_of_the_kernels_device() -> None:
    device, _, runtime = made(2, index=1)
    runtime._answers |= {"eventElapsedTime": 2.5, "eventCreate": 8}
    assert device.seconds(7, lambda: runtime.work()) == 2.5e-3
    assert runtime.log == [
        ("getDevice",), ("setDevice", 1), ("eventCreate",), ("eventCreate",), ("eventRecord", 8, 7), ("work",),
        ("eventRecord", 8, 7), ("eventSynchronize", 8), ("eventElapsedTime", 8, 8), ("eventDestroy", 8),
        ("eventDestroy", 8), ("setDevice", 0)]  # fmt: skip
    runtime.fails = [None] * 7 + [CudaError(700)] * 3
    with pytest.raises(BrokenContext, match="timing: cudaError 700"):
        device.seconds(7, lambda: runtime.work())


def test_where_the_driver_asks_for_captures_by_its_newer_name_alone(
    cuda: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which has a place for what edges say, too."""
    asked: list[int] = []

    def newer(self: Driver, stream: Any, status: Any, found: Any, *nothing: None) -> int:
        asked.append(len(nothing))
        status._obj.value, found._obj.value = 1, 12
        return 0

    monkeypatch.delattr(Driver, "cuStreamGetCaptureInfo_v2")
    monkeypatch.setattr(Driver, "cuStreamGetCaptureInfo_v3", newer, raising=False)
    device, _, _ = made()
    assert device.queue(7) == Queue(1007, capture=12)
    assert asked == [4]


@pytest.mark.parametrize("there", [True, False])
def test_cupys_bfloat16_is_that_of_ml_dtypes(there: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """`half` stands in for its type."""
    monkeypatch.setitem(sys.modules, "ml_dtypes", SimpleNamespace(bfloat16="half") if there else None)
    for known in (cupy_device._array_dtype, stored_floats.array_dtype):
        known.cache_clear()
    device, _, _ = made()
    assert device.native.dtype("bfloat16") == (np.dtype("half") if there else None)
    assert device.native.dtype("float32") == np.dtype("float32")
    for known in (cupy_device._array_dtype, stored_floats.array_dtype):
        known.cache_clear()


def test_native_launches_go_by_the_drivers_function_on_this_device(cuda: Driver) -> None:
    device, _, runtime = made(index=1)
    cuda.cuLaunchKernel = ctypes.CDLL(None).abs  # type: ignore[attr-defined]
    asked: list[tuple[int, ...]] = []
    answers = [(3, 201), (5, 0)]

    def onward(*given: int) -> tuple[int, int]:
        asked.append(given)
        return answers.pop(0)

    device.launch_by(onward)  # a thread that has not used the device yet
    address = ctypes.cast(ctypes.CDLL(None).abs, ctypes.c_void_p).value
    assert asked == [(address, 0, 0), (address, 0, 3)]  # this driver has no launches that begin early
    assert [call for call in runtime.log if call[0] == "setDevice"] == [("setDevice", 1)] * 2 + [("setDevice", 0)]
    answers = [(2, 700)]
    with pytest.raises(BrokenContext, match="a launch: the driver's status 700; the GPU takes no more work"):
        device.launch_by(onward)


def test_a_tensor_map_is_the_drivers_and_remembered(cuda: Driver) -> None:
    asked, statuses = list[tuple[Any, ...]](), list[int]()

    def encode(place: Any, *more: Any) -> int:
        assert place.value % 64 == 0
        asked.append(tuple(list(m) if isinstance(m, ctypes.Array) else getattr(m, "value", m) for m in more))
        ctypes.memset(place.value, 7, 128)
        return 1 if more[2].value == 13 else statuses.pop(0) if statuses else 0

    cuda.cuTensorMapEncodeTiled = encode  # type: ignore[attr-defined]
    device, _, runtime = made()
    for _ in range(2):
        assert device.tensor_map(4096, "bfloat16", (100, 72), (64, 32), (1, 1)) == bytes([7] * 128)
    # dtype, rank, address, columns and rows, bytes of a row, box likewise, every element, plain, 128 bytes, zeros
    assert asked == [(9, 2, 4096, [72, 100], [144], [32, 64], [1, 1], 0, 3, 3, 0)]
    with pytest.raises(CodegenError, match="a tensor map of float16 8 x 64: the driver's status 1"):
        device.tensor_map(13, "float16", (8, 64), (8, 64), (1, 1))
    asked.clear()
    device.tensor_map(4096, "float16", (5, 9, 11, 72), (1, 8, 16, 64), (1, 2, 3, 1))  # reach is what a box is given as
    pitches, reach = [72 * 2, 11 * 72 * 2, 9 * 11 * 72 * 2], [64, 48, 16, 1]
    assert asked == [(6, 4, 4096, [72, 11, 9, 5], pitches, reach, [1, 3, 2, 1], 0, 3, 3, 0)]
    statuses += [201, 0]  # a thread that has not used the device yet
    assert device.tensor_map(64, "float16", (8, 64), (8, 64), (1, 1)) == bytes([7] * 128)
    assert runtime.log == [("setDevice", 0)]
    del cuda.cuTensorMapEncodeTiled  # type: ignore[attr-defined]
    with pytest.raises(UnsupportedError, match="need a driver for CUDA 12; install a newer one"):
        device.tensor_map(26, "float16", (8, 64), (8, 64), (1, 1))


def test_a_driver_older_than_the_toolkit_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = SimpleNamespace(runtimeGetVersion=lambda: 13020)
    names = {"cupy": SimpleNamespace(), "cupy_backends.cuda.api": SimpleNamespace(driver=None, runtime=runtime)}
    for parent in ("cupy_backends", "cupy_backends.cuda"):
        monkeypatch.setitem(sys.modules, parent, SimpleNamespace())
    for name, module in names.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(machine, "find", lambda: FACTS)
    with pytest.raises(
        UnsupportedError, match=r"supports CUDA 12.4, and this CuPy is for CUDA 13.2; .*anytile\[cuda12\]"
    ):
        open_device()
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(UnsupportedError, match="CuPy is not installed"):
        open_device()


def test_the_facts_are_those_of_the_device_that_cupy_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several: the caller's current one. A kernel for another architecture is refused before it is loaded."""
    runtime = Calls(runtimeGetVersion=12040, getDevice=1, getDeviceCount=2)
    here = {0: FACTS, 1: replace(FACTS, name="The other", arch="sm_75", id="1")}
    found = SimpleNamespace(
        zeros=lambda count: None, cuda=SimpleNamespace(get_current_stream=lambda: None), ndarray=list
    )
    names = {"cupy": found, "cupy_backends.cuda.api": SimpleNamespace(driver=None, runtime=runtime)}
    for parent in ("cupy_backends", "cupy_backends.cuda"):
        monkeypatch.setitem(sys.modules, parent, SimpleNamespace())
    for name, module in names.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(machine, "find", lambda ordinal=0: here[ordinal])
    device = open_device()
    assert (device.index, device.facts) == (1, here[1])
    target = Target.parse("cuda -arch=sm_80")
    backend = CudaBackend(find=lambda: device)
    compiled = SimpleNamespace(code=b"")
    says = r"the current device, number 1, is a The other, sm_75, .*; make another one current.*CUDA_VISIBLE_DEVICES=1 "
    with pytest.raises(UnsupportedError, match=says) as error:
        backend.kernel(compiled, SimpleNamespace(target=target), {}, None)  # type: ignore[arg-type]  # not looked at
    assert "\n" not in str(error.value)


def test_copies_on_a_stream_wait_for_nothing_until_that_stream_is_waited_for() -> None:
    device, _, runtime = made()
    device.upload(1 << 40, 640, 24, 7)
    device.download(1 << 41, 1280, 48, 7)
    device.wait(7)
    assert done(runtime) == [
        ("memcpyAsync", 1 << 40, 640, 24, 1, 7),
        ("pointerGetAttributes", 640),
        ("memcpyAsync", 1280, 1 << 41, 48, 2, 7),
        ("streamSynchronize", 7),
    ]
    runtime.fails = [None, None, CudaError(700)]
    with pytest.raises(BrokenContext, match="a kernel: .*start another"):
        device.wait(7)
