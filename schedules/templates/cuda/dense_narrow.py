"""dense on a GPU for few rows: the weight is read once, straight into registers, by warps that share its rows.

    block bn, bm: lanes and warps along k: acc[mi, ni] += x[m, k..k+3] * w[n, k..k+3]   then all of them add up

With so few rows a kernel is as fast as the weight streams past, so what counts is how many loads are under way. A warp
reads `tile_n` rows of the weight, neighbouring lanes neighbouring pieces of 16 bytes; `warps_k` warps share one row.
16-bit floats become float32 in the registers: matrix units, with tiles of 16 rows, would wait for the weight as well.
Of batch_matmul it serves dense layers that read the same rows, each by blocks of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product

from anytile.core.dtypes import HALVES
from anytile.schedules.hardware.gpu import GpuFacts, gpu_facts
from anytile.schedules.hardware.gpu_estimate import Tiling
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.nodes import LoopKind
from anytile.schedules.operators.products.quantised_dense import FLOAT
from anytile.schedules.primitives.accumulate import accumulate
from anytile.schedules.primitives.gpu.ask_ahead import ask_ahead
from anytile.schedules.primitives.gpu.bind import bind
from anytile.schedules.primitives.gpu.shared_memory import hold
from anytile.schedules.primitives.gpu.thread_sums import spread
from anytile.schedules.primitives.loops import reorder, split, unroll
from anytile.schedules.primitives.residue import Walk
from anytile.schedules.primitives.schedule import Schedule
from anytile.schedules.templates.base.definition import start
from anytile.schedules.templates.base.space import Config, ConfigSpace, Constraint, Knob, Value
from anytile.schedules.templates.base.template import Scheduled
from anytile.schedules.templates.cuda.dense_simt import (
    VECTOR,
    Batched,
    aligned,
    asking,
    by_blocks_around,
    is_asking,
    is_stack,
    untried,
    whole,
)
from anytile.schedules.templates.cuda.untuned import Estimated
from anytile.schedules.workloads.workload import Any, Workload

MOST = 16  # rows that a block takes
_CACHE = 128.0  # bytes that the first-level cache gives in a clock


class DenseCudaNarrow(Estimated):
    """The template of this module."""

    name = "dense.cuda.narrow"
    op = "dense"
    operands = ("x", "w")  # of rows and of columns
    outer: tuple[str, ...] = ()  # loops of blocks around the product
    most_rows: int | None = MOST
    widening = 0.0  # instructions for an element of the weight before it is multiplied, beside a conversion
    version = 2

    def suits(self, workload: Workload) -> int:
        if workload.dtype != "float32" and workload.dtype not in HALVES:
            return 0
        m = workload.dim("m")
        return 3 if isinstance(m, int) and m <= MOST else 1

    def tile(self, config: Config) -> int:
        return config.int("tile_m")

    def space(self, workload: Workload, target: Target) -> ConfigSpace:
        knobs = (
            Knob("tile_m", (1, 2, 4, 8, 16), "rows of a block"),
            Knob("tile_n", (1, 2, 4), "columns of a warp, rows of the weight"),
            Knob("warps_n", (1, 2, 4, 8), "warps of a block along n"),
            Knob("warps_k", (1, 2, 3, 4, 6, 8), "warps that share a sum"),
            Knob(
                "unroll_k", (1, 2, 3, 4, 6, 8), "loads of a lane from one row of the weight that are under way together"
            ),
            *asking(gpu_facts(target), self.asked(workload)),
        )
        return ConfigSpace(self.name, knobs, _constraints(workload, gpu_facts(target), self.piece(workload)))

    def piece(self, workload: Workload) -> int:
        """Elements of a row of the weight that a lane takes at once."""
        return moved(workload)

    def keep(self, s: Schedule, workload: Workload) -> None:
        """Have a lane's pieces, whose elements the loop kv counts, lie in registers before they are multiplied."""
        x, w = self.operands
        hold(s, w, "ki", ("ni", "kv"), "b", vector="kv")
        hold(s, x, "mi", ("kv",), "a", vector="kv")

    def likely(self, workload: Workload, target: Target) -> Iterator[Config]:
        new = asking(gpu_facts(target), self.asked(workload))
        for tile_m, tile_n, warps_n, warps_k, unroll_k in product(
            (1, 2, 4, 8, 16), (1, 2, 4), (1, 2, 4), (1, 2, 3, 4, 6, 8), (1, 2, 3, 4, 6)
        ):
            config = Config.of(tile_m=tile_m, tile_n=tile_n, warps_n=warps_n, warps_k=warps_k, unroll_k=unroll_k)
            yield untried(config, *new)

    def tiling(self, workload: Workload, target: Target, config: Config) -> Tiling:
        """A warp's pieces of x come out of the first-level cache and serve `tile_n` columns; those of the weight serve
        `tile_m` rows once they are widened."""
        gpu, vector = gpu_facts(target), self.piece(workload)
        tile_m, tile_n, warps_k = config.int("tile_m"), config.int("tile_n"), config.int("warps_k")
        warps, lanes = config.int("warps_n") * warps_k, gpu.warp * vector
        converted = lanes / gpu.atoms if workload.dtype in HALVES else 0.0
        read = lanes * self.element_bytes(workload)[0] / _CACHE
        widened = lanes * tile_n * self.widening / (gpu.atoms * tile_m)
        atoms = lanes * tile_n / (lanes * tile_n / gpu.atoms + converted + read + widened)
        sums = tile_m * tile_n
        return Tiling(
            rows=tile_m, columns=tile_n * config.int("warps_n"), granule=1,
            step=lanes * warps_k * config.int("unroll_k"), ahead=1, split=1, threads=gpu.warp * warps,
            registers=_registers(config), shared=4 * sums * warps, atoms=atoms,
            ending=2.0 * warps * max(5, sums) / 4 + 60,
        )  # fmt: skip

    def schedule(self, workload: Workload, target: Target, config: Config) -> Scheduled:
        gpu = gpu_facts(target)
        tile_n, warps_n, warps_k = config.int("tile_n"), config.int("warps_n"), config.int("warps_k")
        vector = self.piece(workload)
        s = start(workload)
        s.nest = aligned(s.nest)
        s.nest = replace(s.nest, params=tuple(replace(b, streamed=b.name == self.operands[1]) for b in s.nest.params))
        split(s, "i_m", config.int("tile_m"), "bm", "mi")
        split(s, "i_n", tile_n * warps_n, "bn", "nj")
        split(s, "nj", tile_n, "wn", "ni")
        split(s, "i_k", vector * gpu.warp * warps_k * config.int("unroll_k"), "ko", "kt")
        split(s, "kt", vector * gpu.warp * warps_k, "ki", "kw")
        split(s, "kw", vector * gpu.warp, "wk", "kl")
        split(s, "kl", vector, "ln", "kv")
        reorder(s, *self.outer, "bn", "bm", "wk", "wn", "ln", "ko", "ki", "mi", "ni", "kv")
        bind(s, LoopKind.BLOCK, *self.outer, "bn", "bm")
        bind(s, LoopKind.WARP, "wk", "wn")
        bind(s, LoopKind.THREAD, "ln")
        unroll(s, "ki", "mi", "ni", "kv")
        accumulate(s, inside="bm")
        self.keep(s, workload)
        spread(s, "wk", "ln", "mi", gpu.warp * warps_k * warps_n)
        by_blocks_around(s, self.outer)
        if is_asking(config):
            ask_ahead(s, *self.asked(workload))
        walk = Walk(self.symbol(workload) or "m", "bm", "mi", config.int("tile_m"))
        return Scheduled.of(s, walk)


class BatchMatmulCudaNarrow(Batched, DenseCudaNarrow):
    """The same for dense layers that read the same rows."""

    name = "batch_matmul.cuda.narrow"
    version = 1

    def suits(self, workload: Workload) -> int:
        return super().suits(workload) if is_stack(workload) else 0

    def stores(self, workload: Workload) -> bool:
        """Rows of float32 meet weights in 16 bits, too, as in quantised_dense."""
        lying = {name for name, _ in workload.anchor.stored}
        return (workload.dtype == FLOAT and lying == {"rhs"}) or super().stores(workload)


def moved(workload: Workload) -> int:
    """Elements of a row that are read at once: 16 bytes if rows begin at multiples of that, or of 16-bit floats 8."""
    for vector in (2 * VECTOR, VECTOR) if workload.dtype in HALVES else (VECTOR,):
        if whole(workload, vector):
            return vector
    return 1


def _registers(c: Mapping[str, Value] | Config) -> int:
    """Of a thread: its sums, the pieces that are under way, and addresses."""
    tile_m, tile_n, unroll_k = int(c["tile_m"]), int(c["tile_n"]), int(c["unroll_k"])
    return tile_m * tile_n + VECTOR * unroll_k * (tile_n + 1) + 40


def _constraints(workload: Workload, gpu: GpuFacts, piece: int) -> tuple[Constraint, ...]:
    k, least = workload.dim("k"), 2 * gpu.warp * piece

    def number(c: Mapping[str, Value], name: str) -> int:
        return int(c[name])

    def reads(c: Mapping[str, Value]) -> bool:
        if isinstance(k, Any):
            return True
        step = least // 2 * number(c, "warps_k") * number(c, "unroll_k")
        return step * -(-k // step) <= max(1.5 * k, least)

    return (
        Constraint("threads", "at most sixteen warps in a block",
                   lambda c: number(c, "warps_n") * number(c, "warps_k") <= 16),
        Constraint("registers", "sums and loads of a lane must fit its registers",
                   lambda c: _registers(c) <= 168),
        Constraint("rounds", "at most a third of the lanes' loads may lie beyond the end of k", reads),
        Constraint("loads", "two to eight loads of the weight under way in a lane: fewer wait, and more are not kept",
                   lambda c: 2 <= number(c, "tile_n") * number(c, "unroll_k") <= 8),
    )  # fmt: skip
