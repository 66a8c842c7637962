"""reduce on a CPU: axes that lie together are one; lanes run along the last dimension, whether it is reduced or kept.

What stands in the place of x is computed in registers where it is added up, so nothing is stored on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from anytile.core.errors import UnsupportedError
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, const, product, var
from anytile.schedules.nest import elementwise_text
from anytile.schedules.nest.elementwise_types import typed
from anytile.schedules.nest.nodes import Cast, Load, Loop, LoopKind, LoopNest, Number, Op, Stmt, Store, Value, block
from anytile.schedules.nest.operations import identity
from anytile.schedules.operators.ranked import axes
from anytile.schedules.operators.reductions.reduce import UPDATES, reduced_dims, reduced_value
from anytile.schedules.primitives.memory_floats import widened
from anytile.schedules.primitives.vector_rows import (
    ALONE,
    Across,
    Along,
    At,
    Down,
    Field,
    Tile,
    by_columns,
    by_rows,
    holding,
    reduced,
    register,
)
from anytile.schedules.templates.base.parallel_grain import computed
from anytile.schedules.templates.base.plain import PlainTemplate, however_they_lie
from anytile.schedules.templates.base.small_knobs import choices, share
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.cpu.elementwise_cpu import cost, together
from anytile.schedules.workloads.workload import Workload

_COST = 2  # of one element, in additions
_EXTREMES = ("max", "min")  # that are the same whatever the order
_IN_TURNS = 4  # accumulators of one vector of them


@dataclass(frozen=True)
class Axes:
    """The dimensions as few as they can be: neighbours that lie side by side in every tensor are one."""

    sizes: tuple[Expr, ...]
    gone: tuple[bool, ...]
    group_of: Mapping[str, int]

    @classmethod
    def of(cls, workload: Workload) -> Axes:
        dims, reduced = axes(workload.attributes), reduced_dims(workload.attributes)
        groups = together(dims, [t.dims for t in workload.tensors])
        sizes = tuple(product(workload.extents[d] for d in group) for group in groups)
        group_of = {d: i for i, group in enumerate(groups) for d in group}
        return cls(sizes, tuple(group[0] in reduced for group in groups), group_of)

    def places(self, dims: Iterable[str]) -> list[int]:
        """The dimensions of these that some of the workload's are."""
        return list(dict.fromkeys(self.group_of[d] for d in dims))

    @property
    def count(self) -> Expr:
        """How many elements each result has."""
        return product(size for size, is_gone in zip(self.sizes, self.gone, strict=True) if is_gone)

    @property
    def kept(self) -> tuple[int, ...]:
        return tuple(i for i, is_gone in enumerate(self.gone) if not is_gone)


@dataclass(frozen=True)
class Reduction:
    """A reduction as what a field does: which dimension is reduced by it, beside which its results lie, and which
    loops stand outside of it and around its terms."""

    workload: Workload
    form: Axes
    value: Value

    @classmethod
    def of(cls, workload: Workload) -> Reduction:
        """As it is computed: what lies in memory otherwise is widened behind it."""
        workload = workload.storing({})
        dtypes = {t.name: workload.dtype_of(t) for t in workload.tensors}
        value = typed(reduced_value(workload.attributes), dtypes.__getitem__)
        made = cls(workload, Axes.of(workload), value)
        if made.kind == "mean" and dtypes["y"] != "float32":
            raise UnsupportedError(f"reduce: a mean of {dtypes['y']} is not supported; cast to float32 first")
        return made

    @property
    def kind(self) -> str:
        return str(self.workload.attributes["kind"])

    @property
    def along(self) -> bool:
        return self.form.gone[-1]

    @property
    def inner(self) -> int:
        """The dimension that a field reduces."""
        return max(i for i, gone in enumerate(self.form.gone) if gone)

    @property
    def beside(self) -> int:
        """The one in which its results lie; -1 where there is none."""
        return max(self.form.kept, default=-1)

    @property
    def outside(self) -> list[int]:
        return [i for i in self.form.kept if i != self.beside]

    @property
    def terms(self) -> Expr:
        return self.form.sizes[self.inner]

    @property
    def results(self) -> Expr:
        return self.form.sizes[self.beside] if self.beside >= 0 else const(1)

    def at(self, position: Expr, result: Expr) -> At:
        """The place of a term, in all dimensions."""
        return tuple(
            position if i == self.inner else result if i == self.beside else var(f"i_{i}")
            for i in range(len(self.form.sizes))
        )

    def nest(self, nest: LoopNest) -> LoopNest:
        """Its tensors in as few dimensions, around nothing."""
        shapes = (tuple(self.form.sizes[i] for i in self.form.places(t.dims)) for t in self.workload.tensors)
        return replace(
            nest, params=tuple(replace(b, shape=shape) for b, shape in zip(nest.params, shapes, strict=True))
        )

    def term(self, at: At) -> Value:
        """What is reduced at a place."""

        def load(name: str, dims: tuple[str, ...]) -> Value:
            return Load(name, tuple(at[i] for i in self.form.places(dims)))

        return elementwise_text.place(self.value, load)

    def made(self, field: Field, place: Callable[[At], Expr]) -> Stmt:
        """All of it by a field, whose results are at these places beside each other."""

        def store(result: At, value: Value) -> Stmt:
            where = (place(result) if i == self.beside else var(f"i_{i}") for i in self.form.kept)
            return Store("y", tuple(where), value)

        if self.kind == "argmax":
            return _argmax(field, self.workload.dtype, self.inner, store)

        def loops(body: Stmt) -> Stmt:
            for i in reversed(range(len(self.form.sizes))):
                if self.form.gone[i] and i != self.inner:
                    body = Loop(f"i_{i}", self.form.sizes[i], LoopKind.SERIAL, body)
            return body

        update, dtype = UPDATES[self.kind], self.workload.tensor("y").dtype or self.workload.dtype
        held, run = reduced(field, "i_result", update, lambda _, at: self.term(at), dtype, loops)

        def value(result: At) -> Value:
            total: Value = Load("i_result", result)
            return Op("div", (total, Cast("float32", Number(self.form.count)))) if self.kind == "mean" else total

        return holding(held, run, field.deliver(lambda r: store(r, value(r))))


def _write(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    it = Reduction.of(workload)
    tile = Tile(facts(target).lanes, config.int("vectors"), config.int("rows"))
    shared = share(config, computed(product(it.form.sizes), _COST + cost(it.value)))
    inside = ALONE if it.outside else shared
    if it.along:

        def some(first: Expr, count: int) -> Stmt:
            field = Along(tile, count, it.terms, lambda r, i: it.at(i, first + r))
            return it.made(field, lambda result: first + result[0])

        body = by_rows(it.results, tile, some, inside)
    else:

        def columns(first: Expr, tile: Tile, left: Expr | None) -> Stmt:
            def place(position: Expr, column: Expr) -> At:
                return it.at(position, first + column)

            field: Field = Across(tile, it.terms, place, left)
            if tile.vectors == 1 and it.kind in _EXTREMES:  # where one accumulator would wait for itself
                field = Down(_IN_TURNS, tile.lanes, it.terms, place, left)
            return it.made(field, lambda result: first + result[0] * tile.lanes + result[1])

        body = by_columns(it.results, tile, columns, inside)
    for i in reversed(it.outside):
        name, size = f"i_{i}", it.form.sizes[i]
        body = shared.loop(name, size, body) if i == it.outside[0] else Loop(name, size, LoopKind.SERIAL, body)
    return widened(it.nest(nest).with_body(body))


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
    "reduce.cpu",
    "reduce",
    _write,
    lambda _, target: choices(target, vectors=(4, (1, 2, 4)), rows=(1, (1, 2, 4))),
    version=2,
    served=however_they_lie,
)
