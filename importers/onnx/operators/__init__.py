"""ONNX's operators, a row each: what one is in the operators of the model language."""

from __future__ import annotations

from anytile.importers.onnx.operators import control, elementwise, indexing, products, recurrent, reductions, shapes
from anytile.importers.onnx.proto.call import Row

ROWS: dict[tuple[str, str], Row] = {
    (row.domain, row.name): row
    for table in (elementwise, shapes, products, reductions, indexing, recurrent, control)
    for row in table.ROWS
}
