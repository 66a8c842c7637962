"""The online softmax of a block's rows of scores: tile after tile of them in shared memory, rows shared by warps.

Each tile gives every row a new largest score, exponentials below it in place of the scores, their sum so far, and the
factor by which what was added up below the old largest has to shrink. A score of -inf is of a key that is not seen; a
row that has seen nothing yet has a sum of 0, and the least finite number as its largest score, below which -inf still
is nothing: so no score is compared with -inf. Sums and the largest are in the registers of the warp that has the row;
other threads read the factor in shared memory, behind a barrier. A GPU has an instruction for powers of 2.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from anytile.schedules.index.expr import Expr, const, var
from anytile.schedules.nest.nodes import (
    Buffer,
    Guard,
    Literal,
    Load,
    Loop,
    LoopKind,
    Op,
    Reduce,
    Scope,
    Stmt,
    Store,
    Update,
    Value,
    block,
)
from anytile.schedules.primitives.vector_rows import holding

WARP = 32
POWERS_OF_E = math.log2(math.e)  # times that an exponent of e is one of 2
NOTHING = Literal(-math.inf)
LEAST = Literal(-(2 - 2**-23) * 2.0**127)  # of float32
_GROUPS = (4, 2, 1)  # of lanes of a warp, each with rows of its own
_NEIGHBOURS = (4, 2, 1)  # scores of a row that a lane reads at once
_W, _G, _L, _R, _C, _V = "sw", "sg", "sl", "sr", "sc", "sv"  # warps, groups, lanes; rows of a group, columns of a lane
_BEST, _TOP, _SHRUNK, _SUM, _TOTAL, _ONE = "i_best", "i_top", "i_shrunk", "i_sum", "i_total", "i_one"


@dataclass(frozen=True)
class RowScores:
    """`rows` of `columns` scores in the shared buffer `scores`, of so many `warps`; `put` is where an exponential goes,
    `factor` a shared buffer of a number for each row. Four rows of a warp are made at once, each by lanes that are
    neighbours, where rows come out even, and of a row a lane has several scores in a vector."""

    warps: int
    rows: int
    columns: int
    scores: Buffer
    factor: Buffer
    put: Callable[[Expr, Expr, Value], Stmt]
    unit: float  # of scores: what makes exponents of 2 of them

    @property
    def groups(self) -> int:
        return next(n for n in _GROUPS if self.rows // self.warps % n == 0)

    @property
    def lanes(self) -> int:
        return WARP // self.groups

    @property
    def each(self) -> int:
        """Rows of a group."""
        return self.rows // (self.warps * self.groups)

    def _registers(self, *names: str, of_lanes: bool = False) -> tuple[Buffer, ...]:
        lanes = [const(self.lanes)] if of_lanes else []
        shape = (const(self.warps), const(self.groups), *lanes, const(self.each))
        return tuple(Buffer(n, shape, Scope.REGISTER) for n in names)

    @property
    def held(self) -> tuple[Buffer, ...]:
        """What outlives a tile. Each lane has a sum of its own, and they join once at the end."""
        return (*self._registers(_TOP, _TOTAL), *self._registers(_SUM, of_lanes=True))

    def _by_group(self, body: Stmt) -> Stmt:
        each = Loop(_R, const(self.each), LoopKind.UNROLLED, body)
        return Loop(_W, const(self.warps), LoopKind.WARP, Loop(_G, const(self.groups), LoopKind.THREAD, each))

    def _by_lane(self, body: Stmt) -> Stmt:
        each = Loop(_R, const(self.each), LoopKind.UNROLLED, body)
        lanes = Loop(_G, const(self.groups), LoopKind.THREAD, Loop(_L, const(self.lanes), LoopKind.THREAD, each))
        return Loop(_W, const(self.warps), LoopKind.WARP, lanes)

    @property
    def _wide(self) -> int:
        return next(n for n in _NEIGHBOURS if self.columns % (n * self.lanes) == 0)

    @property
    def _neighbour(self) -> Expr:
        return var(_V) if self._wide > 1 else const(0)

    def _neighbours(self, body: Stmt, kind: LoopKind = LoopKind.UNROLLED) -> Stmt:
        return Loop(_V, const(self._wide), kind, body) if self._wide > 1 else body

    def _pieces(self, then: Callable[[Load], Stmt]) -> Stmt:
        """The scores of a lane, some neighbours after the other; `then` gets one of them in a register."""
        one = Load(_ONE, (self._neighbour,))
        read = self._neighbours(Store(_ONE, one.index, self._score), LoopKind.VECTOR)
        held = Buffer(_ONE, (const(self._wide),), Scope.REGISTER)
        count = const(self.columns // (self.lanes * self._wide))
        return Loop(_C, count, LoopKind.UNROLLED, holding((held,), read, then(one)))

    @property
    def _mine(self) -> tuple[Expr, ...]:
        return (var(_W), var(_G), var(_R))

    @property
    def row(self) -> Expr:
        return (var(_W) * self.groups + var(_G)) * self.each + var(_R)

    @property
    def _column(self) -> Expr:
        return (var(_C) * self.lanes + var(_L)) * self._wide + self._neighbour

    @property
    def _score(self) -> Load:
        return Load(self.scores.name, (self.row, self._column))

    @property
    def _own(self) -> tuple[Expr, ...]:
        return (var(_W), var(_G), var(_L), var(_R))

    def start(self) -> Stmt:
        tops = self._by_group(Store(_TOP, self._mine, Reduce("max", _L, self.lanes, LEAST)))  # each lane has it
        return block(tops, self._by_lane(Store(_SUM, self._own, Literal(0.0))))

    def next(self) -> Stmt:
        """A tile of scores, which all threads see, as exponentials."""
        mine, lane = self._mine, self._own
        top, shrunk = Load(_TOP, mine), Load(_SHRUNK, mine)

        def below(one: Load) -> Stmt:
            exponential = Store(_ONE, one.index, self.power(Op("sub", (one, top))))
            put = self.put(self.row, self._column, one)
            summed = self._neighbours(block(exponential, Update(_SUM, lane, one)))
            return block(summed, self._neighbours(put, LoopKind.VECTOR))

        return holding(
            (*self._registers(_SHRUNK), *self._registers(_BEST, of_lanes=True)),
            self._by_lane(
                block(
                    Store(_BEST, lane, NOTHING),
                    self._pieces(lambda one: self._neighbours(Update(_BEST, lane, one, "max"))),
                )
            ),
            self._by_group(
                block(
                    Store(_SHRUNK, mine, top),
                    Store(_TOP, mine, Reduce("max", _L, self.lanes, Load(_BEST, lane))),
                    Update(_TOP, mine, shrunk, "max"),
                    Store(_SHRUNK, mine, self.power(Op("sub", (shrunk, top)))),
                )
            ),
            self._by_lane(
                block(
                    Update(_SUM, lane, shrunk, "mul"),
                    self._pieces(below),
                )
            ),
            self._told(shrunk),
        )

    def power(self, score: Value) -> Value:
        return Op("exp2", (score if self.unit == 1.0 else Op("mul", (score, Literal(self.unit))),))

    def joined(self) -> Stmt:
        """After this `total` is the sum of a row."""
        return self._by_group(Store(_TOTAL, self._mine, Reduce("add", _L, self.lanes, Load(_SUM, self._own))))

    def end(self, spared: Callable[[Expr, Callable[[bool], Stmt]], Stmt]) -> Stmt:
        """The factors that make means of sums; `spared(row, made)` says of which rows a sum of 0 has the factor 0."""
        none = Op("eq", (self.total, Literal(0.0)))
        share = Op("div", (Literal(1.0), self.total))

        def told(row: Expr) -> Stmt:
            def made(spares: bool) -> Stmt:
                value = Op("select", (none, Literal(0.0), share)) if spares else share
                return Store(self.factor.name, (row,), value)

            return spared(row, made)

        return block(self.joined(), self.each_row(told))

    def _told(self, value: Value) -> Stmt:
        return self.each_row(lambda row: Store(self.factor.name, (row,), value))

    def each_row(self, body: Callable[[Expr], Stmt]) -> Stmt:
        """`body(row)` by one of the lanes that have it."""
        return self._by_lane(Guard((-var(_L),), body(self.row)))

    @property
    def top(self) -> Value:
        return Load(_TOP, self._mine)

    @property
    def total(self) -> Value:
        return Load(_TOTAL, self._mine)
