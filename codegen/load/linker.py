"""Linker of x86-64 object files: sections, relocations, stubs and a table of addresses in one block of memory.

LLVM's loader asks the system for code and for constants apart. In a process whose address space is crowded they can
come out further apart than the 2 GiB that an instruction reaches, and LLVM then ends the process. What is placed here
is what this project's own emitter writes: code, constants, zeroed words; a relocation of another kind is refused.

The block holds code first, behind it the stubs through which it calls what lies elsewhere in the process; then what is
only read, with a table of addresses; then what is written. Each part has its own pages and only the rights it needs.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from anytile.codegen.load.elf import (
    COMMON,
    NO_BITS,
    NOWHERE,
    RELOCATIONS,
    RESERVED,
    SYMBOL_TABLE,
    Section,
    Symbol,
    address_here,
    sections_of,
    symbols_of,
)

_ALLOCATED, _WRITTEN, _CODE = 2, 1, 4  # flags of sections
_READ, _READ_WRITE, _READ_RUN = 1, 3, 5  # rights of pages
_ABSOLUTE, _NEAR, _CALL, _FAR = 1, 2, 4, 24
_BY_TABLE = (9, 41, 42)
_WIDTH = {_ABSOLUTE: 8, _FAR: 8, _NEAR: 4, _CALL: 4, **dict.fromkeys(_BY_TABLE, 4)}
_STUB = b"\xff\x25\x00\x00\x00\x00"  # jump to the address that stands behind this instruction
_STUB_BYTES = 16
_MOST_BYTES = 1 << 30
_RELOCATION = np.dtype([("offset", "<u8"), ("kind", "<u4"), ("symbol", "<u4"), ("addend", "<i8")])


class Unlinkable(Exception):
    """Why an object file cannot be placed, in a few words."""


@dataclass(frozen=True)
class Linked:
    """Machine code of this process for as long as this lives: the addresses of its global names."""

    memory: mmap.mmap
    addresses: dict[str, int]


def link(code: bytes) -> Linked:
    """Load an object file that `elf.complaint` has nothing against."""
    plan = _Plan(code, sections_of(code))
    plan.lay_out()
    plan.fill()
    plan.relocate()
    plan.seal()
    names = {s.name: plan.address(s) for s in plan.symbols if s.is_global and s.section != NOWHERE}
    return Linked(plan.memory, names)


@dataclass
class _Plan:
    """One file on its way: where its sections, stubs and table entries lie in the block."""

    code: bytes
    sections: Sequence[Section]
    symbols: list[Symbol] = field(default_factory=list)
    starts: dict[int, int] = field(default_factory=dict)  # of sections, by number
    stubs: dict[int, int] = field(default_factory=dict)  # by symbol
    table: dict[int, int] = field(default_factory=dict)  # by symbol
    parts: list[tuple[int, int, int]] = field(default_factory=list)  # begin, end, rights

    def lay_out(self) -> None:
        for section in self.sections:
            if section.kind == SYMBOL_TABLE:
                self.symbols = symbols_of(self.code, section, self.sections)
        stubs: set[int] = set()
        table: set[int] = set()
        for _, found in self.relocations():
            kinds = set(found["kind"].tolist())
            if unknown := kinds - set(_WIDTH):
                raise Unlinkable(f"a relocation of kind {min(unknown)}")
            if len(found) and int(found["symbol"].max()) >= len(self.symbols):
                raise Unlinkable("a relocation without a symbol")
            named = {kind: set(found["symbol"][found["kind"] == kind].tolist()) for kind in kinds}
            stubs |= {s for s in named.get(_CALL, ()) if self.symbols[s].section == NOWHERE}
            table.update(*(named.get(kind, ()) for kind in _BY_TABLE))
        end = 0
        for rights in (_READ_RUN, _READ, _READ_WRITE):
            begin = end
            for number, section in enumerate(self.sections):
                if section.flags & _ALLOCATED and _rights(section) == rights:
                    end = _up(end, max(section.alignment, 1))
                    self.starts[number] = end
                    end += section.size
            for wanted, places, size in ((_READ_RUN, self.stubs, _STUB_BYTES), (_READ, self.table, 8)):
                if rights == wanted:
                    end = _up(end, size)
                    for s in sorted(stubs if places is self.stubs else table):
                        places[s] = end
                        end += size
            end = _up(end, mmap.PAGESIZE)
            if end > begin:
                self.parts.append((begin, end, rights))
            if end > _MOST_BYTES:
                raise Unlinkable(f"{end} bytes of code and data")
        self.memory = mmap.mmap(-1, max(end, mmap.PAGESIZE), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self.base = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))

    def fill(self) -> None:
        for number, start in self.starts.items():
            section = self.sections[number]
            if section.kind != NO_BITS:
                self.memory[start : start + section.size] = self.code[section.offset : section.offset + section.size]
        for s, start in self.stubs.items():
            there = address_here(self.symbols[s].name) or 0
            self.memory[start : start + _STUB_BYTES] = (_STUB + there.to_bytes(8, "little")).ljust(_STUB_BYTES, b"\xcc")
        for s, start in self.table.items():
            self.memory[start : start + 8] = self.address(self.symbols[s]).to_bytes(8, "little")

    def relocate(self) -> None:
        wholes = np.frombuffer(self.memory, np.uint8)
        for target, found in self.relocations():
            start, size = self.starts[target], self.sections[target].size
            for kind in sorted(set(found["kind"].tolist())):
                these, width = found[found["kind"] == kind], _WIDTH[kind]
                if int(these["offset"].max()) > size - width:
                    raise Unlinkable("a relocation outside its section")
                numbers = sorted(set(these["symbol"].tolist()))
                known = np.array([self.reached(s, kind) for s in numbers], np.int64)
                values = known[np.searchsorted(numbers, these["symbol"])] + these["addend"]
                places = start + these["offset"].astype(np.int64)
                if kind != _ABSOLUTE:
                    values = values - (self.base + places)
                if width == 4 and len(values) and int(np.abs(values).max()) >= 1 << 31:
                    raise Unlinkable("a symbol out of reach")
                words = values.astype(f"<i{width}").view(np.uint8).reshape(-1, width)
                wholes[places[:, None] + np.arange(width)] = words

    def seal(self) -> None:
        libc = _libc()
        for begin, end, rights in self.parts:
            if libc.mprotect(ctypes.c_void_p(self.base + begin), ctypes.c_size_t(end - begin), rights):
                raise Unlinkable(f"the system allows no code of this process's own (error {ctypes.get_errno()})")

    def reached(self, symbol: int, kind: int) -> int:
        """Where an instruction goes that names a symbol: there, or by way of a stub or of the table."""
        if kind in _BY_TABLE:
            return self.base + self.table[symbol]
        if symbol in self.stubs and kind == _CALL:
            return self.base + self.stubs[symbol]
        return self.address(self.symbols[symbol])

    def address(self, symbol: Symbol) -> int:
        if symbol.section == NOWHERE:
            return address_here(symbol.name) or 0  # one that may be missing is 0
        if symbol.section >= RESERVED:
            if symbol.section == COMMON:
                raise Unlinkable(f"{symbol.name} has no section")
            return symbol.value
        if symbol.section not in self.starts:
            return 0  # of a section that stays in the file; nothing that is placed refers to it
        return self.base + self.starts[symbol.section] + symbol.value

    def relocations(self) -> list[tuple[int, np.ndarray]]:
        """Those of each section that is placed, by its number."""
        found = []
        for section in self.sections:
            if section.kind == RELOCATIONS and self.placed(section.info):
                count = section.size // _RELOCATION.itemsize
                found.append((section.info, np.frombuffer(self.code, _RELOCATION, count, section.offset)))
        return found

    def placed(self, number: int) -> bool:
        return number < len(self.sections) and bool(self.sections[number].flags & _ALLOCATED)


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _rights(section: Section) -> int:
    if section.flags & _CODE:
        return _READ_RUN
    return _READ_WRITE if section.flags & _WRITTEN else _READ


def _up(at: int, alignment: int) -> int:
    return -(-at // alignment) * alignment
