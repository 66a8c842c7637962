"""Register pressure of guards: what the branches of `none` cost a config, nothing until vector registers spill.

A branch around every row of a tile is predicted and free. But what all rows of one round read must be held across the
branches, for every unrolled step: where that and the sums exceed the registers, sums are spilled in the innermost loop.
Nothing is compiled here: the loop nest says what must be held.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr
from anytile.schedules.nest.nodes import Alloc, Guard, Loop, LoopKind, LoopNest, Scope, Stmt, Update
from anytile.schedules.nest.traverse import children, loads
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.base.symbol_names import scheduled
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.workload import Workload

# Of 50 configs measured on Zen 4 (32 registers), at 4 full tiles: the 36 that hold fewer than 32 vectors lose nothing
# (8 % at most), the others 14 to 20 % at 32, 0 to 30 % up to 35, 14 to 38 % up to 40, 67 to 80 % up to 44, 176 % at 52.
CROWDED = 0.05
SPARE = 4  # registers that are gone before the first spill shows: it comes late, and costs several at once


def crowding(workload: Workload, target: Target, name: str, config: Config) -> float:
    """The part that `none` of this config is slower for want of vector registers; 0 where they suffice."""
    registers = facts(target).vector_registers
    held = vectors_held(scheduled(template(name), workload, target, config).nest)
    return CROWDED * (held - registers + SPARE) if held >= registers else 0.0


def vectors_held(nest: LoopNest) -> int:
    """Vector registers that the nest's guarded sums keep busy: the sums, the loads shared by rows, one per step."""
    return _held(nest.body, {}, frozenset(), 0)


def _held(s: Stmt, loops: Mapping[str, Loop], guarded: frozenset[str], sums: int) -> int:
    match s:
        case Loop():
            return _held(s.body, {**loops, s.var: s}, guarded, sums)
        case Guard():
            inside = guarded.union(*(c.names for c in s.condition))
            return max(_held(c, loops, inside, sums) for c in children(s))
        case Alloc() if s.buffer.scope is Scope.REGISTER:
            return _held(s.body, loops, guarded, sums + math.prod(e.value or 1 for e in s.buffer.shape[:-1]))
        case Update():
            unrolled = {v: loop.extent.value or 1 for v, loop in loops.items() if loop.kind is LoopKind.UNROLLED}
            vectors = {v for v, loop in loops.items() if loop.kind is LoopKind.VECTOR}
            rows = guarded & unrolled.keys()
            if not rows:
                return 0
            read = [_names(load.index) for load in loads(s.value)]
            shared = [names for names in read if names & vectors and not names & rows]
            steps = frozenset().union(*read) - _names(s.index)
            return sums + sum(_copies(names, unrolled) for names in (*shared, steps))
        case _:
            return max((_held(c, loops, guarded, sums) for c in children(s)), default=0)


def _names(index: Iterable[Expr]) -> frozenset[str]:
    return frozenset(name for e in index for name in e.names)


def _copies(names: frozenset[str], unrolled: Mapping[str, int]) -> int:
    return math.prod(extent for v, extent in unrolled.items() if v in names)
