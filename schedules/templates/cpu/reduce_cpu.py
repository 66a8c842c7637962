"""reduce on a CPU: neighbouring axes are one; lanes run along the last dimension, whether it is reduced or kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from anytile.core.errors import UnsupportedError
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, const, product, var
from anytile.schedules.nest.nodes import Cast, Load, Loop, LoopKind, LoopNest, Number, Op, Stmt, Store, Value, block
from anytile.schedules.nest.operations import identity
from anytile.schedules.operators.ranked import axes
from anytile.schedules.operators.reductions.reduce import UPDATES, reduced_dims
from anytile.schedules.primitives.vector_rows import (
    ALONE,
    Across,
    Along,
    At,
    Field,
    Tile,
    by_columns,
    by_rows,
    holding,
    reduced,
    register,
)
from anytile.schedules.templates.base.parallel_grain import computed
from anytile.schedules.templates.base.plain import PlainTemplate
from anytile.schedules.templates.base.small_knobs import choices, share
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload

_COST = 2  # of one element, in additions


@dataclass(frozen=True)
class Axes:
    """x as few dimensions, reduced and kept in turns."""

    sizes: tuple[Expr, ...]
    gone: tuple[bool, ...]

    @classmethod
    def of(cls, sizes: Sequence[Expr], gone: Sequence[bool]) -> Axes:
        made: list[Expr] = []
        turns: list[bool] = []
        for size, is_gone in zip(sizes, gone, strict=True):
            if turns and turns[-1] == is_gone:
                made[-1] = made[-1] * size
            else:
                made.append(size)
                turns.append(is_gone)
        return cls(tuple(made), tuple(turns))

    @property
    def count(self) -> Expr:
        """How many elements each result has."""
        return product(size for size, is_gone in zip(self.sizes, self.gone, strict=True) if is_gone)

    @property
    def kept(self) -> tuple[int, ...]:
        return tuple(i for i, is_gone in enumerate(self.gone) if not is_gone)


def _write(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    dims, gone, kind = axes(workload.attributes), reduced_dims(workload.attributes), str(workload.attributes["kind"])
    if kind == "mean" and workload.dtype != "float32":
        raise UnsupportedError(f"reduce: a mean of {workload.dtype} is not supported; cast to float32 first")
    form = Axes.of([workload.extents[d] for d in dims], [d in gone for d in dims])
    last = len(form.sizes) - 1
    along = form.gone[last]
    inner = last if along else last - 1  # the dimension that a field reduces
    beside = last - 1 if along else last  # the one in which its results lie; -1 where there is none
    outside = [i for i in form.kept if i != beside]
    around = [i for i, is_gone in enumerate(form.gone) if is_gone and i != inner]
    index = {i: var(f"i_{i}") for i in (*outside, *around)}
    tile = Tile(facts(target).lanes, config.int("vectors"), config.int("rows"))
    shared = share(config, computed(product(form.sizes), _COST))

    def at(position: Expr, result: Expr) -> At:
        return tuple({**index, inner: position, beside: result}[i] for i in range(last + 1))

    def loops(body: Stmt) -> Stmt:
        for i in reversed(around):
            body = Loop(f"i_{i}", form.sizes[i], LoopKind.SERIAL, body)
        return body

    def made(field: Field, first: Expr) -> Stmt:
        def store(result: At, value: Value) -> Stmt:
            place = first + (result[0] if along else result[0] * tile.lanes + result[1])
            where = {**index, beside: place}
            return Store("y", tuple(where[i] for i in form.kept), value)

        if kind == "argmax":
            return _argmax(field, workload.dtype, inner, store)
        held, run = reduced(field, "i_result", UPDATES[kind], lambda _, x: Load("x", x), workload.dtype, loops)

        def value(result: At) -> Value:
            total: Value = Load("i_result", result)
            return Op("div", (total, Cast("float32", Number(form.count)))) if kind == "mean" else total

        return holding(held, run, field.deliver(lambda r: store(r, value(r))))

    inside = ALONE if outside else shared
    if along:
        rows = form.sizes[beside] if beside >= 0 else const(1)

        def some(first: Expr, count: int) -> Stmt:
            return made(Along(tile, count, form.sizes[inner], lambda r, i: at(i, first + r)), first)

        body = by_rows(rows, tile, some, inside)
    else:

        def columns(first: Expr, tile: Tile, left: Expr | None) -> Stmt:
            return made(Across(tile, form.sizes[inner], lambda i, c: at(i, first + c), left), first)

        body = by_columns(form.sizes[beside], tile, columns, inside)
    for i in reversed(outside):
        name, size = f"i_{i}", form.sizes[i]
        body = shared.loop(name, size, body) if i == outside[0] else Loop(name, size, LoopKind.SERIAL, body)
    x, y = nest.params
    x, y = replace(x, shape=form.sizes), replace(y, shape=tuple(form.sizes[i] for i in form.kept))
    return replace(nest, params=(x, y)).with_body(body)


def _argmax(field: Field, dtype: str, inner: int, store: Callable[[At, Value], Stmt]) -> Stmt:
    """Each accumulator keeps the first of its largest, or its first NaN; then the first of those that are largest."""
    best, top = register("i_best", field.lanes, dtype), register("i_top", field.results, dtype)
    where = register("i_where", field.lanes, "int64")
    start, never = identity("max", dtype), identity("min", "int64")

    def nan(v: Value) -> Value:
        return Op("ne", (v, v))

    def meet(acc: At, at: At) -> Stmt:
        new, old = Load("x", at), Load(best.name, acc)
        better = Op("or", (Op("gt", (new, old)), Op("and", (nan(new), Op("not", (nan(old),))))))
        place = Op("select", (better, Number(at[inner]), Load(where.name, acc)))
        return block(Store(where.name, acc, place), Store(best.name, acc, Op("select", (better, new, old))))

    def candidate(acc: At) -> Stmt:
        mine = Load(best.name, acc)
        largest = Op("or", (Op("eq", (mine, Load(top.name, field.result_of(acc)))), nan(mine)))
        return Store(where.name, acc, Op("select", (largest, Load(where.name, acc), never)))

    return holding(
        (best, top, where),
        field.start(lambda acc: block(Store(best.name, acc, start), Store(where.name, acc, Number(field.first(acc))))),
        field.each(meet),
        field.finish(lambda at: Store(top.name, at, field.joined(best.name, "max"))),
        field.start(candidate),
        field.deliver(lambda at: store(at, field.joined(where.name, "min"))),
    )


REDUCE_CPU = PlainTemplate(
    "reduce.cpu", "reduce", _write, lambda _, target: choices(target, vectors=(4, (1, 2, 4)), rows=(1, (1, 2, 4)))
)
