"""slice and pad on a CPU: rows as long as they lie together in both tensors, moved in vectors.

A dimension that is taken whole, or not padded, is one with the dimension before it. Where a row of a padded tensor lies
outside, it is filled with a number; or it is a copy of the row that edge or reflection name, looked up as an index
variable that is clamped into the tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, const, maximum, product, var
from anytile.schedules.nest.nodes import (
    Guard,
    Let,
    Literal,
    Load,
    Loop,
    LoopKind,
    LoopNest,
    Number,
    Op,
    Stmt,
    Store,
    Symbol,
    Value,
    block,
)
from anytile.schedules.operators.movement.slicing import END, count, filling, first, pads, slices
from anytile.schedules.operators.ranked import axes
from anytile.schedules.primitives.memory_floats import widened
from anytile.schedules.primitives.vector_rows import Share
from anytile.schedules.templates.base.moving_loops import lanes_of, moving, nested, row, rows
from anytile.schedules.templates.base.plain import PlainTemplate, however_they_lie
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload


@dataclass(frozen=True)
class Taken:
    """One dimension of a slice: x's size, y's size, the first position and the step."""

    size: Expr
    count: Expr
    first: Expr
    step: int


def taken(nest: LoopNest, workload: Workload) -> tuple[LoopNest, list[Taken]]:
    """A slice of as few dimensions as it allows, around nothing: with the symbols that say what it takes of them."""
    dims, symbols = list[Taken](), list(nest.symbols)
    for d, (start, stop, step) in zip(axes(workload.attributes), slices(workload.attributes), strict=True):
        size = workload.extents[d]
        if dims and (start, stop, step) == (0, END, 1) and dims[-1].step == 1:
            last = dims[-1]
            dims[-1] = Taken(last.size * size, last.count * size, last.first * size, 1)
        else:
            one = Taken(size, count(size, start, stop, step), first(size, start, step), step)
            dims.append(one if (start, stop, step) == (0, END, 1) else _named(one, d, symbols))
    x, y = nest.params
    params = (replace(x, shape=tuple(d.size for d in dims)), replace(y, shape=tuple(d.count for d in dims)))
    return replace(nest, params=params, symbols=tuple(symbols)), dims


def picked(dims: Sequence[Taken], at: tuple[Expr, ...]) -> Store:
    """An element of a slice."""
    return Store("y", at, Load("x", tuple(d.first + i * d.step for d, i in zip(dims, at, strict=True))))


def _write_slice(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    workload = workload.storing({})
    nest, dims = taken(nest, workload)
    outer = [var(f"i_{i}") for i in range(len(dims) - 1)]

    def move(j: Expr) -> Stmt:
        return picked(dims, (*outer, j))

    share = moving(product([d.count for d in dims]) * 2, workload.dtype)
    loops = [(f"i_{i}", d.count) for i, d in enumerate(dims[:-1])]
    return widened(nest.with_body(rows(loops, dims[-1].count, lanes_of(target, workload.dtype), move, share)))


def _named(taken: Taken, d: str, symbols: list[Symbol]) -> Taken:
    """The same in terms of symbols, from whose ranges it follows that every position lies in the dimension.

    The size of x is said as what lies before the last position taken, and a rest that is never negative.
    """

    def name(what: str, e: Expr, low: int) -> Expr:
        if e.value is not None:
            return e
        symbols.append(Symbol(f"i_{what}_{d}", low, derived=e))
        return var(f"i_{what}_{d}")

    many, step = name("count", maximum(taken.count, 0), 0), taken.step
    counted = maximum(taken.count, 0)
    if step > 0:
        start = name("first", taken.first, 0)
        rest = name("rest", taken.size - taken.first - counted * step, 1 - step)
        return Taken(start + many * step + rest, many, start, step)
    start = many * -step + name("first", taken.first + counted * step, step)
    return Taken(start + 1 + name("rest", taken.size - 1 - taken.first, 0), many, start, step)


@dataclass(frozen=True)
class Padded:
    """One dimension of a tensor and how much is put before and after it."""

    size: Expr
    before: Expr
    after: Expr

    @property
    def whole(self) -> Expr:
        return self.size + self.before + self.after

    @property
    def kept(self) -> bool:
        return self.before.value == 0 and self.after.value == 0


def padded(nest: LoopNest, workload: Workload) -> tuple[LoopNest, list[Padded]]:
    """A padded tensor of as few dimensions as it allows, around nothing."""
    mode, dims = str(workload.attributes["mode"]), list[Padded]()
    for d, (before, after) in zip(axes(workload.attributes), pads(workload.attributes), strict=True):
        size = workload.extents[d]
        if dims and before == after == 0 and (mode == "constant" or dims[-1].kept):
            last = dims[-1]
            dims[-1] = Padded(last.size * size, last.before * size, last.after * size)
        else:
            dims.append(Padded(size, const(before), const(after)))
    x, y = nest.params
    params = (replace(x, shape=tuple(d.size for d in dims)), replace(y, shape=tuple(d.whole for d in dims)))
    return replace(nest, params=params), dims


def _write_pad(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    workload, mode = workload.storing({}), str(workload.attributes["mode"])
    nest, dims = padded(nest, workload)
    lanes = lanes_of(target, workload.dtype)
    share = moving(product([d.whole for d in dims]) * 2, workload.dtype)
    if mode == "constant":
        fill = Literal(filling(workload.attributes, workload.dtype), workload.dtype)
        body = _filled(dims, lanes, fill, share)
    else:
        body = _looked_up(dims, lanes, mode, share, workload.dtype)
    return widened(nest.with_body(body))


def _filled(dims: Sequence[Padded], lanes: int, fill: Literal, share: Share) -> Stmt:
    last, outer = dims[-1], [var(f"i_{i}") for i in range(len(dims) - 1)]

    def run(size: Expr, start: Expr, value: Callable[[Expr], Value]) -> Stmt:
        return row(size, lanes, lambda j: Store("y", (*outer, start + j), value(j)))

    inside = tuple(i - d.before for d, i in zip(dims, outer, strict=False))
    copy = block(
        run(last.before, const(0), lambda j: fill),
        run(last.size, last.before, lambda j: Load("x", (*inside, j))),
        run(last.after, last.before + last.size, lambda j: fill),
    )
    conditions = [
        e
        for d, i in zip(dims, inside, strict=False)
        for e, padded in ((i, d.before), (d.size - 1 - i, d.after))
        if padded.value != 0
    ]
    body = Guard(tuple(conditions), copy, run(last.whole, const(0), lambda j: fill)) if conditions else copy
    return nested([(f"i_{i}", d.whole) for i, d in enumerate(dims[:-1])], body, share)


def _looked_up(dims: Sequence[Padded], lanes: int, mode: str, share: Share, dtype: str) -> Stmt:
    last = len(dims) - 1
    outer = [var(f"i_{i}") for i in range(last)]
    inside = [i if d.kept else var(f"i_in{n}") for n, (d, i) in enumerate(zip(dims, outer, strict=False))]

    def within(n: int, i: Expr, body: Stmt) -> Stmt:
        """The body with the position in x that position i of y shows."""
        return Let(f"i_in{n}", shown(i, dims[n].size, mode), dims[n].size, body)

    d = dims[last]
    move = row(d.size, lanes, lambda j: Store("y", (*outer, d.before + j), Load("x", (*inside, j))))

    def around(name: str, size: Expr, start: Expr) -> Stmt:
        at = var(name)
        put = Store("y", (*outer, start + at), Load("x", (*inside, var(f"i_in{last}"))))
        return Loop(name, size, LoopKind.SERIAL, within(last, start + at - d.before, put))

    body = block(around("i_before", d.before, const(0)), move, around("i_after", d.after, d.before + d.size))
    for n in reversed(range(last)):
        if not dims[n].kept:
            body = within(n, outer[n] - dims[n].before, body)
    loops = nested([(f"i_{i}", one.whole) for i, one in enumerate(dims[:-1])], body, share)
    nothing = row(d.whole, lanes, lambda j: Store("y", (*outer, j), Literal(0, dtype)))
    empty = nested([(f"i_{i}", one.whole) for i, one in enumerate(dims[:-1])], nothing, share)
    return Guard(tuple(one.size - 1 for one in dims), loops, empty)


def shown(i: Expr, size: Expr, mode: str) -> Value:
    """Which position of 0..size-1 stands at i; for edge the nearest, which is what clamping makes of i."""
    if mode == "edge":
        return Number(i)
    period = Number(2 * size - 2)
    at = Op("mod", (Number(i), Op("max", (period, Literal(1, "int64")))))
    return Op("min", (at, Op("sub", (period, at))))


SLICE_CPU = PlainTemplate("slice.cpu", "slice", _write_slice, served=however_they_lie)
PAD_CPU = PlainTemplate("pad.cpu", "pad", _write_pad, served=however_they_lie)
