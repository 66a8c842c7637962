"""The dense template: its space, its nests as golden texts, and what they compute against numpy."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.nodes import LoopNest
from anytile.schedules.nest.printer import print_nest
from anytile.schedules.nest.verify import verify
from anytile.schedules.primitives.residue import specialise
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.base.template import Scheduled
from anytile.schedules.templates.cpu import dense_cpu
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any, Workload
from tests.support.cases.dense_nests import all_symbols, interpreted, operands

DENSE = template("dense.cpu")
AVX512 = Target.parse("llvm -mcpu=znver4 -threads=1")
AVX2 = Target.parse("llvm -mcpu=haswell -threads=1")
SSE = Target.parse("llvm -mcpu=nehalem -threads=1")  # 4 lanes: small enough to interpret
THREADS = Target.parse("llvm -mcpu=nehalem -threads=3")
NEON = Target.parse("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72")
BERT = dense(m=Any("m"), n=768, k=768, const=("w",))
SHALLOW = dense(m=Any("m"), n=768, k=256, const=("w",))  # whose rows are not blocked
ALL = dense(m=Any("m"), n=Any("n"), k=Any("k"))


def _scheduled(workload: Workload, target: Target = SSE, **knobs: int | str) -> Scheduled:
    """Any choice of knobs, even one that the space leaves out because it cannot be fast."""
    return DENSE.schedule(workload, target, DENSE.default(workload, target).with_(**knobs))


def _residue(s: Scheduled, low: int, high: int) -> LoopNest:
    assert s.walk is not None
    return specialise(s.nest, s.walk, low, high)


WIDE = {"tile_m": 8, "tile_n": 3, "unroll_k": 2, "block_k": 0, "block_n": 1, "prefetch": 0}
NARROW = {**WIDE, "tile_m": 6, "tile_n": 2}
BLOCKED = {**NARROW, "block_k": 256, "block_n": 4, "prefetch": 8}
ODD = dense(m=Any("m"), n=100, k=300, const=("w",))
GOLDEN: dict[str, Callable[[], LoopNest]] = {
    "symbolic": lambda: _scheduled(BERT, AVX512, **WIDE).nest,
    "packing": lambda: _scheduled(BERT, AVX512, **WIDE).packs[0].nest,
    "residue": lambda: _residue(_scheduled(BERT, AVX512, **WIDE), 3, 3),
    "residue_zero": lambda: _residue(_scheduled(BERT, AVX512, **WIDE), 0, 0),
    "class": lambda: _residue(_scheduled(BERT, AVX512, **WIDE), 0, 2),
    "blocked": lambda: _residue(_scheduled(ODD, AVX2, **BLOCKED), 1, 1),
    "rows": lambda: _residue(_scheduled(ALL, AVX2, **NARROW, w="rows"), 1, 1),
    "all_symbolic": lambda: _residue(_scheduled(ALL, AVX2, **NARROW, w="panels"), 1, 3),
    "panels_shared": lambda: _residue(_scheduled(BERT, AVX512, **WIDE, parallel="n", grain=1 << 19), 3, 3),
    "tiles_shared": lambda: _residue(_scheduled(BERT, AVX512, **WIDE, parallel="m", grain=1 << 19), 3, 3),
    "class_of_tiles_shared": lambda: _residue(_scheduled(BERT, AVX512, **WIDE, parallel="m", grain=1 << 19), 0, 2),
    "packing_shared": lambda: _scheduled(ALL, AVX2, **NARROW, w="panels", parallel="n", grain=1 << 19).nest,
    "concrete": lambda: _scheduled(dense(m=5, n=7, k=3, const=("w",)), AVX2, **NARROW).nest,
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden(name: str, golden: Callable[[str, str], None]) -> None:
    nest = GOLDEN[name]()
    verify(nest)
    golden(f"dense_{name}.txt", str(nest))


def test_no_check_is_left_where_residue_and_layout_are_known() -> None:
    for residue in range(8):
        text = str(_residue(_scheduled(SHALLOW, AVX512, **WIDE), residue, residue))
        if 0 < residue < 4:  # a small rest shares the last tile's rows, if there is one
            text = text.replace(" if m_q - 1 >= 0:", "", 1)
        assert " if " not in text


def test_the_main_loop_is_the_same_for_every_residue() -> None:
    s = _scheduled(SHALLOW, AVX512, **WIDE)
    main = {str(_residue(s, r, r)).split("for mo")[1].split("register")[1] for r in range(1, 8)}
    assert len({" ".join(text.split()) for text in main}) == 1


# What the nests compute


def _check(workload: Workload, s: Scheduled, nest: LoopNest, m: int, n: int, k: int) -> None:
    symbols = all_symbols(workload, m=m, n=n, k=k)
    x, w, y = operands(workload, symbols)
    got = interpreted(s, nest, x, w, symbols)
    np.testing.assert_array_equal(got, y, err_msg=f"{workload} at {symbols}\n{nest}")


@pytest.mark.parametrize("const", [(), ("w",)])
def test_every_residue_and_class_of_a_tile(const: tuple[str, ...]) -> None:
    workload = dense(m=Any("m"), n=9, k=3, const=const)
    s = _scheduled(workload, tile_m=4, tile_n=1)
    for low in range(4):
        for high in range(low, 4):
            nest = _residue(s, low, high)
            verify(nest)
            for r in range(low, high + 1):
                for m in (r, 4 + r):
                    _check(workload, s, nest, m, 9, 3)


@pytest.mark.slow
@pytest.mark.parametrize("tile", [2, 3, 4, 5])
def test_every_residue_and_class_of_tiles_that_threads_share(tile: int) -> None:
    workload = dense(m=Any("m"), n=9, k=3, const=("w",))
    s = _scheduled(workload, THREADS, tile_m=tile, tile_n=1, parallel="m", grain=1)
    for low in range(tile):
        for high in range(low, tile):
            nest = _residue(s, low, high)
            verify(nest)
            for r in range(low, high + 1):
                for m in (r, tile + r, 2 * tile + r, 3 * tile + r):
                    _check(workload, s, nest, m, 9, 3)


@pytest.mark.parametrize("m", [0, 1, 3, 4, 5, 13])
@pytest.mark.parametrize("parallel", ["none", "m", "n"])
def test_without_residues(m: int, parallel: str) -> None:
    for rows in (m, Any("m")):
        workload = dense(m=rows, n=5, k=3, const=("w",))
        s = _scheduled(workload, THREADS, tile_m=4, tile_n=1, parallel=parallel, grain=1)
        verify(s.nest)
        _check(workload, s, s.nest, m, 5, 3)


def _of_rows(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    """Blocks of so many rows."""
    monkeypatch.setattr(dense_cpu, "FEWEST_ROWS", rows)
    monkeypatch.setattr(dense_cpu, "BLOCK_BYTES", 0)


@pytest.mark.parametrize("knobs", [{"block_n": 1}, {"block_n": 4}], ids=str)
@pytest.mark.parametrize("target", [SSE, THREADS], ids=lambda t: f"{t.threads} threads")
def test_blocks_of_rows(monkeypatch: pytest.MonkeyPatch, target: Target, knobs: dict[str, int]) -> None:
    """Two tiles of rows for all panels, then the next two; the rest comes with the last ones, if there are any."""
    _of_rows(monkeypatch, 5)
    shared = {} if target.threads == 1 else {"parallel": "n", "grain": 1}
    workload = dense(m=Any("m"), n=33, k=3, const=("w",))
    s = _scheduled(workload, target, tile_m=3, tile_n=1, **knobs, **shared)
    for low, high in ((0, 0), (1, 1), (2, 2), (0, 2), (1, 2)):
        nest = _residue(s, low, high)
        assert "for mo in 0..min(" in str(nest)
        verify(nest)
        for r in range(low, high + 1):
            for tiles in range(6):
                _check(workload, s, nest, 3 * tiles + r, 33, 3)
    for m in (0, 1, 2, 6, 7, 13, 19):
        known = dense(m=m, n=33, k=3, const=("w",))
        made = _scheduled(known, target, tile_m=3, tile_n=1, **knobs, **shared)
        assert ("b_mo" in str(made.nest)) == (m >= 9)
        verify(made.nest)
        _check(known, made, made.nest, m, 33, 3)


def test_rows_are_blocked_where_they_would_leave_the_last_cache() -> None:
    def rounds(k: int | Any, **knobs: int | str) -> int | None:
        s = _scheduled(dense(m=Any("m"), n=768, k=k, const=("w",)), AVX512, **{**WIDE, **knobs})
        assert s.walk is not None
        return None if s.walk.blocks is None else s.walk.blocks.rounds * s.walk.tile

    assert [rounds(k) for k in (4096, 3072, 768, 100)] == [384, 512, 2048, None]
    assert rounds(1 << 20) == 256  # weights from memory are for so many rows at least
    assert rounds(Any("k")) is rounds(4096, block_n=0) is rounds(4096, block_k=768) is None
    assert rounds(4096, parallel="m", grain=1 << 19) is None


@pytest.mark.parametrize(("n", "k"), [(0, 3), (1, 1), (3, 2), (4, 0), (5, 5), (8, 4), (11, 7)])
@pytest.mark.parametrize("w", ["panels", "rows"])
def test_all_three_symbolic(w: str, n: int, k: int) -> None:
    s = _scheduled(ALL, w=w, tile_m=2, tile_n=2, unroll_k=2)
    verify(s.nest)
    for m in (0, 1, 3):
        _check(ALL, s, s.nest, m, n, k)
        _check(ALL, s, _residue(s, m % 2, m % 2), m, n, k)


_DIMS = st.sampled_from((1, 2, 3, 4, 5, 8, 9))


@pytest.mark.slow
@settings(max_examples=25)
@given(st.data())
def test_random_workloads_and_configs(data: st.DataObject) -> None:
    """Any config of any workload, as one nest and as one residue class, equals numpy and is provably in bounds."""
    sizes = {name: data.draw(_DIMS, name) for name in "mnk"}
    dims = {name: Any(name) if data.draw(st.booleans(), name) else size for name, size in sizes.items()}
    workload = Workload.of("dense", dims, const=data.draw(st.sampled_from(((), ("w",)))))
    target = data.draw(st.sampled_from((SSE, THREADS)))
    space = DENSE.space(workload, target)
    config = space[data.draw(st.integers(0, len(space) - 1), "config")]
    s = DENSE.schedule(workload, target, config)
    nests = [s.nest]
    if s.walk is not None:
        residue = sizes["m"] % s.walk.tile
        low, high = data.draw(st.integers(0, residue)), data.draw(st.integers(residue, s.walk.tile - 1))
        nests.append(_residue(s, low, high))
    for nest in nests:
        verify(nest)
        _check(workload, s, nest, *(sizes[name] for name in "mnk"))
    for pack in s.packs:
        verify(pack.nest)


@pytest.mark.parametrize("knobs", [{"block_k": 256}, {"block_k": 256, "block_n": 4, "prefetch": 8}, {"block_n": 0}])
def test_blocks_of_k(knobs: dict[str, int]) -> None:
    workload = dense(m=Any("m"), n=3, k=259, const=("w",))
    s = _scheduled(workload, tile_m=4, tile_n=1, **knobs)
    verify(s.nest)
    _check(workload, s, _residue(s, 1, 1), 1, 3, 259)


# The space


@pytest.mark.parametrize("target", [AVX512, AVX2, SSE, NEON], ids=lambda t: str(t.get("mcpu")))
def test_the_space_is_large_and_holds_the_default(target: Target) -> None:
    space = DENSE.space(BERT, target)
    assert len(space) >= 1500
    assert len(set(space)) == len(space)
    default = DENSE.default(BERT, target)
    assert default in space
    assert space[space.index(default)] == default


def test_a_streamed_weight_is_fetched_from_afar() -> None:
    """The knobs of a weight in the caches are a part of its; by default it is asked for long before it is read."""
    streamed, usual = (DENSE.space(w, AVX512) for w in (BERT.streaming(["w"]), BERT))
    default = DENSE.default(BERT.streaming(["w"]), AVX512)
    assert (default["prefetch"], default["locality"]) == (128, "second")
    assert default in streamed
    assert default not in usual
    assert all(config in streamed for config in (usual[i] for i in range(0, len(usual), 997)))
    text = print_nest(DENSE.schedule(BERT.streaming(["w"]), AVX512, default).nest)
    assert re.search(r"prefetch w_packed\[.*128.*\] locality 2", text)
    assert "prefetch" not in print_nest(DENSE.schedule(BERT, AVX512, DENSE.default(BERT, AVX512)).nest)


def test_the_space_has_one_order() -> None:
    first, again = DENSE.space(BERT, AVX512), DENSE.space(BERT, AVX512)
    assert [str(c) for c in first] == [str(c) for c in again]
    assert [first.index(first[i]) for i in range(0, len(first), 501)] == list(range(0, len(first), 501))
    assert [Config.parse(str(c)) for c in first] == list(first)


@pytest.mark.sampled(20)
@pytest.mark.parametrize("target", [AVX512, AVX2, SSE, NEON], ids=lambda t: str(t.get("mcpu")))
@pytest.mark.parametrize("n", [1, 5, 17, 768, Any("n")])
@pytest.mark.parametrize("k", [1, 300, Any("k")])
def test_the_default_is_valid_and_fits_the_registers(target: Target, n: int | Any, k: int | Any) -> None:
    workload = dense(m=Any("m"), n=n, k=k)
    config = DENSE.default(workload, target)
    DENSE.space(workload, target).check(config)
    rows, columns = config.int("tile_m"), config.int("tile_n")
    assert rows * columns + columns + 1 <= facts(target).vector_registers


@given(st.integers(1, 1200), st.sampled_from([AVX512, AVX2, SSE, NEON]))
def test_untuned_little_is_multiplied_for_nothing(n: int, target: Target) -> None:
    """Panels of two vectors or more are filled; those of another width than three are taken for what they save, and
    those of two where few registers read less by them and one row takes four together."""
    cpu, few = facts(target), facts(target).vector_registers < 32
    workload = dense(m=Any("m"), n=n, k=64, const=("w",))
    config = DENSE.default(workload, target)
    DENSE.space(workload, target).check(config)
    held = -(-n // cpu.lanes)
    filled = {v: -(-held // v) * v for v in (2, 3, 4)}
    here, widths = config.int("tile_n"), (2, 3) if few else (2, 3, 4)
    if few and cpu.has_fma and n % (8 * cpu.lanes) == 0:
        assert (here, config.int("tile_m"), config.int("block_n")) == (2, 6, 4)
    elif held <= 3:
        assert here == held
    elif filled[3] * 30 <= held * 31:
        assert here == 3
    else:
        assert filled[here] == min(filled[v] for v in widths)
        assert here == 3 or filled[here] < filled[3]
    assert config.int("tile_m") * here >= 8


def test_tile_and_symbol() -> None:
    assert DENSE.symbol(dense(m=Any("rows"), n=3, k=4)) == "rows"
    assert DENSE.symbol(dense(m=3, n=Any("n"), k=4)) is None
    assert DENSE.tile(DENSE.default(BERT, AVX512).with_(tile_m=5)) == 5
    assert _scheduled(dense(m=3, n=Any("n"), k=4)).walk is None


def test_a_layout_is_shared_by_configs_that_want_the_same() -> None:
    def key(**knobs: int) -> str:
        return _scheduled(BERT, AVX512, **{**WIDE, **knobs}).packs[0].key

    assert key(tile_m=8) == key(tile_m=4) == key(unroll_k=1)
    assert key(tile_n=2) != key(tile_n=3)
