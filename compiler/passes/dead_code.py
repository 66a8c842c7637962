"""Dead code elimination: what nothing reads is dropped. Before it, copy propagation and scalar replacement of tuples.

Another name of a thing is followed to the thing, and a field of a known tuple to what the tuple was made of. The
language is pure, so a call whose result is not needed need not run; what it would have refused is then not refused.
Functions that `main` does not reach go, too.
"""

from __future__ import annotations

from dataclasses import replace

from anytile.compiler.ir.nodes import Expr, Module, TupleExpr, TupleGet, Var
from anytile.compiler.ir.traverse import (
    Binding,
    Names,
    bindings_of,
    each_block,
    globals_named,
    is_atom,
    make_block,
    map_blocks,
    result_of,
    rewrite,
    variables_read,
)


def dead_code(module: Module) -> Module:
    return reached(each_block(module, lambda body: live(_direct(body))))


def _direct(body: Expr) -> Expr:
    """The block with aliases followed and fields of known tuples taken out of them."""
    names: Names = {}
    tuples: dict[Expr, TupleExpr] = {}

    def change(var: Var, step: Expr) -> list[Binding] | None:
        if isinstance(step, TupleGet) and step.value in tuples:
            step = tuples[step.value].fields[step.index]
        if is_atom(step):
            names[var] = step
            return []
        if isinstance(step, TupleExpr):
            tuples[var] = step
        return None

    return rewrite(body, change, names)


def live(block: Expr) -> Expr:
    """The block without bindings that nothing reads."""
    read = set(variables_read(result_of(block)))
    kept: list[Binding] = []
    for var, value in reversed(bindings_of(block)):
        if var in read:
            step = map_blocks(value, live)
            read.update(variables_read(step))
            kept.append((var, step))
    return make_block(reversed(kept), result_of(block))


def reached(module: Module) -> Module:
    """The module with the functions that main needs alone, in their order."""
    waiting, found = ["main"], {"main"}
    while waiting:
        new = set(globals_named(module.function(waiting.pop()).body)) - found
        found |= new
        waiting += new
    return replace(module, functions={n: f for n, f in module.functions.items() if n in found})
