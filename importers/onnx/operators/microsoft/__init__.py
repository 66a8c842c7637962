"""Operators of onnxruntime's domain com.microsoft, a row each, and those that it puts into ONNX's own: files that its
optimiser, its quantiser and its model builder wrote hold them."""

from __future__ import annotations

from anytile.importers.onnx.operators.microsoft import (
    activations,
    as_onnx,
    attention,
    blocks,
    decoders,
    grouped_query,
    images,
    integer_products,
    norms,
    position_bias,
    products,
    qlinear,
    sums,
)
from anytile.importers.onnx.proto.call import Row

ROWS: tuple[Row, ...] = (
    *activations.ROWS,
    *as_onnx.ROWS,
    *attention.ROWS,
    *blocks.ROWS,
    *decoders.ROWS,
    *grouped_query.ROWS,
    *images.ROWS,
    *integer_products.ROWS,
    *norms.ROWS,
    *position_bias.ROWS,
    *products.ROWS,
    *qlinear.ROWS,
    *sums.ROWS,
)
