"""Flash attention on a CPU: blocks of queries, whose scores stay in the nearer caches from the keys to the values.

    for i_h: for i_m: p[n, lane] = k[n] . q[lane];  p = exp(p - top[lane]), sum[lane] += p
                      y[m] = sum_n p[n, m] * v[n] / sum[m]

Vectors of scores run along the queries: of a block only these are transposed, keys and values are read as they lie,
and neither the largest score nor the sum of a query needs a step across lanes. The product with the values has vectors
along those, and takes the weights of one key element by element. So both products are register tiles at the core's
peak, and of all scores those of one block are held at once: keys that no query of a tile may see are never looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from anytile.schedules.hardware.cpu import facts
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
from anytile.schedules.templates.cpu.fused.attention_cpu import NOTHING, Places
from anytile.schedules.workloads.workload import Workload

WIDE = 16  # lanes from which on half a vector is worth code of its own: some CPUs compute it twice as fast
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
    def where(self) -> dict[str, Expr]:
        return {"b": var("i_b"), "h": var("i_h"), "g": var("i_h") // self.places.shared}

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
        return _vectors(self.tiles.vectors, self.tiles.lanes, body)

    def weights(self) -> Stmt:
        """Exponentials of the scores, and one over each query's sum of them."""
        shape = (const(self.tiles.vectors), const(self.tiles.lanes))
        at, top, total = (var("i_t"), self.place), Load(_TOP, (_C, _V)), Load(_SUM, (_C, _V))
        finite = Op("select", (Op("eq", (top, NOTHING)), Literal(0.0), top))
        exponential = Op("exp", (Op("sub", (Load(_P, at), top)),))
        some = Op("select", (Op("eq", (total, Literal(0.0))), Literal(1.0), total))
        each = self.lanes(block(Store(_P, at, exponential), Update(_SUM, (_C, _V), Load(_P, at))))
        return holding(
            (register(_TOP, shape), register(_SUM, shape)),
            self._fetched(),
            self.lanes(Store(_TOP, (_C, _V), NOTHING)),
            self._scores(),
            self.lanes(block(Store(_TOP, (_C, _V), finite), Store(_SUM, (_C, _V), Literal(0.0)))),
            Loop("i_t", self.seen, LoopKind.SERIAL, each),
            self.lanes(Store(_INVERSE, (self.place,), Op("div", (Literal(1.0), some)))),
        )

    def _fetched(self) -> Stmt:
        """The queries side by side."""

        def at(k: Expr) -> Stmt:
            value = self.places.read("q", **self.where, m=self.query, d=k)
            return self.lanes(Store(_Q, (k, self.place), value))

        return _along("i_k", self.workload.extents["d"], RUN, at)

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

        def term(k: Expr) -> Stmt:
            likeness = Op("mul", (it.read("k", **self.where, n=key, d=k), Load(_Q, (k, self.place))))
            return each(Update(_ACC, here, likeness))

        at = (key, self.place)
        made = it.score(Load(_ACC, here), **self.where, m=self.query, n=key)
        put: Stmt = block(Store(_P, at, made), Update(_TOP, (_C, _V), Load(_P, at), "max"))
        if alone and self.workload.attributes["causal"]:
            put = Guard((it.seen(self.start + self.place) - 1 - key,), put, Store(_P, at, NOTHING))
        cleared, steps = each(Store(_ACC, here, Literal(0.0))), self.tiles.steps
        return holding((acc,), cleared, _along("i_k", self.workload.extents["d"], steps, term), each(put))

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
        wide = self.tiles.columns * self.tiles.lanes
        size = self.workload.extents["e"].value or 0
        full = size // wide
        panels = Loop("i_o", const(full), LoopKind.SERIAL, self._panel(first, rows, var("i_o") * wide, wide))
        rest = size - full * wide
        return block(panels, self._panel(first, rows, const(full * wide), rest) if rest else None)

    def _panel(self, first: Expr, rows: int, begin: Expr, width: int) -> Stmt:
        it, lanes, row, here = self.places, self.tiles.lanes, first + _R, (_R, _C, _V)
        vectors, column = -(-width // lanes), begin + self.place
        acc = register(_ACC, (const(rows), const(vectors), const(lanes)))

        def each(body: Stmt) -> Stmt:
            inside = body if width % lanes == 0 else Guard((width - 1 - self.place,), body)
            return unrolled("i_r", rows, _vectors(vectors, lanes, inside))

        def term(key: Expr) -> Stmt:
            value = Op("mul", (Load(_P, (key, row)), it.read("v", **self.where, n=key, e=column)))
            return each(Update(_ACC, here, value))

        factor = Load(_INVERSE, (row,))
        mean = it.guarded(Op("mul", (Load(_ACC, here), factor)), factor)
        return holding(
            (acc,),
            each(Store(_ACC, here, Literal(0.0))),
            self._at_least_none(
                "i_keys",
                it.seen(self.start + first + rows - 1),
                1,
                lambda keys: _along("i_n", keys, self.tiles.steps, term),
            ),
            each(it.stored(mean, **self.where, m=self.start + row, e=column)),
        )


def _vectors(count: int, lanes: int, body: Stmt) -> Stmt:
    return unrolled("i_c", count, Loop("i_v", const(lanes), LoopKind.VECTOR, body))


def _along(name: str, extent: Expr, steps: int, body: Callable[[Expr], Stmt]) -> Stmt:
    """`body` at each of so many positions, `steps` in a round."""
    rounds = extent // steps
    inner = unrolled("i_u", steps, body(var(name) * steps + var("i_u")))
    rest = Loop(name, extent - rounds * steps, LoopKind.SERIAL, body(rounds * steps + var(name)))
    return block(Loop(name, rounds, LoopKind.SERIAL, inner), rest)


def _head(workload: Workload, tiles: Tiles) -> Stmt:
    """All blocks of a head; the last one has no more vectors than it needs."""
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
    buffers = (
        Buffer(_Q, (workload.extents["d"], const(width)), Scope.WORKSPACE),
        Buffer(_P, (workload.extents["n"], const(width)), Scope.WORKSPACE),
        Buffer(_INVERSE, (const(width),), Scope.WORKSPACE),
    )
    whole = Loop("i_m", blocks, LoopKind.SERIAL, block(full.weights(), full.means()))
    return holding(buffers, whole, Guard((last.count - 1,), block(chosen, last.means())))


def _write(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    size = workload.extents
    shared = share(config, computed(product([size[d] for d in "bhmn"]), 2 * ((size["d"].value or 0) + 1)))
    heads = shared.loop("i_h", size["h"], _head(workload, Tiles.of(config, facts(target).lanes)))
    return nest.with_body(Loop("i_b", size["b"], LoopKind.SERIAL, Places(workload).counted(heads)))


def _choices(workload: Workload, target: Target) -> tuple[Choice, ...]:
    places = facts(target).vector_registers
    vectors, keys, rows, columns = next(tiles for least, *tiles in _TILES if places >= least)
    return (
        Choice(Knob("vectors", (1, 2, 3, 4), "vectors of queries in a block"), vectors),
        Choice(Knob("keys", (2, 3, 4, 6, 8, 12), "keys of a register tile of scores"), keys),
        Choice(Knob("rows", (2, 3, 4, 6, 8, 12), "queries of a register tile of means"), rows),
        Choice(Knob("columns", (1, 2, 3, 4), "vectors of values of a register tile of means"), columns),
        Choice(Knob("steps", (1, 2, 4), "steps along a sum in one round"), 1),
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


ATTENTION_TILES = _AttentionTiles("attention_tiles.cpu", ATTENTION.name, _write, _choices, rules=_rules)
