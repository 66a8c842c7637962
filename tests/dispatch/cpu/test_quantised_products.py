"""Convolutions and batches of products of 8-bit integers: exact at every corner, and by each CPU in its way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from anytile.codegen.load.loader import Loaded
from anytile.core.errors import ArgumentError, SpecError
from anytile.dispatch.cpu.build import compile_plan, source
from anytile.dispatch.cpu.kernel import DispatchKernel
from anytile.schedules.hardware.target import Target
from anytile.schedules.operators.spec import AttributeValue
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.base.template import Template
from anytile.schedules.templates.cpu.conv2d_direct import depthwise
from anytile.schedules.templates.registry import template, templates_for
from anytile.schedules.workloads.constructors import quantised_batch_matmul, quantised_conv2d
from anytile.schedules.workloads.reference import evaluate
from anytile.schedules.workloads.workload import Any as AnyDim
from anytile.schedules.workloads.workload import Workload
from tests.support.cases.convolution_nests import convolutions
from tests.support.cases.small_operators import check, inputs_of, walled

HOST = Target.host(1)
SSE = Target.parse("llvm -mcpu=nehalem -threads=1")
ZEN4 = Target.parse("llvm -mcpu=znver4 -threads=1")
TEAM = Target.parse("llvm -mcpu=nehalem -threads=3")
Array = NDArray[Any]


def _compare(
    workload: Workload, chosen: Template, config: Config, sizes: Sequence[dict[str, int]], target: Target
) -> None:
    plan = single_plan(workload, target, chosen.name, config)
    # What compiles is paid by its size: the residues that are walked.
    artifact = compile_plan(plan, None if plan.symbol is None else {at[plan.symbol] for at in sizes})
    for symbols in sizes:
        inputs, what = inputs_of(workload, symbols), f"{chosen.name} {config} {symbols} {target}"
        if workload.const:
            kernel = DispatchKernel(plan, artifact, {name: inputs[name] for name in workload.const})
            made = kernel(*(a for name, a in inputs.items() if name not in workload.const))
            check(workload, {t.name: made for t in workload.outputs}, inputs, what)
        else:
            check(workload, walled(Loaded(artifact), workload, inputs, symbols), inputs, what)


def _by_default(workload: Workload, *sizes: dict[str, int]) -> None:
    for chosen in templates_for(workload, HOST):
        _compare(workload, chosen, chosen.default(workload, HOST), sizes or ({},), HOST)


CORNERS: dict[str, dict[str, AttributeValue]] = {
    "whole quads": {"ci": 8, "kh": 3, "pad": 1},
    "a rest of channels": {"ci": 7, "kh": 3, "pad": 1},
    "fewer channels than a quad": {"ci": 3, "kh": 5, "pad": 2, "stride": 2},
    "one tap": {"ci": 20, "kh": 1},
    "one tap and a rest": {"ci": 21, "kh": 1},
    "one tap, strided": {"ci": 4, "kh": 1, "stride": 2},
    "groups": {"ci": 24, "kh": 3, "groups": 3, "pad": 1},
    "groups and a rest": {"ci": 18, "kh": 3, "groups": 3, "pad": 1},
    "every channel a group": {"ci": 18, "kh": 3, "groups": 18, "pad": 1},
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("const", [(), ("w",)], ids=["given", "packed"])
@pytest.mark.parametrize(("layout", "x"), [("nhwc", "uint8"), ("nhwc", "int8"), ("nchw", "uint8")])
@pytest.mark.parametrize("name", CORNERS)
def test_sums_of_convolutions_are_exact(name: str, layout: str, x: str, const: tuple[str, ...]) -> None:
    attrs = {**CORNERS[name], "layout": layout, "x": x}
    dims = {"n": 2, "ci": attrs.pop("ci"), "h": 9, "w": 7, "co": 18, "kh": attrs["kh"], "kw": attrs.pop("kh")}
    _by_default(Workload.of("quantised_conv2d", dims, const=const, attrs=attrs))  # type: ignore[arg-type]  # numbers


@pytest.mark.sampled(3)
@pytest.mark.parametrize("layout", ["nhwc", "nchw"])
@pytest.mark.parametrize("name", [name for name in CORNERS if name != "every channel a group"])
def test_sums_are_exact_where_16_bits_hold_pairs_of_channels(name: str, layout: str) -> None:
    """Of the largest numbers: a pair anywhere that is not of neighbouring channels adds up to more."""
    attrs = {**CORNERS[name], "layout": layout, "pairs": "int16"}
    dims = {"n": 2, "ci": attrs.pop("ci"), "h": 9, "w": 7, "co": 24, "kh": attrs["kh"], "kw": attrs.pop("kh")}
    workload = Workload.of("quantised_conv2d", dims, const=("w",), attrs=attrs)  # type: ignore[arg-type]  # numbers
    rng, shape = np.random.default_rng(7), workload.shape("w")
    w = rng.choice(np.array([64, -64], np.int8), shape)
    extremes = np.array([127, 1, -128, 0, 127, -127, 1, 127, 0, -128], np.int8)
    w[::2] = np.resize(extremes, shape[1])[:, None, None]
    if shape[1] % 2:
        w[:, -1] = -128  # alone
    inputs = {"x": rng.choice(np.array([255, 255, 255, 0], np.uint8), workload.shape("x")), "w": w}
    for chosen in templates_for(workload, HOST):
        plan = single_plan(workload, HOST, chosen.name, chosen.default(workload, HOST))
        made = DispatchKernel(plan, compile_plan(plan), {"w": w})(inputs["x"])
        check(workload, {"y": made}, inputs, f"{chosen.name} {HOST}")


def test_pairs_of_channels_that_16_bits_do_not_hold_are_refused_in_constants_and_exact_in_others() -> None:
    x, w = np.full((1, 4, 3, 4), 255, np.uint8), np.zeros((8, 4, 3, 3), np.int8)
    w[5, 2:, 0, 1] = 127, 2
    given = quantised_conv2d(1, 4, 4, 3, 8, 3, 3, layout="nhwc", pairs="int16")
    plan = single_plan(given, HOST, "quantised_conv2d.direct", template("quantised_conv2d.direct").default(given, HOST))
    made = DispatchKernel(plan, compile_plan(plan), {})(x, w)
    np.testing.assert_array_equal(made[0, :, 0, 5], np.full(2, 255 * 129))
    packed = replace(given, const=("w",))
    plan = single_plan(packed, HOST, plan.variants[0].template, plan.variants[0].config)
    with pytest.raises(ArgumentError, match=r"^quantised_conv2d: w: expected pairs along cig that add up to -128 to "
                       r"128, got 129; leave pairs=int16 out$"):  # fmt: skip
        DispatchKernel(plan, compile_plan(plan), {"w": w})
    with pytest.raises(SpecError, match=r"pairs=int16 of a depthwise convolution, .*; leave pairs=int16 out$"):
        quantised_conv2d(1, 8, 4, 3, 8, 3, 3, groups=8, pairs="int16")
    with pytest.raises(SpecError, match="pairs=int16 with x=int8; expected x=uint8"):
        quantised_conv2d(1, 8, 4, 3, 8, 3, 3, x="int8", pairs="int16")


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(st.one_of(convolutions(most=20), convolutions(depthwise=True, most=20)), st.data())
def test_random_geometry(case: tuple[Workload, dict[str, int]], data: st.DataObject) -> None:
    floats, symbols = case
    attrs = {**dict(floats.attrs), "x": data.draw(st.sampled_from(("uint8", "int8")), "x")}
    if attrs["x"] == "uint8" and not depthwise(floats):
        attrs["pairs"] = data.draw(st.sampled_from(("int16", "int32")), "pairs")
    attrs["out"] = "float32" if floats.tail else "int32"
    workload = Workload.of("quantised_conv2d", dict(floats.dims), const=floats.const, attrs=attrs, tail=floats.tail)
    target = data.draw(st.sampled_from((HOST, SSE, TEAM)), "target")
    for chosen in templates_for(workload, target):
        space = chosen.space(workload, target)
        config = space[data.draw(st.integers(0, len(space) - 1), "config")]
        _compare(workload, chosen, config, (symbols,), target)


@pytest.mark.parametrize("out", ["uint8", "int8"])
@pytest.mark.parametrize("name", ["quantised_conv2d.direct", "quantised_conv2d.matmul"])
def test_convolutions_are_quantised_again(name: str, out: str) -> None:
    tail = "max(y * s[co] + b[co], 0)"
    workload = quantised_conv2d(2, 8, 6, 5, 20, 3, 3, pad=1, layout="nhwc", out=out, const=("w",), tail=tail)
    inputs = inputs_of(workload, {})
    inputs["s"] = np.full(20, 0.002, np.float32)
    config = template(name).default(workload, HOST)
    plan = single_plan(workload, HOST, name, config)
    got = DispatchKernel(plan, compile_plan(plan), {"w": inputs["w"]})(*(a for n, a in inputs.items() if n != "w"))
    wanted = evaluate(workload, inputs)["y"]
    assert got.dtype == wanted.dtype == np.dtype(out)
    off = np.abs(got.astype(np.int64) - wanted)
    assert off.max() <= 1  # a tie, decided the other way in float32
    assert (off > 0).mean() < 0.01


@pytest.mark.parametrize("kernel", [1, 3])
def test_a_tail_may_read_integers(kernel: int) -> None:
    images = {"n": AnyDim("n"), "ci": 8, "h": 6, "w": 5, "co": 20, "kh": kernel, "kw": kernel}
    attrs = {"pad": kernel // 2, "layout": "nhwc", "out": "float32", "codes": "r"}
    tail = "max(y * s[co] + (r[n, oh, ow, co] * t + u), 0)"
    workload = Workload.of("quantised_conv2d", images, const=("w",), attrs=attrs, tail=tail)
    assert workload.dtype_of(workload.tensor("r")) == "uint8"
    assert Workload.parse(str(workload)) == workload
    assert "codes" not in str(workload.anchor)
    _by_default(workload, *({"n": n} for n in (0, 1, 3)))


def test_integers_that_no_tail_reads_are_refused() -> None:
    with pytest.raises(SpecError, match=r"codes=r, and no tail that reads it; leave it out$"):
        quantised_conv2d(1, 8, 6, 5, 20, 3, 3, codes="r")
    with pytest.raises(SpecError, match=r"codes names r, which the tail 'y \* s\[co\]' does not read$"):
        quantised_conv2d(1, 8, 6, 5, 20, 3, 3, codes="r", out="float32", tail="y * s[co]")


LAYOUTS = [{}, {"rhs": "bnk"}, {"rhs": "kn"}, {"lhs": "mbk", "rhs": "nbk", "y": "mbn"}, {"lhs": "bkm"}, {"y": "bnm"}]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("k", "x"), [(0, "uint8"), (3, "uint8"), (19, "int8"), (64, "uint8")])
@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_batches_of_products_are_exact(layout: dict[str, str], x: str, k: int) -> None:
    workload = quantised_batch_matmul(AnyDim("b"), AnyDim("m"), 37, k, x=x, **layout)  # type: ignore[arg-type]  # words
    _by_default(workload, *({"b": 2, "m": m} for m in (1, 7, 17)))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("by", ["read", "pack"])
@pytest.mark.parametrize("layout", [{"lhs": "mbk", "rhs": "nbk"}, {"rhs": "kbn", "y": "mbn"}], ids=str)
def test_the_right_operand_may_be_read_as_it_lies(layout: dict[str, str], by: str) -> None:
    """Of whole vectors and a rest, and of whole quads and a rest."""
    chosen = template("quantised_batch_matmul.cpu")
    for n, k in ((48, 32), (37, 21)):
        workload = quantised_batch_matmul(2, 5, n, k, x="int8", **layout)  # type: ignore[arg-type]  # words
        config = chosen.default(workload, HOST)
        assert config["rhs_by"] == "read"
        _compare(workload, chosen, config.with_(rhs_by=by), ({},), HOST)


def test_attention_packs_nothing_at_a_call() -> None:
    """Keys are transposed in registers, values woven there: neither needs a workspace."""
    for layout in ({"lhs": "mbk", "rhs": "nbk"}, {"rhs": "kbn", "y": "mbn"}):
        workload = quantised_batch_matmul(12, 32, 64, 64, **layout)  # type: ignore[arg-type]  # words
        chosen = template("quantised_batch_matmul.cpu")
        asm = source(single_plan(workload, ZEN4, chosen.name, chosen.default(workload, ZEN4)), form="asm")
        nest = source(single_plan(workload, ZEN4, chosen.name, chosen.default(workload, ZEN4)))
        assert "workspace" not in nest
        assert "\tvpdpbusd" in asm
        assert not re.findall(r"\tvpmull|\tvpmaddwd|__\w+", asm)


@pytest.mark.slow
def test_batches_of_symbolic_depth_with_scales() -> None:
    workload = quantised_batch_matmul(
        AnyDim("b"), AnyDim("m"), AnyDim("n"), AnyDim("k"), rhs="bnk", out="float32", tail="y * s[b,m] + t[b,n]"
    )
    sizes = ((1, 1, 1, 1), (2, 9, 33, 5), (0, 3, 4, 5), (3, 17, 50, 64), (2, 3, 4, 0))
    _by_default(workload, *(dict(zip("bmnk", at, strict=True)) for at in sizes))


PAIRED_ON = {"znver4": "vpdpbusd", "haswell": "vpmaddubsw", "skylake-avx512": "vpmaddubsw", "x86-64": "pmaddwd"}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["quantised_conv2d.direct", "quantised_conv2d.matmul"])
@pytest.mark.parametrize("cpu", PAIRED_ON)
def test_pairs_of_channels_are_added_up_in_16_bits_where_that_is_the_best(cpu: str, name: str) -> None:
    target = Target.parse(f"llvm -mcpu={cpu} -threads=1")
    for pairs in ("int16", "int32"):
        workload = quantised_conv2d(1, 64, 8, 8, 32, 3, 3, pad=1, layout="nhwc", const=("w",), pairs=pairs)
        asm = source(single_plan(workload, target, name, template(name).default(workload, target)), form="asm")
        assert (f"\t{PAIRED_ON[cpu]}" in asm) == (pairs == "int16" or PAIRED_ON[cpu] != "vpmaddubsw")
        assert ("\tvpmovsxbw" in asm or "\tvpsraw" in asm) == (pairs == "int32" and PAIRED_ON[cpu] == "vpmaddubsw")


ON = {"znver4": "vpdpbusd", "alderlake": "vpdpbusd", "haswell": "vpmaddwd", "x86-64": "pmaddwd"}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["quantised_conv2d.direct", "quantised_conv2d.matmul", "quantised_batch_matmul.cpu"])
@pytest.mark.parametrize("ci", [3, 64])
@pytest.mark.parametrize("cpu", ON)
def test_each_cpu_runs_its_own_instruction(cpu: str, ci: int, name: str) -> None:
    target = Target.parse(f"llvm -mcpu={cpu} -threads=1")
    workload = quantised_conv2d(1, ci, 8, 8, 32, 3, 3, pad=1, layout="nhwc", const=("w",))
    if name.startswith("quantised_batch"):
        workload = quantised_batch_matmul(2, 8, 32, 64, rhs="bnk")
    config = template(name).default(workload, target)
    asm = source(single_plan(workload, target, name, config), form="asm")
    assert f"\t{ON[cpu]}" in asm
    assert not re.findall(r"\tv?pmull|anytile\.dot|__\w+", asm)  # every term is one of four, and no library is called


# Where products of bytes are one instruction, taps of a row are one term; else half of a pair is 0, which is quicker
# than products of 32 bits.
APART = {"znver4": "vpdpbusd", "alderlake": "vpdpbusd", "haswell": "vpmaddwd", "x86-64": "pmaddwd"}


@pytest.mark.parametrize("cpu", APART)
def test_products_of_channels_apart_are_of_taps_or_of_16_bits(cpu: str) -> None:
    target, name = Target.parse(f"llvm -mcpu={cpu} -threads=1"), "quantised_conv2d.depthwise"
    workload = quantised_conv2d(1, 64, 8, 8, 64, 3, 3, pad=1, groups=64, layout="nhwc", const=("w",))
    plan = single_plan(workload, target, name, template(name).default(workload, target))
    asm = source(plan, form="asm")
    assert f"\t{APART[cpu]}" in asm
    assert not re.findall(r"\tv?pmull|__\w+", asm)


def test_every_row_of_taps_is_one_instruction_at_borders_too() -> None:
    target, name = Target.parse("llvm -mcpu=znver4 -threads=1"), "quantised_conv2d.depthwise"
    workload = quantised_conv2d(1, 64, 8, 8, 64, 3, 3, pad=1, groups=64, layout="nhwc", const=("w",))
    plan = single_plan(workload, target, name, template(name).default(workload, target))
    assert not re.findall(r"\tvpdpwssd|\tvpmaddwd|\tvpmovzxbd", source(plan, form="asm"))


TAPS: dict[str, dict[str, AttributeValue]] = {
    "rows of three": {"kh": 3, "kw": 3, "pad": 1},
    "nothing around": {"kh": 3, "kw": 3},
    "two steps": {"kh": 3, "kw": 3, "pad": 1, "stride": 2},
    "more on one side": {"kh": 3, "kw": 3, "pad": (0, 0, 1, 1), "stride": 2},
    "rows of five": {"kh": 5, "kw": 5, "pad": 2},
    "rows of five, two steps": {"kh": 5, "kw": 5, "pad": 2, "stride": 2},
    "rows of two": {"kh": 1, "kw": 2},
    "rows of seven": {"kh": 7, "kw": 7, "pad": 3},
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("border", ["guard", "copy"])
@pytest.mark.parametrize("name", TAPS)
def test_quads_of_taps_are_exact(name: str, border: str) -> None:
    """In images of even and odd widths, of channels that fill vectors and of such that do not."""
    if border == "guard":
        _in_quads(HOST, {**TAPS[name], "x": "uint8"}, width=8, channels=32, border=border)
    elif TAPS[name].get("pad"):
        _in_quads(HOST, {**TAPS[name], "x": "int8"}, width=7, channels=19, border=border)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("target", [SSE, TEAM], ids=["sse", "team"])
@pytest.mark.parametrize("channels", [19, 32])
def test_quads_of_taps_are_exact_without_the_instruction(target: Target, channels: int) -> None:
    _in_quads(target, {**TAPS["rows of three"], "x": "uint8"}, width=7, channels=channels, border="guard")


def _in_quads(target: Target, given: dict[str, AttributeValue], width: int, channels: int, border: str) -> None:
    attrs, chosen = {**given, "groups": channels, "layout": "nhwc"}, template("quantised_conv2d.depthwise")
    dims = {"n": 2, "ci": channels, "h": 7, "w": width, "co": channels, "kh": attrs.pop("kh"), "kw": attrs.pop("kw")}
    const = ("w",) if channels == 32 else ()
    workload = Workload.of("quantised_conv2d", dims, const=const, attrs=attrs)  # type: ignore[arg-type]  # numbers
    config = chosen.default(workload, Target.parse("llvm -mcpu=znver4 -threads=1"))
    assert config["taps"] == 4
    if target.threads > 1:
        config = config.with_(parallel="outer", grain=chosen.default(workload, target)["grain"])
    _compare(workload, chosen, config.with_(border=border), ({},), target)
