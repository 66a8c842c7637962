"""conv2d as machine code, between walls: every template, generated geometry, the corners of each size."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anytile.dispatch.cpu.build import compile_plan, source
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import template, templates_for
from anytile.schedules.workloads.constructors import conv2d
from anytile.schedules.workloads.workload import Workload
from tests.support.cases.convolution_nests import SYMBOLS, check_code, convolutions, symbolic

HOST = Target.host(1)
SSE = Target.parse("llvm -mcpu=nehalem -threads=1")
TEAM = Target.parse("llvm -mcpu=nehalem -threads=3")

CORNERS = {
    "kernel larger than the image": conv2d(1, 3, 2, 2, 5, 5, 5, pad=2, layout="nhwc"),
    "stride larger than the kernel": conv2d(2, 4, 11, 13, 17, 2, 2, stride=3, layout="nhwc"),
    "dilation": conv2d(1, 4, 9, 12, 33, 3, 3, pad=2, dilation=2, layout="nhwc"),
    "groups": conv2d(1, 12, 6, 6, 18, 3, 3, pad=1, groups=3, layout="nhwc"),
    "one tap": conv2d(2, 20, 5, 7, 19, 1, 1, layout="nhwc"),
    "one tap, padded": conv2d(1, 4, 3, 3, 5, 1, 1, pad=2, layout="nhwc"),
    "one pixel of one channel": conv2d(1, 1, 2, 2, 8, 1, 1, stride=2, layout="nhwc"),
    "asymmetric padding": conv2d(1, 3, 8, 9, 16, 3, 2, pad=(0, 1, 2, 3), layout="nhwc"),
    "depthwise": conv2d(1, 24, 9, 11, 24, 3, 3, pad=1, groups=24, layout="nhwc"),
    "depthwise, strided": conv2d(2, 17, 9, 11, 17, 5, 3, stride=2, pad=(2, 1, 2, 1), groups=17, layout="nhwc"),
    "few outputs": conv2d(2, 16, 9, 11, 1, 3, 3, pad=1, layout="nhwc"),
    "few outputs, dilated": conv2d(1, 64, 5, 19, 3, 3, 2, stride=2, pad=(0, 1, 2, 3), dilation=2, layout="nhwc"),
    "few outputs in groups": conv2d(1, 24, 7, 9, 6, 3, 3, pad=1, groups=3, layout="nhwc"),
    "more outputs per group": conv2d(1, 5, 6, 7, 10, 3, 3, pad=1, groups=5, layout="nhwc"),
}


def _with(workload: Workload, layout: str, const: bool) -> Workload:
    attrs = {**dict(workload.attrs), "layout": layout}
    return Workload.of("conv2d", dict(workload.dims), const=("w",) if const else (), attrs=attrs)


@pytest.mark.slow
@pytest.mark.parametrize("const", [False, True], ids=["given", "packed"])
@pytest.mark.parametrize("layout", ["nhwc", "nchw"])
@pytest.mark.parametrize("name", CORNERS)
def test_corners(name: str, layout: str, const: bool) -> None:
    workload = _with(CORNERS[name], layout, const)
    for chosen in templates_for(workload, HOST):
        config = chosen.default(workload, HOST)
        check_code(workload, compile_plan(single_plan(workload, HOST, chosen.name, config)), {}, chosen.name)


@pytest.mark.slow
@pytest.mark.parametrize("order", ["", "channel", "row", "pixel"])
@pytest.mark.parametrize("target", [TEAM, Target.host(2)], ids=["sse", "host"])
def test_wide_windows_of_single_channels_on_several_threads(target: Target, order: str) -> None:
    """Rows of an image are told apart by its border only where no threads share them."""
    workload = symbolic(conv2d(2, 20, 12, 12, 20, 7, 7, pad=3, groups=20, layout="nhwc", const=("w",)), "n")
    chosen = template("conv2d.depthwise")
    config = chosen.default(workload, target)
    if order:
        config = config.with_(order=order, kernel="rows", border="guard")
    artifact = compile_plan(single_plan(workload, target, chosen.name, config))
    for n in (0, 1, 3):
        check_code(workload, artifact, {SYMBOLS["n"]: n}, config)


@pytest.mark.slow
@pytest.mark.parametrize("cpu", ["nehalem", "haswell", "x86-64"])
def test_every_symbolic_size_of_few_outputs(cpu: str) -> None:
    target = Target.parse(f"llvm -mcpu={cpu} -threads=1")
    workload = symbolic(conv2d(1, 16, 16, 16, 2, 3, 3, pad=1, layout="nhwc", const=("w",)), "nhw")
    config = template("conv2d.direct").default(workload, target)
    assert config["lanes"] == "ci"
    artifact = compile_plan(single_plan(workload, target, "conv2d.direct", config))
    for values in itertools.product((0, 1, 3), (0, 1, 2, 7), (0, 1, 5, 6, 7, 13, 31)):
        check_code(workload, artifact, dict(zip(workload.symbols, values, strict=True)), config)


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["nhwc", "nchw"])
@pytest.mark.parametrize("kernel", [1, 3])
def test_every_symbolic_size(layout: str, kernel: int) -> None:
    """One kernel for all sizes: 0 and 1 of each, around the tiles' widths, and primes."""
    known = conv2d(1, 3, 16, 16, 20, kernel, kernel, pad=kernel // 2, layout=layout, const=("w",))
    workload = symbolic(known, "nhw")
    for chosen in templates_for(workload, HOST):
        config = chosen.default(workload, HOST)
        artifact = compile_plan(single_plan(workload, HOST, chosen.name, config))
        tile = int(dict(config.values).get("tile_w", 6))
        for b, h, v in itertools.product((0, 1, 3), (1, 2, 31), (1, tile - 1, tile, tile + 1, 2 * tile, 101)):
            check_code(workload, artifact, {SYMBOLS["n"]: b, SYMBOLS["h"]: h, SYMBOLS["w"]: v}, chosen.name)


@pytest.mark.slow
@pytest.mark.parametrize("target", [HOST, Target.host(2), SSE, TEAM], ids=["host", "host of 2", "sse", "sse of 3"])
@pytest.mark.parametrize(("taps", "pad"), [(3, (1, 1, 1, 1)), (3, (0, 2, 1, 0)), (5, (2, 2, 2, 2)), (7, (3, 4, 2, 3))])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("layout", ["nhwc", "nchw"])
def test_every_symbolic_size_of_single_channels(
    layout: str, stride: int, taps: int, pad: tuple[int, int, int, int], target: Target
) -> None:
    """Heights and widths around those in which a tile sees both borders, one, or none."""
    known = conv2d(2, 20, 64, 64, 20, taps, taps, stride=stride, pad=pad, groups=20, layout=layout, const=("w",))
    workload, chosen = symbolic(known, "hw"), template("conv2d.depthwise")
    config = chosen.default(workload, target)
    artifact = compile_plan(single_plan(workload, target, chosen.name, config))
    large = () if target.threads == 1 else itertools.product((40, 41, 42), (71, 72, 73))  # enough for several threads
    small = itertools.product((1, 2, 3, 4, 5, 6, 7, 8, 13, 14), (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 17, 37))
    strips = itertools.product((7,), (62, 63, 64, 65, 66, 67, 71, 72, 73, 126, 127, 128, 129, 130))
    for h, v in (*small, *strips, *large):
        check_code(workload, artifact, {"h": h, "v": v}, config)


def test_what_a_mask_leaves_out_is_not_read() -> None:
    """LLVM makes one instruction of a masked load and its use, and may take that apart into a load without a mask."""
    known = conv2d(1, 20, 64, 64, 20, 3, 3, pad=(0, 2, 1, 0), groups=20, const=("w",))
    workload, target = symbolic(known, "hw"), Target.parse("llvm -mcpu=znver4 -threads=1")
    chosen = template("conv2d.depthwise")
    plan = single_plan(workload, target, chosen.name, chosen.default(workload, target))
    text = source(plan, form="asm")
    masked = re.findall(r"\bvfmadd.*\{%k\d\}.*", text)
    assert masked
    assert not [s for s in masked if re.search(r"\(%(?!rsp)", s) and "{1to" not in s]  # what is spilled is there


@pytest.mark.slow
@settings(max_examples=16, deadline=None)
@given(st.one_of(convolutions(most=40), convolutions(depthwise=True, most=40)), st.data())
def test_random_geometry(case: tuple[Workload, dict[str, int]], data: st.DataObject) -> None:
    workload, symbols = case
    target = data.draw(st.sampled_from((HOST, SSE, TEAM)), "target")
    for chosen in templates_for(workload, target):
        space = chosen.space(workload, target)
        config = space[data.draw(st.integers(0, len(space) - 1), "config")]
        artifact = compile_plan(single_plan(workload, target, chosen.name, config))
        check_code(workload, artifact, symbols, f"{chosen.name} {config}")
