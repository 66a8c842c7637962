"""scatter_rows: y is x, where updates are joined with the rows that sorted keys say: a segmented reduction.

A key is of one update: the row that it goes to and, in the lower 32 bits, which update it is. Sorted, the keys of a row
stand side by side in the order of their updates, so a row is made by one thread from the first of them to the last:
whatever there is twice is joined in the order in which it was given, and nobody waits for another. One of a row that is
not there is left out; keys that are not sorted give other rows than they say, and no kernel leaves its buffers by them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from anytile.core.dtypes import COMPUTED
from anytile.schedules.nest.stored_floats import is_float
from anytile.schedules.operators.spec import Array, Attribute, Attributes, Operator, TensorSpec, fixed, wide

KEY_BITS = 32  # below those of the row
JOINS: Mapping[str, np.ufunc] = {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum}
MODE = Attribute(
    "mode",
    "str",
    "set",
    "what an update does to what stands there; of several that are set in one place the last stays",
    words=("set", *JOINS),
)


def keys_of(rows: Array) -> Array:
    """The sorted keys of updates, by the row that each goes to; as many dimensions as the rows have."""
    return np.sort(keys_in_order(rows.reshape(-1))).reshape(rows.shape)


def keys_in_order(rows: Array) -> Array:
    """The keys of updates one after the other, whose rows rise."""
    keys: Array = (rows.astype(np.int64) << KEY_BITS) + np.arange(rows.size)
    return keys


def scattered(x: Array, lead: int, places: Array, updates: Array, mode: str) -> Array:
    """A copy of x in which updates are set, or joined, one after the other; of floats in double. Their `places` are
    rows of x, counted in so many first dimensions."""
    joined = mode != "set"
    made: Array = x.astype(np.float64 if joined and is_float(x.dtype) else x.dtype, order="C")
    inner = math.prod(x.shape[lead:])
    at, given = places.reshape(-1), updates.reshape(places.size, inner)
    if not joined:
        made.reshape(math.prod(x.shape[:lead]), inner)[at] = given
        return made
    single = at if inner == 1 else (at[:, None] * inner + np.arange(inner)).reshape(-1)  # numpy joins these faster
    with np.errstate(all="ignore"):
        JOINS[mode].at(made.reshape(-1), single, wide(given.reshape(-1)))
    return made


def _reference(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    x, keys, updates = (inputs[name] for name in ("x", "keys", "updates"))
    rows, which = keys >> KEY_BITS, keys & ((1 << KEY_BITS) - 1)
    there = (rows >= 0) & (rows < len(x))
    taken = updates[np.minimum(which[there], len(updates) - 1)]
    return (scattered(x, 1, rows[there], taken, str(attributes["mode"])),)


SCATTER_ROWS = Operator(
    name="scatter_rows",
    summary="y is x, joined with updates in the rows that sorted keys say",
    form=fixed(
        "n",
        "m",
        "inner",
        tensors=(
            TensorSpec("x", ("n", "inner")),
            TensorSpec("keys", ("m",), dtype="int64", sorts="n"),
            TensorSpec("updates", ("m", "inner")),
            TensorSpec("y", ("n", "inner"), output=True),
        ),
    ),
    flops=lambda s, _: 0,
    reference=_reference,
    attributes=(MODE,),
    dtypes=COMPUTED,
    about="""x(n, inner) with `m` updates set in its rows or joined with them, several of one row in their order.

    The key of update `j` is `row * 2**32 + j`, and keys are sorted.
    """,
    section="Moving data",
    examples=(
        "scatter_rows(n=?a, m=?b, inner=?c)",
        "scatter_rows(n=?a, m=?b, inner=?c, mode=add)",
        "scatter_rows(n=?a, m=?b, inner=1, mode=max, dtype=int64)",
    ),
)
