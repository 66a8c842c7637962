"""conv2d by minimal filtering: what its nests and its code compute, on generated sizes, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anytile.dispatch.cpu.build import compile_plan
from anytile.dispatch.cpu.kernel import DispatchKernel
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.verify import verify
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import conv2d
from anytile.schedules.workloads.workload import Any, Dim, Workload
from tests.support.cases.convolution_nests import SYMBOLS, TAILS, check_code, check_nest, symbolic
from tests.support.cases.small_operators import check, inputs_of

SSE = Target.parse("llvm -mcpu=nehalem -threads=1")  # 4 lanes: small enough to interpret
TEAM = Target.parse("llvm -mcpu=nehalem -threads=3")
AVX2 = Target.parse("llvm -mcpu=haswell -threads=1")
FEW = Target.parse("llvm -mtriple=i686-linux-gnu -mcpu=haswell -threads=1")  # vector registers
AVX512 = Target.parse("llvm -mcpu=znver4 -threads=1")
WINOGRAD = template("conv2d.winograd")
LAYER = "n=2, ci=24, h=11, w=9, co=20, kh=3, kw=3, pad=1, layout=nhwc, const=w"
NEAR = {2: 0.0, 4: 5e-6}  # of the largest result, where everything is a small integer: F(2, 3) is exact then
SMALL = conv2d(2, 8, 7, 9, 12, 3, 3, pad=1, layout="nhwc", const=("w",), tail="max(y + bias[co], 0)")


@st.composite
def workloads(draw: st.DrawFn) -> tuple[Workload, dict[str, int]]:
    """A kernel of 3 by 3 on an image of any size, and values for the sizes that are symbolic."""
    sizes = {"n": draw(st.integers(0, 3)), "h": draw(st.integers(1, 14)), "w": draw(st.integers(2, 14))}
    pad = draw(st.sampled_from(((1, 1, 1, 1), (1, 1, 1, 1), (0, 1, 0, 1), (2, 2, 2, 2))))
    channels = draw(st.sampled_from((8, 9, 12))), draw(st.sampled_from((8, 13, 16)))
    workload = Workload.of(
        "conv2d",
        {**sizes, "h": max(sizes["h"], 3), "ci": channels[0], "co": channels[1], "kh": 3, "kw": 3},
        const=("w",),
        attrs={"layout": "nhwc", "pad": pad},
        tail=draw(st.sampled_from(TAILS)).replace("[n, co, oh, ow]", "[n, oh, ow, co]"),
    )
    names = "".join(d for d in "nhw" if draw(st.booleans()))
    sizes["h"] = max(sizes["h"], 3 - pad[0] - pad[2] if "h" in names else 3)
    return symbolic(workload, names), {SYMBOLS[d]: sizes[d] for d in names}


def _config(workload: Workload, target: Target, data: st.DataObject) -> Config:
    space = WINOGRAD.space(workload, target)
    return space[data.draw(st.integers(0, len(space) - 1), "config")]


@pytest.mark.sampled(0)
@settings(max_examples=12, deadline=None)
@given(workloads(), st.data())
def test_nests_compute_convolutions(case: tuple[Workload, dict[str, int]], data: st.DataObject) -> None:
    workload, symbols = case
    config = _config(workload, SSE, data)
    made = WINOGRAD.schedule(workload, SSE, config)
    verify(made.nest)
    verify(made.packs[0].nest)
    check_nest(workload, made, symbols, NEAR[config.int("out")])


@pytest.mark.sampled(0)
@settings(max_examples=16, deadline=None)
@given(workloads(), st.data())
def test_code_between_walls(case: tuple[Workload, dict[str, int]], data: st.DataObject) -> None:
    workload, symbols = case
    target = data.draw(st.sampled_from((Target.host(1), SSE, TEAM)), "target")
    config = _config(workload, target, data)
    artifact = compile_plan(single_plan(workload, target, WINOGRAD.name, config))
    check_code(workload, artifact, symbols, config, NEAR[config.int("out")])


@pytest.mark.sampled(0)
@pytest.mark.parametrize("target", [SSE, TEAM], ids=str)
@pytest.mark.parametrize("out", NEAR)
def test_every_size(out: int, target: Target) -> None:
    """One kernel, around its tiles and chunks: rows and images that end inside of them, and with nothing to do."""
    for width, unknown in ((5, "n"), (30, "nh"), (30, "nhw")):
        known = conv2d(1, 8, 16, width, 8, 3, 3, pad=1, layout="nhwc", const=("w",))
        workload = symbolic(known, unknown)
        config = WINOGRAD.default(workload, target).with_(out=out, chunk=16)
        artifact = compile_plan(single_plan(workload, target, WINOGRAD.name, config))
        for b in (0, 1, 2, 3, 5):
            for h in (0, 1, 2, 7, 16, 17) if "h" in unknown else (16,):
                for w in (0, 1, 4, 6, 9, 31) if "w" in unknown else (width,):
                    sizes = {"n": b, "h": h, "w": w}
                    check_code(workload, artifact, {SYMBOLS[d]: sizes[d] for d in unknown}, config, NEAR[out])


def _computed(workload: Workload, name: str, inputs: dict[str, np.ndarray], **knobs: int) -> np.ndarray:
    target, chosen = Target.host(1), template(name)
    plan = single_plan(workload, target, name, chosen.default(workload, target).with_(**knobs))
    kernel = DispatchKernel(plan, compile_plan(plan), {"w": inputs["w"]})
    np.testing.assert_array_equal(kernel.constants()["w"].view(np.uint32), inputs["w"].view(np.uint32))
    return kernel(inputs["x"])


@pytest.mark.sampled(2)
@pytest.mark.parametrize("numbers", ["any", "images behind a ReLU", "positive"])
@pytest.mark.parametrize(("channels", "size"), [(8, 13), (24, 12), (64, 9), (256, 8), (512, 7)])
def test_errors_beside_those_of_sums_in_float32(channels: int, size: int, numbers: str) -> None:
    """Against float64: those of F(2, 3) are no larger, and those of F(4, 3) a few times as large."""
    workload = conv2d(1, channels, size, size, 16, 3, 3, pad=1, layout="nhwc", const=("w",))
    rng = np.random.default_rng(7)
    x = rng.standard_normal((1, size, size, channels)).astype(np.float32)
    w = rng.standard_normal((16, channels, 3, 3)).astype(np.float32)
    x = x if numbers == "any" else np.maximum(x, 0)
    w = np.abs(w) if numbers == "positive" else w
    exact = workload.spec.reference({"x": x, "w": w}, workload.attributes)[0][..., 1:]
    w[0, 0, 1] = -0.0, np.nan, np.inf  # of a channel that is not looked at

    def error(name: str, **knobs: int) -> float:
        off = _computed(workload, name, {"x": x, "w": w}, **knobs)[..., 1:] - exact
        return float(np.sqrt(np.mean(off**2) / np.mean(exact**2)))

    least = max(error("conv2d.direct"), 2.0**-24)
    assert error("conv2d.winograd", out=2) < 1.5 * least
    assert error("conv2d.winograd", out=4) < 4.5 * least
    assert error("conv2d.winograd", out=4) < 3e-6


def test_golden(golden: Callable[[str, str], None]) -> None:
    made = WINOGRAD.schedule(SMALL, SSE, WINOGRAD.default(SMALL, SSE).with_(out=2, chunk=32, tile_t=4, tile_c=2))
    verify(made.nest)
    golden("conv2d_winograd.txt", f"{made.nest}\n{made.packs[0].nest}")


@pytest.mark.sampled(0)
@pytest.mark.parametrize("target", [AVX512, AVX2, SSE, TEAM, FEW], ids=str)
@pytest.mark.parametrize("size", [(56, 56), (Any("h"), Any("v"))], ids=["56x56", "any"])
def test_every_config_of_a_layer_is_sound(target: Target, size: tuple[Dim, Dim]) -> None:
    workload = conv2d(Any("b"), 64, *size, 64, 3, 3, pad=1, layout="nhwc", const=("w",))
    space = WINOGRAD.space(workload, target)
    space.check(WINOGRAD.default(workload, target))
    for config in list(space)[:: len(space) // 7]:
        verify(WINOGRAD.schedule(workload, target, config).nest)


@pytest.mark.parametrize(
    "refused",
    [
        conv2d(1, 64, 56, 56, 64, 3, 3, pad=1, layout="nhwc"),  # a weight that may change
        conv2d(1, 64, 56, 56, 64, 3, 3, pad=1, const=("w",)),
        conv2d(1, 64, 56, 56, 64, 3, 3, pad=1, layout="nhwc", const=("w",), algorithm="direct"),
        conv2d(1, 64, 56, 56, 64, 3, 3, pad=1, stride=2, layout="nhwc", const=("w",)),
        conv2d(1, 64, 56, 56, 64, 3, 3, pad=2, dilation=2, layout="nhwc", const=("w",)),
        conv2d(1, 64, 56, 56, 64, 3, 3, pad=1, groups=2, layout="nhwc", const=("w",)),
        conv2d(1, 64, 56, 56, 64, 5, 5, pad=2, layout="nhwc", const=("w",)),
        conv2d(1, 3, 224, 224, 64, 3, 3, pad=1, layout="nhwc", const=("w",)),  # transforms would cost more
        conv2d(1, 64, 56, 56, 64, 3, 3, pad=1, layout="nhwc", const=("w",), dtype="float16"),
        Workload.parse(f"quantised_conv2d({LAYER})"),
        Workload.parse(f"quantised_conv2d({LAYER}, x=float32, weight=float16, out=float32)"),
    ],
    ids=str,
)
def test_what_it_does_not_serve(refused: Workload) -> None:
    assert not template(f"{refused.op}.winograd").suits(refused)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("out", NEAR)
@pytest.mark.parametrize(
    "text",
    [
        f"conv2d({LAYER}, dtype=bfloat16, stored=b:float32, tail=max(y + b[co], 0))",
        f"conv2d({LAYER}, dtype=bfloat16, tail=y + r[n, oh, ow, co])",
        f"conv2d({LAYER}, stored=x:bfloat16+y:bfloat16)",
        f"quantised_conv2d({LAYER}, x=float32, weight=bfloat16, out=float32, tail=max(y + b[co], 0))",
    ],
)
def test_what_lies_in_16_bits_is_multiplied_as_floats(text: str, out: int) -> None:
    """The weight is got back as it was, in its own bits."""
    workload, target = Workload.parse(text), Target.host(1)
    winograd = template(f"{workload.op}.winograd")
    plan = single_plan(workload, target, winograd.name, winograd.default(workload, target).with_(out=out))
    inputs = inputs_of(workload, {})
    kernel = DispatchKernel(plan, compile_plan(plan), {"w": inputs["w"]})
    np.testing.assert_array_equal(kernel.constants()["w"], inputs["w"])
    made = kernel(*(a for name, a in inputs.items() if name != "w"))
    check(workload, {"y": made}, inputs, text)
