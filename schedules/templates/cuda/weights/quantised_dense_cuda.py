"""quantised_dense on a GPU, a weight in floats of 16 or 8 bits beside rows of float32: dense's templates, fewer bytes.

The weight is moved as it lies and widened in the registers where it is multiplied, so products and sums are those of
float32 and only its own rounding is lost. Few rows wait for its bytes: half or a quarter of them is so much less time.
Integers are for CPUs so far.
"""

from __future__ import annotations

from anytile.core.dtypes import STORED_FLOATS
from anytile.schedules.operators.products.quantised_dense import FLOAT, QUANTISED_DENSE
from anytile.schedules.templates.cuda.dense_narrow import DenseCudaNarrow
from anytile.schedules.templates.cuda.dense_simt import DenseCudaSimt
from anytile.schedules.workloads.workload import Workload


def _widens(workload: Workload) -> bool:
    """Whether rows of float32 meet a weight in floats of fewer bits."""
    return workload.attributes["x"] == FLOAT and workload.attributes["w"] in STORED_FLOATS


class QuantisedDenseCudaSimt(DenseCudaSimt):
    """Tiles in shared memory, that of the weight as it lies."""

    name = "quantised_dense.cuda.simt"
    op = QUANTISED_DENSE.name
    version = 2

    def suits(self, workload: Workload) -> int:
        return super().suits(workload) if _widens(workload) else 0


class QuantisedDenseCudaNarrow(DenseCudaNarrow):
    """For few rows, the weight straight into registers."""

    name = "quantised_dense.cuda.narrow"
    op = QUANTISED_DENSE.name
    version = 1

    def suits(self, workload: Workload) -> int:
        return super().suits(workload) if _widens(workload) else 0
