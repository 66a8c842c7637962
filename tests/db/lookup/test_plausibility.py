"""What cannot have been measured answers nothing, and is said."""

from __future__ import annotations

import dataclasses

import pytest

from anytile.db.lookup.ladder import Rung, lookup
from anytile.schedules.plans.plan import DispatchPlan, Range, Variant


@pytest.mark.parametrize("seconds", [1e-12, 1e-6])
def test_a_trial_above_any_peak_is_set_aside(store, samples, seconds):
    store.add_campaign(samples.campaign)
    good = samples.trial(config=samples.config(tile_m=6))
    made_up = samples.trial(config=samples.config(tile_m=4), samples=(seconds,) * 3)
    store.add_trials([good])
    answer = lookup(store, samples.workload, samples.target, samples.versions)
    assert answer.config == good.config
    assert "(3 samples within 200%)" in answer.why()
    store.add_trials([made_up])
    answer = lookup(store, samples.workload, samples.target, samples.versions)
    assert answer.config == good.config  # the next fastest
    assert f"1 record that contradicts physics set aside, such as {made_up.id[:8]} (" in answer.why()


def test_nothing_but_what_cannot_be(store, samples):
    store.add_campaign(samples.campaign)
    store.add_trials([samples.trial(samples=(1e-12,) * 3) for _ in range(2)])
    answer = lookup(store, samples.workload, samples.target, samples.versions)
    assert answer.rung is Rung.DEFAULT
    assert "2 records that contradict physics set aside, such as" in answer.why()


def test_a_plan_above_any_peak_is_set_aside(store, samples):
    store.add_campaign(samples.campaign)
    config = samples.config(tile_m=6)
    store.add_trials([samples.trial(config=config)])

    def plan(seconds: float) -> str:
        ranges = (Range(0, None, 0, seconds, 64, "measured"),)
        variants = (Variant("dense.cpu", config, 6, ((0, 5),)),)
        return DispatchPlan(samples.workload, samples.target, "m", variants, ranges, {}).to_json()

    chosen = samples.selection(plan(2e-4))
    store.add_selection(chosen)
    store.add_selection(samples.selection(plan(2e-9)))  # newer
    answer = lookup(store, samples.workload, samples.target, samples.versions)
    assert answer.source is not None
    assert answer.source.id == chosen.id
    assert "GFLOP/s, where 832 are out of reach" in answer.why()


def test_parts_of_versions_are_named(store, samples):
    store.add_campaign(samples.campaign)
    store.add_trials([samples.trial()])
    now = dataclasses.replace(samples.versions, llvm="23.0.0", python="3.13.1")
    why = lookup(store, samples.workload, samples.target, now).why()
    assert "Made with other versions: LLVM 22.1.0 there and 23.0.0 here, Python 3.11.7 there and 3.13.1 here." in why
