"""The reference kernel: the same work every time, on registers only."""

from __future__ import annotations

import time

from anytile.codegen.llvm.compile import assembly, compile_ir
from anytile.codegen.load.loader import Loaded
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.tuner.measure.cpu.drift import ENTRY, Reference, reference_ir
from tests.support.stand_ins.sequential_team import Team

HOST = Target.host()


def test_it_takes_time_in_proportion_to_its_rounds_and_succeeds() -> None:
    loaded = Loaded(compile_ir(reference_ir(facts(HOST).lanes), HOST, ENTRY))
    assert loaded.call(ENTRY, [0], [1000, 1]) == 0
    assert loaded.call(ENTRY, [0], [0, 1]) == 0
    reference = Reference()
    assert 1e-6 < reference.moment() < reference() < 1.0


def test_a_moment_is_that_of_all_threads() -> None:
    """Two on one core take twice as long, which is what a moment is for."""
    loaded = Loaded(compile_ir(reference_ir(facts(HOST).lanes), HOST, ENTRY))
    both = Team().serve(loaded)
    assert loaded.call(ENTRY, [0], [1000, 2]) == 0
    assert both.asked == [2]

    def best(threads: int) -> float:
        """Processor time: a busy machine says nothing about us."""
        taken = []
        for _ in range(5):
            begin = time.process_time()
            assert loaded.call(ENTRY, [0], [500_000, threads]) == 0
            taken.append(time.process_time() - begin)
        return min(taken)

    assert 1.5 < best(2) / best(1) < 3, "one after the other, as this team works"
    assert 1e-6 < Reference(2).moment() < 1.0


def test_its_loop_touches_no_memory() -> None:
    asm = assembly(reference_ir(facts(HOST).lanes), HOST)
    multiply_adds = [line for line in asm.splitlines() if "fmadd" in line or "fmla" in line]
    assert len(multiply_adds) == 12 or not facts(HOST).has_fma
    assert not any("(" in line.partition("#")[0] for line in multiply_adds)  # what follows is LLVM's comment
    assert "Spill" not in asm
