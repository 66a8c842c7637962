"""Reductions by threads: the fields of `vector_rows` on a GPU, where threads are the lanes and warps share a result.

`AlongThreads` reduces the dimension that neighbouring threads lie in, `AcrossThreads` another one, with a result in
each thread. Each statement that a field makes is a phase of all threads; every warp that shares a result has a copy of
it. What a field joins is written as a `Reduce` over threads or warps; `joined` makes exchanges of that: lanes give
each other what they have, warps meet in shared memory.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from anytile.schedules.index.expr import Expr, ExprLike, ceildiv, const, var
from anytile.schedules.nest.nodes import (
    Alloc,
    Barrier,
    Buffer,
    Guard,
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
from anytile.schedules.nest.traverse import around, map_reduces, rebuild, walk, walk_value
from anytile.schedules.primitives.gpu.points import PIECE, in_pieces
from anytile.schedules.primitives.vector_rows import BLOCK, At

_ROW, _SHARE, _LANE, _ROUND, _PART, _UNIT = "wm", "wn", "ln", "ro", "pp", PIECE
WARP = 32


@dataclass(frozen=True, slots=True)
class Team:
    """Warps of a block: `rows` beside each other, so many `shares` of one result; a thread reads `vector` at once."""

    rows: int
    shares: int
    vector: int = 1

    @property
    def warps(self) -> tuple[Loop, Loop]:
        nothing = block()
        return (
            Loop(_ROW, const(self.rows), LoopKind.WARP, nothing),
            Loop(_SHARE, const(self.shares), LoopKind.WARP, nothing),
        )

    @property
    def threads(self) -> tuple[Loop, ...]:
        return (*self.warps, Loop(_LANE, const(WARP), LoopKind.THREAD, block()))


class _Phases(ABC):
    """What both fields have in common."""

    apart: ClassVar[bool] = True
    team: Team
    size: Expr

    @property
    def block(self) -> int:
        return BLOCK * self._sharing

    @property
    @abstractmethod
    def _sharing(self) -> int:
        """Accumulators of one result."""

    def start(self, body: Callable[[At], Stmt]) -> Stmt:
        return around(self.team.threads, self._units(lambda unit: body(self._accumulator(unit))))

    def _units(self, body: Callable[[Expr], Stmt]) -> Stmt:
        if self.team.vector == 1:
            return body(const(0))
        return Loop(_UNIT, const(self.team.vector), LoopKind.UNROLLED, body(var(_UNIT)))

    @abstractmethod
    def _accumulator(self, unit: Expr) -> At:
        """The place of the accumulator of the thread at hand."""


@dataclass(frozen=True)
class AlongThreads(_Phases):
    """Rows from `first_row` on, as far as there are `rows`; `place(row, position)` is where a term is."""

    team: Team
    first_row: Expr
    rows: Expr
    size: Expr
    place: Callable[[Expr, Expr], At]
    params: Mapping[str, str]  # dtypes, by name

    @property
    def lanes(self) -> tuple[Expr, ...]:
        return tuple(map(const, (self.team.rows, self.team.shares, WARP, self.team.vector)))

    @property
    def results(self) -> tuple[Expr, ...]:
        return tuple(map(const, (self.team.rows, self.team.shares)))

    @property
    def _sharing(self) -> int:
        return self.team.shares * WARP * self.team.vector

    def _accumulator(self, unit: Expr) -> At:
        return (var(_ROW), var(_SHARE), var(_LANE), unit)

    @property
    def row(self) -> Expr:
        return self.first_row + var(_ROW)

    @property
    def _there(self) -> Expr:
        return self.rows - 1 - self.row

    def each(self, body: Callable[[At, At], Stmt], begin: ExprLike = 0, size: Expr | None = None) -> Stmt:
        count, vector = self.size if size is None else size, self.team.vector
        piece = (var(_ROUND) * self.team.shares + var(_SHARE)) * WARP + var(_LANE)
        unit = var(_UNIT) if vector > 1 else const(0)
        one = body(self._accumulator(unit), self.place(self.row, begin + piece * vector + unit))
        if vector > 1:
            one = in_pieces(one, vector, self.params)
        whole = Guard((count - vector - piece * vector,), one)  # there are whole pieces alone
        rounds = Loop(_ROUND, ceildiv(count, self.team.shares * WARP * vector), LoopKind.SERIAL, whole)
        return around(self.team.threads, Guard((self._there,), rounds))

    def finish(self, body: Callable[[At], Stmt]) -> Stmt:
        return around(self.team.warps, body((var(_ROW), var(_SHARE))))

    def deliver(self, body: Callable[[At], Stmt]) -> Stmt:
        """By the first thread of a row."""
        alone = (self._there, -var(_SHARE), -var(_LANE))
        return around(self.team.threads, Guard(alone, body((var(_ROW), var(_SHARE)))))

    def joined(self, buffer: str, op: str) -> Value:
        terms: list[Value] = [Load(buffer, self._accumulator(const(u))) for u in range(self.team.vector)]
        value = terms[0]
        for term in terms[1:]:
            value = Op(op, (value, term))
        return Reduce(op, _LANE, WARP, value)

    def result_of(self, accumulator: At) -> At:
        return accumulator[:2]

    def first(self, accumulator: At) -> Expr:
        return (accumulator[1] * WARP + accumulator[2]) * self.team.vector + accumulator[3]


@dataclass(frozen=True)
class AcrossThreads(_Phases):
    """A result in each thread, from `first_column` on as far as there are `columns`; warps that share one see every
    so manieth term. `place(position, column)` is where a term is."""

    team: Team
    first_column: Expr
    columns: Expr
    size: Expr
    place: Callable[[Expr, Expr], At]

    @property
    def lanes(self) -> tuple[Expr, ...]:
        return tuple(map(const, (self.team.rows, self.team.shares, WARP)))

    @property
    def results(self) -> tuple[Expr, ...]:
        return self.lanes

    @property
    def _sharing(self) -> int:
        return self.team.shares

    def _accumulator(self, unit: Expr) -> At:
        return (var(_ROW), var(_SHARE), var(_LANE))

    @property
    def column(self) -> Expr:
        return self.first_column + var(_ROW) * WARP + var(_LANE)

    @property
    def _there(self) -> Expr:
        return self.columns - 1 - self.column

    def each(self, body: Callable[[At, At], Stmt], begin: ExprLike = 0, size: Expr | None = None) -> Stmt:
        count = self.size if size is None else size
        position = var(_ROUND) * self.team.shares + var(_SHARE)
        one = Guard(
            (count - 1 - position,), body(self._accumulator(const(0)), self.place(begin + position, self.column))
        )
        rounds = Loop(_ROUND, ceildiv(count, self.team.shares), LoopKind.SERIAL, one)
        return around(self.team.threads, Guard((self._there,), rounds))

    def finish(self, body: Callable[[At], Stmt]) -> Stmt:
        return around(self.team.threads, body(self._accumulator(const(0))))

    def deliver(self, body: Callable[[At], Stmt]) -> Stmt:
        alone = (self._there, -var(_SHARE))
        return around(self.team.threads, Guard(alone, body(self._accumulator(const(0)))))

    def joined(self, buffer: str, op: str) -> Value:
        mine = Load(buffer, self._accumulator(const(0)))
        return mine if self.team.shares == 1 else Reduce(op, _SHARE, self.team.shares, mine)

    def result_of(self, accumulator: At) -> At:
        return accumulator

    def first(self, accumulator: At) -> Expr:
        return accumulator[1]


def joined(body: Stmt, team: Team, dtypes: Mapping[str, str] | None = None) -> Stmt:
    """The phases with exchanges in place of what they reduce over lanes and warps: each value is found once, ahead of
    the phase, and is then in a register of every thread that it is for."""
    dtypes = dtypes or {}
    if isinstance(body, Alloc):
        known = {**dtypes, body.buffer.name: body.buffer.dtype}
        return replace(body, body=joined(body.body, team, known))
    if not (isinstance(body, Loop) and body.kind is LoopKind.WARP):
        return rebuild(body, lambda c: joined(c, team, dtypes))
    found: dict[Reduce, Buffer] = {}
    for s in walk(body):
        if isinstance(s, Store | Update):
            for v in walk_value(s.value):
                if isinstance(v, Reduce) and v not in found:
                    found[v] = _home(v, team, dtypes, len(found))
    if not found:
        return body
    made = map_reduces(body, lambda r: Load(found[r].name, _at(r)))
    for reduction, home in reversed(found.items()):
        made = Alloc(home, block(_exchange(reduction, home, team), made))
    return made


def _loaded(v: Reduce) -> str:
    return next(x.buffer for x in walk_value(v) if isinstance(x, Load))


def _at(v: Reduce) -> At:
    lanes = (var(_LANE),) if v.var == _SHARE else ()
    return (var(_ROW), var(_SHARE), *lanes)


def _home(v: Reduce, team: Team, dtypes: Mapping[str, str], number: int) -> Buffer:
    sizes = [team.rows, team.shares, *([WARP] if v.var == _SHARE else [])]
    name = f"{_loaded(v)}_all{number or ''}"
    return Buffer(name, tuple(map(const, sizes)), Scope.REGISTER, dtypes[_loaded(v)])


def _exchange(v: Reduce, home: Buffer, team: Team) -> Stmt:
    """After this every thread has the value in its own register."""
    here = _at(v)
    of_warps = v.var == _SHARE
    loops: Sequence[Loop] = team.threads if of_warps else team.warps
    mine: Value = v.value if of_warps else v
    if team.shares == 1:
        return around(loops, Store(home.name, here, mine))
    shape = home.shape
    meeting = Buffer(f"{home.name}_met", shape, Scope.SHARED, home.dtype)
    put = around(loops, Store(meeting.name, here, mine))
    first, other = ((here[0], part, *here[2:]) for part in (const(0), var(_PART) + 1))
    more = Loop(
        _PART,
        const(team.shares - 1),
        LoopKind.UNROLLED,
        Update(home.name, here, Load(meeting.name, other), v.op),
    )
    take = around(loops, block(Store(home.name, here, Load(meeting.name, first)), more))
    return Alloc(meeting, block(put, Barrier(), take))
