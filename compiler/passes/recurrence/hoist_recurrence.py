"""Hoisting out of a recurrence: products of its inputs, computed for all steps at once before it begins.

A function that calls itself walks a tensor: one of its parameters goes through every call as it came, and a row of it
is taken in each step. A product of that row with a constant is a row of the product of the whole tensor, which is one
large product instead of many small ones. So the function gets the whole product as a parameter and takes its row of
that; whoever calls it from outside computes the product. A product of the row joined with something else, as of the
input and the hidden state, is first made the sum of two.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from anytile.compiler.infer import infer
from anytile.compiler.ir.nodes import (
    Call,
    Constant,
    Expr,
    Function,
    Module,
    OperatorRef,
    Var,
    is_operator_call,
    tensor_of,
)
from anytile.compiler.ir.traverse import (
    Binding,
    atoms_of,
    each_block,
    every_block,
    is_call_of,
    is_value,
    result_of,
    rewrite,
    steps,
)
from anytile.compiler.ir.types import TensorType
from anytile.compiler.operators import operator
from anytile.compiler.passes.recurrence.split_products import IsRow, split_products


def hoist_recurrence(module: Module) -> Module:
    for name in list(module.functions):
        f = module.functions[name]
        walked = _walked(name, f)
        if walked and name != "main" and not is_value(module, name):  # whoever calls it must be seen
            split = replace(f, body=split_products(f.body, _rows_of(walked)))
            module = infer(replace(module, functions={**module.functions, name: split})).module
            while (found := _hoistable(name, module.functions[name])) is not None:
                module = infer(_hoisted(module, name, found)).module
    return module


def _rows_of(walked: dict[Var, int]) -> IsRow:
    return lambda v, known: v in known and _is_row(known[v], walked)


def _walked(name: str, f: Function) -> dict[Var, int]:
    """The parameters that a function passes to itself as they came, and their places; none where it does not call
    itself."""
    calls = [v for _, v in steps(f.body) if is_call_of(v, name)]
    return {p: i for i, p in enumerate(f.params) if calls and all(c.args[i] is p for c in calls)}


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of the parameter `place`, and the steps that make something of it with constants alone."""

    place: int
    index: Expr
    chain: tuple[Binding, ...]


def _hoistable(name: str, f: Function) -> _Row | None:
    """A row of a parameter that all calls pass on, and the product that is made of it."""
    kept = _walked(name, f)
    bound = dict(steps(f.body))
    readers: dict[Var, list[Binding]] = {}
    for var, value in bound.items():
        for v in {a for a in atoms_of(value) if isinstance(a, Var)}:
            readers.setdefault(v, []).append((var, value))
    returned = {result_of(block) for block in every_block(f.body)}
    for row, value in bound.items():
        if not _is_row(value, kept):
            continue
        assert isinstance(value, Call)
        seen = [row, *(var for var, view in readers.get(row, []) if _keeps_columns(var, view, row))]
        for var, product in (step for v in seen for step in readers.get(v, [])):
            if not is_operator_call(product, "dense"):
                continue
            if product.args[0] in seen and isinstance(product.args[1], Constant):
                source, index = value.args
                assert isinstance(source, Var)
                return _Row(kept[source], index, _chain((var, product), readers, returned))
    return None


def _is_row(value: Expr, kept: dict[Var, int]) -> bool:
    """Whether a step takes one row of a parameter that has columns besides."""
    if not is_operator_call(value, "take") or operator("take").complete(value.attrs)["axis"] != 0:
        return False
    source, index = value.args
    if not isinstance(source, Var) or source not in kept or not isinstance(index, Var | Constant):
        return False
    walked, at = source.type, index.type
    return isinstance(walked, TensorType) and walked.rank >= 2 and isinstance(at, TensorType) and at.rank == 0


def _keeps_columns(var: Var, view: Expr, row: Var) -> bool:
    """Whether a step is the row with dimensions of 1 before it."""
    if not is_operator_call(view, "reshape", "expand_dims"):
        return False
    own, of = var.type, row.type
    if not isinstance(own, TensorType) or not isinstance(of, TensorType) or not own.is_static or not of.rank:
        return False
    return own.shape[-of.rank :] == of.shape and set(own.shape[: -of.rank]) <= {1}


def _chain(product: Binding, readers: dict[Var, list[Binding]], returned: set[Expr]) -> tuple[Binding, ...]:
    """The product and the vector that is added to it, if nobody needs it without."""
    var, _ = product
    after = readers.get(var, [])
    if var not in returned and len(after) == 1 and is_operator_call(after[0][1], "add"):
        left, right = after[0][1].args
        if left is var and isinstance(right, Constant) and right.array.ndim == 1:
            return (product, after[0])
    return (product,)


def _hoisted(module: Module, name: str, found: _Row) -> Module:
    f = module.functions[name]
    result = found.chain[-1][0]
    source, row_type = tensor_of(f.params[found.place]), tensor_of(result)
    whole = TensorType((*source.shape[:-1], row_type.shape[-1]), row_type.dtype)
    shape = tuple(d if isinstance(d, int) else -1 for d in row_type.shape)
    param = Var(f"all_{result.name}", whole)
    gone = {var for var, _ in found.chain}

    def inside(var: Var, value: Expr) -> list[Binding] | None:
        if var is result:
            where = value.where if isinstance(value, Call) else ""
            row = var if len(shape) == source.rank - 1 else Var(var.name)
            taken = (row, Call(OperatorRef("take"), (param, found.index), where=where))
            view = (var, Call(OperatorRef("reshape"), (row,), (("shape", shape),), where))
            return [taken] if row is var else [taken, view]
        if is_call_of(value, name):
            return [(var, replace(value, args=(*value.args, param)))]
        return [] if var in gone else None

    def outside(var: Var, value: Expr) -> list[Binding] | None:
        if not is_call_of(value, name):
            return None
        kept: list[Binding] = []
        made = value.args[found.place]
        for of, step in found.chain:
            assert isinstance(step, Call)
            kept.append((Var(of.name), replace(step, args=(made, *step.args[1:]))))
            made = kept[-1][0]
        return [*kept, (var, replace(value, args=(*value.args, made)))]

    others = each_block(module, lambda body: rewrite(body, outside))
    own = Function((*f.params, param), f.result, rewrite(f.body, inside), f.attrs)
    return replace(module, functions={**others.functions, name: own})
