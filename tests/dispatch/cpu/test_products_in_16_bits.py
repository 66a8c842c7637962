"""Convolutions and batches of products whose tensors have 16 bits, rounded where they are stored.

Where the CPU multiplies pairs of bfloat16, products are of such; elsewhere, and by channels, they are widened.
"""

from __future__ import annotations

import random
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
from tests.support.cases.small_operators import check, compiled, inputs_of, walled

HOST = Target.host(1)
HALVES = ("bfloat16", "float16")
TAILS = ("", "max(y + b[co], 0)")
LAYOUTS = ({}, {"rhs": "bnk"}, {"rhs": "kn"}, {"lhs": "mbk", "rhs": "nbk", "y": "mbn"})


def compare(workload: Workload, *sizes: dict[str, int]) -> None:
    """Kernels for these sizes alone: what compiles is paid by its size."""
    for t in templates_for(workload, HOST):
        plan = single_plan(workload, HOST, t.name, t.default(workload, HOST))
        artifact = compile_plan(plan, None if plan.symbol is None else {symbols[plan.symbol] for symbols in sizes})
        for symbols in sizes:
            inputs = inputs_of(workload, symbols)
            kernel = DispatchKernel(plan, artifact, {name: inputs[name] for name in workload.const})
            made = kernel(*(a for name, a in inputs.items() if name not in workload.const))
            results = made if isinstance(made, tuple) else (made,)
            check(workload, {o.name: y for o, y in zip(workload.outputs, results, strict=True)}, inputs, t.name)


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
    compare(Workload.parse(f"{op}({sizes}, stored=x:bfloat16+y:bfloat16)"), *({"n": n} for n in (0, 1, 3)))


MOVED = (
    "concat(outer=?a, n0=3, n1=?b, inner=7, count=2)",
    "split(outer=?a, n=9, inner=?b, count=3, at=2x5)",
    "transpose(d0=?a, d1=37, d2=?b, rank=3, perm=0x2x1)",
    "transpose(d0=?a, d1=?b, d2=24, rank=3, perm=1x0x2)",
    "pad(d0=?a, d1=?b, rank=2, before=0x4, after=2x3, mode=constant, value=1.5)",
    "pad(d0=?a, d1=?b, rank=2, before=0x4, after=0x3, mode=edge)",
    "slice(d0=?a, d1=?b, rank=2, start=1x2, stop=2147483647x17)",
    "gather(outer=2, n=7, m=?a, inner=?b)",
    "gather(outer=?a, n=?b, m=5, inner=1)",
)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("text", MOVED)
def test_what_moves_widens_and_rounds_on_the_way(text: str) -> None:
    plain = Workload.parse(text)
    outputs = [t.name for t in plain.outputs]
    inputs = [t.name for t in plain.inputs if plain.dtype_of(t) == "float32"]
    for stored in (outputs, inputs[:1], (*inputs, *outputs)):
        lying = plain.storing(dict.fromkeys(stored, "bfloat16"))
        compare(lying, *(dict.fromkeys(lying.symbols, size) | {"b": 40} for size in (0, 1, 5, 33)))


WIDENED = (
    "batch_matmul(b=3, m=?m, n=?n, k=33, rhs=bnk, stored=rhs:bfloat16)",
    "batch_matmul(b=3, m=?m, n=40, k=?n, rhs=kbn, stored=rhs:float16, tail=y * 0.5)",
    "batch_matmul(b=2, m=?m, n=?n, k=33, y=bnm, stored=rhs:bfloat16)",
    "batch_matmul(b=2, m=?m, n=7, k=?n, lhs=bkm, stored=lhs:float16)",
    "batch_matmul(b=2, m=?m, n=70, k=?n, stored=lhs:bfloat16+rhs:float16+y:bfloat16)",
    "attention(b=2, h=4, m=?m, n=?n, d=24, e=40, stored=k:bfloat16+v:bfloat16)",
    "attention(b=1, h=4, m=?m, n=?n, d=16, e=16, shared=2, k=bngd, v=bnge, stored=k:float16+v:float16)",
    "attention(b=1, h=2, m=?m, n=?n, d=16, e=16, mask=mn, stored=k:bfloat16+q:float16+v:bfloat16)",
)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("text", WIDENED)
def test_products_of_float32_read_what_lies_in_16_bits(text: str) -> None:
    workload, few = Workload.parse(text), ((1, 1), (1, 37), (3, 0), (19, 8))
    compare(workload, *(dict(zip(workload.symbols, sizes, strict=True)) for sizes in few))


@pytest.mark.parametrize("text", WIDENED[:5])
def test_any_config_of_a_product_widens_its_operands(text: str) -> None:
    workload = Workload.parse(text)
    (t,) = templates_for(workload, HOST)
    symbols = dict.fromkeys(workload.symbols, 9)
    inputs = inputs_of(workload, symbols)
    for config in t.space(workload, HOST).sample(random.Random(0), 4):
        plan = single_plan(workload, HOST, t.name, config)
        kernel = DispatchKernel(plan, compile_plan(plan, None if plan.symbol is None else {9}))
        check(workload, {"y": kernel(*inputs.values())}, inputs, str(config))


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
        compare(workload, {"m": 1}, {"m": 7}, {"m": 17})


ANY = {"b": Any("b"), "m": Any("m"), "n": Any("n"), "k": Any("k")}
# As little code as has whole tiles and rests of rows, vectors and steps of k, of an odd one too.
WAYS: dict[str, dict[str, AttributeValue]] = {"turn": {"unroll_k": 4, "few": 4}, "stream": {}, "pack": {}, "rows": {}}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("layout", [*LAYOUTS, {"lhs": "mbk", "rhs": "kbn"}, {"rhs": "bnk", "y": "bnm"}], ids=str)
def test_pairs_end_where_their_operands_do(layout: dict[str, str]) -> None:
    """By every way of reading, and with an odd number of steps: every buffer is against a wall."""
    workload = Workload.of("batch_matmul", ANY, "bfloat16", attrs=layout, stored={"y": "float32"})  # type: ignore[arg-type]  # sizes
    (template,) = templates_for(workload, HOST)
    (ways,) = (knob.values for knob in template.space(workload, HOST).knobs if knob.name == "rhs_by")
    for way in ways:
        knobs = {"tile_m": 2, "tile_n": 2, "unroll_k": 2, "few": 0, **WAYS[str(way)], "rhs_by": way}
        loaded = compiled(workload, HOST, template.default(workload, HOST).with_(**knobs))
        for n, k in ((1, 1), (17, 2), (37, 7), (37, 16), (40, 21), (66, 300)):
            symbols = {"b": 2, "m": 5, "n": n, "k": k}
            inputs = inputs_of(workload, symbols)
            check(workload, walled(loaded, workload, inputs, symbols), inputs, f"{way} at {symbols}")


@pytest.mark.parametrize(
    ("text", "others"),
    [("n=?t, k=64, rhs=bnk", 0.5), ("n=64, k=?t", 1.5), ("n=64, k=?t, lhs=bkm", None)],
    ids=["scores", "values", "what is not side by side"],
)
def test_a_cpu_that_multiplies_pairs_does(text: str, others: float | None) -> None:
    """Few other instructions are for each of these: none takes numbers apart."""
    workload = Workload.parse(f"batch_matmul(b=12, m=?t, {text}, dtype=bfloat16, stored=y:float32)")
    target = Target.parse("llvm -mcpu=znver4 -threads=1")
    (template,) = templates_for(workload, target)
    asm = source(single_plan(workload, target, template.name, template.default(workload, target)), 240, "asm")
    pairs = asm.count("vdpbf16ps")
    assert (pairs > 0) == (others is not None)
    if others is not None:
        shuffled = sum(asm.count(name) for name in ("vinsert", "vunpck", "vperm", "vpslld", "vpmovzx"))
        assert shuffled < others * pairs
