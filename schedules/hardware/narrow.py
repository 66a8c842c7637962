"""What a CPU offers for narrow numbers: conversions of 16-bit floats, and instructions that multiply and add several.

LLVM is asked, as for the vector unit: it compiles what only such an instruction does at once, and the assembly says
whether it is there. Asked for where code has narrow numbers, and nowhere else.
"""

from __future__ import annotations

import functools
import re
import sys
from dataclasses import dataclass

from anytile.schedules.hardware.apart import asked_apart
from anytile.schedules.hardware.cpu import facts, machine, probed_here
from anytile.schedules.hardware.host import Host, host
from anytile.schedules.hardware.target import Target

_PROBE = """
define <16 x float> @widened(<16 x half> %a) #0 {
  %r = fpext <16 x half> %a to <16 x float>
  ret <16 x float> %r
}
define <16 x bfloat> @rounded(<16 x float> %a) #0 {
  %r = fptrunc <16 x float> %a to <16 x bfloat>
  ret <16 x bfloat> %r
}
define i32 @unsigned(<64 x i8> %a, <64 x i8> %b) #0 {
  %x = zext <64 x i8> %a to <64 x i32>
  %y = sext <64 x i8> %b to <64 x i32>
  %p = mul <64 x i32> %x, %y
  %r = call i32 @llvm.vector.reduce.add.v64i32(<64 x i32> %p)
  ret i32 %r
}
define i32 @signed(<16 x i8> %a, <16 x i8> %b) #0 {
  %x = sext <16 x i8> %a to <16 x i32>
  %y = sext <16 x i8> %b to <16 x i32>
  %p = mul <16 x i32> %x, %y
  %r = call i32 @llvm.vector.reduce.add.v16i32(<16 x i32> %p)
  ret i32 %r
}
define <32 x i16> @words(<32 x i16> %a) #0 {
  %r = add <32 x i16> %a, %a
  ret <32 x i16> %r
}
declare i32 @llvm.vector.reduce.add.v64i32(<64 x i32>)
declare i32 @llvm.vector.reduce.add.v16i32(<16 x i32>)
attributes #0 = { "prefer-vector-width"="512" }
"""


@dataclass(frozen=True, slots=True)
class NarrowFacts:
    """Widths are those of the widest vectors in bits, 0 where there is no such instruction.

    `half` tells that float16 is converted in one instruction; `bfloat16` has the products of pairs, `bytes` those of
    four 8-bit integers, of which `signed_bytes` says that both are signed, and `words` those of pairs of 16-bit ones.
    """

    half: bool = False
    bfloat16: int = 0
    bytes: int = 0
    signed_bytes: bool = False
    words: int = 0

    @property
    def adds_pairs(self) -> bool:
        """Whether products of bytes that are added up in pairs, in 16 bits, are the best there are (`vpmaddubsw`)."""
        return not self.bytes and self.words >= 256


PLAIN = NarrowFacts()


def narrow_facts(target: Target) -> NarrowFacts:
    """Ask LLVM about the target's instructions for narrow numbers."""
    return _facts(target, host())


@functools.cache
def _facts(target: Target, here: Host) -> NarrowFacts:
    triple = facts(target).triple
    asm = _probe(target) if probed_here(target) else asked_apart(__name__, str(target), f"target {target}")
    return _read(triple.partition("-")[0], asm)


def _read(arch: str, asm: str) -> NarrowFacts:
    def widest(instruction: str) -> int:
        lines = re.findall(rf"\b{instruction}\s.*", asm)
        widths = ((512, "%zmm"), (256, "%ymm"), (128, "%xmm"))
        return max((bits for bits, name in widths for line in lines if name in line), default=0)

    if arch == "x86_64":
        pairs = widest("vcvtneps2bf16") == 512  # narrower ones are of a set of conversions without products
        words = 512 if re.search(r"\bvpaddw\s.*%zmm", asm) else 256 if re.search(r"\bvpaddw\s.*%ymm", asm) else 128
        half = widest("vcvtph2ps") > 0
        return NarrowFacts(half, 512 if pairs else 0, widest("vpdpbusd"), signed_bytes=False, words=words)
    if arch == "aarch64":
        signed = re.search(r"\bsdot\s", asm) is not None
        return NarrowFacts(half="fcvtl" in asm, bytes=128 if signed else 0, signed_bytes=signed)
    return PLAIN


def _probe(target: Target) -> str:
    import llvmlite.binding as llvm

    tm = machine(target)
    module = llvm.parse_assembly(_PROBE)
    module.triple = tm.triple  # type: ignore[attr-defined]
    return str(tm.emit_assembly(module))  # type: ignore[attr-defined]


if __name__ == "__main__":
    print(_probe(Target.parse(sys.argv[1])))
