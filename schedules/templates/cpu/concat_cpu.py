"""concat and split on a CPU: what a part has at one outer position is one row, moved in vectors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, const, product, var
from anytile.schedules.nest.nodes import Load, LoopNest, Stmt, Store, Symbol, block
from anytile.schedules.operators.movement.joining import parts
from anytile.schedules.primitives.memory_floats import widened
from anytile.schedules.templates.base.moving_loops import lanes_of, moving, nested, row, rows
from anytile.schedules.templates.base.plain import PlainTemplate, however_they_lie
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload


@dataclass(frozen=True)
class Part:
    """One part: how many elements it has at each outer position, and the move of its j-th one."""

    size: Expr
    move: Callable[[Expr, Expr], Stmt]


def in_parts(nest: LoopNest, workload: Workload) -> tuple[LoopNest, list[Part]]:
    """A concat or split as rows of all parts, around nothing."""
    size = workload.extents
    outer, inner = size["outer"], size["inner"]
    joins = workload.op == "concat"
    whole, prefix = ("y", "x") if joins else ("x", "y")
    start = const(0)
    found: list[Part] = []
    symbols = list(nest.symbols)
    for i, name in enumerate(parts(workload.attributes)):
        n, part = size[name], f"{prefix}{i}"
        if not joins and n.value is None:  # that all parts together are n is by their making, and hard to prove
            symbols.append(Symbol(f"i_{name}", derived=n))
            n = var(f"i_{name}")

        def move(at: Expr, j: Expr, part: str = part, start: Expr = start) -> Stmt:
            here, there = (part, (at, j)), (whole, (at, start + j))
            (target, source) = (there, here) if joins else (here, there)
            return Store(*target, Load(*source))

        found.append(Part(n * inner, move))
        start = start + n * inner
    extents = {whole: start, **{f"{prefix}{i}": p.size for i, p in enumerate(found)}}
    params = tuple(replace(b, shape=(outer, extents[b.name])) for b in nest.params)
    return replace(nest, params=params, symbols=tuple(symbols)), found


def _write(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    workload = workload.storing({})
    nest, found = in_parts(nest, workload)
    size, lanes, at = workload.extents, lanes_of(target, workload.dtype), var("i_outer")
    outer, inner = size["outer"], size["inner"]
    moves = [(p.size, partial(p.move, at)) for p in found]
    share = moving(product([outer, size["n"], inner]) * 2, workload.dtype)
    if outer.value == 1:
        body = block(*(rows([("i_outer", outer)], n, lanes, move, share) for n, move in moves))
    else:
        body = nested([("i_outer", outer)], block(*(row(n, lanes, move) for n, move in moves)), share)
    return widened(nest.with_body(body))


CONCAT_CPU = PlainTemplate("concat.cpu", "concat", _write, served=however_they_lie)
SPLIT_CPU = PlainTemplate("split.cpu", "split", _write, served=however_they_lie)
