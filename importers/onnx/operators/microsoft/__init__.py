"""Operators of onnxruntime's domain com.microsoft, a row each, and those that it puts into ONNX's own: files that its
optimiser, its quantiser and its model builder wrote hold them."""

from __future__ import annotations

from anytile.importers.onnx.operators.microsoft import (
    activations,
    as_onnx,
    attention,
    decoders,
    grouped_query,
    images,
    norms,
    position_bias,
    products,
    refused,
    sums,
)
from anytile.importers.onnx.proto.call import Row

ROWS: tuple[Row, ...] = (
    *activations.ROWS,
    *as_onnx.ROWS,
    *attention.ROWS,
    *decoders.ROWS,
    *grouped_query.ROWS,
    *images.ROWS,
    *norms.ROWS,
    *position_bias.ROWS,
    *products.ROWS,
    *refused.ROWS,
    *sums.ROWS,
)
