"""The peak kernel does what it claims, stays in registers, and is as fast as its own account of it."""

from __future__ import annotations

import numpy as np
import peak
import pytest

from anytile.codegen.llvm.compile import compile_ir
from anytile.codegen.load.loader import Loaded
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target


@pytest.mark.parametrize(("lanes", "accumulators"), [(16, 24), (8, 12), (4, 24)])
def test_it_multiplies_and_adds_as_often_as_it_says(lanes: int, accumulators: int) -> None:
    loaded = Loaded(compile_ir(peak.peak_ir(lanes, accumulators), Target.host(), entry="peak"))
    data = np.repeat(np.float32([2.0, 0.5]), lanes)
    assert loaded.call("peak", [data.ctypes.data], [37]) == 0
    np.testing.assert_array_equal(data[:lanes], np.float32(37 * accumulators))


def test_the_loop_stays_in_registers() -> None:
    cpu = facts(Target.host())
    if not cpu.has_fma:
        pytest.skip("this CPU has no fused multiply-add")
    accumulators = 12 if cpu.vector_registers <= 16 else 24
    artifact = compile_ir(peak.peak_ir(cpu.lanes, accumulators), Target.host(), entry="peak")
    assert artifact.facts["multiply_adds"] == accumulators
    assert artifact.facts["spills"] == artifact.facts["reloads"] == 0


@pytest.mark.parametrize("threads", [1, 2])
def test_time_grows_with_the_calls(threads: int) -> None:
    target = Target.host(threads)
    system = peak.peak_system(target)
    system.run(1)
    few = min(system.run(2) for _ in range(5))
    many = min(system.run(40) for _ in range(5))
    assert few < many < 100 * few
    assert system.flops == pytest.approx(peak_of_one() * threads)


def peak_of_one() -> float:
    return peak.peak_system(Target.host(1)).flops
