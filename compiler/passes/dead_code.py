"""Dead code: what nothing reads is dropped, fields of known tuples are read directly, other names of a thing are too.

The language is pure, so a call whose result is not needed need not run; what it would have refused is then not refused.
Functions that `main` does not reach go, too.
"""

from __future__ import annotations

from dataclasses import replace

from anytile.compiler.ir.anf import (
    Binding,
    blocks,
    each_block,
    is_atom,
    make_block,
    map_blocks,
    map_parts,
    parts,
    read_by,
    steps,
)
from anytile.compiler.ir.nodes import Expr, Function, GlobalRef, Let, Module, TupleExpr, TupleGet, Var


def dead_code(module: Module) -> Module:
    return reached(each_block(module, lambda body: _needed(_direct(body, {}, {}))))


def _direct(block: Expr, names: dict[Var, Expr], tuples: dict[Var, TupleExpr]) -> Expr:
    """The block with aliases followed and fields of known tuples taken out of them."""
    names, tuples = dict(names), dict(tuples)

    def follow(atom: Expr) -> Expr:
        return names.get(atom, atom) if isinstance(atom, Var) else atom

    if not isinstance(block, Let):
        return follow(block)
    kept: list[Binding] = []
    for var, value in block.bindings:
        step = map_blocks(map_parts(value, follow), lambda inner: _direct(inner, names, tuples))
        if isinstance(step, TupleGet) and isinstance(step.value, Var) and step.value in tuples:
            step = tuples[step.value].fields[step.index]
        if is_atom(step):
            names[var] = step
            continue
        if isinstance(step, TupleExpr):
            tuples[var] = step
        kept.append((var, step))
    return make_block(kept, follow(block.body))


def _needed(block: Expr) -> Expr:
    """The block without bindings that nothing reads."""
    if not isinstance(block, Let):
        return block
    read: set[Var] = set(read_by(block.body))
    kept: list[Binding] = []
    for var, value in reversed(block.bindings):
        if var in read:
            step = map_blocks(value, _needed)
            read.update(read_by(step))
            kept.append((var, step))
    return make_block(reversed(kept), block.body)


def reached(module: Module) -> Module:
    """The functions that main needs, in their order."""
    waiting, found = ["main"], {"main"}
    while waiting:
        for name in sorted(mentioned(module.function(waiting.pop()))):
            if name not in found:
                found.add(name)
                waiting.append(name)
    return replace(module, functions={n: f for n, f in module.functions.items() if n in found})


def mentioned(function: Function) -> set[str]:
    """The names of functions that a function mentions."""
    found = {function.body.name} if isinstance(function.body, GlobalRef) else set()
    for e in (function.body, *(value for _, value in steps(function.body))):
        mentioned = [*parts(e), *((e.body,) if isinstance(e, Let) else ()), *_results(e)]
        found |= {p.name for p in mentioned if isinstance(p, GlobalRef)}
    return found


def _results(e: Expr) -> list[Expr]:
    return [inner.body if isinstance(inner, Let) else inner for inner in blocks(e)]
