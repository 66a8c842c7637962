"""Products of a recurrence's inputs, computed for all steps at once before it begins.

A function that calls itself walks a tensor: one of its parameters goes through every call as it came, and a row of it
is taken in each step. A product of that row with a constant is a row of the product of the whole tensor, which is one
large product instead of many small ones. So the function gets the whole product as a parameter and takes its row of
that; whoever calls it from outside computes the product. A product of the row joined with something else, as of the
input and the hidden state, is first made the sum of two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from anytile.compiler.infer import infer
from anytile.compiler.ir import (
    Array,
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
from anytile.compiler.operators import operator
from anytile.compiler.passes.blocks import (
    Binding,
    every_block,
    is_value,
    make_block,
    map_blocks,
    parts,
    result_of,
    steps,
)
from anytile.compiler.types import TensorType


def hoist_recurrence(module: Module) -> Module:
    for name in list(module.functions):
        f = module.functions[name]
        walked = _walked(name, f)
        if walked and name != "main" and not is_value(module, name):  # whoever calls it must be seen
            split = replace(f, body=_split(f.body, {}, walked))
            module = infer(Module({**module.functions, name: split}, module.data)).module
            while (found := _hoistable(name, module.functions[name])) is not None:
                module = infer(_hoisted(module, name, found)).module
    return module


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
    return Module(changed, module.data)


# -- products of joined operands -----------------------------------------------------------------------------------


def _split(block: Expr, outer: dict[Var, Call], walked: dict[Var, int]) -> Expr:
    """The block with products of a joined row as sums, where one part is a row of what is walked."""
    if not isinstance(block, Let):
        return block
    known = dict(outer)
    kept: list[Binding] = []
    for var, value in block.bindings:
        step = map_blocks(value, lambda inner: _split(inner, known, walked))
        if isinstance(step, Call):
            known[var] = step
            kept += _parted(var, step, known, walked)
        else:
            kept.append((var, step))
    return make_block(kept, block.body)


def _parted(var: Var, product: Call, known: dict[Var, Call], walked: dict[Var, int]) -> Iterator[Binding]:
    """A product as one of the row and one of the rest, if it is of both."""
    joined = known.get(product.args[0]) if product.args and isinstance(product.args[0], Var) else None
    width = None if joined is None else _row_width(joined, known, walked)
    if joined is None or width is None or not _can_begin(product):
        yield var, product
        return
    row, rest = joined.args
    weight = product.args[1]
    assert isinstance(weight, Constant)
    of_row, of_rest = weight.array[..., :width], weight.array[..., width:]
    made, other = Var("input"), Var("state")
    yield made, Call(OperatorRef("dense"), (row, _constant(of_row.reshape(-1, width), weight)), where=product.where)
    if _is_call(product, "dense"):
        yield other, replace(product, args=(rest, _constant(of_rest, weight)))
        yield var, Call(OperatorRef("add"), (other, made), where=product.where)
    else:
        yield from _gates(var, product, made, rest, of_rest)


def _row_width(joined: Call, known: dict[Var, Call], walked: dict[Var, int]) -> int | None:
    """How long the row is, where a step joins one with one other thing by their last dimension of two."""
    if not _is_call(joined, "concat") or len(joined.args) != 2 or not isinstance(joined.args[0], Var):
        return None
    row = joined.args[0]
    taken, kind = known.get(row), row.type
    if taken is None or not _is_row(taken, walked) or not isinstance(kind, TensorType) or kind.rank != 2:
        return None
    width = kind.shape[-1]
    return width if _axis(joined) in (1, -1) and isinstance(width, int) else None


def _can_begin(product: Call) -> bool:
    """Whether a product with a constant can begin with a known sum: a plain one, or a cell of at most a bias."""
    if len(product.args) < 2 or not isinstance(product.args[1], Constant):
        return False
    if _is_call(product, "dense"):
        return True
    start = product.attr("start", "")
    has_bias = len(product.args) > 2 and isinstance(product.args[2], Constant)
    return _is_call(product, "gated_dense") and (not start or (has_bias and str(start).endswith("[g, u]")))


def _gates(var: Var, product: Call, made: Var, rest: Expr, weights: Array) -> Iterator[Binding]:
    """A cell that begins with the row's product, and its bias if it had one."""
    gates, units, _ = weights.shape
    whole, others = product.args[1], product.args[2:]
    assert isinstance(whole, Constant)
    if product.attr("start", ""):
        bias, summed = others[0], Var("input")
        assert isinstance(bias, Constant)
        yield summed, Call(OperatorRef("add"), (made, _constant(bias.array.reshape(-1), bias)), where=product.where)
        made, others = summed, others[1:]
    by_gate = Var("input")
    yield by_gate, Call(OperatorRef("reshape"), (made,), (("shape", (0, gates, units)),), product.where)
    attrs = (*(a for a in product.attrs if a[0] != "start"), ("start", "input[m, g, u]"))
    yield var, replace(product, args=(rest, _constant(weights, whole), by_gate, *others), attrs=attrs)


def _constant(array: Array, of: Constant) -> Constant:
    return Constant(np.ascontiguousarray(array), of.name)
