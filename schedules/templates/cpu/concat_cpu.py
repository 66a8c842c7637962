"""concat and split on a CPU: what a part has at one outer position is one row, moved in vectors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, const, product, var
from anytile.schedules.nest.nodes import Load, LoopNest, Stmt, Store, Symbol, block
from anytile.schedules.operators.movement.joining import parts
from anytile.schedules.templates.base.moving_loops import lanes_of, moving, nested, row, rows
from anytile.schedules.templates.base.plain import PlainTemplate
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload


def _write(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    size, lanes = workload.extents, lanes_of(target, workload.dtype)
    outer, inner = size["outer"], size["inner"]
    joins = workload.op == "concat"
    whole, prefix = ("y", "x") if joins else ("x", "y")
    at, start = var("i_outer"), const(0)
    moves: list[tuple[Expr, Callable[[Expr], Stmt]]] = []
    symbols = list(nest.symbols)
    for i, name in enumerate(parts(workload.attributes)):
        n, part = size[name], f"{prefix}{i}"
        if not joins and n.value is None:  # that all parts together are n is by their making, and hard to prove
            symbols.append(Symbol(f"i_{name}", derived=n))
            n = var(f"i_{name}")

        def move(j: Expr, part: str = part, start: Expr = start) -> Stmt:
            here, there = (part, (at, j)), (whole, (at, start + j))
            (target, source) = (there, here) if joins else (here, there)
            return Store(*target, Load(*source))

        moves.append((n * inner, move))
        start = start + n * inner
    share = moving(product([outer, size["n"], inner]) * 2, workload.dtype)
    if outer.value == 1:
        body = block(*(rows([("i_outer", outer)], n, lanes, move, share) for n, move in moves))
    else:
        body = nested([("i_outer", outer)], block(*(row(n, lanes, move) for n, move in moves)), share)
    extents = {whole: start, **{f"{prefix}{i}": n for i, (n, _) in enumerate(moves)}}
    params = tuple(replace(b, shape=(outer, extents[b.name])) for b in nest.params)
    return replace(nest, params=params, symbols=tuple(symbols)).with_body(body)


CONCAT_CPU = PlainTemplate("concat.cpu", "concat", _write)
SPLIT_CPU = PlainTemplate("split.cpu", "split", _write)
