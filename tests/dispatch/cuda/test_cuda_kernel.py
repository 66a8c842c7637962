"""CudaKernel on the simulated device, with kernels written by hand: right results, refusals in a line, its cost."""

from __future__ import annotations

import ctypes
import statistics
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from anytile.core.errors import AnytileError, ArgumentError, CodegenError, ResourceError
from anytile.dispatch.cuda.arrays import CUDA, TorchFamily, view
from anytile.dispatch.cuda.cupy_device import CupyFamily
from anytile.dispatch.cuda.device import BrokenContext, Function
from anytile.dispatch.cuda.kernel import CudaKernel
from anytile.dispatch.cuda.workspace import Workspaces
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any as Sym
from tests.support.cases.handwritten_cuda import K, N, artifact, plan
from tests.support.stand_ins.simulated_gpu import SimArray, SimulatedGpu


def kernel(
    device: SimulatedGpu, given: DispatchPlan | None = None, does: str = "right", align: int = 4, **constants: object
) -> CudaKernel:
    return CudaKernel(artifact(does, given, align), device, constants)


@pytest.fixture
def device() -> SimulatedGpu:
    return SimulatedGpu()


def operands(device: SimulatedGpu, m: int) -> tuple[Any, Any, np.ndarray]:
    rng = np.random.default_rng(m)
    x, w = (rng.standard_normal(s, dtype=np.float32) for s in ((m, K), (N, K)))
    return device.array(x), device.array(w), x @ w.T


@pytest.mark.slow
@pytest.mark.parametrize("m", [0, 1, 3, 4, 5, 101])
@pytest.mark.parametrize("low", [None, 4])
def test_it_is_right_at_every_size(device: SimulatedGpu, m: int, low: int | None) -> None:
    run = kernel(device, plan(low=low, runs="cublas" if low else 0))
    x, w, expected = operands(device, m)
    for _ in range(3):
        np.testing.assert_allclose(run(x, w).values, expected, atol=1e-5)
    out = device.array(np.full((m, N), np.nan, np.float32))
    assert run(x, w, out=out) is out
    np.testing.assert_allclose(out.values, expected, atol=1e-5)


@pytest.mark.parametrize("where", ["host", "device"])
def test_constants_are_held_on_the_device(device: SimulatedGpu, where: str) -> None:
    x, w, expected = operands(device, 7)
    given = w.values if where == "host" else w
    run = kernel(device, plan(dense(Sym("m"), N, K, const=("w",))), w=given)
    for _ in range(2):
        np.testing.assert_allclose(run(x).values, expected, atol=1e-5)
    np.testing.assert_array_equal(run.constants()["w"], w.values)
    with pytest.raises(ArgumentError, match="expected the constants w, got none"):
        kernel(device, plan(dense(Sym("m"), N, K, const=("w",))))


def test_what_makes_a_constant_is_waited_for(device: SimulatedGpu, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call on a stream that waits for no other would read it too soon."""
    waits: list[None] = []
    monkeypatch.setattr(device, "synchronise", lambda: waits.append(None))
    _, w, _ = operands(device, 7)
    kernel(device, plan(dense(Sym("m"), N, K, const=("w",))), w=w)
    assert waits


def test_memory_is_made_without_a_wait_for_the_whole_device(device: SimulatedGpu) -> None:
    """Another thread may be recording a graph, which that would end, and this one may hold what it waits for."""
    spaces, made = Workspaces(device), list[int]()
    device.record(5, lambda: made.append(spaces.address(3, 64)))
    assert made


def test_what_is_refused_is_refused_in_one_line(device: SimulatedGpu) -> None:
    run = kernel(device, align=16)
    x, w, _ = operands(device, 8)
    out = device.array(np.zeros((8, N), np.float32))
    wide = device.array(np.zeros((8, 2 * K), np.float32))
    other = device.array(np.zeros((8, K), np.float32), number=1)
    shifted = device.array(np.zeros((8, K), np.float32), offset=4)
    cases: list[tuple[tuple[Any, ...], Any, str]] = [
        ((x,), None, r"dense: expected 2 arrays: x, w; got 1"),
        ((np.zeros((8, K), np.float32), w), None, "dense: x: expected an array on cuda:0, got one on the CPU; move"),
        (([1.0], w), None, "dense: x: expected an array on the GPU .*, got list; pass cupy.asarray"),
        ((other, w), None, "dense: x: it is on cuda:1, and the kernel is on cuda:0; move it there"),
        ((device.array(np.zeros((8, K), np.float64)), w), None, "its dtype .* is none that kernels take"),
        ((device.array(np.zeros((8, K), np.int32)), w), None, r"expected float32 of shape \(m, 5\), got int32"),
        ((device.array(np.zeros((8, 1, K), np.float32)), w), None, "expected 2 dimensions"),
        ((device.array(np.zeros((8, K + 1), np.float32)), w), None, "k is 6 instead of 5"),
        (
            (SimArray.viewing(wide, wide.values[:, ::2]), w),
            None,
            r"not contiguous \(strides \(10, 2\).*pass x.copy\(\)",
        ),
        ((shifted, w), None, "x: begins 4 bytes after a multiple of 16, and this kernel moves vectors; pass a copy"),
        ((x, w), device.array(np.zeros((7, N), np.float32)), r"y: out: expected shape \(8, 6\), got \(7, 6\)"),
        ((x, w), SimArray.viewing(x, x.values.reshape(-1)[:30].reshape(5, 6)), "out: expected shape"),
    ]
    for again in range(2):
        for inputs, given, reason in cases:
            with pytest.raises(AnytileError, match=reason) as error:
                run(*inputs, out=given)
            assert "\n" not in str(error.value)
        assert device.launches == again
        run(x, w, out=out)  # the second time the shape is known, and all of it is refused all the same


def test_a_constant_is_held_to_the_alignment_that_every_call_relies_on(device: SimulatedGpu) -> None:
    given = plan(dense(Sym("m"), N, K, const=("w",)))
    with pytest.raises(ArgumentError, match="w: begins 4 bytes after a multiple of 16, .*pass a copy of it"):
        kernel(device, given, align=16, w=device.array(np.zeros((N, K), np.float32), offset=4))
    kernel(device, given, align=16, w=device.array(np.zeros((N, K), np.float32), offset=16))


def test_out_over_an_input_is_refused(device: SimulatedGpu) -> None:
    run = kernel(device)
    x, w, _ = operands(device, 6)
    run(x, w)
    both = device.array(np.zeros(100, np.float32))
    x = SimArray.viewing(both, both.values[:30].reshape(6, 5))
    y = SimArray.viewing(both, both.values[24:60].reshape(6, 6))
    with pytest.raises(ArgumentError, match="out overlaps x in memory"):
        run(x, w, out=y)


def test_nothing_is_allocated_after_the_first_call_and_each_stream_has_its_workspace(device: SimulatedGpu) -> None:
    run = kernel(device, does="counting")
    x, w, expected = operands(device, 9)
    out = device.array(np.empty((9, N), np.float32))
    run(x, w, out=out)
    first = device.allocated
    for stream in (0, 0, 5, 5, 0):
        device.stream = stream
        run(x, w, out=out)
        np.testing.assert_allclose(out.values, expected, atol=1e-5)
    assert device.allocated == first + 1  # of the other stream
    x, w, wider = operands(device, 40)
    np.testing.assert_allclose(run(x, w).values, wider, atol=1e-5)


def test_it_can_be_captured(device: SimulatedGpu) -> None:
    run = kernel(device, does="counting")
    x, w, expected = operands(device, 9)
    out = device.array(np.full((9, N), np.nan, np.float32))
    device.stream = 3

    def captured() -> Any:
        return device.record(3, lambda: run(x, w, out=out))

    with pytest.raises(ArgumentError, match="no workspace is ready .*; call the kernel once at this shape outside of"):
        captured()
    device.stream = 0
    run(x, w, out=out)
    before, device.stream = device.allocated, 3
    graph = captured()
    assert device.allocated == before
    out.values[...] = np.nan
    graph.launch(3)
    np.testing.assert_allclose(out.values, expected, atol=1e-5)


def test_a_graph_shares_no_workspace_with_calls_or_other_graphs(device: SimulatedGpu) -> None:
    """It may be replayed on another stream, beside them; torch captures all graphs of a program on one stream."""
    spaces = Workspaces(device)
    device.stream = 3
    called = spaces.address(3, 64)
    found = []

    def capture(stream: int, nbytes: int) -> None:
        device.record(stream, lambda: found.append(spaces.address(stream, nbytes)))

    capture(3, 64)
    capture(3, 32)
    assert called == spaces.address(3, 64)
    capture(5, 64)
    assert len({called, *found}) == 4
    spaces.address(3, 128)
    capture(3, 128)
    assert len({called, *found}) == 5
    assert len(spaces._kept) == 1  # outgrown by calls, and held


def test_a_capture_that_no_call_prepared_is_refused_in_a_line(device: SimulatedGpu) -> None:
    spaces = Workspaces(device)
    spaces.address(0, 64)
    for stream in (3, 4):  # a capture and what it forks to
        device.record(stream, lambda stream=stream: spaces.address(stream, 64))  # type: ignore[misc]  # a default
    for stream, nbytes in ((5, 64), (3, 128)):
        with pytest.raises(ArgumentError, match="no workspace is ready") as error:
            device.record(stream, lambda stream=stream, nbytes=nbytes: spaces.address(stream, nbytes))  # type: ignore[misc]  # a default
        assert "\n" not in str(error.value)


def test_an_illegal_access_breaks_the_context(device: SimulatedGpu) -> None:
    run = kernel(device, does="illegal")
    x, w, _ = operands(device, 9)
    run(x, w)
    with pytest.raises(BrokenContext, match="the GPU takes no more work from this process") as error:
        device.synchronise()
    assert "\n" not in str(error.value)


def test_what_does_not_fit_the_device(device: SimulatedGpu) -> None:
    x, w, _ = operands(device, 9)
    small = SimulatedGpu(memory=1000)
    with pytest.raises(ResourceError, match="out of device memory"):
        kernel(small, does="counting")(x, w)
    with pytest.raises(ResourceError, match="it counts them in 32 bits; split the work"):
        kernel(device)._loaded.at({"m": 2**30})


class OutOfMemoryError(RuntimeError):
    """What torch raises, by its name."""


def failing(error: Exception) -> Any:
    def empty(*args: object, **kwargs: object) -> None:
        raise error

    return empty


@pytest.mark.parametrize("library", ["cupy", "torch"])
def test_no_memory_for_a_result(library: str) -> None:
    """Both libraries' words for it, which are not ours; what else torch raises stays torch's."""

    def family(error: Exception) -> Any:
        if library == "torch":
            return TorchFamily(SimpleNamespace(empty=failing(error), _C=None), 0)
        cuda = SimpleNamespace(get_current_stream=None)
        return CupyFamily(SimpleNamespace(empty=failing(error), cuda=cuda), 0, several=False)

    words = "Tried to allocate 3 GiB.\nOf the allocated memory ..."
    full = OutOfMemoryError(words) if library == "torch" else MemoryError(words)
    with pytest.raises(
        ResourceError, match=r"a result of shape \(8, 6\): out of device memory .*3 GiB.*; use smaller"
    ) as found:
        family(full).empty((8, 6), "float32")
    assert "\n" not in str(found.value)
    with pytest.raises(RuntimeError if library == "torch" else CodegenError, match="something else"):
        family(RuntimeError("something else")).empty((8, 6), "float32")


def test_an_array_on_another_device_is_never_asked_for_its_memory() -> None:
    """torch's answer, asked with a stream of ours, would be about streams."""

    class Elsewhere:
        def __dlpack_device__(self) -> tuple[int, int]:
            return CUDA, 1

        def __dlpack__(self, stream: int) -> object:
            raise BufferError("dlpack: stream is of another device")

    with pytest.raises(ArgumentError, match="dense: x: it is on cuda:1, and the kernel is on cuda:0; move it there"):
        view("dense: x", Elsewhere(), 0, 0)


class NoOp(SimulatedGpu):
    """Takes a launch and does nothing: what is left is what we add."""

    def launch(
        self, function: Function, grid: tuple[int, int, int], stream: int, arguments: int, early: bool = False
    ) -> None:
        self.launches += 1


class Yardstick:
    """Twenty calls of a method that looks something up and writes two slots: what an interpreter of any speed makes of
    it, 5 us on a quiet Zen 3 at 3.5 GHz."""

    def __init__(self) -> None:
        self.seen = {(1, 2): 3}
        self.slots = (ctypes.c_longlong * 4)()

    def look_up(self, first: int, second: int) -> bool:
        found = self.seen.get((first, second))
        self.slots[0] = first
        self.slots[1] = found or 0
        return isinstance(first, int) and found is not None

    def __call__(self) -> None:
        for _ in range(20):
            self.look_up(1, 2)


@pytest.mark.parametrize(("does", "most"), [("right", 1.45), ("counting", 1.6)])
def test_the_host_adds_little_to_a_launch(does: str, most: float) -> None:
    """7 and 8 us where the yardstick takes 5, whoever else is at work: both in turn, and the median of their ratios."""
    device = NoOp()
    run = kernel(device, plan(dense(Sym("m"), N, K, const=("w",))), does, w=np.zeros((N, K), np.float32))
    x, out = device.array(np.zeros((9, K), np.float32)), device.array(np.zeros((9, N), np.float32))
    yardstick = Yardstick()
    run(x, out=out)
    ratios = []
    for _ in range(300):
        begin = time.thread_time()
        for _ in range(100):
            run(x, out=out)
        middle = time.thread_time()
        for _ in range(100):
            yardstick()
        ratios.append((middle - begin) / (time.thread_time() - middle))
    assert device.launches > 6000
    assert statistics.median(ratios) < most, statistics.quantiles(ratios)
