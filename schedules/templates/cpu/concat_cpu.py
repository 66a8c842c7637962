"""concat and split on a CPU: what a part has at one outer position is one row, moved in vectors.

Where that is one element of each part, vectors of all are loaded once, and vectors of the result picked out of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, const, product, var
from anytile.schedules.nest.nodes import Load, Loop, LoopKind, LoopNest, Number, Op, Stmt, Store, Symbol, Value, block
from anytile.schedules.operators.movement.joining import parts
from anytile.schedules.primitives.memory_floats import widened
from anytile.schedules.primitives.vector_rows import Share
from anytile.schedules.templates.base.moving_loops import lanes_of, moving, nested, row, rows
from anytile.schedules.templates.base.plain import PlainTemplate, however_they_lie
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload

_MOST_WOVEN = 8  # parts


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
    if workload.op == "concat" and 1 < len(found) <= _MOST_WOVEN and all(p.size.value == 1 for p in found):
        return widened(_woven(nest, found, outer, lanes, moving(outer * len(found) * 2, workload.dtype)))
    moves = [(p.size, partial(p.move, at)) for p in found]
    share = moving(product([outer, size["n"], inner]) * 2, workload.dtype)
    if outer.value == 1:
        body = block(*(rows([("i_outer", outer)], n, lanes, move, share) for n, move in moves))
    else:
        body = nested([("i_outer", outer)], block(*(row(n, lanes, move) for n, move in moves)), share)
    return widened(nest.with_body(body))


def _woven(nest: LoopNest, found: Sequence[Part], outer: Expr, lanes: int, share: Share) -> LoopNest:
    """Columns side by side."""
    count, blocks = len(found), outer // lanes
    place = var("i_u") * lanes + var("i_v")  # in a block of so many rows
    which, at = Number(place % count), var("i_block") * lanes + place // count
    value: Value = Load(f"x{count - 1}", (at,))
    for i in reversed(range(count - 1)):
        value = Op("select", (Op("lt", (which, Number(const(i + 1)))), Load(f"x{i}", (at,)), value))
    vector = Loop("i_v", const(lanes), LoopKind.VECTOR, Store("y", (var("i_block") * (lanes * count) + place,), value))
    block_of = Loop("i_u", const(count), LoopKind.UNROLLED, vector)
    row = var("i_row") + blocks * lanes
    each = block(*(Store("y", (row * count + i,), Load(f"x{i}", (row,))) for i in range(count)))
    rest = Loop("i_row", outer - blocks * lanes, LoopKind.SERIAL, each)
    params = tuple(replace(b, shape=(outer * count if b.name == "y" else outer,)) for b in nest.params)
    return replace(nest, params=params).with_body(block(share.loop("i_block", blocks, block_of), rest))


CONCAT_CPU = PlainTemplate("concat.cpu", "concat", _write, version=2, served=however_they_lie)
SPLIT_CPU = PlainTemplate("split.cpu", "split", _write, served=however_they_lie)
