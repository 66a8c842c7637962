"""ATen's operators, a row each: what one is in the operators of the model language."""

from __future__ import annotations

from anytile.importers.torch.aten import (
    aten_bags,
    aten_complex,
    aten_control,
    aten_distances,
    aten_elementwise,
    aten_encoders,
    aten_indexing,
    aten_order,
    aten_patches,
    aten_products,
    aten_recurrent,
    aten_reductions,
    aten_shapes,
    aten_solvers,
    aten_special,
)
from anytile.importers.torch.graph.aten_call import Row

ROWS: dict[str, Row] = {
    row.name: row
    for table in (
        *(aten_elementwise, aten_shapes, aten_products, aten_reductions, aten_indexing, aten_bags, aten_control),
        *(aten_recurrent, aten_patches, aten_encoders, aten_solvers, aten_order),
        *(aten_distances, aten_special),
    )
    for row in table.ROWS
}
COMPLEX = aten_complex.ROWS  # of the same names, where complex numbers are given or made
