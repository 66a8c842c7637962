"""How often defaults start a team of threads: never for less work than two threads are worth, whatever the layout."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from anytile.codegen.threads.thread_table import SLOT
from anytile.dispatch.cpu.build import compile_plan
from anytile.dispatch.cpu.kernel import DispatchKernel
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.nodes import Loop
from anytile.schedules.nest.traverse import walk
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.workload import Workload
from tests.support.cases.small_operators import inputs_of
from tests.support.stand_ins.sequential_team import Team

TWO = Target.host(2)
# Layouts in which a loop that threads share may lie inside others, and sizes at which those have many rounds.
HARD = {
    "gather, along the last axis": ("gather(outer=?a, n=?b, m=?c, inner=1)", {"a": 2000, "b": 9, "c": 250}),
    "gather, of pairs": ("gather(outer=?a, n=?b, m=?c, inner=2)", {"a": 3000, "b": 9, "c": 31}),
    "conv2d, small images": ("conv2d(n=?a, ci=3, h=12, w=12, co=8, kh=3, kw=3, pad=1, const=w)", {"a": 400}),
    "conv2d, nhwc": ("conv2d(n=?a, ci=3, h=12, w=12, co=8, kh=3, kw=3, pad=1, layout=nhwc, const=w)", {"a": 400}),
    "conv2d, depthwise": (
        "conv2d(n=?a, ci=8, h=12, w=12, co=8, kh=3, kw=3, pad=1, groups=8, layout=nhwc, const=w)", {"a": 400}
    ),
    "conv2d, depthwise in nchw": (
        "conv2d(n=?a, ci=8, h=12, w=12, co=8, kh=3, kw=3, pad=1, groups=8, const=w)", {"a": 400}
    ),
    "products of one column": ("batch_matmul(b=?a, m=?b, n=1, k=8)", {"a": 40_000, "b": 9}),
    "sums of the outer and the last axis": (
        "reduce(d0=?a, d1=?b, d2=?c, rank=3, axes=0x2)", {"a": 20_000, "b": 9, "c": 9}
    ),
    "softmax across": ("softmax(outer=?a, n=?b, inner=3)", {"a": 60_000, "b": 5}),
    "transpose of rows": ("transpose(d0=?a, d1=?b, d2=?c, rank=3, perm=1x0x2)", {"a": 20_000, "b": 9, "c": 5}),
}  # fmt: skip


def _opened(workload: Workload, symbols: Mapping[str, int]) -> tuple[int, float]:
    """How many teams a call starts, and for how many there is work: two threads, each of which is worth starting."""
    template = templates_for(workload, TWO)[0]
    config = template.default(workload, TWO)
    nest = template.schedule(workload, TWO, config).nest
    plan = single_plan(workload, TWO, template.name, config, classes=2)
    inputs = inputs_of(workload, symbols)
    kernel = DispatchKernel(plan, compile_plan(plan), {name: inputs[name] for name in workload.const})
    if SLOT not in kernel.source(form="llvm"):
        return 0, 0.0
    team = Team().serve(kernel._loaded)
    kernel(*(array for name, array in inputs.items() if name not in workload.const))
    env = dict(symbols)
    for s in nest.symbols:
        env[s.name] = symbols[s.name] if s.derived is None else s.derived.evaluate(env)
    grains = {s.grain for s in walk(nest.body) if isinstance(s, Loop) and s.grain is not None}
    return len(team.asked), sum(grain.work.evaluate(env) / (2 * grain.least) for grain in grains)


@pytest.mark.slow
@pytest.mark.parametrize("name", HARD)
def test_a_team_is_started_for_work_that_is_worth_it(name: str) -> None:
    """One more each for what a first and a last round of tiles do apart."""
    text, symbols = HARD[name]
    teams, worth = _opened(Workload.parse(text), symbols)
    assert teams <= worth + 2


def test_a_gather_along_the_last_axis_starts_one_team_or_none() -> None:
    workload = Workload.parse(HARD["gather, along the last axis"][0])
    assert _opened(workload, {"a": 64, "b": 9, "c": 64})[0] == 0
    assert _opened(workload, {"a": 2000, "b": 9, "c": 250})[0] == 1
    assert _opened(workload, {"a": 1, "b": 9, "c": 500_000})[0] == 1
