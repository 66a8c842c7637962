"""Staging an operand inside a loop, and panels whose last one is narrower."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.core.errors import ScheduleError
from anytile.schedules.nest.interpret import interpret
from anytile.schedules.nest.nodes import Alloc, Loop, LoopNest, Scope, Store
from anytile.schedules.nest.traverse import walk
from anytile.schedules.nest.verify import verify
from anytile.schedules.primitives.accumulate import accumulate, overcompute
from anytile.schedules.primitives.loops import reorder, split, vectorize
from anytile.schedules.primitives.panel_remainders import beside, last_few, narrow
from anytile.schedules.primitives.schedule import Schedule, finish
from anytile.schedules.primitives.stage_panel import stage_panel
from anytile.schedules.templates.base.definition import start
from anytile.schedules.workloads.constructors import batch_matmul
from anytile.schedules.workloads.workload import Any, Dim, Workload
from tests.support.cases.guarded_kernels import check_interpreted

LANES, VECTORS = 4, 3


N, K = Any("n"), Any("k")


def _workload(n: Dim = N, rhs: str = "bnk") -> Workload:
    return batch_matmul(b=Any("b"), m=2, n=n, k=K, rhs=rhs)


def _tiled(workload: Workload) -> Schedule:
    s = start(workload)
    split(s, "i_n", VECTORS * LANES, "no", "nj")
    split(s, "nj", LANES, "ni", "nv")
    reorder(s, "i_b", "no", "i_m", "i_k", "ni", "nv")
    return s


def _staged(workload: Workload, home: str | None = "i_b", shortest: int = LANES) -> LoopNest:
    s = _tiled(workload)
    stage_panel(s, "rhs", "no", home, workload.tensor("rhs").dims.index("k"), "ni", "nv", "no")
    accumulate(s, inside="i_m")
    overcompute(s, "ni", "nv")
    vectorize(s, "nv")
    narrow(s, "no", ("ni", "p_ni"), LANES, shortest)
    return finish(s)


def _panels(nest: LoopNest) -> list[int]:
    """The number of vectors of each copy of the tile."""
    stores = [x for x in walk(nest.body) if isinstance(x, Loop) and x.var == "ni"]
    return sorted({x.extent.value or 0 for x in stores})


@pytest.mark.slow
@pytest.mark.parametrize("rhs", ["bnk", "bkn", "nkb", "kbn"])
@pytest.mark.parametrize(("home", "shortest"), [("i_b", LANES), ("i_b", 2), (None, 1)])
def test_any_width(rhs: str, home: str | None, shortest: int) -> None:
    workload = _workload(rhs=rhs)
    nest = _staged(workload, home, shortest)
    verify(nest)
    for n in (0, 1, 3, 4, 5, 6, 8, 11, 12, 13, 25):
        for k in (0, 1, 3, 4, 6):
            check_interpreted(workload, nest, {"b": 2, "n": n, "k": k})


@pytest.mark.parametrize("n", [0, 1, 4, 12, 13, 17, 24])
def test_a_known_width_has_one_narrow_panel(n: int) -> None:
    workload = _workload(n=n)
    nest = _staged(workload)
    verify(nest)
    check_interpreted(workload, nest, {"b": 1, "k": 5})
    assert all(s.derived is None for s in nest.symbols)
    count = -(-(n % (VECTORS * LANES)) // LANES)
    wanted = {VECTORS} if n >= VECTORS * LANES else set()
    assert _panels(nest) == sorted((wanted | {count}) - {0, 1})  # loops that run once are gone


def test_an_unknown_width_has_a_panel_for_every_number_of_vectors() -> None:
    nest = _staged(_workload())
    assert _panels(nest) == [2, 3]
    (rest,) = (s for s in nest.symbols if s.derived is not None)
    assert (rest.low, rest.high, str(rest.derived)) == (0, 11, "-12*(n // 12) + n")


def test_one_workspace_serves_all_panels() -> None:
    nest = _staged(_workload())
    held = [x.buffer for x in walk(nest.body) if isinstance(x, Alloc) and x.buffer.scope is Scope.WORKSPACE]
    assert [tuple(map(str, b.shape)) for b in held] == [("k", "3", "4")]


def test_the_name_of_the_rest_is_free() -> None:
    workload = batch_matmul(b=1, m=2, n=Any("nj_rest"), k=3, rhs="bnk")
    nest = _staged(workload)
    assert [s.name for s in nest.symbols] == ["nj_rest", "nj_rest_"]
    check_interpreted(workload, nest, {"nj_rest": 7})


def test_what_cannot_be_staged_is_refused() -> None:
    s = _tiled(_workload())
    with pytest.raises(ScheduleError, match="stage rhs: expected one dimension along ni and nv, and 1 apart"):
        stage_panel(s, "rhs", "no", "i_b", 1, "ni", "nv", "no")
    stage_panel(s, "rhs", "no", "i_b", 2, "ni", "nv", "no")
    with pytest.raises(ScheduleError, match="stage rhs: expected one way of reading it, found 0"):
        stage_panel(s, "rhs", "no", "i_b", 2, "ni", "nv", "no")
    s = _tiled(_workload())
    accumulate(s, inside="i_m")
    with pytest.raises(ScheduleError, match="stage rhs_packed: expected the perfect nest; stage before accumulate"):
        stage_panel(s, "rhs", "no", "i_b", 2, "ni", "nv", "no")


def _with_few(workload: Workload, shortest: int, few: int) -> tuple[LoopNest, LoopNest, LoopNest]:
    """Panels that leave a few columns out, these, and both."""
    s = _tiled(workload)
    accumulate(s, inside="i_m")
    overcompute(s, "ni", "nv")
    vectorize(s, "nv")
    narrow(s, "no", ("ni", "p_ni"), LANES, shortest, few)
    rest = start(workload)
    split(rest, "i_n", shortest, "no", "ni")
    reorder(rest, "i_b", "no", "i_m", "i_k", "ni")
    accumulate(rest, inside="i_m")
    last_few(rest, "no", LANES, few)
    panels = finish(s)
    beside(s, rest)
    return panels, finish(rest), finish(s)


@pytest.mark.slow
@pytest.mark.parametrize(("shortest", "few"), [(4, 0), (4, 1), (4, 2), (4, 3), (2, 1)])
@pytest.mark.parametrize("b", [1, Any("b")])
def test_every_column_is_computed_by_one_of_the_two(shortest: int, few: int, b: Dim) -> None:
    """Each once: either half alone leaves the columns of the other as they were."""
    workload = batch_matmul(b=b, m=2, n=N, k=3, rhs="bnk")
    panels, rest, both = _with_few(workload, shortest, few) if few else [_staged(workload)] * 3
    verify(both)
    for n in (*range(14), 17, 18, 25, 30):
        sizes = {"n": n, "b": 2} if isinstance(b, Any) else {"n": n}
        check_interpreted(workload, both, sizes)
        count = b if isinstance(b, int) else 2
        if few:
            x, w = np.ones((count, 2, 3), np.float32), np.ones((count, n, 3), np.float32)
            written = []
            for nest in (panels, rest):
                y = np.full((count, 2, n), -1, np.float32)
                interpret(nest, {"lhs": x, "rhs": w, "y": y}, sizes)
                assert (y == y[:1, :1]).all()
                written.append(y[0, 0] != -1)
            assert (written[0] ^ written[1]).all()
            assert int(written[1].sum()) <= few


def test_few_columns_begin_no_vector() -> None:
    """Lanes of four in halves: one column more than whole vectors stands alone, two are half a vector."""
    for n, alone in ((4, 0), (5, 1), (6, 0), (7, 0), (12, 0), (13, 1), (1, 1)):
        _, rest, _ = _with_few(batch_matmul(b=1, m=2, n=n, k=3, rhs="bnk"), 2, 1)
        stores = [x for x in walk(rest.body) if isinstance(x, Store) and x.buffer == "y"]
        assert len(stores) == alone


def test_what_stands_beside_shares_the_loop_around_it() -> None:
    _, _, both = _with_few(_workload(), 4, 2)
    assert isinstance(both.body, Loop)
    assert both.body.var == "i_b"
    assert [x.var for x in walk(both.body) if isinstance(x, Loop)].count("i_b") == 1
    panels, _, both = _with_few(_workload(n=12), 4, 2)
    assert both == panels  # nothing is left
