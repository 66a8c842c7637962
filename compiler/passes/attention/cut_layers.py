"""Layer cutting: a dense layer whose result is only cut into columns is a layer for each of the cuts.

Exporters write the queries, keys and values of attention as one layer and three slices of it, each of them a copy. Cut
into the weights' rows, three layers stand where one was, and `merge_products` makes them one kernel again, which writes
three tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from anytile.compiler.ir.nodes import (
    Call,
    Constant,
    Expr,
    Module,
    OperatorRef,
    Var,
    is_operator_call,
    operator_of,
    type_of,
)
from anytile.compiler.ir.traverse import Binding, each_block, rewrite, steps, variables_read
from anytile.compiler.ir.types import TensorType
from anytile.compiler.operators import operator
from anytile.compiler.operators.spec import axis_of, ints


def cut_layers(module: Module) -> Module:
    return each_block(module, lambda body: rewrite(body, _Cutting(body).change))


@dataclass(frozen=True, slots=True)
class _Layer:
    """A dense layer with constant weights, and the constant that is added to it."""

    product: Call
    weight: Constant
    bias: Constant | None

    def columns(self, var: Var, where: str, part: Callable[[Constant], Constant]) -> Iterator[Binding]:
        """The layer of some columns, whose part of a constant is such."""
        product = replace(self.product, args=(self.product.args[0], part(self.weight)))
        if self.bias is None:
            yield var, product
            return
        made = Var(var.name, var.type)
        yield made, product
        yield var, Call(OperatorRef("add"), (made, part(self.bias)), where=where)


class _Cutting:
    """One function: its calls by variable, and of each variable who reads it."""

    def __init__(self, body: Expr) -> None:
        self.known = {var: step for var, step in steps(body) if is_operator_call(step)}
        self.cuts: dict[Var, list[tuple[int, int]]] = {}
        for step in self.known.values():
            cut = _columns(step)
            if cut is not None and isinstance(step.args[0], Var):
                self.cuts.setdefault(step.args[0], []).append(cut)
        self.reads: dict[Var, int] = {}
        for var in variables_read(body):
            self.reads[var] = self.reads.get(var, 0) + 1
        self.parts: dict[tuple[Constant, int, int], Constant] = {}  # the same for all layers that share a weight

    def change(self, var: Var, step: Expr) -> list[Binding] | None:
        if not is_operator_call(step, "slice") or not isinstance(step.args[0], Var):
            return None
        whole, cut = step.args[0], _columns(step)
        layer = self.layer(whole)
        if cut is None or layer is None or not self.is_cut_only(whole):
            return None
        return list(layer.columns(var, step.where, lambda constant: self.part(constant, *cut)))

    def part(self, constant: Constant, begin: int, end: int) -> Constant:
        key = constant, begin, end
        if key not in self.parts:
            name = f"{constant.name}_{begin}" if constant.name else ""
            self.parts[key] = Constant(constant.array[begin:end], name)
        return self.parts[key]

    def is_cut_only(self, whole: Var) -> bool:
        """Whether nobody reads anything but columns of it, and no column twice."""
        cuts = sorted(self.cuts[whole])
        is_apart = all(end <= begin for (_, end), (begin, _) in pairwise(cuts))
        return len(cuts) == self.reads[whole] and is_apart

    def layer(self, whole: Var) -> _Layer | None:
        step, bias = self.known.get(whole), None
        if step is not None and operator_of(step) == "add":
            for product, other in (step.args, step.args[::-1]):
                if isinstance(product, Var) and isinstance(other, Constant) and self.reads[product] == 1:
                    step, bias = self.known.get(product), other
                    break
        if step is None or operator_of(step) != "dense" or not isinstance(step.args[1], Constant):
            return None
        weight = step.args[1]
        if bias is not None and bias.array.shape != weight.array.shape[:1]:
            return None
        return _Layer(step, weight, bias)


def _columns(step: Call) -> tuple[int, int] | None:
    """The columns that a slice takes, one after the other, where it is one of columns alone."""
    kind = type_of(step.args[0]) if operator_of(step) == "slice" else None
    if not isinstance(kind, TensorType) or kind.rank < 2 or not isinstance(size := kind.shape[-1], int):
        return None
    attrs = operator("slice").complete(step.attrs)
    axes, *bounds = (ints(attrs, name) for name in ("axes", "start", "stop", "step"))
    if len(axes) != 1 or axis_of(axes[0], kind.rank) != kind.rank - 1:
        return None
    begin, end, by = slice(*(given[0] if given else None for given in bounds)).indices(size)
    return (begin, end) if by == 1 and begin < end else None
