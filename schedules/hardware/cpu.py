"""What a CPU offers: vector width, registers, caches. LLVM is asked, so no table of CPUs goes stale.

The vector unit is read off a probe: LLVM compiles one wide multiply-add for the target, and the registers in its
assembly say what the widest useful vector is. The caches come from the kernel for the host, and are modest guesses
for every other CPU.
"""

from __future__ import annotations

import functools
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from anytile.core.errors import SpecError
from anytile.schedules.hardware.apart import asked_apart
from anytile.schedules.hardware.host import Host, host
from anytile.schedules.hardware.target import Target

if TYPE_CHECKING:
    from llvmlite.binding.targets import Target as TargetRef

_PROBE = """
define <16 x float> @probe(<16 x float> %a, <16 x float> %b, <16 x float> %c) #0 {
  %r = call <16 x float> @llvm.fma.v16f32(<16 x float> %a, <16 x float> %b, <16 x float> %c)
  ret <16 x float> %r
}
declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)
attributes #0 = { "prefer-vector-width"="512" }
"""


@dataclass(frozen=True, slots=True)
class CpuFacts:
    """The numbers that templates need."""

    triple: str
    vector_bits: int
    vector_registers: int
    has_fma: bool
    l1_bytes: int
    l2_bytes: int
    l3_bytes: int
    multiplied: int = 2  # vectors that are multiplied and added in a clock

    @property
    def lanes(self) -> int:
        """float32 values in one vector register."""
        return self.vector_bits // 32

    @property
    def outruns_loads(self) -> bool:
        """Whether products wait for what they read: two vectors of 512 bits are multiplied in a clock, as many as the
        first cache gives, and more than the second does."""
        return self.vector_bits == 512 and self.multiplied > 1

    @property
    def busy(self) -> int:
        """Vectors of sums below which a tile waits for its own multiply-adds; few registers hold no more than two."""
        return 8 if self.vector_registers >= 16 else 2


def machine(target: Target, opt: int = 3) -> object:
    """A fresh LLVM TargetMachine. Fresh each time: an execution engine takes ownership of the one it is given."""
    import llvmlite.binding as llvm

    llvm.initialize_all_asmprinters()
    return _back_end(target).create_target_machine(
        cpu=target.get("mcpu", "generic"), features=features(target), opt=opt, reloc="pic", codemodel="default"
    )


def _back_end(target: Target) -> TargetRef:
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    triple = target.get("mtriple") or llvm.get_process_triple()
    try:
        return llvm.Target.from_triple(triple)
    except RuntimeError:
        expected = "expected one such as aarch64-linux-gnu"
        raise SpecError(f"target {target}: this LLVM does not know -mtriple={triple}; {expected}") from None


def features(target: Target) -> str:
    """LLVM's feature list: -mattr, or what the host really has, which may be less than its name promises."""
    here = host()
    return here.features if _is_all_of(target, here) else target.get("mattr")


def probed_here(target: Target) -> bool:
    """Whether LLVM can be asked about the target in this process: it is the host, and known to be one that it knows."""
    return _is_all_of(target, host())


def _is_all_of(target: Target, here: Host) -> bool:
    """Whether a target is the host with nothing switched on or off."""
    return target.is_host and target.get("mattr") == here.attributes


def facts(target: Target) -> CpuFacts:
    """Ask LLVM about the target's vector unit, and the kernel about the host's caches."""
    return _facts(target, host())


@functools.cache
def _facts(target: Target, here: Host) -> CpuFacts:
    if target.kind != "llvm":
        raise SpecError(f"target {target}: a CPU target was expected, as in 'llvm -mcpu=znver4'")
    _back_end(target)  # an unknown triple is said here, not by another process
    triple, asm = _probe(target) if _is_all_of(target, here) else _probe_apart(target)
    bits, registers = _vector_unit(triple, asm)
    caches = _host_caches() if target.is_host else _GUESSED_CACHES
    multiplied = 1 if bits == 512 and target.get("mcpu") in _ONE_WIDE else 2
    return CpuFacts(triple, bits, registers, _has_fma(asm), *caches, multiplied)


def _vector_unit(triple: str, asm: str) -> tuple[int, int]:
    """Bits and registers. Where the probe met no vector unit, four scalar registers make one: of 32 of them, 8."""
    arch = triple.partition("-")[0]
    if arch == "x86_64":
        return (512, 32) if "%zmm" in asm else (256 if "%ymm" in asm else 128, 16)
    if re.fullmatch(r"i[3-7]86", arch):
        return 512 if "%zmm" in asm else 256 if "%ymm" in asm else 128, 8
    if arch.startswith(("arm", "thumb")) and not arch.startswith("arm64"):
        return 128, 16 if re.search(r"\bvld1\.", asm) else 8  # NEON of 32 bits
    if arch.startswith("riscv"):
        return 128, 32 if "vset" in asm else 8  # RVV at its minimum
    return 128, 32  # AArch64, AltiVec, and whatever is built like them


def _has_fma(asm: str) -> bool:
    return re.search(r"\b(vfmadd|vfma\.|vfmasb|fmla|fmadd|vfmacc|xvmadd)", asm) is not None


# CPUs that multiply one vector of 512 bits in a clock. LLVM says no more than that they have such vectors, and what a
# CPU does never changes: one that is not here counts as the fastest.
_ONE_WIDE = ("znver4", "cannonlake", "icelake-client", "rocketlake", "tigerlake")
_GUESSED_CACHES = (32 << 10, 512 << 10, 4 << 20)


@functools.cache
def _host_caches() -> tuple[int, int, int]:
    sizes = list(_GUESSED_CACHES)
    for index in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"):
        try:
            level = int((index / "level").read_text())
            kind = (index / "type").read_text().strip()
            size = (index / "size").read_text().strip()
        except (OSError, ValueError):
            continue
        if kind != "Instruction" and 1 <= level <= 3 and size.endswith("K"):
            sizes[level - 1] = int(size[:-1]) << 10
    return sizes[0], sizes[1], sizes[2]


def _probe(target: Target) -> tuple[str, str]:
    import llvmlite.binding as llvm

    tm = machine(target)
    module = llvm.parse_assembly(_PROBE)
    module.triple = tm.triple  # type: ignore[attr-defined]
    return str(tm.triple), str(tm.emit_assembly(module))  # type: ignore[attr-defined]


def _probe_apart(target: Target) -> tuple[str, str]:
    triple, _, asm = asked_apart(__name__, str(target), f"target {target}").partition("\n")
    return triple, asm


if __name__ == "__main__":
    print(*_probe(Target.parse(sys.argv[1])), sep="\n")
