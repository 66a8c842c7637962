"""Emitted values mean what the interpreter says, in every dtype, alone and in lanes; floats never stray undefined."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray

from anytile.codegen.artifact import Artifact
from anytile.codegen.llvm.compile import compile_ir, optimised
from anytile.codegen.llvm.emit import emit_function, workspace_bytes
from anytile.codegen.llvm.module import kernel_function, module
from anytile.codegen.llvm.vectormath import FUNCTIONS
from anytile.codegen.load.loader import Loaded
from anytile.core.errors import CodegenError
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, const, var
from anytile.schedules.nest.interpret import interpret
from anytile.schedules.nest.nodes import (
    Alloc,
    Buffer,
    Cast,
    Guard,
    Let,
    Literal,
    Load,
    Loop,
    LoopKind,
    LoopNest,
    Number,
    Op,
    Reduce,
    Scope,
    Stmt,
    Store,
    Symbol,
    Update,
    Value,
    block,
)
from anytile.schedules.nest.simplify import simplify
from anytile.schedules.nest.verify import verify
from tests.support.generators.random_typed_nests import HIGH, LOW, PARAMS, SYMBOL, meaning, tables, value_nests

Array = NDArray[np.generic]
TARGETS = [Target.host(threads=1), Target.parse("llvm -mcpu=haswell"), Target.parse("llvm -mcpu=nehalem")]
i, v, t, m = var("i"), var("v"), var("t"), var("m")


def _load(*found: LoopNest, target: Target = TARGETS[0]) -> Loaded:
    texts = []
    for n, nest in enumerate(found):
        texts += [emit_function(nest, f"body{n}"), kernel_function(f"kernel{n}", f"body{n}", nest, nest.given)]
    return Loaded(_artifact(module(texts), target))


@functools.lru_cache(maxsize=1)
def _compiled(nest: LoopNest, target: Target) -> Loaded:
    """What a test runs at one size after the other is compiled once."""
    verify(nest)
    return _load(nest, target=target)


def _artifact(ir: str, target: Target) -> Artifact:
    return compile_ir(ir, target, "kernel0", facts_too=False)


def _run(loaded: Loaded, nest: LoopNest, arrays: Mapping[str, Array], sizes: Mapping[str, int], n: int = 0) -> None:
    """Run a kernel; of the workspace it may write only what it asked for."""
    needed = workspace_bytes(nest).evaluate(sizes)
    workspace = np.full(needed + 4096, 0xA5, np.uint8)
    start = -workspace.ctypes.data % 64
    pointers = [arrays[b.name].ctypes.data for b in nest.params]
    at = workspace.ctypes.data + start
    assert loaded.call(f"kernel{n}", pointers, [sizes[s] for s in nest.given], at) == 0
    assert (workspace[start + needed :] == 0xA5).all(), f"written past the workspace of\n{nest}"


def _agree(nest: LoopNest, arrays: Mapping[str, Array], target: Target = TARGETS[0], **sizes: int) -> dict[str, Array]:
    loaded = _compiled(nest, target)
    expected = {name: a.copy() for name, a in arrays.items()}
    got = {name: a.copy() for name, a in arrays.items()}
    interpret(nest, expected, sizes)
    _run(loaded, nest, got, sizes)
    for name, a in expected.items():
        np.testing.assert_array_equal(got[name], a, err_msg=f"{name} of\n{nest}")
    return got


@pytest.mark.slow
@pytest.mark.slow
@settings(max_examples=40)
@given(value_nests())
def test_random_values(nest: LoopNest) -> None:
    """As made and simplified, at several sizes, to the last bit; bools are bytes 0 and 1."""
    verify(nest)
    simple = simplify(nest)
    loaded = _load(nest, simple)
    for size in (LOW, 1, 4, HIGH):
        expected = meaning(nest, size)
        for n in range(2):
            got = tables()
            _run(loaded, (nest, simple)[n], got, {SYMBOL: size}, n)
            for b in PARAMS:
                np.testing.assert_array_equal(got[b.name], expected[b.name], err_msg=f"{b.name} at {size} of\n{nest}")
            assert got["out_bool"].view(np.uint8).max() <= 1


def _nest(body: Stmt, *params: Buffer, symbols: tuple[Symbol, ...] = ()) -> LoopNest:
    return LoopNest("n", params, symbols, body)


def _vector(n: int, body: Stmt, name: str = "v") -> Stmt:
    return Loop(name, const(n), LoopKind.VECTOR, body)


def _for(name: str, extent: Expr | int, body: Stmt) -> Stmt:
    return Loop(name, const(extent) if isinstance(extent, int) else extent, LoopKind.SERIAL, body)


def _table(name: str, n: int, dtype: str = "float32", output: bool = False) -> Buffer:
    return Buffer(name, (const(n),), dtype=dtype, output=output)


# Operations

FLOATS = np.array([0.0, -0.0, 1.5, -2.5, np.nan, np.inf, -np.inf, 1e-40, 3.5, -1e30], np.float32)


@pytest.mark.parametrize("target", TARGETS, ids=["host", "avx2", "sse"])
@pytest.mark.parametrize("lanes", [0, 4, 5])
def test_max_and_min_pass_nan_on_and_comparisons_are_numpys(lanes: int, target: Target) -> None:
    n = len(FLOATS)
    names = ("max", "min", "lt", "le", "gt", "ge", "eq", "ne")
    bools = [Buffer(f"{name}_", (const(n), const(n)), dtype="bool", output=True) for name in names[2:]]
    floats = [Buffer(f"{name}_", (const(n), const(n)), output=True) for name in names[:2]]
    j: Expr = var("j")

    def body(at: Expr) -> Stmt:
        args = (Load("x", (i,)), Load("x", (at,)))
        return block(*(Store(f"{name}_", (i, at), Op(name, args)) for name in names))

    inner = _for("j", n, body(j)) if not lanes else _for("j", n // lanes, _vector(lanes, body(lanes * j + v)))
    nest = _nest(_for("i", n, inner), _table("x", n), *floats, *bools)
    arrays = {b.name: np.zeros((n, n), b.dtype) for b in nest.params[1:]} | {"x": FLOATS}
    got = _agree(nest, arrays, target)
    assert np.isnan(got["max_"][4, :8]).all()
    assert np.isnan(got["min_"][:8, 4]).all()


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("lanes", [1, 4])
def test_integers_wrap_and_divide_as_numpy_does(dtype: str, lanes: int) -> None:
    """Zero and the smallest number by -1 included: the machine's own instruction would end the process."""
    limits = np.iinfo(dtype)
    numbers = np.array([0, 1, -1, 2, -2, 7, -7, 100, limits.max, limits.min, limits.min + 1, limits.max - 1], dtype)
    n = len(numbers)
    names = ("add", "sub", "mul", "max", "min", "floordiv", "mod")
    outs = [Buffer(f"{name}_", (const(n), const(n)), dtype=dtype, output=True) for name in names]
    at = lanes * var("j") + v
    args = (Load("x", (i,)), Load("x", (at,)))
    body = block(*(Store(f"{name}_", (i, at), Op(name, args)) for name in names))
    nest = _nest(_for("i", n, _for("j", n // lanes, _vector(lanes, body))), _table("x", n, dtype), *outs)
    got = _agree(nest, {b.name: np.zeros((n, n), dtype) for b in outs} | {"x": numbers})
    assert got["floordiv_"][6, 3] == -4
    assert got["mod_"][6, 3] == 1


def test_values_become_other_dtypes_as_numpys_do() -> None:
    numbers = {
        "float32": np.array([0.0, -0.0, 2.9, -2.9, np.nan, np.inf, 1e9, -(2.0**31)], np.float32),
        "int32": np.array([0, 1, -1, 5, 2**31 - 1, -(2**31), 16777217, 2], np.int32),
        "int64": np.array([0, 1, -1, 2**33 + 5, 2**62, -(2**63), 16777217, 3], np.int64),
        "bool": np.array([True, False] * 4),
    }
    for source, given_numbers in numbers.items():
        for target in numbers:
            fits = given_numbers
            if source == "float32" and target.startswith("int"):
                fits = np.where(np.isfinite(given_numbers), given_numbers, np.float32(7.25))
            body = block(
                Store("y", (const(0), const(0)), Cast(target, Load("x", (const(3),)))),
                _vector(8, Store("y", (const(1), v), Cast(target, Load("x", (v,))))),
            )
            y = Buffer("y", (const(2), const(8)), dtype=target, output=True)
            _agree(_nest(body, _table("x", 8, source), y), {"x": fits, "y": np.zeros((2, 8), target)})


def test_what_fits_no_integer_is_some_integer() -> None:
    """Unspecified, but never outside where a Let puts it."""
    x = np.array([np.nan, np.inf, -np.inf, 1e30, -1e30, 2.0, 3.0, 4.0], np.float32)
    row = Let("t", Cast("int64", Load("x", (v,))), const(5), Update("y", (t,), Literal(1, "int32")))
    nest = _nest(_vector(8, row), _table("x", 8), _table("y", 5, "int32", output=True))
    verify(nest)
    y = np.zeros(5, np.int32)
    _run(_load(nest), nest, {"x": x, "y": y}, {})
    assert y.sum() == 8
    assert min(y[2], y[3]) >= 1


@pytest.mark.sampled(12)
@pytest.mark.parametrize("op", ["add", "mul", "max", "min"])
@pytest.mark.parametrize("dtype", ["float32", "int32", "int64"])
@pytest.mark.parametrize("lanes", [1, 3, 8, 16])
def test_lanes_are_reduced(op: str, dtype: str, lanes: int) -> None:
    x = np.arange(1, lanes + 1).astype(dtype) * (-1 if op == "max" else 1)
    nest = _nest(
        Store("y", (const(0),), Reduce(op, "v", lanes, Load("x", (v,)))),
        _table("x", lanes, dtype),
        _table("y", 1, dtype, output=True),
    )
    if op == "mul":
        x = np.minimum(x, 2).astype(dtype)
    _agree(nest, {"x": x, "y": np.zeros(1, dtype)})
    if dtype == "float32" and op in ("max", "min"):
        x[-1] = np.nan
        assert np.isnan(_agree(nest, {"x": x, "y": np.zeros(1, dtype)})["y"][0])


@pytest.mark.parametrize("lanes", [1, 4])
def test_bits_are_words_of_another_dtype(lanes: int) -> None:
    """Of every kind of float, there and back with the low half left out."""
    x = np.array([0.0, -0.0, 1.5, -2.7, 1e-40, np.inf, -np.inf, np.nan], np.float32)
    at = lanes * i + v
    word = Op("bits_int32", (Load("x", (at,)),))
    cut = Op("bits_float32", (Op("bitand", (word, Literal(-0x10000, "int32"))),))
    body = _for("i", len(x) // lanes, _vector(lanes, block(Store("y", (at,), word), Store("z", (at,), cut))))
    nest = _nest(body, _table("x", len(x)), _table("y", len(x), "int32", output=True), _table("z", len(x), output=True))
    got = _agree(nest, {"x": x, "y": np.zeros(len(x), np.int32), "z": np.zeros_like(x)})
    assert got["y"][:3].tolist() == [0, -(2**31), 0x3FC00000]
    np.testing.assert_array_equal(got["z"], (x.view(np.int32) & -0x10000).view(np.float32))


ARGUMENTS = np.concatenate([np.linspace(-12, 12, 1001), np.geomspace(1e-40, 3e38, 501), [0.0, np.inf]])


@pytest.mark.slow
@pytest.mark.slow
@pytest.mark.parametrize("lanes", [1, 4, 8, 16])
@pytest.mark.parametrize(
    "name", [name for name, function in FUNCTIONS.items() if function.arity == 1 and not function.error]
)
def test_functions_are_as_close_as_they_promise(name: str, lanes: int) -> None:
    """Called alone and in lanes, with what each of them promises of its last place."""
    x = np.concatenate([ARGUMENTS, -ARGUMENTS, [np.nan]]).astype(np.float32)
    x = np.concatenate([x, np.ones(-len(x) % 16, np.float32)])
    at = lanes * i + v
    body = _for("i", len(x) // lanes, _vector(lanes, Store("y", (at,), Op(name, (Load("x", (at,)),)))))
    nest = _nest(body, _table("x", len(x)), _table("y", len(x), output=True))
    verify(nest)
    y, expected = np.zeros_like(x), np.zeros_like(x)
    _run(_load(nest), nest, {"x": x, "y": y}, {})
    interpret(nest, {"x": x, "y": expected}, {})
    np.testing.assert_array_equal(np.isnan(y), np.isnan(expected))
    some = np.isfinite(expected)
    np.testing.assert_array_equal(y[~some], expected[~some])
    off = np.abs(y[some].astype(np.float64) - expected[some]) / np.spacing(np.abs(expected[some]))
    assert off.max() <= FUNCTIONS[name].ulp


def test_functions_leave_no_call() -> None:
    """They are written into the loop that calls them, once for every width."""
    both = Op("mul", (Op("exp", (Load("x", (v,)),)), Op("exp", (Load("z", (v,)),))))
    body = block(_vector(8, Store("y", (v,), both)), Store("y", (const(0),), Op("tanh", (Load("x", (const(0),)),))))
    nest = _nest(body, _table("x", 8), _table("z", 8), _table("y", 8, output=True))
    ir = module([emit_function(nest, "f"), kernel_function("kernel0", "f", nest, ())])
    assert ir.count("define internal <8 x float> @anytile.exp.v8f32") == 1
    assert ir.count("define internal float @anytile.tanh.f32") == 1
    assert "anytile" not in optimised(ir, TARGETS[0])


# Lanes and masks


@pytest.mark.slow
@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "int64", "bool"])
@pytest.mark.parametrize("scope", [Scope.PARAM, Scope.REGISTER, Scope.WORKSPACE])
@pytest.mark.parametrize("condition", [m - 1 - v, v - m, 2 * v - m, m - 3 * v, (v % 3) - 1], ids=str)
@pytest.mark.parametrize("column", [v, 7 - v, (3 * v) % 8, 2 * v], ids=str)
def test_masked_lanes_keep_what_was_there(column: Expr, condition: Expr, scope: Scope, dtype: str) -> None:
    """Wherever the lanes lie, a mask leaves out loads and stores, of memory and of registers."""
    copy = Guard((condition, 7 - column), Store("h", (column,), Load("x", (column,))))
    other = _vector(8, Store("h", (v,), Load("z", (v,))))
    params = [_table("x", 8, dtype), _table("z", 8, dtype), _table("y", 8, dtype, output=True)]
    inner = block(other, _vector(8, copy), _vector(8, Store("y", (v,), Load("h", (v,)))))
    body = Alloc(Buffer("h", (const(8),), scope, dtype), inner)
    if scope is Scope.PARAM:
        params.append(_table("h", 8, dtype, output=True))
        body = inner
    arrays = {
        "x": np.arange(8).astype(dtype),
        "z": np.array([1, 0, 5, 0, 0, 1, 9, 1]).astype(dtype),
        "y": np.zeros(8, dtype),
        "h": np.zeros(8, dtype),
    }
    nest = _nest(body, *params, symbols=(Symbol("m", 0, 20),))
    for size in (0, 1, 5, 8, 20):
        _agree(nest, {b.name: arrays[b.name] for b in params}, m=size)


class _Walled:
    """A page that may be used, before one that may not."""

    def __init__(self, a: Array) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        page = 4096
        libc.mmap.restype = ctypes.c_void_p
        libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
        libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        at = libc.mmap(None, 3 * page, 3, 0x22, -1, 0)
        assert libc.mprotect(at, page, 0) == 0
        assert libc.mprotect(at + 2 * page, page, 0) == 0
        self.low, self.high = at + page, at + 2 * page
        self.end, self.start = self.high - a.nbytes, self.low
        for place in (self.end, self.start):
            ctypes.memmove(place, a.ctypes.data, a.nbytes)


@pytest.mark.parametrize("column", [v, 7 - v, (3 * v) % 8, const(0), m - 1 + 0 * v], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "int64", "bool"])
def test_lanes_left_out_touch_no_memory(column: Expr, dtype: str) -> None:
    """The buffer ends at a wall, and begins at one: what the mask leaves out would end the process."""
    guard = Guard((m - 1 - column, m - 1 - v), Store("y", (v,), Load("x", (column,))))
    nest = _nest(_vector(8, guard), Buffer("x", (m,), dtype=dtype), _table("y", 8, dtype, output=True),
                 symbols=(Symbol("m", 0, 8),))  # fmt: skip
    verify(nest)
    loaded = _load(nest)
    for size in range(9):
        x, y = np.ones(size, dtype), np.zeros(8, dtype)
        walled = _Walled(x)
        for at in (walled.end, walled.start):
            assert loaded.call("kernel0", [at, y.ctypes.data], [size], 0) == 0
            expected = np.zeros(8, dtype)
            interpret(nest, {"x": x, "y": expected}, {"m": size})
            np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("column", [v, 7 - v, (3 * v) % 8], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "int8", "bool"])
def test_lanes_left_out_are_written_nowhere(column: Expr, dtype: str) -> None:
    """The same of what is stored: at a wall, and over ones."""
    guard = Guard((m - 1 - column, m - 1 - v), Store("y", (column,), Load("x", (v,))))
    y = Buffer("y", (m,), dtype=dtype, output=True)
    nest = _nest(_vector(8, guard), _table("x", 8, dtype), y, symbols=(Symbol("m", 0, 8),))
    verify(nest)
    loaded = _load(nest)
    x = np.array([0, 1, 0, 0, 1, 0, 1, 0]).astype(dtype)
    for size in range(9):
        expected = np.ones(size, dtype)
        walled = _Walled(expected)
        interpret(nest, {"x": x, "y": expected}, {"m": size})
        for at in (walled.end, walled.start):
            assert loaded.call("kernel0", [x.ctypes.data, at], [size], 0) == 0
            assert ctypes.string_at(at, expected.nbytes) == expected.tobytes()


@pytest.mark.parametrize("dtype", ["float32", "int64", "bool"])
@pytest.mark.parametrize("lanes", [4, 8])
def test_rounds_that_do_not_run_read_nothing(lanes: int, dtype: str) -> None:
    """Four unrolled rounds may read short rows together; where some are left out, rows may be shorter still."""
    u = var("u")
    copy = Guard((m - 1 - u,), Store("y", (u, v), Load("x", (v, u))))
    body = _vector(lanes, Loop("u", const(4), LoopKind.UNROLLED, copy))
    y = Buffer("y", (const(4), const(lanes)), dtype=dtype, output=True)
    nest = _nest(body, Buffer("x", (const(lanes), m), dtype=dtype), y, symbols=(Symbol("m", 0, 4),))
    verify(nest)
    loaded = _load(nest)
    for size in range(5):
        x, got = (np.arange(lanes * size) % 3).astype(dtype).reshape(lanes, size), np.zeros((4, lanes), dtype)
        walled = _Walled(x)
        for at in (walled.end, walled.start):
            assert loaded.call("kernel0", [at, got.ctypes.data], [size], 0) == 0
            np.testing.assert_array_equal(got[:size], x.T)


def test_both_sides_of_a_guard_over_lanes() -> None:
    yes, no = Store("y", (v,), Literal(1.0)), Update("y", (v,), Literal(3.0), "mul")
    inner = Guard((v - 1, 5 - v), yes, Guard((m - 4,), no, Guard((3 - v,), yes)))
    within = Guard((6 - v,), Guard((3 - v,), yes, no))  # the last lane takes neither side
    for body in (inner, within):
        nest = _nest(_vector(8, body), _table("y", 8, output=True), symbols=(Symbol("m", 0, 9),))
        for size in (0, 4):
            _agree(nest, {"y": np.full(8, 2, np.float32)}, m=size)


@pytest.mark.parametrize("by_lane", [False, True])
def test_copies_of_an_allocation_share_its_place(by_lane: bool) -> None:
    """Unrolled, or written once for every lane: the workspace holds one, beside those that live at the same time."""
    held = [Buffer(name, (const(16),), Scope.WORKSPACE) for name in ("a", "b")]
    fill = block(*(_vector(16, Store(b.name, (v,), Literal(n + 1.0))) for n, b in enumerate(held)))
    total = Update("y", (var("u"),), Op("sub", (Load("b", (const(3),)), Load("a", (const(3),)))))
    work: Stmt = Alloc(held[0], Alloc(held[1], block(fill, total)))
    if by_lane:  # every lane runs the body of a Let alone, where no vector loop may stand
        single = block(*(Store(b.name, (const(3),), Literal(n + 1.0)) for n, b in enumerate(held)))
        work = Alloc(held[0], Alloc(held[1], block(single, total)))
        body = _vector(4, Let("t", Number(var("u")), const(4), work), "u")
    else:
        body = Loop("u", const(4), LoopKind.UNROLLED, work)
    nest = _nest(body, _table("y", 4, output=True))
    assert workspace_bytes(nest).value == 128
    assert (_agree(nest, {"y": np.zeros(4, np.float32)})["y"] == 1).all()


# Values as variables


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("lanes", [0, 4])
def test_a_let_reads_rows_and_moves_wild_ones_inside(dtype: str, lanes: int) -> None:
    """A gather of rows, over serial loops and lanes, with the row chosen by each lane in the second half."""
    indices = np.array([3, 0, 2, -1, 99, np.iinfo(dtype).min, np.iinfo(dtype).max, 1], dtype)
    copy = Store("y", (i, v), Load("x", (t, v)))
    chosen = Store("y", (i + 8, v), Load("x", (t, v)))
    each = (lambda s: _vector(4, s)) if lanes else (lambda s: _for("v", 4, s))
    by_lane = Number(v + i, dtype)
    body = block(
        _for("i", 8, Let("t", Load("at", (i,)), m, each(copy))),
        _for("i", 8, each(Let("t", Op("mul", (by_lane, Load("at", (i,)))), m, Guard((t + v - 2,), chosen)))),
    )
    nest = _nest(
        Guard((m - 1,), body),
        Buffer("x", (m, const(4))),
        _table("at", 8, dtype),
        Buffer("y", (const(16), const(4)), output=True),
        symbols=(Symbol("m", 0, 9),),
    )
    for size in (0, 1, 4):
        x = np.arange(4 * size, dtype=np.float32).reshape(size, 4) + 1
        got = _agree(nest, {"x": x, "at": indices, "y": np.zeros((16, 4), np.float32)}, m=size)
        if size:
            np.testing.assert_array_equal(got["y"][:8], x[np.clip(indices, 0, size - 1)])


def test_an_index_is_a_value() -> None:
    body = block(
        Store("y", (const(0), const(0)), Number(m * m - 7)),
        _vector(8, Store("y", (const(1), v), Number(m - 2 * v))),
        _vector(8, Store("y", (const(2), v), Number((v + m) // 3))),
        _vector(8, Store("z", (v,), Number(m * 2**33 + v, "int32"))),
    )
    nest = _nest(
        body,
        Buffer("y", (const(3), const(8)), dtype="int64", output=True),
        _table("z", 8, "int32", output=True),
        symbols=(Symbol("m", 0, 9),),
    )
    _agree(nest, {"y": np.zeros((3, 8), np.int64), "z": np.zeros(8, np.int32)}, m=5)


# What code is written


def _text(*statements: Stmt) -> str:
    params = (_table("x", 8), _table("y", 8, output=True), _table("k", 8, "int64", output=True))
    return emit_function(_nest(block(*statements), *params, symbols=(Symbol("m", 0, 8),)), "f")


_PRODUCT: Value = Op("mul", (Load("x", (v,)), Load("x", (v,))))


def test_only_a_sum_of_float_products_is_a_multiply_add() -> None:
    assert "llvm.fmuladd.v8f32" in _text(_vector(8, Update("y", (v,), _PRODUCT)))
    assert "fmuladd" not in _text(_vector(8, Update("y", (v,), _PRODUCT, "max")))
    integers: Value = Op("mul", (Load("k", (v,)), Load("k", (v,))))
    assert "fmuladd" not in _text(_vector(8, Update("k", (v,), integers)))


def test_neighbours_are_read_at_once_and_others_one_by_one() -> None:
    assert "load <8 x float>" in _text(_vector(8, Store("y", (v,), Load("x", (v,)))))
    apart = _text(_vector(8, Store("y", (v,), Load("x", (v * 5 % 8 * 2,)))))
    assert apart.count(" load float") == 8
    backwards = _text(_vector(8, Store("y", (v,), Load("x", (7 - v,)))))
    assert backwards.count(" load ") == backwards.count("load <8 x float>") == 1
    copies = _text(_vector(8, Store("y", (v,), Load("x", (m + 1 + v // 2,)))))
    assert copies.count(" load ") == copies.count("load <4 x float>") == 1
    assert "masked.gather" in _text(_vector(8, Guard((m - v,), Store("y", (v,), Load("x", (7 - v,))))))
    few = _table("b", 8, "bool", output=True)
    scattered = _vector(8, Guard((m - v,), Store("b", (7 - v,), Load("b", (7 - v,)))))
    bytewise = emit_function(_nest(scattered, few, symbols=(Symbol("m", 0, 8),)), "f")
    assert "masked" not in bytewise
    assert "br i1" not in bytewise
    assert bytewise.count(" load i8") == bytewise.count(" store i8") == 8
    grows = _text(_vector(8, Guard((v - m,), Store("y", (v,), Load("x", (v,))))))
    assert "icmp sge <8 x i64>" in grows
    assert "masked.load.v8f32" in grows


@pytest.mark.parametrize("lanes", [4, 8, 16])
@pytest.mark.parametrize(
    ("wide", "narrow"),
    [("int64", "int32"), ("int32", "int8"), ("int32", "uint8"), ("int32", "int16"), ("float32", "float16")],
)
def test_one_lane_that_runs_writes_its_own_element_alone(wide: str, narrow: str, lanes: int) -> None:
    """LLVM 22 stores the vector's element as it was before it was made narrow, 4 bytes for one, where the one lane of a
    masked store is known: on AVX-512 all that follow were overwritten."""
    made = Cast(narrow, Op("add", (Load("x", (v,)), Load("x", (v,)))))
    store, other = Store("y", (v,), made), Store("z", (lanes - v,), made)
    alone = [Guard((v - at, at - v), store) for at in (0, 1, lanes - 1)]
    alone += [Guard((v - 1,), block(), store), Guard((2 - v,), Guard((v - 2,), store, other))]
    tables = _table("x", lanes, wide), *(_table(name, lanes + 8, narrow, output=True) for name in "yz")
    arrays: dict[str, Array] = {"x": np.arange(9, 9 + lanes).astype(wide)}
    arrays |= {name: np.full(lanes + 8, 77, narrow) for name in "yz"}
    for body in [*alone, Guard((v - 1, 1 - v, m - 1), store)]:
        for size in (0, 1):
            _agree(_nest(_vector(lanes, body), *tables, symbols=(Symbol("m", 0, 8),)), arrays, m=size)
    assert not any("masked.store" in emit_function(_nest(_vector(lanes, body), *tables), "f") for body in alone[:4])


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (Op("power", (Literal(1.0), Literal(1.0))), "operation 'power' cannot be emitted"),
        (Literal(1, "int32"), r"y\[0\]: a value of int32 for a buffer of float32; cast it"),
    ],
)
def test_values_that_cannot_be_emitted(value: Value, reason: str) -> None:
    with pytest.raises(CodegenError, match=reason):
        _text(Store("y", (const(0),), value))
