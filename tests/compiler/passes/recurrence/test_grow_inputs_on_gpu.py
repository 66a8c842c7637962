"""Caches that come back longer are appended to where they lie on a GPU, from call to call, and no more is copied."""

from __future__ import annotations

import ctypes
import gc
import weakref
from typing import Any as AnyType

import numpy as np
import pytest

from anytile.compiler.evaluate import evaluate
from anytile.compiler.lowering.host_functions import host_functions
from anytile.compiler.module import Module
from anytile.compiler.passes.recurrence.grow_inputs import grow_inputs
from anytile.core.dtypes import HALVES
from anytile.dispatch.cuda.device import OutOfDeviceMemory
from anytile.schedules.nest.stored_floats import array_dtype
from anytile.vm.executable import Executable
from anytile.vm.program import isa
from anytile.vm.session import Session
from anytile.vm.values.device_array import DeviceArray
from anytile.vm.values.stream_device import StreamDevice
from tests.support.cases.compiled_modules import STACK, random
from tests.support.cases.gpu_models import compiled_for_gpu
from tests.support.cuda_cpu.compiler import missing
from tests.support.stand_ins.queued_gpu import QueuedGpu
from tests.support.stand_ins.simulated_gpu import SimArray

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

DECODER = """
const $w: Tensor[(8, 8), DTYPE];
def main(x: Tensor[(1, ?t, 8), DTYPE], keys: Tensor[(1, 2, ?past, 4), DTYPE],
    values: Tensor[(1, 2, ?past, 4), DTYPE]) {
  let h = tanh(dense(tanh(dense(softmax(dense(x, $w)), $w)), $w));
  let q = transpose(reshape(h, shape=(0, 0, 2, 4)), perm=(0, 2, 1, 3));
  let k = concat(keys, q, axis=2);
  let v = concat(values, tanh(q), axis=2);
  let mixed = batch_matmul(softmax(batch_matmul(q, k, rhs="bnk")), v);
  let flat = reshape(transpose(mixed, perm=(0, 2, 1, 3)), shape=(0, 0, 8));
  (sizes_of(x, keys, sizes="d5 + d1"), (tanh(dense(tanh(dense(softmax(dense(flat, $w)), $w)), $w)), (k, v)))
}
"""
PLAIN = """
def main(x: Tensor[(?t, 3), float32], seen: Tensor[(?past, 3), float32]) { (concat(seen, negative(x), axis=0), x) }
"""
TOLERANCE = {"float32": 2e-5, "float16": 2.0**-8, "bfloat16": 2.0**-6}


def decoder(dtype: str = "float32") -> Module:
    return Module.parse(DECODER.replace("DTYPE", dtype), {"w": random(1, 8, 8).astype(array_dtype(dtype))})


def on_gpu(exe: Executable, device: StreamDevice, results: str = "cuda") -> Session:
    return Session(exe, functions=host_functions(), devices={"cuda": device}, results=results)


def turned(x: AnyType) -> AnyType:
    """(batch, heads, rows, width) with the rows first."""
    return x.transpose(2, 0, 1, 3)


def exact(found: AnyType, wanted: AnyType) -> None:
    np.testing.assert_array_equal(found.view(np.uint8), np.ascontiguousarray(wanted).view(np.uint8))


@pytest.mark.slow
@pytest.mark.parametrize("chance", [0.0, 0.4])
@pytest.mark.parametrize("dtype", ["float32", *HALVES])
def test_a_decoder_appends_to_its_cache_where_it_lies(dtype: str, chance: float) -> None:
    """Over many steps, some of several rows: the same as without a cache that grows, and one copy of rows each."""
    module, gpu = decoder(dtype), QueuedGpu(chance)
    device = StreamDevice(gpu)
    session = on_gpu(compiled_for_gpu(grow_inputs(module)), device)
    caches: list[AnyType] = [np.zeros((0, 1, 2, 4), array_dtype(dtype))] * 2
    old = [random(0, 1, 2, 0, 4).astype(array_dtype(dtype))] * 2
    row, joined, steps = old[0].itemsize * 8, 0, 40
    moved, waits = len(gpu.moved), gpu.waits
    for step in range(steps):
        x = random(step, 1, 4 if step in (0, 17) else 1, 8).astype(array_dtype(dtype))
        place, (wanted, seen) = evaluate(module, (x, *old))
        found, (got, grown) = session(x, *caches)
        np.testing.assert_array_equal(found.numpy(), place)
        np.testing.assert_allclose(np.float64(got.numpy()), np.float64(wanted), rtol=0, atol=TOLERANCE[dtype])
        for cache, other in zip(grown, seen, strict=True):
            np.testing.assert_allclose(
                np.float64(cache.numpy()), np.float64(turned(other)), rtol=0, atol=TOLERANCE[dtype]
            )
        caches, old = list(grown), [np.ascontiguousarray(c.numpy().transpose(1, 2, 0, 3)) for c in grown]
        joined += sum(c.nbytes for c in old)
    count = old[0].shape[2]
    grew = gpu.moved[moved:]
    assert count == steps + 6
    assert sum(grew) < 2 * 5 * count * row < joined / 3  # a cache is copied where its room ends alone
    assert len(grew) <= 2 * (steps + 12)
    assert gpu.waits - waits == steps * 7  # for results, and six reads of them here
    assert not device._seen  # nobody else has seen a cache, so where one was serves at once


@pytest.mark.slow
def test_what_runs_on_the_gpu_never_copies_a_cache() -> None:
    """One kernel has as much before it, attention, which reads both as they lie."""
    exe = compiled_for_gpu(grow_inputs(decoder()))
    code = exe.functions[exe.main].code
    assert sum(isinstance(i, isa.AppendTensor) for i in code) == 2
    lying = random(1, 500, 1, 2, 4)
    events = on_gpu(exe, StreamDevice(QueuedGpu())).profile({"x": random(0, 1, 1, 8), "keys": lying, "values": lying})
    assert sum(e.nbytes >= lying.nbytes for e in events.events) == 1


@pytest.mark.slow
def test_stretches_that_are_recorded_meet_caches_that_moved() -> None:
    """The same sizes again and again, from caches that lie elsewhere every time: graphs and native launches alike."""
    module, gpu = decoder(), QueuedGpu(0.3)
    session = on_gpu(compiled_for_gpu(grow_inputs(module)), StreamDevice(gpu))
    keys, values, kept = random(1, 1, 2, 3, 4), random(2, 1, 2, 3, 4), list[AnyType]()
    for turn in range(6):
        caches: list[AnyType] = [np.ascontiguousarray(turned(c)) for c in (keys, values)]
        old: AnyType = (keys, values)
        for step in range(5):
            x = random(10 * turn + step, 1, 1, 8)
            _, (wanted, old) = evaluate(module, (x, *old))
            _, (got, caches) = session(x, *caches)
            np.testing.assert_allclose(got.numpy(), wanted, atol=2e-5)
        kept.append((caches, old))
    assert gpu.graphs
    for caches, old in kept:
        for cache, wanted in zip(caches, old, strict=True):
            np.testing.assert_allclose(cache.numpy(), turned(wanted), atol=2e-5)


def rows(gpu: QueuedGpu | None = None, results: str = "cuda") -> tuple[QueuedGpu, Session]:
    gpu = gpu or QueuedGpu()
    return gpu, on_gpu(compiled_for_gpu(grow_inputs(Module.parse(PLAIN))), StreamDevice(gpu), results)


def test_an_array_that_two_calls_make_longer_stays_what_it_is() -> None:
    _, session = rows()
    first, _ = session(random(0, 4, 3), np.zeros((0, 3), np.float32))
    before = first.numpy()
    (one, _), (other, _) = session(random(1, 1, 3), first), session(random(2, 1, 3), first)
    assert one.address == first.address != other.address
    np.testing.assert_array_equal(first.numpy(), before)
    np.testing.assert_array_equal(one.numpy(), np.concatenate([before, -random(1, 1, 3)]))
    np.testing.assert_array_equal(other.numpy(), np.concatenate([before, -random(2, 1, 3)]))


def test_two_programs_of_one_device_make_the_same_cache_longer() -> None:
    """One for the prompt, one for the tokens behind it."""
    gpu = QueuedGpu()
    exe, device = compiled_for_gpu(grow_inputs(Module.parse(PLAIN))), StreamDevice(gpu)
    prompt, token = on_gpu(exe, device), on_gpu(exe, device)
    first, _ = prompt(random(0, 4, 3), np.zeros((0, 3), np.float32))
    second, _ = token(random(1, 1, 3), first)
    assert second.address == first.address


def test_results_of_the_host_are_right_as_well() -> None:
    _, session = rows(results="host")
    seen = np.zeros((0, 3), np.float32)
    for step in range(5):
        longer, _ = session(random(step, 1, 3), seen)
        np.testing.assert_array_equal(longer, np.concatenate([seen, -random(step, 1, 3)]))
        seen = longer


def test_memory_that_has_no_room_for_more_is_as_large_as_what_lies_there() -> None:
    gpu, session = rows(QueuedGpu(memory=1 << 17))
    session.memory_limit = None
    first, _ = session(random(0, 3000, 3), np.zeros((0, 3), np.float32))
    exact(first.numpy(), -random(0, 3000, 3))
    with pytest.raises(OutOfDeviceMemory):
        session(random(0, 3000, 3), first)
    longer, _ = session(random(1, 1, 3), first)
    assert isinstance(longer, DeviceArray)
    assert gpu.broken is None


@pytest.mark.slow
@pytest.mark.parametrize(("precision", "near"), [("bfloat16", 5e-2), ("float16", 7e-3)])
def test_layers_in_16_bits_beside_a_cache_of_float32(precision: str, near: float) -> None:
    module = decoder()
    session = on_gpu(compiled_for_gpu(grow_inputs(module), precision), StreamDevice(QueuedGpu(0.3)))
    caches: AnyType = [np.zeros((0, 1, 2, 4), np.float32)] * 2
    old: AnyType = [random(0, 1, 2, 0, 4)] * 2
    for step in range(6):
        x = random(step, 1, 1, 8)
        _, (wanted, old) = evaluate(module, (x, *old))
        _, (got, caches) = session(x, *caches)
        np.testing.assert_allclose(got.numpy(), wanted, atol=near)
        for cache, other in zip(caches, old, strict=True):
            np.testing.assert_allclose(cache.numpy(), turned(other), atol=near)


LOOP = f"const $none: Tensor[(0, 3), float32];\n{STACK}"


@pytest.mark.slow
def test_rows_of_a_loop_are_appended_as_well() -> None:
    """n rows cost n; where the loop passes on what kernels store in 16 bits, they are joined by a kernel still."""
    module, gpu = Module.parse(LOOP, {"none": np.zeros((0, 3), np.float32)}), QueuedGpu(0.3)
    session = on_gpu(compiled_for_gpu(module), StreamDevice(gpu), "host")
    for count in (0, 1, 7, 101):
        x, before = random(count, count, 3), len(gpu.moved)
        np.testing.assert_allclose(session(x), evaluate(module, (x,)), atol=2e-5)
        assert len(gpu.moved) >= count
        assert sum(gpu.moved[before:]) <= 4 * x.nbytes
    assert not any(k.workload.startswith("concat") for k in session.exe.kernels)
    narrow = on_gpu(compiled_for_gpu(module, "bfloat16"), StreamDevice(QueuedGpu()), "host")
    np.testing.assert_allclose(narrow(x), evaluate(module, (x,)), atol=1e-2)


@pytest.mark.parametrize("cut", [slice(0, 3), slice(1, None)])
def test_a_part_of_a_cache_has_no_room_behind_it(cut: slice) -> None:
    """An earlier token was wrong: what stood behind it stays with who has the whole."""
    _, session = rows()
    whole, _ = session(random(0, 4, 3), np.zeros((0, 3), np.float32))
    before = whole.numpy()
    lying = np.ctypeslib.as_array((ctypes.c_float * before.size).from_address(whole.address)).reshape(before.shape)
    made, _ = session(random(1, 1, 3), SimArray.viewing(SimArray(before), lying[cut]))
    exact(whole.numpy(), before)
    exact(made.numpy(), np.concatenate([before[cut], -random(1, 1, 3)]))


def test_a_cache_whose_memory_went_back_is_nobodys() -> None:
    """Another array may come to lie there, as long as what was, with no room behind it."""
    _, session = rows()
    first, _ = session(random(0, 4, 3), np.zeros((0, 3), np.float32))
    kept = weakref.ref(first._tensor.keeps)
    del first
    gc.collect()
    assert kept() is None
    device = session._devices[1]
    block = device.allocate(4 * 3 * 4)
    assert device.grown.longer(block.address, block.nbytes, block.nbytes) is None
