"""quantise_rows: each row of a matrix as 8-bit integers with a scale and a zero point of its own.

A row's range always holds 0, which is an integer then, as padding and what relu cuts off want it. Every operation is
one of float32, so kernels and this module agree to the last bit. A row with NaN or infinity in it has such a scale, and
so has all that is computed with it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anytile.schedules.operators.spec import (
    ONE,
    Array,
    Attributes,
    Call,
    Operator,
    TensorSpec,
    example,
    fixed,
)

STEPS = 255.0  # between the least and the largest of a row
TINIEST = 2.0**-126  # a scale below has no reciprocal: all of such a row is 0


def _reference(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    x = inputs["x"].astype(np.float32)
    with np.errstate(all="ignore"):
        low, high = x.min(axis=1, initial=0.0, keepdims=True), x.max(axis=1, initial=0.0, keepdims=True)
        step = np.float32(1 / STEPS)
        scale = high * step - low * step
        by = np.where(scale >= np.float32(TINIEST), np.float32(1) / scale, np.float32(0))
        zero = np.rint(-low * by)
        made = np.minimum(np.maximum(np.rint(x * by) + zero, np.float32(0)), np.float32(STEPS))
        return made.astype(np.uint8), scale, zero


QUANTISE_ROWS = Operator(
    name="quantise_rows",
    summary="y[m, k] = round(x[m, k] / scale[m]) + zero[m] in uint8, from the range of each row",
    form=fixed(
        "m",
        "k",
        tensors=(
            TensorSpec("x", ("m", "k")),
            TensorSpec("y", ("m", "k"), output=True, dtype="uint8"),
            TensorSpec("scale", ("m", ONE), output=True),
            TensorSpec("zero", ("m", ONE), output=True),
        ),
    ),
    flops=lambda s, _: 4 * s["m"] * s["k"],
    reference=_reference,
    about="`x[m, k]` is about `(y[m, k] - zero[m]) * scale[m]`: every row as uint8, by its own range with 0 in it.",
    section="Reductions",
    examples=("quantise_rows(m=?a, k=?b)", "quantise_rows(m=?a, k=35)"),
    calls=(
        Call(
            summary="x in uint8, row by row, with the scale and the zero point of each row",
            spread=("m",),
            many=True,
            by_row=True,
            examples=(example("(?b, ?t, 6)"), example("(6)")),
        ),
        Call(
            name="quantise_images",
            summary="x in uint8, all behind its first dimension by one scale and one zero point",
            spread=("k",),
            many=True,
            by_row=True,
            examples=(example("(?b, 4, 3, 6)"), example("(?b, 6)")),
        ),
    ),
)
