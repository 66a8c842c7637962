"""put_rows: rows of x become others, where x lies; a place below 0 is nowhere.

The output is x: a kernel writes rows to it and touches nothing else, so a cache costs what is put there. Only who owns
x may have that done, as models do with what they may write. No two places are the same, so rows are put in any order.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anytile.core.dtypes import MOVED
from anytile.schedules.operators.spec import Array, Attributes, Operator, TensorSpec, fixed


def places_of(positions: Array) -> Array:
    """Where rows are put: at their positions, those nowhere that a later one of the same position replaces."""
    places: Array = positions.astype(np.int64)
    _, last = np.unique(places[::-1], return_index=True)
    if len(last) < len(places):
        stays = np.zeros(len(places), bool)
        stays[len(places) - 1 - last] = True
        places[~stays] = -1
    return places


def _reference(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    places, made = inputs["places"], inputs["x"].copy()
    there = (places >= 0) & (places < made.shape[1])
    made[:, places[there]] = inputs["updates"][:, there]
    return (made,)


PUT_ROWS = Operator(
    name="put_rows",
    summary="y, which is x, has y[o, places[j], i] = updates[o, j, i]",
    form=fixed(
        "outer",
        "n",
        "m",
        "inner",
        tensors=(
            TensorSpec("x", ("outer", "n", "inner")),
            TensorSpec("places", ("m",), dtype="int64", places="n"),
            TensorSpec("updates", ("outer", "m", "inner")),
            TensorSpec("y", ("outer", "n", "inner"), output=True),
        ),
    ),
    flops=lambda s, _: 0,
    reference=_reference,
    dtypes=MOVED,
    about="""`m` rows of x(outer, n, inner) become updates, at places along the middle dimension of which no two are the
    same; one that is not there is left out. A step of models: y lies where x does.
    """,
    section="Moving data",
    over="x",
    examples=(),
)
