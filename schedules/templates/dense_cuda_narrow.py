"""dense on a GPU for few rows: the weight is read once, straight into registers, by warps that share its rows.

    block bn, bm: lanes and warps along k: acc[mi, ni] += x[m, k..k+3] * w[n, k..k+3]   then all of them add up

With so few rows a kernel is as fast as the weight streams past, so what counts is how many loads are under way. A warp
reads `tile_n` rows of the weight, neighbouring lanes neighbouring elements; `warps_k` warps share one row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from anytile.schedules.binding import bind
from anytile.schedules.definitions import start
from anytile.schedules.gpu import GpuFacts, gpu_facts
from anytile.schedules.nest import LoopKind
from anytile.schedules.residue import Walk
from anytile.schedules.sharing import hold
from anytile.schedules.space import Config, ConfigSpace, Constraint, Knob, Value
from anytile.schedules.spreading import spread
from anytile.schedules.target import Target
from anytile.schedules.template import Scheduled
from anytile.schedules.templates.dense_cuda_simt import VECTOR, aligned, whole
from anytile.schedules.workload import Any, Workload

MOST = 16  # rows that a block takes


class DenseCudaNarrow:
    """The template of this module."""

    name = "dense.cuda.narrow"
    op = "dense"
    kind = "cuda"
    version = 1

    def suits(self, workload: Workload) -> int:
        if workload.dtype != "float32":
            return 0
        m = workload.dim("m")
        return 3 if isinstance(m, int) and m <= MOST else 1

    def symbol(self, workload: Workload) -> str | None:
        m = workload.dim("m")
        return m.name if isinstance(m, Any) else None

    def tile(self, config: Config) -> int:
        return config.int("tile_m")

    def space(self, workload: Workload, target: Target) -> ConfigSpace:
        knobs = (
            Knob("tile_m", (1, 2, 4, 8, 16), "rows of a block"),
            Knob("tile_n", (1, 2, 4), "columns of a warp, rows of the weight"),
            Knob("warps_n", (1, 2, 4, 8), "warps of a block along n"),
            Knob("warps_k", (1, 2, 4, 8), "warps that share a sum"),
            Knob("unroll_k", (1, 2, 4, 8), "loads of a lane from one row of the weight that are under way together"),
        )
        return ConfigSpace(self.name, knobs, _constraints(gpu_facts(target)))

    def default(self, workload: Workload, target: Target) -> Config:
        m = workload.dim("m")
        rows = next(r for r in (1, 2, 4, 8, 16) if not isinstance(m, int) or r >= min(m, MOST))
        return Config.of(tile_m=8 if isinstance(m, Any) else rows, tile_n=1, warps_n=4, warps_k=1, unroll_k=2)

    def schedule(self, workload: Workload, target: Target, config: Config) -> Scheduled:
        gpu = gpu_facts(target)
        tile_n, warps_n, warps_k = config.int("tile_n"), config.int("warps_n"), config.int("warps_k")
        vector = VECTOR if whole(workload, VECTOR) else 1
        s = start(workload)
        s.nest = aligned(s.nest)
        s.nest = replace(s.nest, params=tuple(replace(b, streamed=b.name == "w") for b in s.nest.params))
        s.split("i_m", config.int("tile_m"), "bm", "mi")
        s.split("i_n", tile_n * warps_n, "bn", "nj")
        s.split("nj", tile_n, "wn", "ni")
        s.split("i_k", vector * gpu.warp * warps_k * config.int("unroll_k"), "ko", "kt")
        s.split("kt", vector * gpu.warp * warps_k, "ki", "kw")
        s.split("kw", vector * gpu.warp, "wk", "kl")
        s.split("kl", vector, "ln", "kv")
        s.reorder("bn", "bm", "wk", "wn", "ln", "ko", "ki", "mi", "ni", "kv")
        bind(s, LoopKind.BLOCK, "bn", "bm")
        bind(s, LoopKind.WARP, "wk", "wn")
        bind(s, LoopKind.THREAD, "ln")
        s.unroll("ki", "mi", "ni", "kv")
        s.accumulate(inside="bm")
        hold(s, "w", "ki", ("ni", "kv"), "b", vector="kv")
        hold(s, "x", "mi", ("kv",), "a", vector="kv")
        spread(s, "wk", "ln", "mi", gpu.warp * warps_k * warps_n)
        walk = Walk(self.symbol(workload) or "m", "bm", "mi", config.int("tile_m"))
        return Scheduled(s.finish(), (), walk)


def _constraints(gpu: GpuFacts) -> tuple[Constraint, ...]:
    def number(c: Mapping[str, Value], name: str) -> int:
        return int(c[name])

    def sums(c: Mapping[str, Value]) -> int:
        return number(c, "tile_m") * number(c, "tile_n")

    return (
        Constraint("threads", "at most sixteen warps in a block",
                   lambda c: number(c, "warps_n") * number(c, "warps_k") <= 16),
        Constraint("registers", "sums and loads of a lane must fit its registers",
                   lambda c: sums(c) + VECTOR * number(c, "unroll_k") * (number(c, "tile_n") + 1) + 40 <= 168),
        Constraint("loads", "two to eight loads of the weight under way in a lane: fewer wait, and more are not kept",
                   lambda c: 2 <= number(c, "tile_n") * number(c, "unroll_k") <= 8),
    )  # fmt: skip
