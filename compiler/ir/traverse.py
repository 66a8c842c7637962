"""Walks over expressions that need no recursion: every node, every variable that is bound, every type written."""

from __future__ import annotations

from collections.abc import Iterator

from anytile.compiler.ir.nodes import (
    Bind,
    Call,
    Construct,
    ConstructorRef,
    Expr,
    Function,
    If,
    Let,
    Match,
    OperatorRef,
    Pattern,
    TupleExpr,
    TupleGet,
    TuplePattern,
    Var,
)
from anytile.compiler.ir.types import Type


def parts(e: Expr) -> tuple[Expr, ...]:
    """The expressions that an expression is made of, in the order in which they are written."""
    match e:
        case TupleExpr(fields):
            return fields
        case TupleGet(value):
            return (value,)
        case Let(bindings, body):
            return (*(value for _, value in bindings), body)
        case If(condition, then, otherwise):
            return (condition, then, otherwise)
        case Function():
            return (e.body,)
        case Call(callee, args):
            return args if isinstance(callee, OperatorRef | ConstructorRef) else (callee, *args)
        case Match(value, clauses):
            return (value, *(body for _, body in clauses))
        case _:
            return ()


def nodes(e: Expr) -> Iterator[Expr]:
    """The expression and every one inside it, in the order in which they are written."""
    stack = [e]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(parts(node)))


def bound_by(pattern: Pattern) -> Iterator[Var]:
    """The variables that a pattern binds, from left to right."""
    stack = [pattern]
    while stack:
        match stack.pop():
            case Bind(v):
                yield v
            case Construct(_, patterns) | TuplePattern(patterns):
                stack.extend(reversed(patterns))
            case _:
                pass


def bound_in(e: Expr) -> Iterator[Var]:
    """The variables that one node binds: parameters, those of a let, those of patterns."""
    match e:
        case Function():
            yield from e.params
        case Let(bindings):
            yield from (v for v, _ in bindings)
        case Match(_, clauses):
            for pattern, _ in clauses:
                yield from bound_by(pattern)
        case _:
            pass


def written_types(e: Expr) -> Iterator[Type]:
    """Every type that is written in an expression."""
    for node in nodes(e):
        if isinstance(node, Function) and node.result is not None:
            yield node.result
        yield from (v.type for v in bound_in(node) if v.type is not None)
