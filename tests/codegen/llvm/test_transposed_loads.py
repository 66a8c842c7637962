"""Vectors whose lanes lie apart, four rounds at a time: the same numbers as element by element, and far fewer loads."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.codegen.llvm.compile import compile_ir
from anytile.codegen.llvm.emit import emit_function
from anytile.codegen.llvm.module import kernel_function, module
from anytile.codegen.llvm.transpositions import RUN
from anytile.codegen.load.loader import Loaded
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, const, minimum, var
from anytile.schedules.nest.interpret import interpret
from anytile.schedules.nest.nodes import Buffer, Guard, Let, Load, Loop, LoopKind, LoopNest, Stmt, Store, Symbol

m, i, j, v = (var(name) for name in "mijv")
KNOWN, UNKNOWN = const(64), var("k")


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
