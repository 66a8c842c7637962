"""The batch_matmul template: its space, its nests as golden texts, and what they compute against numpy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import permutations
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anytile.codegen.load.loader import Loaded
from anytile.dispatch.cpu import build
from anytile.dispatch.cpu.build import compile_plan, emit_plan
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.nodes import Loop, LoopNest, Reduce, Stmt, Store
from anytile.schedules.nest.traverse import children, walk
from anytile.schedules.nest.verify import verify
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.primitives.residue import specialise
from anytile.schedules.primitives.stage_panel import RUN
from anytile.schedules.templates.base.space import Config, Value
from anytile.schedules.templates.base.template import Scheduled
from anytile.schedules.templates.cpu.batch_matmul_cpu import FEW
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import batch_matmul
from anytile.schedules.workloads.workload import Any, Dim, Workload
from tests.support.cases.guarded_kernels import check_interpreted, check_native

TEMPLATE = template("batch_matmul.cpu")
AVX512 = Target.parse("llvm -mcpu=znver4 -threads=1")
AVX2 = Target.parse("llvm -mcpu=haswell -threads=1")
SSE = Target.parse("llvm -mcpu=nehalem -threads=1")  # 4 lanes: small enough to interpret
NEON = Target.parse("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72")
HOST = Target.host(1)
T = Any("t")
SCORES = batch_matmul(b=12, m=T, n=T, k=64, rhs="bnk")  # q k^T
VALUES = batch_matmul(b=12, m=T, n=64, k=T)  # p v
IN_16_BITS = {name: replace(w, dtype="bfloat16") for name, w in (("scores", SCORES), ("values", VALUES))}
ALL = {"b": Any("b"), "m": Any("m"), "n": Any("n"), "k": Any("k")}


def _scheduled(workload: Workload, target: Target, **knobs: Value) -> Scheduled:
    """Any choice of knobs, even one that the space leaves out because it cannot be fast."""
    return TEMPLATE.schedule(workload, target, TEMPLATE.default(workload, target).with_(**knobs))


def _residue(s: Scheduled, low: int, high: int) -> LoopNest:
    assert s.walk is not None
    return specialise(s.nest, s.walk, low, high)


SMALL = {"tile_m": 4, "tile_n": 2, "unroll_k": 2}
GOLDEN: dict[str, Callable[[], LoopNest]] = {
    "scores": lambda: _residue(_scheduled(SCORES, AVX512, **SMALL, rhs_by="pack"), 1, 1),
    "values": lambda: _residue(_scheduled(VALUES, AVX512, **SMALL), 3, 3),
    "turned": lambda: _residue(_scheduled(SCORES, AVX2, **{**SMALL, "unroll_k": 4}, rhs_by="turn"), 0, 0),
    "pairs": lambda: _residue(_scheduled(IN_16_BITS["values"], AVX512, tile_m=3), 0, 0),
    "few": lambda: _residue(_scheduled(SCORES, AVX512, tile_m=16, few=4), 3, 3),
    "rows": lambda: _residue(_scheduled(SCORES, AVX2, **SMALL, rhs_by="rows"), 0, 3),
    "one_matrix": lambda: _scheduled(batch_matmul(**ALL, rhs="nk"), AVX2, **SMALL, rhs_by="pack").nest,
    "transposed": lambda: _scheduled(batch_matmul(b=2, m=17, n=6, k=5, y="bnm"), AVX2, **SMALL).nest,
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", GOLDEN)
def test_golden(name: str, golden: Callable[[str, str], None]) -> None:
    nest = GOLDEN[name]()
    verify(nest)
    golden(f"batch_matmul_{name}.txt", str(nest))


def test_the_main_loops_of_attention_check_nothing() -> None:
    """Residues are known and panels are written for each width: only the last vector of a panel is masked."""
    for workload in (SCORES, VALUES):
        for residue in range(4):
            text = str(_residue(_scheduled(workload, AVX512, **SMALL), residue, residue))
            inner = [line for line in text.splitlines() if "if " in line and "nv" in line]
            assert all("nj_rest" in line for line in inner)
            assert "min(" not in text.split("if nj_rest")[0]


def _summed(s: Stmt, columns: int = 1) -> set[int]:
    """How many columns there are of each tile whose sums have vectors along k."""
    if isinstance(s, Store) and isinstance(s.value, Reduce):
        return {columns}
    inside = (s.extent.value or 0) if isinstance(s, Loop) and s.var == "ni" else columns
    return set().union(*(_summed(c, inside) for c in children(s)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rest", "vectors", "alone"),
    [(0, {16}, 0), (1, {16}, 1), (4, {16}, 4), (5, {16, 8}, 0), (8, {16, 8}, 0), (10, {16, 8}, 2), (11, {16}, 0)],
)
def test_a_few_columns_have_vectors_along_k(rest: int, vectors: set[int], alone: int) -> None:
    """Of 17 columns one: another vector would be empty but for a lane. Of 26 two, behind half a vector."""
    nest = _residue(_scheduled(SCORES, AVX512, tile_m=16, few=4), rest, rest)
    along_n = [x for x in walk(nest.body) if isinstance(x, Loop) and x.var == "nv"]
    assert {x.extent.value for x in along_n} == vectors
    assert _summed(nest.body) == ({alone} if alone else set())


# What the nests compute


def _nests(s: Scheduled, low: int, high: int) -> list[LoopNest]:
    return [s.nest] if s.walk is None else [s.nest, _residue(s, low, high)]


_LHS = ["".join(p) for p in permutations("bmk")] + ["mk", "km"]
_RHS = ["".join(p) for p in permutations("bkn")] + ["kn", "nk"]
_Y = ["".join(p) for p in permutations("bmn")]
_SIZES = {"b": (0, 1, 2, 3), "m": (0, 1, 2, 3, 4, 5, 7, 13), "n": (0, 1, 3, 4, 5, 8, 9, 17), "k": (0, 1, 2, 3, 4, 5, 7)}


@st.composite
def _workloads(draw: st.DrawFn) -> Workload:
    """Any layouts and broadcasts; any dimensions static, symbolic, or the same symbol."""
    layouts = draw(st.tuples(*(st.sampled_from(x) for x in (_LHS, _RHS, _Y))).filter(lambda x: "b" in x[0] + x[1]))
    dims: dict[str, Dim] = {}
    for name, sizes in _SIZES.items():
        dims[name] = draw(st.one_of(st.just(Any(name)), st.just(T), st.sampled_from(sizes)), name)
    return batch_matmul(dims["b"], dims["m"], dims["n"], dims["k"], *layouts)


def _sizes(draw: st.DataObject, workload: Workload, most: int) -> dict[str, int]:
    found = {}
    for name in workload.symbols:
        sizes = _SIZES.get(name, (0, 1, 2, 3, 4, 5, 7, 8, 9, 17))
        found[name] = draw.draw(st.sampled_from([s for s in sizes if s <= most]), name)
    return found


def _config(draw: st.DataObject, workload: Workload, target: Target) -> Config:
    space = TEMPLATE.space(workload, target)
    return space[draw.draw(st.integers(0, len(space) - 1), "config")]


@pytest.mark.slow
@settings(max_examples=28)
@given(st.data(), _workloads())
def test_random_workloads_and_configs(data: st.DataObject, workload: Workload) -> None:
    """Any config of any workload, as one nest and as one residue class, is numpy's result and provably in bounds."""
    config, sizes = _config(data, workload, SSE), _sizes(data, workload, 9)
    s = TEMPLATE.schedule(workload, SSE, config)
    low = high = 0
    if s.walk is not None:
        residue = sizes[s.walk.symbol] % s.walk.tile
        low, high = data.draw(st.integers(0, residue)), data.draw(st.integers(residue, s.walk.tile - 1))
    for nest in _nests(s, low, high):
        verify(nest)
        check_interpreted(workload, nest, sizes)


@pytest.mark.slow
@settings(max_examples=11)
@given(st.data(), _workloads())
def test_random_machine_code_between_walls(data: st.DataObject, workload: Workload) -> None:
    # Every way in a tile of few rows: what compiles is paid by its size, and tiles of all sizes are interpreted above.
    config = _config(data, workload, HOST)
    config = config.with_(tile_m=min(config.int("tile_m"), 3), tile_n=min(config.int("tile_n"), 3))
    plan = single_plan(workload, HOST, TEMPLATE.name, config)
    sizes = [_sizes(data, workload, 17) for _ in range(4)]
    walked = None if plan.symbol is None else {s[plan.symbol] for s in sizes}
    called = data.draw(st.booleans(), "tiles are called")
    with patch.object(build, "_MANY", 0 if called else 1 << 60):
        loaded = Loaded(compile_plan(plan, walked))
    for size in sizes:
        check_native(workload, loaded, size, config)


def _attention(name: str) -> tuple[Workload, list[dict[str, Value]]]:
    workload = {"scores": SCORES, "values": VALUES}[name]
    ways = TEMPLATE.space(workload, HOST).knobs[0].values
    lanes = max(int(n) for n in _lanes())
    choices = [*((way, lanes, 0) for way in ways), (ways[0], min(_lanes(), key=int), 0)]
    if name == "scores":
        choices.append(("turn", lanes, FEW[0]))
    return workload, [
        {"tile_m": 3, "tile_n": 2, "unroll_k": _steps(str(way)), "rhs_by": way, "lanes": n, "few": few}
        for way, n, few in choices
    ]


def _lanes() -> tuple[Value, ...]:
    return next(k.values for k in TEMPLATE.space(SCORES, HOST).knobs if k.name == "lanes")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["scores", "values"])
def test_attention_at_every_kind_of_size(name: str) -> None:
    """0, 1, one less and one more than tiles, vectors and panels, and large primes, by every way of reading."""
    workload, configs = _attention(name)
    sizes = (0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 15, 16, 17, 18, 19, 31, 32, 33, 97, 127)
    for knobs in configs:
        config = TEMPLATE.default(workload, HOST).with_(**knobs)
        loaded = Loaded(compile_plan(single_plan(workload, HOST, TEMPLATE.name, config)))
        for t in sizes:
            check_native(workload, loaded, {"t": t}, config)


# As little code as has all of it: whole tiles and rests of rows, vectors and steps. What compiles is paid by its size.
LITTLE: dict[str, Value] = {"tile_m": 2, "tile_n": 2, "unroll_k": 2}


def _native(workload: Workload, *sizes: Mapping[str, int], target: Target = HOST, **knobs: Value) -> None:
    """One kernel at some sizes."""
    config = TEMPLATE.default(workload, target).with_(**{**LITTLE, **knobs})
    plan = single_plan(workload, target, TEMPLATE.name, config)
    walked = None if plan.symbol is None else {size[plan.symbol] for size in sizes}
    loaded = Loaded(compile_plan(plan, walked))
    for size in sizes:
        check_native(workload, loaded, size, config)


def _steps(way: str) -> int:
    """The fewest steps along k that leave a rest; those of what is transposed in registers are given."""
    return RUN if way == "turn" else 2


@pytest.mark.slow
@pytest.mark.parametrize("rhs", ["bkn", "bnk"])
def test_large_primes(rhs: str) -> None:
    primes = ({"m": 1009}, {"n": 1009}, {"k": 1009}, {"b": 101})
    _native(batch_matmul(**ALL, rhs=rhs), *({"b": 2, "m": 3, "n": 5, "k": 7, **prime} for prime in primes))


@pytest.mark.slow
@pytest.mark.parametrize(
    "layouts", [("mbk", "nbk", "mbn"), ("bkm", "kn", "nbm"), ("kbm", "nkb", "mnb"), ("mk", "bnk", "bnm")]
)
def test_layouts_of_every_kind(layouts: tuple[str, str, str]) -> None:
    workload = batch_matmul(**ALL, lhs=layouts[0], rhs=layouts[1], y=layouts[2])
    for way in TEMPLATE.space(workload, HOST).knobs[0].values:
        _native(workload, {"b": 3, "m": 19, "n": 37, "k": 21}, rhs_by=way, unroll_k=_steps(way))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("workload", "lines"),
    [
        (batch_matmul(**ALL, rhs="bnk"), 60_000),
        (batch_matmul(12, Any("m"), 64, Any("k"), rhs="bnk"), 14_000),
        (batch_matmul(**ALL, y="bnm"), 45_000),
        (batch_matmul(**ALL), 20_000),
        (SCORES, 30_000),
    ],
)
def test_a_default_build_is_no_mountain_of_code(workload: Workload, lines: int) -> None:
    """Residues and panels share tiles, and steps of k left over are a loop: once it was two to five times as much."""
    config = TEMPLATE.default(workload, AVX512)
    assert emit_plan(single_plan(workload, AVX512, TEMPLATE.name, config)).count("\n") < lines


def test_steps_of_k_left_over_are_a_loop() -> None:
    """At most three, and how many is known at run time: in a loop they are written once, and none is skipped."""
    text = str(_residue(_scheduled(batch_matmul(**ALL, rhs="bnk"), SSE, **{**SMALL, "unroll_k": 4}), 0, 0))
    assert "for ki in 0..-4*(k // 4) + k:" in text
    assert "k - ki - 1 >= 0" not in text


# The space


@pytest.mark.parametrize("target", [AVX512, AVX2, SSE, NEON], ids=lambda t: str(t.get("mcpu")))
@pytest.mark.parametrize(
    "workload", [SCORES, VALUES, *IN_16_BITS.values(), batch_matmul(**ALL, rhs="nkb")], ids=lambda w: str(w)[:60]
)
def test_the_space_holds_the_default(target: Target, workload: Workload) -> None:
    space, default = TEMPLATE.space(workload, target), TEMPLATE.default(workload, target)
    assert len(set(space)) == len(space) >= 40
    assert space[space.index(default)] == default
    rows, columns = default.int("tile_m"), default.int("tile_n")
    assert rows * columns + columns + 1 <= facts(target).vector_registers


@pytest.mark.parametrize(
    ("way", "workload"),
    [
        ("turn", SCORES),  # rows of 256 bytes
        ("turn", batch_matmul(b=12, m=T, n=T, k=64, lhs="mbk", rhs="nbk")),  # of 3,072
        ("pack", batch_matmul(b=16, m=T, n=T, k=64, lhs="mbk", rhs="nbk")),  # of 4,096
        ("pack", batch_matmul(b=2, m=T, n=T, k=1024, rhs="bnk")),
        ("turn", batch_matmul(b=16, m=T, n=T, k=Any("k"), lhs="mbk", rhs="nbk")),  # of nobody knows how many
    ],
    ids=str,
)
def test_rows_that_lie_pages_apart_are_packed(way: str, workload: Workload) -> None:
    """They share one set of the first-level cache, so what is transposed for a tile would be read again and again."""
    assert TEMPLATE.default(workload, AVX512)["rhs_by"] == way


def test_what_cannot_be_read_in_vectors_has_no_such_config() -> None:
    def few(rhs: str, lhs: str = "bmk") -> tuple[Value, ...]:
        space = TEMPLATE.space(batch_matmul(**ALL, lhs=lhs, rhs=rhs), AVX512)
        return next(k.values for k in space.knobs if k.name == "few")

    def ways(rhs: str, y: str = "bmn", lhs: str = "bmk") -> tuple[Value, ...]:
        return TEMPLATE.space(batch_matmul(**ALL, lhs=lhs, rhs=rhs, y=y), AVX512).knobs[0].values

    assert ways("bkn") == ("stream", "pack")
    assert ways("bnk") == ("turn", "pack", "rows")
    assert ways("bnk", lhs="bkm") == ("turn", "pack")
    assert ways("nkb") == ("pack",)
    assert (few("bkn"), few("bnk"), few("bnk", lhs="bkm")) == ((0,), FEW, (0,))  # both lie along k, or none
    assert ways("bnk", y="bnm", lhs="bkm") == ("stream", "pack")  # the operands change roles


def test_symbol_and_tile() -> None:
    assert TEMPLATE.symbol(batch_matmul(b=1, m=Any("rows"), n=3, k=4)) == "rows"
    assert TEMPLATE.symbol(batch_matmul(b=1, m=Any("rows"), n=3, k=4, y="bnm")) is None
    assert TEMPLATE.symbol(batch_matmul(b=1, m=3, n=Any("columns"), k=4, y="bnm")) == "columns"
    assert TEMPLATE.tile(TEMPLATE.default(SCORES, AVX512).with_(tile_m=5)) == 5


def test_threads_share_the_batches() -> None:
    two = Target.parse("llvm -mcpu=znver4 -threads=2")
    nest = TEMPLATE.schedule(SCORES, two, TEMPLATE.default(SCORES, two)).nest
    verify(nest)
    assert "parallel i_b in 0..12, a thread for every" in str(nest)
    assert "parallel" not in [k.name for k in TEMPLATE.space(SCORES, AVX512).knobs]


def test_threads_share_the_rows_of_one_batch() -> None:
    two = Target.parse("llvm -mcpu=znver4 -threads=2")
    for b, shared in ((1, "m"), (2, "b"), (12, "b"), (Any("b"), "b")):
        workload = batch_matmul(b=b, m=Any("m"), n=64, k=64)
        config = TEMPLATE.default(workload, two)
        assert config["parallel"] == shared
        assert config.with_(parallel="b") == TEMPLATE.default(batch_matmul(b=12, m=Any("m"), n=64, k=64), two)
        assert "parallel" not in dict(TEMPLATE.default(workload, AVX512).values)
    for way in ("stream", "pack"):
        one = batch_matmul(b=1, m=Any("m"), n=64, k=64)
        nest = TEMPLATE.schedule(one, two, TEMPLATE.default(one, two).with_(rhs_by=way)).nest
        verify(nest)
        assert "parallel mo in " in str(nest)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rhs", "parallel", "ways"),
    [
        ("bnk", "b", ("turn", "pack", "rows")),
        ("bnk", "m", ("turn", "pack", "rows")),
        ("bkn", "m", ("stream", "pack")),
        ("kn", "b", ("pack",)),  # one matrix for all batches: what is packed of it is shared, whatever threads share
        ("nk", "m", ("pack",)),
    ],
)
@pytest.mark.parametrize("called", [False, True])
def test_threads_change_nothing(rhs: str, parallel: str, ways: tuple[str, ...], called: bool) -> None:
    two = Target.host(2)
    workload = batch_matmul(**ALL, rhs=rhs)
    sizes = ({"b": 5, "m": 41, "n": 37, "k": 33}, {"b": 1, "m": 9, "n": 3, "k": 2})
    for way in ways:
        knobs: dict[str, Value] = {"rhs_by": way, "unroll_k": _steps(way), "parallel": parallel, "grain": 1 << 16}
        with patch.object(build, "_MANY", 0 if called else 1 << 60):
            _native(workload, *sizes, target=two, **knobs)
