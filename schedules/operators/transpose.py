"""transpose: y's dimension i is x's dimension perm[i]; the layout change between NCHW and NHWC is one of them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anytile.core.dtypes import COMPUTED
from anytile.core.errors import SpecError
from anytile.schedules.operators.spec import Array, Attribute, Attributes, Form, Operator, TensorSpec, numbers

MOST_DIMS = 8


def axes(attributes: Attributes) -> tuple[str, ...]:
    """d0, d1, ... as many as the attribute `rank` says."""
    (rank,) = numbers(attributes, "rank")
    if rank > MOST_DIMS:
        raise SpecError(f"rank={rank}: expected at most {MOST_DIMS}")
    return tuple(f"d{i}" for i in range(rank))


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


def _reference(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    return (np.ascontiguousarray(inputs["x"].transpose(permutation(attributes))),)


RANK = Attribute("rank", (2,), "how many dimensions: d0, d1, ...", least=1)
TRANSPOSE = Operator(
    name="transpose",
    summary="y[i_perm[0], i_perm[1], ...] = x[i_0, i_1, ...]",
    form=_form,
    flops=lambda s, _: 0,
    reference=_reference,
    attributes=(RANK, Attribute("perm", (1, 0), "which dimension of x each one of y is, as 0x2x1", open=True)),
    dtypes=COMPUTED,
)
