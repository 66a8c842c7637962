"""Resize lowering: images in other sizes as operators that have kernels.

Along one axis after the other: what becomes smaller first, then what becomes larger, from the last axis on, so that
where elements are many they lie side by side. Of neighbours weighed by their distance (linear, cubic) `interpolate`
makes the sums; the nearest are taken, or sliced where every so manieth is, or repeated where each is so many times
beside itself. Where they lie and what they weigh are constants where the sizes are known. Else the host makes these
tables at run time, of a row for each element along the axis (`resize_taps`). dtypes that no kernel computes with stay
the host's, and so do sums of very many elements, or of as many as only run time knows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anytile.compiler.ir.nodes import (
    Array,
    Call,
    Constant,
    Expr,
    Module,
    Var,
    is_operator_call,
    operator_of,
    tensor_of,
)
from anytile.compiler.ir.traverse import Binding, Names, rewrite
from anytile.compiler.ir.types import Dim
from anytile.compiler.operators import operator
from anytile.compiler.operators.images import resized_axes, resizings_by, taps_of
from anytile.compiler.operators.sized import dimension
from anytile.compiler.operators.spec import Attributes, Mismatch, ints
from anytile.compiler.passes.convolutional.steps import Steps, each_block_inferred
from anytile.core.dtypes import COMPUTED
from anytile.schedules.index.expr import var
from anytile.schedules.index.expr_text import parse_exprs

_FLOAT = "float32"
_NEAREST = "nearest"
_MOST_TAPS = 64
_MOST_TIMES = 8  # that an element is repeated
_SOME_SIZES = (*range(1, 18), 100, 1023)  # at which it is tried what a factor does at any


def lower_resize(module: Module) -> Module:
    return each_block_inferred(module, lambda body: _Lowering().lowered(body))


@dataclass(frozen=True, slots=True)
class _Along:
    """One axis: `n` elements, by `given`, sizes as int64 or factors as float32, of which `at` is its own."""

    axis: int
    n: Dim
    given: Expr
    at: int

    @property
    def by(self) -> Array | None:
        return self.given.array[self.at : self.at + 1] if isinstance(self.given, Constant) else None

    @property
    def scale(self) -> float | None:
        if self.by is None or (self.by.dtype.kind == "i" and not isinstance(self.n, int)):
            return None
        return float(self.by[0]) / (max(self.n, 1) if self.by.dtype.kind == "i" and isinstance(self.n, int) else 1)

    @property
    def order(self) -> tuple[bool, int]:
        grows = self.scale is None or self.scale >= 1
        return (grows, -self.axis if grows else self.axis)


class _Lowering:
    """One function: `names` stand for tensors that stay, `sizes` are those that are computed of others."""

    def __init__(self) -> None:
        self.names: Names = {}
        self.sizes: dict[Expr, Call] = {}
        self.count = 0

    def lowered(self, body: Expr) -> Expr | None:
        made = rewrite(body, self.change, self.names)
        return made if self.count else None

    def change(self, bound: Var, value: Expr) -> list[Binding] | None:
        if is_operator_call(value, "sizes_of"):
            self.sizes[bound] = value
        if not is_operator_call(value, "resize", "resize_by") or not isinstance(value.args[0], Var):
            return None
        attrs = operator(operator_of(value)).complete(value.attrs)
        along = _axes(value, attrs)
        kind = tensor_of(bound).dtype
        if any(one.n == 0 for one in along) or kind not in (COMPUTED if attrs["mode"] == _NEAREST else (_FLOAT,)):
            return None
        steps, made = Steps(value.where), value.args[0]
        try:
            for one in sorted(along, key=lambda one: one.order):
                taps = taps_of(attrs, one.scale)
                if taps is None or taps > _MOST_TAPS:
                    return None
                made = _resized(steps, made, one, taps, attrs, self.sizes.get(value.args[-1]))
        except Mismatch:  # factors that are none: who runs it is told
            return None
        self.count += 1
        if made is value.args[0]:
            self.names[bound] = made
            return []
        return steps.ending_in(bound)


def _axes(call: Call, attrs: Attributes) -> tuple[_Along, ...]:
    """The axes that may change."""
    shape = tensor_of(call.args[0]).shape
    given = call.args[1] if len(call.args) > 1 else Constant(np.asarray(ints(attrs, "sizes"), np.int64))
    (count,) = tensor_of(given).shape
    assert isinstance(count, int)
    found = (_Along(a, shape[a], given, i) for i, a in enumerate(resized_axes(attrs, count, len(shape))))
    return tuple(one for one in found if one.scale != 1)


def _resized(steps: Steps, x: Var, one: _Along, taps: int, attrs: Attributes, made: Call | None) -> Var:
    if times := _times(one, attrs, made):
        return steps.put("repeat_each", x, axis=one.axis, times=times)
    if one.by is None or not isinstance(one.n, int):
        return _by_tables(steps, x, one, taps, attrs, made)
    (known,) = resizings_by((one.n,), one.by, {**attrs, "axes": ()})
    if not known.changes:
        return x
    places, weights = known.taps(attrs)
    if attrs["mode"] != _NEAREST:
        return steps.put("interpolate", x, Constant(places), Constant(weights.astype(_FLOAT)), axis=one.axis)
    picked = places[:, 0]
    step = int(picked[1] - picked[0]) if known.size > 1 else 1
    if known.size and step > 0 and np.array_equal(picked, picked[0] + step * np.arange(known.size)):
        return steps.cut(x, {one.axis: (int(picked[0]), known.n - 1 - int(picked[-1]))}, {one.axis: step})
    return steps.put("take_inside", x, Constant(picked), axis=one.axis)


def _times(one: _Along, attrs: Attributes, made: Call | None) -> int:
    """How many times each element stands in the result, one behind the other, at any size; 0 where it does not."""
    scale = _multiple(one, made) if one.by is None else one.scale
    if attrs["mode"] != _NEAREST or scale is None or scale not in range(2, _MOST_TIMES + 1):
        return 0
    times = int(scale)
    for n in (one.n,) if isinstance(one.n, int) else _SOME_SIZES:
        by = np.asarray([n * times]) if one.by is None else one.by
        (known,) = resizings_by((n,), by, {**attrs, "axes": ()})
        if not np.array_equal(known.taps(attrs)[0][:, 0], np.arange(n * times) // times):
            return 0
    return times


def _multiple(one: _Along, made: Call | None) -> int:
    """How many times an axis that sizes are computed of is as long, where that is said of its very size."""
    if made is None or isinstance(one.n, int) or not one.n.name:  # nobody knows what one without a name equals
        return 0
    size = parse_exprs(str(made.attr("sizes")))[one.at]
    dims = [dim for arg in made.args for dim in tensor_of(arg).shape]
    alike = (var(dimension(i)) for i, dim in enumerate(dims) if dim == one.n)
    return next((times for own in alike for times in range(2, _MOST_TIMES + 1) if own * times == size), 0)


def _by_tables(steps: Steps, x: Var, one: _Along, taps: int, attrs: Attributes, made: Call | None) -> Var:
    """By tables that are made at run time, whose rows are named by what they are as many as."""
    how = {name: value for name, value in attrs.items() if name not in ("axes", "sizes")}
    n = Constant(np.asarray([one.n])) if isinstance(one.n, int) else steps.put("sizes_of", x, sizes=dimension(one.axis))
    tables = steps.put("resize_taps", n, one.given, taps=taps, at=one.at, **how)
    rows, likes = _rows(one, x, made)
    if attrs["mode"] == _NEAREST:
        return steps.put("take_inside", x, steps.reshape(steps.field(tables, 0), (rows,), *likes), axis=one.axis)
    index, weights = (steps.reshape(steps.field(tables, i), (rows, taps), *likes) for i in range(2))
    return steps.put("interpolate", x, index, weights, axis=one.axis)


def _rows(one: _Along, x: Var, made: Call | None) -> tuple[int | str, tuple[Expr, ...]]:
    """How many elements there will be, as a number or of dimensions, and of which tensors these are, behind the tables'
    own; `made` are sizes that are computed of others."""
    if one.by is None:
        if made is None:
            return dimension(0), ()
        size = parse_exprs(str(made.attr("sizes")))[one.at]
        return str(size.substitute({name: var(dimension(2 + int(name[1:]))) for name in size.names})), made.args
    if one.by.dtype.kind == "i":
        return int(one.by[0]), ()
    over, under = float(one.by[0]).as_integer_ratio()
    return str(var(dimension(2 + one.axis)) * over // under), (x,)
