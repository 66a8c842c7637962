"""Tiles that are called do what tiles written in place do, to the bit; equal ones are one function anywhere."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.codegen.llvm.compile import assembly, compile_ir
from anytile.codegen.llvm.emit import emit_function
from anytile.codegen.llvm.module import kernel_function, module
from anytile.codegen.llvm.outline_tiles import Tiles, is_tile, written
from anytile.codegen.load.loader import Loaded
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, const, var
from anytile.schedules.nest.nodes import (
    Alloc,
    Buffer,
    Literal,
    Load,
    Loop,
    LoopKind,
    LoopNest,
    Scope,
    Stmt,
    Store,
    Symbol,
    Update,
    block,
)
from anytile.schedules.primitives.residue import specialise
from anytile.schedules.templates.base.space import Value
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import batch_matmul, conv2d, dense
from anytile.schedules.workloads.workload import Any, Workload
from tests.support.cases.guarded_kernels import expected, inputs_of

HOST = Target.host(1)
ALL = {name: Any(name) for name in "bmnk"}
LITTLE: dict[str, Value] = {"tile_m": 2, "tile_n": 1, "unroll_k": 4}
CASES: dict[str, tuple[str, Workload, dict[str, Value]]] = {
    "turn": ("batch_matmul.cpu", batch_matmul(**ALL, rhs="bnk"), LITTLE),
    "pack": ("batch_matmul.cpu", batch_matmul(**ALL), {**LITTLE, "rhs_by": "pack"}),
    "rows": ("batch_matmul.cpu", batch_matmul(**ALL, rhs="bnk"), {**LITTLE, "rhs_by": "rows"}),
    "few": ("batch_matmul.cpu", batch_matmul(2, Any("m"), Any("n"), 64, rhs="bnk"), {**LITTLE, "few": 4}),
    "transposed": ("batch_matmul.cpu", batch_matmul(**ALL, y="nbm"), LITTLE),
    "one_symbol": ("batch_matmul.cpu", batch_matmul(2, Any("t"), Any("t"), Any("t")), LITTLE),
    "dense": ("dense.cpu", dense(Any("m"), Any("n"), Any("k"), tail="max(y + bias[n], 0)"), {"tile_m": 2, "tile_n": 1}),
    "conv2d": ("conv2d.direct", conv2d(Any("n"), 3, Any("h"), 9, 5, 3, 2, stride=2, pad=1), {}),
}
SIZES = {"b": (1, 3), "m": (4, 7), "n": (40, 2), "k": (9, 6), "t": (4, 19), "h": (9, 4)}


def _nests(case: str) -> tuple[Workload, list[tuple[LoopNest, int, int]]]:
    """The nests of a case, with the remainder and the divisor of the sizes that each is for."""
    name, workload, knobs = CASES[case]
    found = template(name)
    made = found.schedule(workload, HOST, found.default(workload, HOST).with_(**knobs))
    if made.walk is None:
        return workload, [(made.nest, 0, 1)]
    tile = made.walk.tile
    return workload, [(specialise(made.nest, made.walk, r, r), r, tile) for r in range(tile)]


def _loaded(nest: LoopNest, tiles: Tiles | None) -> Loaded:
    texts = [emit_function(nest, "body", 1, tiles), *(tiles.texts if tiles else ())]
    texts += [kernel_function("kernel", "body", nest, nest.given)]
    return Loaded(compile_ir(module(texts), HOST, "kernel", facts_too=False))


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_called_or_in_place_is_the_same(case: str) -> None:
    workload, nests = _nests(case)
    tiles, symbol = Tiles(), template(CASES[case][0]).symbol(workload)
    for nest, rest, tile in nests:
        tiles.texts.clear()
        tiles.names.clear()
        inline, called = _loaded(nest, None), _loaded(nest, tiles)
        assert tiles.texts
        for at in range(2):
            symbols = {s: SIZES[s][at] for s in workload.symbols}
            if symbol is not None:
                symbols[symbol] = at * 2 * tile + rest
            _compare(workload, nest, inline, called, symbols)


def _compare(workload: Workload, nest: LoopNest, inline: Loaded, called: Loaded, symbols: dict[str, int]) -> None:
    inputs = inputs_of(workload, symbols)
    shape = workload.shape(workload.outputs[0].name, symbols)
    workspace = np.zeros(1 << 20, np.uint8)
    at = workspace.ctypes.data + -workspace.ctypes.data % 64
    results = []
    for loaded in (inline, called):
        y = np.full(shape, np.nan, np.float32)
        arrays = [y if b.output else inputs[b.name] for b in nest.params]
        data, dims = [a.ctypes.data for a in arrays], [symbols[s] for s in nest.given]
        assert loaded.call("kernel", data, dims, at) == 0
        results.append(y)
    np.testing.assert_array_equal(results[1], results[0], err_msg=f"{nest} at {symbols}")
    np.testing.assert_array_equal(results[0], expected(workload, inputs))


# Which statements share a function

m, i, k, v = (var(name) for name in "mikv")
LANES = 4


def _tile(row: Expr, column: Expr, acc: str = "acc") -> Stmt:
    """y[row, column + lanes] = sums of x[row, k] over k."""
    lanes = column + v

    def vector(body: Stmt) -> Stmt:
        return Loop("v", const(LANES), LoopKind.VECTOR, body)

    start = vector(Store(acc, (v,), Literal(0.0)))
    update = Loop("k", m, LoopKind.SERIAL, vector(Update(acc, (v,), Load("x", (row, k)))))
    end = vector(Store("y", (row, lanes), Load(acc, (v,))))
    return Alloc(Buffer(acc, (const(LANES),), Scope.REGISTER), block(start, update, end))


def _nest(*body: Stmt, width: int = 64) -> LoopNest:
    x, y = Buffer("x", (const(8), m)), Buffer("y", (const(8), const(width)), output=True)
    return LoopNest("n", (x, y), (Symbol("m", 1),), block(*body))


def _functions(*nests: LoopNest) -> int:
    tiles = Tiles()
    for n, nest in enumerate(nests):
        emit_function(nest, f"f{n}", 1, tiles)
    return len(tiles.texts)


def test_equal_tiles_at_different_places_are_one_function() -> None:
    loop = Loop("i", const(3), LoopKind.SERIAL, block(_tile(i, const(8)), _tile(i + 1, 4 * i)))
    assert _functions(_nest(loop), _nest(_tile(const(7), const(4)), _tile(m % 8, const(0)))) == 1
    assert _functions(_nest(loop), _nest(_tile(const(0), const(8), "sums"))) == 2  # no pains are taken to find out


@pytest.mark.parametrize(
    ("promised", "column", "align"), [(64, 8, 32), (64, 4, 16), (64, 1, 4), (16, 8, 16), (1, 8, 4)]
)
def test_what_is_known_of_an_address_is_not_lost(promised: int, column: int, align: int) -> None:
    """Nor is more said of it: lanes on a boundary may be stored by an instruction that needs one."""
    x, y = Buffer("x", (const(8), m)), Buffer("y", (const(8), const(64)), output=True, align=promised)
    tiles = Tiles()
    emit_function(LoopNest("n", (x, y), (Symbol("m", 1),), _tile(const(2), const(column))), "f", 1, tiles)
    (store,) = (line for line in tiles.texts[0].splitlines() if "store <4 x float>" in line and "%.1" in line)
    assert store.endswith(f"align {align}")


@pytest.mark.parametrize(("rounds", "apart"), [(13, False), (14, True), (40, True)])
def test_a_tile_without_a_loop_is_a_function_where_it_is_long(rounds: int, apart: bool) -> None:
    tile = _tile(const(0), const(0))
    assert isinstance(tile, Alloc)
    start, update, end = tile.body.body  # type: ignore[attr-defined]  # a block of these three
    tile = Alloc(tile.buffer, block(start, Loop("k", const(rounds), LoopKind.UNROLLED, update.body), end))
    for s in (tile, Loop("i", const(4), LoopKind.SERIAL, tile)):
        assert is_tile(s) == apart
        assert _functions(_nest(s)) == apart


def test_registers_outside_keep_a_tile_in_its_place() -> None:
    outside = Buffer("held", (const(1),), Scope.REGISTER)
    tile = _tile(const(0), const(0))
    assert isinstance(tile, Alloc)
    reads = Alloc(tile.buffer, block(tile.body, Store("y", (const(1), const(0)), Load("held", (const(0),)))))
    loop = Loop("i", const(2), LoopKind.PARALLEL, reads)
    body = Alloc(outside, block(Store("held", (const(0),), Literal(1.0)), loop))
    assert is_tile(reads)
    assert not is_tile(body)
    assert _functions(_nest(body)) == 0


@pytest.mark.slow
def test_vectors_on_the_stack_lie_in_one_cache_line() -> None:
    """Of a tile for which registers do not suffice."""
    name, workload, _ = CASES["turn"]
    found, target = template(name), Target.parse("llvm -mcpu=znver4")
    made = found.schedule(workload, target, found.default(workload, target).with_(tile_m=4, tile_n=4, few=0))
    assert made.walk is not None
    tiles = Tiles()
    text = emit_function(specialise(made.nest, made.walk, 0, 0), "f", 1, tiles)
    text = text.replace("define internal void @f(", "define void @f(")  # or it would go: nobody calls it
    spills = [line for line in assembly(module([text, *tiles.texts]), target).splitlines() if "64-byte Spill" in line]
    assert len(spills) > 10
    assert all("vmovaps" in line or "vmovdqa" in line for line in spills)


def test_a_loop_over_tiles_is_in_their_function() -> None:
    """So that a call is for many of them; one that threads share stays outside."""
    for kind, inside in ((LoopKind.SERIAL, True), (LoopKind.PARALLEL, False)):
        tiles = Tiles()
        text = emit_function(_nest(Loop("i", m, kind, _tile(i % 8, const(0)))), "f", 1, tiles)
        assert len(tiles.texts) == 1
        assert ("phi" in text) is not inside


def test_written_counts_what_unrolling_writes() -> None:
    store = Store("y", (const(0), const(0)), Literal(0.0))
    loop = Loop("i", const(3), LoopKind.UNROLLED, block(store, Loop("j", m, LoopKind.SERIAL, store)))
    assert written(loop) == 6
