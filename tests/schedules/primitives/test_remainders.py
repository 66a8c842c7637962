"""Exact tails: every element once, no tile that sticks out, and small rests shared."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from anytile.core.errors import ScheduleError
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import var
from anytile.schedules.nest.interpret import interpret
from anytile.schedules.nest.nodes import Alloc, Guard, Loop, LoopKind, LoopNest, Prefetch
from anytile.schedules.nest.traverse import walk
from anytile.schedules.nest.verify import verify
from anytile.schedules.primitives.accumulate import accumulate
from anytile.schedules.primitives.loops import parallel, reorder, split
from anytile.schedules.primitives.remainders import exact_remainders, remainder_alone, shorten_last, tiles_to_the_end
from anytile.schedules.primitives.residue import specialise
from anytile.schedules.primitives.schedule import Schedule, finish
from anytile.schedules.templates.base.definition import start
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import conv2d, dense
from anytile.schedules.workloads.workload import Any, Dim

TILE = 5
Rest = Callable[[Schedule, str, int], None]


def _tiled(m: Dim, least: int, shared: bool = False, rest: Rest = exact_remainders) -> LoopNest:
    """y[m] = sum of x over one tap: a loop over m in tiles."""
    s = start(conv2d(1, 1, 1, m, 1, 1, 1))
    split(s, "i_ow", TILE, "wo", "wi")
    reorder(s, "i_n", "i_co", "i_oh", "wo", "i_cig", "i_kh", "i_kw", "wi")
    if shared:
        parallel(s, "wo", var("v") if isinstance(m, Any) else m, 1)
    accumulate(s, inside="wo")
    rest(s, "wo", least)
    return finish(s)


def _run(nest: LoopNest, m: int, symbols: dict[str, int]) -> None:
    x = np.arange(1, m + 1, dtype=np.float32).reshape(1, 1, 1, m)
    y = np.full_like(x, np.nan)
    interpret(nest, {"x": x, "w": np.full((1, 1, 1, 1), 2, np.float32), "y": y}, symbols)
    np.testing.assert_array_equal(y, 2 * x)


@pytest.mark.parametrize("rest", [exact_remainders, tiles_to_the_end])
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("least", [1, 2, 3, 5])
def test_every_extent(least: int, shared: bool, rest: Rest) -> None:
    symbolic = _tiled(Any("v"), least, shared, rest)
    verify(symbolic)
    for m in (0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 101):
        _run(symbolic, m, {"v": m})
        if m:
            known = _tiled(m, least, shared, rest)
            verify(known)
            _run(known, m, {})


def _sizes(nest: LoopNest) -> list[int]:
    """The rounds of each tile in the text, in its order."""
    return [
        max(loop.extent.value or 0 for loop in walk(s) if isinstance(loop, Loop) and loop.var == "wi")
        for s in walk(nest.body)
        if isinstance(s, Alloc)
    ]


def test_a_small_rest_shares_the_last_full_tile() -> None:
    assert _sizes(_tiled(10, 3)) == [5]
    assert _sizes(_tiled(13, 3)) == [5, 3]
    assert _sizes(_tiled(12, 3)) == [5, 4, 3]
    assert _sizes(_tiled(12, 1)) == [5, 2]


def test_the_last_tile_has_as_many_rounds_as_the_border() -> None:
    """Or more; and where more than a tile is left, others are before it: 11 in tiles of 5 are 5, 4 and the last 2."""
    for least, sizes in ((1, [5, 3]), (2, [5, 3]), (3, [5, 3]), (4, [5, 4, 4])):
        assert _sizes(_tiled(13, least, rest=tiles_to_the_end)) == sizes
    assert _sizes(_tiled(11, 2, rest=tiles_to_the_end)) == [5, 4, 2]
    with pytest.raises(ScheduleError, match="expected 1 to 5 rounds at least, got 6"):
        _tiled(13, 6, rest=tiles_to_the_end)


def test_the_loop_of_the_last_tile_is_as_long_as_the_rest() -> None:
    """And nothing is checked; a loop that is not one of all tiles' rounds can be tiled again."""
    s = start(conv2d(1, 1, 1, Any("v"), 1, 1, 1))
    split(s, "i_ow", 2 * TILE, "ws", "wr")
    shorten_last(s, "ws")
    split(s, "wr", TILE, "wo", "wi")
    reorder(s, "i_n", "i_co", "i_oh", "ws", "wo", "i_cig", "i_kh", "i_kw", "wi")
    accumulate(s, inside="wo")
    exact_remainders(s, "wo", 1)
    nest = finish(s)
    verify(nest)
    for m in (0, 1, 4, 5, 6, 9, 10, 11, 14, 15, 16, 101):
        _run(nest, m, {"v": m})
    with pytest.raises(ScheduleError, match="no split loop"):
        exact_remainders(s, "ws", 1)


def test_a_tile_of_few_rows_asks_for_nothing_ahead() -> None:
    """It streams the weight past faster than hints can ask for it: one row alone, and each of two that share a rest."""

    def hinted(rest: int) -> list[int]:
        workload, target = dense(Any("m"), 96, 32, const=("w",)), Target.parse("llvm -mcpu=znver4 -threads=1")
        t = template("dense.cpu")
        config = t.default(workload, target).with_(tile_m=8, tile_n=3, prefetch=8)
        made = t.schedule(workload, target, config)
        assert made.walk is not None
        nest = specialise(made.nest, made.walk, rest, rest)
        with_hints = [x for x in walk(nest.body) if isinstance(x, Loop) and x.var == "ki" and _hints(x)]
        rows = [y.extent.value for x in with_hints for y in walk(x.body) if isinstance(y, Loop) and y.var == "mi"]
        return sorted({r for r in rows if r is not None})

    assert hinted(0) == [8]
    assert hinted(1) == [8]  # 8 + 1 are 5 + 4
    assert hinted(5) == [8]
    assert hinted(6) == [6, 8]


def _hints(loop: Loop) -> bool:
    return any(isinstance(s, Prefetch) for s in walk(loop.body))


def test_tiles_check_nothing() -> None:
    for nest in (_tiled(Any("v"), 3), _tiled(13, 3)):
        tiles = [s for s in walk(nest.body) if isinstance(s, Alloc)]
        assert tiles
        assert not any(isinstance(c, Guard) for tile in tiles for c in walk(tile))


def test_threads_share_the_tail_too() -> None:
    nest = _tiled(Any("v"), 3, shared=True)
    (shared,) = [s for s in walk(nest.body) if isinstance(s, Loop) and s.kind is LoopKind.PARALLEL]
    assert len([s for s in walk(shared) if isinstance(s, Alloc)]) == TILE


def test_the_rest_alone_is_all_that_is_computed() -> None:
    """Of 3 at most, and of 3 only where there is a full tile too; nothing else is touched."""
    s = start(conv2d(1, 1, 1, Any("v"), 1, 1, 1))
    split(s, "i_ow", TILE, "wo", "wi")
    reorder(s, "i_n", "i_co", "i_oh", "wo", "i_cig", "i_kh", "i_kw", "wi")
    accumulate(s, inside="wo")
    remainder_alone(s, "wo", {1: (), 2: (), 3: (var("v") - TILE,)})
    nest = finish(s)
    verify(nest)
    assert len([s for s in walk(nest.body) if isinstance(s, Alloc)]) == 3
    for m in range(1, 4 * TILE):
        x = np.arange(1, m + 1, dtype=np.float32).reshape(1, 1, 1, m)
        y = np.full_like(x, -1)
        interpret(nest, {"x": x, "w": np.full((1, 1, 1, 1), 2, np.float32), "y": y}, {"v": m})
        rest = m % TILE
        computed = rest if rest in (1, 2) or (rest == 3 and m > TILE) else 0
        np.testing.assert_array_equal(y[..., : m - computed], -1)
        np.testing.assert_array_equal(y[..., m - computed :], 2 * x[..., m - computed :])
