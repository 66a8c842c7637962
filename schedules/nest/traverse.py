"""Visitors and rewriters of statement trees: the one way to walk a nest, and the one to change it.

`walk` yields statements and `walk_value` what values are made of, from outside in. `rewrite` puts other statements in
place of some, `map_exprs` and `map_loads` change what statements read and where. What gives every kind of statement a
meaning of its own (interpreter, verifier, printer, emitters) matches on all of them instead, and mypy sees that none is
forgotten. Invariant: nothing here changes a tree; what a change leaves as it is, is the same object afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import is_
from typing import Any, TypeVar

from anytile.schedules.index.expr import Expr
from anytile.schedules.nest.nodes import (
    Ahead,
    Alloc,
    Block,
    Buffer,
    BulkCopy,
    Cast,
    Copy,
    Deliver,
    Grain,
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
    block,
)

X = TypeVar("X")
N = TypeVar("N", bound=Stmt | Value | Buffer | Grain)
P = TypeVar("P", bound=Load | Prefetch)

# Statements


_CHILDREN: Mapping[type, Callable[[Any], tuple[Stmt, ...]]] = {  # by kind, of those that have any
    **dict.fromkeys((Loop, Ahead, Alloc, Let, Last), lambda s: (s.body,)),
    Guard: lambda s: (s.body,) if s.otherwise is None else (s.body, s.otherwise),
    Relay: lambda s: (s.fill, s.work),
    Deliver: lambda s: (s.work,),
    Block: lambda s: s.body,
}


def children(s: Stmt) -> tuple[Stmt, ...]:
    inside = _CHILDREN.get(type(s))
    return () if inside is None else inside(s)


def walk(s: Stmt) -> Iterator[Stmt]:
    """The statement and all that stand inside it, in the order in which they are written."""
    ahead = [s]
    while ahead:
        s = ahead.pop()
        yield s
        inside = _CHILDREN.get(type(s))
        if inside is not None:
            ahead += reversed(inside(s))


def loops(s: Stmt, name: str | None = None) -> Iterator[Loop]:
    """Its loops, or those of a name."""
    return (x for x in walk(s) if isinstance(x, Loop) and (name is None or x.var == name))


def rebuild(s: Stmt, change: Callable[[Stmt], Stmt]) -> Stmt:
    """The statement with each child changed."""
    if type(s) not in _CHILDREN:
        return s
    match s:
        case Loop() | Ahead() | Alloc() | Let() | Last():
            return having(s, body=change(s.body))
        case Guard():
            return having(s, body=change(s.body), otherwise=None if s.otherwise is None else change(s.otherwise))
        case Relay():
            return having(s, fill=change(s.fill), work=change(s.work))
        case Deliver():
            return having(s, work=change(s.work))
        case Block(body=statements):
            made = _each(statements, change)
            return s if made is statements else block(*made)
        case _:
            return s


def rewrite(s: Stmt, change: Callable[[Stmt], Stmt | None]) -> Stmt:
    """What `change` makes of a statement stands in its place; where that is None, its children are rewritten."""
    made = change(s)
    return rebuild(s, lambda c: rewrite(c, change)) if made is None else made


def each_loop(s: Stmt, name: str, change: Callable[[Loop], Stmt]) -> Stmt:
    """What `change` makes of it in place of each loop of a name."""
    return rewrite(s, lambda x: change(x) if isinstance(x, Loop) and x.var == name else None)


def exchanged(s: Stmt, old: Stmt, new: Stmt) -> Stmt:
    """One statement, this very object, in place of another."""
    return rewrite(s, lambda x: new if x is old else None)


def chain_of(s: Stmt) -> tuple[list[Loop], Stmt]:
    """The loops that stand outermost in a statement, from outside in, and what they are around."""
    found = []
    while isinstance(s, Loop):
        found.append(s)
        s = s.body
    return found, s


def around(chain: Sequence[Loop], body: Stmt) -> Stmt:
    """The loops, from outside in, around a body."""
    for loop in reversed(chain):
        body = having(loop, body=body)
    return body


def guarded(condition: tuple[Expr, ...], body: Stmt) -> Stmt:
    """The body where all of the condition holds; an empty one always does."""
    return Guard(condition, body) if condition else body


# Values


def walk_value(v: Value) -> Iterator[Value]:
    """The value and all that it is made of."""
    yield v
    match v:
        case Op(_, args):
            for a in args:
                yield from walk_value(a)
        case Cast(value=value) | Reduce(value=value):
            yield from walk_value(value)


def loads(v: Value) -> Iterator[Load]:
    return (x for x in walk_value(v) if isinstance(x, Load))


def rebuild_value(v: Value, change: Callable[[Value], Value]) -> Value:
    """The value with each that it is made of changed."""
    match v:
        case Op(name, args):
            made = _each(args, change)
            return v if made is args else Op(name, made)
        case Cast() | Reduce():
            return having(v, value=change(v.value))
        case Load() | Literal() | Number():
            return v


def map_value(v: Value, load: Callable[[Load], Value], number: Callable[[Number], Value] | None = None) -> Value:
    """The value with each load replaced, and each index that is a value."""
    if isinstance(v, Load):
        return load(v)
    if isinstance(v, Number):
        return v if number is None else number(v)
    return rebuild_value(v, lambda x: map_value(x, load, number))


def map_value_exprs(v: Value, change: Callable[[Expr], Expr]) -> Value:
    """The value with every index expression in it changed."""
    return map_value(
        v,
        lambda load: _indexed(load, change),
        lambda number: having(number, expr=change(number.expr)),
    )


# What statements read, and where


def reads(s: Stmt) -> Iterator[Load]:
    """What a statement itself loads, apart from those inside it; an update also reads what it changes."""
    match s:
        case Store(value=value) | Let(value=value):
            yield from loads(value)
        case Update(buffer, index, value):
            yield Load(buffer, index)
            yield from loads(value)
        case Copy(source=source) | BulkCopy(source=source) | Deliver(source=source):
            yield source
        case _:
            return


def map_loads(s: Stmt, load: Callable[[Load], Value]) -> Stmt:
    """The statement with each load of what it stores, all the way down, replaced."""

    def change(x: Stmt) -> Stmt | None:
        return having(x, value=map_value(x.value, load)) if isinstance(x, Store | Update) else None

    return rewrite(s, change)


def map_reduces(s: Stmt, change: Callable[[Reduce], Value]) -> Stmt:
    """The statement with each reduction over lanes in what it stores, all the way down, replaced."""

    def value(v: Value) -> Value:
        return change(v) if isinstance(v, Reduce) else rebuild_value(v, value)

    def found(x: Stmt) -> Stmt | None:
        return having(x, value=value(x.value)) if isinstance(x, Store | Update) else None

    return rewrite(s, found)


def own_exprs(s: Stmt, change: Callable[[Expr], Expr]) -> Stmt:
    """The statement with its own index expressions changed: extents, indices and conditions, not those inside it."""
    match s:
        case Loop(grain=grain):
            share = None if grain is None else having(grain, work=change(grain.work))
            return having(s, extent=change(s.extent), grain=share)
        case Store() | Update():
            return having(s, index=_each(s.index, change), value=map_value_exprs(s.value, change))
        case Let():
            return having(s, value=map_value_exprs(s.value, change), extent=change(s.extent))
        case Prefetch():
            return _indexed(s, change)
        case Copy():
            return having(
                s, index=_each(s.index, change), source=_indexed(s.source, change), where=_each(s.where, change)
            )
        case BulkCopy():
            return having(s, index=_each(s.index, change), source=_indexed(s.source, change))
        case Relay():
            return having(s, round=change(s.round))
        case Deliver():
            return having(
                s,
                round=change(s.round),
                index=_each(s.index, change),
                source=_indexed(s.source, change),
                where=_each(s.where, change),
            )
        case Tile():
            return having(s, args=_each(s.args, lambda a: _indexed(a, change)))
        case Guard():
            return having(s, condition=_each(s.condition, change))
        case Alloc():
            return having(s, buffer=having(s.buffer, shape=_each(s.buffer.shape, change)))
        case _:
            return s


def map_exprs(s: Stmt, change: Callable[[Expr], Expr]) -> Stmt:
    """The statement with every index expression changed, all the way down."""
    return rebuild(own_exprs(s, change), lambda c: map_exprs(c, change))


# Names


def bound(nest: LoopNest) -> Iterator[str]:
    """Every variable that the nest binds, symbols included, as often as it does."""
    yield from (s.name for s in nest.symbols)
    yield from (s.var for s in walk(nest.body) if isinstance(s, Loop | Let))


def unused(nest: LoopNest, name: str) -> str:
    """The name, or one like it that no variable of the nest has."""
    return _free(name, set(bound(nest)))


def free_buffer(nest: LoopNest, name: str) -> str:
    """The name, or one like it that no parameter and no other buffer of the nest has."""
    return _free(name, {b.name for b in nest.params} | {s.buffer.name for s in walk(nest.body) if isinstance(s, Alloc)})


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


# What a change leaves as it is


def having(node: N, **fields: object) -> N:
    """The node with these fields; itself where it has them. `replace`, for any dataclass, takes twice as long."""
    for name, value in fields.items():
        if getattr(node, name) is not value:
            break
    else:
        return node
    names: tuple[str, ...] = node.__slots__  # its fields in order
    made = [getattr(node, name) for name in names]
    for name, value in fields.items():
        made[names.index(name)] = value
    return type(node)(*made)


def _each(items: tuple[X, ...], change: Callable[[X], X]) -> tuple[X, ...]:
    """Every item changed; the very same tuple where none is another one then."""
    made = tuple(map(change, items))
    return items if all(map(is_, items, made)) else made


def _indexed(node: P, change: Callable[[Expr], Expr]) -> P:
    """What has an index, with that changed."""
    return having(node, index=_each(node.index, change))
