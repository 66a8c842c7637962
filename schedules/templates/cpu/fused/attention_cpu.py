"""attention on a CPU for few queries: scores lie along the keys, and products run along the rows of their factors.

    p[r, n] = sum_lane q[r, lane] * k[n, lane];  p = exp(p - max), inverse[r] = 1 / sum;  y[r] += p[r, n] * v[n]

A query streams the keys and the values once, which is all there is to do for one alone. The template takes them one by
one; `attention_tiles` has those that are left of a block side by side, where they are too few for its vectors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from anytile.schedules.hardware.cpu import CpuFacts, facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, ceildiv, const, product, var
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
    Reduce,
    Scope,
    Stmt,
    Store,
    Update,
    block,
)
from anytile.schedules.operators.products.attention import ATTENTION
from anytile.schedules.primitives.vector_rows import holding, register, unrolled
from anytile.schedules.templates.base.parallel_grain import computed
from anytile.schedules.templates.base.plain import Choice, PlainTemplate
from anytile.schedules.templates.base.small_knobs import choices, share
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.cpu.fused.attention_places import NOTHING, Means, Places, along, inverse_of
from anytile.schedules.workloads.workload import Workload

_P, _INVERSE, _PARTS = "i_p", "i_inverse", "i_parts"
_ONE, _TOP, _SUM, _MOST, _ALL = "i_one", "i_top", "i_sum", "i_most", "i_all"
_R, _K, _V, _L = var("i_r"), var("i_k"), var("i_v"), var("i_l")
_VECTORS = (4, 3, 2, 1)  # of values, or keys, that may be side by side
_ROUND = 4  # vectors of a head
_BUSY = 8  # sums under way, from which on none waits for the one before


@dataclass(frozen=True)
class FewQueries:
    """So many queries of a head side by side, the last of which sees every key that any of them does."""

    workload: Workload
    cpu: CpuFacts
    start: Expr
    rows: int

    @property
    def places(self) -> Places:
        return Places(self.workload)

    @property
    def where(self) -> Mapping[str, Expr]:
        return self.places.where

    @property
    def keys(self) -> Expr:
        return var("i_keys") if self.workload.attributes["causal"] else self.places.there

    def body(self) -> Stmt:
        lanes, size, seen = self.cpu.lanes, self.workload.extents["n"], self.places.seen(self.start + self.rows - 1)
        room = ceildiv(size + lanes, lanes) * lanes  # a vector more, so that the last is provably inside
        held = (
            Buffer(_P, (const(self.rows), room), Scope.WORKSPACE),
            Buffer(_INVERSE, (const(self.rows),), Scope.WORKSPACE),
        )
        weights = Loop("i_r", const(self.rows), LoopKind.SERIAL, self._weights())
        made = holding(held, self._likenesses(), weights, self._means())
        return Let("i_keys", Number(seen), size + 1, made) if self.workload.attributes["causal"] else made

    def _side_by_side(self) -> int:
        """Vectors of one factor, given that each row has sums of its own with each."""
        places = self.cpu.vector_registers
        return next(n for n in _VECTORS if n == 1 or (self.rows + 1) * n + 1 <= places)

    def _likenesses(self) -> Stmt:
        """Queries times keys: each product runs along vectors of both, whose lanes are added up at last."""
        keys, rounds = self._side_by_side(), self.keys // self._side_by_side()
        rest = rounds * keys
        return block(
            Loop("i_t", rounds, LoopKind.SERIAL, self._likenesses_of(var("i_t") * keys, keys)),
            Loop("i_t", self.keys - rest, LoopKind.SERIAL, self._likenesses_of(rest + var("i_t"), 1)),
        )

    def _likenesses_of(self, first: Expr, keys: int) -> Stmt:
        it, lanes, here, width = self.places, self.cpu.lanes, (_R, _K, _V), self.workload.extents["d"]
        parts = register(_PARTS, (const(self.rows), const(keys), const(lanes)))

        def each(body: Stmt) -> Stmt:
            return unrolled("i_r", self.rows, unrolled("i_k", keys, body))

        def term(vector: Expr) -> Stmt:
            place = vector * lanes + _V
            q = it.read("q", **self.where, m=self.start + _R, d=place)
            k = it.read("k", **self.where, n=first + _K, d=place)
            return each(_lanes(lanes, Guard((width - 1 - place,), Update(_PARTS, here, Op("mul", (q, k))))))

        total = Reduce("add", "i_v", lanes, Load(_PARTS, here))
        return holding(
            (parts,),
            each(_lanes(lanes, Store(_PARTS, here, Literal(0.0)))),
            along("i_l", ceildiv(width, lanes), _ROUND, lambda vector, _: term(vector)),
            each(Store(_P, (_R, first + _K), total)),
        )

    def _weights(self) -> Stmt:
        """Exponentials of a row's scores, and one over their sum; what lies behind its keys weighs nothing."""
        it, lanes, here = self.places, self.cpu.lanes, _L * self.cpu.lanes + _V
        at, query = (_R, here), self.start + _R
        held = [register(name, (const(lanes),)) for name in (_TOP, _SUM, _ONE)]
        one = Load(_ONE, (_V,))

        def each(*statements: Stmt) -> Stmt:
            """What is stored is not read again at once: of less than a whole vector that would take its time."""
            made = block(*statements, Store(_P, at, one))
            return Loop("i_l", ceildiv(self.keys, lanes), LoopKind.SERIAL, _lanes(lanes, made))

        def across(name: str, op: str) -> Reduce:
            return Reduce(op, "i_v", lanes, Load(name, (_V,)))

        causal = bool(self.workload.attributes["causal"]) and self.rows > 1
        inside = ((it.seen(query) if causal else self.keys) - 1 - here,)
        score = Store(_ONE, (_V,), it.score(Load(_P, at), **self.where, m=query, n=here))
        top, total = Load(_MOST, ()), Load(_ALL, ())
        finite = Op("select", (Op("eq", (top, NOTHING)), Literal(0.0), top))
        exponential = Op("exp", (Op("sub", (Load(_P, at), top)),))
        return holding(
            (*held, register(_MOST, ()), register(_ALL, ())),
            _lanes(lanes, block(Store(_TOP, (_V,), NOTHING), Store(_SUM, (_V,), Literal(0.0)))),
            each(Guard(inside, score, Store(_ONE, (_V,), NOTHING)), Update(_TOP, (_V,), one, "max")),
            Store(_MOST, (), across(_TOP, "max")),
            Store(_MOST, (), finite),
            each(Store(_ONE, (_V,), exponential), Update(_SUM, (_V,), one)),
            Store(_ALL, (), across(_SUM, "add")),
            it.spared(query, lambda spares: Store(_INVERSE, (_R,), inverse_of(total, spares))),
        )

    def _means(self) -> Stmt:
        columns, places = self._side_by_side(), self.cpu.vector_registers
        sums = self.rows * columns
        apart = 2 if sums < _BUSY and 2 * sums + columns + 1 <= places else 1
        return Means(
            self.places,
            self.where,
            self.start,
            self.rows,
            self.cpu.lanes,
            columns,
            lambda key: Load(_P, (_R, key)),
            Load(_INVERSE, (_R,)),
            lambda body: along("i_n", self.keys, apart, body),
            apart,
        ).body()


def _lanes(lanes: int, body: Stmt) -> Stmt:
    return Loop("i_v", const(lanes), LoopKind.VECTOR, body)


def _write(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    size = workload.extents
    one = FewQueries(workload, facts(target), var("i_m"), 1)
    shared = share(config, computed(product([size[d] for d in "bhmn"]), 2 * ((size["d"].value or 0) + 1)))
    heads = shared.loop("i_h", size["h"], Loop("i_m", size["m"], LoopKind.SERIAL, one.body()))
    return nest.with_body(Loop("i_b", size["b"], LoopKind.SERIAL, one.places.counted(heads)))


def _choices(workload: Workload, target: Target) -> tuple[Choice, ...]:
    return choices(target)


def however_factors_lie(workload: Workload) -> bool:
    """Each of what is multiplied may lie in 16 bits, as a decoder's many keys and values beside his few queries."""
    return not workload.stored or (workload.dtype == "float32" and {name for name, _ in workload.stored} <= {*"qkv"})


ATTENTION_CPU = PlainTemplate(
    "attention.cpu", ATTENTION.name, _write, _choices, version=2, served=however_factors_lie, walked="m"
)
