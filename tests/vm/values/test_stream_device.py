"""Models on a GPU that does nothing before somebody waits: what they compute is what the evaluator says."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from anytile.compiler.evaluate import evaluate
from anytile.compiler.lowering.host_functions import host_functions
from anytile.compiler.module import Module
from anytile.core.errors import ArgumentError, SpecError, UnsupportedError
from anytile.dispatch.arguments.view import opened
from anytile.dispatch.cpu.fast_call import address_of
from anytile.dispatch.cuda.arrays import CUDA
from anytile.dispatch.cuda.device import DeviceLost, OutOfDeviceMemory
from anytile.schedules.nest.stored_floats import array_dtype, in_numpy
from anytile.vm.session import Session
from anytile.vm.values import stream_device
from anytile.vm.values.stream_device import WAITING, StreamDevice
from tests.support.cases.compiled_modules import random, same
from tests.support.cases.gpu_models import compiled_for_gpu
from tests.support.cuda_cpu.compiler import missing
from tests.support.stand_ins.queued_gpu import QueuedGpu
from tests.support.stand_ins.simulated_gpu import SimArray

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

LAYER = """
const $w: Tensor[(6, 8), float32];
const $b: Tensor[(6), float32];
def main(x: Tensor[(?n, 8), float32]) -> Tensor[(?n, 6), float32] { softmax(add(dense(x, $w), $b)) }
"""


def layer() -> Module:
    return Module.parse(LAYER, {"w": random(1, 6, 8), "b": random(2, 6)})


@pytest.mark.slow
@pytest.mark.parametrize("chance", [0.0, 0.5, 1.0])
def test_a_layer_of_any_number_of_rows(chance: float) -> None:
    module, gpu = layer(), QueuedGpu(chance)
    session = Session(compiled_for_gpu(module), functions=host_functions(), devices={"cuda": StreamDevice(gpu)})
    for n in (1, 7, 8, 0, 101, 7):
        x = random(n + 3, n, 8)
        same(session(x), evaluate(module, (x,)))


@pytest.mark.slow
@pytest.mark.parametrize("early", [False, True])
def test_kernels_may_begin_before_those_in_front_of_them_end(early: bool) -> None:
    """Interpreted, launched natively and recorded."""
    module, gpu = layer(), QueuedGpu()
    device = StreamDevice(gpu, early=early)
    session = Session(compiled_for_gpu(module), functions=host_functions(), devices={"cuda": device})
    x = random(5, 9, 8)
    for _ in range(4):
        same(session(x), evaluate(module, (x,)))
    assert gpu.early == (gpu.launches if early else 0)
    assert gpu.launches


@pytest.mark.slow
def test_nothing_but_the_result_is_waited_for() -> None:
    gpu = QueuedGpu()
    session = Session(compiled_for_gpu(layer()), functions=host_functions(), devices={"cuda": StreamDevice(gpu)})
    for calls in range(1, 4):
        session(random(5, 9, 8))
        assert gpu.waits == calls
    assert gpu.longest > 3


DECIDES = """
const $w: Tensor[(4, 4), float32];
def main(x: Tensor[(?n, 4), float32], times: Tensor[(), int64]) -> Tensor[(?, 4), float32] {
  let y = loop(tanh(dense(x, $w)), times);
  if (less(max(y), 0.5)) { y } else { concat(y, relu(y)) }
}
def loop(x: Tensor[(?m, 4), float32], times: Tensor[(), int64]) -> Tensor[(?m, 4), float32] {
  if (less_equal(times, 0)) { x } else { loop(softmax(dense(x, $w)), subtract(times, 1)) }
}
"""


class Hasty(StreamDevice):
    """It hands out what it reads without waiting for it."""

    def wait(self) -> None:
        pass


def decides() -> Module:
    return Module.parse(DECIDES, {"w": random(1, 4, 4)})


@pytest.mark.slow
@pytest.mark.parametrize("chance", [0.0, 0.3])
def test_decisions_of_the_host_wait_for_what_they_look_at_and_for_no_more(chance: float) -> None:
    module, gpu = decides(), QueuedGpu(chance)
    session = Session(compiled_for_gpu(module), functions=host_functions(), devices={"cuda": StreamDevice(gpu)})
    for n, times in ((1, 0), (5, 3), (2, 1), (5, 0)):
        args = (random(n, n, 4), np.asarray(times))
        before = gpu.waits
        same(session(*args), evaluate(module, args))
        assert gpu.waits - before == 2  # the maximum, and the result


@pytest.mark.slow
@pytest.mark.parametrize("module", [layer(), decides()], ids=["result", "decision"])
def test_a_wait_that_is_missing_shows(module: Module) -> None:
    session = Session(compiled_for_gpu(module), functions=host_functions(), devices={"cuda": Hasty(QueuedGpu())})
    args = (random(5, 9, 8),) if len(session.inputs) == 1 else (random(5, 9, 4), np.asarray(2))
    with pytest.raises(AssertionError):
        same(session(*args), evaluate(module, args))


NETWORK = """
const $stem: Tensor[(8, 3, 3, 3), float32];
const $w: Tensor[(8, 8, 3, 3), float32];
const $wide: Tensor[(12, 8, 1, 1), float32];
const $b: Tensor[(12, 1, 1), float32];
def main(x: Tensor[(?n, 3, 11, 14), float32]) {
  let s = max_pool2d(relu(conv2d(x, $stem, stride=2, pad=1)), kernel=3, stride=2, pad=1);
  let a = relu(add(s, conv2d(relu(conv2d(s, $w, pad=1)), $w, pad=1)));
  mean(relu(add(conv2d(a, $wide), $b)), axis=(2, 3))
}
"""


@pytest.mark.slow
def test_a_network_of_images_with_channels_second_has_them_last_on_the_gpu() -> None:
    sizes = {"stem": (8, 3, 3, 3), "w": (8, 8, 3, 3), "wide": (12, 8, 1, 1), "b": (12, 1, 1)}
    module = Module.parse(NETWORK, {name: random(i, *size) for i, (name, size) in enumerate(sizes.items())})
    gpu, exe = QueuedGpu(0.3), compiled_for_gpu(module)
    products = [k for k in exe.kernels if k.workload.startswith("conv2d")]
    assert {k.device for k in products} == {1}
    assert all("layout=nhwc" in k.workload and "conv2d.cuda.simt" in k.plan for k in products)
    assert sum(k.workload.startswith("transpose") for k in exe.kernels) == 1  # of the images
    session = Session(exe, functions=host_functions(), devices={"cuda": StreamDevice(gpu)})
    for n in (1, 2, 1, 2, 0, 1):
        x = random(n + 5, n, 3, 11, 14)
        same(session(x), evaluate(module, (x,)), 1e-4)


def test_memory_goes_round_without_a_wait_and_back_to_the_driver_only_in_need() -> None:
    gpu = QueuedGpu(memory=1 << 20)
    device = StreamDevice(gpu)
    first = device.allocate(1000)
    address = first.address
    numbers, zeros, late = np.arange(1000, dtype=np.uint8), np.zeros(1000, np.uint8), np.empty(1000, np.uint8)
    device.write(address, address_of(numbers), 1000)
    gpu.download(address, address_of(late), 1000, device.stream)
    del first
    second = device.allocate(1000)
    assert second.address == address  # whose new bytes come after the copy that was asked for before
    device.write(address, address_of(zeros), 1000)
    device.wait()
    np.testing.assert_array_equal(late, numbers)
    device.read(address, address_of(late), 1000)
    np.testing.assert_array_equal(late, zeros)
    taken = gpu.allocated
    for _ in range(5):
        kept = device.allocate(300_000)
        del kept
    assert gpu.allocated == taken + 1
    large = device.allocate(900_000)  # not without the other, which nobody holds
    assert gpu.free_bytes() < 200_000
    with pytest.raises(OutOfDeviceMemory, match="out of device memory"):
        device.allocate(900_000)
    del large


def test_memory_is_made_without_a_wait_for_the_whole_gpu() -> None:
    """Another model may be recording a graph there, which that would end."""
    gpu = QueuedGpu()
    device, made = StreamDevice(gpu), list[int]()
    gpu.record(99, lambda: made.append(device.allocate(64).address))
    assert made


def test_an_array_is_free_for_other_things_once_it_was_handed_over() -> None:
    device = StreamDevice(QueuedGpu())
    block, data = device.allocate(64), np.ones(64, np.uint8)
    device.write(block.address, address_of(data), 64)
    data[:] = 7
    device.read(block.address, address_of(data), 64)
    np.testing.assert_array_equal(data, np.ones(64, np.uint8))


@pytest.mark.slow
def test_what_goes_wrong_on_the_gpu_is_said_where_somebody_waits() -> None:
    gpu = QueuedGpu()
    session = Session(compiled_for_gpu(layer()), functions=host_functions(), devices={"cuda": StreamDevice(gpu)})
    session(random(5, 9, 8))
    gpu.lost = True
    with pytest.raises(DeviceLost, match="the GPU is gone or does not answer"):
        session(random(5, 9, 8))


def test_code_for_another_gpu_and_damaged_code_are_refused() -> None:
    exe = compiled_for_gpu(layer())
    other = QueuedGpu()
    other._facts = replace(other.facts, arch="sm_80")
    with pytest.raises(UnsupportedError, match=r"target cuda -arch=sm_90a: the current device, number 0, is a Simul"):
        Session(exe, functions=host_functions(), devices={"cuda": StreamDevice(other)})
    (number,) = [i for i, k in enumerate(exe.kernels) if "dense" in k.workload]
    entry = exe.kernels[number]
    assert entry.artifact is not None

    def refused(code: bytes, match: str) -> None:
        assert entry.artifact is not None
        kernels = list(exe.kernels)
        kernels[number] = replace(entry, artifact=replace(entry.artifact, code=code))
        with pytest.raises(SpecError, match=match):
            Session(replace(exe, kernels=tuple(kernels)), devices={"cuda": StreamDevice(QueuedGpu())})

    refused(entry.artifact.code[:-1], "its code is damaged: .*; compile it again")
    (softmax,) = [k.artifact for k in exe.kernels if "softmax" in k.workload]
    assert softmax is not None
    refused(softmax.code, "kernel for dense.*: its code is for softmax.*; compile it again")


@pytest.mark.slow
def test_inputs_that_lie_on_the_gpu_stay_there_unless_the_host_looks_at_them() -> None:
    module, gpu = decides(), QueuedGpu()
    session = Session(compiled_for_gpu(module), functions=host_functions(), devices={"cuda": StreamDevice(gpu)})
    x, times = random(5, 9, 4), np.asarray(2)
    wanted = evaluate(module, (x, times))
    uploads: list[int] = []
    upload = gpu.upload

    def counted(address: int, source: int, nbytes: int, stream: int) -> None:
        uploads.append(nbytes)
        upload(address, source, nbytes, stream)

    gpu.upload = counted  # type: ignore[method-assign]
    same(session(x, times), wanted)
    assert x.nbytes in uploads
    uploads.clear()
    there, before = gpu.array(x), gpu.waits
    same(session(there, times), wanted)
    assert x.nbytes not in uploads
    assert gpu.waits == before + 2
    np.testing.assert_array_equal(there.values, x)
    same(session(there, gpu.array(times)), wanted)  # how often the loop turns is looked at
    assert gpu.waits == before + 5


@pytest.mark.slow
def test_arrays_of_a_gpu_that_do_not_fit_are_refused_in_a_line() -> None:
    gpu = QueuedGpu()
    session = Session(compiled_for_gpu(layer()), functions=host_functions(), devices={"cuda": StreamDevice(gpu)})

    def refused(array: object, match: str) -> None:
        with pytest.raises(ArgumentError, match=match):
            session(array)

    x = random(5, 9, 8)
    refused(gpu.array(x.astype(np.int32)), r"run: x: expected Tensor\[\(\?n, 8\), float32\], got int32; pass x.astype")
    refused(gpu.array(x.astype(np.float64)), "run: x: its dtype .* is none that kernels take")
    refused(gpu.array(x[:, :7].copy()), r"run: x: expected .*, got shape \(9, 7\); dimension 1 is 7")
    refused(gpu.array(x[0]), r"run: x: expected .*, got 1 dimension: \(8,\); reshape it first")
    refused(gpu.array(x, number=1), "run: x: it is on cuda:1, and the kernel is on cuda:0; move it there")
    columns = gpu.array(np.zeros((8, 9), np.float32))
    refused(SimArray.viewing(columns, columns.values.T), r"run: x: not contiguous .*; pass a copy")
    refused(gpu.array(x, offset=4), "dense: x begins 4 bytes after a multiple of 16, .*; pass a copy of the input")


@pytest.mark.slow
def test_results_that_stay_on_the_gpu_are_complete_and_nobody_elses() -> None:
    module, gpu = decides(), QueuedGpu()
    session = Session(
        compiled_for_gpu(module), functions=host_functions(), devices={"cuda": StreamDevice(gpu)}, results="cuda"
    )
    args = (random(5, 9, 4), np.asarray(2))
    wanted = evaluate(module, args)
    found = session(*args)
    said = found.__cuda_array_interface__
    assert (said["shape"], said["typestr"], said["stream"]) == (wanted.shape, "<f4", None)
    address, is_read_only = said["data"]
    assert not is_read_only
    there = np.ctypeslib.as_array((ctypes.c_float * wanted.size).from_address(address)).reshape(wanted.shape)
    same(there.copy(), wanted)  # without a wait of ours
    del found  # and somebody's kernel may still read it, so the model has other memory
    assert session(*args).address != address
    same(session(gpu.array(args[0]), args[1]).numpy(), wanted)


def layer_on_gpu(gpu: QueuedGpu) -> Session:
    devices = {"cuda": StreamDevice(gpu)}
    return Session(compiled_for_gpu(layer()), functions=host_functions(), devices=devices, results="cuda")


def allocated(gpu: QueuedGpu, call: Callable[[], object]) -> list[int]:
    """How often the driver was asked for memory by each of many calls."""
    found = []
    for _ in range(40):
        before = gpu.allocated
        call()
        found.append(gpu.allocated - before)
    return found


@pytest.mark.slow
def test_results_that_nobody_else_saw_take_nothing_of_the_driver_and_wait_for_nothing() -> None:
    gpu = QueuedGpu()
    session, x, synchronise, waits = layer_on_gpu(gpu), random(5, 9, 8), gpu.synchronise, list[int]()
    gpu.synchronise = lambda: (waits.append(0), synchronise())[1]  # type: ignore[method-assign]
    assert not any(allocated(gpu, lambda: session(x).numpy())[3:])
    assert not waits


@pytest.mark.slow
def test_results_that_others_read_take_nothing_of_the_driver_before_long() -> None:
    gpu = QueuedGpu()
    session, x, synchronise, waits = layer_on_gpu(gpu), random(5, 9, 8), gpu.synchronise, list[int]()
    gpu.synchronise = lambda: (waits.append(0), synchronise())[1]  # type: ignore[method-assign]
    assert not any(allocated(gpu, lambda: opened("-", session(x).__dlpack__(stream=99), None))[10:])
    assert 5 <= len(waits) <= 40 // WAITING


@pytest.mark.slow
@pytest.mark.parametrize("drop", ["here", "thread", "session"])
def test_memory_of_results_serves_again_when_all_who_may_read_it_are_done(drop: str) -> None:
    """A stream of another reads each of them late; it went before, perhaps on another thread, or with its session."""
    gpu = QueuedGpu()
    session, reader = layer_on_gpu(gpu), gpu.new_stream()
    late, wanted = [np.empty((9, 6), np.float32) for _ in range(20)], list[object]()
    places = set[int]()
    for n, into in enumerate(late):
        x = random(n, 9, 8)
        held = [session(x)]
        wanted.append(evaluate(layer(), (x,)))
        capsule = held[0].__dlpack__(stream=reader)
        address = opened("-", capsule, None).address
        places.add(address)
        gpu.download(address, address_of(into), into.nbytes, reader)
        del capsule
        if drop == "thread":
            with ThreadPoolExecutor(1) as pool:
                pool.submit(held.clear).result()
        elif drop == "session":
            session = layer_on_gpu(gpu) if n % 7 == 6 else session
            held.clear()
        held.clear()
    gpu.synchronise()
    for into, value in zip(late, wanted, strict=True):
        same(into, value)
    assert drop == "session" or len(places) <= WAITING + 1


def test_a_block_that_others_may_read_is_waited_for_and_beyond_a_limit_goes_to_the_driver(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gpu = QueuedGpu()
    device = StreamDevice(gpu)
    monkeypatch.setattr(stream_device, "KEPT", 100_000)

    def used(nbytes: int) -> int:
        block = device.allocate(nbytes)
        block.hand_out()
        return block.address

    taken = gpu.allocated
    for _ in range(50):
        used(1000)
    assert gpu.allocated == taken + WAITING
    free = gpu.free_bytes()
    for _ in range(20):
        used(90_000)
    assert gpu.free_bytes() > free - 4 * 90_000


PASSES_ON = """
const $w: Tensor[(6, 8), float32];
def main(x: Tensor[(?n, 8), float32]) { (x, $w, dense(x, $w)) }
"""


@pytest.mark.slow
def test_inputs_and_constants_that_are_results_on_the_gpu_are_copies_that_may_be_written() -> None:
    """torch takes no array that it must not write."""
    x, gpu = random(5, 9, 8), QueuedGpu()
    module, devices = Module.parse(PASSES_ON, {"w": random(1, 6, 8)}), {"cuda": StreamDevice(gpu)}
    session = Session(compiled_for_gpu(module), devices=devices, results="cuda")
    given = gpu.array(x)
    for _ in range(2):
        for found, wanted in zip(session(given), evaluate(module, (x,)), strict=True):
            address, is_read_only = found.__cuda_array_interface__["data"]
            assert not is_read_only
            assert address != given.room.address
            same(found.numpy(), wanted)


def test_results_on_the_gpu_share_no_memory_and_are_waited_for_once() -> None:
    text = "def main(x: Tensor[(?n, 8), float32]) { let y = negative(x); (y, (reshape(y, shape=(-1,)), x)) }"
    x, gpu = random(5, 9, 8), QueuedGpu()
    session = Session(compiled_for_gpu(Module.parse(text)), devices={"cuda": StreamDevice(gpu)}, results="cuda")
    given = gpu.array(x)
    for _ in range(4):
        waits = gpu.waits
        y, (flat, same_x) = session(given)
        assert gpu.waits == waits + 1
        assert len({y.address, flat.address, same_x.address, given.room.address}) == 4
        for found, wanted in ((y, -x), (flat, -x.reshape(-1)), (same_x, x)):
            same(found.numpy(), wanted)


def test_results_are_wanted_on_a_device_that_is_there() -> None:
    exe = compiled_for_gpu(layer())
    with pytest.raises(SpecError, match="session: results='gpu': expected one of the devices host, cuda"):
        Session(exe, devices={"cuda": StreamDevice(QueuedGpu())}, results="gpu")


@pytest.mark.slow
def test_a_copy_by_dlpack_is_a_copy_and_another_device_is_refused() -> None:
    gpu = QueuedGpu()
    found = layer_on_gpu(gpu)(random(5, 9, 8))
    seen = opened("-", found.__dlpack__(stream=1, copy=True, dl_device=(CUDA, 0)), None)
    assert seen.address != found.address
    there = np.ctypeslib.as_array((ctypes.c_float * 54).from_address(seen.address)).reshape(9, 6)
    np.testing.assert_array_equal(there, found.numpy())
    with pytest.raises(BufferError, match=r"it lies on device \(2, 0\), not on \(1, 0\)"):
        found.__dlpack__(dl_device=(1, 0))


@pytest.mark.slow
def test_a_run_that_fails_leaves_nothing_under_way() -> None:
    """Its caller lets go of what it was given, into which rows may still be put."""
    text = "def main(x: Tensor[(?n, 8), float32], at: Tensor[(1), int64]) { take(tanh(x), at, axis=0) }"
    gpu = QueuedGpu()
    session = Session(
        compiled_for_gpu(Module.parse(text)), functions=host_functions(), devices={"cuda": StreamDevice(gpu)}
    )
    same(session(random(5, 9, 8), np.array([3])), np.tanh(random(5, 9, 8)[[3]]))
    with pytest.raises(ArgumentError):
        session(random(5, 9, 8), np.array([9]))
    assert not any(gpu._queues.values())


@pytest.mark.slow
def test_threads_share_the_stream_and_its_memory() -> None:
    module, gpu = decides(), QueuedGpu(0.2)
    session = Session(compiled_for_gpu(module), functions=host_functions(), devices={"cuda": StreamDevice(gpu)})
    each = [(random(n, n + 1, 4), np.asarray(n % 3)) for n in range(8)]
    wanted = [evaluate(module, args) for args in each]

    def run(number: int) -> None:
        for turn in range(len(each)):
            n = (number + turn) % len(each)
            same(session(*each[n]), wanted[n])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(run, range(4)))


@pytest.mark.slow
def test_code_for_a_gpu_is_no_code_for_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anytile.schedules.hardware.nvidia_driver.is_here", lambda options: True)
    exe = compiled_for_gpu(layer())
    kernels = tuple(replace(k, device=0) for k in exe.kernels)
    with pytest.raises(UnsupportedError, match="its code is for cuda -arch=sm_90a, and this machine is llvm"):
        Session(replace(exe, kernels=kernels), devices={"cuda": StreamDevice(QueuedGpu())})


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32"])
def test_results_are_read_by_dlpack_and_kept_as_long(dtype: str) -> None:
    """As torch.from_dlpack does it; of bfloat16 there is no other way."""
    text, gpu = f"def main(x: Tensor[(?n, 8), {dtype}]) {{ add(x, x) }}", QueuedGpu()
    device = StreamDevice(gpu)
    session = Session(
        compiled_for_gpu(Module.parse(text)),
        functions=host_functions(),
        devices={"cuda": device},
        results="cuda",
    )
    x = random(5, 9, 8).astype(array_dtype(dtype))
    found = session(x)
    assert found.dtype == x.dtype
    np.testing.assert_array_equal(in_numpy(found.numpy()), in_numpy(x + x))
    assert found.__dlpack_device__() == (CUDA, gpu.index)
    capsule = found.__dlpack__(stream=1, max_version=(1, 0))
    seen = opened("x", capsule, found)
    assert (seen.shape, seen.dtype, seen.device) == (x.shape, dtype, (CUDA, gpu.index))
    assert seen.strides == (8, 1)
    del found, seen
    assert not device._seen  # the capsule keeps it
    del capsule
    assert len(device._seen) == 1
    if dtype == "bfloat16":
        with pytest.raises(ArgumentError, match=r"take it by DLPack, as torch.from_dlpack does"):
            session(x).__cuda_array_interface__  # noqa: B018  # it is what raises
