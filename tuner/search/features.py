"""Feature extraction from loop nests, a row of numbers each: what the cost model knows beyond the knobs.

Nothing here knows an operator. Every statement is weighted by how often it runs at the representative sizes; every
access by how much memory it touches in each of the loops around it. All figures are logarithms or shares, so rows of
different workloads can be compared. One config costs 2 to 4 ms, nearly all of it scheduling, and is remembered; its
nest is too, for a while, since a campaign asks about the same configs at several points.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping

from anytile.schedules.hardware.cpu import CpuFacts, facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.nodes import Alloc, LoopNest, Scope
from anytile.schedules.nest.traverse import walk
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.base.symbol_names import scheduled
from anytile.schedules.templates.base.template import Template
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.search.tally import Tally, count, distinct, footprint, traffic

NESTS = 256  # of the configs last asked about; one takes some 70 KB
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


@functools.lru_cache(NESTS)
def _nest(template: Template, workload: Workload, target: Target, config: Config) -> LoopNest:
    return scheduled(template, workload, target, config).nest


def features_of(
    template: Template, workload: Workload, target: Target, point: Mapping[str, int]
) -> Callable[[Config], tuple[float, ...]]:
    """What the model is told of a config beyond its knobs, for one workload at one point; each row is remembered."""
    symbol = template.symbol(workload)
    walked = 0 if symbol is None else point.get(symbol, 0)
    if target.kind == "cuda":
        from anytile.tuner.search.launch_features import launch_row

        return functools.cache(functools.partial(launch_row, template, workload, target, point, walked))

    def row(config: Config) -> tuple[float, ...]:
        # Templates are compared by identity, which their protocol does not say.
        nest = _nest(template, workload, target, config)  # type: ignore[arg-type]
        found = nest_features(nest, point, facts(target), workload.flops(point))
        return _with_tile(found, template.tile(config), walked)

    return functools.cache(row)


def nest_features(nest: LoopNest, point: Mapping[str, int], cpu: CpuFacts, flops: int) -> tuple[float, ...]:
    """One number per name in NAMES. The tile's three stay 0: a nest does not say what its residues are."""
    env = dict(point)
    for symbol in nest.symbols:
        if symbol.derived is not None:
            env[symbol.name] = symbol.derived.evaluate(env)
    buffers = {b.name: b for b in nest.params}
    buffers |= {s.buffer.name: s.buffer for s in walk(nest.body) if isinstance(s, Alloc)}
    tally = Tally()
    count(nest.body, (), 1.0, env, buffers, tally, cpu.lanes)
    per_update = max(tally.updates, 1.0)
    memory = [a for a in (*tally.loads, *tally.stores) if buffers[a.buffer].scope is not Scope.REGISTER]
    loaded = sum(a.times for a in tally.loads if buffers[a.buffer].scope is not Scope.REGISTER)
    stored = sum(a.times for a in tally.stores if buffers[a.buffer].scope is not Scope.REGISTER)
    heaviest = tally.heaviest[1]
    inside = [a for a in memory if a.loops[: len(heaviest)] == heaviest[: len(a.loops)]]
    trips = [_log(a.trips) for a in reversed(heaviest)][:DEPTH]
    sizes = [
        _log(sum(footprint(a, heaviest, level, env, buffers) for a in distinct(inside)))
        for level in range(len(heaviest) - 1, -1, -1)
    ][:DEPTH]
    caches = (cpu.l1_bytes, cpu.l2_bytes, cpu.l3_bytes)
    beyond = map(_log, traffic(distinct(memory), caches, env, buffers))
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
        *beyond,
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


def _log(x: float) -> float:
    return math.log2(x + 1.0)
