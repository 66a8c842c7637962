"""The operator table: a row for each workload. A new operator is one file in a room here, and its line in OPERATORS."""

from __future__ import annotations

from anytile.core.errors import SpecError
from anytile.schedules.operators.elementwise import ELEMENTWISE
from anytile.schedules.operators.movement.gather import GATHER, ONE_HOT
from anytile.schedules.operators.movement.joining import CONCAT, SPLIT
from anytile.schedules.operators.movement.put import PUT_ROWS
from anytile.schedules.operators.movement.scatter import SCATTER_ROWS
from anytile.schedules.operators.movement.slicing import PAD, SLICE
from anytile.schedules.operators.movement.transpose import TRANSPOSE
from anytile.schedules.operators.products.attention import ATTENTION
from anytile.schedules.operators.products.batch_matmul import BATCH_MATMUL
from anytile.schedules.operators.products.conv2d import CONV2D
from anytile.schedules.operators.products.dense import DENSE
from anytile.schedules.operators.products.gated_dense import GATED_DENSE
from anytile.schedules.operators.products.grouped_dense import GROUPED_DENSE
from anytile.schedules.operators.products.interpolate import INTERPOLATE
from anytile.schedules.operators.products.quantised_attention import QUANTISED_ATTENTION
from anytile.schedules.operators.products.quantised_batch_matmul import QUANTISED_BATCH_MATMUL
from anytile.schedules.operators.products.quantised_conv2d import QUANTISED_CONV2D
from anytile.schedules.operators.products.quantised_dense import QUANTISED_DENSE
from anytile.schedules.operators.reductions.cumsum import CUMSUM
from anytile.schedules.operators.reductions.dequantise_within import DEQUANTISE_WITHIN
from anytile.schedules.operators.reductions.norm import BATCH_NORM, LAYER_NORM, RMS_NORM
from anytile.schedules.operators.reductions.pool import AVG_POOL2D, MAX_POOL2D
from anytile.schedules.operators.reductions.quantise_rows import QUANTISE_ROWS
from anytile.schedules.operators.reductions.quantise_within import QUANTISE_WITHIN
from anytile.schedules.operators.reductions.reduce import REDUCE
from anytile.schedules.operators.reductions.softmax import SOFTMAX
from anytile.schedules.operators.spec import Operator, TensorSpec

OPERATORS: dict[str, Operator] = {
    row.name: row
    for row in (
        DENSE,
        BATCH_MATMUL,
        ATTENTION,
        CONV2D,
        GATED_DENSE,
        QUANTISED_DENSE,
        QUANTISED_ATTENTION,
        QUANTISED_BATCH_MATMUL,
        QUANTISED_CONV2D,
        GROUPED_DENSE,
        INTERPOLATE,
        TRANSPOSE,
        CONCAT,
        SPLIT,
        SLICE,
        GATHER,
        PAD,
        ONE_HOT,
        SCATTER_ROWS,
        PUT_ROWS,
        ELEMENTWISE,
        QUANTISE_WITHIN,
        DEQUANTISE_WITHIN,
        REDUCE,
        SOFTMAX,
        CUMSUM,
        QUANTISE_ROWS,
        LAYER_NORM,
        RMS_NORM,
        BATCH_NORM,
        MAX_POOL2D,
        AVG_POOL2D,
    )
}


def operator(name: str) -> Operator:
    """Look an operator up by name; an unknown one is an error that lists the known ones."""
    try:
        return OPERATORS[name]
    except KeyError:
        raise SpecError(f"unknown operator {name!r}; expected one of {', '.join(sorted(OPERATORS))}") from None


__all__ = ["OPERATORS", "Operator", "TensorSpec", "operator"]
