"""Pruning takes what nobody needs, says what and why, and never what a lookup or a campaign does."""

from __future__ import annotations

import dataclasses

import pytest

from anytile.core.errors import SpecError
from anytile.db.lookup.ladder import lookup
from anytile.db.records.records import Ruling, new_id
from anytile.db.store import Store
from anytile.db.upkeep.compact import compact
from anytile.db.upkeep.prune import plan_pruning, prune
from anytile.schedules.plans.plan import DispatchPlan, Range, Variant

NOW = 1e9
OLD = NOW - 200 * 86400


def shares(store: Store, **options: float) -> dict[tuple[str, bool, str], int]:
    found = plan_pruning(store, NOW, **options)
    return {(share.what, share.stays, share.because): share.count for share in found.shares}


@pytest.fixture
def finished(store, samples):
    """A campaign that is long over: 40 search trials, failures, and what its plan rests on."""
    campaign = dataclasses.replace(samples.campaign, state="finished", created=OLD)
    store.add_campaign(campaign)
    store.add_trials([samples.trial(samples=(1e-4 * (i + 1),), created=OLD) for i in range(40)])
    store.add_trials([samples.failed(created=OLD) for _ in range(5)])
    store.add_trials([samples.trial(kind="profile", created=OLD) for _ in range(3)])
    store.add_selection(samples.selection(created=OLD))
    return store


def test_the_slow_and_the_failed_go_and_lookup_answers_as_before(finished, samples):
    before = lookup(finished, samples.workload, samples.target, samples.versions)
    assert shares(finished) == {
        ("plan", True, "serves"): 1,
        ("trial", True, "is among the 16 fastest"): 16,
        ("trial", True, "a plan that serves rests on it"): 3,
        ("trial", False, "is slower than the 16 fastest, or older plans rested on it"): 24,
        ("trial", False, "failed"): 5,
    }
    assert len(finished.trials()) == 48  # nothing was changed by asking
    found = plan_pruning(finished, NOW)
    assert found.count == 29
    for _ in range(2):  # twice is as good as once
        prune(finished, found)
    left = finished.trials(kind="search")
    assert sorted(t.seconds for t in left) == [pytest.approx(1e-4 * (i + 1)) for i in range(16)]
    assert plan_pruning(finished, NOW).count == 0
    assert lookup(finished, samples.workload, samples.target, samples.versions) == before
    assert finished.campaigns()


def test_sixteen_that_are_set_aside_push_no_good_one_out(finished, samples):
    fastest = [samples.trial(samples=(9e-5,), created=OLD) for _ in range(16)]
    finished.add_trials(fastest)
    finished.add_verdicts([samples.verdict(one.id) for one in fastest])
    before = lookup(finished, samples.workload, samples.target, samples.versions)
    prune(finished, plan_pruning(finished, NOW))
    answer = lookup(finished, samples.workload, samples.target, samples.versions)
    assert answer.source == before.source


def test_what_is_young_or_belongs_to_an_open_campaign_stays(finished, samples):
    young = [samples.failed(created=NOW - 86400) for _ in range(2)]
    running = dataclasses.replace(samples.campaign, id=new_id(), state="interrupted", created=OLD)
    finished.add_campaign(running)
    theirs = [samples.failed(campaign_id=running.id, created=OLD) for _ in range(3)]
    finished.add_trials([*young, *theirs])
    found = shares(finished)
    assert found["trial", True, "is younger than 90 days"] == 2
    assert found["trial", True, "its campaign is not finished"] == 3
    assert shares(finished, days=0.5)["trial", False, "failed"] == 7
    prune(finished, plan_pruning(finished, NOW, days=0.5))
    assert {t.id for t in theirs} <= {t.id for t in finished.trials()}


def test_what_an_open_campaign_learns_from_stays(finished, samples):
    warm = [{"campaign": samples.campaign.id, "rows": 40}, "nonsense"]
    running = dataclasses.replace(samples.campaign, id=new_id(), options={"warm": warm}, created=OLD)
    finished.add_campaign(running)
    assert shares(finished)["trial", True, "a campaign that is not finished learns from it"] == 48
    assert plan_pruning(finished, NOW).count == 0


def test_of_plans_those_stay_that_a_lookup_would_come_to(finished, samples):
    other = dataclasses.replace(samples.versions, codegen=9)
    (unreadable,) = finished.selections()
    marked = [samples.selection(created=OLD + i) for i in (1, 2)]
    older = samples.selection(versions=other, created=OLD - 5)
    goes = [samples.selection(created=OLD - i) for i in (2, 3)]
    variants = (Variant("dense.cpu", samples.config(tile_m=6), 6, ((0, 5),)),)
    ranges = (Range(0, None, 0, 2e-4, 64, "measured"),)
    plan = DispatchPlan(samples.workload, samples.target, "m", variants, ranges, {})
    good = samples.selection(plan.to_json(), created=OLD - 1)
    for selection in (*marked, good, older, *goes):
        finished.add_selection(selection)
    finished.add_verdicts([samples.verdict(one.id) for one in marked])
    before = lookup(finished, samples.workload, samples.target, samples.versions)
    assert before.source is not None
    assert before.source.id == good.id  # the newest that neither is unreadable nor was set aside
    found = shares(finished)
    assert found["plan", True, "serves"] == 2
    assert found["plan", True, "serves where newer ones are passed over"] == 3
    assert found["plan", False, "4 newer ones serve"] == 2
    prune(finished, plan_pruning(finished, NOW))
    assert {s.id for s in finished.selections()} == {s.id for s in (*marked, unreadable, good, older)}
    assert lookup(finished, samples.workload, samples.target, samples.versions) == before


def test_of_leases_those_of_whoever_is_still_at_work_stay(finished, samples):
    running = dataclasses.replace(samples.campaign, id=new_id(), state="running", created=OLD)
    finished.add_campaign(running)
    finished.leases(samples.campaign.id).enter("killed", {})
    leases = finished.leases(running.id)
    leases.leave(leases.enter("left", {}).id)
    working = leases.enter("working", {})
    found = shares(finished)
    assert found["lease", True, "its campaign is not finished"] == 1
    assert found["lease", False, "its campaign is finished"] == 1
    assert found["lease", False, "was given back or lost"] == 1
    prune(finished, plan_pruning(finished, NOW))
    assert leases.live() == [working]
    assert {share[0] for share in shares(finished)} == {"plan", "trial", "lease"}
    assert shares(finished)["lease", True, "its campaign is not finished"] == 1


def test_of_verdicts_the_latest_stays(finished, samples):
    record = finished.selections()[0].id
    verdicts = [samples.verdict(record, ruling) for ruling in (Ruling.DRIFTED, Ruling.HOLDS)]
    finished.add_verdicts(verdicts)
    prune(finished, plan_pruning(finished, NOW))
    assert finished.verdicts() == [verdicts[-1]]


def test_compacting_gives_the_space_back(finished, samples):
    finished.add_trials([samples.failed(created=OLD, reason="x" * 2000) for _ in range(500)])
    prune(finished, plan_pruning(finished, NOW))
    kept = finished.trials()
    done = compact(finished)
    assert done.name == finished.name
    if not finished.is_server:  # whose pages may still be held for others
        assert done.after < done.before / 2
    assert finished.trials() == kept
    finished.add_trials([samples.trial()])


@pytest.mark.parametrize("days", [float("nan"), float("inf"), -1.0])
def test_nothing_is_planned_for_days_that_are_no_number(finished, days):
    """Nothing is younger than NaN days: whatever is young would go."""
    with pytest.raises(SpecError, match=f"--days {days:g}: expected a number of days"):
        plan_pruning(finished, NOW, days=days)
