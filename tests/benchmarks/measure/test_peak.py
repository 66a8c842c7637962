"""The peak kernel does what it claims, stays in registers, and is as fast as its own account of it."""

from __future__ import annotations

import time
from functools import partial

import numpy as np
import pytest

from anytile.codegen.llvm.compile import compile_ir
from anytile.codegen.llvm.module import module
from anytile.codegen.load.loader import Loaded
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.narrow import narrow_facts
from anytile.schedules.hardware.target import Target
from benchmarks.measure import peak


@pytest.mark.parametrize(("lanes", "accumulators"), [(16, 24), (8, 12), (4, 24)])
def test_it_multiplies_and_adds_as_often_as_it_says(lanes: int, accumulators: int) -> None:
    loaded = Loaded(compile_ir(peak.peak_ir(lanes, accumulators), Target.host(), entry="peak"))
    data = np.repeat(np.float32([2.0, 0.5]), lanes)
    assert loaded.call("peak", [data.ctypes.data], [37]) == 0
    np.testing.assert_array_equal(data[:lanes], np.float32(37 * accumulators))


@pytest.mark.parametrize(("dtype", "terms"), [("bfloat16", 2), ("uint8", 4), ("int8", 4)])
def test_narrow_products_are_counted_too(dtype: str, terms: int) -> None:
    target = Target.host(1)
    system, lanes = peak.dot_system(target, dtype), facts(target).lanes
    accumulators = 12 if facts(target).vector_registers <= 16 else 24
    assert system.flops == 2 * terms * lanes * accumulators * peak.STEPS
    ir = module([peak.dot_ir(lanes, accumulators, dtype)], narrow=partial(narrow_facts, target))
    loaded = Loaded(compile_ir(ir, target, entry="peak"))
    ones = np.uint16(0x3F80) if dtype == "bfloat16" else np.uint8(1)
    data = np.full(8 * lanes // ones.itemsize, ones)
    assert loaded.call("peak", [data.ctypes.data], [37]) == 0
    found = data.view(np.float32 if dtype == "bfloat16" else np.int32)[:lanes]
    np.testing.assert_array_equal(found, 37 * accumulators * terms)


def test_the_loop_stays_in_registers() -> None:
    cpu = facts(Target.host())
    if not cpu.has_fma:
        pytest.skip("this CPU has no fused multiply-add")
    accumulators = 12 if cpu.vector_registers <= 16 else 24
    artifact = compile_ir(peak.peak_ir(cpu.lanes, accumulators), Target.host(), entry="peak")
    assert artifact.facts["multiply_adds"] == accumulators
    assert artifact.facts["spills"] == artifact.facts["reloads"] == 0


@pytest.mark.parametrize("threads", [1, 2])
def test_time_grows_with_the_calls(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the processor time of the thread that calls, whoever else is at work."""
    monkeypatch.setattr("benchmarks.measure.peak.time.perf_counter", time.thread_time)
    target = Target.host(threads)
    system = peak.peak_system(target)
    system.run(1)
    few = min(system.run(2) for _ in range(60))
    many = min(system.run(400) for _ in range(9))  # beside which it is little that a thread waits for another
    assert few < many < 1000 * few
    assert system.flops == pytest.approx(peak_of_one() * threads)


def peak_of_one() -> float:
    return peak.peak_system(Target.host(1)).flops
