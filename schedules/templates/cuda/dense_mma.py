"""dense on the matrix units of a GPU: bfloat16 or float16 in and out, sums in float32.

    block bn, bm: for ko: x, w -> shared   warp: for ki: a, b -> fragments; acc[mi, nj] += a[mi] * b[nj]

Tiles of shared memory are filled several rounds ahead, and swizzled so that the eight rows that a matrix load reads lie
in different banks. A warp holds tiles of 16 rows by 16 columns, as many as `tile_m` by `tile_n` says. Where tiles are
few, `split_k` blocks share the sums of one.
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
from anytile.schedules.templates.cuda.dense_simt import aligned, blocks_of
from anytile.schedules.templates.cuda.untuned import Estimated
from anytile.schedules.workloads.workload import Workload

Knobs: TypeAlias = Mapping[str, Value] | Config
EDGE = 16  # rows and columns of a warp's smallest tile, and its steps of k
_PIECE = 8  # elements that are copied at once, 16 bytes
_SPLITS = (1, 2, 3, 4, 6, 8)
_TILES = ((1, 1), (1, 2), (2, 1), (2, 2), (2, 4), (4, 2), (4, 4))  # of these and of `_WARPS` one is good untuned
_WARPS = ((1, 2), (1, 4), (2, 1), (2, 2), (2, 4), (4, 2))
_ROLES = Roles("ki", rows="mi", pairs="nj", fragment="nf", group="mg", pair="np", half="mh", low="nl", depth="kr")


class DenseCudaMma(Estimated):
    """The template of this module."""

    name = "dense.cuda.mma"
    op = "dense"
    version = 2

    def suits(self, workload: Workload) -> int:
        return 2 if workload.dtype in HALVES else 0

    def tile(self, config: Config) -> int:
        return config.int("tile_m") * config.int("warps_m") * EDGE

    def space(self, workload: Workload, target: Target) -> ConfigSpace:
        gpu = gpu_facts(target)
        stages = (2, 3, 4) if copied(workload) > 1 else (1,)
        knobs = (
            Knob("tile_m", (1, 2, 4), "tiles of 16 rows of a warp"),
            Knob("tile_n", (1, 2, 4), "tiles of 16 columns of a warp"),
            Knob("warps_m", (1, 2, 4), "warps of a block along m"),
            Knob("warps_n", (1, 2, 4), "warps of a block along n"),
            Knob("block_k", (32, 64), "steps of k in one tile of shared memory"),
            Knob("stages", stages, "tiles of shared memory, of which all but one are being filled"),
            Knob("split_k", _SPLITS, "blocks that share the sums of one tile"),
            Knob("group_n", (1, 4), "columns of tiles that are walked before the next row of tiles"),
        )
        return ConfigSpace(self.name, knobs, _constraints(gpu))

    def likely(self, workload: Workload, target: Target) -> Iterator[Config]:
        stages = 4 if copied(workload) > 1 else 1
        for (tile_m, tile_n), (warps_m, warps_n), block_k, split_k in product(_TILES, _WARPS, (32, 64), _SPLITS):
            yield Config.of(
                tile_m=tile_m, tile_n=tile_n, warps_m=warps_m, warps_n=warps_n, block_k=block_k, stages=stages,
                split_k=split_k, group_n=1,
            )  # fmt: skip

    def tiling(self, workload: Workload, target: Target, config: Config) -> Tiling:
        """Fragments come out of shared memory as fast as the units take them where a warp has 2 by 2 tiles of them."""
        tile_m, tile_n = config.int("tile_m"), config.int("tile_n")
        gpu, read = gpu_facts(target), tile_m + tile_n
        return Tiling(
            rows=self.tile(config), columns=tile_n * config.int("warps_n") * EDGE,
            granule=config.int("warps_m") * EDGE, step=config.int("block_k"), ahead=max(1, config.int("stages") - 1),
            split=config.int("split_k"), threads=_threads(gpu, config), registers=_registers(config),
            shared=_shared(config), atoms=gpu.tile_atoms * tile_m * tile_n / (tile_m * tile_n + read),
        )  # fmt: skip

    def schedule(self, workload: Workload, target: Target, config: Config) -> Scheduled:
        gpu = gpu_facts(target)
        warps_m, warps_n, block_k = config.int("warps_m"), config.int("warps_n"), config.int("block_k")
        split_k, vector = config.int("split_k"), copied(workload)
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
        blocks = blocks_of(s, config.int("group_n"))
        reorder(s, *blocks, "bk", "ko", "wm", "wn", *_outermost_first())
        bind(s, LoopKind.BLOCK, *blocks)
        bind(s, LoopKind.WARP, "wm", "wn")
        bind(s, LoopKind.THREAD, "mg", "np")
        unroll(s, "ki", "mi", "nj", "nf", "mh")
        vectorize(s, "nl")
        accumulate(s, inside=blocks[-1])
        if split_k > 1:
            split_reduction(s, "bk")
        how = Fill(warps_m * warps_n * gpu.warp, vector, later=vector > 1, swizzle=min(_PIECE, block_k // _PIECE))
        w, x = (cache_read(s, operand, "ko", how) for operand in ("w", "x"))
        tensorize(s, x, w, _ROLES)
        pipeline(s, "ko", config.int("stages"))
        return Scheduled.of(s, Walk(self.symbol(workload) or "m", "bm", "mi", self.tile(config)))


def _outermost_first() -> tuple[str, ...]:
    return (_ROLES.step, *_ROLES.inner)


def copied(workload: Workload) -> int:
    """Elements of a row that are copied at once; one alone is less than a copy that runs on by itself can move."""
    k = workload.dim("k")
    return next((v for v in (_PIECE, 4, 2) if isinstance(k, int) and k % v == 0), 1)


def _edges(c: Knobs) -> tuple[int, int]:
    """Rows and columns of a block's tile."""
    return int(c["tile_m"]) * int(c["warps_m"]) * EDGE, int(c["tile_n"]) * int(c["warps_n"]) * EDGE


def _threads(gpu: GpuFacts, c: Knobs) -> int:
    return int(c["warps_m"]) * int(c["warps_n"]) * gpu.warp


def _shared(c: Knobs) -> int:
    return 2 * int(c["stages"]) * sum(_edges(c)) * int(c["block_k"])


def _registers(c: Knobs) -> int:
    tile_m, tile_n = int(c["tile_m"]), int(c["tile_n"])
    return 8 * tile_m * tile_n + 4 * (tile_m + tile_n) + 48


def _constraints(gpu: GpuFacts) -> tuple[Constraint, ...]:
    def fills(c: Mapping[str, Value]) -> bool:
        pieces = int(c["block_k"]) // _PIECE
        return all(size % max(1, min(size, _threads(gpu, c) // pieces)) == 0 for size in _edges(c))

    def shaped(c: Mapping[str, Value]) -> bool:
        rows, columns = _edges(c)
        return rows <= 2 * columns and columns <= 8 * rows

    return (
        Constraint("matrix units", "bfloat16 products and copies that run on by themselves need sm_80",
                   lambda c: gpu.async_copies),
        Constraint("shared", "the stages must fit the shared memory of a block",
                   lambda c: _shared(c) <= gpu.shared_per_block),
        Constraint("resident", "the threads of one block must fit the registers of a multiprocessor",
                   lambda c: _registers(c) * _threads(gpu, c) <= gpu.registers),
        Constraint("fill", "threads fill a tile in whole rounds", fills),
        Constraint("warps", "two to eight warps: one cannot hide latency, and more wait for each other too long",
                   lambda c: 64 <= _threads(gpu, c) <= 256),
        Constraint("shape", "a tile more than twice as high as wide, or eight times as wide as high, reads too much",
                   shaped),
    )  # fmt: skip
