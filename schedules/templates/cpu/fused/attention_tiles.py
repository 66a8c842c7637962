"""Flash attention on a CPU: blocks of queries, whose scores stay in the nearer caches from the keys to the values.

    for i_h: for i_m: p[n, lane] = k[n] . q[lane];  p = exp(p - top[lane]), sum[lane] += p
                      y[m] = sum_n p[n, m] * v[n] / sum[m]

Vectors of scores run along the queries: of a block only these are transposed, keys and values are read as they lie,
and neither the largest score nor the sum of a query needs a step across lanes. The product with the values has vectors
along those, and takes the weights of one key element by element. So both products are register tiles at the core's
peak, and of all scores those of one block are held at once: keys that no query of a tile may see are never looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from anytile.schedules.hardware.cpu import CpuFacts, facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, ceildiv, const, minimum, product, var
from anytile.schedules.nest.nodes import (
    Buffer,
    Guard,
    Let,
    Literal,
    Load,
    Loop,
    LoopKind,
    LoopNest,
    Number,
    Op,
    Scope,
    Stmt,
    Store,
    Update,
    block,
)
from anytile.schedules.operators.products.attention import ATTENTION
from anytile.schedules.primitives.stage_panel import RUN
from anytile.schedules.primitives.vector_rows import holding, register, unrolled
from anytile.schedules.templates.base.parallel_grain import computed
from anytile.schedules.templates.base.plain import Choice, PlainTemplate
from anytile.schedules.templates.base.small_knobs import choices, share
from anytile.schedules.templates.base.space import Config, Constraint, Knob
from anytile.schedules.templates.base.space import Value as Setting
from anytile.schedules.templates.cpu.fused.attention_cpu import FewQueries, however_factors_lie
from anytile.schedules.templates.cpu.fused.attention_places import (
    NOTHING,
    Means,
    Places,
    along,
    inverse_of,
    vectors_of,
)
from anytile.schedules.workloads.workload import Workload

WIDE = 16  # lanes from which on half a vector is worth code of its own: some CPUs compute it twice as fast
TOGETHER = (4, 2, 1)  # of few queries
# Queries of a causal block, untuned: its first sees none of the last keys. Blocks of 48 take 1.1 to 1.5 times as long
# where there are 128 keys or fewer (Zen 5).
CAUSAL = 16
_Q, _P, _INVERSE, _TOP, _SUM, _ACC = "i_q", "i_p", "i_inverse", "i_top", "i_sum", "i_acc"
_C, _V, _R = var("i_c"), var("i_v"), var("i_r")
# from so many registers on: vectors of queries by keys, and queries by vectors of values
_TILES = ((32, 3, 8, 6, 4), (16, 3, 4, 6, 2), (8, 1, 4, 4, 1), (0, 1, 2, 2, 1))


@dataclass(frozen=True)
class Tiles:
    """What runs side by side: queries in so many `vectors`, keys of a tile of scores; of the product with the values
    queries as `rows`, and vectors of values as `columns`. Sums go on by `steps` a round."""

    lanes: int
    vectors: int
    keys: int
    rows: int
    columns: int
    steps: int

    @property
    def width(self) -> int:
        return self.lanes * self.vectors

    @classmethod
    def of(cls, config: Config, lanes: int) -> Tiles:
        return cls(lanes, *(config.int(name) for name in ("vectors", "keys", "rows", "columns", "steps")))


@dataclass(frozen=True)
class Block:
    """The queries of a head from `start` on: so many, in vectors of which the last may stick out."""

    workload: Workload
    tiles: Tiles
    start: Expr
    count: Expr

    @property
    def places(self) -> Places:
        return Places(self.workload)

    @property
    def where(self) -> Mapping[str, Expr]:
        return self.places.where

    @property
    def place(self) -> Expr:
        """Of a lane, among the queries of the block."""
        return _C * self.tiles.lanes + _V

    @property
    def query(self) -> Expr:
        """Of a lane that sticks out it is the last one."""
        return minimum(self.start + self.place, self.workload.extents["m"] - 1)

    @property
    def seen(self) -> Expr:
        """How many keys any of the queries may see."""
        return self.places.seen(self.start + self.count - 1)

    def lanes(self, body: Stmt) -> Stmt:
        return vectors_of(self.tiles.vectors, self.tiles.lanes, body)

    def weights(self) -> Stmt:
        """Exponentials of the scores, and one over each query's sum of them."""
        shape = (const(self.tiles.vectors), const(self.tiles.lanes))
        at, top, total = (var("i_t"), self.place), Load(_TOP, (_C, _V)), Load(_SUM, (_C, _V))
        finite = Op("select", (Op("eq", (top, NOTHING)), Literal(0.0), top))
        exponential = Op("exp", (Op("sub", (Load(_P, at), top)),))
        each = self.lanes(block(Store(_P, at, exponential), Update(_SUM, (_C, _V), Load(_P, at))))

        def inverse(spares: bool) -> Stmt:
            return Store(_INVERSE, (self.place,), inverse_of(total, spares))

        return holding(
            (register(_TOP, shape), register(_SUM, shape)),
            self._fetched(),
            self.lanes(Store(_TOP, (_C, _V), NOTHING)),
            self._scores(),
            self.lanes(block(Store(_TOP, (_C, _V), finite), Store(_SUM, (_C, _V), Literal(0.0)))),
            Loop("i_t", self.seen, LoopKind.SERIAL, each),
            self.lanes(self.places.spared(self.query, inverse)),
        )

    def _fetched(self) -> Stmt:
        """The queries side by side."""

        def at(k: Expr, _unit: Expr) -> Stmt:
            value = self.places.read("q", **self.where, m=self.query, d=k)
            return self.lanes(Store(_Q, (k, self.place), value))

        return along("i_k", self.workload.extents["d"], RUN, at)

    def _scores(self) -> Stmt:
        """Those of keys that all queries may see in tiles, then of each that some of them may, or that is left."""
        keys = self.tiles.keys

        def of(tiles: Expr) -> Stmt:
            rest = tiles * keys
            return block(
                Loop("i_t", tiles, LoopKind.SERIAL, self._tile(var("i_t") * keys, keys)),
                Loop("i_t", self.seen - rest, LoopKind.SERIAL, self._tile(rest + var("i_t"), 1, alone=True)),
            )

        return self._at_least_none("i_tiles", self.places.seen(self.start), keys, of)

    def _at_least_none(self, name: str, seen: Expr, by: int, body: Callable[[Expr], Stmt]) -> Stmt:
        """`body` of how many times `by` keys are seen: of causal queries the first may see fewer than none."""
        if not self.workload.attributes["causal"]:
            return body(seen // by)
        most = self.workload.extents["n"] // by
        return Let(name, Number(seen // by), most + 1, body(var(name)))

    def _tile(self, first: Expr, keys: int, alone: bool = False) -> Stmt:
        """The scores of some keys; of one that is `alone` with what each query may see."""
        it, key, here = self.places, first + _R, (_R, _C, _V)
        acc = register(_ACC, (const(keys), const(self.tiles.vectors), const(self.tiles.lanes)))

        def each(body: Stmt) -> Stmt:
            return unrolled("i_r", keys, self.lanes(body))

        def term(k: Expr, _unit: Expr) -> Stmt:
            likeness = Op("mul", (it.read("k", **self.where, n=key, d=k), Load(_Q, (k, self.place))))
            return each(Update(_ACC, here, likeness))

        at = (key, self.place)
        made = it.score(Load(_ACC, here), **self.where, m=self.query, n=key)
        put: Stmt = block(Store(_P, at, made), Update(_TOP, (_C, _V), Load(_P, at), "max"))
        if alone and self.workload.attributes["causal"]:
            put = Guard((it.seen(self.start + self.place) - 1 - key,), put, Store(_P, at, NOTHING))
        cleared, steps = each(Store(_ACC, here, Literal(0.0))), self.tiles.steps
        return holding((acc,), cleared, along("i_k", self.workload.extents["d"], steps, term), each(put))

    def means(self) -> Stmt:
        """What the weights make of the values, in tiles of queries and a last one of as many as are left."""
        rows, first = self.tiles.rows, var("i_t") * self.tiles.rows
        tile = self._row_tile(first, rows)
        if self.count.value is None or self.count.value % rows:
            chosen = block()
            for few in range(1, rows):
                chosen = Guard((self.count - first - few,), self._row_tile(first, few), chosen)
            tile = Guard((self.count - first - rows,), tile, chosen)
        return Loop("i_t", ceildiv(self.count, rows), LoopKind.SERIAL, tile)

    def _row_tile(self, first: Expr, rows: int) -> Stmt:
        it, row = self.places, first + _R

        def each_key(body: Callable[[Expr, Expr], Stmt]) -> Stmt:
            seen = it.seen(self.start + first + rows - 1)
            return self._at_least_none("i_keys", seen, 1, lambda keys: along("i_n", keys, self.tiles.steps, body))

        return Means(
            it,
            self.where,
            self.start + first,
            rows,
            self.tiles.lanes,
            self.tiles.columns,
            lambda key: Load(_P, (key, row)),
            Load(_INVERSE, (row,)),
            each_key,
        ).body()


def _head(workload: Workload, cpu: CpuFacts, tiles: Tiles) -> Stmt:
    """All blocks of a head; the last one has no more vectors than it needs, and none along queries that are few."""
    m, width = workload.extents["m"], tiles.width
    blocks = m // width
    full = Block(workload, tiles, var("i_m") * width, const(width))
    last = Block(workload, tiles, blocks * width, m - blocks * width)
    half = (replace(tiles, lanes=tiles.lanes // 2, vectors=1),) if tiles.lanes >= WIDE else ()
    fewer = (*half, *(replace(tiles, vectors=n) for n in range(1, tiles.vectors + 1)))
    chosen, before = block(), 0
    for some in fewer:
        chosen = Guard((last.count - 1 - before,), replace(last, tiles=some).weights(), chosen)
        before = some.width
    # A vector more than there are queries for, so that the last one is provably inside.
    room = ceildiv(last.count + tiles.lanes, tiles.lanes) * tiles.lanes
    rest = _holding(workload, room, chosen, last.means())
    rest = Guard((_few(workload, cpu) - last.count,), _few_queries(workload, cpu, last.start, last.count), rest)
    whole = _holding(workload, const(width), full.weights(), full.means())
    return block(Loop("i_m", blocks, LoopKind.SERIAL, whole), rest)


def _few(workload: Workload, cpu: CpuFacts) -> int:
    """Up to how many queries are faster with vectors along heads: of more a vector of queries is full enough."""
    along_heads = all(str(workload.attributes[name])[-1] == "d" for name in "qk")
    return cpu.lanes // 4 + 2 if along_heads else 0


def _few_queries(workload: Workload, cpu: CpuFacts, start: Expr, count: Expr) -> Stmt:
    """Several at a time, which read the keys once for all, and ever fewer of those that are left."""
    made, done = [], const(0)
    for together in TOGETHER:
        rounds = (count - done) // together
        few = FewQueries(workload, cpu, start + done + var("i_m") * together, together)
        made.append(Loop("i_m", rounds, LoopKind.SERIAL, few.body()))
        done = done + rounds * together
    return block(*made)


def _holding(workload: Workload, width: Expr, *statements: Stmt) -> Stmt:
    """Room for a block of so many queries."""
    shapes = {_Q: (workload.extents["d"], width), _P: (workload.extents["n"], width), _INVERSE: (width,)}
    return holding([Buffer(name, shape, Scope.WORKSPACE) for name, shape in shapes.items()], *statements)


def _write(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    size, cpu = workload.extents, facts(target)
    shared = share(config, computed(product([size[d] for d in "bhmn"]), 2 * ((size["d"].value or 0) + 1)))
    heads = shared.loop("i_h", size["h"], _head(workload, cpu, Tiles.of(config, cpu.lanes)))
    return nest.with_body(Loop("i_b", size["b"], LoopKind.SERIAL, Places(workload).counted(heads)))


def _choices(workload: Workload, target: Target) -> tuple[Choice, ...]:
    cpu, causal = facts(target), bool(workload.attributes["causal"])
    vectors, keys, rows, columns = next(tiles for least, *tiles in _TILES if cpu.vector_registers >= least)
    if causal:
        vectors = min(vectors, max(CAUSAL // cpu.lanes, 1))
    return (
        Choice(Knob("vectors", (1, 2, 3, 4), "vectors of queries in a block"), vectors),
        Choice(Knob("keys", (2, 3, 4, 6, 8, 12), "keys of a register tile of scores"), keys),
        Choice(Knob("rows", (2, 3, 4, 6, 8, 12), "queries of a register tile of means"), rows),
        Choice(Knob("columns", (1, 2, 3, 4), "vectors of values of a register tile of means"), columns),
        Choice(Knob("steps", (1, 2, 4), "steps along a sum in one round"), 4 if causal else 1),
        *choices(target),
    )


def _rules(workload: Workload, target: Target) -> tuple[Constraint, ...]:
    places = facts(target).vector_registers

    def fit(tall: Setting, wide: Setting) -> bool:
        return int(tall) * int(wide) + int(wide) + 1 <= places

    doc = "a tile, one round of vectors and one element must fit the vector registers"
    return (
        Constraint("scores", doc, lambda c: fit(c["keys"], c["vectors"])),
        Constraint("means", doc, lambda c: fit(c["rows"], c["columns"])),
    )


@dataclass(frozen=True)
class _AttentionTiles(PlainTemplate):
    def suits(self, workload: Workload) -> int:
        """Of one query all lanes but one would be idle."""
        return 0 if workload.dim("m") == 1 else 2


ATTENTION_TILES = _AttentionTiles(
    "attention_tiles.cpu",
    ATTENTION.name,
    _write,
    _choices,
    version=2,
    rules=_rules,
    served=however_factors_lie,
    walked="m",
)
