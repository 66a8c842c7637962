"""Convolutions and batches of products whose tensors have 16 bits: terms are multiplied in pairs or widened, and what
is stored is rounded."""

from __future__ import annotations

import re

import pytest

from anytile.dispatch.cpu.build import compile_plan, source
from anytile.dispatch.cpu.kernel import DispatchKernel
from anytile.schedules.hardware.target import Target
from anytile.schedules.operators.spec import AttributeValue
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import is_served, template, templates_for
from anytile.schedules.workloads.constructors import conv2d
from anytile.schedules.workloads.workload import Any, Workload
from tests.support.cases.small_operators import check, inputs_of

HOST = Target.host(1)
HALVES = ("bfloat16", "float16")
TAILS = ("", "max(y + b[co], 0)")
LAYOUTS = ({}, {"rhs": "bnk"}, {"rhs": "kn"}, {"lhs": "mbk", "rhs": "nbk", "y": "mbn"})


def compare(workload: Workload, symbols: dict[str, int]) -> None:
    for t in templates_for(workload, HOST):
        plan = single_plan(workload, HOST, t.name, t.default(workload, HOST))
        inputs = inputs_of(workload, symbols)
        kernel = DispatchKernel(plan, compile_plan(plan), {name: inputs[name] for name in workload.const})
        made = kernel(*(a for name, a in inputs.items() if name not in workload.const))
        check(workload, {output.name: made for output in workload.outputs}, inputs, t.name)


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


LYING = (
    "conv2d({}, dtype=bfloat16, const=w, stored=y:float32+b:float32, tail=max(y + b[co], 0))",
    "conv2d({}, dtype=bfloat16, stored=b:float32, tail=max(y + b[co], 0))",
    "conv2d({}, stored=x:bfloat16+y:bfloat16)",
    "conv2d({}, const=w, stored=b:float16, tail=max(y + b[co], 0))",
    "quantised_conv2d({}, x=float32, weight=bfloat16, out=float32, const=w, tail=max(y + b[co], 0))",
    "quantised_conv2d({}, x=float32, weight=float16, out=float32, stored=x:bfloat16+y:bfloat16)",
    "quantised_conv2d({}, x=float32, weight=bfloat16, out=float32, products=rounded)",
)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("layout", ["nhwc", "nchw"])
@pytest.mark.parametrize("name", CONVOLUTIONS)
@pytest.mark.parametrize("text", LYING)
def test_convolutions_of_tensors_that_lie_otherwise(text: str, name: str, layout: str) -> None:
    """A narrow weight beside floats, and what is stored in another dtype than the others."""
    sizes = ", ".join(f"{key}={value}" for key, value in CONVOLUTIONS[name].items())
    compare(
        Workload.parse(text.format(f"n=2, h=9, w=7, co=18, kw={CONVOLUTIONS[name]['kh']}, {sizes}, layout={layout}")),
        {},
    )


@pytest.mark.parametrize("layout", ["nhwc", "nchw"])
@pytest.mark.parametrize("op", ["max_pool2d", "avg_pool2d"])
def test_pools_of_tensors_that_lie_in_16_bits(op: str, layout: str) -> None:
    sizes = f"n=?n, c=19, h=9, w=7, kernel=3, pad=1, stride=2, layout={layout}"
    for images in (0, 1, 3):
        compare(Workload.parse(f"{op}({sizes}, stored=x:bfloat16+y:bfloat16)"), {"n": images})


def test_terms_that_are_not_both_in_16_bits_have_no_template() -> None:
    text = "conv2d(n=1, ci=4, h=8, w=8, co=8, kh=3, kw=3, layout=nhwc, dtype=bfloat16, stored=x:float32)"
    assert not is_served(Workload.parse(text), HOST)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["conv2d.direct", "conv2d.matmul"])
@pytest.mark.parametrize("ci", [3, 64])
@pytest.mark.parametrize("cpu", ["znver4", "haswell"])
def test_pairs_of_channels_are_one_product_where_the_cpu_has_it(cpu: str, ci: int, name: str) -> None:
    target = Target.parse(f"llvm -mcpu={cpu} -threads=1")
    workload = conv2d(1, ci, 8, 8, 32, 3, 3, pad=1, layout="nhwc", dtype="bfloat16", const=("w",))
    asm = source(single_plan(workload, target, name, template(name).default(workload, target)), form="asm")
    assert ("\tvdpbf16ps" in asm) == (cpu == "znver4")
    assert ("\tvfmadd" in asm) == (cpu == "haswell")
    assert not re.findall(r"vpmovzxwd|__\w+", asm)  # neither is widened one by one, and no library is called


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
