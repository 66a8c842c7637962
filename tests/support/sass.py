"""Reading machine code of NVIDIA GPUs: which instructions a cubin has, in their order, as far as tests ask for them.

No disassembler is part of the NVRTC wheel. What is needed is little: an instruction is 16 bytes, and its operation the
low nine bits of them, on every architecture from sm_70 on.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

_NAMES = {
    0x00B: "FSETP",
    0x021: "FADD",
    0x023: "FFMA",
    0x02D: "PREEXIT",
    0x02E: "ACQBULK",
    0x03C: "HMMA",
    0x03E: "F2FP",
    0x145: "BSSY",
    0x147: "BRA",
    0x180: "LD",
    0x181: "LDG",
    0x185: "ST",
    0x186: "STG",
    0x188: "STS",
    0x189: "SHFL",
    0x18F: "CCTL",
    0x192: "MEMBAR",
    0x1A6: "REDG",
    0x1A8: "ATOMG",
    0x1AE: "LDGSTS",
    0x1B4: "UTMALDG",
    0x1B5: "UTMASTG",
    0x1B8: "UTMAPF",
    0x1F0: "HGMMA",
}
_PLACE, _SIZE = 0x28, 0x3A  # where an ELF header says where its sections are, and how large, how many, which has names


_LOAD, _ORDER, _CONSTANT = 0x181, 13, 4  # from sm_80 on: four bits of the upper word say what a load is ordered by


def instructions(cubin: bytes) -> list[str]:
    """Of all kernels, one behind the other; "" is an instruction that has no name here."""
    return [_NAMES.get(low & 0x1FF, "") for low, _ in _words(cubin)]


def constant_loads(cubin: bytes) -> int:
    """How many loads are of what nobody writes meanwhile, which no barrier or wait orders: `ld.global.nc`."""
    return sum(low & 0x1FF == _LOAD and high >> _ORDER & 15 == _CONSTANT for low, high in _words(cubin))


def _words(cubin: bytes) -> Iterator[tuple[int, int]]:
    (start,), (size, count, strings) = struct.unpack_from("<Q", cubin, _PLACE), struct.unpack_from("<3H", cubin, _SIZE)
    sections = [struct.unpack_from("<IIQQQQ", cubin, start + size * i) for i in range(count)]
    names = sections[strings][4]
    for name, _, _, _, offset, length in sections:
        at = names + name
        if cubin[at : cubin.index(b"\0", at)].startswith(b".text."):
            yield from struct.iter_unpack("<QQ", cubin[offset : offset + length])
