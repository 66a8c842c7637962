"""Fingerprints: as a slow and plain program makes them, another for any damage, the same for both byte orders."""

from __future__ import annotations

import hashlib
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from anytile.codegen.cache import CodeCache
from anytile.codegen.llvm.compile import compiled
from anytile.codegen.load.loader import Loaded
from anytile.core.once import once
from anytile.schedules.hardware.target import Target
from anytile.vm.storage import checksum as module
from anytile.vm.storage.checksum import (
    _MIX,
    BLOCK,
    FACTOR,
    LANES,
    PIECE,
    SHIFT,
    STEPS,
    code,
    fingerprint,
    fingerprints,
    keys,
)

WHOLE = 2**64 - 1
SIZES = (0, 1, 63, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 5_003, PIECE * BLOCK, PIECE * BLOCK + 2 * BLOCK + 7)


def slow(data: bytes) -> str:
    """What the docstring of `fingerprint` says, a word at a time."""
    blocks = len(data) // BLOCK
    states = b""
    for piece in range(0, blocks, PIECE):
        state = list(keys()[:LANES])
        for block in range(piece, min(piece + PIECE, blocks)):
            for word in range(LANES * STEPS):
                at, lane = block * BLOCK + 8 * word, word % LANES
                number = int.from_bytes(data[at : at + 8], "little")
                keyed = number ^ keys()[LANES + word // LANES + lane]
                state[lane ^ 1] = (state[lane ^ 1] + number) & WHOLE
                state[lane] = (state[lane] + (keyed >> 32) * (keyed & 0xFFFFFFFF)) & WHOLE
            behind = keys()[2 * LANES + STEPS - 1 :]
            state = [((x ^ x >> SHIFT ^ key) * FACTOR) & WHOLE for x, key in zip(state, behind, strict=True)]
        states += b"".join(x.to_bytes(8, "little") for x in state)
    return hashlib.sha256(len(data).to_bytes(8, "little") + states + data[blocks * BLOCK :]).hexdigest()


@pytest.mark.parametrize("size", SIZES)
def test_it_is_what_a_slow_program_makes(size: int) -> None:
    data = random.Random(size).randbytes(size)
    assert fingerprint(data) == slow(data)
    assert fingerprint(memoryview(b"?" + data)[1:]) == slow(data)  # wherever it lies


def test_many_parts_at_once_and_by_several_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(1)
    parts = {str(i): rng.randbytes(rng.choice([0, 5, BLOCK, 7 * BLOCK + 1])) for i in range(40)}
    wanted = {name: slow(data) for name, data in parts.items()}
    assert fingerprints(parts) == wanted
    monkeypatch.setattr(module, "_WORTH_THREADS", 0)
    for cores in (1, 2, 7):
        monkeypatch.setattr(module, "usable_cores", lambda cores=cores: cores)
        assert fingerprints(parts) == wanted


def test_threads_that_are_the_first_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    data = random.Random(2).randbytes(5 << 20)
    wanted = fingerprint(data)
    for _ in range(5):
        monkeypatch.setattr(module, "_mixing", once(module._Mixing))
        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(fingerprint, [data] * 8)) == {wanted}


def test_the_format_is_what_files_were_written_with() -> None:
    """Another answer here is another format of files."""
    data = np.arange(PIECE * BLOCK // 4 + 300, dtype="<u4").tobytes()
    assert fingerprint(data) == "11a66868c9dbf5f696d4cbb499bd790d5b9de35210efe995ab468ffa4f688147"


@pytest.mark.parametrize("size", [300, 3 * BLOCK, 3 * BLOCK + 100])
def test_any_damage_within_a_word_is_another_fingerprint(size: int) -> None:
    rng = random.Random(size)
    data = bytearray(rng.randbytes(size))
    whole = fingerprint(bytes(data))
    for _ in range(500):
        place, width = rng.randrange(size), rng.choice([1, 1, 2, 4])
        there = min(place, size - width)
        before = bytes(data[there : there + width])
        data[there : there + width] = bytes(b ^ rng.randrange(1, 256) for b in before)
        assert fingerprint(bytes(data)) != whole
        data[there : there + width] = before


def test_damage_that_sums_forget_is_another_fingerprint() -> None:
    """Signs of two numbers, places of words, steps, blocks and pieces, zeros for more zeros: what checksums miss."""
    data = np.random.default_rng(0).standard_normal((2 * PIECE * BLOCK) // 4).astype("<f4")

    def swapped(first: int, second: int, count: int) -> bytes:
        words = data.copy()
        words[first : first + count], words[second : second + count] = (
            data[second : second + count],
            data[first : first + count],
        )
        return words.tobytes()

    per_block = BLOCK // 4
    damaged = [swapped(0, at, count) for count, ats in SWAPS.items() for at in ats]
    for at in (1, 2, 8, 15, 16, per_block - 1, per_block, PIECE * per_block):
        flipped = data.copy()
        flipped[[0, at]] *= -1
        damaged.append(flipped.tobytes())
    for begin, end in ((0, 16), (0, per_block), (per_block, 5 * per_block)):
        lost = data.copy()
        lost[begin:end] = 0
        damaged.append(lost.tobytes())
    found = {fingerprint(data.tobytes()), *map(fingerprint, damaged)}
    assert len(found) == 1 + len(damaged)
    zeros = {fingerprint(bytes(n * BLOCK)) for n in range(1, 40)} | {fingerprint(bytes(n)) for n in range(40)}
    assert len(zeros) == 39 + 40


SWAPS = {  # so many numbers at once: with those that lie so far behind the first
    1: (1, 2, 3, 16, 32, BLOCK // 4),
    2: (2, 4, 16, 240),
    16: (16, 32, 240, BLOCK // 4),
    BLOCK // 4: (BLOCK // 4, BLOCK // 2, PIECE * BLOCK // 4),
    PIECE * BLOCK // 4: (PIECE * BLOCK // 4,),
}


def test_a_machine_of_the_other_byte_order_finds_the_same() -> None:
    """Its code, run here on words and a state whose bytes are the other way round."""
    words = np.frombuffer(random.Random(3).randbytes(4 * BLOCK), np.uint64)
    ends = []
    for order, read in (("little", words), ("big", words.byteswap())):
        loaded = Loaded(compiled(code(order), Target.host(), "anytile_mix", CodeCache()))
        state = np.array(keys()[:LANES], np.uint64)
        _MIX(loaded.entry)(read.ctypes.data, 4, state.ctypes.data)
        ends.append(state.tolist())
    assert ends[0] == ends[1]
