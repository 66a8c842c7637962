"""The spaces of what a GPU makes element by element: no two configs are the same kernel."""

from __future__ import annotations

import pytest

from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.nodes import Loop
from anytile.schedules.nest.traverse import walk
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.workload import Workload

TARGET = Target.parse("cuda -arch=sm_90a")


@pytest.mark.parametrize(
    "text",
    [
        "transpose(d0=?a, d1=?b, rank=2, perm=1x0)",
        "transpose(d0=?a, d1=?b, d2=16, rank=3, perm=1x0x2)",
        "cumsum(outer=?a, n=?b, inner=1)",
        "elementwise(d0=?a, rank=1, f=exp(x[d0]))",
        "gather(outer=1, n=?a, m=?b, inner=1)",
    ],
)
def test_every_config_is_another_kernel(text: str) -> None:
    workload = Workload.parse(text)
    (template,) = templates_for(workload, TARGET)
    space = template.space(workload, TARGET)
    assert template.default(workload, TARGET) in space
    assert len({str(template.schedule(workload, TARGET, config).nest) for config in space}) == len(space) > 1


@pytest.mark.parametrize(
    ("text", "threads"),
    [
        ("elementwise(d0=?a, rank=1, f=exp(x[d0]))", 128),
        ("gather(outer=1, n=?a, m=?b, inner=1)", 128),
        ("cumsum(outer=?a, n=?b, inner=1)", 128),
        ("scatter_rows(n=?a, m=?b, inner=1, mode=add)", 128),
        ("gather(outer=?a, n=?b, m=?c, inner=8)", 8),
        ("elementwise(d0=?a, d1=?b, rank=2, f=x[d0, d1] * c[d1])", 32),
    ],
)
def test_neighbours_are_those_along_the_last_dimension_that_has_some(text: str, threads: int) -> None:
    """A dimension that is known to be 1 gets no threads of a block, though it stands last."""
    workload = Workload.parse(text)
    (template,) = templates_for(workload, TARGET)
    nest = template.schedule(workload, TARGET, template.default(workload, TARGET)).nest
    (across,) = [s for s in walk(nest.body) if isinstance(s, Loop) and s.var == "tn"]
    assert across.extent.value == threads
