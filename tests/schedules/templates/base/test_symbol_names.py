"""What a symbol is called changes nothing: neither the nests of any template nor the machine code."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from anytile.core.errors import ScheduleError, SpecError
from anytile.dispatch.cpu.build import compile_plan
from anytile.dispatch.cpu.kernel import DispatchKernel
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.interpret import interpret
from anytile.schedules.nest.nodes import LoopNest, Reduce, Store
from anytile.schedules.nest.traverse import bound, walk
from anytile.schedules.nest.verify import verify
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.primitives.residue import specialise
from anytile.schedules.templates.base.symbol_names import may_be_loop, renamed, scheduled
from anytile.schedules.templates.base.template import Scheduled, Template
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.workload import Any, Workload
from tests.support.cases.small_operators import SSE, Array, check, inputs_of, interpreted

TEAM = Target.parse("llvm -mcpu=nehalem -threads=2")
HOST = Target.host(1)
TEXTS = (
    "dense(m=?a, n=?b, k=?c)",
    "dense(m=?a, n=6, k=?b, const=w)",
    "gated_dense(m=?a, u=?b, k=3, gates=2, cell=h2 = z0 * sigmoid(z1))",
    "batch_matmul(b=?a, m=?b, n=?b, k=?c, rhs=bnk)",
    "batch_matmul(b=2, m=?a, n=?b, k=?c, rhs=kn, y=bnm)",
    "conv2d(n=?a, ci=2, h=?b, w=?c, co=3, kh=2, kw=1, pad=1x0x0x0, layout=nhwc)",
    "conv2d(n=?a, ci=2, h=?b, w=?c, co=3, kh=1, kw=1)",
    "conv2d(n=?a, ci=5, h=3, w=?b, co=5, kh=3, kw=1, pad=1, groups=5, layout=nhwc, const=w)",
    "transpose(d0=2, d1=?a, d2=3, d3=?b, rank=4, perm=0x3x1x2)",
    "gather(outer=?a, n=7, m=?b, inner=?c)",
    "one_hot(m=?a, depth=6)",
    "concat(outer=?a, n0=?b, n1=?c, inner=2)",
    "split(outer=?a, n=?b, inner=?c, count=3)",
    "slice(d0=?a, d1=?b, rank=2, start=1x-3, stop=-1x2147483647)",
    "pad(d0=?a, d1=?b, rank=2, before=1x2, after=2x3, mode=edge)",
    "max_pool2d(n=?a, c=3, h=?b, w=?c, kernel=2x2)",
    "avg_pool2d(n=?a, c=3, h=?b, w=?c, kernel=2x2, layout=nhwc)",
    "elementwise(d0=?a, d1=?b, rank=2, f=gelu(x[d0, d1] + z[d1]))",
    "softmax(outer=?a, n=?b, inner=1)",
    "softmax(outer=?a, n=?b, inner=?c)",
    "layer_norm(rows=?a, n=?b)",
    "batch_norm(outer=?a, c=?b, inner=?c)",
    "reduce(d0=?a, d1=?b, rank=2, axes=0, kind=argmax)",
    "cumsum(outer=?a, n=?b, inner=?c)",
)
SIZES = {"a": 5, "b": 6, "c": 3}


def chosen(workload: Workload, target: Target) -> Iterator[tuple[Template, Scheduled]]:
    """What every template makes of the workload, by its default config and by some others of it."""
    for template in templates_for(workload, target):
        space = template.space(workload, target)
        picked = (template.default(workload, target), *(space[len(space) * i // 7] for i in range(1, 7)))
        for config in dict.fromkeys(picked):
            yield template, scheduled(template, workload, target, config)


@functools.cache
def loops_of(text: str) -> Mapping[str, frozenset[str]]:
    """Whatever the nests of a workload bind, by template."""
    found: dict[str, frozenset[str]] = {}
    for template, made in chosen(Workload.parse(text), TEAM):
        for nest in (*nests(made, 5), *(p.nest for p in made.packs)):
            names = {name for name in bound(nest) if name.isidentifier()} - {s.name for s in nest.symbols}
            found[template.name] = found.get(template.name, frozenset()) | names
    return found


def nests(made: Scheduled, size: int) -> Iterator[LoopNest]:
    yield made.nest
    if made.walk is not None:
        residue = size % made.walk.tile
        yield specialise(made.nest, made.walk, residue, residue)
        yield specialise(made.nest, made.walk, 0, made.walk.tile - 1)


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS)
def test_every_loop_of_a_template_may_be_one(text: str) -> None:
    """Where this fails, a symbol could be called like a loop that `symbol_names` does not know of."""
    for template, loops in loops_of(text).items():
        assert all(map(may_be_loop, loops)), f"{template} has loops {sorted(loops)}"


@pytest.mark.sampled(0)
def test_the_loops_of_gpu_templates_are_known_too() -> None:
    target = Target.parse("cuda -arch=sm_90")
    workload = Workload.parse("dense(m=?a, n=?b, k=?c)")
    for template, made in chosen(workload, target):
        loops = {name for name in bound(made.nest) if name.isidentifier()} - {s.name for s in made.nest.symbols}
        assert all(map(may_be_loop, loops)), f"{template.name} has loops {sorted(loops)}"


WORDS = {"start", "nothing", "small", "runs", "cell", "blas", "begin", "s_mo", "acc", "total", "for", "i_", "p_", "inf"}


def names_inside() -> st.SearchStrategy[str]:
    """What the nests call their own; asked for when a test runs, since it takes seconds."""
    return st.sampled_from(sorted(WORDS.union(*(names for text in TEXTS for names in loops_of(text).values()))))


NAMES = st.deferred(names_inside) | st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,3}", fullmatch=True)


@st.composite
def named(draw: st.DrawFn) -> tuple[Workload, dict[str, int], Workload]:
    """A workload with symbols of any names, their values, and the same with names that stand for nothing."""
    plain = Workload.parse(draw(st.sampled_from(TEXTS)))
    names = draw(st.lists(NAMES, min_size=3, max_size=3, unique=True))
    ways = dict(zip(plain.symbols, names, strict=False))
    try:
        workload = plain.renamed(ways)
    except SpecError:  # a tensor is called so
        assume(False)
    return workload, {ways[s]: SIZES[s] for s in plain.symbols}, plain


@pytest.mark.slow
@settings(max_examples=30)
@given(named(), st.data())
def test_nests_are_right_whatever_symbols_are_called(
    case: tuple[Workload, dict[str, int], Workload], data: st.DataObject
) -> None:
    workload, symbols, _ = case
    inputs = inputs_of(workload, symbols)
    for template in templates_for(workload, SSE):
        space = template.space(workload, SSE)
        config = space[data.draw(st.integers(0, len(space) - 1))]
        made = scheduled(template, workload, SSE, config)
        assert made.nest.given == workload.symbols
        size = symbols[made.walk.symbol] if made.walk is not None else 0
        held: dict[str, Array] = dict(inputs)
        for p in made.packs:
            verify(p.nest)
            held |= interpreted(p.nest, held, symbols)
        for nest in nests(made, size):
            verify(nest)
            check(workload, interpreted(nest, held, symbols), inputs, f"{symbols} {config}\n{nest}")


@pytest.mark.slow
@settings(max_examples=12)
@given(named())
def test_machine_code_is_right_whatever_symbols_are_called(case: tuple[Workload, dict[str, int], Workload]) -> None:
    workload, symbols, _ = case
    given_ = inputs_of(workload, symbols)
    template = templates_for(workload, HOST)[0]
    plan = single_plan(workload, HOST, template.name, template.default(workload, HOST))
    walked = None if plan.symbol is None else (symbols[plan.symbol],)
    kernel = DispatchKernel(plan, compile_plan(plan, walked), {name: given_[name] for name in workload.const})
    got = kernel(*(a for name, a in given_.items() if name not in workload.const))
    results = got if isinstance(got, tuple) else (got,)
    check(workload, {t.name: y for t, y in zip(workload.outputs, results, strict=True)}, given_, symbols)


def test_the_order_of_the_symbols_stays_that_of_the_abi() -> None:
    workload = Workload.parse("dense(m=?mo, n=?i_k, k=?mi)")
    for _, made in chosen(workload, TEAM):
        assert made.nest.given == ("i_k", "mi", "mo")


def test_only_what_clashes_makes_way() -> None:
    workload = Workload.parse("dense(m=?mo, n=6, k=?tokens)")
    (template,) = templates_for(workload, SSE)
    made = scheduled(template, workload, SSE, template.default(workload, SSE))
    assert made.walk is not None
    assert (made.walk.symbol, made.walk.outer, made.walk.inner) == ("mo", "mo_", "mi")
    plain = scheduled(template, workload.renamed({"mo": "m"}), SSE, template.default(workload, SSE))
    assert str(plain.nest) != str(made.nest)
    back = renamed(made.nest, {"mo_": "mo", "mo": "m"})
    assert str(back) == str(plain.nest)


def test_renaming_reaches_everything_and_loses_nobody() -> None:
    workload = Workload.parse("reduce(d0=?a, d1=?b, rank=2, axes=1)")
    (template,) = templates_for(workload, SSE)
    nest = scheduled(template, workload, SSE, template.default(workload, SSE)).nest
    names = {name: f"other_{name}" for name in bound(nest)}
    moved = renamed(nest, names)
    verify(moved)
    assert set(bound(moved)) == set(names.values())
    sums = [s.value.var for s in walk(moved.body) if isinstance(s, Store) and isinstance(s.value, Reduce)]
    assert sums
    assert all(name.startswith("other_") for name in sums)
    x, y = np.arange(24, dtype=np.float32).reshape(3, 8), np.zeros(3, np.float32)
    interpret(moved, {"x": x, "y": y}, {"other_a": 3, "other_b": 8})
    np.testing.assert_array_equal(y, x.sum(axis=1))
    with pytest.raises(ScheduleError, match="two variables would share a name"):
        renamed(nest, {"a": "b"})


def test_names_of_tensors_and_of_the_abi_are_refused_in_a_line() -> None:
    for name in ("x", "y", "w", "w_packed", "data", "dims", "workspace"):
        with pytest.raises(SpecError, match="is taken inside the kernel; choose another") as error:
            Workload("dense", (("m", Any(name)), ("n", 1), ("k", 1)))
        assert "\n" not in str(error.value)
