"""Random nests of typed values, of every operation, dtype and statement, that have one result to the last bit.

Inputs and outputs are tables of each dtype. What the language leaves open is kept out: floats that do not fit an
integer, the sign of the zero that `max` picks, the order of a float sum, and the rounding of a multiply-add.
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

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

ROWS, LANES = 5, 8
SYMBOL, LOW, HIGH = "s", 0, 9
DTYPES = ("float32", "int32", "int64", "bool")
_INTEGERS = ("int32", "int64")
_NUMBERS = ("float32", *_INTEGERS)
_SHAPE = (const(ROWS), const(LANES))
PARAMS = (
    *(Buffer(f"in_{d}", _SHAPE, dtype=d) for d in DTYPES),
    *(Buffer(f"out_{d}", _SHAPE, dtype=d, output=True) for d in DTYPES),
)
_SPECIAL = {
    "float32": (0.0, -0.5, 1.0, 2.5, -3.0, 1e6, float("inf"), float("-inf"), float("nan")),
    "int32": (0, 1, -1, 3, -7, 2**31 - 1, -(2**31)),
    "int64": (0, 1, -1, 4, -5, 2**40, 2**63 - 1, -(2**63)),
    "bool": (True, False),
}


def tables(seed: int = 0) -> dict[str, NDArray[np.generic]]:
    """Inputs with every special number in them, outputs with something to update."""
    rng = np.random.default_rng(seed)
    found: dict[str, NDArray[np.generic]] = {}
    for b in PARAMS:
        small = rng.integers(-6, 7, (ROWS, LANES))
        table = (small * 0.5 if b.dtype == "float32" else small % 2 if b.dtype == "bool" else small).astype(b.dtype)
        if not b.output:
            special = np.array(_SPECIAL[b.dtype]).astype(b.dtype)
            table.flat[rng.permutation(ROWS * LANES)[: len(special)]] = special
        found[b.name] = table
    return found


def meaning(nest: LoopNest, size: int) -> dict[str, NDArray[np.generic]]:
    arrays = tables()
    interpret(nest, arrays, {SYMBOL: size})
    return arrays


@st.composite
def value_nests(draw: st.DrawFn) -> LoopNest:
    body = block(*(draw(_statement((SYMBOL,), None, 3)) for _ in range(draw(st.integers(1, 3)))))
    return LoopNest("values", PARAMS, (Symbol(SYMBOL, LOW, HIGH),), body)


@st.composite
def _linear(draw: st.DrawFn, scope: tuple[str, ...]) -> Expr:
    total = const(draw(st.integers(-6, 9)))
    for name in draw(st.sets(st.sampled_from(scope), max_size=2)):
        total = total + var(name) * draw(st.sampled_from((-2, -1, 1, 2)))
    return total


@st.composite
def _place(draw: st.DrawFn, scope: tuple[str, ...], lane: str | None, write: bool = False) -> tuple[Expr, Expr]:
    """An element of a table; one that is written is another one in every lane."""
    rows = [name for name in scope if name.startswith("t")]  # bound by a Let, so within the rows
    bound: bool = bool(rows) and draw(st.booleans())
    row = var(draw(st.sampled_from(rows))) if bound else draw(_linear(scope)) % ROWS
    if lane is None:
        return row, draw(_linear(scope)) % LANES
    v = var(lane)
    columns = [v, LANES - 1 - v, (3 * v) % LANES]
    if not write:
        columns += [const(draw(st.integers(0, LANES - 1))), v // 2, (2 * v) % LANES]
        row = draw(st.sampled_from((row, (row + v) % ROWS)))
    return row, draw(st.sampled_from(columns))


def _op(name: str, *args: Value) -> Value:
    return Op(name, args)


@st.composite
def _value(draw: st.DrawFn, dtype: str, scope: tuple[str, ...], lane: str | None, depth: int) -> Value:
    names = scope if lane is None else (*scope, lane)

    def same(kind: str = dtype) -> Value:
        return draw(_value(kind, scope, lane, depth - 1))

    if not depth or not draw(st.integers(0, 3)):
        choice = draw(st.integers(0, 3))
        if choice == 0:
            return Literal(draw(st.sampled_from(_SPECIAL[dtype])), dtype)
        if choice == 1 and dtype in _INTEGERS:
            return Number(draw(_linear(names) | _linear(names).map(lambda e: e // 3)), dtype)
        return Load(f"in_{dtype}", draw(_place(scope, lane)))
    if draw(st.integers(0, 4)) == 0:
        return _op("select", same("bool"), same(), same())
    if draw(st.integers(0, 4)) == 0:
        return draw(_cast(dtype, scope, lane, depth - 1))
    if dtype == "bool":
        if draw(st.booleans()):
            kind = draw(st.sampled_from(_NUMBERS))
            return _op(draw(st.sampled_from(("lt", "le", "gt", "ge", "eq", "ne"))), same(kind), same(kind))
        name = draw(st.sampled_from(("and", "or", "not", "eq", "ne")))
        return _op(name, same()) if name == "not" else _op(name, same(), same())
    if lane is None and "r" not in scope and draw(st.integers(0, 5)) == 0:
        kinds = ("max", "min") if dtype == "float32" else ("add", "mul", "max", "min")
        lanes = draw(st.sampled_from((1, 4, 5, 8)))
        return Reduce(draw(st.sampled_from(kinds)), "r", lanes, draw(_value(dtype, scope, "r", depth - 1)))
    if draw(st.booleans()):
        return _op(draw(st.sampled_from(("add", "sub", "mul", "max", "min"))), same(), same())
    if draw(st.booleans()):
        return _op(draw(st.sampled_from(("neg", "abs"))), same())
    if dtype in _INTEGERS:
        return _op(draw(st.sampled_from(("floordiv", "mod"))), same(), same())
    match draw(st.integers(0, 3)):
        case 0:
            return _op(draw(st.sampled_from(("floor", "ceil"))), same())
        case 1:
            return _op("sqrt", _op("abs", same()))
        case 2:
            return _op("rsqrt", _op("add", _op("abs", same()), Literal(1.0)))
        case _:
            return _op("div", same(), _op("add", _op("abs", same()), Literal(1.0)))


@st.composite
def _cast(draw: st.DrawFn, dtype: str, scope: tuple[str, ...], lane: str | None, depth: int) -> Value:
    source = draw(st.sampled_from(DTYPES))
    value = draw(_value(source, scope, lane, depth))
    if source == "float32" and dtype in _INTEGERS:
        fits = _op("lt", _op("abs", value), Literal(1000.0))  # and is false for NaN
        value = _op("select", fits, value, Literal(0.0))
    return Cast(dtype, value)


@st.composite
def _leaf(draw: st.DrawFn, scope: tuple[str, ...], lane: str | None) -> Stmt:
    dtype = draw(st.sampled_from(DTYPES))
    at, value = draw(_place(scope, lane, write=True)), draw(_value(dtype, scope, lane, 3))
    if dtype == "bool" or draw(st.booleans()):
        return Store(f"out_{dtype}", at, value)
    op = draw(st.sampled_from(("add", "mul", "max", "min")))
    if dtype == "float32" and op == "add":
        value = _op("max", value, Literal(-1e6))  # a product would be rounded once with the sum
    return Update(f"out_{dtype}", at, value, op)


@st.composite
def _statement(draw: st.DrawFn, scope: tuple[str, ...], lane: str | None, depth: int) -> Stmt:
    if not depth:
        return draw(_leaf(scope, lane))
    names = scope if lane is None else (*scope, lane)
    inner = st.deferred(lambda: _statement(scope, lane, depth - 1))
    match draw(st.integers(0, 5)):
        case 0 if lane is None:
            name = f"i{depth}"
            extent = draw(st.sampled_from((const(2), const(3), var(SYMBOL))))
            kind = (
                LoopKind.SERIAL if extent.value is None else draw(st.sampled_from((LoopKind.SERIAL, LoopKind.UNROLLED)))
            )
            return Loop(name, extent, kind, draw(_statement((*scope, name), lane, depth - 1)))
        case 1 | 2 if lane is None:
            lanes = draw(st.sampled_from((LANES, LANES, 4, 3, 1)))
            return Loop("v", const(lanes), LoopKind.VECTOR, draw(_statement(scope, "v", depth - 1)))
        case 3:
            condition = tuple(draw(_linear(names)) for _ in range(draw(st.integers(1, 2))))
            return Guard(condition, draw(inner), draw(st.none() | inner))
        case 4:
            name = f"t{depth}"
            value = draw(_value(draw(st.sampled_from(_INTEGERS)), scope, lane, 2))
            return Let(
                name, value, const(draw(st.sampled_from((ROWS, 2)))), draw(_statement((*scope, name), lane, depth - 1))
            )
        case 5 if lane is None:
            return draw(_staged(scope, depth))
        case _:
            return draw(_leaf(scope, lane))


@st.composite
def _staged(draw: st.DrawFn, scope: tuple[str, ...], depth: int) -> Stmt:
    """A buffer of its own, filled whole and partly again, then read back."""
    dtype = draw(st.sampled_from(DTYPES))
    held = Buffer(f"held{depth}", (const(LANES),), draw(st.sampled_from((Scope.REGISTER, Scope.WORKSPACE))), dtype)

    def loop(value: Value, to: str, at: tuple[Expr, ...], *conditions: Expr) -> Stmt:
        body: Stmt = Store(to, at, value)
        body = Guard(conditions, body) if conditions else body
        return Loop("v", const(LANES), LoopKind.VECTOR, body)

    v = var("v")
    mixed = (draw(st.sampled_from((v, LANES - 1 - v, (3 * v) % LANES))),)
    return Alloc(
        held,
        block(
            loop(draw(_value(dtype, scope, "v", 1)), held.name, (v,)),
            loop(draw(_value(dtype, scope, "v", 1)), held.name, mixed, draw(_linear((*scope, "v")))),
            loop(Load(held.name, mixed), f"out_{dtype}", draw(_place(scope, "v", write=True))),
        ),
    )
