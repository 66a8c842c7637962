"""What an object file says of itself, read before LLVM is handed it: LLVM ends the process over a file it cannot take.

`complaint` looks at what would make loading fatal or calling a jump into nowhere: another machine's code, a file cut
short, a symbol that this process does not have. It is no proof against forgery; who can write the cache can run code.
"""

from __future__ import annotations

import ctypes
import platform
import struct
import sys

_ORDER = "<" if sys.byteorder == "little" else ">"
_HEADER = struct.Struct(_ORDER + "16sHHIQQQIHHHHHH")
_SECTION = struct.Struct(_ORDER + "IIQQQQIIQQ")
_SYMBOL = struct.Struct(_ORDER + "IBBHQQ")
_IDENT = b"\x7fELF\x02" + (b"\x01" if _ORDER == "<" else b"\x02")
_RELOCATABLE, _SYMBOL_TABLE, _NO_BITS, _WEAK = 1, 2, 8, 2
_MACHINES = {"ppc64le": 21, "s390x": 22, "x86_64": 62, "aarch64": 183, "riscv64": 243, "loongarch64": 258}
_MADE_BY_THE_LOADER = "_GLOBAL_OFFSET_TABLE_"


def complaint(code: bytes) -> str | None:
    """Why this is not code for this process, in a few words; None where it is."""
    if len(code) < _HEADER.size or not code.startswith(_IDENT):
        return "not a 64-bit ELF file"
    _, kind, machine, _, _, _, sections_at, _, _, _, _, size, count, _ = _HEADER.unpack_from(code)
    here = _MACHINES.get(platform.machine(), machine)
    if machine != here:
        return f"code for ELF machine {machine}, and this one is {here}"
    if kind != _RELOCATABLE or size != _SECTION.size:
        return "not a relocatable object file"
    if sections_at + count * size > len(code):
        return "cut short"
    sections = [_SECTION.unpack_from(code, sections_at + i * size) for i in range(count)]
    if any(s[1] != _NO_BITS and s[4] + s[5] > len(code) for s in sections):
        return "cut short"
    missing = sorted(name for s in sections if s[1] == _SYMBOL_TABLE for name in _undefined(code, s, sections))
    return f"this process has no symbol {missing[0]!r}" if missing else None


def _undefined(code: bytes, table: tuple[int, ...], sections: list[tuple[int, ...]]) -> list[str]:
    """The names that a symbol table leaves to others, and that nobody has."""
    _, _, _, _, offset, size, link, _, _, _ = table
    names_at = sections[link][4] if link < len(sections) else 0
    process = ctypes.CDLL(None)
    found = []
    for at in range(offset, offset + size - size % _SYMBOL.size, _SYMBOL.size):
        start, info, _, section, _, _ = _SYMBOL.unpack_from(code, at)
        if section or not start or info >> 4 == _WEAK:
            continue
        name = code[names_at + start : code.find(b"\0", names_at + start)].decode("utf-8", "replace")
        if name != _MADE_BY_THE_LOADER and not hasattr(process, name):
            found.append(name)
    return found
