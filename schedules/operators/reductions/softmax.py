"""softmax: y = exp(x) / sum(exp(x)) over the middle dimension of (outer, n, inner), or its logarithm.

Special values are scipy's: a row of nothing but -inf is NaN, a -inf elsewhere is 0, and NaN or +inf spoil their row.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

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


def _reference(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    x = wide(inputs["x"])
    if not x.size:
        return (x,)
    with np.errstate(all="ignore"):
        top = x.max(axis=1, keepdims=True)
        if not attributes["log"]:
            e = np.exp(x - top)
            return (e / e.sum(axis=1, keepdims=True),)
        shifted = x - np.where(np.isfinite(top), top, 0.0)
        return (shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)),)


SOFTMAX = Operator(
    name="softmax",
    summary="y[outer, n, inner] = exp(x) / sum_n exp(x)",
    form=fixed(*_DIMS, tensors=(TensorSpec("x", _DIMS), TensorSpec("y", _DIMS, output=True))),
    flops=lambda s, _: 5 * s["outer"] * s["n"] * s["inner"],
    reference=_reference,
    attributes=(Attribute("log", "bool", False, "whether y is the logarithm of it"),),
    about="`exp(x) / sum(exp(x))` over the middle dimension of (outer, n, inner), or its logarithm.",
    section="Reductions",
    examples=("softmax(outer=?a, n=?b, inner=?c)", "softmax(outer=?a, n=?b, inner=1)"),
    calls=(
        Call(
            summary="exp(x) / sum(exp(x)) along an axis",
            spread=("outer", "inner"),
            attributes=(LAST_AXIS,),
            examples=(example("(?b, ?t, 6)"), example("(?b, 6, ?t)", axis=1)),
        ),
        Call(
            "log_softmax",
            "the logarithm of softmax",
            spread=("outer", "inner"),
            attributes=(LAST_AXIS,),
            given=lambda attributes, dtypes: {"log": True},
            examples=(example("(?b, ?t, 6)"),),
        ),
    ),
)
