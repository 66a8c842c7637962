"""Products of a recurrence's inputs, computed for all steps at once before it begins.

A function that calls itself walks a tensor: one of its parameters goes through every call as it came, and a row of it
is taken in each step. A product of that row with a constant is a row of the product of the whole tensor, which is one
large product instead of many small ones. So the function gets the whole product as a parameter and takes its row of
that; whoever calls it from outside computes the product. A product of the row joined with something else, as of the
input and the hidden state, is first made the sum of two.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from anytile.compiler.infer import infer
from anytile.compiler.ir.anf import Binding, every_block, is_value, make_block, map_blocks, parts, result_of, steps
from anytile.compiler.ir.nodes import (
    AttrValue,
    Call,
    Constant,
    Expr,
    Function,
    GlobalRef,
    Let,
    Module,
    OperatorRef,
    Var,
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
    calls = [v for _, v in steps(f.body) if isinstance(v, Call) and v.callee == GlobalRef(name)]
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
        for v in {p for p in parts(value) if isinstance(p, Var)}:
            readers.setdefault(v, []).append((var, value))
    returned = {result_of(block) for block in every_block(f.body)}
    for row, value in bound.items():
        if not _is_row(value, kept):
            continue
        assert isinstance(value, Call)
        seen = [row, *(var for var, view in readers.get(row, []) if _keeps_columns(var, view, row))]
        for var, product in (step for v in seen for step in readers.get(v, [])):
            if not isinstance(product, Call) or not _is_call(product, "dense"):
                continue
            if product.args[0] in seen and isinstance(product.args[1], Constant):
                source, index = value.args
                assert isinstance(source, Var)
                return _Row(kept[source], index, _chain((var, product), readers, returned))
    return None


def _is_call(value: Expr, name: str) -> bool:
    return isinstance(value, Call) and value.callee == OperatorRef(name)


def _axis(call: Call) -> AttrValue:
    assert isinstance(call.callee, OperatorRef)
    return operator(call.callee.name).complete(call.attrs)["axis"]


def _is_row(value: Expr, kept: dict[Var, int]) -> bool:
    """Whether a step takes one row of a parameter that has columns besides."""
    if not isinstance(value, Call) or not _is_call(value, "take") or _axis(value) != 0:
        return False
    source, index = value.args
    if not isinstance(source, Var) or source not in kept or not isinstance(index, Var | Constant):
        return False
    walked, at = source.type, index.type
    return isinstance(walked, TensorType) and walked.rank >= 2 and isinstance(at, TensorType) and at.rank == 0


def _keeps_columns(var: Var, view: Expr, row: Var) -> bool:
    """Whether a step is the row with dimensions of 1 before it."""
    if not (_is_call(view, "reshape") or _is_call(view, "expand_dims")):
        return False
    own, of = var.type, row.type
    if not isinstance(own, TensorType) or not isinstance(of, TensorType) or not own.is_static or not of.rank:
        return False
    return own.shape[-of.rank :] == of.shape and set(own.shape[: -of.rank]) <= {1}


def _chain(product: Binding, readers: dict[Var, list[Binding]], returned: set[Expr]) -> tuple[Binding, ...]:
    """The product and the vector that is added to it, if nobody needs it without."""
    var, _ = product
    after = readers.get(var, [])
    if var not in returned and len(after) == 1 and _is_call(after[0][1], "add"):
        left, right = after[0][1].args  # type: ignore[union-attr]  # a Call
        if left is var and isinstance(right, Constant) and right.array.ndim == 1:
            return (product, after[0])
    return (product,)


def _hoisted(module: Module, name: str, found: _Row) -> Module:
    f = module.functions[name]
    result = found.chain[-1][0]
    source = f.params[found.place].type
    assert isinstance(source, TensorType)
    assert isinstance(result.type, TensorType)
    whole = TensorType((*source.shape[:-1], result.type.shape[-1]), result.type.dtype)
    shape = tuple(d if isinstance(d, int) else -1 for d in result.type.shape)
    param = Var(f"all_{result.name}", whole)
    gone = {var for var, _ in found.chain}

    def inside(block: Expr) -> Expr:
        if not isinstance(block, Let):
            return block
        kept: list[Binding] = []
        for var, value in block.bindings:
            if var is result:
                assert isinstance(value, Call)
                taken = Call(OperatorRef("take"), (param, found.index), where=value.where)
                if len(shape) == source.rank - 1:
                    kept.append((var, taken))
                else:
                    row = Var(var.name)
                    view = Call(OperatorRef("reshape"), (row,), (("shape", shape),), value.where)
                    kept += [(row, taken), (var, view)]
            elif isinstance(value, Call) and value.callee == GlobalRef(name):
                kept.append((var, replace(value, args=(*value.args, param))))
            elif var not in gone:
                kept.append((var, map_blocks(value, inside)))
        return make_block(kept, block.body)

    def outside(block: Expr) -> Expr:
        if not isinstance(block, Let):
            return block
        kept: list[Binding] = []
        for var, value in block.bindings:
            if isinstance(value, Call) and value.callee == GlobalRef(name):
                made = value.args[found.place]
                for of, step in found.chain:
                    assert isinstance(step, Call)
                    fresh = Var(of.name, None)
                    kept.append((fresh, replace(step, args=(made, *step.args[1:]))))
                    made = fresh
                kept.append((var, replace(value, args=(*value.args, made))))
            else:
                kept.append((var, map_blocks(value, outside)))
        return make_block(kept, block.body)

    changed = {
        other: replace(g, body=outside(g.body)) if other != name and not g.is_primitive else g
        for other, g in module.functions.items()
    }
    changed[name] = Function((*f.params, param), f.result, inside(f.body), f.attrs)
    return replace(module, functions=changed)
