"""Packed constants have zeroed memory of their own, large ones on huge pages, and give it back."""

from __future__ import annotations

import gc
import re
from pathlib import Path

import numpy as np
import pytest

from anytile.codegen.load.loader import Loaded
from anytile.core.errors import ResourceError
from anytile.dispatch.cpu.build import compile_plan
from anytile.dispatch.cpu.constants import pack
from anytile.dispatch.cpu.fast_call import ALIGNMENT, address_of
from anytile.dispatch.cpu.huge_pages import HUGE_PAGE, Arena, constant_bytes
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any

_HEAD = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) ")


def _flags(address: int) -> set[str]:
    """What the system says of the mapping at an address."""
    found, inside = set(), False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        head = _HEAD.match(line)
        if head is not None:
            inside = int(head[1], 16) <= address < int(head[2], 16)
        elif inside and line.startswith("VmFlags:"):
            found = set(line.split()[1:])
    return found


def _require_huge_pages() -> None:
    if not Path("/sys/kernel/mm/transparent_hugepage").exists():
        pytest.skip("this system has no huge pages to give")


@pytest.mark.parametrize("count", [1, 4096, HUGE_PAGE - 1, HUGE_PAGE, HUGE_PAGE + 1, 2 * HUGE_PAGE, 5_000_001])
def test_zeroed_bytes_where_kernels_want_them(count: int) -> None:
    found = constant_bytes(count)
    assert found.shape == (count,)
    assert found.flags.writeable
    assert found.flags.c_contiguous
    assert address_of(found) % (ALIGNMENT if count < HUGE_PAGE else HUGE_PAGE) == 0
    assert not found.any()
    found[...] = 255


def test_whole_huge_pages_are_asked_for_and_no_more() -> None:
    _require_huge_pages()
    found = constant_bytes(2 * HUGE_PAGE + 5)
    at = address_of(found)
    assert "hg" in _flags(at)
    assert "hg" in _flags(at + 2 * HUGE_PAGE - 1)
    assert "hg" not in _flags(at + 2 * HUGE_PAGE)


def test_a_dense_weight_has_them() -> None:
    host = Target.host()
    workload = dense(Any("m"), 1024, 600, const=("w",))
    plan = single_plan(workload, host, "dense.cpu", template("dense.cpu").default(workload, host))
    loaded = Loaded(compile_plan(plan, (1,)))
    packed = pack(loaded, loaded.artifact.packed[0], np.ones((1024, 600), np.float32), [0])
    assert packed.nbytes >= HUGE_PAGE
    assert address_of(packed) % HUGE_PAGE == 0


def test_in_an_arena_they_lie_side_by_side_on_huge_pages() -> None:
    _require_huge_pages()
    room = Arena()
    small = room(100)
    first, second, large = room(HUGE_PAGE + 5), room(HUGE_PAGE), room(100 << 20)
    assert address_of(second) - address_of(first) == HUGE_PAGE + ALIGNMENT
    for found, count in ((small, 100), (first, HUGE_PAGE + 5), (second, HUGE_PAGE), (large, 100 << 20)):
        assert found.shape == (count,)
        assert address_of(found) % ALIGNMENT == 0
        assert not found[:: 1 << 12].any()
        assert not found[-8:].any()
    first[...] = 255
    assert not second.any()
    assert all("hg" in _flags(address_of(found) + found.nbytes - 1) for found in (first, second, large))


@pytest.mark.slow
@pytest.mark.usefixtures("small_heap")
def test_an_arenas_memory_is_given_back() -> None:
    _require_huge_pages()
    room = Arena()
    first, second = room(3 * HUGE_PAGE), room(HUGE_PAGE)
    at = address_of(first)
    del room, first
    gc.collect()
    assert "hg" in _flags(at), "what lies beside it is still there"
    del second
    gc.collect()
    assert "hg" not in _flags(at)


@pytest.mark.slow
@pytest.mark.usefixtures("small_heap")
def test_memory_is_given_back() -> None:
    _require_huge_pages()
    found = constant_bytes(3 * HUGE_PAGE)
    at, part = address_of(found), found[7:9]
    del found
    gc.collect()
    assert "hg" in _flags(at), "a view still needs it"
    del part
    gc.collect()
    assert "hg" not in _flags(at)


def test_more_than_there_is_is_refused_in_one_line() -> None:
    with pytest.raises(
        ResourceError, match=f"{1 << 60} bytes for a packed constant: .*; free memory or split the work"
    ):
        constant_bytes(1 << 60)
