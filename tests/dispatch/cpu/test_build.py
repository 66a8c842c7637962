"""Plans as machine code: every size reaches the kernel that the plan names, and that kernel is right."""

from __future__ import annotations

import ctypes
import itertools
import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anytile.codegen.artifact import Artifact
from anytile.codegen.cache import CodeCache
from anytile.codegen.load.loader import Loaded
from anytile.core.errors import AnytileError, ScheduleError, SpecError, UnsupportedError
from anytile.dispatch.blas.thunk import BLAS_SLOT, BLAS_WIDE
from anytile.dispatch.cpu.build import compile_plan, emit_plan, lower, source
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.verify import verify
from anytile.schedules.plans.plan import DispatchPlan, Range, Variant, residue_classes
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import batch_matmul, dense
from anytile.schedules.workloads.workload import Any, Workload
from tests.support.cases.dense_nests import Floats, all_symbols, operands, run_artifact, run_loaded

DENSE = template("dense.cpu")
HOST = Target.host()
AVX2 = Target.parse("llvm -mcpu=haswell")
SSE = Target.parse("llvm -mcpu=nehalem")
TARGETS = [HOST, AVX2, SSE]  # each runs here
SMALL = dense(m=Any("m"), n=37, k=5, const=("w",))
ALL = dense(m=Any("m"), n=Any("n"), k=Any("k"))


def _config(workload: Workload, target: Target = SSE, **knobs: int | str) -> Config:
    return DENSE.default(workload, target).with_(**{"tile_m": 4, "tile_n": 2, "block_k": 0, **knobs})


def _variant(config: Config, count: int | None = None) -> Variant:
    tile = config.int("tile_m")
    return Variant("dense.cpu", config, tile, residue_classes(tile, count or tile) if count != 0 else ())


def _plan(workload: Workload, ranges: list[tuple[int, int | None, int | str]], *variants: Variant) -> DispatchPlan:
    return DispatchPlan(workload, SSE, "m", variants, tuple(Range(*r) for r in ranges), {})


def _check(artifact: Artifact, workload: Workload, *sizes: tuple[int, int, int]) -> None:
    loaded = Loaded(artifact)
    for m, n, k in sizes:
        symbols = all_symbols(workload, m=m, n=n, k=k)
        x, w, y = operands(workload, symbols, seed=m)
        np.testing.assert_array_equal(run_loaded(loaded, workload, x, w, symbols), y, err_msg=f"at {symbols}")


# One config for every size


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS, ids=lambda t: str(t.get("mcpu")))
@pytest.mark.parametrize("classes", [None, 0, 1, 2, 3])
@pytest.mark.parametrize("const", [(), ("w",)])
def test_every_residue_at_every_kind_of_size(target: Target, classes: int | None, const: tuple[str, ...]) -> None:
    workload = dense(m=Any("m"), n=37, k=5, const=const)
    plan = single_plan(workload, target, "dense.cpu", _config(workload, target), classes)
    _check(compile_plan(plan), workload, *((m, 37, 5) for m in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 101)))


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS, ids=lambda t: str(t.get("mcpu")))
@pytest.mark.parametrize("w", ["panels", "rows"])
def test_all_three_symbolic(target: Target, w: str) -> None:
    plan = single_plan(ALL, target, "dense.cpu", _config(ALL, target, w=w))
    sizes = [(m, n, k) for m in (0, 1, 4, 7) for n, k in ((0, 3), (1, 1), (3, 0), (16, 8), (17, 9), (53, 31), (96, 2))]
    _check(compile_plan(plan), ALL, *sizes)


MIXES = [{"m": 7}, {"n": 19}, {"k": 6}, {"m": 0}, {"n": 0}, {"k": 0}, {"m": 5, "n": 9, "k": 3}]


@pytest.mark.parametrize("dims", MIXES)
def test_any_mix_of_symbols_and_numbers(dims: dict[str, int]) -> None:
    workload = Workload.of("dense", {d: dims.get(d, Any(d)) for d in "mnk"}, const=("w",) if "n" in dims else ())
    plan = single_plan(workload, SSE, "dense.cpu", _config(workload))
    sizes = [tuple(dims.get(d, size) for d in "mnk") for size in (0, 1, 4, 9)]
    _check(compile_plan(plan), workload, *sizes)


def test_one_symbol_for_two_dimensions() -> None:
    workload = dense(m=Any("t"), n=Any("t"), k=Any("a"))
    plan = single_plan(workload, SSE, "dense.cpu", _config(workload))
    _check(compile_plan(plan), workload, *((t, t, a) for t in (0, 1, 5, 9) for a in (0, 3)))


@pytest.mark.slow
@settings(max_examples=16)
@given(st.data())
def test_any_workload_config_and_mode(data: st.DataObject) -> None:
    """Every buffer against a wall: neither a wrong result nor an access past an end goes unseen."""
    target = data.draw(st.sampled_from(TARGETS))
    numbers = st.sampled_from((1, 2, 5, 7, 16, 17, 31, 48, 50))
    dims = {d: Any(d) if data.draw(st.booleans(), d) else data.draw(numbers, d) for d in "mnk"}
    workload = Workload.of("dense", dims, const=data.draw(st.sampled_from(((), ("w",)))))
    space = DENSE.space(workload, target)
    config = space[data.draw(st.integers(0, len(space) - 1), "config")]
    tile = config.int("tile_m")
    classes = data.draw(st.none() | st.integers(0, tile), "classes")
    plan = single_plan(workload, target, "dense.cpu", config, classes)
    artifact = compile_plan(plan)
    for m in {0, 1, tile - 1, tile, tile + 1, 2 * tile + data.draw(st.integers(0, tile - 1)), 41}:
        n, k = data.draw(numbers), data.draw(numbers)
        sizes = {d: v if isinstance(v, int) else s for (d, v), s in zip(dims.items(), (m, n, k), strict=True)}
        _check(artifact, workload, (sizes["m"], sizes["n"], sizes["k"]))


@pytest.mark.parametrize("knobs", [{"block_k": 256}, {"block_k": 256, "block_n": 4, "prefetch": 8}, {"block_n": 0}])
def test_blocks_and_prefetch(knobs: dict[str, int]) -> None:
    workload = dense(m=Any("m"), n=45, k=771, const=("w",))
    plan = single_plan(workload, AVX2, "dense.cpu", _config(workload, AVX2, **knobs))
    _check(compile_plan(plan), workload, *((m, 45, 771) for m in (0, 1, 4, 6, 9)))


def test_a_candidate_is_compiled_for_the_residues_it_needs() -> None:
    plan = single_plan(SMALL, SSE, "dense.cpu", _config(SMALL))
    few, all_of_it = compile_plan(plan, (5, 9)), compile_plan(plan)
    assert len(few.code) < len(all_of_it.code)
    _check(few, SMALL, (1, 37, 5), (5, 37, 5), (9, 37, 5))
    x, w, _ = operands(SMALL, {"m": 6})
    with pytest.raises(AssertionError):  # status 1: nothing serves this residue
        run_artifact(few, SMALL, x, w, {"m": 6})


def test_no_size_needs_no_kernel() -> None:
    plan = single_plan(SMALL, SSE, "dense.cpu", _config(SMALL), classes=2)
    assert len(lower(plan, ()).kernels[0]) == 0
    assert len(lower(plan, (0, 1)).kernels[0]) == 1
    assert len(lower(plan).kernels[0]) == 2


NAMES = [
    "x",
    "y",
    "w",
    "w_packed",
    "data",
    "dims",
    "workspace",
    "mo",
    "mi",
    "no",
    "ni",
    "nv",
    "ko",
    "ki",
    "kv",
    "i_m",
    "i_k",
    "p_no",
    "acc",
    "m_q",
    "m_r",
    "tokens",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("const", [(), ("w",)])
def test_no_name_of_a_symbol_gives_a_wrong_result(name: str, const: tuple[str, ...]) -> None:
    """What a name would collide with is refused in one line; every other name works, beside another symbol too."""
    try:
        workload = dense(m=Any("m"), n=Any(name), k=24, const=const)
        config = DENSE.default(workload, HOST)
        artifact = compile_plan(single_plan(workload, HOST, "dense.cpu", config, classes=2))  # with rests to tell apart
    except (SpecError, ScheduleError):
        assert name not in ("acc", "m_q", "m_r", "tokens")
    else:
        _check(artifact, workload, (1, 40, 24), (9, 40, 24), (17, 40, 24))


def test_a_native_caller_cannot_ask_for_a_negative_size() -> None:
    loaded = Loaded(compile_plan(single_plan(ALL, HOST, "dense.cpu", _config(ALL, HOST))))
    for at in range(3):
        dims = [4, 4, 4]
        dims[at] = -1
        assert loaded.call(loaded.artifact.entry, [0, 0, 0], dims) == 1


def test_every_nest_of_a_plan_is_well_formed() -> None:
    for workload in (SMALL, ALL):
        lowered = lower(single_plan(workload, SSE, "dense.cpu", _config(workload), classes=3))
        for kernels in lowered.kernels:
            for kernel in kernels:
                verify(kernel.nest)


# Several variants and ranges


def test_each_range_runs_its_variant() -> None:
    """Kernels of different tiles mark which residues they leave; all are right, wherever a range begins."""
    one, two, three = (_variant(_config(SMALL, tile_m=t), c) for t, c in ((4, None), (6, 2), (3, 0)))
    ranges: list[tuple[int, int | None, int | str]] = [(0, 2, 2), (3, 8, 0), (9, 9, 1), (10, 1500, 0), (1501, None, 1)]
    plan = _plan(SMALL, ranges, one, two, three)
    artifact = compile_plan(plan)
    _check(artifact, SMALL, *((m, 37, 5) for m in (0, 1, 2, 3, 8, 9, 10, 11, 1023, 1024, 1500, 1501, 1507)))
    lowered = lower(plan)
    assert [lowered.kernel_at(m).nest.name for m in (0, 3, 9, 10, 1501)] == [  # type: ignore[union-attr]
        "dense", "dense_r3", "dense_r3_5", "dense_r2", "dense_r0_2",
    ]  # fmt: skip


@pytest.mark.parametrize("edge", [0, 1, 7, 1023, 1024, 1025, 5000])
def test_the_edge_of_a_range_is_exact(edge: int) -> None:
    """A plan whose second range has no kernel for its sizes shows where the second range begins."""
    fits, lacks = _variant(_config(SMALL, tile_m=1, tile_n=4)), _variant(_config(SMALL, tile_m=2))
    plan = _plan(SMALL, [(0, edge, 0), (edge + 1, None, 1)], fits, lacks)
    loaded = Loaded(compile_plan(plan, (0,) if edge % 2 == 0 else (0, 2)))
    y, w = np.zeros((2 * edge + 4, 37), np.float32), np.zeros(1 << 14, np.float32)
    x = np.zeros((2 * edge + 4, 5), np.float32)
    at = w.ctypes.data + -w.ctypes.data % 64
    found = [loaded.call("anytile_kernel", [x.ctypes.data, at, y.ctypes.data], [m]) for m in range(edge, edge + 5)]
    odd = [1 if m % 2 else 0 for m in range(edge + 1, edge + 5)]  # only even sizes are compiled for the second
    assert found == [0, *odd]


@pytest.mark.slow
def test_layouts_are_shared_where_they_are_the_same() -> None:
    same = _plan(SMALL, [(0, 9, 0), (10, None, 1)], _variant(_config(SMALL)), _variant(_config(SMALL, tile_m=3)))
    other = _plan(SMALL, [(0, 9, 0), (10, None, 1)], _variant(_config(SMALL)), _variant(_config(SMALL, tile_n=1)))
    assert len(lower(same).layouts["w"]) == 1
    assert len(lower(other).layouts["w"]) == 2
    sizes = [Loaded(compile_plan(p)).size("anytile_packed_w", [3]) for p in (same, other)]
    assert sizes == [832, 2 * 832]  # 40 columns of 5, in whole cache lines
    for plan in (same, other):
        _check(compile_plan(plan), SMALL, *((m, 37, 5) for m in (0, 5, 9, 10, 11)))


@pytest.mark.slow
def test_layouts_of_symbolic_size_do_not_overlap() -> None:
    workload = dense(m=Any("m"), n=Any("n"), k=Any("k"), const=("w",))
    plan = _plan(
        workload,
        [(0, 3, 0), (4, 8, 1), (9, None, 2)],
        *(_variant(_config(workload, tile_n=columns)) for columns in (1, 2, 3)),
    )
    _check(compile_plan(plan), workload, *((m, n, k) for m in (2, 5, 9) for n, k in ((1, 1), (9, 3), (33, 7), (0, 2))))


@pytest.mark.slow
def test_the_workspace_is_the_most_that_a_kernel_of_the_range_needs() -> None:
    workload = dense(m=Any("m"), n=Any("n"), k=Any("k"))
    none, small, large = (_config(workload, tile_n=c, w=w) for c, w in ((1, "rows"), (1, "panels"), (6, "panels")))
    for kinds in itertools.permutations((none, small, large)):
        plan = _plan(workload, [(0, 3, 0), (4, 8, 1), (9, None, 2)], *map(_variant, kinds))
        loaded = Loaded(compile_plan(plan))
        for config, sizes in zip(kinds, ((1, 3), (4, 8), (9, 1 << 40)), strict=True):
            columns = {5: 8, 33: 40} if config is small else {5: 24, 33: 48} if config is large else {5: 0, 33: 0}
            for m, (n, padded) in itertools.product(sizes, columns.items()):
                assert loaded.workspace_bytes([2, m, n]) == padded * 2 * 4, (m, n)  # in cache lines
        assert loaded.workspace_bytes([0, 9, 33]) == 0
        _check(loaded.artifact, workload, (2, 33, 2), (5, 33, 2), (9, 33, 2), (9, 5, 2))


# Libraries

SGEMM64 = ctypes.CFUNCTYPE(
    None, *[ctypes.c_int] * 3, *[ctypes.c_int64] * 3, ctypes.c_float, ctypes.c_void_p, ctypes.c_int64,
    ctypes.c_void_p, ctypes.c_int64, ctypes.c_float, ctypes.c_void_p, ctypes.c_int64,
)  # fmt: skip
SGEMM32 = ctypes.CFUNCTYPE(
    None, *[ctypes.c_int] * 6, ctypes.c_float, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_int,
    ctypes.c_float, ctypes.c_void_p, ctypes.c_int,
)  # fmt: skip


def _as_array(address: int, rows: int, columns: int) -> Floats:
    return np.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(ctypes.c_float)), (rows, columns))


def _library(calls: list[tuple[int, ...]]) -> Callable[..., None]:
    """A stand-in for cblas_sgemm that checks what it is told and multiplies."""

    def sgemm(
        order: int, ta: int, tb: int, m: int, n: int, k: int, alpha: float, a: int, lda: int, b: int, ldb: int,
        beta: float, c: int, ldc: int,
    ) -> None:  # fmt: skip
        calls.append((order, ta, tb, m, n, k, lda, ldb, ldc))
        if m and n:
            product = _as_array(a, m, k) @ _as_array(b, n, k).T if k else np.zeros((m, n), np.float32)
            _as_array(c, m, n)[:] = alpha * product

    return sgemm


@pytest.mark.slow
@pytest.mark.parametrize("const", [(), ("w",)])
@pytest.mark.parametrize("wide", [True, False])
def test_a_range_may_run_a_library(wide: bool, const: tuple[str, ...]) -> None:
    workload = dense(m=Any("m"), n=Any("n"), k=5, const=const)
    plan = _plan(workload, [(0, 6, 0), (7, 20, "blas"), (21, None, 0)], _variant(_config(workload)))
    loaded = Loaded(compile_plan(plan))
    calls: list[tuple[int, ...]] = []
    function = (SGEMM64 if wide else SGEMM32)(_library(calls))
    symbols = {"m": 7, "n": 9}
    x, w, y = operands(workload, symbols)
    with pytest.raises(AssertionError):  # status 1: nobody filled the slot
        run_loaded(loaded, workload, x, w, symbols)
    ctypes.c_void_p.from_address(loaded.address(BLAS_SLOT)).value = ctypes.cast(function, ctypes.c_void_p).value
    ctypes.c_int32.from_address(loaded.address(BLAS_WIDE)).value = int(wide)
    for m in (0, 6, 7, 20, 21):
        for n in (0, 1, 33):
            symbols = {"m": m, "n": n}
            x, w, y = operands(workload, symbols)
            np.testing.assert_array_equal(run_loaded(loaded, workload, x, w, symbols), y)
    assert calls[-1] == (101, 111, 112, 20, 33, 5, 5, 5, 33)
    assert [(c[3], c[4]) for c in calls] == [(m, n) for m in (7, 20) for n in (0, 1, 33)]
    assert all(ld >= 1 for c in calls for ld in c[6:])


def test_a_plan_of_a_library_alone_needs_no_packing() -> None:
    plan = _plan(SMALL, [(0, None, "blas")])
    assert [layout.pack for layout in lower(plan).layouts["w"]] == [None]
    assert lower(plan).kernel_at(5) is None
    assert source(plan, 5) == "m=5 runs blas\n"
    assert source(plan, 5, "llvm") == "; m=5 runs blas\n"
    tokens = DispatchPlan(dense(Any("tokens"), 8, 8), HOST, "tokens", (), (Range(0, None, "blas"),), {})
    assert source(tokens, 5) == "tokens=5 runs blas\n"


def test_an_unknown_library() -> None:
    with pytest.raises(UnsupportedError, match="no library 'cudnn' is known; expected 'blas'"):
        emit_plan(_plan(SMALL, [(0, None, "cudnn")]))


@pytest.mark.parametrize(
    "more",
    ["dtype=float32, stored=x:bfloat16", "dtype=float32, stored=y:bfloat16", "dtype=float32, tail=relu(y + b[n])",
     "dtype=bfloat16"],
)  # fmt: skip
def test_a_library_is_called_for_what_it_computes_and_nothing_else(more: str) -> None:
    """A plan may be out of anybody's file: of 16 bits a library would read as many elements of 32."""
    workload = Workload.parse(f"dense(m=?m, n=8, k=8, {more})")
    with pytest.raises(UnsupportedError, match="no library call is known for it"):
        compile_plan(_plan(workload, [(0, None, "blas")]))


# What is refused, what people read, and the cache


def test_what_cannot_be_built_says_so() -> None:
    config = _config(SMALL)
    concrete = DispatchPlan(dense(1, 2, 3), SSE, None, (_variant(config),), (Range(0, None, 0),), {})
    refused: list[tuple[DispatchPlan, str]] = [
        (single_plan(SMALL, Target.parse("cuda -arch=sm_90"), "dense.cpu", config), "LLVM code was asked for"),
        (_plan(SMALL, [(0, None, 0)], Variant("dense.cpu", config, 5, ((0, 4),))), "a tile of 5, the config 4"),
        (_plan(SMALL, [(0, None, 0)], Variant("conv", config, 4, ())), "no template 'conv'"),
        (_plan(SMALL, [(0, None, 0)], Variant("dense.cpu", Config.of(tile_m=4), 4, ())), "has no knob"),
        (concrete, "without a symbol to walk"),
    ]  # fmt: skip
    for plan, reason in refused:
        with pytest.raises(AnytileError, match=reason):
            compile_plan(plan)


def test_source_in_every_form() -> None:
    plan = single_plan(SMALL, AVX2, "dense.cpu", _config(SMALL, AVX2), classes=2)
    assert source(plan, 5).startswith("nest dense_r0_1(")
    assert source(plan).count("nest dense_r") == 2
    assert "define i32 @anytile_kernel" in source(plan, 5, "llvm")
    assert "vfmadd" in source(plan, 5, "asm")
    assert len(source(plan, form="asm")) > len(source(plan, 5, "asm"))
    with pytest.raises(SpecError, match="source form 'rust': expected nest, llvm or asm"):
        source(plan, form="rust")


def test_a_cached_plan_is_not_compiled_again(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = CodeCache(tmp_path)  # type: ignore[arg-type]
    plan = single_plan(SMALL, SSE, "dense.cpu", _config(SMALL))
    first = compile_plan(plan, cache=cache)
    part = compile_plan(plan, (1,), cache=cache)
    assert part.digest != first.digest

    def refuse(*_: object) -> Artifact:
        raise AssertionError("compiled again")

    monkeypatch.setattr("anytile.dispatch.cpu.build.compile_ir", refuse)
    assert compile_plan(plan, cache=cache) == first
    with pytest.raises(AssertionError, match="compiled again"):
        compile_plan(single_plan(SMALL, AVX2, "dense.cpu", _config(SMALL)), cache=cache)


@pytest.mark.slow
def test_the_source_of_a_size_has_its_tiles() -> None:
    """A kernel that calls functions for its tiles is shown with those that it calls, and with no others."""
    workload = batch_matmul(2, Any("m"), Any("n"), Any("k"), rhs="bnk")
    plan = single_plan(workload, SSE, "batch_matmul.cpu", template("batch_matmul.cpu").default(workload, SSE))
    whole, one = emit_plan(plan), source(plan, 5, form="llvm")
    called = set(re.findall(r"call void @(tile\d+)\(", one))
    assert called
    assert called == set(re.findall(r"define internal void @(tile\d+)\(", one))
    assert len(called) < len(set(re.findall(r"define internal void @(tile\d+)\(", whole)))
    assert "tile0:" in source(plan, 5, form="asm")
