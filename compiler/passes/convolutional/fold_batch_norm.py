"""Batch normalisation folding: with known statistics it is a factor and a summand for each channel, ahead of time.

Where a dense layer or a convolution with constant weights made its input, for it alone, the factor goes into the
weights: `batch_norm(add(conv2d(x, w), b))` becomes `add(conv2d(x, w * factor), b * factor + summand)`, which is one
kernel with what follows. Elsewhere, and where several steps read the weights, whose copies files would hold, it becomes
a product and a sum, which fusion takes as it takes any. Constants are computed in float64 and rounded once; one that is
not finite, or would be rounded to what is not, leaves the step as it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from anytile.compiler.ir.nodes import Array, Call, Constant, Expr, Module, OperatorRef, Var, operator_of, tensor_of
from anytile.compiler.ir.traverse import Binding, each_block, nodes, rewrite, variables_read
from anytile.compiler.ir.types import TensorType
from anytile.compiler.operators import operator
from anytile.compiler.operators.spec import axis_of, integer, number

_PRODUCTS = ("dense", "conv1d", "conv2d", "conv3d")  # whose weights have the channels of the result in front
_BACKWARDS = "conv_transpose"  # whose weights have those of one group second
_DTYPES = ("float32", "float64")


def fold_batch_norm(module: Module) -> Module:
    weights = Counter(id(e.array) for f in module.functions.values() for e in nodes(f.body) if isinstance(e, Constant))
    return each_block(module, lambda body: _Folding(Counter(variables_read(body)), weights).folded(body))


@dataclass(frozen=True, slots=True)
class _Summed:
    """A product by constant weights, plus a number for each of its channels."""

    var: Var
    product: Call
    weight: Constant
    summand: Array

    @property
    def axis(self) -> int:
        """The dimension of the result's channels."""
        rank = tensor_of(self.var).rank
        is_last = operator_of(self.product) == "dense" or self.product.attr("layout") == "nhwc"
        return rank - 1 if is_last else 1


class _Folding:
    """One function: `reads` counts how often each variable is read in it, `weights` each array in the module."""

    def __init__(self, reads: Counter[Var], weights: Counter[int]) -> None:
        self.reads, self.weights = reads, weights
        self.known: dict[Var, _Summed] = {}

    def folded(self, body: Expr) -> Expr:
        return rewrite(body, self.change, scope=self.block)

    @contextmanager
    def block(self) -> Iterator[None]:
        outer, self.known = self.known, {}
        yield
        self.known = outer

    def change(self, var: Var, value: Expr) -> list[Binding] | None:
        if not isinstance(value, Call) or not isinstance(var.type, TensorType) or var.type.dtype not in _DTYPES:
            return None
        name = operator_of(value)
        if name == "batch_norm":
            return self.normalised(var, value)
        if name in (*_PRODUCTS, _BACKWARDS) and isinstance(value.args[1], Constant) and value.args[1].array.ndim > 1:
            weight = value.args[1]
            if self.weights[id(weight.array)] == 1 and not isinstance(value.args[0], Constant):
                self.known[var] = _Summed(var, value, weight, np.zeros(()))
        elif name == "add":
            self.add(var, value)
        return None

    def add(self, var: Var, value: Call) -> None:
        """What a bias makes of a product."""
        for one, other in (value.args, value.args[::-1]):
            before = self.known.get(one) if isinstance(one, Var) and self.reads[one] == 1 else None
            bias = None if before is None else by_channel(other, before.axis, tensor_of(before.var))
            if before is not None and bias is not None:
                self.known[var] = replace(before, summand=before.summand + bias)

    def normalised(self, var: Var, value: Call) -> list[Binding] | None:
        """A product and a sum in the place of a normalisation."""
        x, *given = value.args
        if not all(isinstance(e, Constant) for e in given):
            return None
        gamma, beta, mean, variance = (e.array.astype(np.float64) for e in given if isinstance(e, Constant))
        attrs = operator("batch_norm").complete(value.attrs)
        kind = tensor_of(var)
        axis = axis_of(integer(attrs, "axis"), kind.rank)
        with np.errstate(all="ignore"):
            factor = gamma / np.sqrt(variance + number(attrs, "eps"))
            summand = beta - mean * factor
        before = self.known.get(x) if isinstance(x, Var) and self.reads[x] == 1 else None
        if before is None or before.axis != axis:
            return self.scaled(var, x, factor, summand, axis, value)
        weight = before.weight.array
        with np.errstate(all="ignore"):
            made = _rounded(_times(before.product, weight, factor), kind.dtype, before.weight.name)
            left = _rounded(_along(before.summand * factor + summand, axis, kind.rank), kind.dtype, "summand")
        if made is None or left is None:
            return None
        product = Var(before.var.name, tensor_of(before.var))
        return [
            (product, replace(before.product, args=(before.product.args[0], made))),
            (var, Call(OperatorRef("add"), (product, left), where=value.where)),
        ]

    def scaled(self, var: Var, x: Expr, factor: Array, summand: Array, axis: int, value: Call) -> list[Binding] | None:
        kind = tensor_of(var)
        by, plus = (_rounded(_along(a, axis, kind.rank), kind.dtype, "") for a in (factor, summand))
        if by is None or plus is None:
            return None
        product = Var("scaled", kind)
        return [
            (product, Call(OperatorRef("multiply"), (x, by), where=value.where)),
            (var, Call(OperatorRef("add"), (product, plus), where=value.where)),
        ]


def _times(product: Call, weight: Array, factor: Array) -> Array:
    """The weights with those of each channel of the result times its factor."""
    ones = [1] * (weight.ndim - 2)
    if operator_of(product) != _BACKWARDS:
        return np.asarray(weight * factor.reshape(-1, 1, *ones))
    groups = integer(operator(_BACKWARDS).complete(product.attrs), "groups")
    grouped = weight.reshape(groups, -1, *weight.shape[1:])
    return np.asarray(grouped * factor.reshape(groups, 1, -1, *ones)).reshape(weight.shape)


def _along(numbers: Array, axis: int, rank: int) -> Array:
    """One for each channel, as it is broadcast to a tensor."""
    return numbers.reshape(-1, *[1] * (rank - 1 - axis))


def _rounded(array: Array, dtype: str, name: str) -> Constant | None:
    with np.errstate(all="ignore"):
        made = array.astype(dtype)
    return Constant(made, name) if np.isfinite(made).all() else None


def by_channel(e: Expr, axis: int, like: TensorType) -> Array | None:
    """A constant as a number for each channel of a tensor; None where it is none, or more than that."""
    if not isinstance(e, Constant) or e.array.ndim > like.rank:
        return None
    count, shape = like.shape[axis], (1,) * (like.rank - e.array.ndim) + e.array.shape
    if not isinstance(count, int) or shape[axis] not in (1, count) or e.array.size != shape[axis]:
        return None
    return np.broadcast_to(e.array.reshape(-1).astype(np.float64), (count,))
