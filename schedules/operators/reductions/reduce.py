"""reduce: y over the dimensions that are kept = sum, mean, max, min, prod or argmax of x over the others.

The result's dtype is x's, so that sums of integers wrap around; argmax is int64 and numbers the elements of the axes
in order, which must be neighbours. NaN is the largest and the smallest of its row, as in numpy. Over no elements a sum
is 0, a product 1, a mean NaN, max and min what changes nothing (-inf and inf, or the ends of an integer), argmax 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from anytile.core.dtypes import NUMBERS
from anytile.core.errors import SpecError
from anytile.schedules.nest.operations import identity
from anytile.schedules.operators.ranked import RANK, axes
from anytile.schedules.operators.spec import Array, Attribute, Attributes, Form, Operator, TensorSpec, numbers, wide

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


def _form(attributes: Attributes) -> Form:
    dims, gone = axes(attributes), reduced_dims(attributes)
    kept = tuple(d for d in dims if d not in gone)
    dtype = "int64" if attributes["kind"] == "argmax" else None
    return Form(dims, (TensorSpec("x", dims), TensorSpec("y", kept, output=True, dtype=dtype)))


def _reference(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    kind, x = str(attributes["kind"]), wide(inputs["x"])
    dims, gone = axes(attributes), reduced_dims(attributes)
    over = tuple(dims.index(d) for d in gone)
    count = math.prod(x.shape[i] for i in over)
    with np.errstate(all="ignore"):
        if kind == "argmax":
            kept = [n for i, n in enumerate(x.shape) if i not in over]
            turned = np.moveaxis(x, over, range(-len(over), 0)).reshape(*kept, count)
            return (turned.argmax(axis=-1) if count else np.zeros(kept, np.int64),)
        if kind in ("sum", "mean"):
            total = x.sum(axis=over, dtype=x.dtype)
            return (total / np.float64(count) if kind == "mean" else total,)
        start = identity(UPDATES[kind], inputs["x"].dtype.name).number
        if kind == "prod":
            return (x.prod(axis=over, dtype=x.dtype),)
        return ((x.max if kind == "max" else x.min)(axis=over, initial=start),)


REDUCE = Operator(
    name="reduce",
    summary="y[kept dimensions] = sum, mean, max, min, prod or argmax of x over the axes",
    form=_form,
    flops=lambda s, a: math.prod(s[d] for d in axes(a)),
    reference=_reference,
    attributes=(
        RANK,
        Attribute("axes", "ints", (1,), "the dimensions that are reduced, as 0x2", least=0, open=True),
        Attribute("kind", "str", "sum", "what is made of them", words=(*UPDATES, "argmax")),
    ),
    dtypes=NUMBERS,
    made_by="reduce",
    section="Reductions",
    examples=(
        "reduce(d0=?a, d1=?b, d2=?c, rank=3, axes=1)",
        "reduce(d0=?a, d1=?b, rank=2, axes=1, kind=max)",
    ),
)
