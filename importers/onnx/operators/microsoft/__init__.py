"""Operators of onnxruntime's domain com.microsoft, a row each, and those that it puts into ONNX's own: files that its
optimiser, its quantiser and its model builder wrote hold them."""

from __future__ import annotations

from anytile.importers.onnx.operators.microsoft import (
    activations,
    blocks,
    decoders,
    grouped_query,
    integer_products,
    qlinear,
)
from anytile.importers.onnx.proto.call import Row

ROWS: tuple[Row, ...] = (
    *activations.ROWS,
    *decoders.ROWS,
    *grouped_query.ROWS,
    *blocks.ROWS,
    *qlinear.ROWS,
    *integer_products.ROWS,
)
