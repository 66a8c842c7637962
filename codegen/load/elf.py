"""ELF reader: what an object file says of itself, read before it is linked, since LLVM ends the process over a bad one.

`complaint` looks at what would make loading fatal or calling a jump into nowhere: another machine's code, a file cut
short, a symbol that this process does not have. It is no proof against forgery; who can write the cache can run code.
"""

from __future__ import annotations

import ctypes
import functools
import platform
import struct
import sys
from collections.abc import Sequence
from typing import NamedTuple

_ORDER = "<" if sys.byteorder == "little" else ">"
_HEADER = struct.Struct(_ORDER + "16sHHIQQQIHHHHHH")
_SECTION = struct.Struct(_ORDER + "IIQQQQIIQQ")
_SYMBOL = struct.Struct(_ORDER + "IBBHQQ")
_IDENT = b"\x7fELF\x02" + (b"\x01" if _ORDER == "<" else b"\x02")
SYMBOL_TABLE, RELOCATIONS, NO_BITS = 2, 4, 8  # kinds of sections
NOWHERE, RESERVED, COMMON = 0, 0xFF00, 0xFFF2  # sections of symbols that are in none
_RELOCATABLE, _LOCAL, _WEAK = 1, 0, 2
_MACHINES = {"ppc64le": 21, "s390x": 22, "x86_64": 62, "aarch64": 183, "riscv64": 243, "loongarch64": 258}
_MADE_BY_THE_LOADER = "_GLOBAL_OFFSET_TABLE_"


class Section(NamedTuple):
    """A section header, in the order of the file."""

    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry: int


class Symbol(NamedTuple):
    """A symbol; `section` is NOWHERE for one that others have."""

    name: str
    binding: int
    section: int
    value: int

    @property
    def is_global(self) -> bool:
        return self.binding != _LOCAL and bool(self.name)


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
    sections = sections_of(code)
    if any(s.kind != NO_BITS and s.offset + s.size > len(code) for s in sections):
        return "cut short"
    missing = sorted(name for s in sections if s.kind == SYMBOL_TABLE for name in _missing(code, s, sections))
    return f"this process has no symbol {missing[0]!r}" if missing else None


def sections_of(code: bytes) -> list[Section]:
    """The sections of a file whose header is in order."""
    _, _, _, _, _, _, at, _, _, _, _, size, count, _ = _HEADER.unpack_from(code)
    return [Section(*_SECTION.unpack_from(code, at + i * size)) for i in range(count)]


def symbols_of(code: bytes, table: Section, sections: Sequence[Section]) -> list[Symbol]:
    """The symbols of a table, by number."""
    names_at = sections[table.link].offset if table.link < len(sections) else 0
    whole, found = memoryview(code)[table.offset : table.offset + table.size - table.size % _SYMBOL.size], []
    for start, info, _, section, value, _ in _SYMBOL.iter_unpack(whole):
        name = ""
        if start:
            begin = names_at + start
            name = code[begin : code.find(b"\0", begin)].decode("utf-8", "replace")
        found.append(Symbol(name, info >> 4, section, value))
    return found


def address_here(name: str) -> int | None:
    """Where this process has something of that name, if it does."""
    try:
        return ctypes.cast(_process()[name], ctypes.c_void_p).value
    except AttributeError:
        return None


@functools.cache
def _process() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def _missing(code: bytes, table: Section, sections: Sequence[Section]) -> list[str]:
    """The names that a symbol table leaves to others, and that nobody has."""
    left = (s for s in symbols_of(code, table, sections) if s.section == NOWHERE and s.name and s.binding != _WEAK)
    return [s.name for s in left if s.name != _MADE_BY_THE_LOADER and address_here(s.name) is None]
