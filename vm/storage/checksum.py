"""The fingerprint of many bytes, at the speed that memory gives them: a model's weights are hundreds of megabytes.

    SHA-256 of: the length | the state of each piece | the bytes behind the last whole block

A piece is up to PIECE whole blocks, and native code mixes it into a state of LANES words. In a block every 64 bytes are
a step: each word is added to the lane beside its own, and to its own lane the product of the halves of what the word is
with a key; the next step's keys begin one further on. Behind each block the lanes go through a function that can be
undone, so nothing that came in is lost: damage within one word always gives another state, and damage to more the same
one with a chance of about 2 to the power of -64.

It finds damage. It is no seal: who wants other bytes of the same fingerprint can make them, as whoever can write a file
can write what stands in it. The same bytes have the same fingerprint on every machine.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.codegen.cache import CodeCache
from anytile.codegen.llvm.compile import ATTRIBUTES, compiled
from anytile.codegen.load.loader import Loaded
from anytile.core.container import Bytes
from anytile.core.once import once
from anytile.dispatch.cpu.fast_call import address_of
from anytile.schedules.hardware.target import Target, usable_cores

LANES, STEPS = 8, 16
BLOCK = 8 * LANES * STEPS  # bytes
PIECE = 1024  # blocks
_STATE = 8 * LANES  # bytes of one
SHIFT, FACTOR = 47, 0x9E3779B1  # what can be undone: x ^ (x >> SHIFT), an exclusive or with a key, times an odd number
_WORTH_THREADS = 4 << 20  # bytes
_MIX = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)
_Task = tuple[int, int, int]  # where blocks are, how many, and where their state is


def fingerprint(data: Bytes) -> str:
    """The fingerprint of some bytes, as hexadecimal digits."""
    return fingerprints({"": data})[""]


def fingerprints(parts: Mapping[str, Bytes]) -> dict[str, str]:
    """The fingerprint of each part; by several threads where there is much to read."""
    arrays = [np.frombuffer(data, np.uint8) for data in parts.values()]
    pieces = [-(-(array.size // BLOCK) // PIECE) for array in arrays]
    states = np.tile(np.array(keys()[:LANES], np.uint64), (sum(pieces), 1))
    tasks = _tasks(arrays, pieces, address_of(states))
    mixing = _mixing()
    if sum(array.size for array in arrays) < _WORTH_THREADS:
        mixing.all(tasks)
    else:
        cores = usable_cores()
        others = [threading.Thread(target=mixing.all, args=(tasks[i::cores],)) for i in range(1, cores)]
        try:
            for thread in others:
                thread.start()
            mixing.all(tasks[::cores])
        finally:  # what they read and write must not go before they do
            for thread in others:
                if thread.ident is not None:
                    thread.join()
    return dict(zip(parts, _digests(arrays, pieces, states.astype("<u8").tobytes()), strict=True))


@functools.cache
def keys() -> tuple[int, ...]:
    """Numbers without a pattern: where states begin, the keys of steps, those behind a block."""
    digest = hashlib.shake_256(b"anytile fingerprint").digest(8 * (3 * LANES + STEPS - 1))
    return tuple(int.from_bytes(digest[i : i + 8], "little") for i in range(0, len(digest), 8))


def _tasks(arrays: Sequence[NDArray[Any]], pieces: Sequence[int], to: int) -> list[_Task]:
    """One for each piece of each array; the states lie one behind the other."""
    tasks = []
    for array, count in zip(arrays, pieces, strict=True):
        at, left = address_of(array), array.size // BLOCK
        for _ in range(count):
            tasks.append((at, min(PIECE, left), to))
            at, left, to = at + PIECE * BLOCK, left - PIECE, to + _STATE
    return tasks


def _digests(arrays: Sequence[NDArray[Any]], pieces: Sequence[int], states: bytes) -> Iterator[str]:
    """Those of arrays, whose pieces' states lie one behind the other."""
    begin = 0
    for array, count in zip(arrays, pieces, strict=True):
        end = begin + count * _STATE
        size = array.size
        behind = array.data[size // BLOCK * BLOCK :]
        yield hashlib.sha256(b"".join((size.to_bytes(8, "little"), states[begin:end], behind))).hexdigest()
        begin = end


class _Mixing:
    """The native code."""

    def __init__(self) -> None:
        self._loaded = Loaded(compiled(code(sys.byteorder), Target.host(), "anytile_mix", CodeCache()))
        self._mix = _MIX(self._loaded.entry)

    def all(self, tasks: Sequence[_Task]) -> None:
        for task in tasks:
            self._mix(*task)


_mixing = once(_Mixing)


def code(byteorder: str) -> str:
    """LLVM IR that mixes whole blocks into a state, for a machine of a byte order: words are little-endian."""
    start, behind = LANES, 2 * LANES + STEPS - 1
    every, v = keys(), f"<{LANES} x i64>"

    def lanes(numbers: Sequence[int]) -> str:
        return f"<{', '.join(f'i64 {n - (n >> 63 << 64)}' for n in numbers)}>"

    beside = f"<{LANES} x i32> <{', '.join(f'i32 {i ^ 1}' for i in range(LANES))}>"
    low, half = lanes([2**32 - 1] * LANES), lanes([32] * LANES)
    swap = "" if byteorder == "little" else f"call {v} @llvm.bswap.v{LANES}i64({v} "
    steps = []
    before = "%state"
    for s in range(STEPS):
        steps.append(
            f"""  %at{s} = getelementptr i8, ptr %at, i64 {8 * LANES * s}
  %read{s} = load {v}, ptr %at{s}, align 1
  %word{s} = {f"{swap}%read{s})" if swap else f"or {v} %read{s}, zeroinitializer"}
  %keyed{s} = xor {v} %word{s}, {lanes(every[start + s : start + s + LANES])}
  %low{s} = and {v} %keyed{s}, {low}
  %high{s} = lshr {v} %keyed{s}, {half}
  %product{s} = mul {v} %low{s}, %high{s}
  %beside{s} = shufflevector {v} %word{s}, {v} poison, {beside}
  %sum{s} = add {v} {before}, %beside{s}
  %mixed{s} = add {v} %sum{s}, %product{s}"""
        )
        before = f"%mixed{s}"
    return "\n".join(
        [
            f"""define void @anytile_mix(ptr %data, i64 %blocks, ptr %to) #0 {{
entry:
  %first = load {v}, ptr %to, align 8
  br label %block
block:
  %i = phi i64 [ 0, %entry ], [ %next, %block ]
  %state = phi {v} [ %first, %entry ], [ %done, %block ]
  %offset = mul i64 %i, {BLOCK}
  %at = getelementptr i8, ptr %data, i64 %offset""",
            *steps,
            f"""  %shifted = lshr {v} {before}, {lanes([SHIFT] * LANES)}
  %folded = xor {v} {before}, %shifted
  %crossed = xor {v} %folded, {lanes(every[behind : behind + LANES])}
  %done = mul {v} %crossed, {lanes([FACTOR] * LANES)}
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %blocks
  br i1 %more, label %block, label %end
end:
  store {v} %done, ptr %to, align 8
  ret void
}}""",
            f"declare {v} @llvm.bswap.v{LANES}i64({v})" if swap else "",
            ATTRIBUTES,
        ]
    )
