"""What a loop nest tells about its speed, as a row of numbers: the features of the cost model beyond the knobs.

Nothing here knows an operator. Every statement is weighted by how often it runs at the representative sizes; every
access by how much memory it touches in each of the loops around it. All figures are logarithms or shares, so rows of
different workloads can be compared. One config costs 2 to 4 ms, nearly all of it scheduling, and is remembered.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from anytile.schedules.cpu import CpuFacts, facts
from anytile.schedules.expr import Expr
from anytile.schedules.nest import (
    Alloc,
    Block,
    Buffer,
    Guard,
    Loop,
    LoopKind,
    LoopNest,
    Prefetch,
    Scope,
    Stmt,
    Store,
    Sum,
    Update,
    loads,
)
from anytile.schedules.operators import DTYPES
from anytile.schedules.space import Config
from anytile.schedules.target import Target
from anytile.schedules.template import Template
from anytile.schedules.workload import Workload

DEPTH = 7  # loops around the heaviest statement that are looked at, from the inside

NAMES = (
    "work",
    "waste",
    "intensity",
    "loads_per_update",
    "stores_per_update",
    "prefetches_per_update",
    "rounds_per_update",
    "guards_per_update",
    "code",
    "inner_code",
    "registers",
    "register_share",
    "l1_traffic",
    "l2_traffic",
    "l3_traffic",
    "tile",
    "full_tiles",
    "residue_share",
    *(f"trips_{i}" for i in range(DEPTH)),
    *(f"footprint_{i}" for i in range(DEPTH)),
)


@dataclass(frozen=True, slots=True)
class _Around:
    """A loop around a statement, with its trips at the representative sizes."""

    name: str
    trips: int
    kind: LoopKind


@dataclass(frozen=True, slots=True)
class _Access:
    """One load, store or prefetch, with what stands around it."""

    buffer: str
    index: tuple[Expr, ...]
    loops: tuple[_Around, ...]
    times: float  # vector instructions


@dataclass
class _Tally:
    """What a walk over the nest counts."""

    updates: float = 0.0  # vector multiply-adds or the like
    elements: float = 0.0  # of the arithmetic, lanes counted
    loads: list[_Access] = field(default_factory=list)
    stores: list[_Access] = field(default_factory=list)
    prefetches: float = 0.0
    rounds: float = 0.0  # iterations of loops that are loops in the code
    guards: float = 0.0
    code: float = 0.0
    inner_code: float = 0.0
    registers: float = 0.0
    heaviest: tuple[float, tuple[_Around, ...]] = (0.0, ())


@dataclass
class NestFeatures:
    """`features(config)` for one workload at one point; a SearchState takes it as its `features`."""

    template: Template
    workload: Workload
    target: Target
    point: Mapping[str, int]
    _known: dict[Config, tuple[float, ...]] = field(default_factory=dict, repr=False)

    def __call__(self, config: Config) -> tuple[float, ...]:
        row = self._known.get(config)
        if row is None:
            nest = self.template.schedule(self.workload, self.target, config).nest
            row = nest_features(nest, self.point, facts(self.target), self.workload.flops(self.point))
            row = _with_tile(row, self.template.tile(config), self._walked())
            self._known[config] = row
        return row

    def _walked(self) -> int:
        symbol = self.template.symbol(self.workload)
        return self.point.get(symbol, 0) if symbol is not None else 0


def nest_features(nest: LoopNest, point: Mapping[str, int], cpu: CpuFacts, flops: int) -> tuple[float, ...]:
    """One number per name in NAMES. The tile's three stay 0: a nest does not say what its residues are."""
    env = dict(point)
    for symbol in nest.symbols:
        if symbol.derived is not None:
            env[symbol.name] = symbol.derived.evaluate(env)
    buffers = {b.name: b for b in nest.params}
    buffers |= {s.buffer.name: s.buffer for s in _allocations(nest.body)}
    tally = _Tally()
    _count(nest.body, (), 1.0, env, buffers, tally, cpu.lanes)
    per_update = max(tally.updates, 1.0)
    memory = [a for a in (*tally.loads, *tally.stores) if buffers[a.buffer].scope is not Scope.REGISTER]
    loaded = sum(a.times for a in tally.loads if buffers[a.buffer].scope is not Scope.REGISTER)
    stored = sum(a.times for a in tally.stores if buffers[a.buffer].scope is not Scope.REGISTER)
    heaviest = tally.heaviest[1]
    inside = [a for a in memory if a.loops[: len(heaviest)] == heaviest[: len(a.loops)]]
    trips = [_log(a.trips) for a in reversed(heaviest)][:DEPTH]
    sizes = [
        _log(sum(_footprint(a, heaviest, level, env, buffers) for a in _distinct(inside)))
        for level in range(len(heaviest) - 1, -1, -1)
    ][:DEPTH]
    traffic = [_log(_traffic(_distinct(memory), cache, env, buffers)) for cache in (cpu.l1_bytes, cpu.l2_bytes, cpu.l3_bytes)]
    row = (
        _log(tally.elements),
        tally.elements / max(flops / 2, 1.0),
        per_update / max(loaded + stored, 1.0),
        loaded / per_update,
        stored / per_update,
        tally.prefetches / per_update,
        tally.rounds / per_update,
        tally.guards / per_update,
        _log(tally.code),
        _log(tally.inner_code),
        tally.registers,
        tally.registers / cpu.vector_registers,
        *traffic,
        0.0,
        0.0,
        0.0,
        *trips,
        *[0.0] * (DEPTH - len(trips)),
        *sizes,
        *[0.0] * (DEPTH - len(sizes)),
    )
    return tuple(map(float, row))


def _with_tile(row: tuple[float, ...], tile: int, walked: int) -> tuple[float, ...]:
    at = NAMES.index("tile")
    full, rest = divmod(walked, max(tile, 1))
    return (*row[:at], float(tile), float(full), rest / max(tile, 1), *row[at + 3 :])


def _count(
    s: Stmt,
    loops: tuple[_Around, ...],
    times: float,
    env: Mapping[str, int],
    buffers: Mapping[str, Buffer],
    tally: _Tally,
    lanes: int,
) -> None:
    """Walk down with the loops on the way and how often control comes here, vector loops counting once per vector."""
    match s:
        case Loop(var, extent, kind, body):
            trips = max(0, _evaluate(extent, loops, env))
            runs: float = trips
            if kind is LoopKind.VECTOR:
                runs = math.ceil(trips / lanes)
            elif kind is not LoopKind.UNROLLED:
                tally.rounds += times * trips
            _count(body, (*loops, _Around(var, trips, kind)), times * runs, env, buffers, tally, lanes)
        case Block(body):
            for child in body:
                _count(child, loops, times, env, buffers, tally, lanes)
        case Alloc(buffer, body):
            if buffer.scope is Scope.REGISTER:
                tally.registers += math.prod(max(1, _evaluate(e, loops, env)) for e in buffer.shape) / lanes
            _count(body, loops, times, env, buffers, tally, lanes)
        case Guard(condition, body, otherwise):
            tally.guards += times
            share = _share(condition, loops, env)
            _count(body, loops, times * share, env, buffers, tally, lanes)
            if otherwise is not None:
                _count(otherwise, loops, times * (1 - share), env, buffers, tally, lanes)
        case Prefetch():
            tally.prefetches += times
            tally.code += _copies(loops, lanes)
        case Store(buffer, index, value) | Update(buffer, index, value):
            copies = _copies(loops, lanes)
            tally.code += copies
            if isinstance(s, Update):
                tally.updates += times
                tally.elements += times * _width(loops, lanes)
                if times > tally.heaviest[0]:
                    tally.heaviest = (times, loops)
                    tally.inner_code = copies
            sums = 0 if not isinstance(value, Sum) else value.lanes.bit_length()
            tally.code += copies * sums
            for load in loads(value):
                tally.loads.append(_Access(load.buffer, load.index, loops, _instructions(load.index, loops, times)))
            tally.stores.append(_Access(buffer, index, loops, times))


def _allocations(s: Stmt) -> Iterator[Alloc]:
    match s:
        case Alloc(_, body):
            yield s
            yield from _allocations(body)
        case Loop(body=body):
            yield from _allocations(body)
        case Guard(_, body, otherwise):
            yield from _allocations(body)
            if otherwise is not None:
                yield from _allocations(otherwise)
        case Block(body):
            for child in body:
                yield from _allocations(child)
        case _:
            return


def _instructions(index: Sequence[Expr], loops: Sequence[_Around], times: float) -> float:
    """A load that does not move with the innermost unrolled loops is done once and kept in a register."""
    used = {name for e in index for name in e.names}
    for loop in reversed(loops):
        if loop.kind not in (LoopKind.UNROLLED, LoopKind.VECTOR):
            break
        if loop.name not in used and loop.kind is LoopKind.UNROLLED:
            times /= max(1, loop.trips)
    return times


def _copies(loops: Sequence[_Around], lanes: int) -> float:
    """How often a statement stands in the code."""
    copies = 1.0
    for loop in loops:
        if loop.kind is LoopKind.UNROLLED:
            copies *= loop.trips
        elif loop.kind is LoopKind.VECTOR:
            copies *= math.ceil(loop.trips / lanes)
    return copies


def _width(loops: Sequence[_Around], lanes: int) -> int:
    return next((min(loop.trips, lanes) for loop in loops if loop.kind is LoopKind.VECTOR), 1)


def _evaluate(e: Expr, loops: Sequence[_Around], env: Mapping[str, int]) -> int:
    number = e.value
    if number is not None:
        return number
    return e.evaluate({**env, **{loop.name: 0 for loop in loops}})


def _share(condition: Sequence[Expr], loops: Sequence[_Around], env: Mapping[str, int]) -> float:
    """How much of the time a condition holds, by looking at it with the loops at their start, middle and end."""
    at = [lambda n: 0, lambda n: n // 4, lambda n: n // 2, lambda n: (3 * n) // 4, lambda n: max(0, n - 1)]
    holds = 0
    for place in at:
        here = {**env, **{loop.name: place(loop.trips) for loop in loops}}
        holds += all(e.evaluate(here) >= 0 for e in condition)
    return holds / len(at)


def _distinct(accesses: Sequence[_Access]) -> list[_Access]:
    """Reads and writes of the same elements touch the same memory."""
    return list({(a.buffer, a.index): a for a in accesses}.values())


def _footprint(
    access: _Access,
    loops: Sequence[_Around],
    level: int,
    env: Mapping[str, int],
    buffers: Mapping[str, Buffer],
) -> float:
    """Bytes touched by one run of everything from loop `level` inwards; rows of few elements cost whole lines."""
    inner = {loop.name: loop.trips for loop in access.loops[level:]}
    buffer = buffers[access.buffer]
    elements = 1.0
    for axis, e in enumerate(access.index):
        reach = 1
        for name in e.names & inner.keys():
            step = e.coefficient(name)
            reach += (abs(step) if step is not None else 1) * max(0, inner[name] - 1)
        size = buffer.shape[axis].value
        if size is None:
            size = buffer.shape[axis].evaluate(env)
        reach = min(reach, max(size, 1))
        elements *= max(reach, 16) if axis == len(access.index) - 1 else reach
    return elements * DTYPES.get(buffer.dtype, 4)


def _traffic(
    accesses: Sequence[_Access], cache: int, env: Mapping[str, int], buffers: Mapping[str, Buffer]
) -> float:
    """Bytes that come from beyond a cache: what a loop's body touches is fetched anew in each round of what is around it,
    unless the loop does not move the access and all that its body touches fits."""
    total = 0.0
    for access in accesses:
        level = 0
        while level < len(access.loops):
            together = [a for a in accesses if a.loops[:level] == access.loops[:level]]
            if sum(_footprint(a, a.loops, level, env, buffers) for a in together) <= cache:
                break
            level += 1
        rounds = math.prod(max(1, loop.trips) for loop in access.loops[:level])
        total += rounds * _footprint(access, access.loops, level, env, buffers)
    return total


def _log(x: float) -> float:
    return math.log2(x + 1.0)
