"""Every primitive keeps what the nest computes, at every size, and refuses where it would not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from anytile.core.errors import ScheduleError
from anytile.schedules.index.expr import var
from anytile.schedules.nest.interpret import interpret
from anytile.schedules.nest.nodes import Grain, Literal, Loop, LoopKind, LoopNest, Prefetch, Scope, Stmt, Store, block
from anytile.schedules.nest.simplify import simplify
from anytile.schedules.nest.traverse import walk
from anytile.schedules.nest.verify import verify
from anytile.schedules.primitives.accumulate import accumulate, overcompute
from anytile.schedules.primitives.loops import parallel, prefetch, reorder, split, unroll, vectorize
from anytile.schedules.primitives.pack import pack, slide
from anytile.schedules.primitives.remainders import partition
from anytile.schedules.primitives.schedule import Schedule, finish
from anytile.schedules.templates.base.definition import definition
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any, Workload
from tests.support.cases.dense_nests import Floats, all_symbols, operands, run_nest
from tests.support.nest_pictures import stencil

SYMBOLIC = dense(m=Any("m"), n=Any("n"), k=Any("k"))
CONSTANT = dense(m=Any("m"), n=7, k=5, const=("w",))
SIZES = [(0, 3, 2), (1, 1, 1), (2, 3, 0), (3, 4, 5), (4, 0, 3), (5, 7, 6), (7, 5, 4)]


def _check(s: Schedule, workload: Workload, nest: LoopNest | None = None) -> None:
    """The nest is well formed and computes the product; before `accumulate` the output starts at zero."""
    nest = simplify(s.nest) if nest is None else nest
    verify(nest)
    for m, n, k in SIZES:
        symbols = all_symbols(workload, m=m, n=n, k=k)
        x, w, y = operands(workload, symbols)
        arrays = {"x": x, "w": w}
        for _, packing in s.packs:
            verify(packing)
            arrays |= run_nest(packing, {"w": w}, symbols)
        if s.packs:
            del arrays["w"]
        started = nest if s.accumulated else _zeroing(nest)
        got = run_nest(started, arrays, symbols)["y"]
        np.testing.assert_array_equal(got, y, err_msg=f"{symbols}\n{nest}")


def _zeroing(nest: LoopNest) -> LoopNest:
    """What a definition means: the output is zero at first."""
    y = nest.param("y")
    start: Stmt = Store("y", (var("z0"), var("z1")), Literal(0.0))
    for name, extent in (("z1", y.shape[1]), ("z0", y.shape[0])):
        start = Loop(name, extent, LoopKind.SERIAL, start)
    return nest.with_body(block(start, nest.body))


def _tiled(workload: Workload = SYMBOLIC, tile: tuple[int, int, int] = (2, 3, 2)) -> Schedule:
    s = Schedule(definition(workload))
    split(s, "i_m", tile[0], "mo", "mi")
    split(s, "i_n", tile[1], "no", "nv")
    split(s, "i_k", tile[2], "ko", "ki")
    reorder(s, "no", "mo", "ko", "ki", "mi", "nv")
    return s


def test_the_definition_is_the_product() -> None:
    _check(Schedule(definition(SYMBOLIC)), SYMBOLIC)


@pytest.mark.parametrize("factor", [1, 2, 3, 8])
@pytest.mark.parametrize("loop", ["i_m", "i_n", "i_k"])
def test_split(loop: str, factor: int) -> None:
    s = Schedule(definition(SYMBOLIC))
    assert split(s, loop, factor, "outer", "inner") == ("outer", "inner")
    _check(s, SYMBOLIC)


def test_split_of_a_split() -> None:
    s = Schedule(definition(SYMBOLIC))
    split(s, "i_n", 6, "no", "nj")
    split(s, "nj", 4, "ni", "nv")  # 4 does not divide 6: positions 6 and 7 belong to the next tile
    split(s, "no", 2, "nb", "np")
    _check(s, SYMBOLIC)


@pytest.mark.parametrize("factor", [1, 5])
def test_a_split_that_divides_needs_no_guard(factor: int) -> None:
    s = Schedule(definition(dense(m=Any("m"), n=10, k=5)))
    split(s, "i_n", factor, "no", "ni")
    assert " if " not in str(s.nest)


def test_reorder_and_kinds_change_nothing() -> None:
    s = _tiled()
    reorder(s, "ki", "nv", "mo", "mi", "no", "ko")
    unroll(s, "ki", "mi")
    vectorize(s, "nv")
    _check(s, SYMBOLIC)


@pytest.mark.parametrize("workload", [SYMBOLIC, CONSTANT])
@pytest.mark.parametrize("layout", [("no", "w.1", "nv"), ("w.1", "no", "nv"), ("no", "nv", "w.1")])
def test_pack_ahead_of_time(workload: Workload, layout: tuple[str, ...]) -> None:
    s = _tiled(workload)
    assert pack(s, "w", layout) == "w_packed"
    assert [operand for operand, _ in s.packs] == ["w"]
    assert [b.name for b in s.nest.params] == ["x", "w_packed", "y"]
    _check(s, workload)


def test_pack_of_tiles_pads_with_zeros() -> None:
    s = _tiled(CONSTANT, (2, 3, 2))
    pack(s, "w", ("no", "ko", "ki", "nv"))
    w = np.ones((7, 5), np.float32)
    packed = run_nest(s.packs[0][1], {"w": w}, {"m": 1})["w_packed"]
    assert packed.shape == (3, 3, 2, 3)
    assert packed.sum() == w.sum()
    assert not np.isnan(packed).any()
    _check(s, CONSTANT)


def test_pack_at_run_time() -> None:
    s = _tiled()
    pack(s, "w", ("no", "w.1", "nv"), at_run_time=True)
    accumulate(s, inside="mo")
    nest = finish(s)
    assert not s.packs
    assert [b.name for b in nest.params] == ["x", "w", "y"]
    assert f"{Scope.WORKSPACE} w_packed" in str(nest)
    _check(s, SYMBOLIC, nest)


@pytest.mark.parametrize(("beside", "most"), [(1, 4), (2, 4), (2, 2), (3, 5), (4, 4)])
@pytest.mark.parametrize("n", [1, 2, 3, 7, 8])
def test_slide(n: int, beside: int, most: int) -> None:
    s = stencil(n, "int32")
    split(s, "i", beside, "io", "ii")
    slide(s, "w", "t", var("ii"), ("to", "ti"), most, ("ii", "to", "ti"))
    nest = simplify(s.nest)
    verify(nest)
    rng = np.random.default_rng(n)
    x, w = rng.integers(-9, 9, (2, n), np.int32), rng.integers(-9, 9, 3, np.int32)
    ((_, packing),) = s.packs
    verify(packing)
    packed = np.full([e.value or 0 for e in packing.param("w_packed").shape], 99, np.int32)
    interpret(packing, {"w": w, "w_packed": packed}, {})
    y = np.zeros((2, n), np.int32)
    interpret(nest, {"x": x, "w_packed": packed, "y": y}, {})
    wanted = [np.convolve(np.pad(row, 1), w[::-1], "valid") for row in x]
    np.testing.assert_array_equal(y, wanted)


def test_slide_is_for_integers_and_known_places() -> None:
    s = stencil()
    split(s, "i", 2, "io", "ii")
    with pytest.raises(ScheduleError, match=r"^slide w: it is float32; expected integers"):
        slide(s, "w", "t", var("ii"), ("to", "ti"), 4, ("ii", "to", "ti"))
    s = stencil(dtype="int32")
    with pytest.raises(ScheduleError, match=r"^slide t by i: expected terms of one update, and numbers from"):
        slide(s, "w", "t", var("i"), ("to", "ti"), 4, ("i", "to", "ti"))


@pytest.mark.parametrize("inside", ["no", "mo"])
def test_accumulate(inside: str) -> None:
    s = _tiled(dense(m=4, n=Any("n"), k=Any("k")) if inside == "no" else SYMBOLIC)
    if inside == "no":
        reorder(s, "no", "ko", "ki", "mo", "mi", "nv")
    accumulate(s, inside=inside)
    workload = dense(m=4, n=Any("n"), k=Any("k")) if inside == "no" else SYMBOLIC
    _check(s, workload, finish(s))


def test_accumulate_over_rounds_of_a_reduction_outside() -> None:
    workload = dense(m=Any("m"), n=Any("n"), k=5)
    s = Schedule(definition(workload))
    split(s, "i_m", 2, "mo", "mi")
    split(s, "i_n", 3, "no", "nv")
    split(s, "i_k", 4, "kb", "kj")
    split(s, "kj", 2, "ko", "ki")
    reorder(s, "kb", "ko", "mo", "no", "ki", "mi", "nv")  # two loops of rounds: only the first of both starts
    accumulate(s, inside="no")
    overcompute(s, "nv")
    assert "else:" in str(s.nest)
    _check(s, workload, finish(s))


def _lanes() -> Schedule:
    s = Schedule(definition(SYMBOLIC))
    split(s, "i_m", 2, "mo", "mi")
    split(s, "i_n", 3, "no", "ni")
    split(s, "i_k", 4, "ko", "kv")
    reorder(s, "no", "mo", "ko", "mi", "ni", "kv")
    return s


def test_accumulate_with_one_sum_per_lane() -> None:
    s = _lanes()
    accumulate(s, inside="mo", lanes="kv")
    overcompute(s, "ni")
    vectorize(s, "kv")
    partition(s, "ko")
    nest = finish(s)
    assert "sum(acc[" in str(nest)
    _check(s, SYMBOLIC, nest)


@pytest.mark.parametrize("names", [("nv",), ("mi",), ("mi", "nv"), ("ki",), ()])
def test_overcompute(names: tuple[str, ...]) -> None:
    s = _tiled()
    accumulate(s, inside="mo")
    overcompute(s, *names)
    _check(s, SYMBOLIC, finish(s))


def test_overcompute_leaves_only_stores_guarded() -> None:
    s = _tiled(dense(m=Any("m"), n=Any("n"), k=4))
    pack(s, "w", ("no", "w.1", "nv"))
    accumulate(s, inside="mo")
    overcompute(s, "mi", "nv")
    update = next(line for line in str(finish(s)).splitlines() if "+=" in line)
    assert str(finish(s)).count(" if ") == 2
    assert "x[min(" in update


def test_overcompute_after_guards_were_hoisted() -> None:
    """Simplification lifts a row's guard over its columns; a residue class must still compute without it."""
    s = _tiled(dense(m=Any("m"), n=6, k=4))
    accumulate(s, inside="mo")
    s.simplify()
    overcompute(s, "mi")
    again = finish(s)
    lines = str(again).splitlines()
    update = next(i for i, line in enumerate(lines) if "+=" in line)
    assert not any(" if " in line for line in lines[update - 4 : update])
    _check(s, dense(m=Any("m"), n=6, k=4), again)


def test_prefetch_is_a_hint() -> None:
    s = _tiled()
    packed = pack(s, "w", ("no", "w.1", "nv"))
    accumulate(s, inside="mo")
    prefetch(s, packed, "ki", 1, 16, "nv", 3)
    nest = finish(s)
    hints = [str(h.index[1]) for h in walk(nest.body) if isinstance(h, Prefetch)]
    assert hints == ["ki + 2*ko + 16"]
    _check(s, SYMBOLIC, nest)


@pytest.mark.parametrize("outer", ["mo", "no", "ko"])
def test_partition(outer: str) -> None:
    s = _tiled()
    accumulate(s, inside="mo")
    partition(s, outer)
    _check(s, SYMBOLIC, finish(s))


@pytest.mark.parametrize("loop", ["mo", "no"])
def test_a_parallel_loop_stays_one_when_it_is_partitioned(loop: str) -> None:
    s = _tiled()
    parallel(s, loop, var("m"), 8)
    accumulate(s, inside="mo")
    partition(s, loop)
    _check(s, SYMBOLIC)
    shared = [c for c in walk(simplify(s.nest).body) if isinstance(c, Loop) and c.kind is LoopKind.PARALLEL]
    assert [c.var for c in shared] == [loop]
    assert shared[0].grain == Grain(var("m"), 8)


def test_threads_may_share_the_packing() -> None:
    s = _tiled()
    pack(s, "w", ("no", "w.1", "nv"), at_run_time=True, grain=Grain(var("n"), 3))
    parallel(s, "mo", var("m"), 8)
    accumulate(s, inside="mo")
    nest = finish(s)
    _check(s, SYMBOLIC, nest)
    shared = {c.var: c.grain for c in walk(nest.body) if isinstance(c, Loop) and c.kind is LoopKind.PARALLEL}
    assert shared == {"p_no": Grain(var("n"), 3), "mo": Grain(var("m"), 8)}


def test_partition_takes_the_condition_out_of_the_full_tiles() -> None:
    s = _tiled(dense(m=4, n=6, k=Any("k")))
    accumulate(s, inside="mo")
    partition(s, "ko")
    full = str(finish(s)).split("for ko")[1].split("+=")[0]
    assert " if " not in full


def test_partition_of_everything() -> None:
    s = _tiled()
    accumulate(s, inside="mo")
    for outer in ("ko", "mo", "no"):
        partition(s, outer)
    _check(s, SYMBOLIC, finish(s))


Change = Callable[[Schedule], object]
ERRORS: dict[str, tuple[Change, str]] = {
    "split of nothing": (lambda s: split(s, "zz", 2, "a", "b"), "has no loop 'zz'"),
    "split by 0": (lambda s: split(s, "ki", 0, "a", "b"), "split ki by 0: expected at least 1"),
    "split into a taken name": (lambda s: split(s, "ki", 2, "mo", "b"), "already has a 'mo'"),
    "split into a symbol": (lambda s: split(s, "ki", 2, "a", "m"), "already has a 'm'"),
    "reorder of some": (lambda s: reorder(s, "mo", "no"), "reorder mo, no: the loops are no, mo, ko, ki, mi, nv"),
    "reorder with one twice": (lambda s: reorder(s, "no", "mo", "ko", "ki", "mi", "mi"), "the loops are"),
    "unroll without a number": (lambda s: unroll(s, "mo"), r"unroll mo: its extent .* is not a number; split it first"),
    "vectorize without a number": (lambda s: vectorize(s, "no"), "vector no: its extent .* is not a number"),
    "pack of an unknown operand": (lambda s: pack(s, "z", ("no",)), "has no parameter 'z'; expected x, w, y"),
    "pack of the output": (lambda s: pack(s, "y", ("no",)), "pack y: expected one way of reading it, found 0"),
    "pack by an unknown name": (lambda s: pack(s, "w", ("no", "w.7", "nv")), "w.7 is neither a loop nor a dimension"),
    "pack that loses elements": (lambda s: pack(s, "w", ("no", "w.1")), "pack w: the layout lacks nv"),
    "accumulate inside nothing": (lambda s: accumulate(s, inside="zz"), "no such loop in the perfect nest"),
    "accumulate of a symbolic tile": (lambda s: accumulate(s, inside="no"), "is not of fixed size"),
    "accumulate twice": (lambda s: (accumulate(s, inside="mo"), accumulate(s, inside="mo")), "expected one update"),
    "accumulate with lanes that are not there": (lambda s: accumulate(s, "mo", lanes="zz"), "zz is not a reduction"),
    "accumulate with lanes over the output": (lambda s: accumulate(s, "mo", lanes="nv"), "nv is not a reduction loop"),
    "accumulate in rounds that may not run": (lambda s: accumulate(s, inside="ko"), "loop ko outside it may never run"),
    "prefetch of nothing": (lambda s: prefetch(s, "z", "ki", 0, 8, "nv", 3), "prefetch z: nothing reads it"),
    "prefetch along nothing": (lambda s: prefetch(s, "w", "ki", 5, 8, "nv", 3), "along a dimension 5"),
    "prefetch in no loop": (lambda s: prefetch(s, "w", "zz", 1, 8, "nv", 3), "has no loop 'zz'"),
    "partition of what is not split": (lambda s: partition(s, "mi"), "partition mi: it is no split loop"),
    "split of a copy": (lambda s: (accumulate(s, inside="mo"), split(s, "mi", 2, "a", "b")), "mi: it has been copied"),
    "parallel of nothing": (lambda s: parallel(s, "zz", 1, 1), "has no loop 'zz'"),
    "parallel twice": (lambda s: (parallel(s, "mo", 1, 1), parallel(s, "no", 1, 1)), "another loop is parallel"),
    "parallel lanes": (lambda s: (vectorize(s, "nv"), parallel(s, "nv", 1, 1)), "nv: it is a loop of kind vector"),
    "parallel with a grain of nothing": (lambda s: parallel(s, "mo", 1, 0), "a thread for every 0; expected"),
    "split of a parallel loop": (lambda s: (parallel(s, "mi", 1, 1), split(s, "mi", 2, "a", "b")), "split it before"),
    "never started": (lambda s: finish(s), "the output is never started; call accumulate"),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_a_primitive_out_of_place_is_refused(name: str) -> None:
    change, reason = ERRORS[name]
    with pytest.raises(ScheduleError, match=reason):
        change(_tiled())


def test_lanes_exclude_rounds_outside() -> None:
    s = Schedule(definition(dense(m=Any("m"), n=Any("n"), k=8)))
    split(s, "i_m", 2, "mo", "mi")
    split(s, "i_n", 3, "no", "ni")
    split(s, "i_k", 4, "ko", "kv")
    reorder(s, "ko", "no", "mo", "mi", "ni", "kv")
    with pytest.raises(ScheduleError, match="lanes exclude a reduction loop outside"):
        accumulate(s, inside="mo", lanes="kv")


def test_an_interpreted_access_outside_is_an_error() -> None:
    """The oracle itself catches what goes past a buffer, and names the statement."""
    nest = definition(dense(m=2, n=3, k=4))
    shifted = nest.with_body(replace(nest.body, extent=nest.body.extent + 1))  # type: ignore[type-var, union-attr]
    x: Floats = np.zeros((2, 4), np.float32)
    w: Floats = np.zeros((3, 4), np.float32)
    with pytest.raises(ScheduleError, match=r"y\[i_m, i_n\] is \(2, 0\), outside \(2, 3\)"):
        run_nest(_zeroing(shifted), {"x": x, "w": w}, {})
