"""Horizontal fusion on a GPU: dense layers that read the same rows by one kernel, as attention's three.

There a kernel costs a launch and a gap whatever it does, so with few rows fewer kernels are less time. Layers that are
one primitive function, of weights and other constants of their own, become one product of stacked layers: their
constants stand one behind the other, and so do the results, each of which is a part of what is made, where it lies.
Where layers round their rows as their weights in 16 bits are, rows in float32 are rounded first, once for three layers
or more. The merged product stands where the first of them stood.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from anytile.compiler.ir.memory_dialect import ALIGNMENT
from anytile.compiler.ir.nodes import (
    Attrs,
    Call,
    Constant,
    Expr,
    Function,
    GlobalRef,
    Module,
    OperatorRef,
    Var,
    is_operator_call,
    operator_of,
    tensor_of,
    type_of,
)
from anytile.compiler.ir.traverse import Binding, bindings_of, each_block, make_block, result_of
from anytile.compiler.kernels.kernel_of import kernel_of
from anytile.compiler.kernels.memory_dtypes import FLOAT, RESULT, stored_as, stored_places, storing
from anytile.compiler.kernels.primitive_functions import joined_where, primitive
from anytile.compiler.operators import operator
from anytile.compiler.operators.products import EXACT, OF_ROWS, OF_STACK, STACKED
from anytile.compiler.passes.dead_code import reached
from anytile.compiler.passes.merge_products import Merging, Product, like
from anytile.core.dtypes import BY_NAME, BYTES, HALVES
from anytile.schedules.operators.products.dense import DENSE
from anytile.schedules.operators.products.quantised_dense import PRODUCTS, QUANTISED_DENSE, ROUNDED, W, X

_LEAST_ROUNDED = 3  # layers for which rows are rounded: of two as many kernels would be left
_MOST = 8  # that are merged: all results are there from the first one on


def stack_products(module: Module) -> Module:
    made = _Stacking(module)
    stacked = each_block(module, made.block)
    return reached(replace(stacked, functions={**stacked.functions, **made.primitives.functions}))


@dataclass(frozen=True, slots=True)
class _Layer(Product):
    """A dense layer; x and the weight are the parameters at `places` of its function."""

    places: tuple[int, int]

    def is_alike(self, other: Product) -> bool:
        """Whether both can be parts of one product: what is another tensor is a constant of the same type."""
        a, b = self.call, other.call
        if a.callee != b.callee:
            return False
        each = zip(a.args, b.args, strict=True)
        return self.x is other.x and all(
            p is q or (isinstance(p, Constant) and isinstance(q, Constant) and p.type == q.type) for p, q in each
        )


class _Stacking(Merging[_Layer]):
    def product(self, var: Var, value: Expr) -> _Layer | None:
        """The dense layer with a constant weight that a step is, if parts of what several make begin aligned."""
        if not isinstance(value, Call) or not isinstance(value.callee, GlobalRef):
            return None
        function = self.module.function(value.callee.name)
        kernel = kernel_of(function) if function.is_primitive else None
        if kernel is None or not (narrow := _weight(function)):
            return None
        workload, (x, weight) = kernel.workload, (value.args[i] for i in kernel.operands[:2])
        if not isinstance(x, Var) or not isinstance(weight, Constant):
            return None
        if narrow == FLOAT:
            is_exact = workload.dtype == FLOAT and workload.attributes["products"] == EXACT
        else:
            is_exact = stored_as(function) in ("", narrow)
        if not is_exact or weight.type.dtype not in BY_NAME[narrow].arrays:
            return None
        elements = math.prod(d for d in tensor_of(var).shape if isinstance(d, int))
        if elements * BYTES[workload.dtype_of(workload.outputs[0])] % ALIGNMENT:
            return None
        return _Layer(var, value, x, weight, (kernel.operands[0], kernel.operands[1]))

    def is_one(self, group: Sequence[_Layer]) -> bool:
        if len(group) > _MOST:
            return False
        args = [like(a, len(group)) if isinstance(a, Constant) else a for a in group[0].call.args]
        return kernel_of(self.function(group, self.wide(group, args))) is not None

    def merged(self, group: Sequence[_Layer]) -> Iterator[Binding]:
        first, where = group[0], joined_where([p.call for p in group])
        is_rounded = _is_rounded(self.callee(first), first)
        if is_rounded and len(group) < _LEAST_ROUNDED:
            yield from ((p.result, p.call) for p in group)
            return
        args = self.wide(group, [self.one(group, place) for place in range(len(first.call.args))])
        function = self.function(group, args)
        if is_rounded:
            rows, dtype = Var(first.x.name, first.x.type), stored_as(function)
            same = Call(OperatorRef("cast"), (first.x,), (("dtype", FLOAT),))
            made, given = primitive([(rows, same)])
            name = self.primitives.named(storing(made, (RESULT,), dtype), f"as_{dtype}")
            yield rows, Call(GlobalRef(name), given, where=where)
            args[first.places[0]] = rows
        kind = tensor_of(first.result)
        whole = Var("products", replace(kind, shape=(len(group), *kind.shape)))
        name = self.primitives.named(function, f"{STACKED}_x{len(group)}")
        yield whole, Call(GlobalRef(name), tuple(args), where=where)
        for number, product in enumerate(group):
            part = Var(product.result.name, replace(kind, shape=(1, *kind.shape)))
            cut = (("axes", (0,)), ("start", (number,)), ("stop", (number + 1,)))
            yield part, Call(OperatorRef("slice"), (whole,), cut, product.call.where)
            yield product.result, Call(OperatorRef("squeeze"), (part,), (), product.call.where)

    def one(self, group: Sequence[_Layer], place: int) -> Expr:
        """What the merged product is given in the place of what each is: the same, or the constants of all."""
        atoms = [p.call.args[place] for p in group]
        if place != group[0].places[1] and all(a is atoms[0] for a in atoms):
            return atoms[0]
        return self.stack([a for a in atoms if isinstance(a, Constant)])

    def wide(self, group: Sequence[_Layer], args: Sequence[Expr]) -> list[Expr]:
        """The same with stacked constants of as many dimensions as the product, but for the weight."""
        first, rank = group[0], tensor_of(group[0].result).rank
        found = list(args)
        for place, (a, own) in enumerate(zip(args, first.call.args, strict=True)):
            if isinstance(a, Constant) and a is not own and place != first.places[1]:
                shape = (len(group), *(1,) * (rank + 1 - a.array.ndim), *a.array.shape[1:])
                found[place] = Constant(np.reshape(a.array, shape), a.name)
        return found

    def callee(self, layer: _Layer) -> Function:
        assert isinstance(layer.call.callee, GlobalRef)
        return self.module.function(layer.call.callee.name)

    def function(self, group: Sequence[_Layer], args: Sequence[Expr]) -> Function:
        """The primitive function of all layers of a group, which is given these arguments."""
        first, function = group[0], self.callee(group[0])
        rank, names, stacked = tensor_of(first.result).rank, dict[Expr, Var](), set[Expr]()
        for p, a, own in zip(function.params, args, first.call.args, strict=True):
            names[p] = Var(p.name, type_of(a))
            stacked |= {p} if a is not own else set()
        made: list[Binding] = []
        for number, (var, value) in enumerate(bindings_of(function.body)):
            assert isinstance(value, Call)
            kind = tensor_of(var)
            if stacked & {*value.args}:
                kind = replace(kind, shape=(len(group), *(1,) * (rank - kind.rank), *kind.shape))
                stacked.add(var)
            names[var] = Var(var.name, kind)
            step = replace(value, args=tuple(names.get(a, a) for a in value.args))
            if number == 0:
                narrow = _weight(function)
                attrs: Attrs = () if narrow == FLOAT else ((OF_STACK.name, narrow),)
                attrs = attrs if narrow == FLOAT or _rounds(function) else (*attrs, (OF_ROWS.name, EXACT))
                step = replace(step, callee=OperatorRef(STACKED), attrs=operator(STACKED).canonical(attrs))
            made.append((names[var], step))
        last = names[result_of(function.body)]
        params = tuple(names[p] for p in function.params)
        found = replace(function, params=params, result=last.type, body=make_block(made, last))
        if _is_rounded(function, first):
            dtype = stored_as(function) or _weight(function)
            found = storing(found, {*stored_places(function), first.places[0]}, dtype)
        return found


def _weight(function: Function) -> str:
    """The dtype of the weight of a dense layer that stacked ones may stand for; nothing of what is none."""
    call, *tail = (value for _, value in bindings_of(function.body))
    if any(operator(operator_of(step)).element is None for step in tail):
        return ""
    if is_operator_call(call, DENSE.name):
        return FLOAT
    if is_operator_call(call, QUANTISED_DENSE.name) and call.attr(X.name) == FLOAT and call.attr(W.name) in HALVES:
        return str(call.attr(W.name))
    return ""


def _rounds(function: Function) -> bool:
    """Whether a dense layer rounds its rows as its weight is."""
    _, call = bindings_of(function.body)[0]
    return is_operator_call(call, QUANTISED_DENSE.name) and call.attr(PRODUCTS.name) == ROUNDED


def _is_rounded(function: Function, layer: _Layer) -> bool:
    """Whether rows in float32 are rounded where they are multiplied."""
    return _rounds(function) and layer.places[0] not in stored_places(function)
