"""What templates of attention share: where its tensors are, and for CPUs the product of weights with the values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from anytile.core.dtypes import STORED_FLOATS
from anytile.schedules.index.expr import Expr, const, var
from anytile.schedules.nest.nodes import (
    Cast,
    Guard,
    Let,
    Literal,
    Load,
    Loop,
    LoopKind,
    Op,
    Stmt,
    Store,
    Update,
    Value,
    block,
)
from anytile.schedules.operators.products.attention import NONE
from anytile.schedules.primitives.vector_rows import holding, register, unrolled
from anytile.schedules.workloads.workload import Workload

NOTHING = Literal(-math.inf)
_ACC = "i_acc"
_S, _R, _C, _V = var("i_s"), var("i_r"), var("i_c"), var("i_v")


@dataclass(frozen=True)
class Places:
    """Where an attention's tensors are read and written: a position for each letter of their orders."""

    workload: Workload

    @property
    def where(self) -> dict[str, Expr]:
        """The head at hand."""
        return {"b": var("i_b"), "h": var("i_h"), "g": var("i_h") // self.shared}

    def at(self, name: str, **where: Expr) -> tuple[Expr, ...]:
        return tuple(where[d] for d in str(self.workload.attributes[name]))

    def read(self, name: str, **where: Expr) -> Value:
        """An element as a float32."""
        load = Load(name, self.at(name, **where))
        return Cast("float32", load) if self._dtype(name) in STORED_FLOATS else load

    def stored(self, value: Value, **where: Expr) -> Store:
        dtype = self._dtype("y")
        return Store("y", self.at("y", **where), Cast(dtype, value) if dtype in STORED_FLOATS else value)

    def _dtype(self, name: str) -> str:
        return self.workload.dtype_of(self.workload.tensor(name))

    def score(self, likeness: Value, times: float = 1.0, /, **where: Expr) -> Value:
        """What the exponential is taken of, given q . k, or so many times that where no mask is added to it."""
        scale = float(self.workload.attributes["scale"]) * times
        return self.masked(likeness if scale == 1.0 else Op("mul", (likeness, Literal(scale))), **where)

    @property
    def dims_of_mask(self) -> str:
        mask = str(self.workload.attributes["mask"])
        return "" if mask == NONE else mask

    @property
    def adds_a_mask(self) -> bool:
        return self.dims_of_mask != "" and not self.workload.attributes["keeps"]

    def masked(self, made: Value, **where: Expr) -> Value:
        """A score with its mask."""
        if not self.dims_of_mask:
            return made
        mask = self.read("mask", **where)
        return Op("add", (made, mask)) if self.adds_a_mask else Op("select", (mask, made, NOTHING))

    def guarded(self, mean: Value, some: Value) -> Value:
        """A mean, given a value above 0 where weights are numbers."""
        if self.workload.attributes["guard"] != "nan":
            return mean
        return Op("select", (Op("gt", (some, Literal(0.0))), mean, Literal(0.0)))

    def spared(self, query: Expr, made: Callable[[bool], Stmt]) -> Stmt:
        """What is made of a query's sums, which may say that weights of 0 in all are spared, or not."""
        if self.workload.attributes["guard"] != "none":
            return made(True)
        return Guard((self.seen(query) - 1,), made(False), made(True))

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


@dataclass(frozen=True)
class Means:
    """What weights make of the values for `rows` queries from `query` on, `columns` vectors of lanes at a time.

    `weight(key)` and `inverse`, one over the sum of all of them, are the query's that `i_r` counts; `along` writes a
    body at each key and a unit. Sums of `apart` units have registers of their own: few of them would wait for each
    other.
    """

    places: Places
    where: Mapping[str, Expr]
    query: Expr
    rows: int
    lanes: int
    columns: int
    weight: Callable[[Expr], Value]
    inverse: Value
    along: Callable[[Callable[[Expr, Expr], Stmt]], Stmt]
    apart: int = 1

    def body(self) -> Stmt:
        wide = self.columns * self.lanes
        size = self.places.workload.extents["e"].value or 0
        full = size // wide
        panels = Loop("i_o", const(full), LoopKind.SERIAL, self._panel(var("i_o") * wide, wide))
        rest = size - full * wide
        return block(panels, self._panel(const(full * wide), rest) if rest else None)

    def _panel(self, begin: Expr, width: int) -> Stmt:
        it, lanes, sums, column = self.places, self.lanes, (_R, _C, _V), begin + _C * self.lanes + _V
        count = -(-width // lanes)
        acc = register(_ACC, (const(self.apart), const(self.rows), const(count), const(lanes)))

        def each(body: Stmt) -> Stmt:
            inside = body if width % lanes == 0 else Guard((width - 1 - _C * lanes - _V,), body)
            return unrolled("i_r", self.rows, vectors_of(count, lanes, inside))

        def term(key: Expr, unit: Expr) -> Stmt:
            value = Op("mul", (self.weight(key), it.read("v", **self.where, n=key, e=column)))
            return each(Update(_ACC, (unit if self.apart > 1 else const(0), *sums), value))

        total = (const(0), *sums)
        joined = unrolled("i_s", self.apart - 1, each(Update(_ACC, total, Load(_ACC, (_S + 1, *sums)))))
        mean = it.guarded(Op("mul", (Load(_ACC, total), self.inverse)), self.inverse)
        return holding(
            (acc,),
            unrolled("i_s", self.apart, each(Store(_ACC, (_S, *sums), Literal(0.0)))),
            self.along(term),
            joined if self.apart > 1 else block(),
            each(it.stored(mean, **self.where, m=self.query + _R, e=column)),
        )


def inverse_of(total: Value, spares: bool) -> Value:
    """One over a sum of weights, which of one that is 0 leaves the values' sum as it is, or makes no number of it."""
    some = Op("select", (Op("eq", (total, Literal(0.0))), Literal(1.0), total))
    return Op("div", (Literal(1.0), some if spares else total))


def vectors_of(count: int, lanes: int, body: Stmt) -> Stmt:
    """`body` in each lane, `i_v`, of so many vectors, `i_c`."""
    return unrolled("i_c", count, Loop("i_v", const(lanes), LoopKind.VECTOR, body))


def along(name: str, extent: Expr, steps: int, body: Callable[[Expr, Expr], Stmt]) -> Stmt:
    """`body(position, unit)` at each of so many positions, `steps` units in a round; those of the rest are 0."""
    rounds = extent // steps
    inner = unrolled("i_u", steps, body(var(name) * steps + var("i_u"), var("i_u")))
    rest = Loop(name, extent - rounds * steps, LoopKind.SERIAL, body(rounds * steps + var(name), const(0)))
    return block(Loop(name, rounds, LoopKind.SERIAL, inner), rest)
