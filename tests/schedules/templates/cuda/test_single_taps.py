"""Convolutions with a kernel of one tap along a dimension, and padding there: results whose only term is a zero."""

from __future__ import annotations

import pytest

from anytile.codegen.cuda.build import scheduled_nest
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.verify import verify
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.workload import Workload
from tests.support.cases.interpreted_nests import check

FLOATS = "layout=nhwc"
HALVES = "layout=nhwc, filters=ohwi, dtype=bfloat16"


@pytest.mark.parametrize(
    ("name", "arch", "rest"),
    [
        ("conv2d.cuda.nest", "sm_80", FLOATS),
        ("conv2d.cuda.simt", "sm_80", FLOATS),
        ("conv2d.cuda.mma", "sm_80", HALVES),
        ("conv2d.cuda.relay", "sm_90a", HALVES),
    ],
)
@pytest.mark.parametrize(
    "sizes",
    [
        "ci=8, h=2, w=3, co=8, kh=1, kw=1, pad=1x2x0x1",
        "ci=8, h=3, w=2, co=8, kh=2, kw=1, pad=1x1x0x2, stride=2",
        "ci=8, h=1, w=5, co=8, kh=1, kw=3, pad=1x1x1x1",
        "ci=16, h=1, w=1, co=8, kh=1, kw=1, pad=0x0x0x1",
    ],
)
def test_what_is_padding_is_a_result(name: str, arch: str, rest: str, sizes: str) -> None:
    workload, target, t = (
        Workload.parse(f"conv2d(n=1, {sizes}, {rest})"),
        Target.parse(f"cuda -arch={arch}"),
        template(name),
    )
    nest = scheduled_nest(workload, t.default(workload, target), target, t)
    verify(nest)
    check(workload, nest, {})
