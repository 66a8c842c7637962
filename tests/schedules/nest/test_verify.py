"""The verifier refuses every malformed nest, and says which statement and why."""

from __future__ import annotations

import pytest

from anytile.core.errors import ScheduleError
from anytile.schedules.index.expr import Expr, ceildiv, const, minimum, var
from anytile.schedules.nest.nodes import (
    Alloc,
    Buffer,
    Cast,
    Grain,
    Guard,
    Let,
    Literal,
    Load,
    Loop,
    LoopKind,
    LoopNest,
    Number,
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
from anytile.schedules.nest.verify import verify

i, j, k, v, m = var("i"), var("j"), var("k"), var("v"), var("m")
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


def _last_half(place: Expr) -> Stmt:
    write = _for("k", 2, Store("acc", (place,), ONE))
    last = Guard((j - i // 2, i // 2 - j), Guard((i - 2 * (i // 2) - 1,), write))
    return Alloc(_registers(6 * m + 6, scope=Scope.WORKSPACE), _for("i", m, _for("j", m, last)))


COPY = Store("y", (i, j), Load("x", (i, j)))
VECTOR, PARALLEL = LoopKind.VECTOR, LoopKind.PARALLEL

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
    "a sum over lanes": _for("i", m, Store("y", (i, const(0)), Reduce("add", "v", 8, Load("x", (i, v))))),
    "rows by threads": _for("i", m, _for("j", 8, COPY), PARALLEL),
    "tiles by threads, with a grain": Loop(
        "i", m, PARALLEL, Alloc(_registers(8), _for("j", 8, Store("acc", (j,), Load("x", (i, j))))), Grain(8 * m, 64)
    ),
    "rounds to and fro": Loop("i", m, LoopKind.SERIAL, _for("j", 8, COPY), turns=True),
    "to and fro by threads": Loop("i", m, PARALLEL, _for("j", 8, COPY), turns=True),
    "a let says where": Guard((m - 1,), _for("j", 8, Let("k", Number(j), m, Store("y", (k, j), ONE)))),
    "a let of lanes": _for("i", m, _for("v", 8, Let("k", Number(v, "int32"), m, Store("y", (k, v), ONE)), VECTOR)),
    "a hint may point outside": _rows(block(Prefetch("x", (i + 100, j)), COPY)),
    "a piece of the half that is too many": _last_half(6 * ((i + 1) // 2) - 6 * j - 2 * k - 1),
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_a_well_formed_nest_passes(name: str) -> None:
    verify(_nest(GOOD[name]))


BAD = {
    "threads in threads": (
        _for("i", m, _for("j", 8, COPY, PARALLEL), PARALLEL), "parallel j in 0..8: it stands inside the parallel loop i"
    ),
    "threads in lanes": (_for("i", 8, _for("j", m, block(), PARALLEL), VECTOR), "stands inside the lanes of i"),
    "iterations store to one place": (
        _for("i", 8, Guard((m - 1,), Store("y", (const(0), const(0)), ONE)), PARALLEL),
        r"y\[0, 0\] = 1.0: iterations of the parallel loop i meet in y",
    ),
    "an iteration reads what others write": (
        _for("i", m, Store("y", (i, const(0)), Load("y", (m - 1, const(0)))), PARALLEL), "the parallel loop i meet in y"
    ),
    "registers of all threads": (
        Alloc(_registers(8), _for("i", 8, Store("acc", (i,), ONE), PARALLEL)), "reaches registers acc outside it"
    ),
    "a grain of nothing": (Loop("i", m, PARALLEL, block(), Grain(m, 0)), "a thread for every 0 of its work"),
    "a grain of something unknown": (Loop("i", m, PARALLEL, block(), Grain(j, 1)), "variable j is not bound"),
    "a grain for one thread": (Loop("i", m, LoopKind.SERIAL, block(), Grain(m, 1)), "only a parallel loop has a grain"),
    "a sum to and fro": (
        Alloc(_registers(1), Loop("i", m, LoopKind.SERIAL, Update("acc", (const(0),), ONE), turns=True)),
        r"acc\[0\] \+= 1.0: iterations of the turning loop i meet in acc",
    ),
    "one place to and fro": (
        Guard((m - 1,), Loop("i", m, LoopKind.SERIAL, Store("y", (const(0), const(0)), ONE), turns=True)),
        "iterations of the turning loop i meet in y",
    ),
    "lanes to and fro": (Loop("v", const(8), VECTOR, block(), turns=True), "kind vector has no rounds in order"),
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
    "no half is too many": (_last_half(6 * ((i + 1) // 2) - 6 * j - 2 * k - 5), "cannot prove 0 <= "),
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
        _for("i", m, _for("v", 4, Store("y", (i, v), Reduce("add", "l", 8, Load("x", (i, var("l"))))), VECTOR)),
        "inside the lanes of v",
    ),
    "a sum of nothing": (_for("i", m, Store("y", (i, const(0)), Reduce("add", "v", 0, ONE))), "0 lanes"),
    "a sum over a bound variable": (_rows(Store("y", (i, j), Reduce("add", "j", 8, ONE))), "j is already bound"),
    "registers without size": (Alloc(_registers(m), block()), "registers need a fixed size, and m is not a number"),
    "a buffer twice": (Alloc(_registers(1), Alloc(_registers(2), block())), "another buffer of this name"),
    "a buffer named as a parameter": (Alloc(Buffer("x", (const(1),), Scope.REGISTER), block()), "another buffer"),
    "a parameter allocated": (Alloc(Buffer("z", (const(1),)), block()), "a parameter cannot be allocated"),
    "unknown operation": (_rows(Store("y", (i, j), Op("power", (ONE, ONE)))), "unknown operation 'power'"),
    "an operation of one": (_rows(Store("y", (i, j), Op("add", (ONE,)))), "add of float32; expected 2 of one dtype"),
    "operands of two dtypes": (
        _rows(Store("y", (i, j), Op("add", (ONE, Literal(1, "int64"))))), r"y\[i, j\] = .*: add of float32, int64;",
    ),
    "a value of another dtype": (
        _rows(Store("y", (i, j), Number(i))), "y is float32, and the value is int64; cast it",
    ),
    "an update of another dtype": (_rows(Update("y", (i, j), Number(i))), "y is float32, and the value is int64"),
    "an update of bools": (
        Alloc(Buffer("acc", (const(1),), Scope.REGISTER, "bool"), Update("acc", (const(0),), Literal(True, "bool"))),
        "an update of bool by 'add'; expected a number",
    ),
    "an update by division": (_rows(Update("y", (i, j), ONE, "div")), "an update of float32 by 'div'"),
    "an unknown dtype": (Alloc(Buffer("acc", (const(1),), Scope.REGISTER, "uint16"), block()), "its dtype is uint16"),
    "an index out of scope as a value": (_rows(Store("y", (i, j), Cast("float32", Number(k)))), "variable k is not"),
    "a let of a float": (_rows(Let("k", ONE, m, COPY)), r"let k = 1.0 in 0..m:: the value is float32; expected int32"),
    "a let of a bound variable": (_rows(Let("j", Number(i), m, COPY)), "j is already bound here"),
    "a let of nothing": (Let("k", Number(m), m, block()), "cannot prove that m is at least 1; guard it"),
    "a let that loads outside": (
        _rows(Let("k", Cast("int64", Load("x", (i + 1, j))), m, COPY)), r"cannot prove i \+ 1 < m in dimension 0 of x",
    ),
    "a let beyond its extent": (_rows(Let("k", Number(i), const(9), Store("y", (i, k), ONE))), "cannot prove k < 8"),
    "a let that has ended": (_rows(block(Let("k", Number(i), m, COPY), Store("y", (k, j), ONE))), "k is not bound"),
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


def _rest(missing: int) -> LoopNest:
    """What is left of m rows after whole eights, its guard wrong by so many."""
    rest = Symbol("rest", 0, 7, m - m // 8 * 8)
    body = _for("j", 8, Guard((var("rest") - 1 + missing - j,), Store("y", (m // 8 * 8 + j, const(0)), ONE)))
    return _nest(body, (Symbol("m"), rest))


def test_a_derived_symbol_is_what_it_is_computed_from() -> None:
    verify(_rest(0))
    with pytest.raises(ScheduleError, match=r"cannot prove 8\*\(m // 8\) \+ j < m in dimension 0 of y"):
        verify(_rest(1))
