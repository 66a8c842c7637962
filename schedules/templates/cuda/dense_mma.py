"""dense on the matrix units of a GPU: bfloat16 or float16 in and out, sums in float32; or float32 as TF32.

Rows, columns and steps of what `mma_tiles` has are m, n and k; of batch_matmul for each index of a loop around it.

The units multiply no float32. Where a workload allows it (`products=tf32x3`) each factor is split into two of TF32 as
it comes out of shared memory, and three products make one. Nor do they multiply numbers of two dtypes: beside a weight
in 16 bits rows of float32 are rounded there, where the workload says so (`products=rounded`); one in 8 bits is widened.
"""

from __future__ import annotations

from anytile.core.dtypes import BYTES, HALVES
from anytile.schedules.hardware.gpu import gpu_facts
from anytile.schedules.hardware.gpu_estimate import Tiling
from anytile.schedules.hardware.target import Target
from anytile.schedules.operators.products.dense import TF32X3
from anytile.schedules.operators.products.quantised_dense import QUANTISED_DENSE, ROUNDED
from anytile.schedules.primitives.loops import split
from anytile.schedules.primitives.residue import Walk
from anytile.schedules.primitives.schedule import Schedule
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.cuda.dense_simt import Batched, is_stack
from anytile.schedules.templates.cuda.dense_skinny import MOST
from anytile.schedules.templates.cuda.mma_tiles import EDGE, MatrixTiles, at_once, columns_of, rows_of
from anytile.schedules.templates.cuda.untuned import Estimated
from anytile.schedules.workloads.workload import Workload


class DenseCudaMma(MatrixTiles, Estimated):
    """The template of this module for 16-bit floats."""

    name = "dense.cuda.mma"
    op = "dense"
    version = 3
    operands = ("x", "w")

    def suits(self, workload: Workload) -> int:
        return 2 if workload.dtype in HALVES else 0

    def tile(self, config: Config) -> int:
        return rows_of(config)

    def asked(self, workload: Workload) -> tuple[str, ...]:
        return self.operands[1:]

    def tiling(self, workload: Workload, target: Target, config: Config) -> Tiling:
        return self.tile_of(target, config)

    def pieces(self, workload: Workload) -> tuple[int, ...]:
        return tuple(copied(workload, item) for item in self.items)

    def split_tiles(self, s: Schedule, workload: Workload, config: Config) -> Walk:
        block_k = config.int("block_k")
        split(s, "i_m", rows_of(config), "bm", "mt")
        split(s, "i_n", columns_of(config), "bn", "nt")
        split(s, "i_k", block_k * config.int("split_k"), "ko", "kt")
        split(s, "kt", block_k, "bk", "kj")
        return Walk(self.symbol(workload) or "m", "bm", "mi", self.tile(config))


class BatchMatmulCudaMma(Batched, DenseCudaMma):
    """The same for batch_matmul. Rows have k last, columns k or n, as attention's probabilities and values have: then a
    tile of them is turned as it is loaded."""

    name = "batch_matmul.cuda.mma"
    version = 2

    def is_turned(self, workload: Workload) -> bool:
        return workload.tensor("rhs").dims[-1] == "n"

    def pieces(self, workload: Workload) -> tuple[int, ...]:
        lasts = (workload.tensor(operand).dims[-1] for operand in self.operands)
        return tuple(at_once(workload.dim(last), item) for last, item in zip(lasts, self.items, strict=True))

    def suits(self, workload: Workload) -> int:
        lhs, rhs, y = (workload.tensor(name).dims[-1] for name in (*self.operands, "y"))
        return 1 if lhs == "k" and rhs in ("k", "n") and y == "n" and workload.dtype in HALVES else 0

    def leads(self, workload: Workload, target: Target) -> bool:
        """Others multiply 16-bit floats in float32, but for few rows of layers."""
        m = workload.dim("m")
        has_few = is_stack(workload) and isinstance(m, int) and m <= MOST
        return self.suits(workload) > 0 and gpu_facts(target).async_copies and not has_few


class AsTheyLie(DenseCudaMma):
    """The same with fragments of what lies together in a row: a lane has four neighbours of k."""

    version = 2

    def _apart(self, length: int, item: int) -> tuple[int, int]:
        """Lanes that read together have the same four pieces of some rows, which must lie in different banks."""
        return EDGE if length % (2 * EDGE) == 0 else 0, 1


class DenseCudaTf32(AsTheyLie):
    """For float32, where the workload allows three products of TF32 for one."""

    name = "dense.cuda.tf32"
    items = (4, 4)
    depths = (16, 32)
    rate = 1 / 6
    reading = 1 / 2  # twice the bytes and a split, in six times as long
    split_registers = 12  # eight floats of both, and what is left of each

    def suits(self, workload: Workload) -> int:
        return 3 if workload.dtype == "float32" and workload.attributes["products"] == TF32X3 else 0


class QuantisedDenseCudaMma(AsTheyLie):
    """For a weight in 16-bit floats beside rows of float32, which are rounded so where they are multiplied."""

    name = "quantised_dense.cuda.mma"
    op = QUANTISED_DENSE.name
    items = (4, 2)
    reading = 1.5  # twice the bytes of one of them, and it is rounded
    split_registers = 6  # eight floats of a row, and as many rounded

    def suits(self, workload: Workload) -> int:
        is_rounded = workload.attributes["products"] == ROUNDED
        return 2 if is_rounded and BYTES[workload.dtype_of(workload.tensor("w"))] == self.items[1] else 0


class QuantisedDenseCudaMma8(QuantisedDenseCudaMma):
    """For a weight in 8-bit floats, which are widened to float16 where they are multiplied."""

    name = "quantised_dense.cuda.mma8"
    items = (4, 1)
    version = 1


def copied(workload: Workload, item: int = 2) -> int:
    """Elements of a row that are copied at once."""
    return at_once(workload.dim("k"), item)
