"""Products on a GPU without matrix units: float32, a tile of the output in the registers of a block's threads.

    block bn, bm: for ko: x, w -> shared   thread: acc[ni, mi] += x[m, k..k+3] * w[n, k..k+3]

Both operands have k innermost and lie so in shared memory: a thread reads four steps of k at once of each of its rows
and columns, which are apart by as many as there are lanes along m or n, so that lanes that differ read from different
banks. Copies run ahead in `stages`. Where tiles are few, `split_k` blocks share the sums of one. dense is one product;
batch_matmul is one for each index of a loop of blocks around it, whose operands lie in any order: what has k outside
lies so in shared memory too, and is read one step of k at a time. Where all batches read one matrix of rows, these are
dense layers side by side (`is_stack`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import TypeAlias

from anytile.core.dtypes import BYTES
from anytile.schedules.hardware.gpu import GpuFacts, gpu_facts
from anytile.schedules.hardware.gpu_estimate import Tiling
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.nodes import LoopKind, LoopNest
from anytile.schedules.nest.traverse import each_loop
from anytile.schedules.operators.products.batch_matmul import BATCH_MATMUL
from anytile.schedules.operators.products.gated_dense import gates_of
from anytile.schedules.primitives.accumulate import accumulate
from anytile.schedules.primitives.gpu.ask_ahead import ask_ahead
from anytile.schedules.primitives.gpu.bind import bind, split_reduction
from anytile.schedules.primitives.gpu.pipeline import pipeline
from anytile.schedules.primitives.gpu.points import MOST_BLOCKS, each_by_blocks
from anytile.schedules.primitives.gpu.shared_memory import Fill, cache_read, hold
from anytile.schedules.primitives.loops import fuse, reorder, split, unroll
from anytile.schedules.primitives.residue import Walk
from anytile.schedules.primitives.schedule import Schedule
from anytile.schedules.templates.base.definition import signature, start
from anytile.schedules.templates.base.space import Config, ConfigSpace, Constraint, Knob, Value
from anytile.schedules.templates.base.template import Scheduled
from anytile.schedules.templates.cuda.untuned import Estimated
from anytile.schedules.workloads.workload import Dim, Workload

Knobs: TypeAlias = Mapping[str, Value] | Config
VECTOR = 4  # steps of k that are read at once: 16 bytes
LANES = {"4x8": (4, 8), "8x4": (8, 4)}
SPLITS = (1, 2, 3, 4, 6, 8)
CLUSTERS = (2, 4, 8)  # blocks that share the sums of a tile as a cluster
_TILES = ((1, 2), (1, 4), (2, 2), (2, 4), (4, 4), (8, 4), (4, 8), (8, 8))  # of these one is good untuned
_WARPS = ((1, 2), (1, 4), (2, 1), (2, 2), (2, 4), (4, 2))
_APART = ("b",)  # what a tile of shared memory has one index of
_MOST_GATES = 8
BATCHES = 16  # where their number is not known
_LEAST = 4  # bytes that a copy moves which runs on by itself
PAD = VECTOR  # of a row in shared memory: its length is then an odd number of pieces of 16 bytes


class DenseCudaSimt(Estimated):
    """The template of this module for dense."""

    name = "dense.cuda.simt"
    op = "dense"
    version = 3
    operands = ("x", "w")  # of m and n
    outer: tuple[str, ...] = ()  # loops of blocks around the product
    column = "n"

    def suits(self, workload: Workload) -> int:
        return 2 if workload.dtype == "float32" else 0

    def tile(self, config: Config) -> int:
        return config.int("tile_m") * config.int("warps_m") * LANES[str(config["lanes"])][0]

    def space(self, workload: Workload, target: Target) -> ConfigSpace:
        gpu = gpu_facts(target)
        stages = stages_of(workload, gpu, self.pieces(workload))
        knobs = (
            Knob("tile_m", (1, 2, 4, 8), "rows of a thread"),
            Knob("tile_n", (2, 4, 8), "columns of a thread"),
            Knob("warps_m", (1, 2, 4), "warps of a block along m"),
            Knob("warps_n", (1, 2, 4), "warps of a block along n"),
            Knob("lanes", tuple(LANES), "lanes of a warp along m and n"),
            Knob("block_k", (16, 32), "steps of k in one tile of shared memory"),
            Knob("unroll_k", (1, 2), "times that four steps of k are written out"),
            Knob("stages", stages, "tiles of shared memory, of which all but one are being filled"),
            Knob("split_k", self.splits(workload), "blocks that share the sums of one tile"),
            Knob("group_n", (1, 4), "columns of tiles that are walked before the next row of tiles"),
            *meetings(gpu, self.splits(workload)),
            *asking(gpu, self.asked(workload)),
        )
        return ConfigSpace(self.name, knobs, _constraints(gpu, self.gates(workload)))

    def gates(self, workload: Workload) -> int:
        """Products of one row that a thread makes beside each other, of as many columns each."""
        return 1

    def splits(self, workload: Workload) -> tuple[int, ...]:
        """Blocks that may share the sums of a tile."""
        return SPLITS

    def columns(self, workload: Workload) -> Dim:
        return workload.dim(self.column)

    def likely(self, workload: Workload, target: Target) -> Iterator[Config]:
        gpu, splits = gpu_facts(target), self.splits(workload)
        stages = stages_of(workload, gpu, self.pieces(workload))[-1]
        new = (*meetings(gpu, splits), *asking(gpu, self.asked(workload)))
        for (tile_m, tile_n), (warps_m, warps_n), lanes, split_k in product(_TILES, _WARPS, LANES, splits):
            yield untried(Config.of(
                tile_m=tile_m, tile_n=tile_n, warps_m=warps_m, warps_n=warps_n, lanes=lanes, block_k=32,
                unroll_k=2 if tile_m * tile_n <= 16 else 1, stages=stages, split_k=split_k, group_n=1,
            ), *new)  # fmt: skip

    def pieces(self, workload: Workload) -> dict[str, int]:
        """Of each operand the elements that a copy moves."""
        last = {operand: workload.tensor(operand).dims[-1] for operand in self.operands}
        return {o: VECTOR if dim not in _APART and whole(workload, VECTOR, dim) else 1 for o, dim in last.items()}

    def tiling(self, workload: Workload, target: Target, config: Config) -> Tiling:
        """A thread's rows and columns come out of shared memory: 16 bytes of each for four steps of its tile."""
        tile_m, tile_n = config.int("tile_m"), config.int("tile_n")
        gpu, (rows, columns), gates = gpu_facts(target), _edges(config), self.gates(workload)
        return Tiling(
            rows=rows, columns=columns * gates, granule=rows // tile_m, step=config.int("block_k"),
            ahead=max(1, config.int("stages") - 1), split=config.int("split_k"), threads=_threads(gpu, config),
            registers=_registers(config, gates), shared=_shared(config, gates),
            atoms=gpu.atoms * tile_m * tile_n * gates / (tile_m * tile_n * gates + tile_m + tile_n * gates),
        )  # fmt: skip

    def tile_read(self, s: Schedule, workload: Workload, config: Config, operand: str, how: Fill) -> str:
        """Have what a round of `ko` multiplies of an operand in shared memory; answers its tile there."""
        return cache_read(s, operand, "ko", how)

    def schedule(self, workload: Workload, target: Target, config: Config) -> Scheduled:
        gpu = gpu_facts(target)
        down, across = LANES[str(config["lanes"])]
        warps_m, warps_n, block_k = config.int("warps_m"), config.int("warps_n"), config.int("block_k")
        split_k = config.int("split_k")
        threads = warps_m * warps_n * gpu.warp
        s = start(workload)
        s.nest = aligned(s.nest)
        split(s, "i_m", config.int("tile_m") * warps_m * down, "bm", "mt")
        split(s, "mt", warps_m * down, "mi", "mw")
        split(s, "mw", down, "wm", "ml")
        split(s, "ml", 2, "lm", "lo")
        split(s, f"i_{self.column}", config.int("tile_n") * warps_n * across, "bn", "nt")
        split(s, "nt", warps_n * across, "ni", "nw")
        split(s, "nw", across, "wn", "ln")
        blocks = [*self.outer, *blocks_of(s, config.int("group_n"))]
        split(s, "i_k", block_k * split_k, "ko", "kt")
        split(s, "kt", block_k, "bk", "kj")
        split(s, "kj", VECTOR * config.int("unroll_k"), "kp", "ku")
        split(s, "ku", VECTOR, "ki", "kv")
        gates = ["i_g"] if self.gates(workload) > 1 else []
        reorder(s, *blocks, "bk", "ko", "wm", "wn", "lm", "ln", "lo", "kp", "ki", *gates, "ni", "mi", "kv")
        unroll(s, "ki", *gates, "ni", "mi", "kv")
        bind(s, LoopKind.BLOCK, *blocks)
        bind(s, LoopKind.WARP, "wm", "wn")
        bind(s, LoopKind.THREAD, "lm", "ln", "lo")
        accumulate(s, inside=blocks[-1], gates=gates[0] if gates else None)
        if split_k > 1:
            split_reduction(s, "bk", is_cluster(config))
        pieces = self.pieces(workload)
        fills = {o: fill(s.nest, gpu, o, threads, pieces[o]) for o in reversed(self.operands)}
        w, x = (self.tile_read(s, workload, config, operand, how) for operand, how in fills.items())
        hold(s, x, "ki", ("mi", "kv"), "a", vector="kv")
        hold(s, w, "ni", ("kv",), "b", vector="kv")
        pipeline(s, "ko", config.int("stages"))
        by_blocks_around(s, self.outer)
        if is_asking(config):
            ask_ahead(s, *self.asked(workload))
        symbol = self.symbol(workload)
        walk = Walk(symbol or "m", "bm", "mi", self.tile(config))
        return Scheduled.of(s, walk)


class Batched:
    """What templates of batch_matmul have in common: batches are more rows, or where all read the same rows more
    columns, and tiles enough, but for those of a few layers."""

    op = BATCH_MATMUL.name
    operands = ("lhs", "rhs")
    outer: tuple[str, ...] = ("i_b",)

    def columns(self, workload: Workload) -> Dim:
        n = workload.dim("n")
        return n * batches_of(workload) if _is_wide(workload) and isinstance(n, int) else n

    def products(self, workload: Workload) -> int:
        return 1 if _is_wide(workload) else batches_of(workload)

    def splits(self, workload: Workload) -> tuple[int, ...]:
        return SPLITS if is_stack(workload) else (1,)

    def asked(self, workload: Workload) -> tuple[str, ...]:
        return self.operands[1:] if is_stack(workload) and batches_of(workload) <= MOST_BLOCKS else ()


class BatchMatmulCudaSimt(Batched, DenseCudaSimt):
    """The same for batch_matmul."""

    name = "batch_matmul.cuda.simt"
    version = 3

    def suits(self, workload: Workload) -> int:
        return 2

    def stores(self, workload: Workload) -> bool:
        return True


class GatedDenseCudaSimt(DenseCudaSimt):
    """The same for gated_dense: a thread has the gates of its units, of which the cell is made where they are."""

    name = "gated_dense.cuda.simt"
    op = "gated_dense"
    version = 1
    column = "u"

    def suits(self, workload: Workload) -> int:
        return 2 if 1 < self.gates(workload) <= _MOST_GATES else 0

    def splits(self, workload: Workload) -> tuple[int, ...]:
        return (1,)

    def gates(self, workload: Workload) -> int:
        return gates_of(workload.attributes)

    def columns(self, workload: Workload) -> Dim:
        units = workload.dim(self.column)
        return units * self.gates(workload) if isinstance(units, int) else units


def stages_of(workload: Workload, gpu: GpuFacts, pieces: Mapping[str, int]) -> tuple[int, ...]:
    """Tiles of a round: one where nothing can be under way, as elements of 16 bits one by one cannot."""
    nest = signature(workload)
    return (2, 3, 4) if any(fill(nest, gpu, name, gpu.warp, n).later for name, n in pieces.items()) else (1,)


def by_blocks_around(s: Schedule, loops: Iterable[str]) -> None:
    """Loops of blocks around a product by as many as a grid has there: it has x for the tiles alone."""
    for name in loops:
        s.nest = s.nest.with_body(
            each_loop(s.nest.body, name, lambda loop: each_by_blocks(loop.var, loop.extent, loop.body))
        )


def batches_of(workload: Workload) -> int:
    """The batches of a batch_matmul; a usual number of them where that is not known."""
    b = workload.dim("b")
    return b if isinstance(b, int) else BATCHES


def _is_wide(workload: Workload) -> bool:
    return "b" not in workload.tensor("lhs").dims and isinstance(workload.dim("n"), int)


def is_stack(workload: Workload) -> bool:
    """Whether a batch_matmul is a known number of dense layers that read the same rows."""
    if not isinstance(workload.dim("b"), int):
        return False
    dims = ["".join(workload.tensor(name).dims) for name in ("lhs", "rhs", "y")]
    return dims == ["mk", "bnk", "bmn"]


def blocks_of(s: Schedule, group_n: int) -> list[str]:
    """The loops of blocks in the order in which they start: rows of tiles first, all columns (0), or by `group_n`."""
    if group_n == 0:
        return ["bm", "bn"]
    if group_n == 1:
        return ["bn", "bm"]
    split(s, "bn", group_n, "gn", "bg")
    return ["gn", "bm", "bg"]


def fuse_rounds(s: Schedule, *names: str) -> None:
    """The loops of a product's rounds, one right inside the other, as one, `ko`, which is what a single one is called.

    It is for after `accumulate`, to which a condition without a loop of the reduction is one on results: where a
    convolution has a single tap, fused loops leave no trace of it in what is padding."""
    *outer, fused = names
    for name in reversed(outer):
        fused = fuse(s, name, fused, "ko")


def whole(workload: Workload, vector: int, dim: str = "k") -> bool:
    """Whether every row of operands whose last dimension is this one begins at a multiple of so many elements."""
    size = workload.dim(dim)
    return isinstance(size, int) and size % vector == 0


def fill(nest: LoopNest, gpu: GpuFacts, operand: str, threads: int, vector: int) -> Fill:
    """How a tile of an operand is filled, in pieces of so many elements; too small ones are moved at once."""
    later = gpu.async_copies and vector * BYTES[nest.param(operand).dtype] >= _LEAST
    return Fill(threads, vector, later, PAD)


def aligned(nest: LoopNest) -> LoopNest:
    """The nest with operands that begin at multiples of 16 bytes, as every allocation does."""
    return replace(nest, params=tuple(replace(b, align=16) for b in nest.params))


def meetings(gpu: GpuFacts, splits: Sequence[int]) -> tuple[Knob, ...]:
    """The knob of where blocks put their sums together, where a GPU has more than one place for that."""
    places = ("memory", "cluster")
    return (Knob("meeting", places, "where blocks that share sums do"),) if gpu.clusters and max(splits) > 1 else ()


def asking(gpu: GpuFacts, operands: Sequence[str]) -> tuple[Knob, ...]:
    """The knob of whether blocks ask ahead for such operands, if there are any, where kernels may begin early."""
    doc = "whether blocks ask for their first rounds of the weight before what was launched before is over"
    return (Knob("ahead", (0, 1), doc, unsaid=0),) if gpu.early_launches and operands else ()


def untried(config: Config, *knobs: Knob) -> Config:
    """A config without these knobs as one with them: nobody has measured their last values, so a search tries them."""
    return config.with_(**{knob.name: knob.values[0] for knob in knobs})


def is_asking(c: Knobs) -> bool:
    """Whether blocks ask ahead for what streams past them."""
    return dict(c.values if isinstance(c, Config) else c).get("ahead") == 1


def is_cluster(c: Knobs) -> bool:
    """Whether the blocks that share the sums of a tile are a cluster."""
    return dict(c.values if isinstance(c, Config) else c).get("meeting") == "cluster"


def kept_sums(c: Knobs, rows: int, columns: int) -> int:
    """Bytes of shared memory for a tile of sums that others read."""
    return 4 * rows * columns if is_cluster(c) else 0


def evenly_shared(sums: Callable[[Mapping[str, Value]], int]) -> Constraint:
    """Of a cluster each block adds up as many of the sums that a thread has as the others."""

    def holds(c: Mapping[str, Value]) -> bool:
        return not is_cluster(c) or (int(c["split_k"]) in CLUSTERS and sums(c) % int(c["split_k"]) == 0)

    return Constraint("meeting", "blocks of a cluster divide evenly what a thread has", holds)


def _edges(c: Knobs) -> tuple[int, int]:
    """Rows and columns of a block's tile."""
    down, across = LANES[str(c["lanes"])]
    return int(c["tile_m"]) * int(c["warps_m"]) * down, int(c["tile_n"]) * int(c["warps_n"]) * across


def _threads(gpu: GpuFacts, c: Knobs) -> int:
    return int(c["warps_m"]) * int(c["warps_n"]) * gpu.warp


def _shared(c: Knobs, gates: int = 1) -> int:
    rows, columns = _edges(c)
    tiles = 4 * int(c["stages"]) * (rows + columns * gates) * (int(c["block_k"]) + PAD)
    return tiles + kept_sums(c, rows, columns * gates)


def _registers(c: Knobs, gates: int = 1) -> int:
    tile_m, tile_n = int(c["tile_m"]), int(c["tile_n"])
    return tile_m * tile_n * gates + VECTOR * (tile_m + 1) + 40


def _constraints(gpu: GpuFacts, gates: int) -> tuple[Constraint, ...]:
    def fills(c: Mapping[str, Value]) -> bool:
        each, (rows, columns) = int(c["block_k"]) // VECTOR, _edges(c)
        return all(size % min(size, _threads(gpu, c) // each) == 0 for size in (rows, columns * gates))

    def shaped(c: Mapping[str, Value]) -> bool:
        rows, columns = _edges(c)
        return rows <= 2 * columns and columns <= 8 * rows

    return (
        Constraint("shared", "the stages must fit the shared memory of a block",
                   lambda c: _shared(c, gates) <= gpu.shared_per_block),
        Constraint("registers", "the tile of a thread must fit its registers",
                   lambda c: _registers(c, gates) <= gpu.registers_per_thread),
        Constraint("resident", "the threads of one block must fit the registers of a multiprocessor",
                   lambda c: _registers(c, gates) * _threads(gpu, c) <= gpu.registers),
        evenly_shared(lambda c: int(c["tile_m"]) * int(c["tile_n"])),
        Constraint("fill", "threads fill a tile in whole rounds", fills),
        Constraint("warps", "two to eight warps: one cannot hide latency, and more wait for each other too long",
                   lambda c: 64 <= _threads(gpu, c) <= 256),
        Constraint("shape", "a tile more than twice as high as wide, or eight times as wide as high, reads too much",
                   shaped),
        Constraint("code", "small tiles are written out twice, large ones once",
                   lambda c: (int(c["unroll_k"]) > 1) == (int(c["tile_m"]) * int(c["tile_n"]) <= 16)),
    )  # fmt: skip
