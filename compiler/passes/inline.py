"""Inlining: the steps of a function stand where it was called, if that is at one place or the function is small.

What is called need not enter and leave then, its types are those of the arguments, and passes see both sides: functions
that call each other become one that calls itself. A function that calls itself stays, and so does one that is a value
somewhere or makes closures; `main` is never called away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from anytile.compiler.infer import infer
from anytile.compiler.ir.anf import (
    Binding,
    copied,
    each_function,
    every_block,
    make_block,
    map_blocks,
    map_parts,
    parts,
    result_of,
    steps,
)
from anytile.compiler.ir.nodes import Call, Expr, Function, GlobalRef, Let, Module, Var

_SMALL = 24  # steps of a function that is put in several places
_MOST = 96  # steps that it may become in all of them together


def inline(module: Module) -> Module:
    found = module
    while (name := _chosen(found)) is not None:
        called = found.functions[name]
        others = replace(found, functions={n: f for n, f in found.functions.items() if n != name})
        found = each_function(others, lambda f, name=name, called=called: _put(name, called, f))  # type: ignore[misc]  # bound at once
    return module if found is module else infer(found).module


def _chosen(module: Module) -> str | None:
    """A function that goes."""
    calls: Counter[str] = Counter()
    values: set[str] = set()
    for f in module.functions.values():
        for block in every_block(f.body):
            values |= _names(result_of(block))
            for value in (v for _, v in block.bindings) if isinstance(block, Let) else ():
                called = value.callee if isinstance(value, Call) else None
                if isinstance(called, GlobalRef):
                    calls[called.name] += 1
                read = parts(value)[1:] if isinstance(called, GlobalRef) else parts(value)
                values |= {name for atom in read for name in _names(atom)}
    for name, f in module.functions.items():
        if name == "main" or name in values or f.is_primitive or not calls[name] or _is_fixed(name, f):
            continue
        size = sum(1 for _ in steps(f.body))
        if calls[name] == 1 or (size <= _SMALL and size * calls[name] <= _MOST):
            return name
    return None


def _names(atom: Expr) -> set[str]:
    return {atom.name} if isinstance(atom, GlobalRef) else set()


def _is_fixed(name: str, f: Function) -> bool:
    """Whether a function calls itself, or has closures in it: their types are written for where they stand."""
    return any(
        isinstance(v, Function) or (isinstance(v, Call) and v.callee == GlobalRef(name)) for _, v in steps(f.body)
    )


def _put(name: str, called: Function, f: Function) -> Function:
    """A function with calls of another one replaced by its steps, under new names for each call."""

    def block(body: Expr, outer: Mapping[Var, Expr]) -> Expr:
        names = dict(outer)

        def follow(atom: Expr) -> Expr:
            return names.get(atom, atom) if isinstance(atom, Var) else atom

        kept: list[Binding] = []
        for var, value in body.bindings if isinstance(body, Let) else ():
            step = map_blocks(map_parts(value, follow), lambda inner: block(inner, names))
            if isinstance(step, Call) and step.callee == GlobalRef(name):
                bindings, result = copied(called.body, dict(zip(called.params, step.args, strict=True)))
                kept += bindings
                names[var] = result
            else:
                kept.append((var, step))
        return make_block(kept, follow(result_of(body)))

    return replace(f, body=block(f.body, {}))
