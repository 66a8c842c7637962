"""dense on the matrix units of a GPU: bfloat16 or float16 in and out, sums in float32.

    block bn, bm: for ko: x, w -> shared   warp: for ki: a, b -> fragments; acc[mi, nj] += a[mi] * b[nj]

Tiles of shared memory are filled several rounds ahead, and swizzled so that the eight rows that a matrix load reads lie
in different banks. A warp holds tiles of 16 rows by 16 columns, as many as `tile_m` by `tile_n` says. Where tiles are
few, `split_k` blocks share the sums of one.
"""

from __future__ import annotations

from collections.abc import Mapping

from anytile.schedules.binding import bind, split_reduction
from anytile.schedules.definitions import start
from anytile.schedules.gpu import GpuFacts, gpu_facts
from anytile.schedules.halves import HALVES
from anytile.schedules.nest import LoopKind
from anytile.schedules.pipelining import pipeline
from anytile.schedules.residue import Walk
from anytile.schedules.sharing import Fill, cache_read
from anytile.schedules.space import Config, ConfigSpace, Constraint, Knob, Value
from anytile.schedules.target import Target
from anytile.schedules.template import Scheduled
from anytile.schedules.templates.dense_cuda_simt import aligned, blocks_of
from anytile.schedules.tensorizing import Roles, tensorize
from anytile.schedules.workload import Any, Workload

EDGE = 16  # rows and columns of a warp's smallest tile, and its steps of k
_PIECE = 8  # elements that are copied at once, 16 bytes
_ROLES = Roles("ki", rows="mi", pairs="nj", fragment="nf", group="mg", pair="np", half="mh", low="nl", depth="kr")


class DenseCudaMma:
    """The template of this module."""

    name = "dense.cuda.mma"
    op = "dense"
    kind = "cuda"
    version = 1

    def suits(self, workload: Workload) -> int:
        return 1 if workload.dtype in HALVES else 0

    def symbol(self, workload: Workload) -> str | None:
        m = workload.dim("m")
        return m.name if isinstance(m, Any) else None

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
            Knob("split_k", (1, 2, 4, 8), "blocks that share the sums of one tile"),
            Knob("group_n", (1, 4), "columns of tiles that are walked before the next row of tiles"),
        )
        return ConfigSpace(self.name, knobs, _constraints(gpu))

    def default(self, workload: Workload, target: Target) -> Config:
        stages = 3 if copied(workload) > 1 else 1
        return Config.of(
            tile_m=2, tile_n=2, warps_m=2, warps_n=2, block_k=64, stages=stages, split_k=1, group_n=1
        )  # fmt: skip

    def schedule(self, workload: Workload, target: Target, config: Config) -> Scheduled:
        gpu = gpu_facts(target)
        warps_m, warps_n, block_k = config.int("warps_m"), config.int("warps_n"), config.int("block_k")
        split_k, vector = config.int("split_k"), copied(workload)
        s = start(workload)
        s.nest = aligned(s.nest)
        s.split("i_m", self.tile(config), "bm", "mt")
        s.split("mt", warps_m * EDGE, "mi", "mw")
        s.split("mw", EDGE, "wm", "mr")
        s.split("mr", EDGE // 2, "mh", "mg")
        s.split("i_n", config.int("tile_n") * warps_n * EDGE, "bn", "nt")
        s.split("nt", warps_n * EDGE, "nj", "nw")
        s.split("nw", EDGE, "wn", "nr")
        s.split("nr", EDGE // 2, "nf", "nc")
        s.split("nc", 2, "np", "nl")
        s.split("i_k", block_k * split_k, "ko", "kt")
        s.split("kt", block_k, "bk", "kj")
        s.split("kj", EDGE, "ki", "kr")
        blocks = blocks_of(s, config.int("group_n"))
        s.reorder(*blocks, "bk", "ko", "wm", "wn", *_outermost_first())
        bind(s, LoopKind.BLOCK, *blocks)
        bind(s, LoopKind.WARP, "wm", "wn")
        bind(s, LoopKind.THREAD, "mg", "np")
        s.unroll("ki", "mi", "nj", "nf", "mh")
        s.vectorize("nl")
        s.accumulate(inside=blocks[-1])
        if split_k > 1:
            split_reduction(s, "bk")
        how = Fill(warps_m * warps_n * gpu.warp, vector, later=vector > 1, swizzle=min(_PIECE, block_k // _PIECE))
        w, x = (cache_read(s, operand, "ko", how) for operand in ("w", "x"))
        tensorize(s, x, w, _ROLES)
        pipeline(s, "ko", config.int("stages"))
        return Scheduled(s.finish(), (), Walk(self.symbol(workload) or "m", "bm", "mi", self.tile(config)))


def _outermost_first() -> tuple[str, ...]:
    return (_ROLES.step, *_ROLES.inner)


def copied(workload: Workload) -> int:
    """Elements of a row that are copied at once; one alone is less than a copy that runs on by itself can move."""
    k = workload.dim("k")
    return next((v for v in (_PIECE, 4, 2) if isinstance(k, int) and k % v == 0), 1)


def _constraints(gpu: GpuFacts) -> tuple[Constraint, ...]:
    def number(c: Mapping[str, Value], name: str) -> int:
        return int(c[name])

    def rows(c: Mapping[str, Value]) -> int:
        return number(c, "tile_m") * number(c, "warps_m") * EDGE

    def columns(c: Mapping[str, Value]) -> int:
        return number(c, "tile_n") * number(c, "warps_n") * EDGE

    def threads(c: Mapping[str, Value]) -> int:
        return number(c, "warps_m") * number(c, "warps_n") * gpu.warp

    def shared(c: Mapping[str, Value]) -> int:
        return 2 * number(c, "stages") * (rows(c) + columns(c)) * number(c, "block_k")

    def registers(c: Mapping[str, Value]) -> int:
        tile_m, tile_n = number(c, "tile_m"), number(c, "tile_n")
        return 8 * tile_m * tile_n + 4 * (tile_m + tile_n) + 48

    def fills(c: Mapping[str, Value]) -> bool:
        pieces = number(c, "block_k") // _PIECE
        return all(size % max(1, min(size, threads(c) // pieces)) == 0 for size in (rows(c), columns(c)))

    return (
        Constraint("matrix units", "bfloat16 products and copies that run on by themselves need sm_80",
                   lambda c: gpu.async_copies),
        Constraint("shared", "the stages must fit the shared memory of a block",
                   lambda c: shared(c) <= gpu.shared_per_block),
        Constraint("resident", "the threads of one block must fit the registers of a multiprocessor",
                   lambda c: registers(c) * threads(c) <= gpu.registers),
        Constraint("fill", "threads fill a tile in whole rounds", fills),
        Constraint("warps", "two to eight warps: one cannot hide latency, and more wait for each other too long",
                   lambda c: 64 <= threads(c) <= 256),
        Constraint("shape", "a tile more than twice as high as wide, or eight times as wide as high, reads too much",
                   lambda c: rows(c) <= 2 * columns(c) and columns(c) <= 8 * rows(c)),
    )  # fmt: skip
