"""Packing: an operand in the layout in which a nest reads it, made ahead of time or at each call.

`slide` packs the kernel of a stencil once for each place that an output has among neighbours, which then read the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anytile.core.dtypes import BY_NAME, STORED_FLOATS
from anytile.core.errors import ScheduleError
from anytile.schedules.index.expr import Expr, const, var
from anytile.schedules.nest.nodes import (
    Buffer,
    Cast,
    Grain,
    Guard,
    Literal,
    Load,
    Loop,
    LoopKind,
    LoopNest,
    Scope,
    Stmt,
    Store,
    Update,
    Value,
)
from anytile.schedules.nest.operations import identity
from anytile.schedules.nest.simplify import simplify
from anytile.schedules.nest.traverse import around, chain_of, free_buffer, guarded, loads, map_value_exprs
from anytile.schedules.primitives.schedule import Schedule, Staged


def pack(
    s: Schedule,
    operand: str,
    layout: Sequence[str],
    at_run_time: bool = False,
    grain: Grain | None = None,
    dtype: str | None = None,
) -> str:
    """Give an operand the layout in which it is read: one dimension per name, a loop's or the operand's own (`w.1`).

    Elements that stick out are zero, so loads need no guard. The packed copy is made ahead of time (the nest that does
    is kept in `packs`), or with `at_run_time` in a workspace, by a prologue; with a grain threads share that work. A
    float that is cast where it is read may lie in another `dtype` there, which holds all of its numbers.

    >>> split(s, "i", 4, "io", "ii")
    >>> pack(s, "a", ("io", "k", "ii"), at_run_time=True)
    for io in 0..((m + 3) // 4):                       => workspace a_packed: float32[((m + 3) // 4), 8, 4] align 64
      for ii in 0..4:                                     for p_io in 0..((m + 3) // 4):
        if -ii - 4*io + m - 1 >= 0:                         for p_k in 0..8:
          for k in 0..8:                                      for p_ii in 0..4:
            y[ii + 4*io] += (a[ii + 4*io, k] * x[k])            if m - p_ii - 4*p_io - 1 >= 0:
                                                                  a_packed[p_io, p_k, p_ii] = a[p_ii + 4*p_io, p_k]
                                                                else:
                                                                  a_packed[p_io, p_k, p_ii] = 0.0
                                                          for io in 0..((m + 3) // 4):
                                                            for ii in 0..4:
                                                              if -ii - 4*io + m - 1 >= 0:
                                                                for k in 0..8:
                                                                  y[ii + 4*io] += (a_packed[io, k, ii] * x[k])
    """
    raw, read = s.nest.param(operand), s.one_read(operand, "pack")
    extents = {loop.var: loop.extent for loop in chain_of(s.nest.body)[0]}
    whole = {_dim_name(raw, d): d for d in range(len(read.index)) if _dim_name(raw, d) in layout}
    unknown = [n for n in layout if n not in extents and n not in whole]
    if unknown:
        raise ScheduleError(f"pack {operand}: {unknown[0]} is neither a loop nor a dimension of it")
    walked = {n for d, e in enumerate(read.index) if d not in whole.values() for n in e.names & set(extents)}
    if walked - set(layout):
        raise ScheduleError(f"pack {operand}: the layout lacks {min(walked - set(layout))}, which chooses an element")
    shape = tuple(raw.shape[whole[n]] if n in whole else extents[n] for n in layout)
    packed = Buffer(free_buffer(s.nest, f"{operand}_packed"), shape, Scope.PARAM, dtype or raw.dtype, align=64)
    raw_index = tuple(var(_dim_name(raw, d)) if d in whole.values() else e for d, e in enumerate(read.index))
    fill = packing(s.nest, raw, packed, layout, raw_index)
    s.read_instead(read, Load(packed.name, tuple(read.index[whole[n]] if n in whole else var(n) for n in layout)))
    if at_run_time:
        start = fill.body
        if grain is not None and isinstance(start, Loop):
            start = replace(start, kind=LoopKind.PARALLEL, grain=grain)
        s.stage(Staged(replace(packed, scope=Scope.WORKSPACE), None, None, start))
    else:
        s.packs.append((operand, fill))
        s.nest = replace(s.nest, params=tuple(packed if b.name == operand else b for b in s.nest.params))
    return packed.name


def slide(
    s: Schedule,
    operand: str,
    name: str,
    by: Expr,
    rounds: tuple[str, str],
    most: int,
    layout: Sequence[str],
    at_run_time: bool = False,
) -> str:
    """Let a loop over terms begin later for some outputs, by their `by`, so that in one round neighbours read the same.

    The loop becomes two, `rounds`, the inner one of `most` rounds. `operand` is packed, and is zero in rounds that are
    no term; other operands are read there where they have an element. Inner loops without a term are left out. Terms
    are integers: of these 0 times anything is 0.

    >>> s = stencil(dtype="int32")
    >>> split(s, "i", 2, "io", "ii")
    >>> slide(s, "w", "t", var("ii"), ("to", "ti"), 4, ("ii", "to", "ti"))
    for c in 0..2:
      for io in 0..((n + 1) // 2):
        for ii in 0..2:
          if -ii - 2*io + n - 1 >= 0:
            for t in 0..3:
              if ii + 2*io + t - 1 >= 0 and -ii - 2*io + n - t >= 0:
                y[c, ii + 2*io] += (x[c, ii + 2*io + t - 1] * w[t])
    =>
    for c in 0..2:
      for io in 0..((n + 1) // 2):
        for ii in 0..2:
          if -ii - 2*io + n - 1 >= 0:
            for ti in 0..4:
              if 2*io + ti - 1 >= 0 and -2*io + n - ti >= 0:
                y[c, ii + 2*io] += (x[c, 2*io + ti - 1] * w_packed[ii, 0, ti])
    """
    (chain, innermost), raw, loop = chain_of(s.nest.body), s.nest.param(operand), s.loop(name)
    conditions, update = (innermost.condition, innermost.body) if isinstance(innermost, Guard) else ((), innermost)
    bounds = s.nest.bounds
    for x in chain:
        bounds = bounds.having(x.var, 0, x.extent - 1)
    terms, latest = loop.extent.value, bounds.upper(by)
    if terms is None or latest is None or not bounds.proves_nonnegative(by) or not isinstance(update, Update):
        raise ScheduleError(f"slide {name} by {by}: expected terms of one update, and numbers from 0 to a known one")
    if BY_NAME[raw.dtype].kind == "float":
        raise ScheduleError(f"slide {operand}: it is {raw.dtype}; expected integers, as 0 times a float need not be 0")
    outer, inner = rounds
    first = var(outer) * most - by  # the term of an inner loop's first round
    there = {name: first + var(inner)}
    update = replace(update, value=map_value_exprs(update.value, lambda e: e.substitute(there)))
    kept = [first + (most - 1), terms - 1 - first, *(e.substitute(there) for e in conditions)]
    for load in loads(update.value):
        if load.buffer != operand:
            pairs = zip(load.index, s.nest.param(load.buffer).shape, strict=True)
            kept += [c for e, size in pairs if inner in e.names for c in (e, size - 1 - e)]
    turned = Loop(inner, const(most), loop.kind, guarded(tuple(dict.fromkeys(kept)), update))
    within = chain[chain.index(loop) + 1 :]
    whole = Loop(outer, const(-(-(terms + latest) // most)), loop.kind, around(within, turned))
    s.put(around(chain[: chain.index(loop)], whole))
    return pack(s, operand, layout, at_run_time)


def packing(
    nest: LoopNest, raw: Buffer, packed: Buffer, layout: Sequence[str], raw_index: tuple[Expr, ...]
) -> LoopNest:
    """The nest that fills the packed operand: at each place of the layout `p_<name>` the raw element at `raw_index`.

    What would lie outside of the raw one is zero.
    """
    rename = {n: var(f"p_{n}") for n in layout}
    at, target = tuple(e.substitute(rename) for e in raw_index), tuple(rename.values())
    inside = (*at, *(size - 1 - e for size, e in zip(raw.shape, at, strict=True)))
    zero, element = Store(packed.name, target, zero_of(packed.dtype)), Load(raw.name, at)
    held = element if packed.dtype == raw.dtype else Cast(packed.dtype, Cast("float32", element))
    body: Stmt = Guard(inside, Store(packed.name, target, held), zero)
    for n, extent in reversed(list(zip(layout, packed.shape, strict=True))):
        body = Loop(f"p_{n}", extent, LoopKind.SERIAL, body)
    return simplify(LoopNest(f"pack_{raw.name}", (raw, replace(packed, output=True)), nest.symbols, body))


def zero_of(dtype: str) -> Value:
    return Cast(dtype, Literal(0.0)) if dtype in STORED_FLOATS else identity("add", dtype)


def _dim_name(buffer: Buffer, d: int) -> str:
    return f"{buffer.name}.{d}"
