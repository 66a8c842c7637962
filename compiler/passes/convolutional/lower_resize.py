"""Resize lowering: images in other sizes as operators that have kernels, where the sizes along an axis are known.

Along one axis after the other, as the operator is defined. Neighbours weighed by their distance (linear, cubic) are a
product with a matrix that is known ahead of time. Nearest elements are multiplied by ones side by side where each is
taken equally often, and sliced where every so manieth is. All else stays the host's: sizes that are known at run time
alone, other picks, dtypes that no kernel computes with, and matrices larger than most weights.
"""

from __future__ import annotations

import math

import numpy as np

from anytile.compiler.ir.nodes import (
    Array,
    Call,
    Constant,
    Expr,
    Module,
    OperatorRef,
    Var,
    is_operator_call,
    operator_of,
    tensor_of,
)
from anytile.compiler.ir.traverse import Binding, each_block, rewrite
from anytile.compiler.ir.types import Dim, TensorType
from anytile.compiler.operators import operator
from anytile.compiler.operators.images import Resizing, resized_axes, resizings, resizings_by
from anytile.compiler.operators.spec import Attributes, ints
from anytile.core.dtypes import NUMBERS

_FLOAT = "float32"
_MOST_WEIGHTS = 1 << 20


def lower_resize(module: Module) -> Module:
    return each_block(module, lambda body: rewrite(body, _change))


def _change(var: Var, value: Expr) -> list[Binding] | None:
    if not is_operator_call(value, "resize", "resize_by"):
        return None
    attrs = operator(operator_of(value)).complete(value.attrs)
    made = _Lowered(value)
    for one in _along(value, attrs):
        if one.changes and not (made.picked(one, attrs) if attrs["mode"] == "nearest" else made.weighed(one, attrs)):
            return None
    return made.bound_to(var)


def _along(call: Call, attrs: Attributes) -> tuple[Resizing, ...]:
    """What becomes of each axis; nothing where that is not known."""
    shape, by = tensor_of(call.args[0]).shape, call.args[1] if len(call.args) > 1 else None
    if isinstance(by, Var):
        return ()
    count = len(by.array) if isinstance(by, Constant) else len(ints(attrs, "sizes"))
    if any(not isinstance(shape[axis], int) or not shape[axis] for axis in resized_axes(attrs, count, len(shape))):
        return ()
    known = [d if isinstance(d, int) else 1 for d in shape]
    found = resizings_by(known, by.array, attrs) if isinstance(by, Constant) else resizings(known, attrs)
    return found if all(one.size for one in found) else ()


class _Lowered:
    """Steps that make a tensor of another: `value` is what they have come to."""

    def __init__(self, call: Call) -> None:
        self.where, self.steps = call.where, list[Binding]()
        self.value: Expr = call.args[0]

    def bound_to(self, var: Var) -> list[Binding] | None:
        """The steps, the last of which binds the variable; None where there are none."""
        if not self.steps:
            return None
        _, last = self.steps[-1]
        return [*self.steps[:-1], (var, last)]

    @property
    def shape(self) -> tuple[Dim, ...]:
        return tensor_of(self.value).shape

    def put(self, name: str, args: tuple[Expr, ...], dims: tuple[Dim, ...], **attrs: str | tuple[int, ...]) -> None:
        call = Call(OperatorRef(name), args, operator(name).canonical(tuple(attrs.items())), self.where)
        made = Var("resized", TensorType(dims, tensor_of(self.value).dtype))
        self.steps.append((made, call))
        self.value = made

    def reshape(self, shape: tuple[Dim, ...]) -> bool:
        """In another shape, of which at most one size is not known."""
        if shape != self.shape:
            if sum(not isinstance(d, int) for d in shape) > 1:
                return False
            self.put("reshape", (self.value,), shape, shape=tuple(d if isinstance(d, int) else -1 for d in shape))
        return True

    def weighed(self, one: Resizing, attrs: Attributes) -> bool:
        """Sums of neighbours, as a product; whether there is one."""
        before, behind = self.shape[: one.axis], self.shape[one.axis + 1 :]
        if tensor_of(self.value).dtype != _FLOAT or one.size * one.n > _MOST_WEIGHTS:
            return False
        weights = Constant(np.asarray(one.weights(attrs), np.float32))
        if not behind:
            self.put("dense", (self.value, weights), (*before, one.size))
            return True
        if not before:
            return False
        if len(behind) > 1:  # side by side they are one dimension
            known = [d for d in behind if isinstance(d, int)]
            if len(known) < len(behind) or not self.reshape((*before, one.n, math.prod(known))):
                return False
        shape = (*before, one.size, self.shape[-1])
        self.put("batch_matmul", (weights, self.value), shape, lhs="mk", rhs="bkn", y="bmn")
        return self.reshape((*before, one.size, *behind))

    def picked(self, one: Resizing, attrs: Attributes) -> bool:
        """Elements as they are, where they are picked evenly; whether they are."""
        places, dtype = one.picked(attrs), tensor_of(self.value).dtype
        before, behind = self.shape[: one.axis], self.shape[one.axis + 1 :]
        if dtype not in NUMBERS:
            return False
        times = one.size // one.n
        if times and np.array_equal(places, np.arange(one.size) // times) and one.size == times * one.n:
            ones: Array = np.ones((times, *[1] * len(behind)), dtype)
            self.put("expand_dims", (self.value,), (*before, one.n, 1, *behind), axis=(one.axis + 1,))
            self.put("multiply", (self.value, Constant(ones)), (*before, one.n, times, *behind))
            return self.reshape((*before, one.size, *behind))
        step = int(places[1] - places[0]) if one.size > 1 else 1
        if step < 1 or not np.array_equal(places, places[0] + step * np.arange(one.size)):
            return False
        cut = {"start": int(places[0]), "stop": int(places[-1]) + 1, "step": step, "axes": one.axis}
        self.put("slice", (self.value,), (*before, one.size, *behind), **{name: (n,) for name, n in cut.items()})
        return True
