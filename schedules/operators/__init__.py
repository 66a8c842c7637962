"""The operator table. Adding an operator is one file here plus its line in OPERATORS."""

from __future__ import annotations

from anytile.core.errors import SpecError
from anytile.schedules.operators.batch_matmul import BATCH_MATMUL
from anytile.schedules.operators.conv2d import CONV2D
from anytile.schedules.operators.cumsum import CUMSUM
from anytile.schedules.operators.dense import DENSE
from anytile.schedules.operators.elementwise import ELEMENTWISE
from anytile.schedules.operators.gated_dense import GATED_DENSE
from anytile.schedules.operators.gather import GATHER, ONE_HOT
from anytile.schedules.operators.joining import CONCAT, SPLIT
from anytile.schedules.operators.norm import BATCH_NORM, LAYER_NORM, RMS_NORM
from anytile.schedules.operators.pool import AVG_POOL2D, MAX_POOL2D
from anytile.schedules.operators.reduce import REDUCE
from anytile.schedules.operators.slicing import PAD, SLICE
from anytile.schedules.operators.softmax import SOFTMAX
from anytile.schedules.operators.spec import Operator, TensorSpec
from anytile.schedules.operators.transpose import TRANSPOSE

OPERATORS: dict[str, Operator] = {
    row.name: row
    for row in (
        DENSE,
        GATED_DENSE,
        BATCH_MATMUL,
        CONV2D,
        TRANSPOSE,
        GATHER,
        ONE_HOT,
        CONCAT,
        SPLIT,
        SLICE,
        PAD,
        MAX_POOL2D,
        AVG_POOL2D,
        ELEMENTWISE,
        SOFTMAX,
        LAYER_NORM,
        RMS_NORM,
        BATCH_NORM,
        REDUCE,
        CUMSUM,
    )
}


def operator(name: str) -> Operator:
    """Look an operator up by name; an unknown one is an error that lists the known ones."""
    try:
        return OPERATORS[name]
    except KeyError:
        raise SpecError(f"unknown operator {name!r}; expected one of {', '.join(sorted(OPERATORS))}") from None


__all__ = ["OPERATORS", "Operator", "TensorSpec", "operator"]
