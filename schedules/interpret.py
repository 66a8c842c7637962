"""The reference interpreter: what a loop nest means. Slow, obvious, and the oracle for code generation.

Every statement becomes one closure; loops of every kind run in order, one element at a time, in the buffer's dtype.
An index outside its buffer is an error that names the statement, so the interpreter also proves nests free of
out-of-bounds accesses at the sizes it is run at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any as AnyType

import numpy as np
from numpy.typing import NDArray

from anytile.schedules.errors import ScheduleError
from anytile.schedules.expr import Expr
from anytile.schedules.nest import (
    Alloc,
    Block,
    Buffer,
    Guard,
    Literal,
    Load,
    Loop,
    LoopNest,
    Op,
    Prefetch,
    Stmt,
    Store,
    Sum,
    Update,
    Value,
)
from anytile.schedules.printer import print_value

Array = NDArray[AnyType]
Env = dict[str, int]
Run = Callable[[], None]

_OPS: dict[str, Callable[[AnyType, AnyType], AnyType]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "max": np.maximum,
    "min": np.minimum,
}


def interpret(nest: LoopNest, arrays: Mapping[str, Array], symbols: Mapping[str, int]) -> None:
    """Run the nest on the arrays, in place. Derived symbols are computed; every symbol must be within its range."""
    env: Env = {}
    for s in nest.symbols:
        env[s.name] = symbols[s.name] if s.derived is None else s.derived.evaluate(env)
        if env[s.name] < s.low or (s.high is not None and env[s.name] > s.high):
            raise ScheduleError(f"{nest.name}: {s.name}={env[s.name]} is outside {s.low}..{s.high}")
    held: dict[str, Array] = {}
    for b in nest.params:
        shape = tuple(e.evaluate(env) for e in b.shape)
        if arrays[b.name].shape != shape:
            raise ScheduleError(f"{nest.name}: {b.name} has shape {arrays[b.name].shape}, expected {shape}")
        held[b.name] = arrays[b.name]
    with np.errstate(all="ignore"):
        _compile(nest.body, env, held)()


def _compile(s: Stmt, env: Env, held: dict[str, Array]) -> Run:
    match s:
        case Loop(var, extent, _, body):
            return _loop(var, extent, _compile(body, env, held), env)
        case Store(buffer, index, value):
            at, what = _index(buffer, index, env, held), _value(value, env, held)

            def store() -> None:
                held[buffer][at()] = what()

            return store
        case Update(buffer, index, value):
            at, what = _index(buffer, index, env, held), _value(value, env, held)

            def update() -> None:
                held[buffer][at()] += what()

            return update
        case Guard(condition, body, otherwise):
            then = _compile(body, env, held)
            other = (lambda: None) if otherwise is None else _compile(otherwise, env, held)

            def guard() -> None:
                (then if all(e.evaluate(env) >= 0 for e in condition) else other)()

            return guard
        case Alloc(made, body):
            return _alloc(made, _compile(body, env, held), env, held)
        case Prefetch():
            return lambda: None
        case Block(body=statements):
            runs = [_compile(c, env, held) for c in statements]

            def run_all() -> None:
                for run in runs:
                    run()

            return run_all


def _loop(var: str, extent: Expr, body: Run, env: Env) -> Run:
    def loop() -> None:
        for i in range(extent.evaluate(env)):
            env[var] = i
            body()
        env.pop(var, None)

    return loop


def _alloc(buffer: Buffer, body: Run, env: Env, held: dict[str, Array]) -> Run:
    def alloc() -> None:
        shape = tuple(e.evaluate(env) for e in buffer.shape)
        held[buffer.name] = np.full(shape, np.nan, dtype=buffer.dtype)
        body()
        del held[buffer.name]

    return alloc


def _index(buffer: str, index: tuple[Expr, ...], env: Env, held: dict[str, Array]) -> Callable[[], tuple[int, ...]]:
    def at() -> tuple[int, ...]:
        found = tuple(e.evaluate(env) for e in index)
        shape = held[buffer].shape
        if len(found) != len(shape) or not all(0 <= i < n for i, n in zip(found, shape, strict=True)):
            raise ScheduleError(f"{print_value(Load(buffer, index))} is {found}, outside {shape}, where {env}")
        return found

    return at


def _value(v: Value, env: Env, held: dict[str, Array]) -> Callable[[], AnyType]:
    match v:
        case Literal(number):
            return lambda: number
        case Load(buffer, index):
            at = _index(buffer, index, env, held)
            return lambda: held[buffer][at()]
        case Op(name, args):
            if name not in _OPS:
                raise ScheduleError(f"unknown operation {name!r}; expected one of {', '.join(_OPS)}")
            op, a, b = _OPS[name], _value(args[0], env, held), _value(args[1], env, held)
            return lambda: op(a(), b())
        case Sum(var, lanes, value):
            term = _value(value, env, held)

            def total() -> AnyType:
                found = []
                for i in range(lanes):
                    env[var] = i
                    found.append(term())
                env.pop(var, None)
                return sum(found[1:], start=found[0])

            return total
