"""Kernels for 64-bit ARM run by an emulator: every template's default, at the corners, against the reference."""

from __future__ import annotations

import pytest

from anytile.dispatch.cpu.build import compile_plan, source
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.narrow import narrow_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.operators import OPERATORS
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import templates, templates_for
from anytile.schedules.workloads.workload import Workload
from tests.support.cases.small_operators import check, inputs_of
from tests.support.emulated import arm

MORE = (
    "dense(m=?a, n=37, k=19, const=w)",
    "conv2d(n=?a, ci=8, h=?b, w=5, co=12, kh=3, kw=3, pad=1, layout=nhwc, const=w)",
    "quantised_conv2d(n=?a, ci=8, h=?b, w=5, co=12, kh=3, kw=3, pad=1, layout=nhwc, const=w, x=float32, "
    "weight=bfloat16, out=float32)",
)
CASES = (*(text for row in OPERATORS.values() for text in row.examples), *MORE)
SIZES = (1, 3, 4, 5, 17)


@pytest.mark.sampled(0)
def test_every_template_has_a_case() -> None:
    served = {t.name for text in CASES for t in templates_for(Workload.parse(text), arm.TARGET)}
    assert served == {t.name for t in templates() if t.kind == "llvm" and not OPERATORS[t.op].over}


@pytest.mark.neon
@pytest.mark.slow
@pytest.mark.parametrize("text", CASES)
def test_every_template_computes_on_arm_what_it_means(text: str) -> None:
    assert facts(arm.TARGET).lanes == 4
    workload = Workload.parse(text)
    for template in templates_for(workload, arm.TARGET):
        config = template.default(workload, arm.TARGET)
        artifact = compile_plan(single_plan(workload, arm.TARGET, template.name, config, classes=2))
        symbols = [dict.fromkeys(workload.symbols, size) for size in SIZES]
        symbols = [s for s in symbols if min(workload.sizes(s).values()) > 0]
        jobs = [(s, inputs_of(workload, s)) for s in symbols]
        for (at, inputs), got in zip(jobs, arm.run(artifact, workload, jobs), strict=True):
            check(workload, got, inputs, f"{template.name} {at}", 4e-6)


@pytest.mark.neon
@pytest.mark.slow
@pytest.mark.parametrize("text", [
    t for t in CASES if t.startswith("grouped_dense") or (t.startswith("quantised_dense") and "x=float32" not in t)
])  # fmt: skip
def test_dot_products_of_bytes_have_an_instruction_on_arm(text: str) -> None:
    """With it and, as above, without: the same sums."""
    workload, target = Workload.parse(text), Target.parse(f"{arm.TARGET} -mattr=+dotprod")
    assert narrow_facts(target).bytes == 128 > narrow_facts(arm.TARGET).bytes
    (template,) = templates_for(workload, target)
    plan = single_plan(workload, target, template.name, template.default(workload, target), classes=2)
    assert "sdot" in source(plan, form="asm")
    jobs = [(at, inputs_of(workload, at)) for at in (dict.fromkeys(workload.symbols, size) for size in SIZES)]
    for (at, inputs), got in zip(jobs, arm.run(compile_plan(plan), workload, jobs), strict=True):
        check(workload, got, inputs, at, 4e-6)


@pytest.mark.neon
def test_what_reaches_past_an_operand_is_found() -> None:
    """A kernel of 64 elements on operands of 16 meets the page behind them."""
    larger, smaller = (Workload.parse(f"elementwise(d0={n}, rank=1, f=x[d0] + 1)") for n in (64, 16))
    (template,) = templates_for(larger, arm.TARGET)
    artifact = compile_plan(single_plan(larger, arm.TARGET, template.name, template.default(larger, arm.TARGET)))
    assert arm.run(artifact, larger, [({}, inputs_of(larger, {}))])
    with pytest.raises(AssertionError, match="qemu-aarch64.* exit status"):
        arm.run(artifact, smaller, [({}, inputs_of(smaller, {}))])
