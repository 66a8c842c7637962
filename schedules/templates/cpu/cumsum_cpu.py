"""cumsum on a CPU: sums run side by side, one in each lane; where rows are contiguous, several rows one by one.

A running sum of floats is what its block has so far on top of the blocks before, whose rounding errors are carried
along: see `vector_rows`.
"""

from __future__ import annotations

from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, const, var
from anytile.schedules.nest.nodes import Load, Loop, LoopKind, LoopNest, Op, Stmt, Store, Update, Value, block
from anytile.schedules.nest.operations import identity
from anytile.schedules.primitives.vector_rows import (
    ALONE,
    Across,
    At,
    Tile,
    by_columns,
    exactly_added,
    holding,
    only_beside_a_number,
    register,
)
from anytile.schedules.templates.base.parallel_grain import computed
from anytile.schedules.templates.base.plain import PlainTemplate
from anytile.schedules.templates.base.small_knobs import choices, share
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload

_COST, _WAITS = 5, 16  # of one element, in additions: the second where each waits for the one before


def _running(field: Across, dtype: str, exclusive: bool) -> Stmt:
    total, low, part, sum_ = (register(f"i_{n}", field.results, dtype) for n in ("total", "low", "part", "sum"))
    zero = identity("add", dtype)
    exact = dtype == "float32"

    def so_far(at: At) -> Value:
        if not exact:
            return Load(total.name, at)
        return Op("add", (Load(total.name, at), Op("add", (Load(low.name, at), Load(part.name, at)))))

    def step(acc: At, at: At) -> Stmt:
        count = Update((part if exact else total).name, acc, Load("x", at))
        give = Store("y", at, so_far(acc))
        return block(give, count) if exclusive else block(count, give)

    clear = field.start(lambda at: block(*(Store(b.name, at, zero) for b in ((total, low) if exact else (total,)))))
    if not exact:
        return holding((total,), clear, field.each(step))

    def put_away(at: At) -> Stmt:
        add = exactly_added(total.name, low.name, part.name, sum_.name, at)
        return block(add, only_beside_a_number(total.name, low.name, at))

    def some(begin: Expr, size: Expr) -> Stmt:
        return block(
            field.start(lambda at: Store(part.name, at, zero)),
            field.each(step, begin, size),
            field.finish(put_away),
        )

    blocks = field.size // field.block
    many = Loop("i_b", blocks, LoopKind.SERIAL, some(var("i_b") * field.block, const(field.block)))
    rest = some(blocks * field.block, field.size - blocks * field.block)
    return holding((total, low, part, sum_), clear, many, rest)


def _write(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    outer, n, inner = (workload.extents[d] for d in ("outer", "n", "inner"))
    exclusive, reverse = (bool(workload.attributes[a]) for a in ("exclusive", "reverse"))
    shared = share(config, computed(outer * n * inner, _WAITS if inner.value == 1 else _COST))

    def turned(i: Expr) -> Expr:
        return n - 1 - i if reverse else i

    if inner.value == 1:  # neighbours in memory wait for each other: rows side by side do not

        def rows(first: Expr, tile: Tile, left: Expr | None) -> Stmt:
            field = Across(tile, n, lambda i, c: (first + c, turned(i), const(0)), left)
            return _running(field, workload.dtype, exclusive)

        return nest.with_body(by_columns(outer, Tile(1, config.int("rows")), rows, shared))

    def columns(first: Expr, tile: Tile, left: Expr | None) -> Stmt:
        field = Across(tile, n, lambda i, c: (var("i_outer"), turned(i), first + c), left)
        return _running(field, workload.dtype, exclusive)

    one = outer.value == 1
    tile = Tile(facts(target).lanes, config.int("vectors"))
    body = by_columns(inner, tile, columns, shared if one else ALONE)
    return nest.with_body((ALONE if one else shared).loop("i_outer", outer, body))


CUMSUM_CPU = PlainTemplate(
    "cumsum.cpu",
    "cumsum",
    _write,
    lambda _, target: choices(target, vectors=(4, (1, 2, 4)), rows=(8, (1, 4, 8))),
    version=2,
)
