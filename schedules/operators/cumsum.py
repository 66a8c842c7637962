"""cumsum: y[outer, i, inner] = the sum of x[outer, 0..i, inner], or of the elements from i on, with i or without."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anytile.schedules.operators.spec import Array, Attribute, Attributes, Operator, TensorSpec, fixed, wide

_DIMS = ("outer", "n", "inner")


def _reference(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    x = wide(inputs["x"])
    x = x[:, ::-1] if attributes["reverse"] == "yes" else x
    with np.errstate(all="ignore"):
        y = x.cumsum(axis=1, dtype=x.dtype)
    if attributes["exclusive"] == "yes":
        y = np.concatenate([np.zeros_like(y[:, :1]), y[:, :-1]], axis=1)
    return (y[:, ::-1] if attributes["reverse"] == "yes" else y,)


CUMSUM = Operator(
    name="cumsum",
    summary="y[outer, i, inner] = sum of x[outer, 0..i, inner]",
    form=fixed(*_DIMS, tensors=(TensorSpec("x", _DIMS), TensorSpec("y", _DIMS, output=True))),
    flops=lambda s, _: s["outer"] * s["n"] * s["inner"],
    reference=_reference,
    attributes=(
        Attribute("exclusive", "no", "whether an element is left out of its own sum", words=("no", "yes")),
        Attribute("reverse", "no", "whether sums run from the end", words=("no", "yes")),
    ),
    dtypes=("float32", "int32", "int64"),
)
