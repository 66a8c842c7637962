"""The reference interpreter: what a loop nest means. Slow, obvious, and the oracle for code generation.

Every statement becomes one closure; loops of every kind run in order, one element at a time, in the buffer's dtype.
Copies happen at once, and barriers are nothing: whoever runs in order need not wait.
An index outside its buffer is an error that names the statement, so the interpreter also proves nests free of
out-of-bounds accesses at the sizes it is run at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from operator import lt
from typing import Any as AnyType

import numpy as np
from numpy.typing import NDArray

from anytile.core.dtypes import STORED_FLOATS
from anytile.core.errors import ScheduleError
from anytile.schedules.index.compiled import evaluator
from anytile.schedules.index.expr import Expr
from anytile.schedules.nest.mma_operations import matrix_operation
from anytile.schedules.nest.nodes import (
    Ahead,
    Alloc,
    Barrier,
    Block,
    Buffer,
    BulkCopy,
    Cast,
    Commit,
    Copy,
    Deliver,
    Guard,
    Last,
    Let,
    Literal,
    Load,
    Loop,
    LoopNest,
    Number,
    Op,
    Prefetch,
    Reduce,
    Relay,
    Stmt,
    Store,
    Tile,
    Update,
    Value,
    Wait,
)
from anytile.schedules.nest.operations import operation
from anytile.schedules.nest.printer import print_value
from anytile.schedules.nest.stored_floats import held_as, rounded

Array = NDArray[AnyType]
Env = dict[str, int]
Run = Callable[[], None]


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
        case Update(buffer, index, value, name):
            at, what, op = _index(buffer, index, env, held), _value(value, env, held), operation(name).meaning

            def update() -> None:
                place = at()
                held[buffer][place] = op(held[buffer][place], what())

            return update
        case Let(var, value, extent, body):
            return _let(var, _value(value, env, held), extent, _compile(body, env, held), env)
        case Guard(condition, body, otherwise):
            then, numbers = _compile(body, env, held), evaluator(condition, env)
            other = (lambda: None) if otherwise is None else _compile(otherwise, env, held)

            def guard() -> None:
                (then if min(numbers(), default=0) >= 0 else other)()

            return guard
        case Alloc(made, body):
            return _alloc(made, _compile(body, env, held), env, held)
        case Prefetch() | Ahead() | Barrier() | Commit() | Wait():
            return lambda: None
        case Copy():
            return _copy(s, env, held)
        case BulkCopy():
            return _bulk_copy(s, env, held)
        case Relay():
            return _relay(s, env, held)
        case Deliver():
            return _deliver(s, env, held)
        case Last(var, rounds, body):
            last = _compile(body, env, held)

            def if_last() -> None:
                if env.get(var, 0) == rounds - 1:
                    last()

            return if_last
        case Tile(name, args):
            tiles = matrix_operation(name)
            parts = [_part(a, o.shape, env, held) for a, o in zip(args, tiles.operands, strict=True)]

            def on_tiles() -> None:
                tiles.meaning(*(held[a.buffer][part()] for a, part in zip(args, parts, strict=True)))

            return on_tiles
        case Block(body=statements):
            runs = [_compile(c, env, held) for c in statements]

            def run_all() -> None:
                for run in runs:
                    run()

            return run_all


def _loop(var: str, extent: Expr, body: Run, env: Env) -> Run:
    rounds = evaluator((extent,), env)

    def loop() -> None:
        for i in range(*rounds()):
            env[var] = i
            body()
        env.pop(var, None)

    return loop


def _copy(s: Copy, env: Env, held: dict[str, Array]) -> Run:
    """Elements one by one, so that each is checked."""
    last, steps = s.index[-1], range(s.count)
    to = [_index(s.buffer, (*s.index[:-1], last + i), env, held) for i in steps]
    source = s.source.index
    of = [_index(s.source.buffer, (*source[:-1], source[-1] + i), env, held) for i in steps]
    where = evaluator(s.where, env)

    def copy() -> None:
        valid = min(where(), default=0) >= 0
        for there, here in zip(to, of, strict=True):
            held[s.buffer][there()] = held[s.source.buffer][here()] if valid else 0

    return copy


def _boxes(
    tile: Load, whole: Load, size: tuple[int, ...], steps: tuple[int, ...], env: Env, held: dict[str, Array]
) -> Callable[[], tuple[Array, Array, tuple[Array, ...], tuple[Array, ...]]]:
    """A tile as a box, what it is of, and the elements that are in both, as either of them has them."""
    at, corner = _part(Load(tile.buffer, tile.index), (), env, held), evaluator(whole.index, env)
    apart = steps or (1,) * len(size)

    def found() -> tuple[Array, Array, tuple[Array, ...], tuple[Array, ...]]:
        stages: Array = held[tile.buffer]
        of: Array = held[whole.buffer]
        box = stages[at()[: len(tile.index)]].reshape(size)
        places = [start + np.arange(n) * step for start, n, step in zip(corner(), size, apart, strict=True)]
        inside = [(along >= 0) & (along < n) for along, n in zip(places, of.shape, strict=True)]
        return box, of, np.ix_(*inside), np.ix_(*(p[i] for p, i in zip(places, inside, strict=True)))

    return found


def _bulk_copy(s: BulkCopy, env: Env, held: dict[str, Array]) -> Run:
    boxes = _boxes(Load(s.buffer, s.index), s.source, s.box, s.steps, env, held)

    def copy() -> None:
        tile, whole, here, there = boxes()
        tile[...] = 0
        tile[here] = whole[there]

    return copy


def _deliver(s: Deliver, env: Env, held: dict[str, Array]) -> Run:
    """Rounds are counted for each place of a stage, as those of a relay."""
    boxes, work = _boxes(s.source, Load(s.buffer, s.index), s.box, (), env, held), _compile(s.work, env, held)
    numbers, last = evaluator((s.round, *s.source.index[1:]), env), dict[tuple[int, ...], int]()
    where = evaluator(s.where, env)

    def run() -> None:
        now, *place = numbers()
        if now not in (0, last.get(tuple(place), -1) + 1):
            raise ScheduleError(f"deliver round {s.round} is {now} after {last.get(tuple(place), -1)}, where {env}")
        last[tuple(place)] = now
        if min(where(), default=0) < 0:
            return
        work()
        tile, whole, here, there = boxes()
        whole[there] = tile[here]

    return run


def _relay(s: Relay, env: Env, held: dict[str, Array]) -> Run:
    """Rounds are counted: stages are told by their numbers, so that one that is left out would stop a GPU."""
    number, fill, work = evaluator((s.round,), env), _compile(s.fill, env, held), _compile(s.work, env, held)
    last = [-1]

    def run() -> None:
        (now,) = number()
        if now not in (0, last[0] + 1):
            raise ScheduleError(f"relay round {s.round} is {now} after {last[0]}, where {env}")
        last[0] = now
        fill()
        work()

    return run


def _part(a: Load, shape: tuple[int, ...], env: Env, held: dict[str, Array]) -> Callable[[], tuple[slice, ...]]:
    """The part of a buffer that begins at an index and has this shape in its last dimensions."""

    numbers = evaluator(a.index, env)

    def part() -> tuple[slice, ...]:
        start = list(numbers())
        start += [0] * (held[a.buffer].ndim - len(start))
        size = [1] * (len(start) - len(shape)) + list(shape)
        return tuple(slice(i, i + n) for i, n in zip(start, size, strict=True))

    return part


def _let(var: str, value: Callable[[], AnyType], extent: Expr, body: Run, env: Env) -> Run:
    def let() -> None:
        env[var] = min(max(int(value()), 0), extent.evaluate(env) - 1)
        body()
        env.pop(var, None)

    return let


def _alloc(buffer: Buffer, body: Run, env: Env, held: dict[str, Array]) -> Run:
    def alloc() -> None:
        shape = tuple(e.evaluate(env) for e in buffer.shape)
        held[buffer.name] = np.full(shape, _undefined(buffer.dtype), dtype=held_as(buffer.dtype))
        body()
        del held[buffer.name]

    return alloc


def _undefined(dtype: str) -> float:
    """What a new buffer is full of: a number that shows where it is used."""
    if dtype == "bool":
        return True
    return np.nan if dtype in ("float32", *STORED_FLOATS) else int(np.iinfo(dtype).min) // 3


def _index(buffer: str, index: tuple[Expr, ...], env: Env, held: dict[str, Array]) -> Callable[[], tuple[int, ...]]:
    numbers = evaluator(index, env)

    def at() -> tuple[int, ...]:
        found, shape = numbers(), held[buffer].shape
        if len(found) != len(shape) or min(found, default=0) < 0 or not all(map(lt, found, shape)):
            raise ScheduleError(f"{print_value(Load(buffer, index))} is {found}, outside {shape}, where {env}")
        return found

    return at


def _value(v: Value, env: Env, held: dict[str, Array]) -> Callable[[], AnyType]:
    match v:
        case Literal(number, dtype):
            exact = np.dtype(dtype).type(number)
            return lambda: exact
        case Load(buffer, index):
            at = _index(buffer, index, env, held)
            return lambda: held[buffer][at()]
        case Op(name, args):
            op, found = operation(name).meaning, [_value(a, env, held) for a in args]
            return lambda: op(*[a() for a in found])
        case Cast(dtype, inner):
            what = _value(inner, env, held)
            return lambda: rounded(what(), dtype)[()]
        case Number(e, dtype):
            number_of = np.dtype(dtype).type
            return lambda: np.int64(e.evaluate(env)).astype(number_of)
        case Reduce(name, var, lanes, inner):
            op, term = operation(name).meaning, _value(inner, env, held)

            def total() -> AnyType:
                found = []
                for i in range(lanes):
                    env[var] = i
                    found.append(term())
                env.pop(var, None)
                return reduce(op, found)

            return total
