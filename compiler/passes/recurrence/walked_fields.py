"""Traversal analysis: the fields that a recursion meets on a way which follows from data alone, and their products.

A function that calls itself walks a value: where each call goes, and what each match looks at, are parameters and what
patterns took out of them. Then another function can go the same way before it, and meet the same fields in the same
order, without computing anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from anytile.compiler.infer import infer
from anytile.compiler.ir.nodes import Construct, Expr, Function, Match, Module, Var
from anytile.compiler.ir.traverse import (
    Binding,
    bindings_of,
    blocks,
    bound_by,
    calls_itself,
    every_block,
    globals_named,
    is_call_of,
    is_value,
    steps,
)
from anytile.compiler.ir.types import DataRef, TensorType
from anytile.compiler.passes.recurrence import by_row
from anytile.compiler.passes.recurrence.by_row import about_products, following, is_row, read_outside, weights
from anytile.compiler.passes.recurrence.split_products import split_products


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """A tensor that a clause takes out of a constructor, the steps of the clause's block that follow row by row from it
    and are about products, and those of their results that others read."""

    tensor: Var
    block: Expr
    steps: tuple[Binding, ...]
    results: tuple[Var, ...]


def walked_fields(module: Module, name: str) -> Iterator[Field]:
    """The fields whose products a function may be given."""
    if _is_walk(module, name):
        f = module.functions[name]
        for tensor, block in _fields(f):
            found = _made_of(tensor, block)
            if found is not None and _can_walk(f, name, block, f.body, _data(f)):
                yield found


def with_split_products(module: Module, name: str) -> Module:
    """The module with products of a field joined with something else as sums of two, where the field's can be given."""
    if not _is_walk(module, name):
        return module
    for tensor in [t for t, block in _fields(module.functions[name]) if is_row(t.type)]:
        f = module.functions[name]
        body = split_products(f.body, lambda v, known, tensor=tensor: v is tensor)  # type: ignore[misc]  # bound at once
        if sum(1 for _ in steps(body)) > sum(1 for _ in steps(f.body)):
            split = infer(replace(module, functions={**module.functions, name: replace(f, body=body)})).module
            if any(found.tensor is tensor for found in walked_fields(split, name)):
                module = split
    return module


def _is_walk(module: Module, name: str) -> bool:
    """Whether a function calls itself, and everyone who calls it from outside can be seen."""
    f = module.functions[name]
    if name == "main" or f.is_primitive or not calls_itself(name, f):
        return False
    return not is_value(module, name) and not _is_called_below(module, name)


def _data(f: Function) -> set[Var]:
    return {p for p in f.params if isinstance(p.type, DataRef)}


def _is_called_below(module: Module, name: str) -> bool:
    """Whether a function that this one calls, at once or further down, calls it in turn."""
    waiting, below = [name], {name}
    while waiting:
        new = set(globals_named(module.functions[waiting.pop()].body)) - below
        below |= new
        waiting += new
    others = (module.functions[other] for other in below - {name})
    return any(is_call_of(v, name) for f in others for _, v in steps(f.body))


def _fields(f: Function) -> Iterator[tuple[Var, Expr]]:
    """What clauses take out of constructors, and their blocks."""
    for block in every_block(f.body):
        for _, value in bindings_of(block):
            for pattern, body in value.clauses if isinstance(value, Match) else ():
                for tensor in bound_by(pattern) if isinstance(pattern, Construct) else ():
                    yield tensor, body


def _made_of(tensor: Var, block: Expr) -> Field | None:
    """What a block makes of a tensor of one row, if products are among it and their weights are worth it."""
    kept = about_products(following([tensor], block)) if is_row(tensor.type) else ()
    results = read_outside(kept, block)
    if not kept or weights(kept) < by_row.WORTH or not all(isinstance(v.type, TensorType) for v in results):
        return None
    return Field(tensor, block, kept, results)


def is_within(name: str, goal: Expr, block: Expr) -> bool:
    """Whether a walk has to go into a block: its goal is there, or the function calls itself."""
    return any(b is goal or any(is_call_of(v, name) for _, v in bindings_of(b)) for b in every_block(block))


def _can_walk(f: Function, name: str, goal: Expr, block: Expr, known: set[Var]) -> bool:
    """Whether a block's way to the goal follows from data: `known` are parameters and what patterns took out."""
    for _, value in bindings_of(block):
        if is_call_of(value, name):
            if not all(a in known for a in data_of(f, value.args)):
                return False
        elif any(is_within(name, goal, inner) for inner in blocks(value)):
            if not isinstance(value, Match) or value.value not in known:
                return False
            for pattern, body in value.clauses:
                if not _can_walk(f, name, goal, body, {*known, *bound_by(pattern)}):
                    return False
    return True


def data_of(f: Function, args: Sequence[Expr]) -> tuple[Expr, ...]:
    """The arguments that are of data types."""
    return tuple(a for p, a in zip(f.params, args, strict=True) if isinstance(p.type, DataRef))
