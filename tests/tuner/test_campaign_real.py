"""Campaigns with nothing made up: real templates, real code, real timing in isolated workers, plans run and checked."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from anytile.db.records.records import Status, Trial
from anytile.db.store import Store
from anytile.dispatch.blas.in_plans import MEASURED, pick
from anytile.dispatch.service import build
from anytile.schedules.hardware.target import Target, usable_cores
from anytile.schedules.plans.plan import DispatchPlan, Range
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any, Workload
from anytile.tuner.builders.library_candidates import LIBRARY, build_of
from anytile.tuner.campaign import resume_campaign, run_campaign
from anytile.tuner.ledger.interrupts import Stop
from anytile.tuner.requests.request import CampaignResult, TuneRequest
from anytile.tuner.runners.make_runner import make_runner
from tests.support.cases.small_operators import inputs_of

pytestmark = pytest.mark.usefixtures("brief")


def small(workload: Workload, threads: int = 1, **changes: object) -> TuneRequest:
    chosen: dict[str, object] = {"trials": 6, "top_k": 3, "cross_sizes": (1, 8), "strategy": "random", "portfolio": 2}
    return TuneRequest((workload,), Target.host(threads), **{**chosen, **changes})  # type: ignore[arg-type]


@pytest.mark.slow
def test_two_campaigns_on_one_host_both_end_with_kernels_that_are_right(tmp_path: Path) -> None:
    here = pick()
    assert here is not None
    workloads = (dense(Any("m"), 40, 24, const=("w",)), dense(Any("m"), 17, 33))
    results: dict[Workload, CampaignResult] = {}

    def campaign(workload: Workload, store: Store) -> None:
        runner = make_runner("inline", lock_folder=tmp_path)
        try:
            results[workload] = run_campaign(store, runner, small(workload, usable_cores(), seconds=20.0))
        finally:
            runner.close()

    with Store.open(str(tmp_path / "tuning.db")) as store:
        threads = [threading.Thread(target=campaign, args=(w, store)) for w in workloads]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for workload in workloads:
            rows = store.trials(campaign_id=results[workload].campaign_id)
            assert len(rows) == results[workload].trials
            assert {t.status for t in rows} == {Status.OK}
            assert {build_of(t.config) for t in rows if t.template == LIBRARY} == {here.build}
            assert results[workload].plans[workload].notes[MEASURED] == {"blas": here.build}
            assert {t.device for t in rows} != {""}
    rng = np.random.default_rng(0)
    for workload in workloads:
        n, k = workload.sizes({"m": 1})["n"], workload.sizes({"m": 1})["k"]
        w = rng.standard_normal((n, k), dtype=np.float32)
        constants = {"w": w} if workload.const else {}
        kernel = build(workload, constants=constants, plan=results[workload].plans[workload])
        for m in (0, 1, 7, 8, 9, 31):
            x = rng.standard_normal((m, k), dtype=np.float32)
            y = kernel(x) if workload.const else kernel(x, w)
            np.testing.assert_allclose(y, x @ w.T, rtol=1e-4, atol=1e-4)


@pytest.mark.slow
def test_a_replay_of_a_guided_campaign_takes_the_same_turns(tmp_path: Path, no_challengers: None) -> None:
    """Also where the model chose by code that was built and never measured."""
    workload = dense(Any("m"), 40, 24, const=("w",))
    asked = small(workload, trials=32, strategy="evolve", top_k=1, cross_sizes=(8,))

    def campaign(name: str, trials: Iterable[Trial] | None = None) -> list[Trial]:
        runner = make_runner("inline" if trials is None else "replay", lock_folder=tmp_path, trials=trials)
        with Store.open(str(tmp_path / name)) as store:
            done = run_campaign(store, runner, asked)
            runner.close()
            return [t for t in store.trials(campaign_id=done.campaign_id) if t.kind == "search"]

    measured = campaign("measured.db")
    again = campaign("again.db", measured)
    assert len(measured) == 32
    assert [(t.config, t.status, t.samples, t.facts) for t in again] == [
        (t.config, t.status, t.samples, t.facts) for t in measured
    ]


@pytest.mark.slow
def test_a_campaign_that_was_stopped_goes_on_with_another_runner(tmp_path: Path) -> None:
    workload, stop, seen = dense(Any("m"), 40, 24, const=("w",)), Stop(), []

    def listen(event: object) -> None:
        seen.append(event)
        if len(seen) == 12:  # in the cross-evaluation
            stop.ask("enough")

    with Store.open(str(tmp_path / "tuning.db")) as store:
        first = make_runner("inline", lock_folder=tmp_path)
        cut = run_campaign(store, first, small(workload), listen, stop)
        first.close()
        assert cut.state == "interrupted"
        assert cut.plans[workload].notes["provisional"] is True
        second = make_runner("inline", lock_folder=tmp_path)
        done = resume_campaign(store, second, cut.campaign_id)
        second.close()
        assert done.state == "finished"
        rows_stored = store.trials(campaign_id=cut.campaign_id)
        keys = [(t.kind, t.template, t.config, tuple(t.point.items())) for t in rows_stored]
        assert len(set(keys)) == len(keys)
        assert sum(t.kind == "search" for t in rows_stored) == 6
        assert "provisional" not in done.plans[workload].notes


UNTILED = {
    "conv2d(n=?, ci=8, h=6, w=5, co=8, kh=3, kw=3, pad=1, layout=nhwc, dtype=float32, const=w)": "n",
    "conv2d(n=1, ci=8, h=?a, w=?b, co=8, kh=1, kw=1, layout=nhwc, dtype=float32, const=w)": "a",
    "attention(b=?, h=2, m=?t, n=?t, d=8, e=8, q=bmhd, k=bngd, v=bnge, y=bmhe, scale=0.5, dtype=float32)": "t",
    "attention(b=1, h=2, m=1, n=?past, d=8, e=8, q=bmhd, k=bngd, v=bnge, y=bmhe, scale=0.5, dtype=float32)": "past",
    "dense(m=3, n=17, k=?depth, dtype=float32)": "depth",
    "softmax(outer=?rows, n=37, inner=1, dtype=float32)": "rows",
}


@pytest.mark.slow
@pytest.mark.parametrize("text", UNTILED)
def test_what_specialises_no_residues_has_ranges_too(tmp_path: Path, text: str) -> None:
    """Other sizes than that of the search are measured, and any is run by the kernel of its range."""
    workload, symbol = Workload.parse(text), UNTILED[text]
    asked = small(workload, at={other: 4 for other in workload.symbols if other != symbol})
    with Store.open(str(tmp_path / "tuning.db")) as store:
        runner = make_runner("inline", lock_folder=tmp_path)
        plan = run_campaign(store, runner, asked).plans[workload]
        runner.close()
        crossed = store.trials(kind="cross")
    assert plan.symbol == symbol
    assert {v.tile for v in plan.variants} == {1}
    assert {t.point[symbol] for t in crossed} == {1, 8}
    two = replace(plan, variants=(plan.variants[0],) * 2, ranges=(Range(0, 4, 0), Range(5, None, 1)))
    for form in (plan, two):
        for size in (0, 1, 4, 5, 9):
            given = inputs_of(workload, {**dict.fromkeys(workload.symbols, 3), symbol: size})
            constants = {name: given[name] for name in workload.const}
            made = build(workload, plan=DispatchPlan.from_json(form.to_json()), constants=constants)
            (wanted,) = workload.spec.reference(given, workload.attributes)
            operands = [given[t.name] for t in workload.inputs if t.name not in workload.const]
            np.testing.assert_allclose(made(*operands), wanted, rtol=1e-3, atol=1e-4)
