"""A whole campaign on the simulated GPU: real templates, NVRTC, a plan that runs; and a device lost on the way."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from anytile.codegen.cuda import nvrtc
from anytile.core.errors import MeasureError, UnsupportedError
from anytile.db.journal import Journal
from anytile.db.records.records import Status
from anytile.dispatch import backends
from anytile.dispatch.backends import CudaBackend
from anytile.dispatch.service import build
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any, Workload
from anytile.tuner.builders.compile_only import compile_only
from anytile.tuner.builders.library_candidates import LIBRARY
from anytile.tuner.campaign import resume_campaign, run_campaign
from anytile.tuner.ledger.events import Event, TrialDone
from anytile.tuner.presets.requests import model as preset
from anytile.tuner.requests.request import TuneRequest
from anytile.tuner.runners.inline import InlineRunner
from anytile.tuner.runners.timing_setups import TimingSetup
from anytile.tuner.settle import plan_phases, profile_sizes
from tests.support.cases.small_operators import check, inputs_of
from tests.support.stand_ins.simulated_gpu import SimulatedGpu

TARGET = Target.parse("cuda -arch=sm_90a")
W = dense(Any("m"), 20, 16)


def _no_nvrtc() -> str:
    try:
        nvrtc.version()
    except UnsupportedError as error:
        return str(error)
    return ""


pytestmark = pytest.mark.skipif(bool(_no_nvrtc()), reason=_no_nvrtc())


def request(**changes: object) -> TuneRequest:
    few: dict[str, object] = {"trials": 2, "top_k": 2, "cross_sizes": (1, 8), "portfolio": 1, "strategy": "random"}
    return TuneRequest((W,), TARGET, template="dense.cuda.narrow", **{**few, **changes})  # type: ignore[arg-type]


@pytest.fixture
def runner(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InlineRunner]:
    """Few sizes, for a simulation takes a thousand times as long; and a device that is here."""
    monkeypatch.setattr(profile_sizes, "DENSE_TO", 2)
    monkeypatch.setattr(profile_sizes, "STEPPED_TO", 8)
    monkeypatch.setattr(profile_sizes, "LARGE", (32,))
    monkeypatch.setattr(plan_phases, "BETWEEN", (3,))
    monkeypatch.setattr(plan_phases, "BEYOND", ())
    simulated = CudaBackend(SimulatedGpu, lambda: True)
    monkeypatch.setitem(backends._BACKENDS, "cuda", simulated)
    monkeypatch.setattr("anytile.schedules.hardware.nvidia_driver.is_here", lambda options: True)
    monkeypatch.setattr("anytile.schedules.hardware.nvidia_driver.objection", lambda options: None)
    bench = TimingSetup(
        "cuda-simulated", "tests.support.stand_ins.simulated_worker", lambda: "Simulated", lambda target: None, True
    )
    made = InlineRunner(folder / "locks", setup=lambda target: bench)
    yield made
    made.close()


@pytest.mark.slow
def test_a_campaign_gives_a_plan_that_runs(runner: InlineRunner, tmp_path: Path) -> None:
    with Journal(tmp_path / "trials.jsonl") as journal:
        result = run_campaign(journal, runner, request())
        rows = journal.trials(campaign_id=result.campaign_id)
        assert result.state == "finished"
        assert {t.status for t in rows} == {Status.OK}
        assert {t.device for t in rows} == {"Simulated"}
        assert {t.kind for t in rows} >= {"search", "cross", "profile"}
        assert any(t.template == LIBRARY for t in rows)
        assert all({"registers", "spills", "occupancy"} <= set(t.facts) for t in rows if t.kind == "search")
        assert all(t.versions is None or t.versions.llvm.startswith("nvrtc") for t in rows)
        assert journal.selection(W, TARGET) is not None
    kernel = build(W, TARGET, plan=result.plans[W])
    device = backends.backend_of("cuda").device  # type: ignore[attr-defined]
    rng = np.random.default_rng(0)
    w = rng.standard_normal((20, 16), dtype=np.float32)
    for m in (0, 1, 7, 8, 33):
        x = rng.standard_normal((m, 16), dtype=np.float32)
        np.testing.assert_allclose(kernel(device.array(x), device.array(w)).values, x @ w.T, rtol=1e-4, atol=1e-4)
    assert "m=7" in kernel.why(m=7)


def _smaller(workload: Workload) -> Workload:
    """The same layer of a model that a simulation can bear."""
    text = str(workload)
    for size, instead in ((3072, 40), (768, 24), (12, 2), (64, 8)):
        text = re.sub(rf"=({size})\b", f"={instead}", text)
    return Workload.parse(text)


@pytest.mark.slow
def test_the_layers_of_a_model_are_tuned_and_run(runner: InlineRunner, tmp_path: Path) -> None:
    """Every operator of BERT-base under one budget: searched, timed, planned; and each plan's kernel is right."""
    chosen = preset("bert-base").options(TARGET, constants=False)
    layers = tuple(dict.fromkeys(map(_smaller, chosen["workloads"])))
    few = replace(
        request(trials=2 * len(layers), top_k=1), workloads=layers, template=None, counts=(1.0,) * len(layers)
    )
    with Journal(tmp_path / "trials.jsonl") as journal:
        result = run_campaign(journal, runner, few)
        statuses = {t.status for t in journal.trials(campaign_id=result.campaign_id)}
    assert (result.state, statuses) == ("finished", {Status.OK})
    assert {w.op for w in result.plans} == {"dense", "batch_matmul", "attention", "layer_norm"}
    assert {plan.symbol for w, plan in result.plans.items() if w.op == "attention"} == {"m"}
    device = backends.backend_of("cuda").device  # type: ignore[attr-defined]
    for workload, plan in result.plans.items():
        symbols = dict.fromkeys(workload.symbols, 7)
        inputs = inputs_of(workload, symbols)
        made = build(workload, TARGET, plan=plan)(*(device.array(a) for a in inputs.values()))
        results = made if isinstance(made, tuple) else (made,)
        got = {t.name: r.values for t, r in zip(workload.outputs, results, strict=True)}
        check(workload, got, inputs, symbols, 1e-5)


@pytest.mark.slow
def test_a_device_that_is_lost_stops_it_with_everything_stored_and_it_goes_on(
    runner: InlineRunner, folder: Path
) -> None:
    def lose_after_one(event: Event) -> None:
        if isinstance(event, TrialDone) and event.number == 0:
            (folder / "vanish").touch()

    with Journal(folder / "trials.jsonl") as journal:
        with pytest.raises(MeasureError, match="the GPU is gone or does not answer"):
            run_campaign(journal, runner, request(), lose_after_one)
        (campaign,) = journal.campaigns()
        assert campaign.state == "interrupted"
        assert [t.status for t in journal.trials()] == [Status.OK]  # nobody was blamed for it
        with pytest.raises(MeasureError, match="the GPU is gone"):
            resume_campaign(journal, runner, campaign.id)
        (folder / "lost").unlink()
        result = resume_campaign(journal, runner, campaign.id)
        assert result.state == "finished"
        assert {t.status for t in journal.trials()} == {Status.OK}
        assert len(journal.trials(kind="search")) == 2


@pytest.mark.slow
def test_compiling_alone_needs_no_device() -> None:
    (found,) = compile_only(request(trials=3, strategy="evolve"))
    assert (found.built, found.broken) == (3, 0)
    assert "3 of 3 configs compile" in str(found)
    assert found.facts["spills"][1] >= 0
