"""Vectors whose lanes lie apart, four rounds at a time: the same numbers as element by element, by far fewer loads and
stores.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from anytile.codegen.llvm.compile import compile_ir
from anytile.codegen.llvm.emit import emit_function
from anytile.codegen.llvm.module import kernel_function, module
from anytile.codegen.llvm.transpositions import RUN
from anytile.codegen.load.loader import Loaded
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, const, minimum, var
from anytile.schedules.nest.interpret import interpret
from anytile.schedules.nest.nodes import Buffer, Guard, Let, Load, Loop, LoopKind, LoopNest, Stmt, Store, Symbol, block

m, i, j, v = (var(name) for name in "mijv")
KNOWN, UNKNOWN = const(64), var("k")
Array = NDArray[Any]


def _turn(lanes: int, rounds: int, row: Expr, width: int = 12) -> LoopNest:
    """y[i*rounds + j, lane] = x[row, i*rounds + j]: a transposition of m rows, `rounds` columns at a time."""
    column = i * rounds + j
    body: Stmt = Store("y", (column, v), Load("x", (row, column)))
    for name, extent, kind in (("v", lanes, LoopKind.VECTOR), ("j", rounds, LoopKind.UNROLLED)):
        body = Loop(name, const(extent), kind, body)
    body = Loop("i", const(width // rounds), LoopKind.SERIAL, body)
    x = Buffer("x", (m, const(width)))
    y = Buffer("y", (const(width), const(lanes)), output=True)
    return LoopNest("turn", (x, y), (Symbol("m", 1),), body)


def _ir(nest: LoopNest) -> str:
    return module([emit_function(nest, "turn"), kernel_function("kernel", "turn", nest, ["m"])])


@pytest.mark.slow
@pytest.mark.parametrize("lanes", [4, 8, 16, 32])
@pytest.mark.parametrize("rounds", [1, 2, 3, RUN, 6])
@pytest.mark.parametrize("rows", [1, 3, 8, 40])
def test_it_transposes(lanes: int, rounds: int, rows: int) -> None:
    nest = _turn(lanes, rounds, minimum(v, m - 1))
    x = np.arange(rows * 12, dtype=np.float32).reshape(rows, 12)
    expected, got = (np.zeros((12, lanes), np.float32) for _ in range(2))
    interpret(nest, {"x": x, "y": expected}, {"m": rows})
    loaded = Loaded(compile_ir(_ir(nest), Target.host(1), "kernel", facts_too=False))
    assert loaded.call("kernel", [x.ctypes.data, got.ctypes.data], [rows]) == 0
    np.testing.assert_array_equal(got, expected)
    assert expected[5, 0] == 5  # not zeros compared with zeros


def test_four_rounds_share_their_loads() -> None:
    """A row's four elements are loaded once; with another number of rounds each element is loaded alone."""
    together, apart = _ir(_turn(8, RUN, v)), _ir(_turn(8, 3, v))
    assert together.count("load <4 x float>") == 8
    assert "load float" not in together
    assert apart.count("load float") == 8 * 3


def test_what_was_written_meanwhile_is_read_again() -> None:
    """Only inputs are read ahead: an output may change between the rounds."""
    body: Stmt = Store("y", (const(0), j + 1, v), Load("y", (v, j, const(0))))
    body = Loop("j", const(RUN), LoopKind.UNROLLED, Loop("v", const(4), LoopKind.VECTOR, body))
    y = Buffer("y", (const(4), const(RUN + 1), const(4)), output=True)
    text = emit_function(LoopNest("n", (y,), (), body), "n")
    assert "load <4 x float>" not in text


def test_a_variable_bound_anew_is_another_row() -> None:
    """Of what was put together before only that is taken again which has the same numbers, not the same names."""
    store = Store("y", (i, j, v), Load("x", (v, 4 * m + j)))
    rounds = Loop("j", const(RUN), LoopKind.UNROLLED, Loop("v", const(8), LoopKind.VECTOR, store))
    body = Loop("i", const(2), LoopKind.UNROLLED, Let("m", Load("which", (i,)), const(3), rounds))
    x, which = Buffer("x", (const(8), const(12))), Buffer("which", (const(2),), dtype="int64")
    nest = LoopNest("n", (x, which, Buffer("y", (const(2), const(RUN), const(8)), output=True)), (), body)
    given = {"x": np.arange(96, dtype=np.float32).reshape(8, 12), "which": np.array([2, 0])}
    expected, got = (np.zeros((2, RUN, 8), np.float32) for _ in range(2))
    interpret(nest, {**given, "y": expected}, {})
    text = module([emit_function(nest, "turn"), kernel_function("kernel", "turn", nest, [])])
    loaded = Loaded(compile_ir(text, Target.host(1), "kernel", facts_too=False))
    assert loaded.call("kernel", [*(a.ctypes.data for a in given.values()), got.ctypes.data], []) == 0
    np.testing.assert_array_equal(got, expected)


def _interleaved(lanes: int, rows: int, dtype: str = "float32", width: Expr = KNOWN) -> LoopNest:
    """y[i, column*rows + row] = x[i, row, column], `rows` vectors of y after one of each row."""
    at = j * lanes + v
    body: Stmt = Store("y", (m, i * (lanes * rows) + at), Load("x", (m, at % rows, i * lanes + at // rows)))
    body = Loop("j", const(rows), LoopKind.UNROLLED, Loop("v", const(lanes), LoopKind.VECTOR, body))
    body = Loop("m", const(2), LoopKind.SERIAL, Loop("i", width // lanes, LoopKind.SERIAL, body))
    x = Buffer("x", (const(2), const(rows), width), dtype=dtype)
    y = Buffer("y", (const(2), rows * width), output=True, dtype=dtype)
    return LoopNest("turn", (x, y), tuple(Symbol(name, 1) for name in width.names), body)


@pytest.mark.slow
@pytest.mark.parametrize("lanes", [4, 8, 16, 32, 64])
@pytest.mark.parametrize("rows", [2, 3, 4, 5])
@pytest.mark.parametrize("dtype", ["float32", "int64", "int8", "bool"])
@pytest.mark.parametrize("width", [KNOWN, UNKNOWN], ids=["known", "unknown"])
def test_it_interleaves(lanes: int, rows: int, dtype: str, width: Expr) -> None:
    nest = _interleaved(lanes, rows, dtype, width)
    x = np.random.default_rng(rows).integers(0, 2 if dtype == "bool" else 100, (2, rows, 64)).astype(dtype)
    got, expected = (np.zeros((2, rows * 64), dtype) for _ in range(2))
    sizes = dict.fromkeys(sorted(width.names), 64)
    interpret(nest, {"x": x, "y": expected}, sizes)
    np.testing.assert_array_equal(expected.reshape(2, 64, rows), x.transpose(0, 2, 1))
    text = module([emit_function(nest, "turn"), kernel_function("kernel", "turn", nest, [*sizes])])
    loaded = Loaded(compile_ir(text, Target.host(1), "kernel", facts_too=False))
    assert loaded.call("kernel", [x.ctypes.data, got.ctypes.data], [*sizes.values()]) == 0
    np.testing.assert_array_equal(got, expected)


def test_rows_that_are_read_in_turns_are_read_whole() -> None:
    """A vector of each row is loaded once for all rounds, and no element alone."""
    for width in (KNOWN, UNKNOWN):
        text = emit_function(_interleaved(8, 3, width=width), "n")
        assert text.count("load <8 x float>") == 3
        assert "load float" not in text


def test_rows_are_not_read_beyond_what_rounds_read() -> None:
    """Where not every round comes, or lanes read less of a row than a vector, they read their own elements."""
    at = j * 8 + v
    store = Store("y", (at,), Load("x", (at % 3, at // 3)))

    def written(body: Stmt) -> str:
        body = Loop("j", const(3), LoopKind.UNROLLED, body)
        x, y = Buffer("x", (const(3), const(8))), Buffer("y", (const(24),), output=True)
        return emit_function(LoopNest("n", (x, y), (Symbol("m", 1),), body), "n")

    lanes = Loop("v", const(8), LoopKind.VECTOR, store)
    assert "load <8 x float>" in written(lanes)
    assert "load <8 x float>" not in written(Guard((m - 2 - j,), lanes))


def _stored(lanes: int, rounds: int, body: Stmt | None = None, dtype: str = "float32", rows: int = 2) -> LoopNest:
    """y[lane, m*rounds + j] = x[m, j, lane]: what `rounds` rounds write in each lane is side by side."""
    store = body or Store("y", (v, i * rounds + j), Load("x", (i, j, v)))
    body = Loop("j", const(rounds), LoopKind.UNROLLED, Loop("v", const(lanes), LoopKind.VECTOR, store))
    x = Buffer("x", (const(rows), const(rounds), const(lanes)), dtype=dtype)
    y = Buffer("y", (const(lanes), const(rows * rounds)), output=True, dtype=dtype)
    return LoopNest("turn", (x, y), (), Loop("i", const(rows), LoopKind.SERIAL, body))


def _ran(nest: LoopNest, shape: tuple[int, ...], out: tuple[int, ...], dtype: str) -> tuple[Array, Array]:
    """What the nest's meaning makes of numbers in order, and what its code does."""
    x = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    expected, got = (np.full(out, 7, dtype) for _ in range(2))
    interpret(nest, {"x": x, "y": expected}, {})
    text = module([emit_function(nest, "turn"), kernel_function("kernel", "turn", nest, [])])
    loaded = Loaded(compile_ir(text, Target.host(1), "kernel", facts_too=False))
    assert loaded.call("kernel", [x.ctypes.data, got.ctypes.data], []) == 0
    return expected, got


@pytest.mark.slow
@pytest.mark.parametrize("lanes", [3, 4, 8, 16])
@pytest.mark.parametrize("rounds", [1, 2, 3, RUN, 6, 7, 10, 14])
@pytest.mark.parametrize("dtype", ["float32", "int32", "int64", "int8"])
def test_rounds_store_together(lanes: int, rounds: int, dtype: str) -> None:
    expected, got = _ran(_stored(lanes, rounds, dtype=dtype), (2, rounds, lanes), (lanes, 2 * rounds), dtype)
    np.testing.assert_array_equal(got, expected)
    assert expected[1, 0] == 1  # not sevens compared with sevens


@pytest.mark.parametrize("known", [3, 6])
def test_of_lanes_that_do_not_run_nothing_is_stored(known: int) -> None:
    guarded = Guard((known - 1 - v,), Store("y", (v, i * RUN + j), Load("x", (i, j, v))))
    nest = _stored(8, RUN, guarded)
    expected, got = _ran(nest, (2, RUN, 8), (8, 2 * RUN), "float32")
    np.testing.assert_array_equal(got, expected)
    assert (got[known:] == 7).all()
    assert emit_function(nest, "n").count("store <4 x float>") == known


def test_a_row_of_four_rounds_is_one_store() -> None:
    text = emit_function(_stored(8, 14), "n")
    assert text.count("store <4 x float>") == 3 * 8
    assert text.count("store <2 x float>") == 8
    assert "store float" not in text


def test_rounds_that_do_not_all_come_or_read_what_they_wrote_store_alone() -> None:
    store = Store("y", (v, i * RUN + j), Load("x", (i, j, v)))
    after = Store("y", (v, i * RUN + j), Load("y", (v, i * RUN + 0 * j)))
    twice = Store("y", (v, 3 - j), Load("x", (i, j, v)))
    for body in (Guard((i - j,), store), Guard((1 + v - j,), store), block(store, after), block(store, twice)):
        nest = _stored(8, RUN, body)
        assert "store <4 x float>" not in emit_function(nest, "n"), body
        expected, got = _ran(nest, (2, RUN, 8), (8, 2 * RUN), "float32")
        np.testing.assert_array_equal(got, expected)
