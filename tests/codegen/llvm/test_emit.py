"""Emitted code does what the interpreter says, for nests of every shape; what cannot be emitted is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray

from anytile.codegen.artifact import Artifact
from anytile.codegen.llvm.compile import compile_ir
from anytile.codegen.llvm.emit import emit_function, workspace_bytes
from anytile.codegen.llvm.instructions import literal
from anytile.codegen.llvm.module import kernel_function, module
from anytile.codegen.load.loader import Loaded
from anytile.core.errors import CodegenError
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, const, maximum, var
from anytile.schedules.nest.interpret import interpret
from anytile.schedules.nest.nodes import (
    Alloc,
    Buffer,
    Guard,
    Literal,
    Load,
    Loop,
    LoopKind,
    LoopNest,
    Op,
    Prefetch,
    Reduce,
    Scope,
    Stmt,
    Store,
    Symbol,
    Update,
    block,
)
from anytile.schedules.nest.simplify import simplify
from tests.support.generators.random_nests import HIGH, LANES, LOW, ROWS, SYMBOL, given_table, nests, register, table

Floats = NDArray[np.float32]
i, j, v, m = var("i"), var("j"), var("v"), var("m")
TARGETS = [Target.host(), Target.parse("llvm -mcpu=haswell")]


def _artifact(*found: LoopNest, target: Target | None = None) -> Artifact:
    texts = []
    for n, nest in enumerate(found):
        texts += [emit_function(nest, f"body{n}"), kernel_function(f"kernel{n}", f"body{n}", nest, nest.given)]
    return compile_ir(module(texts), target or Target.host(), "kernel0", facts_too=False)


def _run(loaded: Loaded, entry: str, arrays: list[Floats], dims: list[int], workspace: int = 0) -> None:
    held = np.zeros(workspace + 64, np.uint8)
    at = -held.ctypes.data % 64 + held.ctypes.data
    assert loaded.call(entry, [a.ctypes.data for a in arrays], dims, at) == 0


@pytest.mark.slow
@settings(max_examples=30)
@given(nests())
def test_random_nests(nest: LoopNest) -> None:
    """Loops of every kind, guards over lanes and not, alternatives; as made and simplified; at several sizes."""
    loaded = Loaded(_artifact(nest, simplify(nest)))
    for size in (LOW, 1, 4, 5, HIGH):
        expected = table(nest, size)
        for entry in ("kernel0", "kernel1"):
            out = np.zeros((ROWS, LANES), np.float32)
            _run(loaded, entry, [given_table(), out], [size])
            np.testing.assert_array_equal(out, expected, err_msg=f"{nest} at {SYMBOL}={size}")


def _nest(body: Stmt, *params: Buffer, symbols: tuple[Symbol, ...] = (Symbol("m", 0, 64),)) -> LoopNest:
    return LoopNest("n", params, symbols, body)


def _for(name: str, extent: Expr | int, body: Stmt, kind: LoopKind = LoopKind.SERIAL) -> Loop:
    return Loop(name, const(extent) if isinstance(extent, int) else extent, kind, body)


def _agree(nest: LoopNest, size: int, target: Target) -> None:
    env = {"m": size}
    arrays = {}
    for b in nest.params:
        shape = tuple(e.evaluate(env) for e in b.shape)
        count = int(np.prod(shape))
        arrays[b.name] = (np.arange(count, dtype=np.float32) * 0.5 - 3).reshape(shape)
    expected = {name: a.copy() for name, a in arrays.items()}
    interpret(nest, expected, env)
    got = [arrays[b.name] for b in nest.params]
    _run(Loaded(_artifact(nest, target=target)), "kernel0", got, [size], workspace_bytes(nest).evaluate(env))
    for b in nest.params:
        np.testing.assert_array_equal(arrays[b.name], expected[b.name], err_msg=f"{b.name} of\n{nest}")


X = Buffer("x", (m, const(8)))
Y = Buffer("y", (m, const(8)), output=True)
VECTOR, UNROLLED = LoopKind.VECTOR, LoopKind.UNROLLED


def _op(name: str, a: object, b: object) -> Op:
    return Op(name, (a, b))  # type: ignore[arg-type]


_X = Load("x", (i, v))
BODIES: dict[str, Stmt] = {
    "every operation on lanes": _for("i", m, _for("v", 8, block(
        Store("y", (i, v), _op("add", _X, Literal(0.1))),
        Update("y", (i, v), _op("sub", Literal(7.25), _X)),
        Update("y", (i, v), _op("div", _X, Literal(3.0))),
        Update("y", (i, v), _op("max", _X, Literal(1.5))),
        Update("y", (i, v), _op("min", Load("x", (i, const(2))), Literal(-0.5))),
        Update("y", (i, v), _op("max", _X, Load("x", (i, const(3))))),
    ), VECTOR)),
    "every operation alone": _for("i", m, block(
        Store("y", (i, const(0)), _op("mul", Load("x", (i, const(1))), Literal(-2.0))),
        Store("y", (i, const(1)), _op("max", Load("x", (i, const(1))), Load("x", (i, const(2))))),
        Store("y", (i, const(2)), _op("min", Load("x", (i, const(1))), Literal(0.25))),
        Store("y", (i, const(3)), _op("div", Load("x", (i, const(1))), Literal(7.0))),
        Update("y", (i, const(4)), _op("mul", Load("x", (i, const(1))), Literal(2.0))),
        Update("y", (i, const(5)), Literal(1.0)),
    )),
    "a sum over lanes": _for("i", m, Store("y", (i, const(3)), Reduce("add", "v", 8, _op("add", _X, Literal(1.0))))),
    "a masked update": _for("i", m, _for("v", 8, Guard((m - 3 - v, 5 - v), Update("y", (i, v), _X)), VECTOR)),
    "a masked tile of registers": _for("i", m, Alloc(register((2, 8)), block(
        _for("j", 2, _for("v", 8, Store("acc", (j, v), Literal(1.0)), VECTOR), UNROLLED),
        _for("j", 2, _for("v", 8, Guard((m - 2 - v,), Update("acc", (j, v), _op("mul", _X, _X))), VECTOR), UNROLLED),
        _for("v", 8, Store("y", (i, v), _op("add", Load("acc", (const(0), v)), Load("acc", (const(1), v)))), VECTOR),
    ))),
    "no lane at all": _for("i", m, _for("v", 8, Guard((-v - 1 - m,), Update("y", (i, v), _X)), VECTOR)),
    "an alternative": _for("i", m, _for("j", 8, Guard(
        (i + j - 4, m - 2 - i), Store("y", (i, j), Literal(1.0)), Store("y", (i, j), Load("x", (i, j)))
    ))),
    "unrolled in unrolled": _for("i", m, _for("j", 4, _for("l", 2, Update(
        "y", (i, 2 * j + var("l")), Load("x", (maximum(i - j, 0), (3 * j + var("l")) % 8))
    ), UNROLLED), UNROLLED)),
    "a workspace": Alloc(Buffer("t", (m, const(8)), Scope.WORKSPACE), block(
        _for("i", m, _for("v", 8, Store("t", (m - 1 - i, v), _X), VECTOR)),
        _for("i", m, _for("v", 8, Store("y", (i, v), Load("t", (i, v))), VECTOR)),
    )),
    "two workspaces": Alloc(Buffer("t", (m, const(3)), Scope.WORKSPACE), Alloc(
        Buffer("u", (const(5),), Scope.WORKSPACE), block(
            _for("i", m, _for("j", 3, Store("t", (i, j), Load("x", (i, j))))),
            _for("j", 5, Store("u", (j,), Literal(9.0))),
            _for("i", m, _for("j", 3, Store("y", (i, j), _op("add", Load("t", (i, j)), Load("u", (j,)))))),
        ),
    )),
    "hints": _for("i", m, block(Prefetch("x", (i + 1000, const(0)), 0), Store("y", (i, const(0)), Literal(1.0)))),
    "what was written is read back": _for("i", m, block(
        Store("y", (i, const(0)), Literal(1.0)), Store("y", (i, const(1)), Load("y", (i, const(0)))),
        Store("y", (i, const(0)), Literal(2.0)), Update("y", (i, const(1)), Load("y", (i, const(0)))),
    )),
    "one buffer name, two shapes": block(*(_for("i", m, Alloc(register((2, lanes)), block(
        _for("v", lanes, Store("acc", (const(0), v), _X), VECTOR),
        _for("v", lanes, Store("acc", (const(1), v), Literal(3.0)), VECTOR),
        _for("v", lanes, Update("y", (i, v), Load("acc", (const(0), v))), VECTOR),
        _for("v", lanes, Update("y", (i, v), Load("acc", (const(1), v))), VECTOR),
    ))) for lanes in (4, 8))),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS, ids=["host", "avx2"])
@pytest.mark.parametrize("name", BODIES)
def test_nests_of_every_shape(name: str, target: Target) -> None:
    for size in (0, 1, 5, 9):
        _agree(_nest(BODIES[name], X, Y), size, target)


def test_literals_are_exact() -> None:
    numbers = [0.1, -0.0, 1e-45, 3.4e38, float("inf"), float("-inf"), float("nan"), 1 / 3]
    stores = [Store("y", (const(n),), Literal(number)) for n, number in enumerate(numbers)]
    y = np.empty(len(numbers), np.float32)
    nest = _nest(block(*stores), Buffer("y", (const(len(numbers)),), output=True), symbols=())
    _run(Loaded(_artifact(nest)), "kernel0", [y], [])
    np.testing.assert_array_equal(y, np.array(numbers, np.float32))
    assert np.signbit(y[1])


@pytest.mark.parametrize(("number", "text"), [(1e39, "0x7FF0000000000000"), (-1e300, "0xFFF0000000000000")])
def test_what_no_float_holds_is_infinite(number: float, text: str) -> None:
    assert literal(number, "float32") == text
    with np.errstate(over="ignore"):
        assert np.isinf(np.float32(number))


def test_alignment_is_never_promised_falsely() -> None:
    """A parameter promises 4 bytes; only what the layout proves is used."""
    body = _for("i", m, _for("v", 8, Store("y", (i, v), _X), VECTOR))
    ir = emit_function(_nest(body, X, Y), "f")
    assert "align 4" in ir
    assert "align 32" not in ir
    aligned = Buffer("x", (m, const(8)), align=64)
    assert "load <8 x float>, ptr %p" in emit_function(_nest(body, aligned, Y), "f")
    assert "align 32" in emit_function(_nest(body, aligned, Y), "f")
    odd = Buffer("x", (m, const(9)), align=64)
    assert "align 4" in emit_function(_nest(body, odd, Y), "f").split("load <8 x float>")[1].splitlines()[0]


REFUSED: dict[str, tuple[Stmt, str]] = {
    "a loop of a GPU": (_for("i", m, block(), LoopKind.THREAD), "loop i: kind .*thread.* is not for a CPU"),
    "lanes in lanes": (_for("i", 4, _for("v", 4, block(), VECTOR), VECTOR), "vector loop v inside vector loop i"),
    "an unknown number of lanes": (_for("i", m, block(), VECTOR), "vector loop i: its extent m is not a number"),
    "unrolling without end": (_for("i", m, block(), UNROLLED), "unrolled loop i: its extent m is not a number"),
    "lanes in one place": (_for("v", 4, Store("y", (const(0), const(0)), Literal(1.0)), VECTOR), "store to one place"),
    "registers without size": (Alloc(Buffer("acc", (m,), Scope.REGISTER), block()), "register buffer acc"),
    "shared memory": (Alloc(Buffer("acc", (const(1),), Scope.SHARED), block()), "cannot be allocated on a CPU"),
    "an unknown operation": (_for("i", m, Store("y", (i, const(0)), _op("mix", Literal(1.0), Literal(1.0)))), "'mix'"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_emitted_is_refused(name: str) -> None:
    body, reason = REFUSED[name]
    with pytest.raises(CodegenError, match=reason):
        emit_function(_nest(body, X, Y), "f")


def test_intrinsics_are_declared_as_they_are_called() -> None:
    texts = [
        "define internal <4 x float> @f(<4 x float> %x, ptr %p) {\n"
        "  %a = call <4 x float> @llvm.sqrt.v4f32(<4 x float> %x)\n"
        "  call void @llvm.masked.store.v4f32.p0(<4 x float> %a, ptr align 4 %p, <4 x i1> <i1 1, i1 0, i1 1, i1 1>)\n"
        "  %b = tail call reassoc float @llvm.vector.reduce.fadd.v4f32(float -0.0, <4 x float> splat (float 1.0))\n"
        "  ret <4 x float> %a\n}\n"
    ]
    assert [line for line in module(texts).splitlines() if line.startswith("declare")] == [
        "declare void @llvm.masked.store.v4f32.p0(<4 x float>, ptr, <4 x i1>)",
        "declare <4 x float> @llvm.sqrt.v4f32(<4 x float>)",
        "declare float @llvm.vector.reduce.fadd.v4f32(float, <4 x float>)",
    ]


def test_what_a_branch_says_needs_no_mask_within_it() -> None:
    """Where a branch says that a vector is whole, it is loaded and stored whole; the others are masked."""
    whole = block(_for("v", 8, Guard((m - 1 - v,), Store("y", (const(0), v), Literal(1.0))), VECTOR))
    said = emit_function(_nest(Guard((m - 8,), whole), X, Y), "said")
    unsaid = emit_function(_nest(Guard((m - 7,), whole), X, Y), "unsaid")
    assert ("masked" in said, "masked" in unsaid) == (False, True)
