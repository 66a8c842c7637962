"""Positions, recognised: tensors that count 0, 1, 2, ... along one of their dimensions, however exporters write that.

What counts is `arange` from 0 in steps of 1, or a constant; views, casts and repetitions on the way keep the dimension.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anytile.compiler.ir.nodes import Array, Call, Constant, Expr, Var, operator_of, tensor_of
from anytile.compiler.ir.types import Dim, TensorType
from anytile.compiler.operators.sized import REPEATS
from anytile.compiler.passes.matching.guard_softmax import number_of

VIEWS = ("expand_dims", "flatten", "reshape", "reshape_like", "reshape_sized", "squeeze")


def counts_along(e: Expr, known: Mapping[Var, Call]) -> int:
    """Along which dimension, counted from the last one as 1, it is 0, 1, 2, ...; 0 where it is anything else."""
    if isinstance(e, Constant):
        return _of_array(e.array)
    call = known.get(e) if isinstance(e, Var) else None
    if call is None:
        return 0
    name = operator_of(call)
    if name == "arange":
        start, _, step = (number_of(a, known) for a in call.args)
        return int((start, step) == (0.0, 1.0))
    if name not in (*VIEWS, *REPEATS, "cast"):
        return 0
    below = counts_along(call.args[0], known)
    return _carried(tensor_of(call.args[0]), tensor_of(e), below, name in VIEWS) if below else 0


def _of_array(array: Array) -> int:
    for axis in range(1, array.ndim + 1):
        size = array.shape[-axis]
        if size > 1 and np.array_equal(
            array, np.broadcast_to(np.arange(size).reshape(-1, *(1,) * (axis - 1)), array.shape)
        ):
            return axis
    return 0


def _carried(source: TensorType, made: TensorType, axis: int, is_view: bool) -> int:
    """Which dimension one is in a view, or a repetition, that surely has it."""
    if not is_view:
        return axis if source.shape[-axis] == made.shape[-axis] else 0
    before, after = _wide(source), _wide(made)
    alone = len(before) == len(after) == 1  # of one size, since a view has as many elements
    if not alone and [d for _, d in before] != [d for _, d in after]:
        return 0
    return next((after[i][0] for i, (own, _) in enumerate(before) if own == axis), 0)


def _wide(t: TensorType) -> list[tuple[int, Dim]]:
    """The dimensions that are not 1, counted from the last one as 1."""
    return [(axis, d) for axis, d in enumerate(reversed(t.shape), start=1) if d != 1]
