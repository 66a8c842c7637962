"""Convolutions and batches of products whose tensors have 16 bits: each template widens, and rounds what it stores."""

from __future__ import annotations

import pytest

from anytile.dispatch.cpu.build import compile_plan
from anytile.dispatch.cpu.kernel import DispatchKernel
from anytile.schedules.hardware.target import Target
from anytile.schedules.operators.spec import AttributeValue
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.workload import Any, Workload
from tests.support.cases.small_operators import check, inputs_of

HOST = Target.host(1)
HALVES = ("bfloat16", "float16")
TAILS = ("", "max(y + b[co], 0)")
LAYOUTS = ({}, {"rhs": "bnk"}, {"rhs": "kn"}, {"lhs": "mbk", "rhs": "nbk", "y": "mbn"})


def compare(workload: Workload, symbols: dict[str, int]) -> None:
    for template in templates_for(workload, HOST):
        plan = single_plan(workload, HOST, template.name, template.default(workload, HOST))
        inputs = inputs_of(workload, symbols)
        kernel = DispatchKernel(plan, compile_plan(plan), {name: inputs[name] for name in workload.const})
        made = kernel(*(a for name, a in inputs.items() if name not in workload.const))
        check(workload, {t.name: made for t in workload.outputs}, inputs, template.name)


CONVOLUTIONS: dict[str, dict[str, AttributeValue]] = {
    "three by three": {"ci": 5, "kh": 3, "pad": 1, "stride": 2},
    "one tap": {"ci": 16, "kh": 1},
    "groups": {"ci": 6, "kh": 3, "groups": 3, "pad": 1},
    "every channel a group": {"ci": 18, "kh": 3, "groups": 18, "pad": 1},
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("layout", ["nhwc", "nchw"])
@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions(name: str, dtype: str, layout: str) -> None:
    attrs = {**CONVOLUTIONS[name], "layout": layout}
    dims = {"n": 2, "ci": attrs.pop("ci"), "h": 9, "w": 7, "co": 18, "kh": attrs["kh"], "kw": attrs.pop("kh")}
    for const in ((), ("w",)):
        for tail in TAILS:
            compare(Workload.of("conv2d", dims, dtype, const, attrs, tail), {})  # type: ignore[arg-type]  # numbers


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "layout", [{}, {"rhs": "bnk"}, {"rhs": "kn"}, {"lhs": "mbk", "rhs": "nbk", "y": "mbn"}], ids=str
)
@pytest.mark.parametrize("dtype", HALVES)
def test_batches_of_products(dtype: str, layout: dict[str, str]) -> None:
    for k in (0, 19, 64):
        workload = Workload.of("batch_matmul", {"b": 2, "m": Any("m"), "n": 37, "k": k}, dtype, attrs=layout)
        for m in (1, 7, 17):
            compare(workload, {"m": m})
