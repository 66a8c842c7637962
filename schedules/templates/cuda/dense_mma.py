"""dense on the matrix units of a GPU: bfloat16 or float16 in and out, sums in float32; or float32 as TF32.

    block bn, bm: for ko: x, w -> shared   warp: for ki: a, b -> fragments; acc[mi, nj] += a[mi] * b[nj]

Tiles of shared memory are filled several rounds ahead, and swizzled so that the eight rows that a matrix load reads lie
in different banks. A warp holds tiles of 16 rows by 16 columns, as many as `tile_m` by `tile_n` says. Where tiles are
few, `split_k` blocks share the sums of one.

The units multiply no float32. Where a workload allows it (`products=tf32x3`) each factor is split into two of TF32 as
it comes out of shared memory, and three products make one. Nor do they multiply numbers of two dtypes: beside a weight
in 16 bits rows of float32 are rounded there, where the workload says so (`products=rounded`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import TypeAlias

from anytile.schedules.hardware.gpu import GpuFacts, gpu_facts
from anytile.schedules.hardware.gpu_estimate import Tiling
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.float16 import HALVES
from anytile.schedules.nest.nodes import LoopKind
from anytile.schedules.operators.products.batch_matmul import BATCH_MATMUL
from anytile.schedules.operators.products.dense import TF32X3
from anytile.schedules.operators.products.quantised_dense import QUANTISED_DENSE, ROUNDED
from anytile.schedules.primitives.accumulate import accumulate
from anytile.schedules.primitives.gpu.bind import bind, split_reduction
from anytile.schedules.primitives.gpu.pipeline import pipeline
from anytile.schedules.primitives.gpu.shared_memory import Fill, cache_read
from anytile.schedules.primitives.gpu.tensorize import Roles, tensorize
from anytile.schedules.primitives.loops import reorder, split, unroll, vectorize
from anytile.schedules.primitives.residue import Walk
from anytile.schedules.templates.base.definition import start
from anytile.schedules.templates.base.space import Config, ConfigSpace, Constraint, Knob, Value
from anytile.schedules.templates.base.template import Scheduled
from anytile.schedules.templates.cuda.dense_simt import aligned, batches_of, blocks_of, by_blocks_around
from anytile.schedules.templates.cuda.untuned import Estimated
from anytile.schedules.workloads.workload import Workload

Knobs: TypeAlias = Mapping[str, Value] | Config
EDGE = 16  # rows and columns of a warp's smallest tile, and its steps of k
_PIECE = 16  # bytes that are copied at once
_LEAST = 4  # bytes that a copy moves which runs on by itself
_LINE = 128  # bytes that shared memory gives at once
_SPLITS = (1, 2, 3, 4, 6, 8)
_TILES = ((1, 1), (1, 2), (2, 1), (2, 2), (2, 4), (4, 2), (4, 4))  # of these and of `_WARPS` one is good untuned
_WARPS = ((1, 2), (1, 4), (2, 1), (2, 2), (2, 4), (4, 2))
_ROLES = Roles("ki", rows="mi", pairs="nj", fragment="nf", group="mg", pair="np", half="mh", low="nl", depth="kr")


class DenseCudaMma(Estimated):
    """The template of this module for 16-bit floats."""

    name = "dense.cuda.mma"
    op = "dense"
    version = 2
    operands = ("x", "w")  # of m and n
    outer: tuple[str, ...] = ()  # loops of blocks around the product
    splits: tuple[int, ...] = _SPLITS
    items = (2, 2)  # bytes of an element of x and of w
    depths = (32, 64)  # steps of k in one tile of shared memory
    rate = 1.0  # of the units, against that of 16 bits
    reading = 1.0  # what a fragment costs beside its products, of one of them
    split_registers = 0  # that a fragment takes beside itself

    def suits(self, workload: Workload) -> int:
        return 2 if workload.dtype in HALVES else 0

    def tile(self, config: Config) -> int:
        return config.int("tile_m") * config.int("warps_m") * EDGE

    def space(self, workload: Workload, target: Target) -> ConfigSpace:
        gpu = gpu_facts(target)
        stages = (2, 3, 4) if self.copies_later(workload) else (1,)
        knobs = (
            Knob("tile_m", (1, 2, 4), "tiles of 16 rows of a warp"),
            Knob("tile_n", (1, 2, 4), "tiles of 16 columns of a warp"),
            Knob("warps_m", (1, 2, 4), "warps of a block along m"),
            Knob("warps_n", (1, 2, 4), "warps of a block along n"),
            Knob("block_k", self.depths, "steps of k in one tile of shared memory"),
            Knob("stages", stages, "tiles of shared memory, of which all but one are being filled"),
            Knob("split_k", self.splits, "blocks that share the sums of one tile"),
            Knob("group_n", (1, 4), "columns of tiles that are walked before the next row of tiles"),
        )
        return ConfigSpace(self.name, knobs, self._constraints(gpu))

    def likely(self, workload: Workload, target: Target) -> Iterator[Config]:
        stages = 4 if self.copies_later(workload) else 1
        for (tile_m, tile_n), (warps_m, warps_n), block_k, split_k in product(_TILES, _WARPS, self.depths, self.splits):
            yield Config.of(
                tile_m=tile_m, tile_n=tile_n, warps_m=warps_m, warps_n=warps_n, block_k=block_k, stages=stages,
                split_k=split_k, group_n=1,
            )  # fmt: skip

    def tiling(self, workload: Workload, target: Target, config: Config) -> Tiling:
        """Fragments come out of shared memory as fast as the units take them where a warp has 2 by 2 tiles of them."""
        tile_m, tile_n = config.int("tile_m"), config.int("tile_n")
        gpu, read = gpu_facts(target), self.reading * (tile_m + tile_n)
        return Tiling(
            rows=self.tile(config), columns=tile_n * config.int("warps_n") * EDGE,
            granule=config.int("warps_m") * EDGE, step=config.int("block_k"), ahead=max(1, config.int("stages") - 1),
            split=config.int("split_k"), threads=_threads(gpu, config), registers=self._registers(config),
            shared=self._shared(config),
            atoms=gpu.tile_atoms * self.rate * tile_m * tile_n / (tile_m * tile_n + read),
        )  # fmt: skip

    def schedule(self, workload: Workload, target: Target, config: Config) -> Scheduled:
        gpu = gpu_facts(target)
        warps_m, warps_n, block_k = config.int("warps_m"), config.int("warps_n"), config.int("block_k")
        split_k = config.int("split_k")
        s = start(workload)
        s.nest = aligned(s.nest)
        split(s, "i_m", self.tile(config), "bm", "mt")
        split(s, "mt", warps_m * EDGE, "mi", "mw")
        split(s, "mw", EDGE, "wm", "mr")
        split(s, "mr", EDGE // 2, "mh", "mg")
        split(s, "i_n", config.int("tile_n") * warps_n * EDGE, "bn", "nt")
        split(s, "nt", warps_n * EDGE, "nj", "nw")
        split(s, "nw", EDGE, "wn", "nr")
        split(s, "nr", EDGE // 2, "nf", "nc")
        split(s, "nc", 2, "np", "nl")
        split(s, "i_k", block_k * split_k, "ko", "kt")
        split(s, "kt", block_k, "bk", "kj")
        split(s, "kj", EDGE, "ki", "kr")
        blocks = [*self.outer, *blocks_of(s, config.int("group_n"))]
        reorder(s, *blocks, "bk", "ko", "wm", "wn", *_outermost_first())
        bind(s, LoopKind.BLOCK, *blocks)
        bind(s, LoopKind.WARP, "wm", "wn")
        bind(s, LoopKind.THREAD, "mg", "np")
        unroll(s, "ki", "mi", "nj", "nf", "mh")
        vectorize(s, "nl")
        accumulate(s, inside=blocks[-1])
        if split_k > 1:
            split_reduction(s, "bk")
        later = self.copies_later(workload)
        w, x = (
            cache_read(
                s,
                operand,
                "ko",
                Fill(_threads(gpu, config), copied(workload, item), later, *self._apart(block_k, item)),
            )
            for operand, item in zip(reversed(self.operands), reversed(self.items), strict=True)
        )
        tensorize(s, x, w, _ROLES)
        pipeline(s, "ko", config.int("stages"))
        by_blocks_around(s, self.outer)
        return Scheduled.of(s, Walk(self.symbol(workload) or "m", "bm", "mi", self.tile(config)))

    def copies_later(self, workload: Workload) -> bool:
        """Whether what is copied at once is enough for a copy that runs on by itself."""
        return all(copied(workload, item) * item >= _LEAST for item in self.items)

    def _apart(self, block_k: int, item: int) -> tuple[int, int]:
        """Elements between two rows of a tile in shared memory, and of how many pieces the order changes in a row."""
        return 0, min(_LINE, block_k * item) // _PIECE

    def _shared(self, c: Knobs) -> int:
        depth = int(c["block_k"])
        rows = zip(_edges(c), self.items, strict=True)
        return int(c["stages"]) * sum(edge * item * (depth + self._apart(depth, item)[0]) for edge, item in rows)

    def _registers(self, c: Knobs) -> int:
        tile_m, tile_n = int(c["tile_m"]), int(c["tile_n"])
        return 8 * tile_m * tile_n + (4 + self.split_registers) * (tile_m + tile_n) + 48

    def _constraints(self, gpu: GpuFacts) -> tuple[Constraint, ...]:
        def fills(c: Mapping[str, Value]) -> bool:
            pieces = [int(c["block_k"]) * item // _PIECE for item in self.items]
            return all(
                size % max(1, min(size, _threads(gpu, c) // n)) == 0 for size, n in zip(_edges(c), pieces, strict=True)
            )

        def shaped(c: Mapping[str, Value]) -> bool:
            rows, columns = _edges(c)
            return rows <= 2 * columns and columns <= 8 * rows

        return (
            Constraint("matrix units", "products on them and copies that run on by themselves need sm_80",
                       lambda c: gpu.async_copies),
            Constraint("shared", "the stages must fit the shared memory of a block",
                       lambda c: self._shared(c) <= gpu.shared_per_block),
            Constraint("resident", "the threads of one block must fit the registers of a multiprocessor",
                       lambda c: self._registers(c) * _threads(gpu, c) <= gpu.registers),
            Constraint("registers", "a thread's sums and fragments must fit its registers",
                       lambda c: self._registers(c) <= gpu.registers_per_thread),
            Constraint("fill", "threads fill a tile in whole rounds", fills),
            Constraint("warps", "two to eight warps: one cannot hide latency, and more wait for each other too long",
                       lambda c: 64 <= _threads(gpu, c) <= 256),
            Constraint("shape", "a tile more than twice as high as wide, or eight times as wide as high, reads too "
                       "much", shaped),
        )  # fmt: skip


class BatchMatmulCudaMma(DenseCudaMma):
    """The same for batch_matmul, of operands that have k last. Batches are tiles enough: none is split along k."""

    name = "batch_matmul.cuda.mma"
    op = BATCH_MATMUL.name
    version = 1
    operands = ("lhs", "rhs")
    outer = ("i_b",)
    splits = (1,)

    def suits(self, workload: Workload) -> int:
        deep = all(workload.tensor(operand).dims[-1] == "k" for operand in self.operands)
        return 1 if deep and workload.outputs[0].dims[-1] == "n" and workload.dtype in HALVES else 0

    def leads(self, workload: Workload, target: Target) -> bool:
        """Others multiply 16-bit floats in float32."""
        return self.suits(workload) > 0 and gpu_facts(target).async_copies

    def products(self, workload: Workload) -> int:
        return batches_of(workload)


class _AsTheyLie(DenseCudaMma):
    """The same with fragments of what lies together in a row: a lane has four neighbours of k."""

    version = 1

    def _apart(self, block_k: int, item: int) -> tuple[int, int]:
        """Lanes that read together have the same four pieces of some rows, which must lie in different banks."""
        return EDGE if block_k % (2 * EDGE) == 0 else 0, 1


class DenseCudaTf32(_AsTheyLie):
    """For float32, where the workload allows three products of TF32 for one."""

    name = "dense.cuda.tf32"
    items = (4, 4)
    depths = (16, 32)
    rate = 1 / 6
    reading = 1 / 2  # twice the bytes and a split, in six times as long
    split_registers = 12  # eight floats of both, and what is left of each

    def suits(self, workload: Workload) -> int:
        return 3 if workload.dtype == "float32" and workload.attributes["products"] == TF32X3 else 0


class QuantisedDenseCudaMma(_AsTheyLie):
    """For a weight in 16-bit floats beside rows of float32, which are rounded so where they are multiplied."""

    name = "quantised_dense.cuda.mma"
    op = QUANTISED_DENSE.name
    items = (4, 2)
    reading = 1.5  # twice the bytes of one of them, and it is rounded
    split_registers = 6  # eight floats of a row, and as many rounded

    def suits(self, workload: Workload) -> int:
        return 2 if workload.attributes["products"] == ROUNDED else 0


def _outermost_first() -> tuple[str, ...]:
    return (_ROLES.step, *_ROLES.inner)


def copied(workload: Workload, item: int = 2) -> int:
    """Elements of a row that are copied at once."""
    k = workload.dim("k")
    return next((n // item for n in (_PIECE, 8, 4) if isinstance(k, int) and n > item and k * item % n == 0), 1)


def _edges(c: Knobs) -> tuple[int, int]:
    """Rows and columns of a block's tile."""
    return int(c["tile_m"]) * int(c["warps_m"]) * EDGE, int(c["tile_n"]) * int(c["warps_n"]) * EDGE


def _threads(gpu: GpuFacts, c: Knobs) -> int:
    return int(c["warps_m"]) * int(c["warps_n"]) * gpu.warp
