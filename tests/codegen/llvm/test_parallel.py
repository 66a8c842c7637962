"""Parallel loops mean what serial ones do, with any number of threads, in whatever order these come."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from anytile.codegen.artifact import Artifact
from anytile.codegen.llvm.compile import compile_ir
from anytile.codegen.llvm.emit import emit_function, workspace_bytes
from anytile.codegen.llvm.module import kernel_function, module
from anytile.codegen.llvm.parallel import shared_loop
from anytile.codegen.load.loader import Loaded
from anytile.codegen.threads.thread_table import AWAKE
from anytile.core.errors import CodegenError
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, ceildiv, const, minimum, var
from anytile.schedules.nest.interpret import interpret
from anytile.schedules.nest.nodes import (
    Alloc,
    Buffer,
    Grain,
    Guard,
    Literal,
    Load,
    Loop,
    LoopKind,
    LoopNest,
    Op,
    Scope,
    Stmt,
    Store,
    Symbol,
    Update,
    block,
)
from anytile.schedules.nest.simplify import simplify
from anytile.schedules.nest.verify import verify
from anytile.schedules.templates.base.parallel_grain import WAKING
from tests.support.stand_ins.sequential_team import Team, without_team

Floats = NDArray[np.float32]
i, j, k, v, m = var("i"), var("j"), var("k"), var("v"), var("m")
X = Buffer("x", (m, const(8)))
Y = Buffer("y", (m, const(8)), output=True)
SIZES = (0, 1, 2, 3, 4, 5, 31)
ONE = Literal(1.0)


def _for(name: str, extent: Expr | int, body: Stmt, kind: LoopKind = LoopKind.SERIAL) -> Loop:
    return Loop(name, const(extent) if isinstance(extent, int) else extent, kind, body)


def _shared(name: str, extent: Expr | int, body: Stmt, grain: Grain | None = None) -> Loop:
    return Loop(name, const(extent) if isinstance(extent, int) else extent, LoopKind.PARALLEL, body, grain)


def _nest(body: Stmt, *symbols: Symbol) -> LoopNest:
    return LoopNest("n", (X, Y), symbols or (Symbol("m", 0),), body)


def _artifact(nest: LoopNest, threads: int) -> Artifact:
    texts = [emit_function(nest, "body", threads), kernel_function("kernel", "body", nest, nest.given)]
    return compile_ir(module(texts), Target.host(), "kernel", facts_too=False)


def _run(loaded: Loaded, nest: LoopNest, size: int, threads: int) -> Floats:
    x = np.arange(size * 8, dtype=np.float32).reshape(size, 8) * 0.25
    y = np.zeros((size, 8), np.float32)
    needed = workspace_bytes(nest, threads).evaluate({"m": size})
    held = np.full(needed + 128, 0xFF, np.uint8)
    at = -held.ctypes.data % 64 + held.ctypes.data
    assert loaded.call("kernel", [x.ctypes.data, y.ctypes.data], [size], at) == 0
    assert (held[at - held.ctypes.data + needed :] == 0xFF).all(), "written behind the workspace"
    return y


def _expected(nest: LoopNest, size: int) -> Floats:
    y = np.zeros((size, 8), np.float32)
    interpret(nest, {"x": np.arange(size * 8, dtype=np.float32).reshape(size, 8) * 0.25, "y": y}, {"m": size})
    return y


_COPY = _for("v", 8, Store("y", (i, v), Op("add", (Load("x", (i, v)), ONE))), LoopKind.VECTOR)
_ADD = _for("v", 8, Update("y", (i, v), Load("x", (i, v))), LoopKind.VECTOR)
_OWN = Buffer("own", (const(8),), Scope.WORKSPACE)
_OURS = Buffer("ours", (m, const(8)), Scope.WORKSPACE)
_TILE = Buffer("acc", (const(8),), Scope.REGISTER)
_row = _for("v", 8, Store("own", (v,), Load("x", (i, v))))
BODIES: dict[str, Stmt] = {
    "rows": _shared("i", m, _COPY),
    "rows of a number": Guard((m - 3,), _shared("i", 3, _COPY)),
    "rounds": _for("j", 5, _shared("i", m, _ADD)),
    "rounds that depend on the round": _for("j", 5, _shared("i", minimum(m, j + 1), _ADD)),
    "copies": _for("j", 3, block(_shared("i", m, _ADD), Guard((m - 4,), _shared("i", m, _ADD)))),
    "an alternative": Guard((m - 4,), _for("j", 2, _shared("i", m, _ADD)), _shared("i", m, _COPY)),
    "a last tile": _shared("i", ceildiv(m, 2), Guard(
        (m - 2 - 2 * i,), _for("k", 2, _for("v", 8, Store("y", (2 * i + k, v), Load("x", (2 * i + k, v))))),
        _for("v", 8, Store("y", (2 * i, v), Literal(3.0))),
    )),
    "within an unrolled loop": _for("k", 2, _shared("i", m, Update("y", (i, 2 * k), ONE)), LoopKind.UNROLLED),
    "within a loop that does more": _for("j", m, block(
        Update("y", (j, const(0)), ONE), _shared("k", m, Update("y", (k, const(1)), Load("x", (j, const(1))))),
    )),
    "registers": _shared("i", m, Alloc(_TILE, block(
        _for("v", 8, Store("acc", (v,), Load("x", (i, v)))), _for("v", 8, Store("y", (i, v), Load("acc", (7 - v,)))),
    ))),
    "workspace for each thread": _shared("i", m, Alloc(_OWN, block(
        _row, _for("v", 8, Store("y", (i, v), Load("own", (7 - v,)))),
    ))),
    "workspace for all": Alloc(_OURS, block(
        _shared("k", m, _for("v", 8, Store("ours", (k, v), Load("x", (k, v))))),
        _shared("i", m, _for("v", 8, Store("y", (i, v), Load("ours", (m - 1 - i, v))))),
    )),
    "workspace for all, by the same loop": Alloc(_OURS, block(
        _shared("i", m, _for("v", 8, Store("ours", (i, v), Load("x", (i, v))))),
        _shared("i", m, _for("v", 8, Store("y", (i, v), Load("ours", (i, v))))),
    )),
    "both kinds of workspace": Alloc(_OURS, block(
        _shared("k", m, _for("v", 8, Store("ours", (k, v), Load("x", (k, v))))),
        _shared("i", m, Alloc(_OWN, block(_row, _for("v", 8, Store("y", (i, v), Op("add", (
            Load("own", (v,)), Load("ours", (m - 1 - i, v)),
        ))))))),
    )),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", BODIES)
def test_any_team_computes_what_one_thread_does(name: str) -> None:
    nest = _nest(BODIES[name])
    verify(nest)
    for threads in (1, 2, 3, 8):
        made = simplify(nest)
        loaded = Loaded(_artifact(made, threads))
        teams = (Team(), Team(backwards=True), Team(gives=1), Team(gives=2)) if threads > 1 else (None,)
        for team in teams:
            if team is not None:
                team.serve(loaded)
            for size in SIZES:
                np.testing.assert_array_equal(_run(loaded, made, size, threads), _expected(nest, size), f"m={size}")
            assert team is None or any(team.asked), "no thread was ever started"


@pytest.mark.slow
def test_the_real_runtime() -> None:
    nest = _nest(BODIES["both kinds of workspace"])
    loaded = Loaded(_artifact(nest, 4))
    for size in (0, 1, 4, 1009):
        for _ in range(20):
            np.testing.assert_array_equal(_run(loaded, nest, size, 4), _expected(nest, size))


def test_without_a_runtime_the_caller_does_it_all() -> None:
    nest = _nest(BODIES["both kinds of workspace"])
    loaded = without_team(Loaded(_artifact(nest, 4)))
    for size in SIZES:
        np.testing.assert_array_equal(_run(loaded, nest, size, 4), _expected(nest, size))


def test_rounds_start_threads_once() -> None:
    nest = _nest(BODIES["rounds"])
    loaded = Loaded(_artifact(nest, 3))
    team = Team().serve(loaded)
    _run(loaded, nest, 9, 3)
    assert team.asked == [3]


@pytest.mark.parametrize(
    ("size", "limit", "asked"),
    [(1, 64, []), (7, 64, []), (8, 64, [2]), (11, 64, [2]), (12, 64, [3]), (400, 64, [5]), (400, 2, [2]), (400, 1, [])],
)
def test_the_grain_the_loop_and_the_process_bound_the_threads(size: int, limit: int, asked: list[int]) -> None:
    """Five threads are wanted, one for every four of m."""
    nest = _nest(_shared("i", m, _COPY, Grain(m, 4)))
    loaded = Loaded(_artifact(nest, 5))
    team = Team(limit).serve(loaded)
    np.testing.assert_array_equal(_run(loaded, nest, size, 5), _expected(nest, size))
    assert team.asked == asked


def test_no_more_threads_than_iterations() -> None:
    nest = _nest(_shared("i", minimum(m, 3), _COPY))
    loaded = Loaded(_artifact(nest, 8))
    team = Team().serve(loaded)
    for size in (0, 1, 2, 3, 9):
        _run(loaded, nest, size, 8)
    assert team.asked == [2, 3, 3]


def test_sleeping_threads_must_have_more_work() -> None:
    """Two are worth m = 2 where they are awake, m = 16 where they sleep: what one thread would do as they wake up."""
    grain = Grain(m * (WAKING // 8), WAKING // 8)
    nest = _nest(_shared("i", m, _COPY, grain))
    loaded = Loaded(_artifact(nest, 2))
    team = Team(idle=1.0, takes=0.5).serve(loaded)

    def asks(size: int, after: float) -> bool:
        before = len(team.asked)
        team.time += after
        np.testing.assert_array_equal(_run(loaded, nest, size, 2), _expected(nest, size))
        return len(team.asked) > before

    assert not asks(15, after=0)
    assert asks(15, after=AWAKE / 2), "several in a row wake them"
    assert asks(2, after=AWAKE / 2), "awake since their end, half a second after they began"
    assert not asks(1, after=0)
    assert not asks(15, after=AWAKE * 1.5)
    assert not asks(15, after=AWAKE * 1.5)
    assert asks(16, after=1.0)


def test_what_is_always_worth_waking_threads_does_not_ask_the_time() -> None:
    for grain, asks in ((Grain(m + WAKING * 2, 1), False), (Grain(m, WAKING), False), (Grain(m, 1), True)):
        text = emit_function(_nest(_shared("i", m, _COPY, grain)), "f", 2)
        assert ("fcmp" in text) is asks


def test_what_is_known_to_be_too_little_has_no_code_for_threads() -> None:
    text = emit_function(_nest(_shared("i", m, _COPY, Grain(const(7), 4))), "f", 8)
    assert text.count("define") == 1
    assert "anytile_openmp" not in text
    assert emit_function(_nest(_shared("i", m, _COPY)), "f", 1).count("define") == 1


def test_a_workspace_inside_counts_for_every_thread() -> None:
    nest = _nest(BODIES["both kinds of workspace"])
    sizes = [workspace_bytes(nest, threads).evaluate({"m": 10}) for threads in (1, 2, 5)]
    assert sizes == [320 + 64, 320 + 2 * 64, 320 + 5 * 64]


NO_REGION: dict[str, Stmt] = {
    "another loop": block(_shared("i", m, _COPY), _shared("k", m, Store("y", (k, const(0)), ONE))),
    "another extent": block(_shared("i", m, _COPY), _shared("i", minimum(m, 4), _COPY)),
    "an extent that varies": _for("j", 5, _shared("i", j, _ADD)),
    "something else in a round": _for("j", 5, block(Update("y", (const(0), j), ONE), _shared("i", m, _ADD))),
    "reads what another iteration wrote": block(
        _shared("i", m, Store("y", (i, const(0)), ONE)),
        _shared("i", m, Store("ours", (i, const(0)), Load("y", (const(0), const(0))))),
    ),
    "none": _for("i", m, _COPY),
}


@pytest.mark.parametrize("name", NO_REGION)
def test_what_is_no_region(name: str) -> None:
    assert shared_loop(NO_REGION[name]) is None


def test_registers_do_not_cross_in() -> None:
    body = Alloc(_TILE, _shared("i", m, Store("y", (i, const(0)), Load("acc", (const(0),)))))
    with pytest.raises(CodegenError, match="parallel loop i: it reaches registers acc outside it"):
        emit_function(_nest(body), "f", 2)


def test_registers_inside_are_others_than_those_of_the_same_name_before() -> None:
    def row(at: Expr) -> Stmt:
        sum_ = block(Store("acc", (const(0),), Load("x", (at, const(0)))), Update("acc", (const(0),), ONE))
        return Alloc(_TILE, block(sum_, Store("y", (at, const(1)), Load("acc", (const(0),)))))

    body = block(Guard((m - 1,), row(const(0))), _shared("i", m, row(i)))
    nest = _nest(body)
    verify(nest)
    x = np.arange(9 * 8, dtype=np.float32).reshape(9, 8) * 0.25
    loaded = Loaded(_artifact(nest, 2))
    Team().serve(loaded)
    np.testing.assert_array_equal(_run(loaded, nest, 9, 2)[:, 1], x[:, 0] + 1)


def test_each_thread_has_a_workspace_of_its_own() -> None:
    """Afterwards each holds the last row that its thread did."""
    nest, threads, size = _nest(BODIES["both kinds of workspace"]), 3, 9
    loaded = Loaded(_artifact(nest, threads))
    Team().serve(loaded)
    x = np.arange(size * 8, dtype=np.float32).reshape(size, 8)
    y = np.zeros_like(x)
    bytes_ = workspace_bytes(nest, threads).evaluate({"m": size})
    held = np.zeros(bytes_ + 64, np.uint8)
    at = -held.ctypes.data % 64
    assert loaded.call("kernel", [x.ctypes.data, y.ctypes.data], [size], held.ctypes.data + at) == 0
    for_all = bytes_ - 64 * threads
    own = held[at + for_all : at + bytes_].view(np.float32).reshape(threads, 16)[:, :8]
    np.testing.assert_array_equal(own, x[[2, 5, 8]])


def test_a_region_is_told_the_sizes_that_only_strides_speak_of() -> None:
    x, y = (Buffer(n, (const(4), var("k")), output=n == "y") for n in "xy")
    row = (var("i"), const(0))
    body = Loop("i", const(4), LoopKind.PARALLEL, Store("y", row, Load("x", row)))
    nest = LoopNest("rows", (x, y), (Symbol("k", 1),), body)
    assert "i64 %k.n" in emit_function(nest, "rows", threads=2).split("call void @rows.p0(")[-1]
