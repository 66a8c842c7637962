"""What CPUs offer for narrow numbers, as LLVM says it of those that it knows by name."""

from __future__ import annotations

import pytest

from anytile.schedules.hardware.narrow import PLAIN, NarrowFacts, narrow_facts
from anytile.schedules.hardware.target import Target

ARM = "-mtriple=aarch64-linux-gnu -mcpu=generic"
EXPECTED = {
    "-mcpu=znver4": NarrowFacts(half=True, bfloat16=512, bytes=512, words=512),
    "-mcpu=cascadelake": NarrowFacts(half=True, bytes=512, words=512),
    "-mcpu=skylake-avx512": NarrowFacts(half=True, words=512),
    "-mcpu=alderlake": NarrowFacts(half=True, bytes=256, words=256),
    "-mcpu=arrowlake": NarrowFacts(half=True, bytes=256, words=256),  # it rounds to bfloat16, and has no products
    "-mcpu=haswell": NarrowFacts(half=True, words=256),
    "-mcpu=ivybridge": NarrowFacts(half=True, words=128),
    "-mcpu=x86-64": NarrowFacts(words=128),
    ARM: NarrowFacts(half=True),
    f"{ARM} -mattr=+dotprod": NarrowFacts(half=True, bytes=128, signed_bytes=True),
    "-mtriple=riscv64-linux-gnu -mattr=+m,+a,+f,+d": PLAIN,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("options", EXPECTED)
def test_cpus_by_name(options: str) -> None:
    assert narrow_facts(Target.parse(f"llvm {options}")) == EXPECTED[options]
