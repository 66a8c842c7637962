"""Horizontal fusion: products of one tensor with several constants by one kernel, as attention's three.

Dense layers that read the same rows and whose weights are alike become one cell whose gates are the products and whose
outputs are what their tails make of them, each a tensor of its own, so nothing is copied apart afterwards. The kernel
reads its rows once, walks one larger constant, and starts its loops once; with few rows that is much, with many it is
nothing and costs nothing. It stands where the first of the products stood, and takes those whose other operands are
there by then. What is merged into what is the pass's own on a GPU (`stack_products`), which shares the grouping.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np

from anytile.compiler.ir.nodes import Call, Constant, Expr, GlobalRef, Module, OperatorRef, TupleGet, Var, tensor_of
from anytile.compiler.ir.traverse import (
    Binding,
    bindings_of,
    each_block,
    make_block,
    map_blocks,
    result_of,
    variables_read,
)
from anytile.compiler.ir.types import Any, Dim, TensorType, TupleType
from anytile.compiler.kernels.kernel_of import kernel_of
from anytile.compiler.kernels.primitive_functions import Primitives, joined_where, primitive
from anytile.compiler.passes.dead_code import reached
from anytile.schedules.index.expr import var as dim
from anytile.schedules.nest.elementwise_text import operands, parse, place, write
from anytile.schedules.nest.nodes import Load, Value

_DIMS = {"m": "m", "n": "u"}  # a dense layer's, as a cell calls them
_MOST = 8  # that are merged: one row's sums of them are under way at once, and every CPU has registers for so many


def merge_products(module: Module) -> Module:
    made = _Merging(module)
    merged = each_block(module, made.block)
    return reached(replace(merged, functions={**merged.functions, **made.primitives.functions}))


@dataclass(frozen=True, slots=True)
class Product:
    """A call of a kernel that multiplies rows with a constant weight."""

    result: Var
    call: Call
    x: Var
    weight: Constant

    def is_alike(self, other: Product) -> bool:
        """Whether both read the same rows, and weights of one type."""
        return self.x is other.x and self.weight.type == other.weight.type


_P = TypeVar("_P", bound=Product)


class Merging(ABC, Generic[_P]):
    """Products of a module's blocks while they are merged."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.primitives = Primitives(set(module.functions))
        self.stacked: dict[tuple[int, ...], Constant] = {}  # of constants by their identity: a loop's are walked once

    def block(self, block: Expr) -> Expr:
        steps = [(var, map_blocks(value, self.block)) for var, value in bindings_of(block)]
        groups = self.groups(steps)
        gone = {p.result for group in groups.values() for p in group}
        kept: list[Binding] = []
        for var, value in steps:
            if var in groups:
                kept += self.merged(groups[var])
            elif var not in gone:
                kept.append((var, value))
        return make_block(kept, result_of(block))

    def groups(self, steps: Sequence[Binding]) -> dict[Var, list[_P]]:
        """Products to be merged, by the result of the first. `late` is what is not there when the first is made."""
        found: list[tuple[list[_P], set[Var]]] = []
        for var, value in steps:
            product = self.product(var, value)
            if product is not None:
                read = set(variables_read(value))
                alike = (g for g, late in found if g[0].is_alike(product) and not read & late)
                home = next((g for g in alike if self.is_one([*g, product])), None)
                if home is not None:
                    home.append(product)
                else:
                    found.append(([product], set()))
            for _, late in found:
                late.add(var)
        return {group[0].result: group for group, _ in found if len(group) > 1}

    @abstractmethod
    def product(self, var: Var, value: Expr) -> _P | None:
        """The product that a step is, if it is one that may be merged."""

    @abstractmethod
    def is_one(self, group: Sequence[_P]) -> bool:
        """Whether there is a kernel of all of them."""

    @abstractmethod
    def merged(self, group: Sequence[_P]) -> Iterator[Binding]:
        """The steps in place of them."""

    def stack(self, parts: Sequence[Constant]) -> Constant:
        """Constants of one type one behind the other."""
        key = tuple(map(id, parts))
        if key not in self.stacked:
            name = "_".join(c.name for c in parts if c.name)
            self.stacked[key] = Constant(np.stack([c.array for c in parts]), name)
        return self.stacked[key]


@dataclass(frozen=True, slots=True)
class _Product(Product):
    """A dense layer of a cell: `tail` is over `y` and the names in `read`, each with the atom it is."""

    tail: Value
    read: tuple[tuple[str, Expr], ...]


class _Merging(Merging[_Product]):
    def product(self, var: Var, value: Expr) -> _Product | None:
        """The dense layer of rows, in float32 and with a constant weight, that a step is."""
        if (
            not isinstance(value, Call)
            or not isinstance(value.callee, GlobalRef)
            or not isinstance(var.type, TensorType)
        ):
            return None
        function = self.module.function(value.callee.name)
        kernel = kernel_of(function) if function.is_primitive else None
        if kernel is None or kernel.workload.op != "dense" or kernel.workload.dtype != "float32":
            return None
        x, weight, *others = (value.args[i] for i in kernel.operands)
        if not isinstance(x, Var) or not isinstance(weight, Constant) or _rows(tensor_of(x)) is None:
            return None
        if not isinstance(tensor_of(x).shape[-1], int):  # which only the weight says then, and no view can
            return None
        tail = parse(kernel.workload.tail or "y")
        names = [t.name for t in kernel.workload.inputs][2:]
        over = operands(tail, kernel.workload.tail)
        for name, atom in zip(names, others, strict=True):
            kind = tensor_of(atom)
            if kind != var.type if "m" in over[name] else kind.rank != len(over[name]):
                return None
        return _Product(var, value, x, weight, tail, tuple(zip(names, others, strict=True)))

    def is_one(self, group: Sequence[_Product]) -> bool:
        return len(group) <= _MOST and self.cell(group, like(group[-1].weight, len(group))) is not None

    def cell(self, group: Sequence[_Product], weights: Constant) -> tuple[list[Binding], Binding] | None:
        """Views of what is read as rows, and the operator's call that makes all products of them, with its result; None
        where it has no kernel."""
        texts: list[str] = []
        names: dict[tuple[Expr, tuple[str, ...]], str] = {}
        order: dict[str, None] = {}
        for number, product in enumerate(group):
            value = _renamed(product, f"z{number}", names)
            texts.append(f"y{number} = {write(value)}")
            order |= dict.fromkeys(operands(value, texts[-1]))
        views: list[Binding] = []
        atoms = {name: _as_rows(atom, views) if "m" in over else atom for (atom, over), name in names.items()}
        args = (_as_rows(group[0].x, views), weights, *(atoms[name] for name in order if name in atoms))
        attrs = (("cell", "; ".join(texts)), ("gates", len(group)))
        call = Call(OperatorRef("gated_dense"), args, attrs, joined_where([p.call for p in group]))
        kinds = tuple(kind for p in group if (kind := _rows(tensor_of(p.result))) is not None)
        step = Var("products", TupleType(kinds)), call
        return None if kernel_of(primitive([step])[0]) is None else (views, step)

    def merged(self, group: Sequence[_Product]) -> Iterator[Binding]:
        found = self.cell(group, self.stack([p.weight for p in group]))
        assert found is not None  # or the last would not be in the group
        views, (whole, call) = found
        yield from views
        yield whole, self.primitives.call([(whole, call)], f"dense_x{len(group)}")
        for number, product in enumerate(group):
            kind = tensor_of(product.result)
            if kind.rank == 2:
                yield product.result, TupleGet(whole, number)
                continue
            rows = Var(product.result.name, _rows(kind))
            shape = tuple(d if isinstance(d, int) else -1 for d in kind.shape)
            yield rows, TupleGet(whole, number)
            yield product.result, Call(OperatorRef("reshape"), (rows,), (("shape", shape),), product.call.where)


def like(one: Constant, count: int) -> Constant:
    """What has the type of so many constants and takes no memory."""
    return Constant(np.broadcast_to(one.array, (count, *one.array.shape)))


def _renamed(product: _Product, gate: str, names: dict[tuple[Expr, tuple[str, ...]], str]) -> Value:
    """The tail over a cell's gate, dimensions and operands; `names` gets what the operands are called."""
    atoms = dict(product.read)

    def load(name: str, dims: tuple[str, ...]) -> Value:
        if name not in atoms:
            return Load(gate, ())
        over = tuple(_DIMS[d] for d in dims)
        own = names.setdefault((atoms[name], over), f"b{len(names)}")
        return Load(own, tuple(map(dim, over)))

    return place(product.tail, load)


def _rows(t: TensorType) -> TensorType | None:
    """A tensor's type as rows, its last dimension kept; None where the number of rows has no name, or a view none."""
    *leading, last = t.shape
    unknown = [d for d in leading if not isinstance(d, int)]
    known = math.prod(d for d in leading if isinstance(d, int))
    if len(unknown) > 1 or any(not d.name for d in unknown) or (t.rank != 2 and 0 in t.shape):
        return None
    rows: Dim = known
    if unknown:
        rows = unknown[0] if known == 1 else Any(f"{unknown[0].name}_x{known}")
    return TensorType((rows, last), t.dtype)


def _as_rows(atom: Expr, views: list[Binding]) -> Expr:
    """What is read, seen as rows."""
    kind = tensor_of(atom)
    if kind.rank == 2:
        return atom
    view = Call(OperatorRef("reshape"), (atom,), (("shape", (-1, kind.shape[-1])),))  # type: ignore[arg-type]  # an int, as `product` has seen
    known = next((var for var, other in views if isinstance(other, Call) and other.args == view.args), None)
    if known is None:
        known = Var("rows", _rows(kind))
        views.append((known, view))
    return known
