"""Inlining: the steps of a function stand where it was called, if that is at one place or the function is small.

What is called need not enter and leave then, its types are those of the arguments, and passes see both sides: functions
that call each other become one that calls itself. A function that calls itself stays, and so does one that is a value
somewhere or makes closures; `main` is never called away.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from anytile.compiler.infer import infer
from anytile.compiler.ir.nodes import Call, Expr, Function, GlobalRef, Module, Var
from anytile.compiler.ir.traverse import Binding, Names, copied, each_block, is_call_of, nodes, rewrite, steps

_SMALL = 24  # steps of a function that is put in several places
_MOST = 96  # steps that it may become in all of them together


def inline(module: Module) -> Module:
    found = module
    while (name := _chosen(found)) is not None:
        called = found.functions[name]
        others = replace(found, functions={n: f for n, f in found.functions.items() if n != name})
        found = each_block(others, lambda body, name=name, called=called: _put(name, called, body))  # type: ignore[misc]  # bound at once
    return module if found is module else infer(found).module


def _chosen(module: Module) -> str | None:
    """A function that goes."""
    everything = [e for f in module.functions.values() for e in nodes(f.body)]
    named = Counter(e.name for e in everything if isinstance(e, GlobalRef))
    calls = Counter(e.callee.name for e in everything if isinstance(e, Call) and isinstance(e.callee, GlobalRef))
    for name, f in module.functions.items():
        is_value = named[name] > calls[name]
        if name == "main" or is_value or f.is_primitive or not calls[name] or _is_fixed(name, f):
            continue
        size = sum(1 for _ in steps(f.body))
        if calls[name] == 1 or (size <= _SMALL and size * calls[name] <= _MOST):
            return name
    return None


def _is_fixed(name: str, f: Function) -> bool:
    """Whether a function calls itself, or has closures in it: their types are written for where they stand."""
    return any(isinstance(v, Function) or is_call_of(v, name) for _, v in steps(f.body))


def _put(name: str, called: Function, body: Expr) -> Expr:
    """A block with calls of a function replaced by its steps, under new names for each call."""
    names: Names = {}

    def change(var: Var, step: Expr) -> list[Binding] | None:
        if not is_call_of(step, name):
            return None
        bindings, names[var] = copied(called.body, dict(zip(called.params, step.args, strict=True)))
        return bindings

    return rewrite(body, change, names)
