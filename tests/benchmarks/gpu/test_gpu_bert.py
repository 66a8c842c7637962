"""The GPU benchmark's whole model on a simulated device beside torch on the CPU, and its claims of invented rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from anytile.compiler import compile as compile_driver
from anytile.compiler.lowering.kernel_table import Planned
from anytile.db.journal import Journal
from anytile.db.records.records import Selection
from anytile.dispatch.service import versions_here
from anytile.schedules.workloads.workload import Workload
from benchmarks.gpu import bert as part
from benchmarks.gpu import dense
from benchmarks.gpu.attention import STACKED
from benchmarks.gpu.attention import WHOLE as WHOLE_OF_IT
from benchmarks.gpu.bert import BY_LAYER, EARLY, GRAPH, OURS, WHOLE, Bert
from benchmarks.gpu.plans import planner
from benchmarks.gpu.run import Run
from benchmarks.measure.harness import Row
from benchmarks.rivals.gpu_rivals import SYMBOLIC
from tests.support.cases.gpu_models import GPU, compiled_for_gpu, one_kernel
from tests.support.stand_ins.queued_gpu import QueuedGpu
from tests.support.stand_ins.torch_on_cpu import TorchOnCpu


@pytest.fixture
def little(run: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A model so small that the simulator runs it, on a GPU that does nothing before somebody waits for it."""
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")
    for name, value in (("HIDDEN", 32), ("HEADS", 2), ("INNER", 64)):
        monkeypatch.setattr(part.bert, name, value)
    monkeypatch.setattr(part, "executable", lambda run, layers: compiled_for_gpu(part.bert.bert(layers), part.DTYPE))
    monkeypatch.setattr(part, "SIZES", (2, 3))
    monkeypatch.setattr(part, "WARM", 2)
    run.device, run.torch = QueuedGpu(), TorchOnCpu(torch)
    return run


def one_layer() -> Bert:
    model = Bert(quick=True)
    model.layers = 1
    return model


@pytest.mark.slow
def test_the_model_is_judged_and_timed_beside_torch(little: Run) -> None:
    model = one_layer()
    model.beside_graphs(little)
    model.beside_whole(little)
    assert little.report.unmeasured == []
    found = {(r.case["t"], r.case["beside"], r.system) for r in little.report.rows}
    assert found == {(t, 2, s) for t in (2, 3) for s in (*OURS, GRAPH, BY_LAYER)} | {
        (t, 1, s) for t in (2, 3) for s in (*OURS, WHOLE)
    }
    assert isinstance(little.device, QueuedGpu)
    assert little.device.early
    part.PART.show(little.report)
    graphs, early, whole, _ = part.claims(little.report.rows)
    assert "T = 2, 3" in graphs.claim
    assert EARLY in early.claim
    assert WHOLE in whole.claim


@pytest.mark.slow
def test_a_rival_that_fails_and_a_result_that_is_off_cost_themselves(
    little: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert little.torch is not None
    little.torch = TorchOnCpu(little.torch.torch, refuses=("reduce-overhead",))
    expected = part.Torch.expected
    monkeypatch.setattr(part.Torch, "expected", lambda self, x: expected(self, x) * (1.2 if len(x) == 3 else 1.0))
    model = one_layer()
    model.beside_graphs(little)
    assert {r.case["t"] for r in little.report.rows} == {2}
    assert any("anytile is 0.1" in u and "at T=3" in u for u in little.report.unmeasured)
    model.beside_whole(little)
    assert any("no compiler for reduce-overhead" in u for u in little.report.unmeasured)
    assert {r.system for r in little.report.rows} == {*OURS, GRAPH, BY_LAYER}


def test_without_torch_nobody_judges_the_model(run: Run) -> None:
    with run.noted("BERT"):
        Bert(quick=True).beside_graphs(run)
    assert "torch is not installed" in run.report.unmeasured[0]


def test_a_model_takes_the_plans_that_were_tuned(run: Run) -> None:
    anchor = Workload.parse("dense(m=?m, n=24, k=16, dtype=bfloat16)")
    plan = one_kernel(anchor, GPU)
    with Journal(run.journal) as journal:
        journal.add_selection(Selection(anchor, GPU, plan.to_json(), versions_here(plan.variants[0].template)))
    planned = planner(run, GPU)
    tailed = Workload.parse("dense(m=?m, n=24, k=16, dtype=bfloat16, stored=b0:float32, tail=gelu(y + b0[n]))")
    found = planned(tailed)
    assert found.rung == "exact"
    assert "gelu" in found.plan
    assert planned(Workload.parse("dense(m=?m, n=8, k=16, dtype=bfloat16)")).rung == "default"


def row(t: int, system: str, seconds: float, beside: int = 2) -> Row:
    case = {"part": "bert", "dtype": "bfloat16", "layers": 12, "t": t, "plans": "9 exact, 3 default", "beside": beside}
    return Row(case, system, seconds, 0.0, 0.0, 7)


def test_claims_are_held_against_the_fastest_of_graphs_and_against_reduce_overhead() -> None:
    rows = [row(1, s, t) for s, t in ((SYMBOLIC, 1.0), (GRAPH, 2.0), (BY_LAYER, 1.5))]
    rows += [row(17, s, t) for s, t in ((SYMBOLIC, 1.0), (GRAPH, 1.2))]
    rows += [row(17, s, t, 1) for s, t in ((SYMBOLIC, 1.0), (WHOLE, 1.1))]
    graphs, whole = part.claims(rows)
    assert (graphs.value, graphs.floor, graphs.ok) == (pytest.approx((1.5 * 1.2) ** 0.5), 1.2, True)
    assert "T = 1, 17 (plans: 9 exact, 3 default)" in graphs.claim
    assert (whole.value, whole.ok) == (pytest.approx(1.1), False)


def test_inputs_of_a_length_are_always_the_same(tmp_path: Path) -> None:
    np.testing.assert_array_equal(part.input_of(3), part.input_of(3))


@pytest.mark.slow
def test_kernels_of_the_model_are_those_that_other_parts_tune(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or its plans would stay untuned, whatever was tuned before."""
    met: list[Workload] = []

    def planned(workload: Workload) -> Planned:
        met.append(workload.anchor)
        return Planned(one_kernel(workload.anchor, GPU).to_json(), "default")

    monkeypatch.setattr(part, "planner", lambda run, target: planned)
    monkeypatch.setattr(compile_driver, "linked", lambda made, cache: made)
    part.executable(run, 1)
    tuned = {w for w in dense.layers(quick=False) if w.dtype == part.DTYPE and w.dim("k") != 4096}
    assert {*tuned, *map(Workload.parse, (WHOLE_OF_IT.format(part.DTYPE), STACKED))} <= set(met)
