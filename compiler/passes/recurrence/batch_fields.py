"""Batching over data structures: products of what is in data, as a tree's leaves, made before a recursion.

A function that calls itself walks a value of a data type. Where it takes a tensor of one row out of a constructor and
makes products of it with constants, it makes one row of the product of all such tensors, which is one large product
instead of many small ones that each walk the whole weight. So whoever calls the function from outside first walks the
value as it will, collecting the tensors and nothing else; computes everything that follows row by row from them and
constants; and hands that over. The function counts where it is, and takes its row.

    walk(tree, state)  ->  rows = stack(walk_fields(tree, [])); all = products(rows); walk(tree, state, all, 0).0

Where the function goes must follow from data alone, or nobody could go there before.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

import numpy as np

from anytile.compiler.infer import infer
from anytile.compiler.ir import nodes as ir
from anytile.compiler.ir.traverse import (
    Binding,
    Names,
    bindings_of,
    blocks,
    copied,
    each_block,
    is_call_of,
    make_block,
    map_pattern,
    result_of,
    rewrite,
    steps,
    substituted,
    variables_read,
)
from anytile.compiler.ir.types import Any, DataRef, TensorType, TupleType, symbols
from anytile.compiler.passes.recurrence.row_lists import RowList, with_rows
from anytile.compiler.passes.recurrence.walked_fields import (
    Field,
    data_of,
    is_within,
    walked_fields,
    with_split_products,
)

_PLACE = TensorType((1,), "int64")  # which row is next


def batch_fields(module: ir.Module) -> ir.Module:
    for name in list(module.functions):
        module = with_split_products(module, name)
        while (found := next(walked_fields(module, name), None)) is not None:
            module = infer(_Batching(module, name, found).module()).module
    return module


class _Batching:
    """One field of one function, made one batch."""

    def __init__(self, module: ir.Module, name: str, field: Field) -> None:
        self.f, self.name, self.field = module.functions[name], name, field
        self.rows: RowList = with_rows(module, ir.tensor_of(field.tensor))
        self.collector = _fresh(f"{name}_fields", module.functions)
        used = {s for v, _ in steps(self.f.body) if v.type is not None for s in symbols(v.type)}
        used |= {s for t in (*self.f.type.params, self.f.type.result) for s in symbols(t)}
        self.symbol = Any(_fresh("rows", used))
        self.given = tuple(ir.Var(f"all_{v.name}", self.whole(ir.tensor_of(v))) for v in field.results)
        self.one, self.zero = ir.scalar(1), ir.Constant(np.zeros(1, np.int64))

    def whole(self, row: TensorType) -> TensorType:
        return TensorType((self.symbol, *row.shape[1:]), row.dtype)

    def module(self) -> ir.Module:
        others = each_block(self.rows.module, lambda body: rewrite(body, self.outside))
        own = {self.name: self.counting(), self.collector: self.collecting()}
        return replace(others, functions={**others.functions, **own})

    def within(self, value: ir.Expr) -> bool:
        return any(is_within(self.name, self.field.block, inner) for inner in blocks(value))

    # -- the walk before -------------------------------------------------------------------------------------------

    def collecting(self) -> ir.Function:
        """The function that goes where the other will, and collects the fields."""
        data = DataRef(self.rows.data)
        params = [ir.Var(p.name, p.type) for p in self.f.params if isinstance(p.type, DataRef)]
        rows = ir.Var("rows", data)
        names: Names = dict(zip((p for p in self.f.params if isinstance(p.type, DataRef)), params, strict=True))
        body = make_block(*copied(self.collected(self.f.body, rows), names))
        return ir.Function((*params, rows), data, body)

    def collected(self, block: ir.Expr, rows: ir.Expr) -> ir.Expr:
        """What a block puts before the rows that were met until then."""
        kept: list[Binding] = []

        def put(step: ir.Expr) -> None:
            nonlocal rows
            rows = ir.Var("rows")
            kept.append((rows, step))

        if block is self.field.block:
            put(ir.Call(self.rows.more, (self.field.tensor, rows)))
        for _, value in bindings_of(block):
            if is_call_of(value, self.name):
                args = (*data_of(self.f, value.args), rows)
                put(ir.Call(ir.GlobalRef(self.collector), args, where=value.where))
            elif isinstance(value, ir.Match) and self.within(value):
                made = [(pattern, self.collected(body, rows)) for pattern, body in value.clauses]
                put(ir.Match(value.value, tuple((_pruned(p, set(variables_read(body))), body) for p, body in made)))
        return make_block(kept, rows)

    # -- the function with its rows given --------------------------------------------------------------------------

    def counting(self) -> ir.Function:
        """The function with the products as parameters, and which row is next; it returns which one is then."""
        at = ir.Var("at", _PLACE)
        result = None if self.f.result is None else TupleType((self.f.result, _PLACE))
        return ir.Function((*self.f.params, *self.given, at), result, self.counted(self.f.body, at), self.f.attrs)

    def counted(self, block: ir.Expr, at: ir.Expr) -> ir.Expr:
        """The block as one of its result and of the row that is next behind it."""
        kept: list[Binding] = []
        own: set[ir.Var] = set()
        if block is self.field.block:
            own = {var for var, _ in self.field.steps}
            for var, whole in zip(self.field.results, self.given, strict=True):
                kept.append((var, ir.Call(ir.OperatorRef("take"), (whole, at), where=self.where)))
            following = ir.Var("at")
            kept.append((following, ir.Call(ir.OperatorRef("add"), (at, self.one), where=self.where)))
            at = following
        result = result_of(block)
        for place, (var, value) in enumerate(bindings_of(block)):
            if var in own:
                continue
            if is_call_of(value, self.name):
                both: ir.Expr = replace(value, args=(*value.args, *self.given, at))
            elif isinstance(value, ir.Match) and self.within(value):
                both = ir.Match(value.value, tuple((p, self.counted(body, at)) for p, body in value.clauses))
            else:
                kept.append((var, value))
                continue
            pair, following = ir.Var(f"{var.name}_at"), ir.Var("at")
            kept.append((pair, both))
            if result is var and place == len(bindings_of(block)) - 1:  # so a call in the last place stays one
                return make_block(kept, pair)
            kept += [(var, ir.TupleGet(pair, 0)), (following, ir.TupleGet(pair, 1))]
            at = following
        pair = ir.Var("result_at")
        return make_block([*kept, (pair, ir.TupleExpr((result, at)))], pair)

    @property
    def where(self) -> str:
        return next((v.where for _, v in self.field.steps if isinstance(v, ir.Call) and v.where), "")

    # -- who calls it ----------------------------------------------------------------------------------------------

    def outside(self, var: ir.Var, call: ir.Expr) -> list[Binding] | None:
        """What a call in another function becomes: the products made before it."""
        if not is_call_of(call, self.name):
            return None
        empty, met, stacked, pair = ir.Var("rows"), ir.Var("rows"), ir.Var("rows"), ir.Var(f"{var.name}_at")
        collected = ir.Call(ir.GlobalRef(self.collector), (*data_of(self.f, call.args), empty), where=call.where)
        names: Names = {self.field.tensor: stacked}
        products: list[Binding] = []
        for of, step in self.field.steps:  # for all rows at once
            own = ir.Var(of.name)
            products.append((own, substituted(step, names)))
            names[of] = own
        results = (names[v] for v in self.field.results)
        return [
            (empty, ir.Call(self.rows.empty, ())),
            (met, collected),
            (stacked, ir.Call(ir.GlobalRef(self.rows.stack), (met, self.rows.none), where=call.where)),
            *products,
            (pair, replace(call, args=(*call.args, *results, self.zero))),
            (var, ir.TupleGet(pair, 0)),
        ]


def _pruned(pattern: ir.Pattern, read: set[ir.Var]) -> ir.Pattern:
    """The pattern without variables that nobody reads."""
    return map_pattern(pattern, lambda var: ir.Bind(var) if var in read else ir.Wildcard())


def _fresh(hint: str, taken: Container[str]) -> str:
    name, count = hint, 0
    while name in taken:
        count += 1
        name = f"{hint}{count}"
    return name
