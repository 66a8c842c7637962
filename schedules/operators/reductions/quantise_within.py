"""quantise_within: a tensor as 8-bit integers by one scale and one zero point, which are known before it is.

With a range that was found ahead of time nothing is to be reduced: an element is multiplied, moved, rounded and cut off
at the ends, and as the last step behind a product of integers it is that product's tail. Every operation is one of
float32, so kernels and this module agree to the last bit. What lies outside of the range is the integer at its end;
what is no number is some integer.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anytile.schedules.operators.reductions.quantise_rows import STEPS
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
    x, by, zero = (inputs[name].astype(np.float32) for name in ("x", "by", "zero"))
    with np.errstate(all="ignore"):
        made = np.rint(x * by + zero)
        return (np.minimum(np.maximum(made, np.float32(0)), np.float32(STEPS)).astype(np.uint8),)


QUANTISE_WITHIN = Operator(
    name="quantise_within",
    summary="y[n] = round(x[n] * by + zero) in uint8, cut off at 0 and 255",
    form=fixed(
        "n",
        tensors=(
            TensorSpec("x", ("n",)),
            TensorSpec("by", (ONE,)),
            TensorSpec("zero", (ONE,)),
            TensorSpec("y", ("n",), output=True, dtype="uint8"),
        ),
    ),
    flops=lambda s, _: 2 * s["n"],
    reference=_reference,
    about="`x[n]` is about `(y[n] - zero) / by`: all of it as uint8, by a range that is known ahead of time.",
    section="Elementwise",
    examples=("quantise_within(n=?a)",),
    calls=(
        Call(
            summary="x in uint8, by a scale and a zero point that are known ahead: round(x * by + zero)",
            spread=("n",),
            examples=(example("(?b, ?t, 6)", "(1)", "(1)"), example("(6)", "(1)", "(1)")),
        ),
    ),
)
