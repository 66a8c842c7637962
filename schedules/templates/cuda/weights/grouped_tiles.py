"""grouped_dense on a GPU for many rows: dense's templates, the weight widened once for all rows of a block.

    block bn, bm: for ko: x, w -> shared   thread: w[n, k..] -> (w - zero) * scale   then as dense does

Bytes of the weight arrive in shared memory ahead of time, as tiles of x do. In each round the threads make floats of
them that all warps read, so bytes come from memory once for a tile's rows, and are widened once. Where the workload
lets x be taken less closely the matrix units multiply: as three products of TF32 where 16 bits of it have to be kept,
both rounded to bfloat16 where 8 do.
"""

from __future__ import annotations

from dataclasses import replace

from anytile.schedules.hardware.gpu import gpu_facts
from anytile.schedules.hardware.gpu_estimate import Tiling
from anytile.schedules.hardware.target import Target
from anytile.schedules.operators.products.grouped_dense import BYTE, FLOAT, GROUPED_DENSE
from anytile.schedules.primitives.gpu.computed_tile import compute_read
from anytile.schedules.primitives.gpu.pipeline import load_ahead
from anytile.schedules.primitives.gpu.shared_memory import Fill, cache_read, hold
from anytile.schedules.primitives.schedule import Schedule
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.cuda.dense_mma import AsTheyLie, DenseCudaTf32, QuantisedDenseCudaMma
from anytile.schedules.templates.cuda.dense_simt import VECTOR, DenseCudaSimt, whole
from anytile.schedules.templates.cuda.mma_tiles import at_once
from anytile.schedules.templates.cuda.weights.groups import (
    WORK,
    asked,
    by_bytes,
    element_bytes,
    halves_of,
    hold_numbers,
)
from anytile.schedules.workloads.workload import Workload

_VECTOR = 8  # elements that a thread widens at once


class _Widened:
    """What becomes of dense's templates where tiles of the weight are computed."""

    op = GROUPED_DENSE.name
    version = 2
    floats = FLOAT  # what elements are widened to
    accuracies: tuple[str, ...]  # at which x may be taken as closely as the template does

    def suits(self, workload: Workload) -> int:
        return 1 if whole(workload, _VECTOR) and workload.attributes["accuracy"] in self.accuracies else 0

    def element_bytes(self, workload: Workload) -> tuple[float, float]:
        return element_bytes(workload)

    def asked(self, workload: Workload) -> tuple[str, ...]:
        return asked(workload)

    def tile_read(self, s: Schedule, workload: Workload, config: Config, operand: str, how: Fill) -> str:
        if operand != "w":
            return cache_read(s, operand, "ko", how)
        made = compute_read(s, operand, "x", "ko", replace(how, vector=_VECTOR), self.floats)
        numbers = hold_numbers(s, made.step, (), made.element)
        halves, together = halves_of(workload), made.element
        if halves > 1:
            together = "kb"
            by_bytes(s, made.element, together, "kh")
        round_ = config.int("block_k") // halves
        raw = cache_read(s, operand, "ko", replace(how, vector=min(how.vector, round_), pad=0, swizzle=1))
        hold(s, raw, made.step, (together,), "bytes", vector=together)
        load_ahead(s, "ko", *numbers)
        return made.name


def _with_widening(tiling: Tiling, target: Target) -> Tiling:
    """A tile of the weight is widened once for all its rows."""
    return replace(tiling, atoms=1 / (1 / tiling.atoms + WORK / (gpu_facts(target).atoms * tiling.rows)))


def _moved(workload: Workload) -> int:
    """Bytes of a row of the weight that are copied at once."""
    k = workload.dim("k")
    return at_once(k * int(workload.attributes["bits"]) // BYTE, 1) if isinstance(k, int) else 1


class GroupedDenseCudaSimt(_Widened, DenseCudaSimt):
    """On units of float32, x as it is."""

    name = "grouped_dense.cuda.simt"
    accuracies = ("float32", "float16", "int8")

    def pieces(self, workload: Workload) -> dict[str, int]:
        return {"x": VECTOR, "w": _moved(workload)}

    def tiling(self, workload: Workload, target: Target, config: Config) -> Tiling:
        return _with_widening(super().tiling(workload, target, config), target)


class _OnUnits(_Widened, AsTheyLie):
    """On the matrix units."""

    fill_registers = 16

    def pieces(self, workload: Workload) -> tuple[int, ...]:
        return VECTOR, _moved(workload)

    def tiling(self, workload: Workload, target: Target, config: Config) -> Tiling:
        return _with_widening(super().tiling(workload, target, config), target)


class GroupedDenseCudaTf32(_OnUnits, DenseCudaTf32):
    """Three products of TF32 for one."""

    name = "grouped_dense.cuda.tf32"
    accuracies = ("float16", "int8")


class GroupedDenseCudaMma(_OnUnits, QuantisedDenseCudaMma):
    """Both rounded to bfloat16, whose products are added up in float32."""

    name = "grouped_dense.cuda.mma"
    accuracies = ("int8",)
    floats = "bfloat16"
