"""Operators of com.microsoft on narrow numbers, a row each: what quantisers and model builders write."""

from __future__ import annotations

from anytile.importers.onnx.operators.microsoft.narrow import blocks, integer_products, qlayers, qlinear
from anytile.importers.onnx.proto.call import Row

ROWS: tuple[Row, ...] = (*blocks.ROWS, *integer_products.ROWS, *qlayers.ROWS, *qlinear.ROWS)
