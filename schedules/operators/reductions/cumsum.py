"""cumsum: y[outer, i, inner] = the sum of x[outer, 0..i, inner], or of the elements from i on, with i or without."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anytile.core.dtypes import NUMBERS
from anytile.schedules.operators.attribute import LAST_AXIS
from anytile.schedules.operators.spec import (
    Array,
    Attribute,
    Attributes,
    Call,
    Operator,
    TensorSpec,
    example,
    fixed,
    wide,
)

_DIMS = ("outer", "n", "inner")
_ATTRIBUTES = (
    Attribute("exclusive", "bool", False, "whether an element is left out of its own sum"),
    Attribute("reverse", "bool", False, "whether sums run from the end"),
)


def _reference(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    x = wide(inputs["x"])
    x = x[:, ::-1] if attributes["reverse"] else x
    with np.errstate(all="ignore"):
        y = x.cumsum(axis=1, dtype=x.dtype)
    if attributes["exclusive"]:
        y = np.concatenate([np.zeros_like(y[:, :1]), y[:, :-1]], axis=1)
    return (y[:, ::-1] if attributes["reverse"] else y,)


CUMSUM = Operator(
    name="cumsum",
    summary="y[outer, i, inner] = sum of x[outer, 0..i, inner]",
    form=fixed(*_DIMS, tensors=(TensorSpec("x", _DIMS), TensorSpec("y", _DIMS, output=True))),
    flops=lambda s, _: s["outer"] * s["n"] * s["inner"],
    reference=_reference,
    attributes=_ATTRIBUTES,
    dtypes=NUMBERS,
    about="Running sums over the middle dimension of (outer, n, inner), without the element itself or from the end.",
    section="Reductions",
    examples=("cumsum(outer=?a, n=?b, inner=?c)",),
    calls=(
        Call(
            summary="running sums along an axis",
            spread=("outer", "inner"),
            attributes=(LAST_AXIS, *_ATTRIBUTES),
            examples=(
                example("(?b, ?t, 6)"),
                example("(?b, ?t, 6)", axis=1, exclusive=True, reverse=True),
            ),
        ),
    ),
)
