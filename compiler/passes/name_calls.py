"""Source locations for what nobody named: a call without a place in the user's model gets one, `main.dense_1`.

It is the function and the variable as the module's text form writes them, so that an error of inference or of a run,
which may come after inlining and fusion, says which of many calls of one operator it is about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from anytile.compiler.ir.nodes import Call, Expr, Let, Module, Var
from anytile.compiler.ir.traverse import map_blocks
from anytile.compiler.text.printer import variable_names


def name_calls(module: Module) -> Module:
    names = variable_names(module)
    functions = {
        name: replace(f, body=_named(f.body, name, names[name])) if not f.attrs else f
        for name, f in module.functions.items()
    }
    return replace(module, functions=functions)


def _named(block: Expr, function: str, names: Mapping[Var, str]) -> Expr:
    """The block with the calls that a variable stands for named by it."""

    def inner(e: Expr) -> Expr:
        return _named(e, function, names)

    if not isinstance(block, Let):
        return map_blocks(block, inner)
    bindings = []
    for var, value in block.bindings:
        if isinstance(value, Call):
            value = value if value.where else replace(value, where=f"{function}.{names[var]}")
        else:
            value = map_blocks(value, inner)
        bindings.append((var, value))
    return Let(tuple(bindings), inner(block.body))
