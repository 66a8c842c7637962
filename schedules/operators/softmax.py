"""softmax: y = exp(x) / sum(exp(x)) over the middle dimension of (outer, n, inner), or its logarithm.

Special values are scipy's: a row of nothing but -inf is NaN, a -inf elsewhere is 0, and NaN or +inf spoil their row.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anytile.schedules.operators.spec import Array, Attribute, Attributes, Operator, TensorSpec, fixed, wide

_DIMS = ("outer", "n", "inner")


def _reference(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    x = wide(inputs["x"])
    if not x.size:
        return (x,)
    with np.errstate(all="ignore"):
        top = x.max(axis=1, keepdims=True)
        if attributes["log"] == "no":
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
    attributes=(Attribute("log", "no", "whether y is the logarithm of it", words=("no", "yes")),),
)
