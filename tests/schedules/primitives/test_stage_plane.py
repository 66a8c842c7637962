"""Copies of planes: zeros once, columns sorted by the stride, vectors that nothing masks; the same results."""

from __future__ import annotations

import pytest

from anytile.core.errors import ScheduleError
from anytile.schedules.nest.nodes import Alloc, Guard, LoopKind, LoopNest, Scope, Stmt
from anytile.schedules.nest.traverse import walk
from anytile.schedules.nest.verify import verify
from anytile.schedules.primitives.accumulate import accumulate
from anytile.schedules.primitives.loops import reorder, split
from anytile.schedules.primitives.remainders import shorten_last
from anytile.schedules.primitives.schedule import finish
from anytile.schedules.primitives.stage_plane import stage_plane
from anytile.schedules.templates.base.definition import start
from anytile.schedules.templates.base.template import Scheduled
from anytile.schedules.workloads.constructors import conv2d
from anytile.schedules.workloads.workload import Any, Dim, Workload
from tests.support.cases.convolution_nests import check_nest


def _depthwise(width: Dim, stride: int = 1, kernel: int = 3, pad: tuple[int, ...] = (1, 1, 1, 1)) -> Workload:
    return conv2d(2, 3, 4, width, 3, 3, kernel, stride=stride, pad=pad, groups=3)  # type: ignore[arg-type]


def _staged(workload: Workload, stride: int, lanes: int = 4, home: str = "i_n", at: str = "i_g") -> LoopNest:
    s = start(workload)
    reorder(s, "i_n", "i_g", "i_oh", "i_ow", "i_co", "i_cig", "i_kh", "i_kw")
    stage_plane(s, "x", home, at, stride, lanes)
    accumulate(s, inside="i_ow")
    return finish(s)


def _vectors(nest: LoopNest) -> list[Stmt]:
    return [s for s in walk(nest.body) if getattr(s, "kind", None) is LoopKind.VECTOR]


@pytest.mark.slow
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize(
    ("kernel", "pad"), [(3, (1, 1, 1, 1)), (1, (0, 0, 1, 0)), (2, (1, 0, 0, 3)), (4, (0, 5, 2, 0))]
)
def test_a_copy_changes_nothing(stride: int, kernel: int, pad: tuple[int, ...]) -> None:
    """At widths around the vectors; every channel but the first reuses the zeros."""
    for width in (4, 5, 7, 8, 9, 13):
        workload = _depthwise(width, stride, kernel, pad)
        nest = _staged(workload, stride)
        verify(nest)
        check_nest(workload, Scheduled(nest), {})


@pytest.mark.slow
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize(("kernel", "pad"), [(3, (1, 1, 1, 1)), (2, (1, 0, 0, 3)), (4, (0, 5, 2, 0))])
def test_a_copy_of_any_width_changes_nothing(stride: int, kernel: int, pad: tuple[int, ...]) -> None:
    """Rows that are narrower than a vector are moved by narrower ones."""
    workload = _depthwise(Any("v"), stride, kernel, pad)
    nest = _staged(workload, stride)
    verify(nest)
    assert not any(isinstance(c, Guard) for v in _vectors(nest) for c in walk(v))
    for width in (max(kernel - pad[1] - pad[3], 1), 2, 3, 4, 5, 7, 8, 9, 13):
        if width + pad[1] + pad[3] >= kernel:
            check_nest(workload, Scheduled(nest), {"v": width})


def _in_strips(workload: Workload, stride: int, strip: int) -> LoopNest:
    s = start(workload)
    split(s, "i_ow", strip, "ws", "wr")
    shorten_last(s, "ws")
    reorder(s, "i_n", "ws", "i_g", "i_oh", "wr", "i_co", "i_cig", "i_kh", "i_kw")
    stage_plane(s, "x", "ws", "i_g", stride, 4)
    accumulate(s, inside="wr")
    return finish(s)


@pytest.mark.slow
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize(
    ("kernel", "pad"), [(3, (1, 1, 1, 1)), (2, (1, 0, 0, 3)), (4, (0, 5, 2, 9)), (1, (1, 1, 1, 9))]
)
def test_strips_of_any_width_have_rows_of_known_length(stride: int, kernel: int, pad: tuple[int, ...]) -> None:
    """Those behind the first begin with columns where it has the border; the last may lie behind the image."""
    workload = _depthwise(Any("v"), stride, kernel, pad)
    nest = _in_strips(workload, stride, 8)
    verify(nest)
    (box,) = [s.buffer for s in walk(nest.body) if isinstance(s, Alloc) and s.buffer.scope is Scope.WORKSPACE]
    assert box.shape[-1].value is not None
    for width in (*range(1, 15), 16, 17, 23, 24, 25, 26, 33):
        if width + pad[1] + pad[3] >= kernel:
            check_nest(workload, Scheduled(nest), {"v": width})


def test_a_border_lies_in_one_strip() -> None:
    with pytest.raises(ScheduleError, match="no narrower than the border"):
        _in_strips(_depthwise(Any("v"), 1, 9, (4, 4, 4, 4)), 1, 3)


def test_what_one_tap_reads_are_neighbours() -> None:
    nest = _staged(_depthwise(14, stride=2), 2)
    (box,) = [s.buffer for s in walk(nest.body) if isinstance(s, Alloc) and s.buffer.scope is Scope.WORKSPACE]
    assert tuple(map(str, box.shape)) == ("5", "2", "8")
    assert "x_staged[i_kh + 2*i_oh, (i_kw % 2), (i_kw // 2) + i_ow]" in str(nest)


def test_nothing_is_masked() -> None:
    """A vector stands in no branch that its lanes could part in."""
    nest = _staged(_depthwise(14), 1)
    assert _vectors(nest)
    assert not any(isinstance(c, Guard) for v in _vectors(nest) for c in walk(v))


def test_what_has_no_such_plane_is_refused() -> None:
    with pytest.raises(ScheduleError, match="a loop around i_g"):
        _staged(_depthwise(5), 1, home="i_oh")
    with pytest.raises(ScheduleError, match="the same place for each"):
        _staged(_depthwise(5), 1, home="i_n", at="i_oh")
    s = start(_depthwise(5))
    split(s, "i_n", 2, "no", "ni")
    with pytest.raises(ScheduleError, match="one plane"):
        stage_plane(s, "x", "no", "ni", 1, 4)
