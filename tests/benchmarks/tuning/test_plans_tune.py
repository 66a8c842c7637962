"""The promise of a short campaign as one command: it runs that command on a new database, timed, and compares."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import anytile
from anytile.core.errors import AnytileError, MeasureError, SpecError
from anytile.db.records.records import Campaign, Selection
from anytile.db.store import Store
from anytile.dispatch.service import versions_here
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.workload import parse_shape
from benchmarks.measure import campaigns
from benchmarks.measure.harness import Report, Row
from benchmarks.measure.program import add_options
from benchmarks.tuning import plans

SHAPE = "m=?,n=16,k=16"
WORKLOAD = parse_shape("dense", SHAPE, const=("w",))
TARGET = anytile.Target.host(plans.CORES)
GRID = {"strategy": "grid", "trials": None, "early_stop": None}
EVERY = sum(len(t.space(WORKLOAD, TARGET)) for t in templates_for(WORKLOAD, TARGET))


def store_plan(db: str, request: dict[str, Any], searched: int) -> None:
    """A campaign and the plan it chose."""
    campaign = Campaign((WORKLOAD,), TARGET, {"request": request, "progress": {"spent": 1.0}})
    template = templates_for(WORKLOAD, TARGET)[0]
    plan = single_plan(WORKLOAD, TARGET, template.name, template.default(WORKLOAD, TARGET))
    plan = replace(plan, notes={"searched": searched})
    with Store.open(db) as store:
        store.add_campaign(campaign)
        versions = versions_here(template.name)
        store.add_selection(Selection(WORKLOAD, TARGET, plan.to_json(), versions, campaign_id=campaign.id))


def options(**given: Any) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_options(parser)
    plans.own_options(parser)
    return argparse.Namespace(**{**vars(parser.parse_args([])), "quick": True, "shape": [SHAPE], **given})


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, bool]]:
    """Campaigns that were started: they store a plan at once, and say that they took 91 seconds."""
    found = []

    def run(words: Sequence[str], db: str, cache: Path | None = None) -> float:
        found.append((shlex.join(words), db, cache is not None))
        assert not Path(db).exists()
        store_plan(db, GRID if "grid" in words else {"strategy": "evolve"}, EVERY)
        return 91.0

    monkeypatch.setattr(campaigns, "run", run)
    monkeypatch.setattr(plans, "SIZES", (1, 2))
    return found


def test_the_command_is_the_promised_one() -> None:
    words = campaigns.tune_words(plans.SHAPES[0])
    assert " ".join(words) == "tune --op dense --target llvm --shape m=?,n=768,k=768"


@pytest.mark.slow
def test_one_run_makes_both_databases_and_compares_them(ran: list[tuple[str, str, bool]], tmp_path: Path) -> None:
    long = str(tmp_path / "long.db")
    for again in range(2):
        report = Report({})
        plans.measure(report, options(tune=True, threads=plans.CORES, exhaustive=long, make="30m"))
        assert [row.system for row in report.rows] == [plans.TUNE, *(plans.SHORT, plans.LONG) * 2]
        assert not report.unmeasured
        late, _ = plans.claims(report.rows)
        assert not late.ok
        assert (late.value, late.floor) == (91.0, 90.0)
        # The exhaustive one is made once; the short one is new, with a new cache of code, each time.
        assert len(ran) == 2 + again
        assert ran[-1][0].endswith("--shape 'm=?,n=16,k=16'")
        assert ran[-1][2]
    grid = "tune --op dense --target llvm --shape 'm=?,n=16,k=16' --search grid --early-stop 0 --time 30m"
    assert ran[0] == (grid, long, False)
    assert ran[1][1] != ran[2][1]


def test_in_time_is_kept() -> None:
    case = {"op": "dense", "n": 1, "k": 1, "command": "tune"}
    assert [c.ok for c in plans.claims([Row(case, plans.TUNE, 89.0, 0.0, 0.0, 1)])] == [True]


def test_only_every_config_of_a_grid_is_exhaustive(tmp_path: Path) -> None:
    whole, part, other = (str(tmp_path / name) for name in ("whole.db", "part.db", "other.db"))
    store_plan(whole, GRID, EVERY)
    store_plan(part, GRID, EVERY - 1)
    store_plan(other, {**GRID, "early_stop": 160}, EVERY)
    assert campaigns.left_out(whole, WORKLOAD, TARGET) == ""
    assert f"searched {EVERY - 1} of {EVERY} configs" in campaigns.left_out(part, WORKLOAD, TARGET)
    with pytest.raises(SpecError, match="early_stop 160; expected every config"):
        campaigns.left_out(other, WORKLOAD, TARGET)
    with pytest.raises(SpecError, match="no campaign's plan"):
        campaigns.left_out(whole, WORKLOAD, anytile.Target.host(1))


@pytest.mark.slow
def test_what_was_not_searched_is_not_claimed(ran: list[tuple[str, str, bool]], tmp_path: Path) -> None:
    part = str(tmp_path / "part.db")
    store_plan(part, GRID, EVERY - 1)
    report = Report({})
    plans.measure(report, options(tune=True, threads=plans.CORES, exhaustive=part))
    assert len(ran) == 1
    assert len(report.unmeasured) == 1


@pytest.mark.slow
def test_a_campaign_is_a_process_with_a_database_of_its_own(tmp_path: Path) -> None:
    db = str(tmp_path / "tuning.db")
    Store.open(db).close()
    assert campaigns.run(["db", "list"], db) > 0
    with pytest.raises(MeasureError, match="`anytile db show nobody` ended with"):
        campaigns.run(["db", "show", "nobody"], db)


def test_a_campaign_may_fall_short_where_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    code = 5
    monkeypatch.setattr(campaigns.subprocess, "run", lambda *_, **__: SimpleNamespace(returncode=code))
    assert campaigns.run(["tune"], "", may_fall_short=True) >= 0
    with pytest.raises(MeasureError, match="ended with 5"):
        campaigns.run(["tune"], "")
    code = 70
    with pytest.raises(MeasureError, match="ended with 70"):
        campaigns.run(["tune"], "", may_fall_short=True)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"tune": True, "threads": 2},
        {"tune": True, "threads": 2, "exhaustive": "a", "db": "b"},
        {"tune": True, "threads": 2, "exhaustive": "a", "against": "b"},
        {"tune": True, "threads": 1, "exhaustive": "a"},
        {"against": "a", "exhaustive": "b"},
    ],
)
def test_options_that_do_not_go_together(given: dict[str, Any]) -> None:
    with pytest.raises(AnytileError, match="expected"):
        plans.measure(Report({}), options(**given))
