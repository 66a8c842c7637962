"""Blocks at an edge: one loop of blocks whatever the rest, checks only where a tile may stick out."""

from __future__ import annotations

import pytest

from anytile.codegen.cuda.build import scheduled_nest
from anytile.core.errors import ScheduleError
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.nodes import Guard, Loop, LoopKind, LoopNest
from anytile.schedules.nest.traverse import walk
from anytile.schedules.primitives.gpu.edge_blocks import part_blocks
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any

HOPPER = Target.parse("cuda -arch=sm_90a")
NARROW = template("dense.cuda.narrow")
CONFIG = Config.of(tile_m=4, tile_n=1, warps_n=1, warps_k=1, unroll_k=1)
WORKLOAD = dense(Any("m"), 8, 128)


def _parted(low: int, high: int) -> LoopNest:
    return scheduled_nest(WORKLOAD, CONFIG, HOPPER, NARROW, (low, high))


def _blocks(nest: LoopNest) -> list[str]:
    return [str(s.extent) for s in walk(nest.body) if isinstance(s, Loop) and s.var == "bm"]


def test_the_loop_of_blocks_stays_one() -> None:
    assert _blocks(_parted(0, 0)) == ["m_q"]
    assert _blocks(_parted(2, 2)) == ["m_q + 1"]
    assert _blocks(_parted(0, 3)) == ["((m_r + 3) // 4) + m_q"]


def test_without_a_rest_nothing_is_checked() -> None:
    assert not [s for s in walk(_parted(0, 0).body) if isinstance(s, Guard)]


def test_a_rest_that_is_known_needs_no_check_of_what_is_read() -> None:
    nest = _parted(3, 3)
    (parts,) = (s for s in walk(nest.body) if isinstance(s, Guard) and s.otherwise is not None)
    assert str(parts.condition[0]) == "-bm + m_q - 1"
    assert parts.otherwise is not None
    rows = {str(s.extent) for s in walk(parts.otherwise) if isinstance(s, Loop) and s.var == "mi"}
    assert rows == {"3"}
    assert "m_r" not in str(nest)


def test_a_class_computes_the_rows_of_its_largest() -> None:
    parts = next(s for s in walk(_parted(1, 2).body) if isinstance(s, Guard) and s.otherwise is not None)
    assert parts.otherwise is not None
    rows = {str(s.extent) for s in walk(parts.otherwise) if isinstance(s, Loop) and s.var == "mi"}
    assert rows == {"2"}


def test_loops_of_threads_keep_their_number() -> None:
    for nest in (_parted(0, 0), _parted(1, 1), _parted(0, 3)):
        found = {s.var: s.extent for s in walk(nest.body) if isinstance(s, Loop) and s.kind is LoopKind.THREAD}
        assert {str(e) for v, e in found.items() if v == "ln"} == {"32"}


@pytest.mark.parametrize(("low", "high"), [(-1, 0), (2, 1), (0, 4)])
def test_rests_outside_a_tile_are_refused(low: int, high: int) -> None:
    made = NARROW.schedule(WORKLOAD, HOPPER, CONFIG)
    assert made.walk is not None
    with pytest.raises(ScheduleError, match=f"residues {low}..{high} of a tile of 4: expected 0 <= low <= high < 4"):
        part_blocks(made.nest, made.walk, low, high)
