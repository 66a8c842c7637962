"""quantised_attention on a CPU: a few queries of a head at a time, four steps of either product in one term.

    for i_h: k_quads, v_signed;  for i_m: p[m, lane] = q[m] . k_quads[lane];  c = round(255 * exp(p - top[m]))
                                          y[m, lane] = sum_n c[m, n] * v_signed[n, lane] / sum_n c[m, n]

A head's keys are laid out once, in panels whose lanes are keys with four neighbours along d, and its values become
signed bytes, four rows of which are woven where they are read. Scores of a few queries lie along the keys as floats in
the nearest cache, and their weights, which are bytes, are read from there as words of four. What sticks out of a
dimension is filled: queries with their zero point, weights with 0, so nothing is checked in a product.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, ceildiv, const, minimum, product, var
from anytile.schedules.nest.nodes import (
    Buffer,
    Cast,
    Guard,
    Literal,
    Load,
    Loop,
    LoopKind,
    LoopNest,
    Op,
    Reduce,
    Scope,
    Stmt,
    Store,
    Update,
    Value,
    block,
)
from anytile.schedules.operators.products.quantised_attention import CENTRE, HEAVIEST, QUANTISED_ATTENTION
from anytile.schedules.operators.reductions.quantise_rows import STEPS
from anytile.schedules.primitives.stage_panel import RUN
from anytile.schedules.primitives.vector_rows import holding, register, unrolled
from anytile.schedules.templates.base.parallel_grain import computed
from anytile.schedules.templates.base.plain import Choice, PlainTemplate
from anytile.schedules.templates.base.small_knobs import choices, share
from anytile.schedules.templates.base.space import Config, Constraint, Knob
from anytile.schedules.templates.base.space import Value as Setting
from anytile.schedules.templates.cpu.fused.attention_places import NOTHING, Places
from anytile.schedules.templates.cpu.narrow.terms import QUAD
from anytile.schedules.workloads.workload import Workload

_Q, _K, _V, _P, _C = "i_signed_q", "i_quads", "i_signed_v", "i_p", "i_weights"
_ACC, _TOP, _SUM, _NEAR, _PEAK, _TOTAL = "i_acc", "i_top", "i_sum", "i_near", "i_peak", "i_total"
_R, _U, _LANE, _J = var("i_r"), var("i_c"), var("i_v"), var("i_j")
# from so many registers on: queries by vectors of keys, and by vectors of values
_TILES = ((32, 12, 2, 2), (16, 4, 2, 2), (8, 2, 1, 1), (0, 1, 1, 1))


def _signed(v: Value) -> Value:
    """A byte less the zero point."""
    return Cast("int8", Op("sub", (Cast("int32", v), Literal(CENTRE, "int32"))))


@dataclass(frozen=True)
class _Head:
    """A head of queries, taken `rows` at once by so many vectors of `keys` and of values (`columns`)."""

    workload: Workload
    lanes: int
    keys: int
    columns: int

    @property
    def places(self) -> Places:
        return Places(self.workload)

    @property
    def size(self) -> dict[str, Expr]:
        return dict(self.workload.extents)

    @property
    def quads(self) -> Expr:
        """Of a query, along d."""
        return ceildiv(self.size["d"], QUAD)

    @property
    def depth(self) -> Expr:
        """Of a row of queries in whole vectors, and in whole quads."""
        step = max(self.lanes, QUAD)
        return ceildiv(self.size["d"], step) * step

    @property
    def panels(self) -> Expr:
        """Vectors of keys."""
        return ceildiv(self.size["n"], self.lanes)

    @property
    def width(self) -> Expr:
        """Of a row of values in whole vectors."""
        return ceildiv(self.size["e"], self.lanes) * self.lanes

    def staged(self) -> Stmt:
        """Keys in quads, and signed values."""
        key = minimum(var("i_t") * self.lanes + _R, self.size["n"] - 1)

        def quads(first: Expr, count: int) -> Stmt:
            step = (first + _U) * QUAD + _J
            value = self.places.read("k", **self.places.where, n=key, d=minimum(step, self.size["d"] - 1))
            put = Store(_K, (var("i_t"), first + _U, _R, _J), value)
            return unrolled("i_c", count, Loop("i_j", const(QUAD), LoopKind.VECTOR, put))

        keys = self._along("i_k", self.quads, RUN, quads)
        row, column = var("i_t") * QUAD + _R, var("i_k") * self.lanes + _LANE
        value = _signed(self.places.read("v", **self.places.where, n=minimum(row, self.size["n"] - 1), e=column))
        put: Stmt = Store(_V, (row, column), value)
        put = Guard((self.size["e"] - 1 - column,), put, Store(_V, (row, column), Cast("int8", Literal(0, "int32"))))
        values = Loop("i_k", self.width // self.lanes, LoopKind.SERIAL, self.vector(put))
        return block(
            Loop("i_t", self.panels, LoopKind.SERIAL, Loop("i_r", const(self.lanes), LoopKind.SERIAL, keys)),
            Loop(
                "i_t", ceildiv(self.size["n"], QUAD), LoopKind.SERIAL, Loop("i_r", const(QUAD), LoopKind.SERIAL, values)
            ),
        )

    def vector(self, body: Stmt) -> Stmt:
        return Loop("i_v", const(self.lanes), LoopKind.VECTOR, body)

    def queries(self, first: Expr, rows: int) -> Stmt:
        """Some queries, from their scores to their results."""
        step = var("i_k") * self.lanes + _LANE
        value = _signed(self.places.read("q", **self.places.where, m=first + _R, d=step))
        put = Guard(
            (self.size["d"] - 1 - step,),
            Store(_Q, (_R, step), value),
            Store(_Q, (_R, step), Cast("int8", Literal(0, "int32"))),
        )
        signed = Loop("i_k", self.depth // self.lanes, LoopKind.SERIAL, self.vector(put))
        peaks = register(_TOP, (const(rows), const(self.lanes)))
        return holding(
            (register(_TOTAL, (const(rows),)),),
            Loop("i_r", const(rows), LoopKind.SERIAL, signed),
            holding(
                (peaks,),
                unrolled("i_r", rows, self.vector(Store(_TOP, (_R, _LANE), NOTHING))),
                self._along(
                    "i_t", self.panels, self.keys, lambda panel, count: self._scores(first, rows, panel, count)
                ),
                unrolled("i_r", rows, self._weights()),
            ),
            self._along(
                "i_t",
                self.width // self.lanes,
                self.columns,
                lambda panel, count: self._means(first, rows, panel, count),
            ),
        )

    def _along(self, name: str, extent: Expr, count: int, body: Callable[[Expr, int], Stmt]) -> Stmt:
        """`body` at so many vectors at once, and at those that are left one by one."""
        whole = extent // count
        return block(
            Loop(name, whole, LoopKind.SERIAL, body(var(name) * count, count)),
            Loop(name, extent - whole * count, LoopKind.SERIAL, body(whole * count + var(name), 1)),
        )

    def _tile(self, rows: int, vectors: int, body: Stmt) -> Stmt:
        return unrolled("i_r", rows, unrolled("i_c", vectors, self.vector(body)))

    def _summed(
        self, rows: int, vectors: int, quads: Expr, x: Callable[[Expr], Value], w: Callable[[Expr], Value]
    ) -> Stmt:
        """Sums of so many quads in registers."""

        here = (_R, _U, _LANE)
        step = var("i_k") * QUAD + _J
        term = Op("mul", (Cast("int32", x(step)), Cast("int32", w(step))))
        dot = Loop("i_j", const(QUAD), LoopKind.DOT, Update(_ACC, here, term))
        return block(
            self._tile(rows, vectors, Store(_ACC, here, Literal(0, "int32"))),
            Loop("i_k", quads, LoopKind.SERIAL, self._tile(rows, vectors, dot)),
        )

    def _scores(self, first: Expr, rows: int, panel: Expr, count: int) -> Stmt:
        acc = register(_ACC, (const(rows), const(count), const(self.lanes)), "int32")
        at = panel + _U
        key = at * self.lanes + _LANE
        made = Op("mul", (Cast("float32", Load(_ACC, (_R, _U, _LANE))), Load("by", (const(0),))))
        masked = self.places.masked(made, **self.places.where, m=first + _R, n=key)
        seen = self.places.seen(first + _R) - 1 - key
        score = Guard((seen, self.size["n"] - 1 - key), Store(_P, (_R, key), masked), Store(_P, (_R, key), NOTHING))
        sums = self._summed(
            rows,
            count,
            self.quads,
            lambda step: Load(_Q, (_R, step)),
            lambda step: Load(_K, (at, var("i_k"), _LANE, _J)),
        )
        larger = Update(_TOP, (_R, _LANE), Load(_P, (_R, key)), "max")
        return holding((acc,), sums, self._tile(rows, count, block(score, larger)))

    def _weights(self) -> Stmt:
        """Of a query."""
        peak = Reduce("max", "i_v", self.lanes, Load(_TOP, (_R, _LANE)))
        finite = Op("select", (Op("eq", (Load(_PEAK, ()), NOTHING)), Literal(0.0), Load(_PEAK, ())))
        at = (_R, var("i_t") * self.lanes + _LANE)
        share_ = Op("mul", (Op("exp", (Op("sub", (Load(_P, at), Load(_PEAK, ()))),)), Literal(HEAVIEST)))
        each = block(
            Store(_NEAR, (_LANE,), Op("round", (share_,))),
            Store(_C, at, Cast("uint8", Load(_NEAR, (_LANE,)))),
            Update(_SUM, (_LANE,), Load(_NEAR, (_LANE,))),
        )
        lanes = (const(self.lanes),)
        total = Reduce("add", "i_v", self.lanes, Load(_SUM, (_LANE,)))
        return holding(
            (register(_PEAK, ()), register(_SUM, lanes), register(_NEAR, lanes)),
            Store(_PEAK, (), peak),
            Store(_PEAK, (), finite),
            self.vector(Store(_SUM, (_LANE,), Literal(0.0))),
            Loop("i_t", self.panels, LoopKind.SERIAL, self.vector(each)),
            Store(_TOTAL, (_R,), total),
        )

    def _means(self, first: Expr, rows: int, panel: Expr, count: int) -> Stmt:
        acc = register(_ACC, (const(rows), const(count), const(self.lanes)), "int32")
        column = (panel + _U) * self.lanes + _LANE
        sums = self._summed(
            rows,
            count,
            ceildiv(self.size["n"], QUAD),
            lambda step: Load(_C, (_R, step)),
            lambda step: Load(_V, (step, column)),
        )
        some = Op("max", (Load(_TOTAL, (_R,)), Literal(1.0)))
        factor = Op("div", (Load("factor", (const(0),)), some))
        mean = Op(
            "add", (Op("mul", (Cast("float32", Load(_ACC, (_R, _U, _LANE))), factor)), Load("summand", (const(0),)))
        )
        place = self.places.at("y", **self.places.where, m=first + _R, e=column)
        put = Guard((self.size["e"] - 1 - column,), Store("y", place, self._stored(mean)))
        return holding((acc,), sums, self._tile(rows, count, put))

    def _stored(self, mean: Value) -> Value:
        if self.workload.attributes["out"] != "uint8":
            return mean
        return Cast("uint8", Op("min", (Op("max", (Op("round", (mean,)), Literal(0.0))), Literal(STEPS))))

    def all_queries(self, rows: int) -> Stmt:
        """`rows` at once, and those that are left by the powers of two that divide it, of which places are known."""
        left, done = self.size["m"], const(0)
        parts: list[Stmt] = []
        fewer = (1 << i for i in reversed(range(rows.bit_length())))
        for some in (rows, *(few for few in fewer if few < rows and rows % few == 0)):
            count = left // some
            parts.append(Loop("i_m", count, LoopKind.SERIAL, self.queries(done + var("i_m") * some, some)))
            done, left = done + count * some, left - count * some
        return block(*parts)

    def buffers(self, rows: int) -> tuple[Buffer, ...]:
        keys = self.panels * self.lanes
        return (
            Buffer(_K, (self.panels, self.quads, const(self.lanes), const(QUAD)), Scope.WORKSPACE, "uint8"),
            Buffer(_V, (ceildiv(self.size["n"], QUAD) * QUAD, self.width), Scope.WORKSPACE, "int8"),
            Buffer(_Q, (const(rows), self.depth), Scope.WORKSPACE, "int8"),
            Buffer(_P, (const(rows), keys), Scope.WORKSPACE),
            Buffer(_C, (const(rows), self.size["n"] + max(self.lanes, QUAD)), Scope.WORKSPACE, "uint8"),
        )


def _write(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    size, rows = workload.extents, config.int("rows")
    head = _Head(workload, facts(target).lanes, config.int("keys"), config.int("columns"))
    body = holding(head.buffers(rows), head.staged(), head.all_queries(rows))
    shared = share(config, computed(product([size[d] for d in "bhmn"]), (size["d"].value or 0) // 2 + 1))
    heads = shared.loop("i_h", size["h"], body)
    return nest.with_body(Loop("i_b", size["b"], LoopKind.SERIAL, Places(workload).counted(heads)))


def _choices(workload: Workload, target: Target) -> tuple[Choice, ...]:
    places = facts(target).vector_registers
    rows, keys, columns = next(tiles for least, *tiles in _TILES if places >= least)
    return (
        Choice(Knob("rows", (1, 2, 4, 6, 8, 12, 14), "queries of a register tile"), rows),
        Choice(Knob("keys", (1, 2, 3, 4), "vectors of keys of a register tile of scores"), keys),
        Choice(Knob("columns", (1, 2, 3, 4), "vectors of values of a register tile of means"), columns),
        *choices(target),
    )


def _rules(workload: Workload, target: Target) -> tuple[Constraint, ...]:
    places = facts(target).vector_registers

    def fit(tall: Setting, wide: Setting) -> bool:
        return int(tall) == int(wide) == 1 or int(tall) * int(wide) + int(wide) + 1 <= places

    doc = "a tile, one round of vectors and one element must fit the vector registers"
    return (
        Constraint("scores", doc, lambda c: fit(c["rows"], c["keys"])),
        Constraint("means", doc, lambda c: fit(c["rows"], c["columns"])),
    )


QUANTISED_ATTENTION_CPU = PlainTemplate(
    "quantised_attention.cpu", QUANTISED_ATTENTION.name, _write, _choices, rules=_rules, walked="m"
)
