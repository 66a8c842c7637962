"""The reference kernel: the same work every time, on registers only."""

from __future__ import annotations

from anytile.codegen.loader import Loaded
from anytile.codegen.native import assembly, compile_ir
from anytile.schedules.cpu import facts
from anytile.schedules.target import Target
from anytile.tuner.drift import ENTRY, reference_ir, reference_timer

HOST = Target.host()


def test_it_takes_time_in_proportion_to_its_rounds_and_succeeds() -> None:
    loaded = Loaded(compile_ir(reference_ir(facts(HOST).lanes), HOST, ENTRY))
    assert loaded.call(ENTRY, [0], [1000]) == 0
    assert 1e-6 < reference_timer()() < 1.0


def test_its_loop_touches_no_memory() -> None:
    asm = assembly(reference_ir(facts(HOST).lanes), HOST)
    multiply_adds = [line for line in asm.splitlines() if "fmadd" in line or "fmla" in line]
    assert len(multiply_adds) == 12 or not facts(HOST).has_fma
    assert not any("(" in line.partition("#")[0] for line in multiply_adds)  # what follows is LLVM's comment
    assert "Spill" not in asm
