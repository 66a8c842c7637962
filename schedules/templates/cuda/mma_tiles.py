"""Products on the matrix units of a GPU, as templates share them: tiles in shared memory, fragments in registers.

    block bn, bm: for ko: x, w -> shared   warp: for ki: a, b -> fragments; acc[mi, nj] += a[mi] * b[nj]

Tiles of shared memory are filled several rounds ahead, and swizzled so that the eight rows that a matrix load reads lie
in different banks. A warp holds tiles of 16 rows by 16 columns, as many as `tile_m` by `tile_n` says. Where tiles are
few, `split_k` blocks share the sums of one. Which loops of an operator are the rows, columns and steps of such a
product its template says (`split_tiles`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Protocol, TypeAlias

from anytile.schedules.hardware.gpu import GpuFacts, gpu_facts
from anytile.schedules.hardware.gpu_estimate import Tiling
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.nodes import LoopKind
from anytile.schedules.primitives.accumulate import accumulate
from anytile.schedules.primitives.gpu.ask_ahead import ask_ahead
from anytile.schedules.primitives.gpu.bind import bind, split_reduction
from anytile.schedules.primitives.gpu.pipeline import pipeline
from anytile.schedules.primitives.gpu.shared_memory import Fill, cache_read
from anytile.schedules.primitives.gpu.tensorize import Roles, tensorize
from anytile.schedules.primitives.loops import reorder, split, unroll, vectorize
from anytile.schedules.primitives.residue import Walk
from anytile.schedules.primitives.schedule import Schedule
from anytile.schedules.templates.base.definition import start
from anytile.schedules.templates.base.space import Config, ConfigSpace, Constraint, Knob, Value
from anytile.schedules.templates.base.template import Scheduled, Template
from anytile.schedules.templates.cuda.dense_simt import (
    aligned,
    asking,
    blocks_of,
    by_blocks_around,
    evenly_shared,
    fuse_rounds,
    is_asking,
    is_cluster,
    kept_sums,
    meetings,
    untried,
)
from anytile.schedules.workloads.workload import Dim, Workload

Knobs: TypeAlias = Mapping[str, Value] | Config
EDGE = 16  # rows and columns of a warp's smallest tile, and its steps of k
PIECE_BYTES = 16  # that are copied at once
_LEAST = 4  # bytes that a copy moves which runs on by itself
_LINE = 128  # bytes that shared memory gives at once
SPLITS = (1, 2, 3, 4, 6, 8)
_TILES = ((1, 1), (1, 2), (2, 1), (2, 2), (2, 4), (4, 2), (4, 4))  # of these and of `_WARPS` one is good untuned
_WARPS = ((1, 2), (1, 4), (2, 1), (2, 2), (2, 4), (4, 2))
_ROLES = Roles("ki", rows="mi", pairs="nj", fragment="nf", group="mg", pair="np", half="mh", low="nl", depth="kr")


class MatrixTiles(Template, Protocol):
    """What templates for matrix units are made of."""

    operands: tuple[str, str]  # of rows and of columns
    outer: tuple[str, ...] = ()  # loops of blocks around the product
    rounds: tuple[str, ...] = ("ko",)  # loops of rounds
    items: tuple[int, int] = (2, 2)  # bytes of an element of both
    depths: tuple[int, ...] = (32, 64)  # steps of k in one tile of shared memory
    rate: float = 1.0  # of the units, against that of 16 bits
    reading: float = 1.0  # what a fragment costs beside its products, of one of them
    split_registers: int = 0  # that a fragment takes beside itself
    fill_registers: int = 0  # that a thread keeps to fill tiles, beside a few

    @property
    def kind(self) -> str:
        return "cuda"

    def pieces(self, workload: Workload) -> tuple[int, ...]:
        """Elements of a row of each operand that are copied at once."""
        ...

    def is_turned(self, workload: Workload) -> bool:
        """Whether columns are the last dimension of the second operand: steps of k are then the rows of its tile."""
        return False

    def splits(self, workload: Workload) -> tuple[int, ...]:
        """Blocks that may share the sums of a tile."""
        return SPLITS

    def asked(self, workload: Workload) -> tuple[str, ...]:
        """What blocks may ask for ahead."""
        return ()

    def split_tiles(self, s: Schedule, workload: Workload, config: Config) -> Walk | None:
        """Make the loops of a product of an operator's: blocks `bm` and `bn`, in them rows `mt` and columns `nt`,
        `rounds` of `bk` parts, and in one its steps `kj`. Of rows whose rests are specialised, how they walk."""
        ...

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
            Knob("split_k", self.splits(workload), "blocks that share the sums of one tile"),
            Knob("group_n", (1, 4), "columns of tiles that are walked before the next row of tiles"),
            *meetings(gpu, self.splits(workload)),
            *asking(gpu, self.asked(workload)),
        )
        return ConfigSpace(self.name, knobs, self._constraints(gpu))

    def likely(self, workload: Workload, target: Target) -> Iterator[Config]:
        gpu, splits, stages = gpu_facts(target), self.splits(workload), 4 if self.copies_later(workload) else 1
        each = product(_TILES, _WARPS, self.depths, splits)
        new = (*meetings(gpu, splits), *asking(gpu, self.asked(workload)))
        for (tile_m, tile_n), (warps_m, warps_n), block_k, split_k in each:
            yield untried(Config.of(
                tile_m=tile_m, tile_n=tile_n, warps_m=warps_m, warps_n=warps_n, block_k=block_k, stages=stages,
                split_k=split_k, group_n=1,
            ), *new)  # fmt: skip

    def tile_of(self, target: Target, config: Config) -> Tiling:
        """Fragments come out of shared memory as fast as the units take them where a warp has 2 by 2 tiles of them."""
        tile_m, tile_n = config.int("tile_m"), config.int("tile_n")
        gpu, read = gpu_facts(target), self.reading * (tile_m + tile_n)
        return Tiling(
            rows=rows_of(config), columns=tile_n * config.int("warps_n") * EDGE,
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
        walk = self.split_tiles(s, workload, config)
        split(s, "mt", warps_m * EDGE, "mi", "mw")
        split(s, "mw", EDGE, "wm", "mr")
        split(s, "mr", EDGE // 2, "mh", "mg")
        split(s, "nt", warps_n * EDGE, "nj", "nw")
        split(s, "nw", EDGE, "wn", "nr")
        split(s, "nr", EDGE // 2, "nf", "nc")
        split(s, "nc", 2, "np", "nl")
        split(s, "kj", EDGE, "ki", "kr")
        blocks = [*self.outer, *blocks_of(s, config.int("group_n"))]
        reorder(s, *blocks, "bk", *self.rounds, "wm", "wn", _ROLES.step, *_ROLES.inner)
        bind(s, LoopKind.BLOCK, *blocks)
        bind(s, LoopKind.WARP, "wm", "wn")
        bind(s, LoopKind.THREAD, "mg", "np")
        unroll(s, "ki", "mi", "nj", "nf", "mh")
        vectorize(s, "nl")
        accumulate(s, inside=blocks[-1])
        fuse_rounds(s, *self.rounds)
        if split_k > 1:
            split_reduction(s, "bk", is_cluster(config))
        later, lengths = self.copies_later(workload), [block_k, block_k]
        if self.is_turned(workload):
            lengths[1] = columns_of(config)
        fills = zip(self.operands, self.pieces(workload), lengths, self.items, strict=True)
        w, x = (
            self.tile_read(
                s, workload, config, operand, Fill(_threads(gpu, config), piece, later, *self._apart(length, item))
            )
            for operand, piece, length, item in reversed(tuple(fills))
        )
        tensorize(s, x, w, _ROLES)
        pipeline(s, "ko", config.int("stages"))
        by_blocks_around(s, self.outer)
        if is_asking(config):
            ask_ahead(s, *self.asked(workload))
        return Scheduled.of(s, walk)

    def tile_read(self, s: Schedule, workload: Workload, config: Config, operand: str, how: Fill) -> str:
        """Have what a round of `ko` multiplies of an operand in shared memory; answers its tile there."""
        return cache_read(s, operand, "ko", how)

    def copies_later(self, workload: Workload) -> bool:
        """Whether what is copied at once is enough for a copy that runs on by itself."""
        return all(n * item >= _LEAST for n, item in zip(self.pieces(workload), self.items, strict=True))

    def _apart(self, length: int, item: int) -> tuple[int, int]:
        """Elements between two rows of a tile in shared memory, and of how many pieces the order changes in a row."""
        return 0, min(_LINE, length * item) // PIECE_BYTES

    def _shared(self, c: Knobs) -> int:
        depth = int(c["block_k"])
        rows = zip(_edges(c), self.items, strict=True)
        tiles = sum(edge * item * (depth + self._apart(depth, item)[0]) for edge, item in rows)
        return int(c["stages"]) * tiles + kept_sums(c, *_edges(c))

    def _registers(self, c: Knobs) -> int:
        tile_m, tile_n = int(c["tile_m"]), int(c["tile_n"])
        return 8 * tile_m * tile_n + (4 + self.split_registers) * (tile_m + tile_n) + 48 + self.fill_registers

    def _constraints(self, gpu: GpuFacts) -> tuple[Constraint, ...]:
        def fills(c: Mapping[str, Value]) -> bool:
            pieces = [int(c["block_k"]) * item // PIECE_BYTES for item in self.items]
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
            evenly_shared(lambda c: 4 * int(c["tile_m"]) * int(c["tile_n"])),  # pairs of each tile of a warp
            Constraint("fill", "threads fill a tile in whole rounds", fills),
            Constraint("warps", "two to eight warps: one cannot hide latency, and more wait for each other too long",
                       lambda c: 64 <= _threads(gpu, c) <= 256),
            Constraint("shape", "a tile more than twice as high as wide, or eight times as wide as high, reads too "
                       "much", shaped),
        )  # fmt: skip


def at_once(row: Dim, item: int) -> int:
    """Elements of so many bytes that are copied at once where rows are so long, and lie one behind the other."""
    sizes = (n for n in (PIECE_BYTES, 8, 4) if isinstance(row, int) and n > item and row * item % n == 0)
    return next((n // item for n in sizes), 1)


def rows_of(c: Knobs) -> int:
    """Rows of a block's tile."""
    return int(c["tile_m"]) * int(c["warps_m"]) * EDGE


def columns_of(c: Knobs) -> int:
    return int(c["tile_n"]) * int(c["warps_n"]) * EDGE


def _edges(c: Knobs) -> tuple[int, int]:
    return rows_of(c), columns_of(c)


def _threads(gpu: GpuFacts, c: Knobs) -> int:
    return int(c["warps_m"]) * int(c["warps_n"]) * gpu.warp
