"""interpolate: y[o, j, i] = sum over t of weights[j, t] * x[o, index[j, t], i], a product with a sparse matrix.

Each place of the result is a sum of `taps` places of x, as in an image that gets another size along one dimension. The
matrix is given as what its rows hold and where (ELLPACK). Of positions what is said of those of `gather` holds.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anytile.schedules.operators.attribute import FIRST_AXIS
from anytile.schedules.operators.spec import Array, Attributes, Call, Operator, TensorSpec, example, fixed, wide


def _reference(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    x, index, weights = wide(inputs["x"]), inputs["index"], wide(inputs["weights"])
    y = np.zeros((x.shape[0], len(index), x.shape[2]))
    for t in range(index.shape[1]):
        y += np.take(x, index[:, t], axis=1) * weights[:, t, None]
    return (y,)


def _objection(size: Mapping[str, int | None], attributes: Attributes) -> str | None:
    if size["taps"] is None:
        return "taps is symbolic; expected a whole number"
    return "taps is 0; expected at least 1" if size["taps"] == 0 else None


INTERPOLATE = Operator(
    name="interpolate",
    summary="y[o, j, i] = sum_t weights[j, t] * x[o, index[j, t], i]",
    form=fixed(
        "outer",
        "n",
        "m",
        "taps",
        "inner",
        tensors=(
            TensorSpec("x", ("outer", "n", "inner")),
            TensorSpec("index", ("m", "taps"), dtype="int64", indexes="n"),
            TensorSpec("weights", ("m", "taps")),
            TensorSpec("y", ("outer", "m", "inner"), output=True),
        ),
    ),
    flops=lambda s, _: 2 * s["outer"] * s["m"] * s["taps"] * s["inner"],
    reference=_reference,
    objection=_objection,
    about="""Sums of `taps` of the `n` places along the middle dimension of x(outer, n, inner), `m` of them.

    Positions are counted from the end where they are negative, as those of `gather` are.
    """,
    required=("taps",),
    static=("taps",),
    section="Products",
    examples=(
        "interpolate(outer=?a, n=?b, m=?c, taps=2, inner=?d)",
        "interpolate(outer=?a, n=7, m=?b, taps=3, inner=1)",
        "interpolate(outer=2, n=?a, m=?b, taps=11, inner=?c)",
    ),
    calls=(
        Call(
            summary="y[o, j, i] = sum_t weights[j, t] * x[o, index[j, t], i] along an axis",
            spread=("outer", "inner"),
            attributes=(FIRST_AXIS,),
            examples=(
                example("(?b, 6)", "index (?t, 2) int64", "(?t, 2)", axis=1),
                example("(6, ?b, 3)", "index (4, 5) int64", "(4, 5)"),
            ),
        ),
    ),
)
