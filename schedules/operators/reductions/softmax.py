"""softmax: y = exp(x) / sum(exp(x)) over the middle dimension of (outer, n, inner), or its logarithm.

Special values are scipy's: a row of nothing but -inf is NaN, a -inf elsewhere is 0, and NaN or +inf spoil their row.
Attention wants otherwise of rows that see nothing: with `guard` those of nothing but -inf are 0, or all that are NaN.
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
            y = e / e.sum(axis=1, keepdims=True)
            spared = {"none": np.False_, "empty": top == -np.inf, "nan": np.isnan(y)}[str(attributes["guard"])]
            return (np.where(spared, 0.0, y),)
        shifted = x - np.where(np.isfinite(top), top, 0.0)
        return (shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)),)


def _objection(size: Mapping[str, int | None], attributes: Attributes) -> str | None:
    if attributes.get("log") and attributes.get("guard", "none") != "none":
        return f"guard={attributes['guard']} of the logarithm; expected none"
    return None


_GUARD = Attribute(
    "guard", "str", "none", "which rows are 0: those of nothing but -inf, or all NaN", words=("none", "empty", "nan")
)
SOFTMAX = Operator(
    name="softmax",
    summary="y[outer, n, inner] = exp(x) / sum_n exp(x)",
    form=fixed(*_DIMS, tensors=(TensorSpec("x", _DIMS), TensorSpec("y", _DIMS, output=True))),
    flops=lambda s, _: 5 * s["outer"] * s["n"] * s["inner"],
    reference=_reference,
    attributes=(Attribute("log", "bool", False, "whether y is the logarithm of it"), _GUARD),
    objection=_objection,
    about="`exp(x) / sum(exp(x))` over the middle dimension of (outer, n, inner), or its logarithm.",
    section="Reductions",
    examples=(
        "softmax(outer=?a, n=?b, inner=?c)",
        "softmax(outer=?a, n=?b, inner=1)",
        "softmax(outer=?a, n=?b, inner=1, guard=empty)",
        "softmax(outer=?a, n=?b, inner=?c, guard=nan)",
    ),
    calls=(
        Call(
            summary="exp(x) / sum(exp(x)) along an axis",
            spread=("outer", "inner"),
            attributes=(LAST_AXIS, _GUARD),
            examples=(example("(?b, ?t, 6)"), example("(?b, 6, ?t)", axis=1), example("(?b, ?t)", guard="nan")),
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
