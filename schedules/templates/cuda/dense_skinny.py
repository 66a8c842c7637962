"""dense of 16-bit floats for few rows on matrix units: weights go from memory straight into fragments, read once.

    block bn, bm: warp wk, wn: for ko: w, x -> registers; acc[ni, mj] += w[16 rows, 32 of k] x[8 rows, 32 of k]

The weight is the left operand, so a row of x costs a unit an eighth of a tile, where `dense_mma` spends a sixteenth of
one on rows that are not there. Which step of k is which of a fragment does not matter as long as both operands agree:
a lane takes 16 bytes of two rows as they lie, and no shared memory, no exchange and no conversion stands between
memory and the units. Warps share the sums of a tile along k, and add them up once in shared memory. Of batch_matmul it
serves dense layers that read the same rows, each by blocks of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product

from anytile.core.dtypes import HALVES
from anytile.schedules.hardware.gpu import GpuFacts, gpu_facts
from anytile.schedules.hardware.gpu_estimate import Tiling
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, ceildiv, const, minimum, var
from anytile.schedules.nest.mma_operations import K32
from anytile.schedules.nest.nodes import (
    Alloc,
    Barrier,
    Buffer,
    Cast,
    Guard,
    Literal,
    Load,
    Loop,
    LoopKind,
    Scope,
    Stmt,
    Store,
    Tile,
    Update,
    block,
)
from anytile.schedules.nest.simplify import simplify
from anytile.schedules.nest.traverse import around
from anytile.schedules.primitives.gpu.ask_ahead import ask_ahead
from anytile.schedules.primitives.gpu.points import each_by_blocks
from anytile.schedules.primitives.residue import Walk
from anytile.schedules.primitives.schedule import Schedule
from anytile.schedules.primitives.vector_rows import holding, unrolled
from anytile.schedules.templates.base.definition import signature, tail
from anytile.schedules.templates.base.space import Config, ConfigSpace, Constraint, Knob, Value
from anytile.schedules.templates.base.template import Scheduled
from anytile.schedules.templates.cuda.dense_simt import (
    Batched,
    aligned,
    asking,
    is_asking,
    is_stack,
    untried,
    whole,
)
from anytile.schedules.templates.cuda.untuned import Estimated
from anytile.schedules.workloads.workload import Workload

MOST = 32  # rows that a block takes
_ROWS, _COLUMNS = 8, 16  # of an instruction's tile: rows of x, rows of the weight
_OUTER = "i_"  # what the loop of a dimension around the product is called, before its name
_PIECE = 8  # elements of a row that a lane has at once, 16 bytes
_PAD = 4
_ACC, _W, _X, _SUMS, _TOTAL = "i_acc", "i_w", "i_x", "i_sums", "i_total"
_UNROLL = (1, 2, 3, 4, 6)


class DenseCudaSkinny(Estimated):
    """The template of this module."""

    name = "dense.cuda.skinny"
    op = "dense"
    operands = ("x", "w")  # of rows and of columns
    outer: tuple[str, ...] = ()  # loops of blocks around the product
    most_rows = MOST

    def suits(self, workload: Workload) -> int:
        if workload.dtype not in HALVES:
            return 0
        m = workload.dim("m")
        return 4 if isinstance(m, int) and m <= MOST and whole(workload, _PIECE) else 1

    def tile(self, config: Config) -> int:
        return config.int("tile_m") * _ROWS

    def space(self, workload: Workload, target: Target) -> ConfigSpace:
        knobs = (
            Knob("tile_m", (1, 2, 3, 4), "tiles of 8 rows of a block"),
            Knob("tile_n", (1, 2), "tiles of 16 columns of a warp, rows of the weight"),
            Knob("warps_n", (1, 2, 4), "warps of a block along n"),
            Knob("warps_k", (1, 2, 4, 6, 8), "warps that share a sum"),
            Knob("unroll_k", _UNROLL, "pieces of 32 of k that a warp has under way together"),
            *asking(gpu_facts(target), self.asked(workload)),
        )
        return ConfigSpace(self.name, knobs, _constraints(gpu_facts(target)))

    def likely(self, workload: Workload, target: Target) -> Iterator[Config]:
        new = asking(gpu_facts(target), self.asked(workload))
        for tile_m, tile_n, warps_n, warps_k, unroll_k in product((1, 2, 4), (1, 2), (1, 2), (2, 4, 8), (2, 4)):
            config = Config.of(tile_m=tile_m, tile_n=tile_n, warps_n=warps_n, warps_k=warps_k, unroll_k=unroll_k)
            yield untried(config, *new)

    def tiling(self, workload: Workload, target: Target, config: Config) -> Tiling:
        """Units wait for what a warp reads: x comes out of the first-level cache as often as there are warps."""
        gpu = gpu_facts(target)
        tile_m, tile_n, warps_k = config.int("tile_m"), config.int("tile_n"), config.int("warps_k")
        rows, columns = self.tile(config), tile_n * config.int("warps_n") * _COLUMNS
        return Tiling(
            rows=rows, columns=columns, granule=_ROWS, step=K32 * warps_k * config.int("unroll_k"), ahead=1, split=1,
            threads=_threads(gpu, config), registers=_registers(config), shared=_shared(config),
            atoms=gpu.tile_atoms / 2 * 2 * tile_n / (2 * tile_n + tile_m),
            ending=60 + warps_k * rows * columns / 32,
        )  # fmt: skip

    def schedule(self, workload: Workload, target: Target, config: Config) -> Scheduled:
        tile_m, tile_n, unroll_k = (config.int(name) for name in ("tile_m", "tile_n", "unroll_k"))
        warps_n, warps_k, gpu = config.int("warps_n"), config.int("warps_k"), gpu_facts(target)
        m, n, k = (workload.extents[d] for d in ("m", "n", "k"))
        by_rows, by_columns = self.operands
        rows, columns = self.tile(config), tile_n * warps_n * _COLUMNS
        wk, wn, ki, ni, mj, kv = map(var, ("wk", "wn", "ki", "ni", "mj", "kv"))
        group, pair, half, low = map(var, ("mg", "np", "mh", "nl"))

        def by_warps(body: Stmt) -> Stmt:
            return Loop("wk", const(warps_k), LoopKind.WARP, Loop("wn", const(warps_n), LoopKind.WARP, body))

        def by_threads(body: Stmt) -> Stmt:
            return by_warps(Loop("mg", const(8), LoopKind.THREAD, Loop("np", const(4), LoopKind.THREAD, body)))

        def held(name: str, dtype: str, *sizes: int) -> Buffer:
            return Buffer(name, tuple(map(const, (warps_k, warps_n, *sizes))), Scope.REGISTER, dtype)

        step = ((var("ko") * warps_k + wk) * unroll_k + ki) * K32 + pair * _PIECE + kv
        many = whole(workload, _PIECE)

        def read(to: Load, operand: str, row: Expr, end: Expr) -> Stmt:
            """A lane's piece of a row, zeros beyond k; beyond the last row the last one, whose sums nobody stores."""
            at = {"m": minimum(row, end - 1), "n": minimum(row, end - 1), "k": step}
            there = Load(operand, _index(workload, operand, at))
            zero = Store(to.buffer, to.index, Cast(workload.dtype, Literal(0.0)))
            one = Guard((k - 1 - step,), Store(to.buffer, to.index, there), zero)
            return Loop("kv", const(_PIECE), LoopKind.VECTOR if many else LoopKind.UNROLLED, one)

        column = ((ni * warps_n + wn) * 2 + half) * 8 + group
        first_column, first_row = var("bn") * columns, var("bm") * rows
        weights = Load(_W, (wk, wn, ki, ni, half, group, pair, kv))
        vectors = Load(_X, (wk, wn, ki, mj, group, pair, kv))
        fill = block(
            unrolled(
                "ki",
                unroll_k,
                unrolled("ni", tile_n, unrolled("mh", 2, read(weights, by_columns, first_column + column, n))),
            ),
            unrolled("ki", unroll_k, unrolled("mj", tile_m, read(vectors, by_rows, first_row + mj * 8 + group, m))),
        )
        mma = Tile("mma_k32", (Load(_ACC, (wk, wn, ni, mj)), Load(_W, (wk, wn, ki, ni)), Load(_X, (wk, wn, ki, mj))))
        every = unrolled("ki", unroll_k, unrolled("ni", tile_n, unrolled("mj", tile_m, mma)))
        one = holding(
            (
                held(_W, workload.dtype, unroll_k, tile_n, 2, 8, 4, _PIECE),
                held(_X, workload.dtype, unroll_k, tile_m, 8, 4, _PIECE),
            ),
            by_threads(fill),
            by_warps(every),
        )
        acc = Load(_ACC, (wk, wn, ni, mj, group, pair, half, low))

        def each_sum(body: Stmt) -> Stmt:
            for name, size in (("nl", 2), ("mh", 2), ("mj", tile_m), ("ni", tile_n)):
                body = unrolled(name, size, body)
            return by_threads(body)

        sums = Buffer(_SUMS, (const(warps_k), const(rows), const(columns + _PAD)), Scope.SHARED)
        body = holding(
            (sums, held(_ACC, "float32", tile_n, tile_m, 8, 4, 2, 2)),
            each_sum(Store(_ACC, acc.index, Literal(0.0))),
            Loop("ko", ceildiv(k, K32 * warps_k * unroll_k), LoopKind.SERIAL, one),
            each_sum(Store(_SUMS, (wk, mj * 8 + pair * 2 + low, column), acc)),
            Barrier(),
            self._stored(workload, warps_k, (rows, columns), _threads(gpu, config)),
        )
        body = Loop("bn", ceildiv(n, columns), LoopKind.BLOCK, Loop("bm", ceildiv(m, rows), LoopKind.BLOCK, body))
        for loop in self.outer:
            body = each_by_blocks(loop, workload.extents[loop.removeprefix(_OUTER)], body)
        nest = aligned(signature(workload))
        nest = replace(nest, params=tuple(replace(b, streamed=b.name == by_columns) for b in nest.params))
        s = Schedule(nest.with_body(body))
        if is_asking(config):
            ask_ahead(s, *self.asked(workload))
        walk = Walk(self.symbol(workload) or "m", "bm", "mj", rows)
        return Scheduled(simplify(s.nest), (), walk)

    def _stored(self, workload: Workload, warps_k: int, edges: tuple[int, int], threads: int) -> Stmt:
        """The outputs, each by a thread that adds up what the warps found; neighbouring threads have neighbours."""
        (rows, columns), (m, n) = edges, (workload.extents[d] for d in ("m", "n"))
        down = max(1, threads // columns)
        row, column = var("p_turn") * down + var("p_row"), var("p_column")
        here = {"m": var("bm") * rows + row, "n": var("bn") * columns + column}
        at, total, finish = _index(workload, "y", here), Load(_TOTAL, ()), tail(workload)
        stores = (Store("y", at, total),) if finish is None else finish(lambda gate: total, at)
        more = Update(_TOTAL, (), Load(_SUMS, (var("p_part") + 1, row, column)))
        one = Alloc(
            Buffer(_TOTAL, (), Scope.REGISTER),
            block(
                Store(_TOTAL, (), Load(_SUMS, (const(0), row, column))),
                unrolled("p_part", warps_k - 1, more) if warps_k > 1 else None,
                *stores,
            ),
        )
        inside = (m - 1 - here["m"], n - 1 - here["n"], *([rows - 1 - row] if rows % down else []))
        threads_ = (
            Loop("p_row", const(down), LoopKind.THREAD, block()),
            Loop("p_column", const(columns), LoopKind.THREAD, block()),
            Loop("p_turn", const(-(-rows // down)), LoopKind.UNROLLED, block()),
        )
        return around(threads_, Guard(inside, one))


class BatchMatmulCudaSkinny(Batched, DenseCudaSkinny):
    """The same for dense layers that read the same rows."""

    name = "batch_matmul.cuda.skinny"

    def suits(self, workload: Workload) -> int:
        return super().suits(workload) if is_stack(workload) else 0


def _index(workload: Workload, tensor: str, at: Mapping[str, Expr]) -> tuple[Expr, ...]:
    """Where an element of a tensor is, in the order of its dimensions; those around the product are loops."""
    return tuple(at[dim] if dim in at else var(f"{_OUTER}{dim}") for dim in workload.tensor(tensor).dims)


def _threads(gpu: GpuFacts, c: Mapping[str, Value] | Config) -> int:
    return int(c["warps_n"]) * int(c["warps_k"]) * gpu.warp


def _shared(c: Mapping[str, Value] | Config) -> int:
    columns = int(c["tile_n"]) * int(c["warps_n"]) * _COLUMNS + _PAD
    return 4 * int(c["warps_k"]) * int(c["tile_m"]) * _ROWS * columns


def _registers(c: Mapping[str, Value] | Config) -> int:
    """Of a thread: its sums, the pieces that are under way, and addresses."""
    tile_m, tile_n, unroll_k = int(c["tile_m"]), int(c["tile_n"]), int(c["unroll_k"])
    return 4 * tile_m * tile_n + 4 * unroll_k * (2 * tile_n + tile_m) + 48


def _constraints(gpu: GpuFacts) -> tuple[Constraint, ...]:
    return (
        Constraint("matrix units", "products of 16-bit floats on matrix units need sm_80", lambda c: gpu.async_copies),
        Constraint("shared", "the sums of all warps must fit 48 KiB of shared memory",
                   lambda c: _shared(c) <= 48 << 10),
        Constraint("registers", "the sums and pieces of a thread must fit half of its registers: few blocks are few "
                   "loads", lambda c: _registers(c) <= 128),
        Constraint("warps", "two to sixteen warps: one cannot hide latency", lambda c: 2 <= _warps(c) <= 16),
    )  # fmt: skip


def _warps(c: Mapping[str, Value] | Config) -> int:
    return int(c["warps_n"]) * int(c["warps_k"])
