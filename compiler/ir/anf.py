"""Blocks, the A-normal form that passes work on, and the walks that they share.

A block is a `Let` whose body is an atom, or an atom alone. Atoms are variables, constants and names of functions; every
argument, field, condition and matched value is one, and what is bound is one step: a call, a tuple, a field of one, an
`If` or `Match` of blocks, or a function whose body is a block. A walk goes through the bindings of a block in a loop
and down into nested blocks by recursion, which is as deep as branches are nested in the source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from anytile.compiler.ir.nodes import (
    Bind,
    Call,
    Constant,
    Construct,
    ConstructorRef,
    Expr,
    Function,
    GlobalRef,
    If,
    Let,
    Match,
    Module,
    OperatorRef,
    Pattern,
    TupleExpr,
    TupleGet,
    TuplePattern,
    Var,
)
from anytile.core.errors import SpecError

Atom = Var | Constant | GlobalRef
Binding = tuple[Var, Expr]


def is_atom(e: object) -> bool:
    return isinstance(e, Var | Constant | GlobalRef)


def bindings_of(block: Expr) -> tuple[Binding, ...]:
    return block.bindings if isinstance(block, Let) else ()


def result_of(block: Expr) -> Expr:
    """The atom that a block is."""
    result = block.body if isinstance(block, Let) else block
    if not is_atom(result):
        raise SpecError(f"a block ends in a {type(result).__name__}; expected an atom, as to_anf leaves it")
    return result


def make_block(bindings: Iterable[Binding], result: Expr) -> Expr:
    made = tuple(bindings)
    return Let(made, result) if made else result


def parts(e: Expr) -> tuple[Expr, ...]:
    """What an expression is made of and evaluates itself: not the blocks in it."""
    match e:
        case Call(callee, args):
            return args if isinstance(callee, OperatorRef | ConstructorRef) else (callee, *args)
        case TupleExpr(fields):
            return fields
        case TupleGet(value) | If(value) | Match(value):
            return (value,)
        case _:
            return (e,) if is_atom(e) else ()


def blocks(e: Expr) -> tuple[Expr, ...]:
    """The blocks inside a step."""
    match e:
        case If(_, then, otherwise):
            return (then, otherwise)
        case Match(_, clauses):
            return tuple(body for _, body in clauses)
        case Function():
            return (e.body,)
        case _:
            return ()


def map_blocks(e: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """The step with the blocks inside it changed."""
    match e:
        case If(condition, then, otherwise):
            return If(condition, change(then), change(otherwise))
        case Match(value, clauses):
            return Match(value, tuple((pattern, change(body)) for pattern, body in clauses))
        case Function():
            return replace(e, body=change(e.body))
        case _:
            return e


def map_parts(e: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """The step with its atoms changed."""
    match e:
        case Call(callee, args):
            same = isinstance(callee, OperatorRef | ConstructorRef)
            return replace(e, callee=callee if same else change(callee), args=tuple(map(change, args)))  # type: ignore[arg-type]  # the first arm is no expression
        case TupleExpr(fields):
            return TupleExpr(tuple(map(change, fields)))
        case TupleGet(value, index):
            return TupleGet(change(value), index)
        case If(condition, then, otherwise):
            return If(change(condition), then, otherwise)
        case Match(value, clauses):
            return Match(change(value), clauses)
        case _:
            return change(e) if is_atom(e) else e


def bound_by(pattern: Pattern) -> Iterator[Var]:
    match pattern:
        case Bind(var):
            yield var
        case Construct(_, patterns) | TuplePattern(patterns):
            for p in patterns:
                yield from bound_by(p)


def steps(block: Expr) -> Iterator[Binding]:
    """Every binding of a block and of the blocks in it, outer ones first."""
    for var, value in bindings_of(block):
        yield var, value
        for inner in blocks(value):
            yield from steps(inner)


def every_block(block: Expr) -> Iterator[Expr]:
    """A block and those in it, outer ones first."""
    yield block
    for _, value in bindings_of(block):
        for inner in blocks(value):
            yield from every_block(inner)


def is_value(module: Module, name: str) -> bool:
    """Whether a function is somewhere else than where it is called."""
    for f in module.functions.values():
        for block in every_block(f.body):
            values = [v for _, v in bindings_of(block)]
            atoms = [a for v in values for a in parts(v)[int(is_call_of(v, name)) :]]
            if GlobalRef(name) in [*atoms, result_of(block)]:
                return True
    return False


def is_call_of(e: Expr, name: str) -> bool:
    """Whether a step calls a function of the module."""
    return isinstance(e, Call) and e.callee == GlobalRef(name)


def read_by(e: Expr) -> Iterator[Var]:
    """Every read of a variable in a step or block, those of nested blocks included; one that is read twice twice."""
    if isinstance(e, Let):
        for _, value in e.bindings:
            yield from read_by(value)
        yield from read_by(e.body)
        return
    for part in parts(e):
        if isinstance(part, Var):
            yield part
    for inner in blocks(e):
        yield from read_by(inner)


def free(e: Expr) -> dict[Var, None]:
    """The variables of elsewhere that a step or block reads, in the order of first reads."""
    own: set[Var] = set(e.params) if isinstance(e, Function) else set()
    if isinstance(e, Match):
        own |= {v for pattern, _ in e.clauses for v in bound_by(pattern)}
    for block in (e, *blocks(e)):
        for var, value in steps(block):
            own.add(var)
            if isinstance(value, Function):
                own |= set(value.params)
            if isinstance(value, Match):
                own |= {v for pattern, _ in value.clauses for v in bound_by(pattern)}
    return {v: None for v in read_by(e) if v not in own}


def rename(e: Expr, names: Mapping[Var, Expr]) -> Expr:
    """A step or block with variables replaced by atoms. What is replaced by something replaced is followed."""

    def follow(atom: Expr) -> Expr:
        while isinstance(atom, Var) and atom in names:
            atom = names[atom]
        return atom

    def renamed(inner: Expr) -> Expr:
        if isinstance(inner, Let):
            return Let(tuple((v, step(value)) for v, value in inner.bindings), follow(inner.body))
        return step(inner)

    def step(value: Expr) -> Expr:
        return map_blocks(map_parts(value, follow), renamed)

    return renamed(e) if names else e


def copied(block: Expr, names: Mapping[Var, Expr]) -> tuple[list[Binding], Expr]:
    """The bindings of a block and its result with variables of their own, whose types are found again."""
    names = dict(names)

    def follow(atom: Expr) -> Expr:
        return names.get(atom, atom) if isinstance(atom, Var) else atom

    def fresh(var: Var) -> Var:
        made = Var(var.name)
        names[var] = made
        return made

    def patterned(pattern: Pattern) -> Pattern:
        match pattern:
            case Bind(var):
                return Bind(fresh(var))
            case Construct(constructor, inner):
                return Construct(constructor, tuple(map(patterned, inner)))
            case TuplePattern(inner):
                return TuplePattern(tuple(map(patterned, inner)))
            case _:
                return pattern

    def inside(body: Expr) -> Expr:
        return make_block(*copied(body, names))

    kept: list[Binding] = []
    for var, value in block.bindings if isinstance(block, Let) else ():
        match map_parts(value, follow):
            case Match(of, clauses):
                step: Expr = Match(of, tuple((patterned(pattern), inside(body)) for pattern, body in clauses))
            case If(condition, then, otherwise):
                step = If(condition, inside(then), inside(otherwise))
            case other:
                step = other
        kept.append((fresh(var), step))
    return kept, follow(result_of(block))


def each_function(module: Module, change: Callable[[Function], Function], primitive: bool = False) -> Module:
    """The module with its functions changed; primitive ones, which are kernels, only where asked for."""
    made = {name: change(f) if primitive or not f.is_primitive else f for name, f in module.functions.items()}
    return replace(module, functions=made)


def each_block(module: Module, change: Callable[[Expr], Expr]) -> Module:
    """The module with the outermost block of every function changed."""
    return each_function(module, lambda f: replace(f, body=change(f.body)))
