"""The products of attention on a GPU: by lanes that have rows and columns, or of 16-bit floats on matrix units."""

from __future__ import annotations

from collections.abc import Callable

from anytile.core.dtypes import HALVES
from anytile.schedules.index.expr import Expr, const, var
from anytile.schedules.nest.mma_operations import B2, A
from anytile.schedules.nest.nodes import (
    Alloc,
    Buffer,
    Cast,
    Literal,
    Load,
    Loop,
    LoopKind,
    Op,
    Scope,
    Stmt,
    Store,
    Tile,
    Update,
    Value,
    block,
)
from anytile.schedules.primitives.vector_rows import holding, unrolled
from anytile.schedules.templates.cuda.attention_block import (
    FACTOR,
    KEYS,
    QUERIES,
    SCORES,
    SUMS,
    VALUES,
    WEIGHTS,
    Block,
    Each,
)

_VECTOR = 4  # elements of float32 that are read at once
EDGE = 16  # rows and columns of a matrix tile


class Lanes(Block):
    """In float32: a lane has rows that are 4 apart, and columns that are 8 apart, as in `dense_simt`. What lies in 16
    bits is copied so, and widened where a lane reads it."""

    down = 4
    across = 8
    rounds = False

    def pad(self, dtype: str) -> int:
        return 2 * _VECTOR if dtype in HALVES else _VECTOR

    def _widened(self, operand: str, load: Load) -> Value:
        return Cast("float32", load) if self.lying(operand) in HALVES else load

    @property
    def deep(self) -> int:
        return -(-self.d // _VECTOR) * _VECTOR

    @property
    def columns(self) -> int:
        return self.across * _VECTOR

    @property
    def registers(self) -> int:
        held = self.tile_m * (self.tiles_e * _VECTOR + self.tile_n)
        return held + _VECTOR * (self.tile_m + 1) + self.of_rows + 48

    def _by_threads(self, body: Stmt) -> Stmt:
        for name, extent, kind in (
            ("ln", self.across, LoopKind.THREAD),
            ("lm", self.down, LoopKind.THREAD),
            ("wn", self.warps_n, LoopKind.WARP),
            ("wm", self.warps_m, LoopKind.WARP),
        ):
            body = Loop(name, const(extent), kind, body)
        return body

    @property
    def _row(self) -> Expr:
        return (var("mi") * self.warps_m + var("wm")) * self.down + var("lm")

    @property
    def _key(self) -> Expr:
        return (var("ni") * self.warps_n + var("wn")) * self.across + var("ln")

    @property
    def _column(self) -> Expr:
        return ((var("ej") * self.warps_n + var("wn")) * self.across + var("ln")) * _VECTOR + var("ev")

    def sums(self) -> Buffer:
        sizes = (self.warps_m, self.warps_n, self.down, self.across, self.tile_m, self.tiles_e, _VECTOR)
        return Buffer(SUMS, tuple(map(const, sizes)), Scope.REGISTER)

    @property
    def _sum(self) -> Load:
        return Load(SUMS, tuple(map(var, ("wm", "wn", "lm", "ln", "mi", "ej", "ev"))))

    def each(self, body: Callable[[Expr, Expr, Load], Stmt], vector: bool = True) -> Stmt:
        together = vector and self.e % _VECTOR == 0 and str(self.workload.attributes["y"])[-1] == "e"
        kind = LoopKind.VECTOR if together else LoopKind.UNROLLED
        made: Stmt = Loop("ev", const(_VECTOR), kind, body(self._row, self._column, self._sum))
        return self._by_threads(unrolled("mi", self.tile_m, unrolled("ej", self.tiles_e, made)))

    def scored(self, made: Callable[[Each], Stmt]) -> Stmt:
        found, a, b = "i_s", "i_a", "i_c"
        mi, ni, kv, at = var("mi"), var("ni"), var("kv"), var("kd") * _VECTOR + var("kv")

        def held(name: str, *sizes: int, dtype: str = "float32") -> Buffer:
            return Buffer(name, tuple(map(const, sizes)), Scope.REGISTER, dtype)

        def vector(store: Stmt) -> Stmt:
            return Loop("kv", const(_VECTOR), LoopKind.VECTOR, store)

        score = Load(found, (mi, ni))
        query, key = self._widened("q", Load(a, (mi, kv))), self._widened("k", Load(b, (kv,)))
        one = Update(found, (mi, ni), Op("mul", (query, key)))
        step = holding(
            (held(a, self.tile_m, _VECTOR, dtype=self.lying("q")), held(b, _VECTOR, dtype=self.lying("k"))),
            unrolled("mi", self.tile_m, vector(Store(a, (mi, kv), Load(QUERIES, (self._row, at))))),
            unrolled(
                "ni",
                self.tile_n,
                block(
                    vector(Store(b, (kv,), Load(KEYS, (self._key, at)))),
                    unrolled("mi", self.tile_m, unrolled("kv", _VECTOR, one)),
                ),
            ),
        )

        def tile(body: Stmt) -> Stmt:
            return unrolled("mi", self.tile_m, unrolled("ni", self.tile_n, body))

        return self._by_threads(
            holding(
                (held(found, self.tile_m, self.tile_n),),
                tile(Store(found, (mi, ni), Literal(0.0))),
                Loop("kd", const(self.deep // _VECTOR), LoopKind.SERIAL, step),
                made(lambda body: tile(body(self._row, self._key, score))),
                tile(Store(SCORES, (self._row, self._key), score)),
            )
        )

    def weighted(self) -> Stmt:
        a, b = "i_p", "i_v"
        mi, ev, kv, ki = var("mi"), var("ev"), var("kv"), var("ki")
        here = var("kn") * _VECTOR
        sum_ = self._sum

        factor = Update(SUMS, sum_.index, Load(FACTOR, (self._row,)), "mul")
        shrunk = unrolled("mi", self.tile_m, unrolled("ej", self.tiles_e, unrolled("ev", _VECTOR, factor)))
        term = Op("mul", (Load(a, (mi, ki)), self._widened("v", Load(b, (ev,)))))
        some = block(
            Loop("ev", const(_VECTOR), LoopKind.VECTOR, Store(b, (ev,), Load(VALUES, (here + ki, self._column)))),
            unrolled("mi", self.tile_m, unrolled("ev", _VECTOR, Update(SUMS, sum_.index, term))),
        )
        step = holding(
            (
                Buffer(a, (const(self.tile_m), const(_VECTOR)), Scope.REGISTER),
                Buffer(b, (const(_VECTOR),), Scope.REGISTER, self.lying("v")),
            ),
            unrolled(
                "mi",
                self.tile_m,
                Loop("kv", const(_VECTOR), LoopKind.VECTOR, Store(a, (mi, kv), Load(SCORES, (self._row, here + kv)))),
            ),
            unrolled("ki", _VECTOR, unrolled("ej", self.tiles_e, some)),
        )
        every = Loop("kn", const(self.keys // _VECTOR), LoopKind.SERIAL, step)
        return self._by_threads(block(shrunk, every))


class Matrices(Block):
    """16-bit floats: tiles of 16 by 16 as `mma_operations` has them; weights are rounded to the type that came."""

    down = EDGE
    across = EDGE
    rounds = True

    def pad(self, dtype: str) -> int:
        return 8

    @property
    def deep(self) -> int:
        return -(-self.d // EDGE) * EDGE

    @property
    def columns(self) -> int:
        return EDGE

    @property
    def registers(self) -> int:
        fragments = self.tile_m + max(self.tile_n, self.tiles_e)
        return 8 * self.tile_m * (self.tile_n + self.tiles_e) + 4 * fragments + self.of_rows + 48

    def _by_warps(self, body: Stmt) -> Stmt:
        wn = Loop("wn", const(self.warps_n), LoopKind.WARP, body)
        return Loop("wm", const(self.warps_m), LoopKind.WARP, wn)

    def _sums(self, name: str, tiles: int) -> Buffer:
        sizes = (self.warps_m, self.warps_n, self.tile_m, tiles, 2, 8, 4, 2, 2)
        return Buffer(name, tuple(map(const, sizes)), Scope.REGISTER)

    def sums(self) -> Buffer:
        return self._sums(SUMS, self.tiles_e)

    def _corner(self, tile: str, of: int, warp: str) -> Expr:
        """Where a warp's tile of 16 begins."""
        return (var(tile) * of + var(warp)) * EDGE

    def _each(self, name: str, tiles: int, body: Callable[[Expr, Expr, Load], Stmt], vector: bool) -> Stmt:
        row = self._corner("mi", self.warps_m, "wm") + var("mh") * 8 + var("mg")
        column = self._corner("nj", self.warps_n, "wn") + var("nf") * 8 + var("np") * 2 + var("nl")
        held = Load(name, tuple(map(var, ("wm", "wn", "mi", "nj", "nf", "mg", "np", "mh", "nl"))))
        made = body(row, column, held)
        for loop, extent, kind in (
            ("nl", 2, LoopKind.VECTOR if vector else LoopKind.UNROLLED),
            ("mh", 2, LoopKind.UNROLLED),
            ("nf", 2, LoopKind.UNROLLED),
            ("nj", tiles, LoopKind.UNROLLED),
            ("mi", self.tile_m, LoopKind.UNROLLED),
            ("np", 4, LoopKind.THREAD),
            ("mg", 8, LoopKind.THREAD),
        ):
            made = Loop(loop, const(extent), kind, made)
        return self._by_warps(made)

    def each(self, body: Callable[[Expr, Expr, Load], Stmt], vector: bool = True) -> Stmt:
        together = vector and self.e % 2 == 0 and str(self.workload.attributes["y"])[-1] == "e"
        return self._each(SUMS, self.tiles_e, body, together)

    def _multiplied(self, into: str, tiles: int, steps: int, left: str, right: str, turned: bool) -> Stmt:
        """`into += left . right` by 16 steps at a time; `right` has its columns as rows unless it is turned."""
        mi, nj, nf, at = var("mi"), var("nj"), var("nf"), var("kd") * EDGE
        row, column = self._corner("mi", self.warps_m, "wm"), self._corner("nj", self.warps_n, "wn")
        dtype = self.workload.dtype
        a = Buffer(f"{into}_a", tuple(map(const, (self.tile_m, *A.shape))), Scope.REGISTER, dtype)
        b = Buffer(f"{into}_b", tuple(map(const, (tiles, *B2.shape))), Scope.REGISTER, dtype)
        corner = (at, column) if turned else (column, at)
        sum_ = Load(into, (var("wm"), var("wn"), mi, nj, nf))
        product = Tile("mma", (sum_, Load(a.name, (mi,)), Load(b.name, (nj, nf))))
        step = holding(
            (a, b),
            unrolled("mi", self.tile_m, Tile("load_a", (Load(a.name, (mi,)), Load(left, (row, at))))),
            unrolled("nj", tiles, Tile("load_b2_turned" if turned else "load_b2",
                                       (Load(b.name, (nj,)), Load(right, corner)))),
            unrolled("mi", self.tile_m, unrolled("nj", tiles, unrolled("nf", 2, product))),
        )  # fmt: skip
        return self._by_warps(Loop("kd", const(steps // EDGE), LoopKind.UNROLLED, step))

    def scored(self, made: Callable[[Each], Stmt]) -> Stmt:
        found = self._sums("i_s", self.tile_n)

        def cleared(row: Expr, column: Expr, held: Load) -> Stmt:
            return Store(held.buffer, held.index, Literal(0.0))

        def stored(row: Expr, column: Expr, held: Load) -> Stmt:
            return Store(SCORES, (row, column), held)

        return Alloc(
            found,
            block(
                self._each(found.name, self.tile_n, cleared, False),
                self._multiplied(found.name, self.tile_n, self.deep, QUERIES, KEYS, turned=False),
                made(lambda body: self._each(found.name, self.tile_n, body, False)),
                self._each(found.name, self.tile_n, stored, True),
            ),
        )

    def weighted(self) -> Stmt:
        def shrunk(row: Expr, column: Expr, held: Load) -> Stmt:
            return Update(held.buffer, held.index, Load(FACTOR, (row,)), "mul")

        return block(
            self._each(SUMS, self.tiles_e, shrunk, False),
            self._multiplied(SUMS, self.tiles_e, self.keys, WEIGHTS, VALUES, turned=True),
        )
