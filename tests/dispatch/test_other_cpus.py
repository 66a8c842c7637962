"""Objects for CPUs that are not here: the templates' defaults keep to the registers that there are."""

from __future__ import annotations

import struct

import pytest

from anytile.dispatch.cpu.build import compile_plan
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any

W = dense(Any("m"), 768, 256, const=("w",))  # of so few columns that rows are not blocked: fewer addresses
DENSE = template("dense.cpu")
WIDE = {"tile_m": 8, "tile_n": 3}  # 24 vectors of sums, for 32 registers


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("text", "machine"),  # as ELF calls it
    [
        ("llvm -mtriple=armv7-linux-gnueabihf -mcpu=cortex-a15 -threads=1", 40),
        ("llvm -mtriple=riscv64-linux-gnu -mattr=+m,+a,+f,+d,+v -threads=1", 243),
        ("llvm -mtriple=riscv64-linux-gnu -mattr=+m,+a,+f,+d -threads=1", 243),
        ("llvm -mtriple=i686-linux-gnu -mcpu=haswell -threads=1", 3),
    ],
)
def test_a_default_spills_no_sums(text: str, machine: int) -> None:
    target = Target.parse(text)
    default = DENSE.default(W, target)
    made, wide = (
        compile_plan(single_plan(W, target, DENSE.name, config), {64}, facts_too=True)
        for config in (default, default.with_(**WIDE))
    )
    assert struct.unpack_from("<H", made.code, 18) == (machine,)
    assert made.facts["multiply_adds"] > 0
    if facts(target).vector_registers == 32:
        assert default == default.with_(**WIDE)
    else:
        assert made.facts["spills"] < wide.facts["spills"] / 2
    assert made.facts["spills"] <= 32  # the addresses and counts of a call, and of blocks of panels
