"""dense of 16-bit floats on Hopper's matrix units: a group of four warps multiplies matrices where they lie in memory.

    block bn, bm: for ko: x, w -> shared   group wg: acc += x[64, 64] w[columns, 64]

Both operands stay in shared memory, in the swizzle that `dense_mma` has: no fragment of them is ever loaded, which is
what bounds `mma`. Copies run ahead in `stages`; what arrived is fenced for the units, which read by a proxy of their
own. A group waits for its products in each round, so two blocks on a multiprocessor take turns. Nothing estimates its
configs, so no untuned plan has them: it is for a search, which measures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from anytile.core.dtypes import HALVES
from anytile.schedules.hardware.gpu import GpuFacts, gpu_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.mma_operations import GROUP_COLUMNS, GROUP_PART, GROUP_ROWS, GROUP_STEPS, GROUP_WARPS
from anytile.schedules.nest.nodes import LoopKind
from anytile.schedules.nest.traverse import loops
from anytile.schedules.primitives.accumulate import accumulate
from anytile.schedules.primitives.gpu.ask_ahead import ask_ahead
from anytile.schedules.primitives.gpu.bind import bind, split_reduction
from anytile.schedules.primitives.gpu.pipeline import pipeline
from anytile.schedules.primitives.gpu.shared_memory import Fill, cache_read
from anytile.schedules.primitives.gpu.tensorize import by_groups
from anytile.schedules.primitives.loops import reorder, split, unroll, vectorize
from anytile.schedules.primitives.residue import Walk
from anytile.schedules.primitives.schedule import Schedule
from anytile.schedules.templates.base.definition import start
from anytile.schedules.templates.base.space import Config, ConfigSpace, Constraint, Knob, Value
from anytile.schedules.templates.base.template import Scheduled, Template, symbol_of
from anytile.schedules.templates.cuda.dense_mma import copied
from anytile.schedules.templates.cuda.dense_simt import (
    aligned,
    asking,
    blocks_of,
    evenly_shared,
    fuse_rounds,
    is_asking,
    is_cluster,
    kept_sums,
    meetings,
    untried,
)
from anytile.schedules.workloads.workload import Workload

_SPLITS = (1, 2, 4)
PIECE = 8  # elements that are copied at once, 16 bytes
_NONE = "mt"  # a loop that is split: at the edge a group multiplies all of its rows


class DenseCudaWgmma(Template):
    """The template of this module."""

    name = "dense.cuda.wgmma"
    version = 2
    op = "dense"
    kind = "cuda"

    def stores(self, workload: Workload) -> bool:
        return not workload.anchor.stored

    def symbol(self, workload: Workload) -> str | None:
        return symbol_of(workload.dim("m"))

    def asked(self, workload: Workload) -> tuple[str, ...]:
        """What blocks may ask for ahead."""
        return ("w",)

    def suits(self, workload: Workload) -> int:
        return 1 if workload.dtype in HALVES and copied(workload) > 1 else 0

    def tile(self, config: Config) -> int:
        return config.int("groups") * GROUP_ROWS

    def space(self, workload: Workload, target: Target) -> ConfigSpace:
        knobs = (
            Knob("groups", (1, 2, 4), "groups of four warps along m, of 64 rows each"),
            Knob("columns", GROUP_COLUMNS, "columns of a block"),
            Knob("stages", (2, 3, 4, 5), "tiles of shared memory, of which all but one are being filled"),
            Knob("split_k", _SPLITS, "blocks that share the sums of one tile"),
            Knob("group_n", (0, 1, 4), "columns of tiles before the next row of tiles; 0 is all of them"),
            *meetings(gpu_facts(target), _SPLITS),
            *asking(gpu_facts(target), self.asked(workload)),
        )
        return ConfigSpace(self.name, knobs, _constraints(gpu_facts(target)))

    def default(self, workload: Workload, target: Target) -> Config:
        """Not measured: a tile of 64 rows for few, and of 128 for more; half a multiprocessor's memory."""
        groups, columns = likely_tile(workload)
        config = Config.of(groups=groups, columns=columns, stages=3, split_k=1, group_n=1)
        gpu = gpu_facts(target)
        return untried(config, *meetings(gpu, _SPLITS), *asking(gpu, self.asked(workload)))

    def schedule(self, workload: Workload, target: Target, config: Config) -> Scheduled:
        s = start(workload)
        s.nest = aligned(s.nest)
        split_product(s, config)
        how = Fill(_threads(gpu_facts(target), config), copied(workload), swizzle=PIECE)
        group_tiles(s, blocks_of(s, config.int("group_n")), ("x", "w"), how, cluster=is_cluster(config))
        pipeline(s, "ko", config.int("stages"))
        if is_asking(config):
            ask_ahead(s, *self.asked(workload))
        return Scheduled.of(s, Walk(self.symbol(workload) or "m", "bm", _NONE, self.tile(config)))


def likely_tile(workload: Workload) -> tuple[int, int]:
    """Groups and columns that a block has without any measurement."""
    m, n = workload.dim("m"), workload.dim("n")
    few = isinstance(m, int) and m <= GROUP_ROWS
    return 1 if few else 2, next((c for c in (128, 64) if isinstance(n, int) and n >= 16 * c), 64)


def split_product(s: Schedule, config: Config, cluster: int = 1) -> None:
    """The loops m, n and k of a product as blocks and rounds of tiles; so many blocks along m, the loop `bc`, are a
    cluster."""
    groups, columns, split_k = config.int("groups"), config.int("columns"), config.int("split_k")
    if cluster > 1:
        split(s, "i_m", cluster * groups * GROUP_ROWS, "bm", "cm")
        split(s, "cm", groups * GROUP_ROWS, "bc", "mt")
    else:
        split(s, "i_m", groups * GROUP_ROWS, "bm", "mt")
    split(s, "i_n", columns, "bn", "nt")
    split(s, "i_k", GROUP_STEPS * split_k, "ko", "kt")
    split(s, "kt", GROUP_STEPS, "bk", "kr")


def group_tiles(
    s: Schedule,
    blocks: Sequence[str],
    operands: Sequence[str],
    how: Fill,
    is_turned: bool = False,
    cluster: bool = False,
    rounds: Sequence[str] = ("ko",),
) -> None:
    """The product of groups of warps out of tiles that their threads fill, in one stage. A tile is rows `mt` by columns
    `nt`, and a round of it the steps `kr`, in the loops `rounds`, of which `bk` are shared among blocks, in a
    `cluster` or in memory. The second operand may be turned: its columns lie side by side."""
    split(s, "mt", GROUP_ROWS, "wg", "mw")
    split(s, "mw", GROUP_ROWS // GROUP_WARPS, "ww", "mr")
    split(s, "mr", 8, "mh", "mg")
    split(s, "nt", 8, "nj", "nc")
    split(s, "nc", 2, "np", "nl")
    shared = [loop.var for loop in loops(s.nest.body, "bk")]
    reorder(s, *blocks, *shared, *rounds, "wg", "nj", "ww", "mg", "np", "mh", "nl", "kr")
    bind(s, LoopKind.BLOCK, *blocks)
    bind(s, LoopKind.WARP, "wg", "ww")
    bind(s, LoopKind.THREAD, "mg", "np")
    unroll(s, "nj", "mh")
    vectorize(s, "nl")
    accumulate(s, inside=blocks[-1])
    fuse_rounds(s, *rounds)
    if shared and s.loop("bk").extent.value != 1:
        split_reduction(s, "bk", cluster)
    rows, columns = operands
    w = cache_read(s, columns, "ko", replace(how, part=GROUP_PART) if is_turned else how)
    x = cache_read(s, rows, "ko", how)
    by_groups(s, x, w, "wg", "kr")


def _threads(gpu: GpuFacts, c: Mapping[str, Value] | Config) -> int:
    return int(c["groups"]) * GROUP_WARPS * gpu.warp


def _shared(c: Mapping[str, Value] | Config) -> int:
    rows, columns = int(c["groups"]) * GROUP_ROWS, int(c["columns"])
    return 2 * int(c["stages"]) * (rows + columns) * GROUP_STEPS + kept_sums(c, rows, columns)


def sums_of_a_thread(c: Mapping[str, Value]) -> int:
    """In pairs."""
    return int(c["columns"]) // 4


def _registers(c: Mapping[str, Value] | Config) -> int:
    return int(c["columns"]) // 2 + 56


def _constraints(gpu: GpuFacts) -> tuple[Constraint, ...]:
    return (
        Constraint("matrix units", "products of groups of warps need sm_90a", lambda c: gpu.warp_groups),
        Constraint("shared", "the stages must fit the shared memory of a block",
                   lambda c: _shared(c) + 1024 <= gpu.shared_per_block),
        evenly_shared(sums_of_a_thread),
        Constraint("resident", "the threads of one block must fit the registers of a multiprocessor",
                   lambda c: _registers(c) * _threads(gpu, c) <= gpu.registers),
    )  # fmt: skip
