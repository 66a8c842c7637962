"""Traversal and rewriting of expressions, and of blocks, which are their A-normal form (ANF).

A block is a `Let` whose body is an atom, or an atom alone. Atoms are variables, constants and names of functions; every
argument, field, condition and matched value is one, and what is bound is one step: a call, a tuple, a field of one, an
`If` or `Match` of blocks, or a function whose body is a block. A traversal goes through the bindings of a block in a
loop and down into nested blocks by recursion, which is as deep as branches are nested in the source; `nodes`, which
takes expressions of every form, has a stack of its own.

    read     nodes, variables_read, free, globals_named; of blocks steps, every_block
    write    rewrite, which most passes are a `change` for; each_block for whole modules, replace_calls for single calls
"""

from __future__ import annotations

from collections import ChainMap, Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from typing import TypeGuard, TypeVar

from anytile.compiler.ir import nodes as ir
from anytile.compiler.ir.types import Type
from anytile.core.errors import SpecError

Binding = tuple[ir.Var, ir.Expr]
Names = dict[ir.Var, ir.Expr]  # what stands in the place of variables
Change = Callable[[ir.Var, ir.Expr], Iterable[Binding] | None]
Key = TypeVar("Key")
Known = TypeVar("Known")


# -- one node ----------------------------------------------------------------------------------------------------------


def is_atom(e: object) -> bool:
    return isinstance(e, ir.Var | ir.Constant | ir.GlobalRef)


def atoms_of(e: ir.Expr) -> tuple[ir.Expr, ...]:
    """What a step reads itself, in ANF atoms, and not in the blocks inside it; an atom reads itself."""
    match e:
        case ir.Call(callee, args):
            return args if isinstance(callee, ir.OperatorRef | ir.ConstructorRef) else (callee, *args)
        case ir.TupleExpr(fields):
            return fields
        case ir.TupleGet(value) | ir.If(value) | ir.Match(value):
            return (value,)
        case _:
            return (e,) if is_atom(e) else ()


def blocks(e: ir.Expr) -> tuple[ir.Expr, ...]:
    """The blocks inside a step."""
    match e:
        case ir.If(_, then, otherwise):
            return (then, otherwise)
        case ir.Match(_, clauses):
            return tuple(body for _, body in clauses)
        case ir.Function():
            return (e.body,)
        case _:
            return ()


def children(e: ir.Expr) -> tuple[ir.Expr, ...]:
    """The expressions that an expression is made of, in the order in which they are written."""
    if isinstance(e, ir.Let):
        return (*(value for _, value in e.bindings), e.body)
    return () if is_atom(e) else (*atoms_of(e), *blocks(e))


def map_atoms(e: ir.Expr, change: Callable[[ir.Expr], ir.Expr]) -> ir.Expr:
    """The step with its atoms changed."""
    match e:
        case ir.Call(callee, args):
            same = isinstance(callee, ir.OperatorRef | ir.ConstructorRef)
            return replace(e, callee=callee if same else change(callee), args=tuple(map(change, args)))  # type: ignore[arg-type]  # the first arm is no expression
        case ir.TupleExpr(fields):
            return ir.TupleExpr(tuple(map(change, fields)))
        case ir.TupleGet(value, index):
            return ir.TupleGet(change(value), index)
        case ir.If(condition, then, otherwise):
            return ir.If(change(condition), then, otherwise)
        case ir.Match(value, clauses):
            return ir.Match(change(value), clauses)
        case _:
            return change(e) if is_atom(e) else e


def map_blocks(e: ir.Expr, change: Callable[[ir.Expr], ir.Expr]) -> ir.Expr:
    """The step with the blocks inside it changed."""
    match e:
        case ir.If(condition, then, otherwise):
            return ir.If(condition, change(then), change(otherwise))
        case ir.Match(value, clauses):
            return ir.Match(value, tuple((pattern, change(body)) for pattern, body in clauses))
        case ir.Function():
            return replace(e, body=change(e.body))
        case _:
            return e


def map_pattern(pattern: ir.Pattern, change: Callable[[ir.Var], ir.Pattern]) -> ir.Pattern:
    """The pattern with what binds variables changed."""
    match pattern:
        case ir.Bind(var):
            return change(var)
        case ir.Construct(constructor, inner):
            return ir.Construct(constructor, tuple(map_pattern(p, change) for p in inner))
        case ir.TuplePattern(inner):
            return ir.TuplePattern(tuple(map_pattern(p, change) for p in inner))
        case _:
            return pattern


def bound_by(pattern: ir.Pattern) -> Iterator[ir.Var]:
    """The variables that a pattern binds, from left to right."""
    stack = [pattern]
    while stack:
        match stack.pop():
            case ir.Bind(v):
                yield v
            case ir.Construct(_, patterns) | ir.TuplePattern(patterns):
                stack.extend(reversed(patterns))
            case _:
                pass


def bound_in(e: ir.Expr) -> Iterator[ir.Var]:
    """The variables that one node binds: parameters, those of a let, those of patterns."""
    match e:
        case ir.Function():
            yield from e.params
        case ir.Let(bindings):
            yield from (v for v, _ in bindings)
        case ir.Match(_, clauses):
            for pattern, _ in clauses:
                yield from bound_by(pattern)
        case _:
            pass


# -- reading -----------------------------------------------------------------------------------------------------------


def nodes(e: ir.Expr) -> Iterator[ir.Expr]:
    """The expression and every one inside it, in the order in which they are written."""
    stack = [e]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(children(node)))


def variables_read(e: ir.Expr) -> Iterator[ir.Var]:
    """Every read of a variable, those in nested blocks included; one that is read twice twice."""
    return (node for node in nodes(e) if isinstance(node, ir.Var))


def free(e: ir.Expr) -> dict[ir.Var, None]:
    """The variables of elsewhere that an expression reads, in the order of first reads."""
    own = {v for node in nodes(e) for v in bound_in(node)}
    return {v: None for v in variables_read(e) if v not in own}


def globals_named(e: ir.Expr) -> Iterator[str]:
    """The functions of the module that an expression names, called or not; one that is named twice twice."""
    return (node.name for node in nodes(e) if isinstance(node, ir.GlobalRef))


def written_types(e: ir.Expr) -> Iterator[Type]:
    """Every type that is written in an expression."""
    for node in nodes(e):
        if isinstance(node, ir.Function) and node.result is not None:
            yield node.result
        yield from (v.type for v in bound_in(node) if v.type is not None)


def is_call_of(e: ir.Expr, name: str) -> TypeGuard[ir.Call]:
    """Whether a step calls a function of the module."""
    return isinstance(e, ir.Call) and e.callee == ir.GlobalRef(name)


def calls_itself(name: str, f: ir.Function) -> bool:
    return any(is_call_of(value, name) for _, value in steps(f.body))


def is_value(module: ir.Module, name: str) -> bool:
    """Whether a function is somewhere else than where it is called."""
    found = [e for f in module.functions.values() for e in nodes(f.body)]
    return sum(e == ir.GlobalRef(name) for e in found) > sum(is_call_of(e, name) for e in found)


# -- blocks ------------------------------------------------------------------------------------------------------------


def bindings_of(block: ir.Expr) -> tuple[Binding, ...]:
    return block.bindings if isinstance(block, ir.Let) else ()


def result_of(block: ir.Expr) -> ir.Expr:
    """The atom that a block is."""
    result = block.body if isinstance(block, ir.Let) else block
    if not is_atom(result):
        raise SpecError(f"a block ends in a {type(result).__name__}; expected an atom, as to_anf leaves it")
    return result


def make_block(bindings: Iterable[Binding], result: ir.Expr) -> ir.Expr:
    made = tuple(bindings)
    return ir.Let(made, result) if made else result


def steps(block: ir.Expr) -> Iterator[Binding]:
    """Every binding of a block and of the blocks in it, outer ones first."""
    for var, value in bindings_of(block):
        yield var, value
        for inner in blocks(value):
            yield from steps(inner)


def every_block(block: ir.Expr) -> Iterator[ir.Expr]:
    """A block and those in it, outer ones first."""
    yield block
    for _, value in bindings_of(block):
        for inner in blocks(value):
            yield from every_block(inner)


# -- rewriting ---------------------------------------------------------------------------------------------------------


class Scoped(ChainMap[Key, Known]):
    """What a change remembers, in a block and in those around it, as long as it is in that block."""

    @contextmanager
    def scope(self) -> Iterator[None]:
        self.maps.insert(0, {})
        yield
        self.maps.pop(0)


def rewrite(
    block: ir.Expr,
    change: Change,
    names: Names | None = None,
    scope: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> ir.Expr:
    """The block with each binding replaced by those that `change` makes of it.

    Where that is None the binding stays, and the blocks in it are rewritten alike. `names` are atoms that stand in the
    place of variables; `change` may add to it what stands for a variable from there on. `scope` is entered with every
    block, for a change that remembers what was bound in it.
    """

    def inside(block: ir.Expr) -> ir.Expr:
        kept: list[Binding] = []
        with scope():
            for var, value in bindings_of(block):
                value = substituted(value, names)
                made = change(var, value)
                kept += ((var, map_blocks(value, inside)),) if made is None else made
        return make_block(kept, substituted(result_of(block), names))

    return inside(block)


def substituted(step: ir.Expr, names: Names | None) -> ir.Expr:
    """The step with atoms in the place of its variables; not in the blocks inside it."""
    if not names:
        return step
    return map_atoms(step, lambda atom: names.get(atom, atom) if isinstance(atom, ir.Var) else atom)


def copied(block: ir.Expr, names: Names) -> tuple[list[Binding], ir.Expr]:
    """The bindings of a block and its result with variables of their own, whose types are found again."""
    names = dict(names)

    def fresh(var: ir.Var) -> ir.Var:
        made = ir.Var(var.name)
        names[var] = made
        return made

    def inside(body: ir.Expr) -> ir.Expr:
        return make_block(*copied(body, names))

    kept: list[Binding] = []
    for var, value in bindings_of(block):
        step = substituted(value, names)
        if isinstance(step, ir.Match):
            clauses = ((map_pattern(pattern, lambda v: ir.Bind(fresh(v))), body) for pattern, body in step.clauses)
            step = ir.Match(step.value, tuple((pattern, inside(body)) for pattern, body in clauses))
        elif isinstance(step, ir.If):
            step = map_blocks(step, inside)
        kept.append((fresh(var), step))
    return kept, substituted(result_of(block), names)


def each_block(module: ir.Module, change: Callable[[ir.Expr], ir.Expr]) -> ir.Module:
    """The module with the outermost block of every function changed, but of primitive ones, which are kernels."""
    functions = {name: f if f.is_primitive else replace(f, body=change(f.body)) for name, f in module.functions.items()}
    return replace(module, functions=functions)


Match = Callable[[ir.Var, ir.Call, Mapping[ir.Var, ir.Call], Mapping[ir.Var, int]], ir.Call | None]


def replace_calls(module: ir.Module, match: Match) -> ir.Module:
    """The module with operators' calls replaced by what `match` makes of them, if anything. It is given the variable,
    the call, the calls before it by variable, and how often each variable is read in the function."""

    def changed(body: ir.Expr) -> ir.Expr:
        reads = Counter(variables_read(body))
        known: dict[ir.Var, ir.Call] = {}

        def change(var: ir.Var, step: ir.Expr) -> list[Binding] | None:
            if not ir.is_operator_call(step):
                return None
            known[var] = match(var, step, known, reads) or step
            return [(var, known[var])]

        return rewrite(body, change)

    return each_block(module, changed)
