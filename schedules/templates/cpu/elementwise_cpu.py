"""elementwise on a CPU: dimensions that lie together in every operand are one; the last of these runs in vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, const, product, var
from anytile.schedules.nest import elementwise_text
from anytile.schedules.nest.elementwise_text import PART
from anytile.schedules.nest.elementwise_types import typed
from anytile.schedules.nest.nodes import Buffer, Cast, Load, Loop, LoopKind, LoopNest, Op, Store, Value
from anytile.schedules.primitives.memory_floats import widened
from anytile.schedules.primitives.vector_rows import ALONE, Tile, vectors
from anytile.schedules.templates.base.parallel_grain import computed
from anytile.schedules.templates.base.plain import PlainTemplate, however_they_lie
from anytile.schedules.templates.base.small_knobs import choices, share
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload

_ADDITIONS = {
    **{"exp": 7, "exp2": 7, "log": 16, "tanh": 14, "erf": 20, "sigmoid": 12, "gelu": 20, "gelu_tanh": 30, "sqrt": 8},
    **{"sin": 40, "cos": 40, "tan": 50, "asin": 40, "acos": 40, "atan": 50, "sinh": 40, "cosh": 40},
    **{"asinh": 50, "acosh": 50, "atanh": 50, "pow": 70, "gelu_byte": 9},
}


def together(dims: Sequence[str], tensors: Sequence[tuple[str, ...]]) -> list[list[str]]:
    """The dimensions in groups of neighbours that lie side by side in every tensor that has any of them."""
    groups: list[list[str]] = []
    for d in dims:
        before = groups[-1][-1] if groups else None
        if before is not None and all(_follows(before, d, at) for at in tensors):
            groups[-1].append(d)
        else:
            groups.append([d])
    return groups


def _follows(a: str, b: str, at: tuple[str, ...]) -> bool:
    if a in at and b in at:
        return at.index(b) == at.index(a) + 1
    return a not in at and b not in at


def cost(v: Value) -> int:
    """About how much one element is to compute, in additions."""
    match v:
        case Op(name, args):
            return _ADDITIONS.get(name, 1) + sum(map(cost, args))
        case Cast(_, value):
            return 1 + cost(value)
        case _:
            return 0


@dataclass(frozen=True)
class Elements:
    """A result of as few dimensions as its operands allow, their sizes, and what is stored at an index."""

    params: tuple[Buffer, ...]
    sizes: tuple[Expr, ...]
    value: Value
    store: Callable[[tuple[Expr, ...]], Store]

    @classmethod
    def of(cls, nest: LoopNest, workload: Workload) -> Elements:
        y = workload.tensor("y")
        groups = together(y.dims, [t.dims for t in workload.tensors])
        group_of = {d: i for i, group in enumerate(groups) for d in group}
        sizes = [const(1) for _ in groups]
        for d in y.dims:
            sizes[group_of[d]] = sizes[group_of[d]] * workload.extents[d]

        def part(d: str) -> Expr:
            return workload.extents[d] if d == PART else const(int(d))

        def places(dims: tuple[str, ...], at: Sequence[Expr]) -> tuple[Expr, ...]:
            """Where an operand is read, or its shape, by what there is of each group."""
            once = dict.fromkeys(group_of.get(d, d) for d in dims)
            return tuple(at[g] if isinstance(g, int) else part(g) for g in once)

        params = tuple(
            replace(b, shape=places(t.dims, sizes)) for b, t in zip(nest.params, workload.tensors, strict=True)
        )
        dtypes = {t.name: workload.dtype_of(t) for t in workload.tensors}
        value = typed(elementwise_text.parse(str(workload.attributes["f"])), dtypes.__getitem__)

        def store(index: tuple[Expr, ...]) -> Store:
            read = elementwise_text.place(value, lambda name, dims: Load(name, places(dims, index)))
            return Store("y", index, read)

        return cls(params, tuple(sizes), value, store)


def _write(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    workload = workload.storing({})
    y, form = workload.tensor("y"), Elements.of(nest, workload)
    sizes, last = form.sizes, len(form.sizes) - 1
    outer = tuple(var(f"i_{g}") for g in range(last))
    dtypes = {t.name: workload.dtype_of(t) for t in workload.tensors}
    whole = [dtypes[t.name] for t in workload.tensors if set(y.dims) <= set(t.dims)]  # the others stay in the caches
    shared = share(config, computed(product(sizes), cost(form.value), whole))
    tile = Tile(facts(target).lanes, config.int("vectors"))
    body = vectors(sizes[-1], tile, lambda i, _, __: form.store((*outer, i)), share=ALONE if last else shared)
    for g in reversed(range(last)):
        name = f"i_{g}"
        body = shared.loop(name, sizes[g], body) if g == 0 else Loop(name, sizes[g], LoopKind.SERIAL, body)
    return widened(replace(nest, params=form.params).with_body(body))


ELEMENTWISE_CPU = PlainTemplate(
    "elementwise.cpu",
    "elementwise",
    _write,
    lambda _, target: choices(target, vectors=(2, (1, 2, 4))),
    served=however_they_lie,
)
