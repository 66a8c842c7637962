"""Launches of compiled kernels on the CPU: arrays go in and out through memory with walls, faults come as one line.

Every tensor lies between pages that no other tensor uses, so an address out of bounds is out of bounds of all of them.
An order of threads is `forward`, `reverse` or `random:SEED`: a correct kernel gives the same in all of them.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import re
import struct
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.support.cuda_cpu.compiler import Compiled, Parameter, compiled, line_of, shared_arrays

Array = NDArray[Any]
_WALL = 1 << 20
_MESSAGE = 2000
MAP = "at_tensor_map"
_TENSOR_MAP = 0x70616D20726F736E
_ORDERS = {"forward": 0, "reverse": 1, "random": 2}
_TYPES = {
    "float": ("float32",),
    "int": ("int32",),
    "unsigned": ("uint32",),
    "unsigned short": ("uint16",),
    "long long": ("int64",),
    "signed char": ("int8",),
    "short": ("int16",),
    "unsigned char": ("uint8", "bool"),
    "bool": ("bool",),
    "at_bf16": ("bfloat16", "uint16"),
    "at_f16": ("float16", "uint16"),
    "at_f8e4m3": ("float8_e4m3fn", "uint8"),
    "at_f8e5m2": ("float8_e5m2", "uint8"),
}


class Fault(AssertionError):
    """What a kernel did wrong, where and in which thread, in one line."""


class Room:
    """Bytes between walls, at an address as a device would give it (a multiple of 256) or `skew` bytes further."""

    def __init__(self, size: int, skew: int = 0) -> None:
        start = _WALL + skew
        self._mapped = mmap.mmap(-1, start + size + _WALL, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self.bytes = np.frombuffer(self._mapped, np.uint8, count=size, offset=start)
        whole = np.frombuffer(self._mapped, np.uint8, count=1)
        self.address = whole.ctypes.data + start


@dataclass(frozen=True, slots=True)
class Region:
    """Memory that a launch may use, under a name for its faults."""

    name: str
    address: int
    size: int
    writable: bool


@dataclass(frozen=True, slots=True)
class TensorMap:
    """Of the argument `of`, an array of such sizes, boxes of `box`, whose elements are `steps` apart."""

    of: str
    sizes: tuple[int, ...]
    box: tuple[int, ...]
    steps: tuple[int, ...] = ()


def encoded(
    address: int, item: int, sizes: tuple[int, ...], box: tuple[int, ...], steps: tuple[int, ...] = ()
) -> bytes:
    """A tensor map as the emulated units read it: of five dimensions, the last of which are those that it has."""
    steps = steps or (1,) * len(sizes)
    refused = [rule for rule, holds in _rules(address, item, sizes, box, steps).items() if not holds]
    assert not refused, f"a tensor map of {sizes} at {address:#x} by boxes of {box}, {steps} apart: {refused[0]}"
    ones = (1,) * (5 - len(sizes))
    every = (*ones, *steps)
    return struct.pack("<4Q5Q5I5I16x", _TENSOR_MAP, address, item, len(sizes), *ones, *sizes, *ones, *box, *every)


def _rules(
    address: int, item: int, sizes: tuple[int, ...], box: tuple[int, ...], steps: tuple[int, ...]
) -> dict[str, bool]:
    """What cuTensorMapEncodeTiled asks of a map that is swizzled by 128 bytes, and whether it holds."""
    pitches = [item * prod(sizes[d:]) for d in range(1, len(sizes))]
    return {
        "dimensions are 1 to 5, as many in all": len(sizes) == len(box) == len(steps) and 1 <= len(sizes) <= 5,
        "a tensor begins at a multiple of 16": address % 16 == 0,
        "sizes are 1 to 2^32": all(1 <= size <= 1 << 32 for size in sizes),
        "rows are multiples of 16 bytes, below 2^40": all(p % 16 == 0 and p < 1 << 40 for p in pitches),
        "a step is 1 to 8, and that of the last dimension 1": all(1 <= s <= 8 for s in steps) and steps[-1] == 1,
        "a box reaches over 1 to 256": all(1 <= b * s <= 256 for b, s in zip(box, steps, strict=True)),
        "a row of a box is at most what is swizzled": box[-1] * item <= 128,
    }


@dataclass(frozen=True, slots=True)
class Tally:
    """What one site asked of memory: `cost` passes through shared memory's banks, or sectors of global memory.

    `ideal` is the least that the same bytes could cost.
    """

    line: int
    shared: bool
    writes: bool
    bytes: int
    requests: int
    lanes: int
    cost: int
    ideal: int

    def __str__(self) -> str:
        where, unit = ("shared", "passes") if self.shared else ("global", "sectors")
        does = "writes" if self.writes else "reads"
        return (
            f"line {self.line}: {where} {does} of {self.bytes} bytes: {self.requests} requests of "
            f"{self.lanes / self.requests:.1f} lanes, {self.cost} {unit}, "
            f"{self.cost / max(self.ideal, 1):.2f}x the least"
        )


class _Region(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("start", ctypes.c_uint64),
        ("bytes", ctypes.c_uint64),
        ("writable", ctypes.c_uint64),
    )


class _Launch(ctypes.Structure):
    _fields_ = (
        ("enter", ctypes.c_void_p),
        ("words", ctypes.POINTER(ctypes.c_uint64)),
        ("grid", ctypes.c_uint32 * 3),
        ("block", ctypes.c_uint32 * 3),
        ("shared", ctypes.c_uint64),
        ("regions", ctypes.POINTER(_Region)),
        ("region_count", ctypes.c_uint64),
        ("order", ctypes.c_uint64),
        ("seed", ctypes.c_uint64),
        ("blocks", ctypes.POINTER(ctypes.c_uint64)),
        ("block_count", ctypes.c_uint64),
        ("profile", ctypes.c_uint64),
        ("cluster", ctypes.c_uint64),
        ("early", ctypes.c_uint64),
        ("watched", ctypes.c_uint64),
        ("message", ctypes.c_char_p),
        ("room", ctypes.c_uint64),
    )


class _Tally(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_uint64) for name in ("site", "shared", "writes", "bytes", "requests", "lanes", "cost", "ideal")
    )


class _Met(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("block", "thread", "at", "bytes", "asked"))


@dataclass(frozen=True, slots=True)
class Met:
    """Bytes of a tensor that a thread read, or `asked` for ahead."""

    block: int
    thread: int
    name: str
    first: int
    bytes: int
    asked: bool


class Program:
    """A text with kernels, compiled. One launch at a time: the runtime is one state machine per library."""

    def __init__(self, text: str) -> None:
        self.compiled: Compiled = compiled(text)
        self._library = ctypes.CDLL(str(self.compiled.library))
        self._library.at_cpu_tallies.restype = ctypes.c_uint64
        self._library.at_cpu_met.restype = ctypes.c_uint64
        self._lock = threading.Lock()
        self.met: list[Met] = []  # of the last launch that was watched

    def parameters(self, kernel: str) -> tuple[Parameter, ...]:
        known = self.compiled.kernels
        assert kernel in known, f"no kernel {kernel!r} in the text; it has {', '.join(known) or 'none'}"
        return known[kernel]

    def launch(
        self,
        kernel: str,
        grid: tuple[int, ...],
        block: tuple[int, ...],
        arguments: Mapping[str, Array | int | TensorMap],
        *,
        shared: int = 0,
        order: str = "forward",
        blocks: Sequence[int] | None = None,
        profile: bool = False,
        skew: int = 0,
        watched: bool = False,
    ) -> None:
        """Arguments by the names of the kernel's parameters; arrays that the kernel may write are changed in place."""
        words: list[int] = []
        regions, back = [], []
        maps: list[tuple[int, TensorMap]] = []
        for p in self.parameters(kernel):
            value = arguments[p.name]
            if isinstance(value, TensorMap):
                assert p.type == MAP, f"{kernel}: {p.name} is {p.type}, and a tensor map came"
                maps.append((len(words), value))
                words.append(0)
                continue
            if not p.pointer:
                assert isinstance(value, int | np.integer), f"{kernel}: {p.name} is {p.type}, and an array came"
                words.append(int(value) % 2**64)
                continue
            assert isinstance(value, np.ndarray), f"{kernel}: {p.name} points to {p.type}, and {value!r} came"
            fits = _TYPES.get(p.type, ("uint8",))
            assert value.dtype.name in fits, f"{kernel}: {p.name} points to {p.type}, and {value.dtype} came"
            assert value.flags.c_contiguous, f"{kernel}: {p.name} is not contiguous"
            room = Room(value.nbytes, skew)
            room.bytes[:] = value.reshape(-1).view(np.uint8)
            words.append(room.address)
            regions.append(Region(p.name, room.address, value.nbytes, not p.const))
            back.append((value, room, p))
        held = []  # words hold their addresses
        for at, one in maps:
            address, item = next((room.address, v.itemsize) for v, room, p in back if p.name == one.of)
            held.append(ctypes.create_string_buffer(encoded(address, item, one.sizes, one.box, one.steps)))
            words[at] = ctypes.addressof(held[-1])
        try:
            self.start(kernel, grid, block, words, regions, shared, order, blocks, profile, watched)
        finally:
            for value, room, p in back:
                if not p.const:
                    value.reshape(-1).view(np.uint8)[:] = room.bytes

    def start(
        self,
        kernel: str,
        grid: tuple[int, ...],
        block: tuple[int, ...],
        words: Sequence[int],
        regions: Sequence[Region],
        shared: int = 0,
        order: str = "forward",
        blocks: Sequence[int] | None = None,
        profile: bool = False,
        watched: bool = False,
    ) -> None:
        """As a driver launches: `words` are the parameters' values, addresses among them, in order."""
        assert len(words) == len(self.parameters(kernel)), f"{kernel} takes {len(self.parameters(kernel))} parameters"
        how, _, seed = order.partition(":")
        enter = ctypes.cast(getattr(self._library, f"at_enter_{kernel}"), ctypes.c_void_p)
        message = ctypes.create_string_buffer(_MESSAGE)
        given = _Launch(
            enter=enter,
            words=(ctypes.c_uint64 * len(words))(*words),
            grid=(ctypes.c_uint32 * 3)(*_three(grid)),
            block=(ctypes.c_uint32 * 3)(*_three(block)),
            shared=shared,
            regions=(_Region * len(regions))(
                *(_Region(r.name.encode(), r.address, r.size, r.writable) for r in regions)
            ),
            region_count=len(regions),
            order=_ORDERS[how],
            seed=int(seed or 0),
            blocks=None if blocks is None else (ctypes.c_uint64 * len(blocks))(*blocks),
            block_count=0 if blocks is None else len(blocks),
            profile=profile,
            cluster=self.compiled.clusters.get(kernel, 1),
            early="at_begin(" in self.compiled.text,
            watched=watched,
            message=ctypes.cast(message, ctypes.c_char_p),
            room=_MESSAGE,
        )
        with self._lock:
            bad = self._library.at_cpu_launch(ctypes.byref(given))
            if watched:
                self.met = self._met(regions)
        if bad:
            raise Fault(f"{kernel}: {self._readable(message.value.decode(errors='replace'))}")

    def _met(self, regions: Sequence[Region]) -> list[Met]:
        count = self._library.at_cpu_met(None, 0)
        room = (_Met * (count or 1))()
        self._library.at_cpu_met(room, len(room))
        found = []
        for m in room[:count]:
            r = next(r for r in regions if r.address <= m.at < r.address + r.size)
            found.append(Met(m.block, m.thread, r.name, m.at - r.address, m.bytes, bool(m.asked)))
        return found

    def tallies(self) -> list[Tally]:
        """What the profiled launches since the last call asked of memory, by line."""
        room = (_Tally * 4096)()
        count = self._library.at_cpu_tallies(room, len(room))
        found = (room[i] for i in range(count))
        return sorted(
            (
                Tally(self._line(t.site), bool(t.shared), bool(t.writes), t.bytes, t.requests, t.lanes, t.cost, t.ideal)
                for t in found
            ),
            key=lambda t: (t.line, t.shared, t.writes),
        )

    def _line(self, site: int) -> int:
        return site >> 1 if site & 1 else line_of(self.compiled.library, site >> 1)

    def _in_shared(self, match: re.Match[str]) -> str:
        at = int(match[2])
        for start, size, name in shared_arrays(self.compiled.library):
            if start <= at < start + size:
                return f"shared {name}{match[1]}byte {at - start}"
        return match[0]

    def _readable(self, message: str) -> str:
        """Sites as lines, and at the end the lines themselves."""
        numbers: list[int] = []

        def named(match: re.Match[str]) -> str:
            line = int(match[1][1:]) if match[1].startswith("L") else line_of(self.compiled.library, int(match[1]))
            if line not in numbers:
                numbers.append(line)
            return f"line {line}"

        said = re.sub(r"static shared memory(.*?)byte (\d+)", self._in_shared, re.sub(r"@(L?\d+)@", named, message))
        lines = self.compiled.text.split("\n")
        quoted = [f"{n}: `{lines[n - 1].strip()}`" for n in numbers if 0 < n <= len(lines)]
        return "; ".join([said, *quoted])


@functools.cache
def program(text: str) -> Program:
    """The same text is the same program, compiled once in a session."""
    return Program(text)


def _three(sizes: tuple[int, ...]) -> tuple[int, int, int]:
    x, y, z = (*sizes, 1, 1, 1)[:3]
    return x, y, z
