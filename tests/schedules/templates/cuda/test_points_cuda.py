"""The spaces of what a GPU makes element by element: no two configs are the same kernel."""

from __future__ import annotations

import pytest

from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.workload import Workload

TARGET = Target.parse("cuda -arch=sm_90a")


@pytest.mark.parametrize(
    "text",
    [
        "transpose(d0=?a, d1=?b, rank=2, perm=1x0)",
        "transpose(d0=?a, d1=?b, d2=16, rank=3, perm=1x0x2)",
        "cumsum(outer=?a, n=?b, inner=1)",
    ],
)
def test_every_config_is_another_kernel(text: str) -> None:
    workload = Workload.parse(text)
    (template,) = templates_for(workload, TARGET)
    space = template.space(workload, TARGET)
    assert template.default(workload, TARGET) in space
    assert len({str(template.schedule(workload, TARGET, config).nest) for config in space}) == len(space) > 1
