"""The loop nest: the small typed language between schedules and code generation.

A nest reads and writes named buffers inside loops. Indices are `Expr`s; element values are float expressions. Loops
carry a kind that says how they run but never what they compute: every kind means the same as a serial loop, except
that a vector loop may add in another order. Buffers with scope `register` or `workspace` live where they are allocated.

    Loop(var, extent, kind, body)       extent may be symbolic; a vector loop's extent is a number (its lanes)
    Store(buffer, index, value)         y[index] = value
    Update(buffer, index, value)        y[index] += value
    Guard(condition, body)              body runs where every expression of the condition is >= 0
    Alloc(buffer, body)                 the buffer lives within body, its content undefined at first
    Prefetch(buffer, index, ...)        a hint; may point outside the buffer
    Block(statements)                   one after the other
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from anytile.schedules.bounds import Bounds
from anytile.schedules.errors import ScheduleError
from anytile.schedules.expr import Expr


class LoopKind(enum.StrEnum):
    SERIAL = "for"
    UNROLLED = "unroll"
    VECTOR = "vector"
    PARALLEL = "parallel"
    BLOCK = "block"
    THREAD = "thread"


class Scope(enum.StrEnum):
    PARAM = "param"
    WORKSPACE = "workspace"
    REGISTER = "register"
    SHARED = "shared"


@dataclass(frozen=True, slots=True)
class Buffer:
    """A dense row-major array. `align` is a promise about the address of a parameter, in bytes."""

    name: str
    shape: tuple[Expr, ...]
    scope: Scope = Scope.PARAM
    dtype: str = "float32"
    output: bool = False
    align: int = 4


# Values: what a Store or an Update computes.


@dataclass(frozen=True, slots=True)
class Literal:
    number: float


@dataclass(frozen=True, slots=True)
class Load:
    buffer: str
    index: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Op:
    """`add`, `sub`, `mul`, `div`, `max`, `min` of two values."""

    name: str
    args: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Sum:
    """The sum of `value` for `var` in 0..lanes-1, across the lanes of a vector."""

    var: str
    lanes: int
    value: Value


Value = Literal | Load | Op | Sum

# Statements.


@dataclass(frozen=True, slots=True)
class Loop:
    var: str
    extent: Expr
    kind: LoopKind
    body: Stmt


@dataclass(frozen=True, slots=True)
class Store:
    buffer: str
    index: tuple[Expr, ...]
    value: Value


@dataclass(frozen=True, slots=True)
class Update:
    buffer: str
    index: tuple[Expr, ...]
    value: Value


@dataclass(frozen=True, slots=True)
class Guard:
    condition: tuple[Expr, ...]
    body: Stmt
    otherwise: Stmt | None = None


@dataclass(frozen=True, slots=True)
class Alloc:
    buffer: Buffer
    body: Stmt


@dataclass(frozen=True, slots=True)
class Prefetch:
    """Bring a cache line near: `locality` 3 keeps it everywhere, 0 is non-temporal."""

    buffer: str
    index: tuple[Expr, ...]
    locality: int = 3


@dataclass(frozen=True, slots=True)
class Block:
    body: tuple[Stmt, ...]


Stmt = Loop | Store | Update | Guard | Alloc | Prefetch | Block


@dataclass(frozen=True, slots=True)
class Symbol:
    """A number known at run time, in `low..high`. A derived one is computed from earlier ones, as `q = m // 8`."""

    name: str
    low: int = 0
    high: int | None = None
    derived: Expr | None = None


@dataclass(frozen=True, slots=True)
class LoopNest:
    """Parameters in the order of the kernel ABI, symbols (given ones first, sorted by name), and the statement."""

    name: str
    params: tuple[Buffer, ...]
    symbols: tuple[Symbol, ...]
    body: Stmt

    def __str__(self) -> str:
        from anytile.schedules.printer import print_nest

        return print_nest(self)

    @property
    def given(self) -> tuple[str, ...]:
        return tuple(s.name for s in self.symbols if s.derived is None)

    @property
    def bounds(self) -> Bounds:
        made = Bounds()
        for s in self.symbols:
            made = made.having(s.name, s.low, s.high)
        return made

    def param(self, name: str) -> Buffer:
        for b in self.params:
            if b.name == name:
                return b
        raise ScheduleError(f"{self.name} has no parameter {name!r}; expected {', '.join(b.name for b in self.params)}")

    def with_body(self, body: Stmt) -> LoopNest:
        return replace(self, body=body)


def block(*statements: Stmt | None) -> Stmt:
    """Statements in order, flattened; a block of one is that one."""
    flat: list[Stmt] = []
    for s in statements:
        if isinstance(s, Block):
            flat.extend(s.body)
        elif s is not None:
            flat.append(s)
    return flat[0] if len(flat) == 1 else Block(tuple(flat))


def children(s: Stmt) -> tuple[Stmt, ...]:
    match s:
        case Loop(body=body) | Alloc(body=body):
            return (body,)
        case Guard(body=body, otherwise=otherwise):
            return (body,) if otherwise is None else (body, otherwise)
        case Block(body=statements):
            return statements
        case _:
            return ()


def walk(s: Stmt) -> Iterator[Stmt]:
    yield s
    for child in children(s):
        yield from walk(child)


def rebuild(s: Stmt, change: Callable[[Stmt], Stmt]) -> Stmt:
    """The same statement with each child changed."""
    match s:
        case Loop() | Alloc():
            return replace(s, body=change(s.body))
        case Guard():
            return replace(s, body=change(s.body), otherwise=None if s.otherwise is None else change(s.otherwise))
        case Block(body=statements):
            return block(*(change(c) for c in statements))
        case _:
            return s


def map_value(v: Value, load: Callable[[Load], Value]) -> Value:
    """The same value with each load replaced."""
    match v:
        case Load():
            return load(v)
        case Op(name, args):
            return Op(name, tuple(map_value(a, load) for a in args))
        case Sum(var, lanes, value):
            return Sum(var, lanes, map_value(value, load))
        case Literal():
            return v


def loads(v: Value) -> Iterator[Load]:
    match v:
        case Load():
            yield v
        case Op(_, args):
            for a in args:
                yield from loads(a)
        case Sum(_, _, value):
            yield from loads(value)
        case Literal():
            return


def map_exprs(s: Stmt, change: Callable[[Expr], Expr]) -> Stmt:
    """The same statement with every index expression changed: extents, indices and conditions, all the way down."""

    def on_index(index: tuple[Expr, ...]) -> tuple[Expr, ...]:
        return tuple(change(e) for e in index)

    def on_load(v: Load) -> Value:
        return Load(v.buffer, on_index(v.index))

    def visit(s: Stmt) -> Stmt:
        match s:
            case Loop():
                return replace(s, extent=change(s.extent), body=visit(s.body))
            case Store() | Update():
                return replace(s, index=on_index(s.index), value=map_value(s.value, on_load))
            case Prefetch():
                return replace(s, index=on_index(s.index))
            case Guard(condition, body, otherwise):
                return Guard(on_index(condition), visit(body), None if otherwise is None else visit(otherwise))
            case Alloc(buffer, body):
                return Alloc(replace(buffer, shape=on_index(buffer.shape)), visit(body))
            case Block():
                return rebuild(s, visit)

    return visit(s)
