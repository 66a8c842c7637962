"""Operators of onnxruntime's domain com.microsoft, a row each, and those that it puts into ONNX's own: files that its
optimiser, its quantiser and its model builder wrote hold them."""

from __future__ import annotations

from anytile.importers.onnx.operators.microsoft import (
    activations,
    as_onnx,
    attention,
    biases,
    decoders,
    fused_images,
    fused_products,
    grouped_query,
    norms,
    position_bias,
    refused,
)
from anytile.importers.onnx.proto.call import Row

ROWS: tuple[Row, ...] = (
    *activations.ROWS,
    *as_onnx.ROWS,
    *attention.ROWS,
    *biases.ROWS,
    *decoders.ROWS,
    *fused_images.ROWS,
    *fused_products.ROWS,
    *grouped_query.ROWS,
    *norms.ROWS,
    *position_bias.ROWS,
    *refused.ROWS,
)
