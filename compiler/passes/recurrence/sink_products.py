"""Code motion into clauses: products of what a match gives, where one can then be made for all data at once.

    let h = match (tree) { Leaf(x) => tanh(dense(x, $w)), Node(children) => walk(children) };
    add(dense(h, $v), sum)

The product of h is one of a leaf's word alone, where there is a leaf; `batch_fields` makes it for all leaves if it
stands in their clause. So each clause gives the product, too, of what it gave.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from anytile.compiler.infer import infer
from anytile.compiler.ir.nodes import Construct, Expr, Function, Let, Match, Module, TupleExpr, TupleGet, Var
from anytile.compiler.ir.traverse import (
    Binding,
    Names,
    bindings_of,
    bound_by,
    calls_itself,
    make_block,
    map_blocks,
    result_of,
    substituted,
)
from anytile.compiler.ir.types import TupleType
from anytile.compiler.passes.recurrence import by_row
from anytile.compiler.passes.recurrence.by_row import about_products, following, is_row, read_outside, weights


def sink_products(module: Module) -> Module:
    functions = {name: _of_walk(name, f) for name, f in module.functions.items()}
    if all(functions[name] is f for name, f in module.functions.items()):
        return module
    return infer(replace(module, functions=functions)).module


def _of_walk(name: str, f: Function) -> Function:
    """A function that calls itself, and so meets many of what it matches; others stay."""
    if f.is_primitive or not calls_itself(name, f):
        return f
    body = _sunk(f.body)
    return f if body is f.body else replace(f, body=body)


def _sunk(block: Expr) -> Expr:
    if not isinstance(block, Let):
        return block
    found = _products(block)
    if found is not None:
        return _sunk(_moved(block, *found))
    bindings = tuple((var, _inside(value)) for var, value in block.bindings)
    same = all(new is old for (_, new), (_, old) in zip(bindings, block.bindings, strict=True))
    return block if same else Let(bindings, block.body)


def _inside(value: Expr) -> Expr:
    made: list[bool] = []

    def change(inner: Expr) -> Expr:
        sunk = _sunk(inner)
        made.append(sunk is not inner)
        return sunk

    changed = map_blocks(value, change)
    return changed if any(made) else value


def _products(block: Let) -> tuple[Var, tuple[Binding, ...]] | None:
    """A match, and the steps behind it that are about products of the rows which it gives."""
    for var, value in block.bindings:
        if isinstance(value, Match):
            rows, before = _given(var, value, block)
            kept = about_products([step for step in following(rows, block) if step[0] not in rows])
            more = weights(kept)
            if kept and more >= by_row.WORTH_TOO and before + more >= by_row.WORTH:
                return var, kept
    return None


def _given(var: Var, match: Match, block: Let) -> tuple[list[Var], int]:
    """The rows that a match gives which some clause makes of a constructor's tensor, `var` itself or the steps of the
    block that are fields of it; and the bytes of the weights that it reads for them."""
    places: set[int | None] = set()
    before = 0
    for pattern, body in match.clauses:
        for tensor in bound_by(pattern) if isinstance(pattern, Construct) else ():
            if not is_row(tensor.type):
                continue
            steps_of = following([tensor], body)
            made: set[Expr] = {tensor, *(v for v, _ in steps_of)}
            result = result_of(body)
            whole = dict(bindings_of(body)).get(result) if isinstance(result, Var) else None
            given = whole.fields if isinstance(whole, TupleExpr) else (result,)
            own = {i if isinstance(whole, TupleExpr) else None for i, field in enumerate(given) if field in made}
            if own:
                places |= own
                before = max(before, weights(about_products(steps_of)))
    if not isinstance(var.type, TupleType):
        return [var] if None in places else [], before
    fields = [(v, value) for v, value in block.bindings if isinstance(value, TupleGet) and value.value is var]
    return [v for v, value in fields if value.index in places], before


def _moved(block: Let, var: Var, kept: tuple[Binding, ...]) -> Let:
    """The block with those steps in the clauses of the match that `var` is."""
    gone = {v for v, _ in kept}
    results = read_outside(kept, block)
    taken = {v: value.index for v, value in block.bindings if isinstance(value, TupleGet) and value.value is var}
    made: list[Binding] = []
    for own, value in block.bindings:
        if own is var:
            assert isinstance(value, Match)
            pair = Var(f"{var.name}_both")
            clauses = tuple((pattern, _clause(body, var, taken, kept, results)) for pattern, body in value.clauses)
            made += [(pair, Match(value.value, clauses)), (var, TupleGet(pair, 0))]
            made += [(v, TupleGet(pair, i)) for i, v in enumerate(results, 1)]
        elif own not in gone:
            made.append((own, value))
    return Let(tuple(made), block.body)


def _clause(
    body: Expr, var: Var, taken: Mapping[Var, int], kept: tuple[Binding, ...], results: tuple[Var, ...]
) -> Expr:
    """A clause's block with the steps behind it, and their results beside its own."""
    bindings, result = list(bindings_of(body)), result_of(body)
    whole = dict(bindings).get(result) if isinstance(result, Var) else None
    names: Names = {var: result}
    for v, index in taken.items():
        if isinstance(whole, TupleExpr):
            names[v] = whole.fields[index]
        else:
            field = Var(v.name, v.type)
            bindings.append((field, TupleGet(result, index)))
            names[v] = field
    for v, value in kept:
        own = Var(v.name, v.type)
        bindings.append((own, substituted(value, names)))
        names[v] = own
    both = Var("both")
    bindings.append((both, TupleExpr((result, *(names[v] for v in results)))))
    return make_block(bindings, both)
