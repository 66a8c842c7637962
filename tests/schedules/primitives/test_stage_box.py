"""Copies of boxes: what they hold, what they let a nest leave out, and what cannot be copied."""

from __future__ import annotations

import pytest

from anytile.core.errors import ScheduleError
from anytile.schedules.nest.nodes import Alloc, Guard, LoopNest, Scope, Stmt
from anytile.schedules.nest.traverse import walk
from anytile.schedules.nest.verify import verify
from anytile.schedules.primitives.accumulate import accumulate
from anytile.schedules.primitives.loops import peel, reorder, split
from anytile.schedules.primitives.schedule import Schedule, finish
from anytile.schedules.primitives.stage_box import stage_box, stage_gather
from anytile.schedules.templates.base.definition import start
from anytile.schedules.templates.base.template import Scheduled
from anytile.schedules.workloads.constructors import conv2d
from anytile.schedules.workloads.workload import Any, Workload
from tests.support.cases.convolution_nests import check_nest

PADDED = conv2d(2, 3, 5, Any("v"), 2, 3, 3, stride=2, pad=1, layout="nhwc")


def _staged(workload: Workload, at: str, order: tuple[int, ...] = (0, 1, 2, 3), lanes: int = 1) -> LoopNest:
    s = start(workload)
    split(s, "i_co", 2, "co", "ci")
    reorder(s, "i_n", "i_oh", "co", "i_ow", "i_kh", "i_kw", "i_cig", "ci")
    stage_box(s, "x", at, order, lanes)
    accumulate(s, inside="i_ow")
    return finish(s)


def _copies(nest: LoopNest) -> list[tuple[str, ...]]:
    return [
        tuple(map(str, s.buffer.shape))
        for s in walk(nest.body)
        if isinstance(s, Alloc) and s.buffer.scope is Scope.WORKSPACE
    ]


def _guards(s: Stmt) -> int:
    return sum(isinstance(c, Guard) for c in walk(s))


@pytest.mark.parametrize("width", [0, 1, 2, 7, 8])
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 3, 1, 2), (2, 1, 3, 0)])
@pytest.mark.parametrize("at", ["i_n", "i_oh", "i_ow"])
def test_a_copy_changes_nothing(at: str, order: tuple[int, ...], width: int) -> None:
    nest = _staged(PADDED, at, order)
    verify(nest)
    check_nest(PADDED, Scheduled(nest), {"v": width})


def test_the_box_is_what_the_loops_inside_read() -> None:
    known = conv2d(2, 3, 5, 7, 2, 3, 3, stride=2, pad=1, layout="nhwc")
    assert _copies(_staged(known, "i_n")) == [("7", "9", "3")]
    assert _copies(_staged(known, "i_oh")) == [("3", "9", "3")]
    assert _copies(_staged(known, "i_oh", (0, 3, 1, 2))) == [("3", "3", "9")]
    assert _copies(_staged(known, "i_ow")) == [("3", "3", "3")]


def test_reading_a_copy_needs_no_check() -> None:
    nest = _staged(conv2d(1, 4, 5, 7, 2, 3, 3, pad=1, layout="nhwc"), "i_n", lanes=4)
    (tile,) = [s for s in walk(nest.body) if isinstance(s, Alloc) and s.buffer.scope is Scope.REGISTER]
    assert _guards(tile) == 0
    assert "vector x.s3.lane in 0..4" in str(nest)


def test_conditions_of_the_output_stay() -> None:
    """A pixel of a 1x1 kernel is inside x where it is inside y: dropping that would store outside y."""
    s = start(conv2d(1, 1, 1, 5, 1, 1, 1))
    split(s, "i_ow", 4, "wo", "wi")
    stage_box(s, "x", "i_n", (0, 1, 2, 3), 1)
    assert _guards(s.nest.body) == 1


def test_gathered_taps() -> None:
    workload = conv2d(1, 3, 4, 5, 2, 2, 2, pad=1, layout="nhwc")
    s = start(workload)
    reorder(s, "i_n", "i_oh", "i_ow", "i_co", "i_kh", "i_kw", "i_cig")
    stage_gather(s, "x", "i_ow", ("i_kh", "i_kw", "i_cig"), 1)
    accumulate(s, inside="i_co")
    nest = finish(s)
    verify(nest)
    assert _copies(nest) == [("2", "2", "3")]
    check_nest(workload, Scheduled(nest), {})


def _refused(change: str) -> None:
    s = Schedule(start(PADDED).nest)
    match change:
        case "loop":
            stage_box(s, "x", "nowhere", (0, 1, 2, 3), 1)
        case "order":
            stage_box(s, "x", "i_n", (0, 1, 2), 1)
        case "layout":
            stage_gather(s, "x", "i_n", ("i_kh",), 1)
        case "late":
            accumulate(s, inside="i_ow")
            stage_box(s, "x", "i_n", (0, 1, 2, 3), 1)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("loop", "no such loop"),
        ("order", "no order of its 4 dimensions"),
        ("layout", "not the loops inside"),
        ("late", "before accumulate"),
    ],
)
def test_what_cannot_be_copied_is_refused(change: str, reason: str) -> None:
    with pytest.raises(ScheduleError, match=reason):
        _refused(change)


@pytest.mark.parametrize("width", [0, 1, 2, 3, 6])
def test_peeling_changes_nothing(width: int) -> None:
    workload = conv2d(1, 1, 2, Any("v"), 1, 1, 3, pad=1)
    s = start(workload)
    accumulate(s, inside="i_ow")
    peel(s, "i_ow", 1, 1)
    nest = finish(s)
    verify(nest)
    check_nest(workload, Scheduled(nest), {"v": width})
