"""reduce: y over the dimensions that are kept = sum, mean, max, min, prod or argmax of x over the others.

The result's dtype is x's, so that sums of integers wrap around; argmax is int64 and numbers the elements of the axes
in order, which must be neighbours. NaN is the largest and the smallest of its row, as in numpy. Over no elements a sum
is 0, a product 1, a mean NaN, max and min what changes nothing (-inf and inf, or the ends of an integer), argmax 0.

`pre` is an expression that is reduced in the place of x, as `(x - m[d0]) * (x - m[d0])`, computed in registers. x
stands in it alone, and need not; its other operands are over some of the dimensions each, and of the workload's dtype
unless `types` says otherwise. All but argmax take one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from anytile.core.dtypes import NUMBERS
from anytile.core.errors import SpecError
from anytile.schedules.index.expr import var
from anytile.schedules.nest import elementwise_text
from anytile.schedules.nest.nodes import Load, Value
from anytile.schedules.nest.operations import identity
from anytile.schedules.nest.traverse import map_value
from anytile.schedules.operators.elementwise import TYPES, broadcast, made_dtype, operands_of, types_of
from anytile.schedules.operators.ranked import RANK, axes
from anytile.schedules.operators.spec import Array, Attribute, Attributes, Form, Operator, TensorSpec, numbers, wide

PRE = Attribute(
    "pre",
    "str",
    "x",
    "what is reduced: an expression of x and others",
    canonical=lambda text: elementwise_text.write(elementwise_text.parse(text)),
)
UPDATES = {"sum": "add", "mean": "add", "max": "max", "min": "min", "prod": "mul"}


def reduced_dims(attributes: Attributes) -> tuple[str, ...]:
    """The dimensions that are reduced, in order."""
    dims, chosen = axes(attributes), numbers(attributes, "axes")
    if list(chosen) != sorted(set(chosen)) or chosen[-1] >= len(dims):
        text = "x".join(map(str, chosen))
        raise SpecError(f"reduce: axes={text}: expected rising numbers below {len(dims)}, for rank={len(dims)}")
    if attributes["kind"] == "argmax" and chosen[-1] - chosen[0] >= len(chosen):
        raise SpecError(f"reduce: argmax over the axes {'x'.join(map(str, chosen))}: expected neighbours")
    return tuple(dims[i] for i in chosen)


def reduced_value(attributes: Attributes) -> Value:
    """What is reduced, x over all dimensions."""
    dims = tuple(map(var, axes(attributes)))
    value = elementwise_text.parse(str(attributes["pre"]))
    return map_value(value, lambda load: Load("x", dims) if load == Load("x", ()) else load)


def _form(attributes: Attributes) -> Form:
    dims, gone, text = axes(attributes), reduced_dims(attributes), str(attributes["pre"])
    kept = tuple(d for d in dims if d not in gone)
    if attributes["kind"] == "argmax":
        if text != PRE.default or attributes["types"]:
            raise SpecError(f"reduce: argmax takes no pre, got {text!r}; expected x alone")
        return Form(dims, (TensorSpec("x", dims), TensorSpec("y", kept, output=True, dtype="int64")))
    if elementwise_text.operands(elementwise_text.parse(text), text).get("x", ()):
        raise SpecError(f"reduce: pre={text}: expected x alone, which is over all dimensions")
    value = reduced_value(attributes)
    read = operands_of("reduce", value, attributes, elementwise_text.write(value))
    inputs = (replace(t, may_be_constant=t.name != "x") for t in read)
    dtype = made_dtype(value, types_of(attributes))
    if dtype not in (None, *NUMBERS):
        raise SpecError(f"reduce: pre={text} makes {dtype}; write a cast, as in int64(...)")
    return Form(dims, (*inputs, TensorSpec("y", kept, output=True, dtype=dtype)))


def _reference(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    kind, dims = str(attributes["kind"]), axes(attributes)
    x = wide(inputs["x"]) if kind == "argmax" else broadcast(reduced_value(attributes), inputs, dims)
    over = tuple(dims.index(d) for d in reduced_dims(attributes))
    count = math.prod(x.shape[i] for i in over)
    with np.errstate(all="ignore"):
        if kind == "argmax":
            kept = [n for i, n in enumerate(x.shape) if i not in over]
            turned = np.moveaxis(x, over, range(-len(over), 0)).reshape(*kept, count)
            return (turned.argmax(axis=-1) if count else np.zeros(kept, np.int64),)
        if kind in ("sum", "mean"):
            total = x.sum(axis=over, dtype=x.dtype)
            return (total / np.float64(count) if kind == "mean" else total,)
        start = identity(UPDATES[kind], "float32" if x.dtype == np.float64 else x.dtype.name).number
        if kind == "prod":
            return (x.prod(axis=over, dtype=x.dtype),)
        return ((x.max if kind == "max" else x.min)(axis=over, initial=start),)


def _flops(sizes: Mapping[str, int], attributes: Attributes) -> int:
    each = 1 + elementwise_text.operations(elementwise_text.parse(str(attributes["pre"])))
    return each * math.prod(sizes[d] for d in axes(attributes))


REDUCE = Operator(
    name="reduce",
    summary="y[kept dimensions] = sum, mean, max, min, prod or argmax of x over the axes",
    form=_form,
    flops=_flops,
    reference=_reference,
    attributes=(
        RANK,
        Attribute("axes", "ints", (1,), "the dimensions that are reduced, as 0x2", least=0, open=True),
        Attribute("kind", "str", "sum", "what is made of them", words=(*UPDATES, "argmax")),
        PRE,
        TYPES,
    ),
    dtypes=NUMBERS,
    made_by="reduce",
    section="Reductions",
    examples=(
        "reduce(d0=?a, d1=?b, d2=?c, rank=3, axes=1)",
        "reduce(d0=?a, d1=?b, rank=2, axes=1, kind=max)",
        "reduce(d0=?a, d1=?b, d2=?c, rank=3, axes=1, kind=mean, pre=(x - m[d0, d2]) * s[d1])",
    ),
)
