"""Shared tiles, registers, stages and shares of a sum: each primitive alone on a small product, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from anytile.core.errors import ScheduleError
from anytile.schedules.nest.interpret import interpret
from anytile.schedules.nest.nodes import Copy, LoopKind, LoopNest
from anytile.schedules.nest.traverse import walk
from anytile.schedules.nest.verify import verify
from anytile.schedules.primitives.accumulate import accumulate
from anytile.schedules.primitives.gpu.bind import bind, split_reduction
from anytile.schedules.primitives.gpu.pipeline import pipeline
from anytile.schedules.primitives.gpu.shared_memory import Fill, cache_read, hold
from anytile.schedules.primitives.gpu.tensorize import Roles, tensorize
from anytile.schedules.primitives.gpu.thread_sums import spread
from anytile.schedules.primitives.loops import reorder, split
from anytile.schedules.primitives.schedule import Schedule, finish
from anytile.schedules.templates.base.definition import start
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.reference import evaluate

SMALL = dense(6, 5, 10)
ROLES = Roles("ki", "mi", "nj", "nf", "mg", "np", "mh", "nl", "kr")


def _schedule(accumulated: bool = True) -> Schedule:
    """Blocks of 4 by 4, a thread for each output, k in steps of 4."""
    s = start(SMALL)
    split(s, "i_m", 4, "bm", "tm")
    split(s, "i_n", 4, "bn", "tn")
    split(s, "i_k", 4, "ko", "ki")
    reorder(s, "bm", "bn", "ko", "tm", "tn", "ki")
    bind(s, LoopKind.BLOCK, "bm", "bn")
    bind(s, LoopKind.THREAD, "tm", "tn")
    if accumulated:
        accumulate(s, inside="bn")
    return s


def _shared(s: Schedule, vector: int = 2, threads: int = 16) -> Schedule:
    for operand in ("w", "x"):
        cache_read(s, operand, "ko", Fill(threads, vector))
    return s


def _check(nest: LoopNest) -> None:
    verify(nest)
    rng = np.random.default_rng(0)
    arrays = {t.name: rng.integers(-4, 5, SMALL.shape(t.name)).astype(np.float32) for t in SMALL.inputs}
    expected = evaluate(SMALL, arrays)["y"]
    arrays["y"] = np.full(expected.shape, np.nan, np.float32)
    interpret(nest, arrays, {})
    np.testing.assert_array_equal(arrays["y"], expected)


@pytest.mark.parametrize("vector", [1, 2])
@pytest.mark.parametrize("threads", [2, 16, 64])
def test_tiles_are_filled_by_any_number_of_threads(vector: int, threads: int) -> None:
    nest = finish(_shared(_schedule(), vector, threads))
    copies = [s for s in walk(nest.body) if isinstance(s, Copy)]
    assert {c.count for c in copies} == {vector}
    _check(nest)


@pytest.mark.parametrize("stages", [1, 2, 3, 5])
def test_any_number_of_stages(stages: int) -> None:
    s = _shared(_schedule())
    pipeline(s, "ko", stages)
    _check(finish(s))


def test_registers() -> None:
    s = _shared(_schedule())
    hold(s, "x_tile", "tn", ("ki",), "a", vector="ki")
    _check(finish(s))
    s = _schedule()
    hold(s, "w", "ko", ("tn", "ki"), "b")
    hold(s, "x", "ko", ("tm", "ki"), "a")
    _check(finish(s))


@pytest.mark.parametrize("rounds", [2, 3])
def test_sums_that_blocks_share(rounds: int) -> None:
    s = start(SMALL)
    split(s, "i_k", 2 * rounds, "ko", "kt")
    split(s, "kt", 2, "bk", "ki")
    reorder(s, "i_m", "bk", "ko", "i_n", "ki")
    bind(s, LoopKind.BLOCK, "i_m")
    bind(s, LoopKind.THREAD, "i_n")
    accumulate(s, inside="i_m")
    split_reduction(s, "bk")
    nest = finish(s)
    assert "last bk of" in str(nest)
    _check(nest)


def _refused(change: Callable[[Schedule], object], reason: str, accumulated: bool = True) -> None:
    with pytest.raises(ScheduleError, match=reason) as caught:
        change(_schedule(accumulated))
    assert "\n" not in str(caught.value)


def test_what_does_not_hold_is_refused() -> None:
    _refused(lambda s: bind(s, LoopKind.VECTOR, "tm"), "bind tm to vector: expected block, warp or thread")
    _refused(lambda s: cache_read(s, "x", "ki", Fill(16, 3)), "a tile of 1 by 1 is not filled")
    _refused(lambda s: cache_read(s, "x", "kk", Fill(16, 1)), "x inside kk: expected one loop that reads it in one way")
    _refused(lambda s: hold(s, "x", "tn", ("tm",), "a"), "hold x inside tn: it is chosen by ki")
    _refused(lambda s: pipeline(s, "ko", 2), "pipeline ko in 2 stages: .* tiles that are copied there")
    _refused(lambda s: pipeline(_shared(s), "ko", 0), "expected at least 1")
    _refused(lambda s: split_reduction(s, "ko"), "split the reduction ko: .*call accumulate first", accumulated=False)
    _refused(lambda s: split_reduction(s, "ki"), "expected it outermost in the tile")
    _refused(lambda s: spread(s, "wk", "ln", "mi", 32), "expected two loops of the reduction")
    _refused(lambda s: tensorize(s, "x_tile", "w_tile", ROLES), "expected the loops mi, nj")


def test_copies_at_once_have_one_stage() -> None:
    s = _schedule()
    cache_read(s, "x", "ko", Fill(16, 1, later=False))
    with pytest.raises(ScheduleError, match="its copies are made at once; expected 1 stage"):
        pipeline(s, "ko", 2)
