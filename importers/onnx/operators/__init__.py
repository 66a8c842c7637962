"""ONNX's operators, a row each: what one is in the operators of the model language."""

from __future__ import annotations

from anytile.importers.onnx.operators import (
    control,
    elementwise,
    images,
    indexing,
    products,
    quantized,
    recurrent,
    reductions,
    shapes,
    signal,
    training,
    windows,
)
from anytile.importers.onnx.proto.call import Row

ROWS: dict[tuple[str, str], Row] = {
    (row.domain, row.name): row
    for table in (
        *(elementwise, shapes, products, windows, images, reductions, indexing),
        *(recurrent, control, quantized, signal, training),
    )
    for row in table.ROWS
}
