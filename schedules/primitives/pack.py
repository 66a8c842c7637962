"""Packing: an operand in the layout in which a nest reads it, made ahead of time or at each call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anytile.core.errors import ScheduleError
from anytile.schedules.index.expr import Expr, var
from anytile.schedules.nest.float16 import HALVES
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
    Value,
)
from anytile.schedules.nest.operations import identity
from anytile.schedules.nest.simplify import simplify
from anytile.schedules.nest.traverse import chain_of, free_buffer
from anytile.schedules.primitives.schedule import Schedule, Staged


def pack(
    s: Schedule, operand: str, layout: Sequence[str], at_run_time: bool = False, grain: Grain | None = None
) -> str:
    """Give an operand the layout in which it is read: one dimension per name, a loop's or the operand's own (`w.1`).

    Elements that stick out are zero, so loads need no guard. The packed copy is made ahead of time (the nest that does
    is kept in `packs`), or with `at_run_time` in a workspace, by a prologue; with a grain threads share that work.

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
    packed = Buffer(free_buffer(s.nest, f"{operand}_packed"), shape, Scope.PARAM, raw.dtype, align=64)
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


def packing(
    nest: LoopNest, raw: Buffer, packed: Buffer, layout: Sequence[str], raw_index: tuple[Expr, ...]
) -> LoopNest:
    """The nest that fills the packed operand: at each place of the layout `p_<name>` the raw element at `raw_index`.

    What would lie outside of the raw one is zero.
    """
    rename = {n: var(f"p_{n}") for n in layout}
    at, target = tuple(e.substitute(rename) for e in raw_index), tuple(rename.values())
    inside = tuple(size - 1 - e for size, e in zip(raw.shape, at, strict=True))
    zero = Store(packed.name, target, zero_of(raw.dtype))
    body: Stmt = Guard(inside, Store(packed.name, target, Load(raw.name, at)), zero)
    for n, extent in reversed(list(zip(layout, packed.shape, strict=True))):
        body = Loop(f"p_{n}", extent, LoopKind.SERIAL, body)
    return simplify(LoopNest(f"pack_{raw.name}", (raw, replace(packed, output=True)), nest.symbols, body))


def zero_of(dtype: str) -> Value:
    return Cast(dtype, Literal(0.0)) if dtype in HALVES else identity("add", dtype)


def _dim_name(buffer: Buffer, d: int) -> str:
    return f"{buffer.name}.{d}"
