"""attention on a CPU: a query at a time, whose row of scores stays in the nearest cache from the keys to the values.

    parallel i_h: for i_m: scores[n] = scale * q . k[n] + mask; exponentials and their sum; y[lane] = sum_n p[n] * v[n]

A query streams the keys and the values once, which is all there is to do for one alone. Where there are more, those in
`attention_tiles` share what is read.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, ceildiv, const, product, var
from anytile.schedules.nest.float16 import HALVES
from anytile.schedules.nest.nodes import (
    Buffer,
    Cast,
    Guard,
    Let,
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
from anytile.schedules.operators.products.attention import ATTENTION, NONE
from anytile.schedules.primitives.vector_rows import holding, register
from anytile.schedules.templates.base.parallel_grain import computed
from anytile.schedules.templates.base.plain import Choice, PlainTemplate
from anytile.schedules.templates.base.small_knobs import choices, share
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload

_PARTS, _TOP, _SUM, _SCORES = "i_parts", "i_top", "i_sum", "i_scores"
_H, _I, _J = var("i_h"), var("i_m"), var("i_n")
NOTHING = Literal(-math.inf)


@dataclass(frozen=True)
class Places:
    """Where an attention's tensors are read and written: a position for each letter of their orders."""

    workload: Workload

    def at(self, name: str, **where: Expr) -> tuple[Expr, ...]:
        return tuple(where[d] for d in str(self.workload.attributes[name]))

    def read(self, name: str, **where: Expr) -> Value:
        """An element as a float32."""
        load = Load(name, self.at(name, **where))
        return Cast("float32", load) if self._dtype(name) in HALVES else load

    def stored(self, value: Value, **where: Expr) -> Store:
        dtype = self._dtype("y")
        return Store("y", self.at("y", **where), Cast(dtype, value) if dtype in HALVES else value)

    def _dtype(self, name: str) -> str:
        return self.workload.dtype_of(self.workload.tensor(name))

    def score(self, likeness: Value, **where: Expr) -> Value:
        """What the exponential is taken of, given q . k."""
        scale = float(self.workload.attributes["scale"])
        made = likeness if scale == 1.0 else Op("mul", (likeness, Literal(scale)))
        if self.workload.attributes["mask"] == NONE:
            return made
        mask = self.read("mask", **where)
        return Op("select", (mask, made, NOTHING)) if self.workload.attributes["keeps"] else Op("add", (made, mask))

    def guarded(self, mean: Value, some: Value) -> Value:
        """A mean, given a value above 0 where weights are numbers."""
        if self.workload.attributes["guard"] != "nan":
            return mean
        return Op("select", (Op("gt", (some, Literal(0.0))), mean, Literal(0.0)))

    @property
    def there(self) -> Expr:
        """The number of keys of a batch; where an operand says it, inside `counted`."""
        return var("i_there") if self.workload.attributes["lengths"] else self.workload.extents["n"]

    def counted(self, body: Stmt) -> Stmt:
        if not self.workload.attributes["lengths"]:
            return body
        return Let("i_there", Load("length", (var("i_b"),)), self.workload.extents["n"] + 1, body)

    def seen(self, query: Expr) -> Expr:
        """How many of the keys a query sees; where it sees none it may be negative."""
        if not self.workload.attributes["causal"]:
            return self.there
        return query + 1 + self.there - self.workload.extents["m"]

    @property
    def shared(self) -> int:
        return int(self.workload.attributes["shared"])


def _write(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    size, it, lanes = workload.extents, Places(workload), facts(target).lanes
    parts = register(_PARTS, (const(lanes),))
    where = {"b": var("i_b"), "h": _H, "g": _H // it.shared, "m": _I}
    seen = it.seen(_I)

    def vectors(count: Expr, outer: str, inner: str, body: Stmt) -> Stmt:
        """A loop over `outer * lanes + inner`, by vectors of which the last may be cut short."""
        here = var(outer) * lanes + var(inner)
        one = Loop(inner, const(lanes), LoopKind.VECTOR, Guard((count - 1 - here,), body))
        return Loop(outer, ceildiv(count, lanes), LoopKind.SERIAL, one)

    def each_lane(body: Stmt) -> Stmt:
        return Loop("pv", const(lanes), LoopKind.VECTOR, body)

    cleared = each_lane(Store(_PARTS, (var("pv"),), Literal(0.0)))
    total = Reduce("add", "pv", lanes, Load(_PARTS, (var("pv"),)))
    near = {**where, "n": _J, "d": var("do") * lanes + var("dv")}
    product_ = Op("mul", (it.read("q", **near), it.read("k", **near)))
    scores = Loop(
        "i_n",
        seen,
        LoopKind.SERIAL,
        holding(
            (parts,),
            cleared,
            vectors(size["d"], "do", "dv", Update(_PARTS, (var("dv"),), product_)),
            Store(_SCORES, (_H, _J), it.score(total, **where, n=_J)),
            Update(_TOP, (), Load(_SCORES, (_H, _J)), "max"),
        ),
    )
    at = (_H, var("jo") * lanes + var("jv"))
    finite = Op("select", (Op("eq", (Load(_TOP, ()), NOTHING)), Literal(0.0), Load(_TOP, ())))
    exponential = Op("exp", (Op("sub", (Load(_SCORES, at), Load(_TOP, ()))),))
    weights = holding(
        (parts,),
        cleared,
        vectors(
            seen,
            "jo",
            "jv",
            block(Store(_SCORES, at, exponential), Update(_PARTS, (var("jv"),), Load(_SCORES, at))),
        ),
        Store(_SUM, (), total),
        Store(_SUM, (), Op("select", (Op("eq", (Load(_SUM, ()), Literal(0.0))), Literal(1.0), Load(_SUM, ())))),
    )
    far = {**where, "n": _J, "e": var("eo") * lanes + var("ev")}
    term = Op("mul", (Load(_SCORES, (_H, _J)), it.read("v", **far)))
    inside = (size["e"] - 1 - far["e"],)
    mean = it.guarded(Op("div", (Load(_PARTS, (var("ev"),)), Load(_SUM, ()))), Load(_SUM, ()))
    values = Loop(
        "eo",
        ceildiv(size["e"], lanes),
        LoopKind.SERIAL,
        holding(
            (parts,),
            cleared,
            Loop("i_n", seen, LoopKind.SERIAL, _lanes(lanes, Guard(inside, Update(_PARTS, (var("ev"),), term)))),
            _lanes(lanes, Guard(inside, it.stored(mean, **far))),
        ),
    )
    row = holding(
        (register(_TOP, ()), register(_SUM, ())),
        Store(_TOP, (), NOTHING),
        scores,
        Store(_TOP, (), finite),
        weights,
        values,
    )
    shared = share(config, computed(product([size[d] for d in "bhmn"]), 2 * ((size["d"].value or 0) + 1)))
    heads = shared.loop("i_h", size["h"], Loop("i_m", size["m"], LoopKind.SERIAL, row))
    held = Buffer(_SCORES, (size["h"], size["n"]), Scope.WORKSPACE)
    return nest.with_body(holding((held,), Loop("i_b", size["b"], LoopKind.SERIAL, it.counted(heads))))


def _lanes(lanes: int, body: Stmt) -> Stmt:
    return Loop("ev", const(lanes), LoopKind.VECTOR, body)


def _choices(workload: Workload, target: Target) -> tuple[Choice, ...]:
    return choices(target)


ATTENTION_CPU = PlainTemplate("attention.cpu", ATTENTION.name, _write, _choices)
