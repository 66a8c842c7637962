"""Random loop nests over one table of counters: loops of every kind, guards that hold, do not hold, or depend.

Whatever runs leaves its mark in `out[row, lane]`, so two nests that mean the same leave equal tables.
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from anytile.schedules.index.expr import Expr, ceildiv, const, minimum, var
from anytile.schedules.nest.interpret import interpret
from anytile.schedules.nest.nodes import (
    Buffer,
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
    Value,
    block,
)

ROWS, LANES = 7, 4
SYMBOL, LOW, HIGH = "s", 0, 11
_OUT = Buffer("out", (const(ROWS), const(LANES)), output=True)
_IN = Buffer("given", (const(ROWS), const(LANES)))
_VARS = ("i", "j", "l")


@st.composite
def nests(draw: st.DrawFn) -> LoopNest:
    symbols = (Symbol(SYMBOL, LOW, HIGH), Symbol("q", 0, HIGH // 4, var(SYMBOL) // 4))
    return LoopNest("random", (_IN, _OUT), symbols, draw(_statements((SYMBOL, "q"), 3)))


def table(nest: LoopNest, size: int) -> NDArray[np.float32]:
    """What the interpreter leaves in `out`."""
    out = np.zeros((ROWS, LANES), np.float32)
    interpret(nest, {"given": given_table(), "out": out}, {SYMBOL: size})
    return out


def given_table() -> NDArray[np.float32]:
    return np.arange(ROWS * LANES, dtype=np.float32).reshape(ROWS, LANES)


@st.composite
def _linear(draw: st.DrawFn, scope: tuple[str, ...]) -> Expr:
    total = const(draw(st.integers(-6, 9)))
    for name in draw(st.sets(st.sampled_from(scope), max_size=2)):
        total = total + var(name) * draw(st.sampled_from((-4, -2, -1, 1, 2, 4)))
    return total


@st.composite
def _index(draw: st.DrawFn, scope: tuple[str, ...]) -> Expr:
    e = draw(_linear(scope))
    match draw(st.integers(0, 3)):
        case 0:
            return e % ROWS
        case 1:
            return (e // draw(st.sampled_from((2, 3)))) % ROWS
        case 2:
            return minimum(e, draw(_linear(scope))) % ROWS
        case _:
            return const(draw(st.integers(0, ROWS - 1)))


@st.composite
def _statements(draw: st.DrawFn, scope: tuple[str, ...], depth: int) -> Stmt:
    return block(*(draw(_statement(scope, depth)) for _ in range(draw(st.integers(1, 2)))))


@st.composite
def _statement(draw: st.DrawFn, scope: tuple[str, ...], depth: int) -> Stmt:
    free = [name for name in _VARS if name not in scope]
    choice = draw(st.integers(0, 5)) if depth else draw(st.integers(4, 5))
    if choice <= 1 and free:
        extents = (const(draw(st.integers(0, 5))), var(SYMBOL), var("q"), ceildiv(var(SYMBOL), 3), var("q") - 1)
        extent = draw(st.sampled_from(extents))
        kind = draw(st.sampled_from((LoopKind.SERIAL, LoopKind.UNROLLED)))
        kind = LoopKind.SERIAL if extent.value is None else kind
        turns = kind is LoopKind.SERIAL and draw(st.booleans())  # sums of whole numbers are the same in any order
        return Loop(free[0], extent, kind, draw(_statements((*scope, free[0]), depth - 1)), turns=turns)
    if choice <= 3:
        condition = tuple(draw(_linear(scope)) for _ in range(draw(st.integers(1, 2))))
        otherwise = draw(st.none() | _statement(scope, depth - 1)) if depth else None
        return Guard(condition, draw(_statements(scope, max(depth - 1, 0))), otherwise)
    number = Literal(float(draw(st.integers(1, 9))))
    if choice == 4:
        place = (draw(_index(scope)), const(draw(st.integers(0, LANES - 1))))
        larger = Op("max", (number, Load("given", (draw(_index(scope)), const(1)))))
        value: Value = larger if draw(st.booleans()) else number
        return Update("out", place, value)
    return draw(_vector(scope, number))


@st.composite
def _vector(draw: st.DrawFn, scope: tuple[str, ...], number: Literal) -> Stmt:
    place = (draw(_index(scope)), var("v"))
    read = Load("given", (draw(_index(scope)), draw(st.sampled_from((var("v"), const(2))))))
    name = draw(st.sampled_from(("add", "sub", "mul", "max", "min")))
    body: Stmt = Update("out", place, Op(name, (number, read)))
    if draw(st.booleans()):
        body = Store("out", place, Op("add", (Load("out", place), Literal(1.0))))
    if draw(st.booleans()):
        body = Guard((draw(_linear(scope)) - var("v"), draw(_linear(scope))), body)
    return Loop("v", const(LANES), LoopKind.VECTOR, body)


def register(shape: tuple[int, ...]) -> Buffer:
    return Buffer("acc", tuple(const(n) for n in shape), Scope.REGISTER)
