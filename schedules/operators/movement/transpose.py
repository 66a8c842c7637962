"""transpose: y's dimension i is x's dimension perm[i]; the layout change between NCHW and NHWC is one of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anytile.core.dtypes import MOVED
from anytile.core.errors import SpecError
from anytile.schedules.operators.ranked import RANK, axes
from anytile.schedules.operators.spec import Array, Attribute, Attributes, Form, Operator, TensorSpec, numbers


def permutation(attributes: Attributes) -> tuple[int, ...]:
    rank, perm = len(axes(attributes)), numbers(attributes, "perm")
    if sorted(perm) != list(range(rank)):
        text = "x".join(map(str, perm))
        raise SpecError(f"perm={text}: expected every number from 0 to {rank - 1} once, for rank={rank}")
    return perm


def _form(attributes: Attributes) -> Form:
    dims = axes(attributes)
    turned = tuple(dims[p] for p in permutation(attributes))
    return Form(dims, (TensorSpec("x", dims), TensorSpec("y", turned, output=True)))


def turned(x: Array, perm: Sequence[int]) -> Array:
    return np.ascontiguousarray(x.transpose(perm))


TRANSPOSE = Operator(
    name="transpose",
    summary="y[i_perm[0], i_perm[1], ...] = x[i_0, i_1, ...]",
    form=_form,
    flops=lambda s, _: 0,
    reference=lambda inputs, attributes: (turned(inputs["x"], permutation(attributes)),),
    attributes=(
        RANK,
        Attribute("perm", "ints", (1, 0), "which dimension of x each one of y is, as 0x2x1", least=0, open=True),
    ),
    dtypes=MOVED,
    about="y's dimension i is x's dimension perm[i]; `dims` are x's.",
    required=("perm",),
    section="Moving data",
    examples=(
        "transpose(d0=?a, d1=2, d2=?b, rank=3, perm=2x1x0)",
        "transpose(d0=?a, d1=2, d2=?b, rank=3, perm=2x1x0, dtype=int8)",
    ),
)
