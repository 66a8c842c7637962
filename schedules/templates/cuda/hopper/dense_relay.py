"""Products of 16-bit floats on Hopper, warp-specialised: one thread copies tiles in bulk, groups of warps multiply.

    block bn, bm: relay ko: x, w -> shared   to group wg: acc += x[64, 64] w[columns, 64]

Against `dense_wgmma` no thread that multiplies copies, waits for all others or counts addresses: stages are handed over
by mbarriers, and what of a tile lies outside is zero without a check, so any m, n and k is served by one kernel. With
`resident` blocks that stay, stages are filled for the next tile while sums are stored, by the threads that have them,
or with `stores` through shared memory, as whole boxes. Two blocks that are a `cluster` copy half of the weight's tile
each, for both. Nothing estimates its configs, so no untuned plan has them: it is for a search, which measures.

dense is one product; batch_matmul is one for each index of a loop of blocks around it, of boxes of three dimensions:
operands lie in any order that has k last, or of the columns n.
"""

from __future__ import annotations

from collections.abc import Mapping

from anytile.core.dtypes import BYTES, HALVES
from anytile.schedules.hardware.gpu import GpuFacts, gpu_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.mma_operations import GROUP_COLUMNS, GROUP_PART, GROUP_ROWS, GROUP_STEPS, GROUP_WARPS
from anytile.schedules.operators.products.batch_matmul import BATCH_MATMUL
from anytile.schedules.primitives.gpu.ask_ahead import ask_ahead
from anytile.schedules.primitives.gpu.deliver import BOX_ROW, deliver
from anytile.schedules.primitives.gpu.relay import persist, relay
from anytile.schedules.primitives.gpu.shared_memory import Fill
from anytile.schedules.primitives.loops import split
from anytile.schedules.primitives.schedule import Schedule
from anytile.schedules.templates.base.definition import start
from anytile.schedules.templates.base.space import Config, ConfigSpace, Constraint, Knob, Value
from anytile.schedules.templates.base.template import Scheduled, Template, symbol_of
from anytile.schedules.templates.cuda.dense_mma import copied
from anytile.schedules.templates.cuda.dense_simt import (
    aligned,
    asking,
    evenly_shared,
    is_asking,
    is_cluster,
    is_stack,
    kept_sums,
    meetings,
    untried,
)
from anytile.schedules.templates.cuda.hopper.dense_wgmma import (
    PIECE,
    group_tiles,
    likely_tile,
    split_product,
    sums_of_a_thread,
)
from anytile.schedules.templates.cuda.mma_tiles import at_once
from anytile.schedules.workloads.workload import Any, Workload

_FILLERS = GROUP_WARPS  # warps, of which one thread copies


class DenseCudaRelay(Template):
    """The template of this module for dense, and what those of other products have of it."""

    name = "dense.cuda.relay"
    version = 2
    op = "dense"
    kind = "cuda"
    operands = ("x", "w")  # of rows and of columns
    outer: tuple[str, ...] = ()  # dimensions around the product
    walked = ("m", "n")  # dimensions of tiles: of rows, and of columns
    rounds: tuple[str, ...] = ("ko",)  # loops of them
    splits: tuple[int, ...] = (1, 2, 4, 8)

    def suits(self, workload: Workload) -> int:
        n, k = workload.dim("n"), workload.dim("k")
        known = isinstance(n, int) and isinstance(k, int) and k > 0  # blocks that stay count tiles, and rounds of each
        return 1 if known and workload.dtype in HALVES and copied(workload) == PIECE else 0

    def stores(self, workload: Workload) -> bool:
        return not workload.anchor.stored

    def is_turned(self, workload: Workload) -> bool:
        """Whether columns are the last dimension of the second operand."""
        return False

    def asked(self, workload: Workload) -> tuple[str, ...]:
        """What blocks may ask for ahead."""
        return self.operands[1:]

    def symbol(self, workload: Workload) -> str | None:
        return symbol_of(workload.dim("m"))

    def tile(self, config: Config) -> int:
        return 1  # no residue has a kernel of its own: rows that are not there are zeros

    def space(self, workload: Workload, target: Target) -> ConfigSpace:
        knobs = (
            Knob("groups", (1, 2), "groups of four warps along m, of 64 rows each"),
            Knob("columns", GROUP_COLUMNS, "columns of a block"),
            Knob("stages", (2, 3, 4, 5, 6, 8), "tiles of shared memory, of which all but one are being filled"),
            Knob("behind", (0, 1), "rounds whose products are under way while the next one's begin"),
            Knob("split_k", self.splits, "blocks that share the sums of one tile"),
            Knob("group_m", (1, 4, 16), "rows of tiles that are walked before the next column of tiles"),
            Knob("resident", (0, 1, 2), "blocks of a multiprocessor that stay; 0 is one for each tile"),
            Knob("cluster", (1, 2), "blocks along m that share what they copy of the weight"),
            *meetings(gpu_facts(target), self.splits),
            Knob("stores", (0, 1, 2), "boxes of a group's results under way to memory; 0 is that threads store them"),
            *asking(gpu_facts(target), self.asked(workload)),
        )
        return ConfigSpace(self.name, knobs, self._constraints(workload, gpu_facts(target)))

    def default(self, workload: Workload, target: Target) -> Config:
        """Not measured: a tile of 64 rows for few, and of 128 for more."""
        groups, columns = likely_tile(workload)
        resident = int(self._counts_tiles(workload))
        config = Config.of(
            groups=groups, columns=columns, stages=4, behind=0, split_k=1, group_m=1, resident=resident, cluster=1,
            stores=0,
        )  # fmt: skip
        gpu = gpu_facts(target)
        return untried(config, *meetings(gpu, self.splits), *asking(gpu, self.asked(workload)))

    def schedule(self, workload: Workload, target: Target, config: Config) -> Scheduled:
        gpu, resident, cluster = gpu_facts(target), config.int("resident"), config.int("cluster")
        s = start(workload)
        s.nest = aligned(s.nest)
        self.split_tiles(s, config)
        blocks, around = _rows_first(s, config.int("group_m"), cluster), [f"i_{name}" for name in self.outer]
        if resident and isinstance(workload.dim(self.walked[0]), Any):  # whose loop is then the outermost
            blocks[1:1] = around
        else:
            blocks[:0] = around
        how = Fill(GROUP_WARPS * gpu.warp, PIECE, swizzle=PIECE)
        group_tiles(s, blocks, self.operands, how, self.is_turned(workload), is_cluster(config), self.rounds)
        if resident:
            persist(s, resident * gpu.multiprocessors // cluster * cluster)
        if config.int("stores"):
            deliver(s, "wg", "nj", config.int("stores"))
        relay(s, "ko", config.int("stages"), bool(config.int("behind")), cluster)
        if is_asking(config):
            ask_ahead(s, *self.asked(workload))
        return Scheduled.of(s)

    def split_tiles(self, s: Schedule, config: Config) -> None:
        """The loops of tiles: blocks `bm` of rows, of which a cluster has `bc`, and `bn` of columns."""
        split_product(s, config, config.int("cluster"))

    def _counts_tiles(self, workload: Workload) -> bool:
        """Whether tiles are as many along all dimensions but one as they were when the kernel was made."""
        *most, columns = (workload.dim(name) for name in (*self.outer, *self.walked))
        return not isinstance(columns, Any) and sum(isinstance(size, Any) for size in most) <= 1

    def _constraints(self, workload: Workload, gpu: GpuFacts) -> tuple[Constraint, ...]:
        (y,), columns = workload.outputs, workload.dim(self.walked[1])
        item = BYTES[workload.dtype_of(y)]
        in_boxes = isinstance(columns, int) and columns * item % 16 == 0 and y.dims[-1] == self.walked[1]
        counts_tiles, is_turned = self._counts_tiles(workload), self.is_turned(workload)
        return (
            Constraint("matrix units", "products of groups of warps need sm_90a", lambda c: gpu.warp_groups),
            Constraint("shared", "the stages of all blocks that stay must fit the shared memory of a multiprocessor",
                       lambda c: (_shared(c) + 1024 <= gpu.shared_per_block
                                  and int(c["resident"]) * (_shared(c) + 2048) <= gpu.shared)),
            Constraint("turned", f"columns that lie side by side are multiplied by {GROUP_PART} at least",
                       lambda c: not is_turned or int(c["columns"]) >= GROUP_PART),
            evenly_shared(sums_of_a_thread),
            Constraint("split", "a block that stays has whole sums",
                       lambda c: not c["resident"] or c["split_k"] == 1),
            Constraint("tiles", "blocks that stay count tiles, of which one dimension alone may be known at run time",
                       lambda c: not c["resident"] or counts_tiles),
            Constraint("cluster", "blocks of a cluster have whole sums, and those that stay are a cluster at least",
                       lambda c: c["cluster"] == 1 or (c["split_k"] == 1
                                                       and int(c["resident"]) * gpu.multiprocessors != 1)),
            Constraint("stores", "boxes are of whole sums in rows of 128 bytes, rows of the output of whole 16 bytes",
                       lambda c: not c["stores"] or (in_boxes and c["split_k"] == 1
                                                     and int(c["columns"]) * item % BOX_ROW == 0)),
            Constraint("resident", "two blocks that stay must fit the registers of a multiprocessor",
                       lambda c: int(c["resident"]) * _threads(gpu, c) * (int(c["columns"]) // 2 + 40) <= gpu.registers
                       or int(c["resident"]) < 2),
        )  # fmt: skip


class BatchMatmulCudaRelay(DenseCudaRelay):
    """The same for batch_matmul. Rows have k last, columns k or n. Batches are tiles enough: none is split along k."""

    name = "batch_matmul.cuda.relay"
    op = BATCH_MATMUL.name
    operands = ("lhs", "rhs")
    outer = ("b",)
    splits = (1,)

    def is_turned(self, workload: Workload) -> bool:
        return workload.tensor("rhs").dims[-1] == "n"

    def asked(self, workload: Workload) -> tuple[str, ...]:
        return self.operands[1:] if is_stack(workload) else ()

    def suits(self, workload: Workload) -> int:
        lhs, rhs = (workload.tensor(operand).dims[-1] for operand in self.operands)
        if lhs != "k" or rhs not in ("k", "n") or workload.dtype not in HALVES:
            return 0
        return int(all(at_once(workload.dim(last), BYTES[workload.dtype]) == PIECE for last in (lhs, rhs)))


def _rows_first(s: Schedule, group_m: int, cluster: int) -> list[str]:
    """The loops of blocks so that so many rows of tiles are walked before the next column, those of a cluster first."""
    together = ["bc"] if cluster > 1 else []
    if group_m <= cluster:
        return ["bm", "bn", *together]
    split(s, "bm", group_m // cluster, "gm", "bg")
    return ["gm", "bn", "bg", *together]


def _shared(c: Mapping[str, Value] | Config) -> int:
    rows = int(c["groups"]) * GROUP_ROWS
    stages = int(c["stages"]) * (2 * (rows + int(c["columns"])) * GROUP_STEPS + 16)
    return stages + int(c["stores"]) * rows * BOX_ROW + kept_sums(c, rows, int(c["columns"]))


def _threads(gpu: GpuFacts, c: Mapping[str, Value] | Config) -> int:
    return (int(c["groups"]) * GROUP_WARPS + _FILLERS) * gpu.warp
