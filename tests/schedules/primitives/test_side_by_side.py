"""Panels side by side: a tile of few rows computes the same, with as many sums as its registers hold."""

from __future__ import annotations

from dataclasses import replace

import pytest

from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.nodes import Alloc, LoopNest, Scope
from anytile.schedules.nest.traverse import loops, walk
from anytile.schedules.nest.verify import verify
from anytile.schedules.primitives.residue import specialise
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense, quantised_dense
from anytile.schedules.workloads.workload import Any, Workload
from tests.support.cases.small_operators import check, inputs_of, interpreted

TILE = {"haswell": 4, "znver4": 8, "nehalem": 3}


def specialised(
    cpu: str, rest: int, n: int = 768, streamed: bool = True, bytes: bool = False, **knobs: int
) -> LoopNest:
    target = Target.parse(f"llvm -mcpu={cpu} -threads=1")
    floats = dense(Any("m"), n, 40, const=("w",))
    whole = quantised_dense(Any("m"), n, 40, x="float32", out="float32", const=("w",)) if bytes else floats
    t, workload = template(f"{whole.op}.cpu"), replace(whole, streamed=("w",) if streamed else ())
    config = t.default(workload, target).with_(tile_m=TILE[cpu], tile_n=3, block_n=4).with_(**knobs)
    made = t.schedule(workload, target, config)
    assert made.walk is not None
    return specialise(made.nest, made.walk, rest, rest)


def most_sums(nest: LoopNest, rows: int) -> list[int]:
    """Vectors of sums that tiles of so many rows keep."""
    found = []
    for alloc in (s for s in walk(nest.body) if isinstance(s, Alloc) and s.buffer.scope is Scope.REGISTER):
        tile = [loop.extent.value for loop in loops(alloc.body, "mi")]
        if (tile[0] if tile else 1) == rows:
            sides = [loop.extent.value or 0 for loop in loops(alloc.body, "p_np")]
            found.append(rows * 3 * (sides[0] if sides else 1))
    return found


@pytest.mark.parametrize("cpu", TILE)
def test_as_many_sums_as_the_registers_hold(cpu: str) -> None:
    registers = facts(Target.parse(f"llvm -mcpu={cpu}")).vector_registers
    for rest in range(1, TILE[cpu]):
        for sums in most_sums(specialised(cpu, rest), rest):
            assert sums + 3 + rest <= registers or sums == 3 * rest
            assert 2 * sums + 3 + rest > registers or sums == 4 * 3 * rest  # all four panels of a block
    assert most_sums(specialised(cpu, 1), 1) == [12]


@pytest.mark.parametrize("cpu", TILE)
def test_from_caches_no_more_panels_than_hide_a_multiply_add(cpu: str) -> None:
    assert most_sums(specialised(cpu, 1, streamed=False), 1) == [6]


def test_full_tiles_and_panels_without_neighbours_stay_as_they_were() -> None:
    assert set(most_sums(specialised("znver4", 1), 8)) == {24}
    assert most_sums(specialised("znver4", 1, block_n=1), 1) == [3]


@pytest.mark.parametrize(("low", "high"), [(1, 1), (1, 2), (0, 3)])
@pytest.mark.parametrize(
    "text",
    [
        "dense(m=?m, n=6, k=19, tail=max(y * 2 + b[n], y))",
        "dense(m=?m, n=6, k=19, const=w, tail=y * r[m, n])",
        "dense(m=?m, n=6, k=19, dtype=bfloat16)",
    ],
)
def test_each_panel_has_its_own_sums_for_the_tail(text: str, low: int, high: int) -> None:
    """What adds up lanes keeps the totals that a tail reads: of panels side by side all read those of the last."""
    target, workload, symbols = Target.parse("llvm -mcpu=nehalem -threads=1"), Workload.parse(text), {"m": 4 + high}
    t = template("dense.cpu")
    config = t.default(workload, target).with_(w="rows", tile_m=4, tile_n=1, block_n=0, unroll_k=1)
    made = t.schedule(workload, target, config)
    assert made.walk is not None
    nest = specialise(made.nest, made.walk, low, high)
    assert any(loops(nest.body, "p_no"))
    verify(nest)
    inputs = inputs_of(workload, symbols)
    check(workload, interpreted(nest, inputs, symbols), inputs, text, 1e-5)


@pytest.mark.parametrize("cpu", TILE)
def test_a_last_block_of_fewer_panels_is_written_apart_where_bytes_are_widened(cpu: str) -> None:
    """Six panels in blocks of four. Where some block may be smaller, none has panels side by side."""
    panel = 3 * facts(Target.parse(f"llvm -mcpu={cpu}")).lanes
    assert most_sums(specialised(cpu, 1, n=6 * panel, bytes=True), 1) == [12, 6]
    assert most_sums(specialised(cpu, 1, n=6 * panel), 1) == [3]
    assert most_sums(specialised(cpu, 1, n=8 * panel, bytes=True), 1) == [12]
