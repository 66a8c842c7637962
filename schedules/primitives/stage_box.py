"""Staging of a box: a copy of the part of an input that some loops read, laid out as they do, with zeros around it.

What an index reaches within the loops is a box of the operand: the copy is that box, so a stencil's border, a tile that
sticks out and a stride all become plain reads that need no guard. `stage_gather` copies element by element instead, in
the order in which loops read: im2col for one tile. The copy lives in a workspace, once per round of the loop `at`. Only
updates that multiply what they read may be staged: a zero must add nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anytile.core.errors import ScheduleError
from anytile.schedules.index.bounds import Bounds
from anytile.schedules.index.expr import Expr, ceildiv, const, maximum, var
from anytile.schedules.nest.nodes import (
    Buffer,
    Guard,
    Load,
    Loop,
    LoopKind,
    Op,
    Scope,
    Stmt,
    Store,
    Update,
    block,
)
from anytile.schedules.nest.traverse import around, chain_of, free_buffer, guarded, map_exprs, map_loads
from anytile.schedules.primitives.pack import zero_of
from anytile.schedules.primitives.schedule import Schedule, Staged


def stage_box(
    s: Schedule,
    operand: str,
    at: str,
    order: Sequence[int],
    lanes: int,
    checked: Sequence[int] = (),
    *,
    whole: bool = False,
) -> None:
    """Read `operand` from a copy of the box that the loops inside `at` read.

    `order` lists the operand's dimensions as the copy has them; the innermost is copied by vectors of `lanes` where it
    is contiguous in the operand too. Conditions that only keep reads inside the operand are dropped with it; those that
    say which outputs there are stay, and those of the dimensions `checked`: there what is outside is not even read.
    With `whole` the copy's rows are a whole number of vectors, whatever is read of them.

    >>> s = stencil(8)
    >>> stage_box(s, "x", "c", (0, 1), 1)
    for c in 0..2:                                 => for c in 0..2:
      for i in 0..8:                                    workspace x_staged: float32[10]
        for t in 0..3:                                  for x.s1 in 0..10:
          if i + t - 1 >= 0 and -i - t + 8 >= 0:          if x.s1 - 1 >= 0 and -x.s1 + 8 >= 0:
            y[c, i] += (x[c, i + t - 1] * w[t])             x_staged[x.s1] = x[c, x.s1 - 1]
                                                          else:
                                                            x_staged[x.s1] = 0.0
                                                        for i in 0..8:
                                                          for t in 0..3:
                                                            y[c, i] += (x_staged[i + t] * w[t])
    """
    reading = Reading.of(s, operand, at)
    if sorted(order) != list(range(len(reading.raw.shape))):
        raise ScheduleError(f"stage {operand}: {tuple(order)} is no order of its {len(reading.raw.shape)} dimensions")
    walkers, here, there = list[_Walker](), list[Expr](), list(reading.load.index)
    for d in order:
        e = reading.load.index[d]
        low, extent = reading.range_of(e)
        there[d] = low
        if whole and d == order[-1]:
            extent = ceildiv(extent, lanes) * lanes
        if extent.value != 1 or (d == order[-1] and not walkers):  # a copy of one element has a dimension, too
            walkers.append(_Walker(f"{operand}.s{d}", extent))
            there[d] = low + var(walkers[-1].name)
            here.append(e - low)
    _stage(s, reading, walkers, tuple(here), tuple(there), lanes, checked)


def stage_gather(s: Schedule, operand: str, at: str, layout: Sequence[str], lanes: int) -> None:
    """im2col: read `operand` from a copy with one dimension for each loop of `layout`, all inside `at`.

    It holds what they read, in the order in which they read it, whatever the index.

    >>> s = stencil(8)
    >>> stage_gather(s, "x", "c", ("i", "t"), 1)
    for c in 0..2:                                 => for c in 0..2:
      for i in 0..8:                                    workspace x_staged: float32[8, 3]
        for t in 0..3:                                  for x.i in 0..8:
          if i + t - 1 >= 0 and -i - t + 8 >= 0:          for x.t in 0..3:
            y[c, i] += (x[c, i + t - 1] * w[t])             if x.i + x.t - 1 >= 0 and -x.i - x.t + 8 >= 0:
                                                              x_staged[x.i, x.t] = x[c, x.i + x.t - 1]
                                                            else:
                                                              x_staged[x.i, x.t] = 0.0
                                                        for i in 0..8:
                                                          for t in 0..3:
                                                            y[c, i] += (x_staged[i, t] * w[t])
    """
    reading = Reading.of(s, operand, at)
    extents = {loop.var: loop.extent for loop in reading.inner}
    missing = {n for e in reading.load.index for n in e.names} & (set(extents) - set(layout))
    if missing or not set(layout) <= set(extents):
        raise ScheduleError(f"gather {operand} at {at}: {', '.join(layout)} are not the loops inside that read it")
    names = {n: f"{operand}.{n}" for n in layout}
    there = tuple(e.substitute({n: var(name) for n, name in names.items()}) for e in reading.load.index)
    walkers = [_Walker(names[n], extents[n]) for n in layout]
    _stage(s, reading, walkers, tuple(var(n) for n in layout), there, lanes, ())


@dataclass(frozen=True, slots=True)
class _Walker:
    """A loop that fills one dimension of the copy."""

    name: str
    extent: Expr


@dataclass(frozen=True, slots=True)
class Reading:
    """The one way in which a perfect nest reads an operand, and the loops inside and outside the copy."""

    raw: Buffer
    bounds: Bounds  # outside the copy
    outer: tuple[Loop, ...]
    inner: tuple[Loop, ...]
    guard: tuple[Expr, ...]
    update: Update
    load: Load

    @classmethod
    def of(cls, s: Schedule, operand: str, at: str) -> Reading:
        raw, (loops, body) = s.nest.param(operand), chain_of(s.nest.body)
        guard: tuple[Expr, ...] = ()
        if isinstance(body, Guard) and body.otherwise is None:
            guard, body = body.condition, body.body
        if not isinstance(body, Update):
            raise ScheduleError(f"stage {operand}: expected the perfect nest; stage before accumulate")
        names = [loop.var for loop in loops]
        if at not in names:
            raise ScheduleError(f"stage {operand} at {at}: no such loop in the perfect nest")
        used = s.reads(operand)
        if len(used) != 1 or not (isinstance(body.value, Op) and body.value.name == "mul" and body.op == "add"):
            raise ScheduleError(f"stage {operand}: expected a sum of products with one way of reading it")
        count = names.index(at) + 1
        bounds = s.nest.bounds
        for loop in loops[:count]:
            bounds = bounds.having(loop.var, 0, loop.extent - 1)
        return cls(raw, bounds, tuple(loops[:count]), tuple(loops[count:]), guard, body, used[0])

    def range_of(self, e: Expr, step: int = 1) -> tuple[Expr, Expr]:
        """Where an index begins in the inner loops, and over how many elements, or steps of several, it goes."""
        low, last = e, const(0)
        for loop in self.inner:
            c = e.coefficient(loop.var)
            if c is None or c < 0:
                raise ScheduleError(f"stage {self.load.buffer}: {e} does not grow steadily with {loop.var}")
            low = low.substitute({loop.var: 0})
            last = last + (loop.extent - 1) * c
        return low, self._steps(last + 1, step)

    def _steps(self, extent: Expr, step: int) -> Expr:
        """How many steps cover an extent, which an empty output may make less than nothing."""
        steps = self.bounds.simplify(ceildiv(extent, step))
        return steps if self.bounds.proves_nonnegative(steps) else maximum(steps, 0)

    def from_copy(self, s: Schedule, copy: Load, checked: Sequence[int] = ()) -> None:
        """Have the nest read this element of a copy instead, without the conditions that a copy has no need of."""
        sides = [d for d in range(len(self.raw.shape)) if d not in checked]
        limits = {c for d in sides for c in (self.load.index[d], self.raw.shape[d] - 1 - self.load.index[d])}
        of_output = {n for e in self.update.index for n in e.names} | {x.name for x in s.nest.symbols}
        left = tuple(c for c in self.guard if c not in limits or c.names <= of_output)
        body = map_loads(self.update, lambda v: copy if v == self.load else v)
        s.put(around((*self.outer, *self.inner), guarded(left, body)))


def _stage(
    s: Schedule,
    reading: Reading,
    walkers: Sequence[_Walker],
    here: tuple[Expr, ...],
    there: tuple[Expr, ...],
    lanes: int,
    checked: Sequence[int],
) -> None:
    """Have the nest read the copy; element `there` of the operand comes to each place of it."""
    raw, at = reading.raw, reading.outer[-1].var
    name = free_buffer(s.nest, f"{raw.name}_staged")
    box = Buffer(name, tuple(w.extent for w in walkers), Scope.WORKSPACE, raw.dtype)
    s.stage(Staged(box, at, at, _fill(raw, box, walkers, there, reading.bounds, lanes)))
    reading.from_copy(s, Load(name, here), checked)


def _fill(
    raw: Buffer, box: Buffer, walkers: Sequence[_Walker], there: tuple[Expr, ...], bounds: Bounds, lanes: int
) -> Stmt:
    """Copy what lies inside the operand, zero the rest; a condition is checked as far out as it is known."""
    for w in walkers:
        bounds = bounds.having(w.name, 0, w.extent - 1)
    limits = dict.fromkeys(c for e, n in zip(there, raw.shape, strict=True) for c in (e, n - 1 - e))
    unsure = [c for c in limits if not bounds.proves_nonnegative(c)]
    target = tuple(var(w.name) for w in walkers)
    copy = Store(box.name, target, Load(raw.name, there))
    zero = Store(box.name, target, zero_of(raw.dtype))
    last = walkers[-1]
    flat = all(e.coefficient(last.name) == (d == len(there) - 1) for d, e in enumerate(there))
    wide = lanes > 1 and flat and (last.extent // lanes) * lanes == last.extent

    def walk(depth: int, leaf: Store) -> Stmt:
        known = {w.name for w in walkers[:depth]}
        fresh = {w.name for w in walkers[depth - 1 : depth]}
        unknown = {w.name for w in walkers} - known
        now = tuple(c for c in unsure if c.names.isdisjoint(unknown) and (not depth or c.names & fresh))
        checked = bool(now) and leaf is copy
        if depth == len(walkers):
            if not checked:
                return leaf
            return block(zero, Guard(now, copy)) if wide else Guard(now, copy, zero)
        step = lanes if wide and depth + 1 == len(walkers) else 1
        inner = _loop(walkers[depth], walk(depth + 1, leaf), step)
        if not checked:
            return inner
        return Guard(now, inner, _loop(walkers[depth], walk(depth + 1, zero), step))

    return walk(0, copy)


def _loop(w: _Walker, body: Stmt, lanes: int) -> Stmt:
    if lanes == 1:
        return Loop(w.name, w.extent, LoopKind.SERIAL, body)
    lane = f"{w.name}.lane"
    whole = var(w.name) * lanes + var(lane)
    vector = Loop(lane, const(lanes), LoopKind.VECTOR, map_exprs(body, lambda e: e.substitute({w.name: whole})))
    return Loop(w.name, w.extent // lanes, LoopKind.SERIAL, vector)
