"""Operands that a device makes and judges: the same numbers as numpy's, a reference that numpy agrees with."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from anytile.codegen.cuda import nvrtc
from anytile.codegen.cuda.nvrtc import Cubin
from anytile.core.dtypes import BYTES
from anytile.core.errors import MeasureError
from anytile.db.records.records import Status
from anytile.dispatch.cuda.code import Kernel
from anytile.schedules.nest.stored_floats import bits_of, from_bits
from anytile.schedules.workloads.reference import evaluate
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.measure.cuda import cases
from anytile.tuner.measure.cuda.cases import MadeOnDevice, MadeOnHost, elements, wants_device
from anytile.tuner.measure.cuda.device import CudaTimingDevice
from anytile.tuner.measure.device_api import Failed
from anytile.tuner.measure.oracle import make_case
from anytile.tuner.protocol.candidate import point_of
from tests.support.cases.handwritten_cuda import W, artifact
from tests.support.cuda_cpu.compiler import missing
from tests.support.stand_ins.simulated_gpu import SimulatedGpu

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")
TEXTS = (
    "dense(m=?m, n=45, k=37)",
    "dense(m=?m, n=6, k=40, dtype=bfloat16, tail=max(y + bias[n], 0))",
    "dense(m=?m, n=33, k=16, dtype=float16)",
    "batch_matmul(b=3, m=?m, n=7, k=20, rhs=bnk, y=mbn)",
)


@pytest.fixture(autouse=True)
def few_on_the_host(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every size is too much for it; and the simulated device wants no code."""
    monkeypatch.setattr(cases, "MOST_ON_HOST", 0)
    monkeypatch.setattr(cases, "compile_cubin", lambda text, arch: Cubin(b"none"))
    remembered = (cases._helpers, cases._reference)
    for each in remembered:
        each.cache_clear()
    yield
    for each in remembered:
        each.cache_clear()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_numpy_makes_the_same_numbers(dtype: str) -> None:
    """Of any elements, in any order: between -1 and 1, evenly, each key its own."""
    device, workload = SimulatedGpu(), Workload.parse(f"dense(m=?m, n=45, k=37, dtype={dtype})")
    made = MadeOnDevice(device, workload, point_of({"m": 19}))
    x = workload.tensor("x")
    memory = device.allocate(made.nbytes(x))
    made.put(x, memory.address)
    got = from_bits(device.read(memory.address, memory.nbytes), dtype)
    np.testing.assert_array_equal(got, elements(np.arange(19 * 37), made._key(x), dtype))
    assert made.untouched(x, memory.address)
    assert made._key(x) != made._key(workload.tensor("w"))
    many = elements(np.arange(1 << 16), 5, "float32")
    assert abs(many.mean()) < 0.01
    assert abs(np.square(many).mean() - 1 / 3) < 0.01
    assert np.abs(np.corrcoef(many[:-1], many[1:])[0, 1]) < 0.02
    assert (many.min(), many.max()) >= (-1.0, 0.99)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("m", [1, 7, 40])
def test_what_is_right_is_found_right_and_every_fault_is_found(text: str, m: int) -> None:
    """The device's verdict on numpy's own result of the device's own operands, and on that with one element off."""
    device, workload = SimulatedGpu(), Workload.parse(text)
    point = point_of({"m": m})
    made = MadeOnDevice(device, workload, point)
    inputs = {}
    for t in workload.inputs:
        shape = workload.shape(t.name, {"m": m})
        inputs[t.name] = elements(np.arange(math.prod(shape)).reshape(shape), made._key(t), workload.dtype_of(t))
    (y,) = workload.outputs
    expected = evaluate(workload, inputs)[y.name]
    memory = device.allocate(made.nbytes(y))
    device.write(memory.address, bits_of(expected, workload.dtype))
    assert made.objection(y, memory.address) is None
    last = tuple(n - 1 for n in expected.shape)
    wrong = expected.copy()
    wrong[last] += 1.0
    device.write(memory.address, bits_of(wrong, workload.dtype))
    said = made.objection(y, memory.address)
    assert said is not None
    assert said.startswith(f"y[{', '.join(map(str, last))}] is ")
    assert said.endswith(f"1 of {expected.size} elements are wrong")
    device.fill(memory.address, memory.nbytes, 0xFF, 0)
    said = made.objection(y, memory.address)
    assert said is not None
    assert "(never written?)" in said
    assert f"{expected.size} of {expected.size}" in said


def test_an_input_that_is_written_to_is_seen() -> None:
    device, workload = SimulatedGpu(), Workload.parse(TEXTS[1])
    made, x = MadeOnDevice(device, workload, point_of({"m": 9})), workload.tensor("x")
    memory = device.allocate(made.nbytes(x))
    made.put(x, memory.address)
    device.write(memory.address + memory.nbytes - BYTES["bfloat16"], np.zeros(1, np.uint16))
    assert not made.untouched(x, memory.address)


def test_a_device_whose_plain_kernel_is_wrong_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    right = cases._reference

    def spoiled(arch: str, workload: Workload) -> Kernel:
        kernel = right(arch, workload)
        assert "acc +=" in kernel.text
        return replace(kernel, text=kernel.text.replace("acc +=", "acc +=  0.5f *"))

    monkeypatch.setattr(cases, "_reference", spoiled)
    with pytest.raises(MeasureError, match=r"at m=9: the plain kernel on the GPU is not to be trusted: y\[0, 0\] is "):
        MadeOnDevice(SimulatedGpu(), Workload.parse(TEXTS[0]), point_of({"m": 9}))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("does", "reason"),
    [
        ("right", ""),
        ("wrong", r"y\[8, 0\] is .*, expected .*; 1 of 54 elements are wrong, at m=9"),
        ("straying", "wrote out of bounds of y, 5 bytes after it, at m=9"),
        ("scribbling", "wrote into the input x, at m=9"),
        ("leaving", "left its counters other than zero, at m=9"),
    ],
)
def test_candidates_are_judged_there_as_on_the_host(does: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(workload: object, point: object) -> None:
        raise AssertionError("the host makes no case")

    monkeypatch.setattr("anytile.tuner.measure.oracle.make_case", never)
    timing, point = CudaTimingDevice(SimulatedGpu(), lambda: 1.0), point_of({"m": 9})
    timing.prepare(W, point)
    tool = timing.load(artifact(does))
    if not reason:
        timing.check(tool, W, point, odd=False)
        timing.check(tool, W, point, odd=True)
        return
    with pytest.raises(Failed, match=reason) as failed:
        timing.check(tool, W, point, odd=False)
    assert failed.value.status is Status.WRONG


def test_too_little_memory_there_is_a_constraint() -> None:
    device = SimulatedGpu(memory=40_000)
    timing = CudaTimingDevice(device, lambda: 1.0)
    with pytest.raises(Failed, match="on the GPU") as failed:
        timing.prepare(W, point_of({"m": 1500}))
    assert failed.value.status is Status.CONSTRAINT


def test_batches_that_the_plain_kernel_has_no_blocks_for_are_a_constraint() -> None:
    workload = Workload.parse("batch_matmul(b=?b, m=9, n=1, k=1)")
    timing = CudaTimingDevice(SimulatedGpu(), lambda: 1.0)
    with pytest.raises(Failed, match="would judge it cannot run: .* along y of the grid") as failed:
        timing.prepare(workload, point_of({"b": 70000}))
    assert failed.value.status is Status.CONSTRAINT


def test_what_the_host_makes_is_judged_as_before() -> None:
    device, point = SimulatedGpu(), point_of({"m": 9})
    case = make_case(W, point)
    made, y = MadeOnHost(device, W, point, case), W.tensor("y")
    memory = device.allocate(9 * 6 * 4)
    device.write(memory.address, case.outputs["y"].values)
    assert made.objection(y, memory.address) is None
    device.fill(memory.address, 4, 0, 0)
    assert "y[0, 0] is 0" in (made.objection(y, memory.address) or "")


def test_which_points_are_for_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    big, small = (
        Workload.parse("dense(m=?m, n=8192, k=8192, dtype=bfloat16)"),
        Workload.parse("dense(m=?m, n=768, k=768)"),
    )
    assert wants_device(big, point_of({"m": 8192}))
    assert not wants_device(big, point_of({"m": 1}))
    assert not wants_device(small, point_of({"m": 4096}))
    assert not wants_device(Workload.parse("softmax(outer=?a, n=1000000, inner=1)"), point_of({"a": 1000000}))


@pytest.mark.slow
def test_the_helpers_compile() -> None:
    for arch in ("sm_75", "sm_90a"):
        for dtype in ("float32", "bfloat16", "float16"):
            (kernel, *_) = cases._helpers("sm_90a", dtype).values()
            assert nvrtc.compile_cubin(kernel.text, arch).facts["spills"] == 0
