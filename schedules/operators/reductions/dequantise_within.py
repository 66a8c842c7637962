"""dequantise_within: 8-bit integers as the floats that they stand for, by one scale and one summand.

It leads back from `quantise_within`, up to its rounding: an integer q stands for (q - zero) / by, which is
q * scale + plus of scale = 1 / by and plus = -zero / by. As a step behind a product of integers it is part of that
product's tail, which then reads a quarter of the bytes.
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


def _reference(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    x, scale, plus = (inputs[name].astype(np.float64) for name in ("x", "scale", "plus"))
    return (x * scale + plus,)


DEQUANTISE_WITHIN = Operator(
    name="dequantise_within",
    summary="y[n] = x[n] * scale + plus of x in uint8",
    form=fixed(
        "n",
        tensors=(
            TensorSpec("x", ("n",), dtype="uint8"),
            TensorSpec("scale", (ONE,), dtype="float32"),
            TensorSpec("plus", (ONE,), dtype="float32"),
            TensorSpec("y", ("n",), output=True),
        ),
    ),
    flops=lambda s, _: 2 * s["n"],
    reference=_reference,
    about="What integers of `quantise_within` stand for: of its `by` and `zero` scale is `1 / by`, plus `-zero / by`.",
    section="Elementwise",
    examples=("dequantise_within(n=?a)",),
    calls=(
        Call(
            summary="what 8-bit integers of one range stand for: x * scale + plus",
            spread=("n",),
            examples=(example("(?b, ?t, 6) uint8", "(1)", "(1)"), example("(6) uint8", "(1)", "(1)")),
        ),
    ),
)
