"""attention on a GPU in one kernel: scores never leave a multiprocessor, tile after tile of keys (flash attention).

    block i_b, i_h, bm, bk: for ks: keys -> shared;  s = q . k;  p, factor = online softmax;  o = o * factor + p . v

A block has some queries of one head. The keys of the next tile are copied while the values are multiplied, the values
while the scores are, so one tile of each is enough. Where queries are few, `split` blocks share the keys of one, and
the one that comes last puts their means together. What multiplies is in `attention_products`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import gcd
from typing import ClassVar

from anytile.core.dtypes import BYTES
from anytile.schedules.hardware.gpu import GpuFacts
from anytile.schedules.index.expr import Expr, ceildiv, const, minimum, var
from anytile.schedules.nest.nodes import (
    Barrier,
    Buffer,
    Cast,
    Commit,
    Copy,
    Guard,
    Last,
    Literal,
    Load,
    Loop,
    LoopKind,
    LoopNest,
    Op,
    Scope,
    Stmt,
    Store,
    Update,
    Value,
    Wait,
    block,
)
from anytile.schedules.nest.traverse import around, guarded
from anytile.schedules.primitives.gpu.points import each_by_blocks
from anytile.schedules.primitives.gpu.row_scores import LEAST, NOTHING, POWERS_OF_E, WARP, RowScores
from anytile.schedules.primitives.vector_rows import holding, unrolled
from anytile.schedules.templates.cpu.fused.attention_places import Places
from anytile.schedules.templates.cuda.dense_simt import aligned
from anytile.schedules.workloads.workload import Workload

QUERIES, KEYS, VALUES = "q_tile", "k_tile", "v_tile"
SCORES, WEIGHTS, FACTOR, SUMS = "i_scores", "i_weights", "i_factor", "i_o"
_PART, _TOPS, _TOTALS = "i_parts", "i_tops", "i_totals"
_STEP, _SPLIT = "ks", "bk"
_PIECE = 16  # bytes that are copied at once


Each = Callable[[Callable[[Expr, Expr, Load], Stmt]], Stmt]  # a body of each product: its row, its column, where it is


@dataclass(frozen=True)
class Block(ABC):
    """What a block does, by the config's numbers of `tile_m` by `tile_n` tiles of `warps_m` by `warps_n` warps."""

    workload: Workload
    gpu: GpuFacts
    tile_m: int
    tile_n: int
    warps_m: int
    warps_n: int
    split: int
    cluster: bool = False  # whether the blocks that share keys are one

    down: ClassVar[int]  # rows and columns of a warp's smallest tile
    across: ClassVar[int]
    rounds: ClassVar[bool]  # weights to the type that came, before they are multiplied

    # ---- Sizes

    @abstractmethod
    def pad(self, dtype: str) -> int:
        """Elements of a row in shared memory, so that threads that read a column meet in no bank."""

    def lying(self, operand: str) -> str:
        """The dtype of an operand in memory, and so of its tile."""
        return self.workload.dtype_of(self.workload.tensor(operand))

    @property
    def d(self) -> int:
        return self.workload.extents["d"].value or 0

    @property
    def e(self) -> int:
        return self.workload.extents["e"].value or 0

    @property
    def warps(self) -> int:
        return self.warps_m * self.warps_n

    @property
    def threads(self) -> int:
        return self.warps * self.gpu.warp

    @property
    def rows(self) -> int:
        return self.tile_m * self.warps_m * self.down

    @property
    def keys(self) -> int:
        return self.tile_n * self.warps_n * self.across

    @property
    @abstractmethod
    def deep(self) -> int:
        """Steps of d, zeros among them that fill a tile."""

    @property
    @abstractmethod
    def columns(self) -> int:
        """Of a tile of values that a warp takes at once."""

    @property
    def tiles_e(self) -> int:
        return -(-self.e // (self.columns * self.warps_n))

    @property
    def wide(self) -> int:
        return self.tiles_e * self.columns * self.warps_n

    def buffers(self) -> tuple[Buffer, ...]:
        """In shared memory."""

        def shared(name: str, rows: int, columns: int, dtype: str) -> Buffer:
            return Buffer(name, (const(rows), const(columns)), Scope.SHARED, dtype)

        q, k, v = map(self.lying, "qkv")
        return (
            shared(QUERIES, self.rows, self.deep + self.pad(q), q),
            shared(KEYS, self.keys, self.deep + self.pad(k), k),
            shared(VALUES, self.keys, self.wide + (self.pad(v) if self.rounds else 0), v),
            shared(SCORES, self.rows, self.keys + 8, "float32"),
            *([shared(WEIGHTS, self.rows, self.keys + self.pad(v), v)] if self.rounds else []),
            Buffer(FACTOR, (const(self.rows),), Scope.SHARED),
        )

    @property
    def shared(self) -> int:
        return sum(BYTES[b.dtype] * _count(b) for b in self.buffers()) + (4 * self._given if self.cluster else 0)

    @property
    def _given(self) -> int:
        """Numbers that a block of a cluster has of all of them."""
        by, (down, across), rounds = dict(self.along), self._edge, dict(self._turns())
        rows = self.split * down * -(-rounds["p_out_turn"] // by.get("p_out_turn", 1))
        return rows * (2 + across * -(-self._steps // by.get("p_out_step", 1)))

    @property
    def _steps(self) -> int:
        """Those of a row of sums, of which the last may be columns that fill a tile."""
        return -(-self.wide // self._edge[1])

    @property
    @abstractmethod
    def registers(self) -> int:
        """Of a thread."""

    @property
    def of_rows(self) -> int:
        """The registers of the softmax: of each row that a lane has its top, a sum and what a tile makes of them."""
        return 3 * self._softmax(1.0).each

    # ---- What it does

    def _softmax(self, unit: float) -> RowScores:
        named = {b.name: b for b in self.buffers()}
        return RowScores(self.warps, self.rows, self.keys, named[SCORES], named[FACTOR], self.weights, unit)

    @abstractmethod
    def sums(self) -> Buffer:
        """The registers of the outputs, which outlive a tile."""

    @abstractmethod
    def scored(self, made: Callable[[Each], Stmt]) -> Stmt:
        """The scores: products of queries and keys, of which `made` makes them, given what does something to each."""

    @abstractmethod
    def weighted(self) -> Stmt:
        """The sums so far times their factors, and the products of weights and values."""

    @abstractmethod
    def each(self, body: Callable[[Expr, Expr, Load], Stmt], vector: bool = True) -> Stmt:
        """`body(row, column, sum)` of each output of a thread, neighbours of a row in vectors."""

    def weights(self, row: Expr, column: Expr, value: Value) -> Stmt:
        """Where an exponential is put: in place of its score, or for matrix units beside it."""
        if self.rounds:
            return Store(WEIGHTS, (row, column), Cast(self.workload.dtype, value))
        return Store(SCORES, (row, column), value)

    def filled(self, operand: str, tile: str, first: Expr, there: Expr, **where: Expr) -> Stmt:
        """A tile of rows of an operand, zeros from `there` on and beyond their ends."""
        walked = {"q": "m", "k": "n", "v": "n"}[operand], {"q": "d", "k": "d", "v": "e"}[operand]
        rows, columns = (self.rows, self.deep) if operand == "q" else (self.keys, self.deep)
        columns = self.wide if operand == "v" else columns
        size, order = self.workload.extents[walked[1]].value or 0, str(self.workload.attributes[operand])
        count, item = 1, BYTES[self.lying(operand)]
        if order[-1] == walked[1]:
            most = (_PIECE // item, 8 // item, 4 // item if self.gpu.async_copies else 1)
            count = next((v for v in most if v and size % v == 0), 1)
        pieces = columns // count
        across = max(n for n in range(1, min(pieces, self.threads) + 1) if pieces % n == 0)
        down = min(rows, self.threads // across)
        row_, piece, turn, step = (f"p_{operand}_{what}" for what in ("row", "piece", "pass", "step"))
        row, column = var(turn) * down + var(row_), (var(step) * across + var(piece)) * count
        here = {**where, walked[0]: first + row, walked[1]: column}
        source = Load(operand, Places(self.workload).at(operand, **here))
        inside = (there - 1 - here[walked[0]], *([size - count - column] if columns > size else []))
        later = self.gpu.async_copies and count * item >= 4
        fill: Stmt = Copy(tile, (row, column), source, count, inside, later)
        if rows % down:
            fill = Guard((rows - 1 - row,), fill)
        fill = unrolled(turn, -(-rows // down), unrolled(step, pieces // across, fill))
        return Loop(row_, const(down), LoopKind.THREAD, Loop(piece, const(across), LoopKind.THREAD, fill))

    @property
    def arrived(self) -> tuple[Stmt, ...]:
        return (Wait(0),) if self.gpu.async_copies else ()

    @property
    def begun(self) -> tuple[Stmt, ...]:
        return (Commit(),) if self.gpu.async_copies else ()

    def nest(self, nest: LoopNest) -> LoopNest:
        size, it = self.workload.extents, Places(self.workload)
        m, h = size["m"], var("i_h")
        where = {"b": var("i_b"), "h": h, "g": h // it.shared}
        first = var("bm") * self.rows
        tiles = ceildiv(m, self.rows)
        shared = {b.name: b for b in self.buffers()}
        unit = POWERS_OF_E if it.adds_a_mask else 1.0  # the least number stays one, which masks are full of
        softmax = self._softmax(unit)
        last = it.seen(first + self.rows - 1)
        steps = ceildiv(last if last == it.there else minimum(last, it.there), self.keys)
        mine, begin = steps, const(0)
        if self.split > 1:  # neighbouring tiles of keys go to different blocks
            mine, begin = ceildiv(steps - var(_SPLIT), self.split), var(_SPLIT)

        def key(step: Expr) -> Expr:
            return (step * self.split + begin) * self.keys

        def scored(row: Expr, column: Expr, product: Load) -> Stmt:
            score = it.score(product, POWERS_OF_E / softmax.unit, **where, m=first + row, n=key(var(_STEP)) + column)
            return Store(product.buffer, product.index, score)

        def inside(row: Expr, last: Expr, column: Expr) -> tuple[Expr, ...]:
            """That rows up to the last one see a column. Others beyond m are of zeros, and nobody stores them; but a
            mask is read for each."""
            at, seen = key(var(_STEP)) + column, it.seen(first + row)
            by_query = (m - 1 - (first + last),) if "m" in it.dims_of_mask else ()
            return (it.there - 1 - at, *by_query, *((seen - 1 - at,) if seen != it.there else ()))

        def some(row: Expr, column: Expr, product: Load) -> Stmt:
            nothing = Store(product.buffer, product.index, NOTHING)
            return Guard(inside(row, row, column), scored(row, column, product), nothing)

        def scores(each: Each) -> Stmt:
            """Of most tiles all is seen: a query sees what those before it see."""
            return Guard(inside(const(0), const(self.rows - 1), const(self.keys - 1)), each(scored), each(some))

        def keys(step: Expr) -> Stmt:
            return self.filled("k", KEYS, key(step), it.there, **where)

        following = var(_STEP) + 1
        step = block(
            *self.arrived,
            Barrier(),
            self.filled("v", VALUES, key(var(_STEP)), it.there, **where),
            *self.begun,
            self.scored(scores),
            Barrier(),
            Guard((mine - 1 - following,), keys(following)),
            *self.begun,
            softmax.next(),
            *((Wait(1),) if self.gpu.async_copies else ()),
            Barrier(),
            self.weighted(),
        )
        body = holding(
            (*shared.values(), self.sums(), *softmax.held),
            self.filled("q", QUERIES, first, m, **where),
            Guard((mine - 1,), keys(const(0))),
            *self.begun,
            self.each(lambda row, column, held: Store(held.buffer, held.index, Literal(0.0)), vector=False),
            softmax.start(),
            Loop(_STEP, mine, LoopKind.SERIAL, step),
            *self.arrived,
            (self._shared_out if self.split > 1 else self._finished)(it, softmax, where, first),
        )
        if self.split > 1:
            body = Loop(_SPLIT, const(self.split), LoopKind.BLOCK, body)
            body = holding(self.parts(), body) if self.cluster else body
        body = Loop("bm", tiles, LoopKind.BLOCK, it.counted(body))
        body = Loop("i_h", size["h"], LoopKind.BLOCK, body)
        if self.split > 1:
            body = Loop("i_b", size["b"], LoopKind.BLOCK, body)
            body = body if self.cluster else holding(self.parts(size["b"], size["h"], tiles), body)
        else:
            body = each_by_blocks("i_b", size["b"], body)
        return aligned(nest).with_body(body)

    def _finished(self, it: Places, softmax: RowScores, where: Mapping[str, Expr], first: Expr) -> Stmt:
        def stored(row: Expr, column: Expr, held: Load) -> Stmt:
            inside = (self.workload.extents["m"] - 1 - (first + row), *self._within(column))
            factor = Load(FACTOR, (row,))
            mean = it.guarded(Op("mul", (held, factor)), factor)
            return Guard(inside, it.stored(mean, **where, m=first + row, e=column))

        factors = softmax.end(lambda row, made: it.spared(first + row, made))
        return block(Barrier(), factors, Barrier(), self.each(stored))

    def _within(self, column: Expr) -> tuple[Expr, ...]:
        return (self.e - 1 - column,) if self.wide > self.e else ()

    # ---- Blocks that share keys

    def parts(self, *tiles: Expr) -> tuple[Buffer, ...]:
        """What each block leaves for the others: of all these tiles in memory, or of one in their shared memory, where
        an element is the block's whose turn and step of the result it is of."""
        (_, turns), _ = self._turns()
        down, across = self._edge
        rows = (self.rows,) if tiles else (turns, down)
        columns = (self.e,) if tiles else (self._steps, across)
        scope = Scope.WORKSPACE if tiles else Scope.CLUSTER
        shape = (*tiles, const(self.split), *map(const, rows))
        of_rows = (Buffer(name, shape, scope) for name in (_TOPS, _TOTALS))
        return Buffer(_PART, (*shape, *map(const, columns)), scope), *of_rows

    @property
    def _edge(self) -> tuple[int, int]:
        """Rows and columns of the result that the threads of a block make at once."""
        across = min(self.e, WARP)
        return self.threads // across, across

    def _turns(self) -> tuple[tuple[str, int], tuple[str, int]]:
        """The loops of a thread over what blocks put together: rows and columns of the result, and rounds of each."""
        down, across = self._edge
        return ("p_out_turn", -(-self.rows // down)), ("p_out_step", -(-self.e // across))

    @property
    def along(self) -> tuple[tuple[str, int], ...]:
        """How a cluster divides them; of one that does not, the product is less than its blocks."""
        found, left = [], self.split
        for name, rounds in reversed(self._turns()):
            found.append((name, gcd(rounds, left)))
            left //= found[-1][1]
        return tuple((name, by) for name, by in found if by > 1)

    def _shared_out(self, it: Places, softmax: RowScores, where: Mapping[str, Expr], first: Expr) -> Stmt:
        """Each block leaves its sums; the last one makes the means of all of them, or each of a cluster some."""
        place = () if self.cluster else (where["b"], where["h"], var("bm"))
        own = (*place, var(_SPLIT))
        down, across = self._edge

        def row_at(row: Expr) -> tuple[Expr, ...]:
            return (row // down, row % down) if self.cluster else (row,)

        def column_at(column: Expr) -> tuple[Expr, ...]:
            return (column // across, column % across) if self.cluster else (column,)

        def left(row: Expr, column: Expr, held: Load) -> Stmt:
            return guarded(self._within(column), Store(_PART, (*own, *row_at(row), *column_at(column)), held))

        told = softmax.each_row(
            lambda row: block(
                Store(_TOPS, (*own, *row_at(row)), softmax.top),
                Store(_TOTALS, (*own, *row_at(row)), softmax.total),
            )
        )
        row, column = var("p_out_turn") * down + var("p_out_row"), var("p_out_step") * across + var("p_out_column")
        part, (top, total, made, factor) = var("p_part"), ("i_top_all", "i_total_all", "i_made", "i_of_part")
        of_part = (*place, part, *((var("p_out_turn"), var("p_out_row")) if self.cluster else (row,)))
        of_column = (var("p_out_step"), var("p_out_column")) if self.cluster else (column,)

        def each_part(body: Stmt) -> Stmt:
            return unrolled("p_part", self.split, body)

        all_of, sums = Load(total, ()), Load(made, ())
        none, mean = Op("eq", (all_of, Literal(0.0))), it.guarded(Op("div", (sums, all_of)), all_of)

        def stored(spares: bool) -> Stmt:
            value = Op("select", (none, Literal(0.0), mean)) if spares else mean
            return it.stored(value, **where, m=first + row, e=column)

        whole = holding(
            tuple(Buffer(name, (), Scope.REGISTER) for name in (top, total, made, factor)),
            Store(top, (), LEAST),
            each_part(Update(top, (), Load(_TOPS, of_part), "max")),
            Store(total, (), Literal(0.0)),
            Store(made, (), Literal(0.0)),
            each_part(
                block(
                    Store(factor, (), softmax.power(Op("sub", (Load(_TOPS, of_part), Load(top, ()))))),
                    Update(total, (), Op("mul", (Load(_TOTALS, of_part), Load(factor, ())))),
                    Update(made, (), Op("mul", (Load(_PART, (*of_part, *of_column)), Load(factor, ())))),
                )
            ),
            it.spared(first + row, stored),
        )
        inside = [self.workload.extents["m"] - 1 - (first + row)]
        if self.rows % down:
            inside.append(self.rows - 1 - row)
        if self.e % across:
            inside.append(self.e - 1 - column)
        turns = (
            Loop("p_out_row", const(down), LoopKind.THREAD, block()),
            Loop("p_out_column", const(across), LoopKind.THREAD, block()),
            *(Loop(name, const(rounds), LoopKind.SERIAL, block()) for name, rounds in self._turns()),
        )
        put = around(turns, Guard(tuple(inside), whole))
        together = Last(_SPLIT, self.split, put, self.along if self.cluster else ())
        return block(softmax.joined(), self.each(left), told, together)


def _count(b: Buffer) -> int:
    count = 1
    for size in b.shape:
        count *= size.value or 0
    return count
