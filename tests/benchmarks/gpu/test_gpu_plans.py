"""Where the GPU benchmark's plans are from: the journal, a campaign while there is time, or an estimate."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from anytile.core.errors import MeasureError
from anytile.db.journal import Journal
from anytile.db.records.records import Selection
from anytile.dispatch.service import versions_here
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any as Sym
from anytile.tuner.requests.request import TuneRequest
from benchmarks.gpu import plans, tune
from benchmarks.gpu.plans import TUNED, UNTUNED, plan_for
from benchmarks.gpu.run import Run
from tests.support.cases.gpu_models import GPU, one_kernel

LAYER = dense(Sym("m"), 24, 16)


class Campaigns:
    """What is asked of campaigns; each stores an untuned plan, or fails."""

    def __init__(self, fails: bool = False, state: str = "finished") -> None:
        self.fails, self.state = fails, state
        self.asked: list[TuneRequest] = []

    def __call__(self, store: Journal, runner: object, request: TuneRequest) -> Any:
        self.asked.append(request)
        if self.fails:
            raise MeasureError("no worker")
        found = {w: one_kernel(w, GPU) for w in request.workloads}
        for workload, plan in found.items():
            store.add_selection(
                Selection(workload, GPU, plan.to_json(), versions_here(plan.variants[0].template), created=1.0)
            )
        return SimpleNamespace(plans=found, state=self.state)


@pytest.fixture
def campaigns(run: Run, monkeypatch: pytest.MonkeyPatch) -> Campaigns:
    made = Campaigns()
    monkeypatch.setattr(plans, "LEAST", 12.0)
    monkeypatch.setattr(plans, "run_campaign", lambda *given: made(*given))
    monkeypatch.setattr(plans, "InlineRunner", lambda: SimpleNamespace(close=lambda: None))
    return made


def test_a_workload_is_tuned_once_with_the_time_that_measuring_leaves(run: Run, campaigns: Campaigns) -> None:
    run.budget = run.report.elapsed + 50.0
    plan, how = plan_for(run, LAYER, measuring=10.0)
    assert how == TUNED
    assert campaigns.asked[0].seconds == pytest.approx(40.0, abs=1.0)
    again, how = plan_for(run, LAYER, measuring=10.0)
    assert (again.variants, how) == (plan.variants, TUNED)
    assert len(campaigns.asked) == 1


def test_without_time_or_after_a_campaign_that_fails_it_is_measured_untuned(run: Run, campaigns: Campaigns) -> None:
    run.budget = run.report.elapsed + 20.0
    assert plan_for(run, LAYER, measuring=10.0)[1] == UNTUNED
    assert campaigns.asked == []
    campaigns.fails, run.budget = True, run.report.elapsed + 50.0
    assert plan_for(run, LAYER, measuring=10.0)[1] == UNTUNED
    assert run.report.unmeasured == [f"tuning {LAYER}: no worker"]


def test_a_campaign_that_was_stopped_stops_the_benchmark(run: Run, campaigns: Campaigns) -> None:
    campaigns.state, run.budget = "interrupted", run.report.elapsed + 50.0
    with pytest.raises(KeyboardInterrupt):
        plan_for(run, LAYER, measuring=10.0)


def test_the_command_has_its_default_time_or_says_what_it_had(run: Run, campaigns: Campaigns) -> None:
    run.budget = run.report.elapsed + 200.0
    tune.campaign(run)
    (request,) = campaigns.asked
    assert [w.sizes({"m": 1})["n"] for w in request.workloads] == [768, 3072, 768]
    assert request.seconds == 174.0
    (claim,) = run.report.claims
    assert (claim.claim, claim.floor, claim.at_most) == ("seconds for `tune --op dense --target cuda`", 180.0, True)
    run.budget = run.report.elapsed + 60.0
    tune.campaign(run)
    assert campaigns.asked[1].seconds == pytest.approx(60.0, abs=1.0)
    assert "had 60 s, not 174" in run.report.unmeasured[0]
    assert plans.tuned(run, request.workloads[1]) is not None


def test_what_has_no_plan_is_tuned_in_one_campaign_as_far_as_time_allows(run: Run, campaigns: Campaigns) -> None:
    layers = [dense(Sym("m"), n, 16) for n in (8, 16, 24, 32)]
    run.budget = run.report.elapsed + 30.0
    plans.tune_lacking(run, layers)
    assert campaigns.asked[0].workloads == tuple(layers[:2])
    assert campaigns.asked[0].seconds == pytest.approx(30.0, abs=1.0)
    run.budget = run.report.elapsed + 60.0
    plans.tune_lacking(run, layers)
    assert campaigns.asked[1].workloads == tuple(layers[2:])
    plans.tune_lacking(run, layers)
    run.budget = 0.0
    plans.tune_lacking(run, [dense(Sym("m"), 40, 16)])
    assert len(campaigns.asked) == 2
