"""The attention part of the GPU benchmark on a simulated device, and its claims of invented rows."""

from __future__ import annotations

import pytest

from anytile.schedules.workloads.workload import Workload
from benchmarks.gpu import attention, kernels
from benchmarks.gpu.attention import MIXED, SCORES, WHAT, WHOLE
from benchmarks.gpu.run import Run
from benchmarks.measure.harness import Row
from benchmarks.rivals.gpu_rivals import OWN, SYMBOLIC
from benchmarks.rivals.torch_gpu import CONTIGUOUS, TORCH
from tests.support.stand_ins.torch_on_cpu import TorchOnCpu

LITTLE = {"b=12": "b=2", "h=12": "h=2", "64": "16"}


def little(text: str, dtype: str) -> Workload:
    for whole, part in LITTLE.items():
        text = text.replace(whole, part)
    return Workload.parse(text.format(dtype))


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
@pytest.mark.parametrize("text", WHAT, ids=WHAT.values())
def test_attention_and_its_products_are_checked_and_timed_beside_torch(run: Run, text: str, dtype: str) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")
    run.torch = TorchOnCpu(torch)
    kernels.measure(run, little(text, dtype), "attention", (1, 5), checked=(5,))
    assert run.report.unmeasured == []
    rivals = {TORCH} if text == WHOLE else {TORCH, CONTIGUOUS}
    assert {(r.case["m"], r.system) for r in run.report.rows} == {
        (m, system) for m in (1, 5) for system in {SYMBOLIC, OWN, *rivals}
    }
    attention.PART.show(run.report)


def row(text: str, dtype: str, m: int, system: str, seconds: float, how: str = "tuned") -> Row:
    workload = Workload.parse(text.format(dtype))
    case = {"part": "attention", "op": workload.op, "dtype": dtype, "m": m, "workload": str(workload), "plan": how}
    return Row(case, system, seconds, 1.0, 0.0, 7)


def test_each_product_has_a_claim_of_its_own_against_the_fastest_of_torch() -> None:
    rows = [
        row(SCORES, "bfloat16", m, s, t) for m in (1, 64) for s, t in ((SYMBOLIC, 2.0), (TORCH, 8.0), (CONTIGUOUS, m))
    ]
    rows += [row(MIXED, "float32", 8, s, t, "untuned") for s, t in ((SYMBOLIC, 2.0), (TORCH, 2.0))]
    rows += [row(WHOLE, "bfloat16", 8, SYMBOLIC, 2.0)]
    scores, mixed = attention.claims(rows)
    said = "bfloat16 products of queries and keys (1 workload(s), 2 sizes in 1..64) against torch"
    assert (scores.claim, scores.floor) == (said, 1.1)
    assert scores.value == pytest.approx((0.5 * 4.0) ** 0.5)
    assert "1 untuned" in mixed.claim
    assert not mixed.ok


def test_units_have_names_of_their_own_and_sizes_to_1024() -> None:
    names = [unit.name for unit in attention.units(False)]
    assert (len(set(names)), names[0]) == (7, "tuning of attention")
    assert (min(attention.SIZES), max(attention.SIZES)) == (1, 1024)
    assert set(attention.CHECKED) <= set(attention.SIZES)
