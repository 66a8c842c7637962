"""Static counts of a loop nest: how often each statement runs, what stands in the code, the footprint of accesses.

Everything is counted at concrete sizes, by one walk over the statements; loops are never run. Vector loops count once
per vector, unrolled loops as copies in the code.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from anytile.core.dtypes import BYTES
from anytile.schedules.index.expr import Expr
from anytile.schedules.nest.nodes import (
    DOT_KINDS,
    Alloc,
    Block,
    Buffer,
    Guard,
    Let,
    Loop,
    LoopKind,
    Prefetch,
    Reduce,
    Scope,
    Stmt,
    Store,
    Update,
    Value,
)
from anytile.schedules.nest.traverse import loads as loads_of

SAMPLES = 96  # rounds at which a guard is looked at
LINE = 64  # bytes of a cache line: rows shorter than that cost as much


@dataclass(frozen=True, slots=True)
class Around:
    """A loop around a statement, with its trips at the representative sizes."""

    name: str
    trips: int
    kind: LoopKind


@dataclass(frozen=True, slots=True)
class Access:
    """One load, store or prefetch, with what stands around it."""

    buffer: str
    index: tuple[Expr, ...]
    loops: tuple[Around, ...]
    times: float  # vector instructions


@dataclass
class Tally:
    """What a walk over the nest counts."""

    updates: float = 0.0  # vector multiply-adds or the like
    elements: float = 0.0  # of the arithmetic, lanes counted
    loads: list[Access] = field(default_factory=list)
    stores: list[Access] = field(default_factory=list)
    prefetches: float = 0.0
    rounds: float = 0.0  # iterations of loops that are loops in the code
    guards: float = 0.0
    code: float = 0.0
    inner_code: float = 0.0
    registers: float = 0.0
    heaviest: tuple[float, tuple[Around, ...]] = (0.0, ())
    # Of the time that guards hold, by their conditions and the loops that these name.
    shares: dict[tuple[tuple[Expr, ...], tuple[Around, ...]], float] = field(default_factory=dict)


def count(
    s: Stmt,
    loops: tuple[Around, ...],
    times: float,
    env: Mapping[str, int],
    buffers: Mapping[str, Buffer],
    tally: Tally,
    lanes: int,
) -> None:
    """Walk down with the loops on the way and how often control comes here, vector loops counting once per vector."""
    match s:
        case Loop(var, extent, kind, body):
            trips = max(0, _evaluate(extent, loops, env))
            runs: float = trips
            if kind is LoopKind.VECTOR:
                runs = math.ceil(trips / lanes)
            elif _is_one(s):
                runs = min(trips, 1)
            elif kind not in (LoopKind.UNROLLED, *DOT_KINDS):
                tally.rounds += times * trips
            count(body, (*loops, Around(var, trips, kind)), times * runs, env, buffers, tally, lanes)
        case Block(body):
            for child in body:
                count(child, loops, times, env, buffers, tally, lanes)
        case Alloc(buffer, body):
            if buffer.scope is Scope.REGISTER:
                tally.registers += math.prod(max(1, _evaluate(e, loops, env)) for e in buffer.shape) / lanes
            count(body, loops, times, env, buffers, tally, lanes)
        case Guard(condition, body, otherwise):
            tally.guards += times
            involved = _involved(condition, loops)
            share = tally.shares.get((condition, involved))
            if share is None:
                share = tally.shares[condition, involved] = _share(condition, involved, env)
            count(body, loops, times * share, env, buffers, tally, lanes)
            if otherwise is not None:
                count(otherwise, loops, times * (1 - share), env, buffers, tally, lanes)
        case Prefetch():
            tally.prefetches += times
            tally.code += _copies(loops, lanes)
        case Store(buffer, index, value) | Update(buffer, index, value):
            copies = _copies(loops, lanes)
            tally.code += copies
            if isinstance(s, Update):
                tally.updates += times
                tally.elements += times * _width(loops, lanes) * _terms(loops)
                if times > tally.heaviest[0]:
                    tally.heaviest = (times, loops)
                    tally.inner_code = copies
            steps = 0 if not isinstance(value, Reduce) else value.lanes.bit_length()
            tally.code += copies * steps
            _count_loads(value, loops, times, tally)
            tally.stores.append(Access(buffer, index, loops, times))
        case Let(var, value, _, body):
            tally.code += _copies(loops, lanes)
            _count_loads(value, loops, times, tally)
            # One round: where its value leads is known at run time only.
            count(body, (*loops, Around(var, 1, LoopKind.UNROLLED)), times, env, buffers, tally, lanes)


def _is_one(s: Loop) -> bool:
    """Whether a loop is over the terms of one instruction; loops of such around it are over several."""
    return s.kind in DOT_KINDS and not (isinstance(s.body, Loop) and s.body.kind in DOT_KINDS)


def _count_loads(value: Value, loops: tuple[Around, ...], times: float, tally: Tally) -> None:
    for load in loads_of(value):
        tally.loads.append(Access(load.buffer, load.index, loops, _instructions(load.index, loops, times)))


def _instructions(index: Sequence[Expr], loops: Sequence[Around], times: float) -> float:
    """A load that does not move with the innermost unrolled loops is done once and kept in a register."""
    used = {name for e in index for name in e.names}
    for loop in reversed(loops):
        if loop.kind not in (LoopKind.UNROLLED, LoopKind.VECTOR, *DOT_KINDS):
            break
        if loop.name not in used and loop.kind is LoopKind.UNROLLED:
            times /= max(1, loop.trips)
    return times


def _copies(loops: Sequence[Around], lanes: int) -> float:
    """How often a statement stands in the code."""
    copies = 1.0
    dots = [loop for loop in loops if loop.kind in DOT_KINDS]
    for loop in loops:
        if loop.kind is LoopKind.UNROLLED or loop in dots[:-1]:
            copies *= loop.trips
        elif loop.kind is LoopKind.VECTOR:
            copies *= math.ceil(loop.trips / lanes)
    return copies


def _width(loops: Sequence[Around], lanes: int) -> int:
    return next((min(loop.trips, lanes) for loop in loops if loop.kind is LoopKind.VECTOR), 1)


def _terms(loops: Sequence[Around]) -> int:
    """How many terms one instruction multiplies and adds for each lane."""
    return next((loop.trips for loop in reversed(loops) if loop.kind in DOT_KINDS), 1)


def _evaluate(e: Expr, loops: Sequence[Around], env: Mapping[str, int]) -> int:
    number = e.value
    if number is not None:
        return number
    return e.evaluate({**env, **{loop.name: 0 for loop in loops}})


def _involved(condition: Sequence[Expr], loops: Sequence[Around]) -> tuple[Around, ...]:
    """The loops that a condition names: of two of one name that which stands further inside."""
    names = frozenset(name for e in condition for name in e.names)
    return tuple({loop.name: loop for loop in loops if loop.name in names}.values())


def _share(condition: Sequence[Expr], involved: Sequence[Around], env: Mapping[str, int]) -> float:
    """How much of the time a condition holds: counted where its loops are short, else sampled over their ranges.

    Inside a loop that makes no round it never does."""
    total = math.prod(loop.trips for loop in involved)
    if total == 0:
        return 0.0
    samples = min(total, SAMPLES)
    holds = 0
    for sample in range(samples):
        # Evenly over all rounds, counted like an odometer: the innermost loop turns fastest.
        at = (2 * sample + 1) * total // (2 * samples)
        here = dict(env)
        for loop in reversed(involved):
            at, here[loop.name] = divmod(at, loop.trips)
        holds += all(e.evaluate(here) >= 0 for e in condition)
    return holds / samples


def distinct(accesses: Sequence[Access]) -> list[Access]:
    """Reads and writes of the same elements touch the same memory."""
    return list({(a.buffer, a.index): a for a in accesses}.values())


def footprint(
    access: Access,
    loops: Sequence[Around],
    level: int,
    env: Mapping[str, int],
    buffers: Mapping[str, Buffer],
) -> float:
    """Bytes touched by one run of everything from loop `level` inwards; rows of few elements cost whole lines."""
    inner = {loop.name: loop.trips for loop in access.loops[level:]}
    buffer = buffers[access.buffer]
    nbytes = BYTES.get(buffer.dtype, 4)
    touched = 1.0 if access.index else float(nbytes)
    for axis, e in enumerate(access.index):
        reach = 1
        for name in e.names & inner.keys():
            step = e.coefficient(name)
            reach += (abs(step) if step is not None else 1) * max(0, inner[name] - 1)
        size = buffer.shape[axis].value
        if size is None:
            size = buffer.shape[axis].evaluate(env)
        reach = min(reach, max(size, 1))
        touched *= max(reach * nbytes, LINE) if axis == len(access.index) - 1 else reach
    return touched


def traffic(
    accesses: Sequence[Access], caches: Sequence[int], env: Mapping[str, int], buffers: Mapping[str, Buffer]
) -> list[float]:
    """Bytes that come from beyond each of the caches.

    Around the outermost part of the nest that fits into it, each round fetches anew what that part touches.
    """
    # The bytes of each access at each level; and together, of all that stands in the same loops.
    bytes_of = [[footprint(a, a.loops, n, env, buffers) for n in range(len(a.loops) + 1)] for a in accesses]
    together: dict[tuple[Around, ...], float] = {}
    for access, sizes in zip(accesses, bytes_of, strict=True):
        for level, size in enumerate(sizes):
            inside = access.loops[:level]
            together[inside] = together.get(inside, 0.0) + size
    totals = []
    for cache in caches:
        total = 0.0
        for access, sizes in zip(accesses, bytes_of, strict=True):
            depth = len(access.loops)
            level = next((n for n in range(depth) if together[access.loops[:n]] <= cache), depth)
            total += math.prod(max(1, loop.trips) for loop in access.loops[:level]) * sizes[level]
        totals.append(total)
    return totals
