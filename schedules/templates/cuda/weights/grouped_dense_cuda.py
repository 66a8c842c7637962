"""grouped_dense on a GPU, a weight in 4 or 8 bits beside rows of float32: dense's template for few rows, on its bytes.

    block bn, bm: lanes and warps along k: acc[mi, ni] += x[m, k..] * ((w[n, k..] - zero) * scale)   then all add up

A lane takes 8 bytes of a row of the weight at once, or 4 where rows begin at no multiple of 8 and where elements have 8
bits, and widens them in its registers; neighbouring lanes take neighbouring bytes, each of one group. The weight is
read once for every 16 rows at most.
"""

from __future__ import annotations

from anytile.schedules.operators.products.grouped_dense import GROUPED_DENSE
from anytile.schedules.primitives.gpu.shared_memory import hold
from anytile.schedules.primitives.schedule import Schedule
from anytile.schedules.templates.cuda.dense_narrow import DenseCudaNarrow
from anytile.schedules.templates.cuda.dense_simt import whole
from anytile.schedules.templates.cuda.weights.groups import (
    WORK,
    asked,
    by_bytes,
    element_bytes,
    halves_of,
    hold_numbers,
)
from anytile.schedules.workloads.workload import Workload

_PIECES = {4: (16, 8), 8: (4,)}  # elements that a lane may take at once, by their bits


class GroupedDenseCudaNarrow(DenseCudaNarrow):
    """The template of this module."""

    name = "grouped_dense.cuda.narrow"
    op = GROUPED_DENSE.name
    most_rows = None
    widening = WORK
    version = 1

    def suits(self, workload: Workload) -> int:
        return 2 if self._fitting(workload) else 0

    def asked(self, workload: Workload) -> tuple[str, ...]:
        return asked(workload)

    def piece(self, workload: Workload) -> int:
        return self._fitting(workload)[0]

    def _fitting(self, workload: Workload) -> list[int]:
        return [n for n in _PIECES[int(workload.attributes["bits"])] if whole(workload, n)]

    def element_bytes(self, workload: Workload) -> tuple[float, float]:
        return element_bytes(workload)

    def keep(self, s: Schedule, workload: Workload) -> None:
        x, w = self.operands
        hold_numbers(s, "ki", ("ni",), "kv")
        if halves_of(workload) == 1:
            super().keep(s, workload)
            return
        by_bytes(s, "kv", "kb", "kh")
        hold(s, w, "ki", ("ni", "kb"), "b", vector="kb")
        hold(s, x, "mi", ("kb", "kh"), "a", vector="kh")
