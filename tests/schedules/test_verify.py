"""The verifier refuses every malformed nest, and says which statement and why."""

from __future__ import annotations

import pytest

from anytile.schedules.errors import ScheduleError
from anytile.schedules.expr import Expr, ceildiv, const, minimum, var
from anytile.schedules.nest import (
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
    Scope,
    Stmt,
    Store,
    Sum,
    Symbol,
    Update,
    block,
)
from anytile.schedules.verify import verify

i, j, v, m = var("i"), var("j"), var("v"), var("m")
ONE = Literal(1.0)
X = Buffer("x", (m, const(8)))
Y = Buffer("y", (m, const(8)), output=True)


def _nest(body: Stmt, symbols: tuple[Symbol, ...] = (Symbol("m"),)) -> LoopNest:
    return LoopNest("n", (X, Y), symbols, body)


def _for(name: str, extent: Expr | int, body: Stmt, kind: LoopKind = LoopKind.SERIAL) -> Loop:
    return Loop(name, const(extent) if isinstance(extent, int) else extent, kind, body)


def _rows(body: Stmt) -> Stmt:
    return _for("i", m, _for("j", 8, body))


def _registers(*shape: Expr | int, scope: Scope = Scope.REGISTER) -> Buffer:
    return Buffer("acc", tuple(const(e) if isinstance(e, int) else e for e in shape), scope)


COPY = Store("y", (i, j), Load("x", (i, j)))
VECTOR = LoopKind.VECTOR

GOOD = {
    "copy": _rows(COPY),
    "tiles with a guard": _for(
        "i", ceildiv(m, 4), _for("v", 4, Guard((m - 1 - 4 * i - v,), Store("y", (4 * i + v, const(0)), ONE)), VECTOR)
    ),
    "a guard scaled": _for("i", 6, Guard((3 - i, m - 1), _for("j", 2, Store("y", (const(0), 2 * i + j), ONE)))),
    "clamped, where a row is": _for("i", m, _for("j", 8, Store("y", (i, j), Load("x", (minimum(i + 5, m - 1), j))))),
    "otherwise": _for(
        "i", m, _for("j", 9, Guard((7 - j,), Store("y", (i, j), ONE), Store("y", (i, j - 1), ONE)))
    ),
    "a tile of registers": Alloc(
        _registers(8), _rows(block(Store("acc", (j,), ONE), Store("y", (i, j), Load("acc", (j,)))))
    ),
    "workspace of any size": Alloc(_registers(m, scope=Scope.WORKSPACE), _for("i", m, Store("acc", (i,), ONE))),
    "one register tile after another": block(
        Alloc(_registers(2), Store("acc", (const(0),), ONE)), Alloc(_registers(3), Store("acc", (const(2),), ONE))
    ),
    "a sum over lanes": _for("i", m, Store("y", (i, const(0)), Sum("v", 8, Load("x", (i, v))))),
    "a hint may point outside": _rows(block(Prefetch("x", (i + 100, j)), COPY)),
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_a_well_formed_nest_passes(name: str) -> None:
    verify(_nest(GOOD[name]))


BAD = {
    "unbound": (_for("i", m, Store("y", (i, j), ONE)), r"y\[i, j\] = 1.0: variable j is not bound here"),
    "unbound in a load": (_for("i", m, Store("y", (i, const(0)), Load("x", (i, j)))), "variable j is not bound"),
    "unbound extent": (_for("i", j, COPY), r"for i in 0..j: variable j is not bound"),
    "unbound condition": (Guard((j,), COPY), r"if j >= 0:: variable j is not bound"),
    "bound twice": (_for("i", m, _for("i", 8, COPY)), "for i in 0..8: i is already bound here"),
    "a loop named as a symbol": (_for("m", 8, COPY), "m is already bound"),
    "unknown buffer": (_rows(Store("z", (i, j), ONE)), "buffer z is not in scope"),
    "out of scope": (block(Alloc(_registers(1), block()), Store("acc", (const(0),), ONE)), "acc is not in scope"),
    "arity": (_rows(Store("y", (i,), ONE)), "y has 2 dimensions, not 1"),
    "arity of a hint": (_rows(Prefetch("x", (i,))), "x has 2 dimensions, not 1"),
    "past the end": (_rows(Store("y", (i + 1, j), ONE)), r"cannot prove i \+ 1 < m in dimension 0 of y"),
    "before the start": (_rows(Store("y", (i, j - 1), ONE)), r"cannot prove 0 <= j - 1 in dimension 1 of y"),
    "a load past the end": (_rows(Store("y", (i, j), Load("x", (i, j + 1)))), r"cannot prove j \+ 1 < 8"),
    "no row to clamp to": (Store("y", (const(0), const(0)), ONE), "cannot prove 0 < m"),
    "a clamp that is too late": (_rows(Store("y", (minimum(i + 1, m), j), ONE)), "cannot prove min"),
    "a tile that sticks out": (
        _for("i", ceildiv(m, 4), _for("j", 4, Store("y", (4 * i + j, j), ONE))), r"cannot prove 4\*i \+ j < m",
    ),
    "a guard too weak": (
        _for("i", ceildiv(m, 4), _for("j", 4, Guard((m - 4 * i - j,), Store("y", (4 * i + j, j), ONE)))),
        "cannot prove",
    ),
    "a guard that has ended": (
        _for("i", 9, block(Guard((7 - i, m - 1), block()), Store("y", (const(0), i), ONE))), "cannot prove",
    ),
    "the guard's other side": (
        _for("i", m, _for("j", 9, Guard((7 - j,), block(), Store("y", (i, j), ONE)))), "cannot prove j < 8"
    ),
    "an input is written": (_rows(Store("x", (i, j), ONE)), "x is an input"),
    "an input is updated": (_rows(Update("x", (i, j), ONE)), "x is an input"),
    "unrolled without end": (_for("i", m, block(), LoopKind.UNROLLED), "the extent must be a number"),
    "vector without end": (_for("i", m, block(), VECTOR), "the extent must be a number"),
    "vector of nothing": (_for("i", 0, block(), VECTOR), "0 lanes"),
    "lanes in lanes": (_for("i", 4, _for("j", 4, block(), VECTOR), VECTOR), "lanes of j stand inside the lanes of i"),
    "a sum in lanes": (
        _for("i", m, _for("v", 4, Store("y", (i, v), Sum("l", 8, Load("x", (i, var("l"))))), VECTOR)),
        "inside the lanes of v",
    ),
    "a sum of nothing": (_for("i", m, Store("y", (i, const(0)), Sum("v", 0, ONE))), "0 lanes"),
    "a sum over a bound variable": (_rows(Store("y", (i, j), Sum("j", 8, ONE))), "j is already bound"),
    "registers without size": (Alloc(_registers(m), block()), "registers need a fixed size, and m is not a number"),
    "a buffer twice": (Alloc(_registers(1), Alloc(_registers(2), block())), "another buffer of this name"),
    "a buffer named as a parameter": (Alloc(Buffer("x", (const(1),), Scope.REGISTER), block()), "another buffer"),
    "a parameter allocated": (Alloc(Buffer("z", (const(1),)), block()), "a parameter cannot be allocated"),
    "unknown operation": (_rows(Store("y", (i, j), Op("pow", (ONE, ONE)))), "pow of 2 values"),
    "an operation of one": (_rows(Store("y", (i, j), Op("add", (ONE,)))), "add of 1 values"),
    "a guard of nothing": (Guard((), block()), "without a condition"),
    "locality": (_rows(Prefetch("x", (i, j), 4)), "locality 4 is not in 0..3"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_malformed_nest_is_refused(name: str) -> None:
    body, reason = BAD[name]
    with pytest.raises(ScheduleError, match=reason):
        verify(_nest(body))


@pytest.mark.parametrize(
    ("symbols", "reason"),
    [
        ((Symbol("m"), Symbol("m")), "m is already bound"),
        ((Symbol("q", derived=m // 4), Symbol("m")), "symbol q: variable m is not bound"),
        ((Symbol("m", 4, 3),), r"its range 4..3 is empty"),
    ],
)
def test_symbols_are_declared_once_and_in_order(symbols: tuple[Symbol, ...], reason: str) -> None:
    with pytest.raises(ScheduleError, match=reason):
        verify(_nest(block(), symbols))


def test_parameters_are_parameters() -> None:
    with pytest.raises(ScheduleError, match="parameter acc: its scope is register"):
        verify(LoopNest("n", (_registers(1),), (), block()))
    with pytest.raises(ScheduleError, match="another buffer"):
        verify(LoopNest("n", (X, X), (Symbol("m"),), block()))
    with pytest.raises(ScheduleError, match="variable m is not bound"):
        verify(LoopNest("n", (X,), (), block()))
