"""The pool: classes, counts, limits, blocks from any thread; compiled code does the same on the same words."""

from __future__ import annotations

import ctypes
import functools
import gc
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.codegen.llvm.compile import ATTRIBUTES, compile_ir
from anytile.codegen.load.loader import Loaded
from anytile.core.errors import ResourceError
from anytile.schedules.hardware.target import Target
from anytile.vm.program.isa import ALIGNMENT, MAX_BYTES
from anytile.vm.runtime.functions import region_helpers
from anytile.vm.runtime.pool_words import HELD, VALUES, class_of
from anytile.vm.values.memory import Pool
from tests.support.references.plain_pool import PlainPool, block_size


@given(st.integers(0, MAX_BYTES))
def test_blocks_are_large_enough_and_hardly_larger(nbytes: int) -> None:
    place, size = class_of(nbytes)
    assert size == block_size(place) >= nbytes
    assert size % ALIGNMENT == 0
    assert size <= max(nbytes * 17 / 16 + ALIGNMENT, ALIGNMENT)


def _flags_at(address: int) -> list[str]:
    """What the system knows of the memory around an address."""
    within = False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if span := re.match(r"([0-9a-f]+)-([0-9a-f]+) ", line):
            within = int(span[1], 16) <= address < int(span[2], 16)
        elif within and line.startswith("VmFlags:"):
            return line.split()[1:]
    return []


@pytest.mark.skipif(not Path("/sys/kernel/mm/transparent_hugepage").exists(), reason="the system has no huge pages")
def test_large_blocks_lie_in_huge_pages_where_the_system_has_them() -> None:
    storage = Pool(1 << 30).allocate(40 << 20)
    assert "hg" in _flags_at(storage.address + storage.nbytes // 2)


def test_classes_grow_with_sizes() -> None:
    sizes = [class_of(n) for n in range(1, 200_000, 61)]
    assert sizes == sorted(sizes)


def test_a_block_is_used_again() -> None:
    pool = Pool()
    first = pool.allocate(1000)
    address = first.address
    assert address % ALIGNMENT == 0
    del first
    assert pool.allocate(1001).address == address
    assert (pool.allocations, pool.system_calls) == (2, 1)


@pytest.mark.parametrize("size", [1, 1000, 100_000, 4 << 20])
def test_blocks_tell_nothing_of_what_was_in_memory_before(size: int) -> None:
    """Neither what the process freed, nor where a free block is."""
    for _ in range(20):
        secrets = [bytearray(b"secret! " * (size // 8 + 1)) for _ in range(8)]
        del secrets
        pool = Pool()
        blocks = [pool.allocate(size) for _ in range(3)]
        found = [ctypes.string_at(b.address, class_of(size)[1]) for b in blocks]
        assert all(data.count(0) == class_of(size)[1] for data in found)
        del blocks
        again = [pool.allocate(size) for _ in range(3)]
        assert all(ctypes.string_at(b.address, class_of(size)[1]).count(0) == class_of(size)[1] for b in again)
        assert pool.system_calls == 3


def test_the_high_water_mark() -> None:
    pool = Pool()
    a, b = pool.allocate(640), pool.allocate(640)
    del a
    c = pool.allocate(640)
    assert (pool.used, pool.peak) == (1280, 1280)
    del b, c
    assert (pool.used, pool.peak) == (0, 1280)
    pool.reset_peak()
    assert pool.peak == 0


def test_the_limit_is_a_clean_error_and_free_blocks_do_not_count() -> None:
    pool = Pool(10_000)
    kept = [pool.allocate(1024) for _ in range(8)]
    with pytest.raises(ResourceError, match="expected to stay within 10000 bytes"):
        pool.allocate(4096)
    kept.clear()
    pool.allocate(8192)  # what was free is given to the system first
    assert pool.words[HELD] <= 10_000


@pytest.mark.slow
@pytest.mark.usefixtures("small_heap")
def test_storage_that_outlives_the_pool_keeps_it() -> None:
    storage = Pool().allocate(64)
    gc.collect()
    ctypes.memset(storage.address, 7, 64)
    assert ctypes.string_at(storage.address, 64) == b"\x07" * 64


def test_storage_may_be_the_last_to_go() -> None:
    """A process ends with blocks still held, by what outlives the modules that made them."""
    code = "import sys; from anytile.vm.values.memory import Pool; sys.held = [Pool().allocate(n) for n in range(99)]"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_any_thread_may_drop_storage() -> None:
    pool = Pool()
    held = [pool.allocate(256) for _ in range(1000)]

    def drop(part: list[object]) -> None:
        part.clear()

    parts: list[list[object]] = [list(held[i::4]) for i in range(4)]
    held.clear()
    threads = [threading.Thread(target=drop, args=(part,)) for part in parts]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert pool.used == 0


_ENTRIES = """
define i64 @test_take(ptr %pool, i64 %n) {
  %r = call i64 @take(ptr %pool, i64 %n)
  ret i64 %r
}
define void @test_put(ptr %pool, i64 %a, i64 %n) {
  call void @put(ptr %pool, i64 %a, i64 %n)
  ret void
}
"""


@functools.cache
def _native() -> tuple[Loaded, ctypes._FuncPointer, ctypes._FuncPointer]:
    code = compile_ir(region_helpers() + _ENTRIES + ATTRIBUTES, Target.host(), "test_take", facts_too=False)
    loaded = Loaded(code)
    word = ctypes.c_int64
    take = ctypes.CFUNCTYPE(word, ctypes.c_void_p, word)(loaded.address("test_take"))
    put = ctypes.CFUNCTYPE(None, ctypes.c_void_p, word, word)(loaded.address("test_put"))
    return loaded, take, put


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 5000)), max_size=60), st.integers(0, 40_000), st.integers(0, 9000)
)
def test_compiled_code_keeps_the_same_books(steps: list[tuple[bool, int]], limit: int, values: int) -> None:
    _, take, put = _native()
    python, native = PlainPool(limit), Pool(limit)
    python.words[VALUES] = native.words[VALUES] = values
    held: list[tuple[int, int, int]] = []
    for is_take, n in steps:
        if is_take or not held:
            a = python.take(n)
            b = take(native.address, n)
            assert (a == 0) == (b == 0)
            if a:
                held.append((a, b, n))
                ctypes.memset(b, 1, n)
        else:
            a, b, n = held.pop(n % len(held))
            python.put(a, n)
            put(native.address, b, n)
        assert list(python.words[:6]) == list(native.words[:6])
    for a, b, n in held:
        python.put(a, n)
        put(native.address, b, n)
    assert np.array_equal(python.words[:6], native.words[:6])
    python.trim()
