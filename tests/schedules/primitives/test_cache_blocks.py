"""Cache blocking: in blocks a nest computes the same, and each element of the result is written once."""

from __future__ import annotations

import pytest

from anytile.core.errors import ScheduleError
from anytile.schedules.nest.nodes import Loop, LoopKind
from anytile.schedules.nest.traverse import loops
from anytile.schedules.nest.verify import verify
from anytile.schedules.primitives.accumulate import accumulate
from anytile.schedules.primitives.cache_blocks import Blocks, in_blocks
from anytile.schedules.primitives.loops import mark, reorder, split
from anytile.schedules.primitives.remainders import exact_remainders, partition
from anytile.schedules.primitives.schedule import Schedule
from anytile.schedules.primitives.stage_panel import stage_panel
from tests.support.nest_pictures import product


def _tiled(tile: int = 2) -> Schedule:
    """Rows of a product in tiles, for each column of one of any width."""
    s = product()
    split(s, "i", tile, "io", "ii")
    reorder(s, "j", "io", "ii", "k")
    partition(s, "io")
    return s


def test_rounds_that_are_one_block_stay() -> None:
    s = _tiled()
    before = s.nest
    in_blocks(s, "io", Blocks("j", 2))
    in_blocks(s, "io", Blocks("nowhere", 1))
    assert s.nest == before


def test_the_last_block_is_the_shorter_one() -> None:
    s = _tiled(1)
    in_blocks(s, "io", Blocks("j", 3))
    verify(s.nest)
    (outermost,) = (x for x in loops(s.nest.body, "b_io"))
    assert isinstance(s.nest.body, Loop)
    assert s.nest.body is outermost
    (inner,) = loops(s.nest.body, "io")
    counts = [inner.extent.evaluate({"b_io": block}) for block in range(outermost.extent.value or 0)]
    assert counts == [3, 1]


def test_a_name_that_is_taken_is_not_taken_again() -> None:
    s = _tiled(1)
    in_blocks(s, "io", Blocks("j", 2))
    in_blocks(s, "io", Blocks("j", 1))
    verify(s.nest)
    assert len({x.var for x in loops(s.nest.body) if x.var.startswith("b_io")}) == 2


def test_what_cannot_be_blocked() -> None:
    with pytest.raises(ScheduleError, match="blocks of 0 rounds of io: expected at least 1"):
        in_blocks(_tiled(), "io", Blocks("j", 0))
    shared = _tiled(1)
    mark(shared, LoopKind.PARALLEL, "io")
    with pytest.raises(ScheduleError, match="expected it serial, right inside the other loop, found parallel io"):
        in_blocks(shared, "io", Blocks("j", 1))
    between = product()
    reorder(between, "j", "k", "i")
    with pytest.raises(ScheduleError, match="expected it serial, right inside the other loop, found for k"):
        in_blocks(between, "i", Blocks("j", 1))
    staged = product(8)
    split(staged, "j", 4, "jo", "ji")
    reorder(staged, "jo", "i", "k", "ji")
    stage_panel(staged, "b", "jo", "jo", 0, "jo", "ji", "jo")
    accumulate(staged, inside="i")
    with pytest.raises(ScheduleError, match="it runs on b_packed, which would be made anew for each of them"):
        in_blocks(staged, "i", Blocks("jo", 1))
    several = product()
    split(several, "j", 4, "jo", "ji")
    reorder(several, "i", "jo", "ji", "k")
    exact_remainders(several, "jo", 1)
    with pytest.raises(ScheduleError, match="expected as many rounds wherever it stands, found 3 numbers"):
        in_blocks(several, "ji", Blocks("i", 1))
