"""Schedules: a loop nest on its way from an operator's definition to code, which schedule primitives rewrite.

A primitive is a function of this room. Its first argument is the `Schedule` that it changes; then comes what it is
about, loops or an operand, then where. It returns the name of what it made, if it made something, checks that it holds
where it stands, and raises ScheduleError where it does not. No primitive changes what a nest computes. Each shows in
its docstring what it does to a small nest.

A schedule begins with a definition, one perfect nest of loops around `out[...] += value`, or another update, whose
output starts at what changes nothing. `accumulate` ends that: copies of operands are staged before it, and loops are
partitioned after it. What a later primitive must know (which loop walks a dimension in tiles of what, which copies are
still to be made) stands beside the nest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from anytile.core.errors import ScheduleError
from anytile.schedules.index.expr import Expr
from anytile.schedules.nest.nodes import Alloc, Buffer, Load, Loop, LoopNest, Stmt, Store, Update, Value, block
from anytile.schedules.nest.simplify import simplify
from anytile.schedules.nest.traverse import each_loop, loads, loops, map_loads, walk

Result = Callable[[int], Value]  # what was computed: gate 0, 1, ...; an operator without gates has gate 0 alone
Tail = Callable[[Result, tuple[Expr, ...]], tuple[Store, ...]]  # the epilogue: what is stored of a result at an index


@dataclass(frozen=True, slots=True)
class Jam:
    """How far a tile of few rows takes panels side by side: into so many vector `registers`, and `panels` at most."""

    registers: int
    panels: int


@dataclass(frozen=True, slots=True)
class Split:
    """Loop `outer` walks `total` in tiles of `factor`; a smaller tile may take panels side by side."""

    outer: str
    inner: str
    total: Expr
    factor: int
    jam: Jam | None = None


@dataclass(frozen=True, slots=True)
class Staged:
    """A copy of an operand that the nest reads already: how it is made.

    It lives in each round of the loop `home`, where `start` runs first, and is filled in each round of the loop `at`
    inside it. None is around all loops.
    """

    buffer: Buffer
    home: str | None
    at: str | None
    fill: Stmt
    start: Stmt | None = None


@dataclass
class Schedule:
    """A nest being scheduled, with the epilogue that it will store its result through."""

    nest: LoopNest
    tail: Tail | None = None
    splits: dict[str, Split] = field(default_factory=dict)  # by the outer loop
    packs: list[tuple[str, LoopNest]] = field(default_factory=list)  # operands laid out ahead of time, and how
    staged: list[Staged] = field(default_factory=list)  # what `accumulate` has still to put in its place
    accumulated: bool = False
    _simple: LoopNest | None = None

    def loop(self, name: str) -> Loop:
        found = next(loops(self.nest.body, name), None)
        if found is None:
            raise ScheduleError(f"{self.nest.name} has no loop {name!r}")
        return found

    def tiles(self, outer: str, what: str) -> Split:
        """The split whose outer loop has this name."""
        if outer not in self.splits:
            raise ScheduleError(f"{what} {outer}: it is no split loop; expected one of {', '.join(self.splits)}")
        return self.splits[outer]

    def reads(self, operand: str) -> list[Load]:
        """The ways in which updates read an operand."""
        values = (x.value for x in walk(self.nest.body) if isinstance(x, Update))
        return list(dict.fromkeys(v for value in values for v in loads(value) if v.buffer == operand))

    def one_read(self, operand: str, what: str) -> Load:
        """The way to read it, where there is just one."""
        found = self.reads(operand)
        if len(found) != 1:
            raise ScheduleError(f"{what} {operand}: expected one way of reading it, found {len(found)}")
        return found[0]

    def stage(self, copy: Staged) -> None:
        """Have `accumulate` put a copy in its place."""
        if self.accumulated:
            raise ScheduleError(f"stage {copy.buffer.name}: expected the perfect nest; stage before accumulate")
        self.staged.append(copy)

    def put(self, body: Stmt) -> None:
        self.nest = self.nest.with_body(body)

    def read_instead(self, old: Load, new: Load) -> None:
        self.put(map_loads(self.nest.body, lambda v: new if v == old else v))

    def each(self, name: str, change: Callable[[Loop], Stmt]) -> None:
        """What `change` makes of it in place of each loop of a name."""
        self.put(each_loop(self.nest.body, name, change))

    def with_copies(self) -> Stmt:
        """The statement of the nest with everything in its place that is staged."""
        body = self.nest.body
        for s in self.staged:
            body = _inside(body, s.at, lambda x, s=s: block(s.fill, x))  # type: ignore[misc]  # a default binds s now
            body = _inside(body, s.home, lambda x, s=s: Alloc(s.buffer, block(s.start, x)))  # type: ignore[misc]
        return body

    def simplify(self) -> None:
        if self.nest is not self._simple:
            self.nest = self._simple = simplify(self.nest)


def _inside(body: Stmt, loop: str | None, change: Callable[[Stmt], Stmt]) -> Stmt:
    """What stands in each round of a loop, or all there is, changed."""
    return change(body) if loop is None else each_loop(body, loop, lambda x: replace(x, body=change(x.body)))


def finish(s: Schedule) -> LoopNest:
    """The scheduled nest, simplified."""
    if not s.accumulated:
        raise ScheduleError(f"{s.nest.name}: the output is never started; call accumulate")
    s.simplify()
    return s.nest
