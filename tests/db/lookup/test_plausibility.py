"""What cannot have been measured answers nothing, and is said."""

from __future__ import annotations

import dataclasses
import sqlite3

import pytest

from anytile.db.lookup.evidence import Grade, _of_trial
from anytile.db.lookup.ladder import Rung, front, lookup
from anytile.db.lookup.plausibility import contradiction
from anytile.db.records.physics import too_fast, unlike_samples
from anytile.db.records.records import Ruling
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan, Range, Variant
from anytile.schedules.templates.base.space import Config


@pytest.mark.parametrize("seconds", [1e-12, 1e-6])
def test_a_trial_above_any_peak_is_set_aside(store, samples, seconds):
    store.add_campaign(samples.campaign)
    good = samples.trial(config=samples.config(tile_m=6))
    made_up = samples.trial(config=samples.config(tile_m=4), samples=(seconds,) * 3)
    store.add_trials([good])
    answer = lookup(store, samples.workload, samples.target, samples.versions)
    assert answer.config == good.config
    assert "(3 samples within a factor of 3)" in answer.why()
    store.add_trials([made_up])
    answer = lookup(store, samples.workload, samples.target, samples.versions)
    assert answer.config == good.config  # the next fastest
    assert f"1 record that contradicts physics or its own samples set aside, such as {made_up.id[:8]} (" in answer.why()


def test_nothing_but_what_cannot_be(store, samples):
    store.add_campaign(samples.campaign)
    store.add_trials([samples.trial(samples=(1e-12,) * 3) for _ in range(2)])
    answer = lookup(store, samples.workload, samples.target, samples.versions)
    assert answer.rung is Rung.DEFAULT
    assert "2 records that contradict physics or their own samples set aside, such as" in answer.why()


def test_many_that_are_set_aside_hide_no_good_one(store, samples):
    store.add_campaign(samples.campaign)
    fast = [samples.trial(samples=(1e-4 * (1 + i / 100),)) for i in range(9)]
    good = samples.trial(samples=(2e-4,))
    store.add_trials([*fast, good])
    store.add_verdicts([samples.verdict(one.id) for one in fast])
    answer = lookup(store, samples.workload, samples.target, samples.versions)
    assert answer.source is not None
    assert answer.source.id == good.id


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


def test_figures_are_written_out(samples):
    assert "been 9000 times as slow" in unlike_samples(1.0, 1.0, 9e3)
    assert "e+" not in too_fast(samples.workload, samples.target, {"m": 64}, 1e-7)


@pytest.mark.sqlite
def test_a_trial_that_is_kept_as_faster_than_its_samples_is_set_aside(store, samples, tmp_path):
    """Somebody changed what the database orders by, or what it is corrected with."""
    store.add_campaign(samples.campaign)
    good = samples.trial(config=samples.config(tile_m=6))
    lying = [samples.trial(samples=(5e-3,) * 3) for _ in range(5)]
    drifted = samples.trial(samples=(1e-3,) * 3, drift=9.0)
    store.add_trials([good, *lying, drifted])
    with sqlite3.connect(tmp_path / "tuning.db") as raw:
        raw.executemany("UPDATE trials SET corrected = 1e-5 WHERE id = ?", [(bad.id,) for bad in lying])
    raw.close()
    answer = lookup(store, samples.workload, samples.target, samples.versions)
    assert answer.config == good.config
    assert "6 records that contradict physics or their own samples set aside" in answer.why()
    found = front(store, samples.workload, samples.target, samples.versions)
    assert {one.id: said for one, said in found} == {
        **{bad.id: "it is kept as 1e-05 s, and its own samples say 0.004 s" for bad in lying},
        drifted.id: "its machine would have been 9 times as slow as at its campaign's start",
        good.id: "",
    }


def test_of_a_gpu_too(store, samples):
    gpu = Target.parse("cuda -arch=sm_90a")
    trial = samples.trial(target=gpu, template="dense.cuda", config=Config.of(tile_m=64))
    for seconds, possible in ((1e-12, False), (1.2e-9, False), (1e-6, True)):
        said = contradiction(_of_trial(dataclasses.replace(trial, samples=(seconds,) * 3, drift=1.0), Grade.EXACT))
        assert (said == "") is possible, said


@pytest.mark.parametrize(
    ("ruling", "used"),
    [(Ruling.HOLDS, True), (Ruling.BELIEVED, True), (Ruling.DRIFTED, False), (Ruling.CONTRADICTED, False)],
)
def test_the_latest_verdict_goes_before_physics(store, samples, ruling, used):
    store.add_campaign(samples.campaign)
    impossible, good = samples.trial(samples=(1e-12,) * 3), samples.trial(config=samples.config(tile_m=6))
    store.add_trials([impossible, good])
    store.add_verdicts([samples.verdict(impossible.id, Ruling.DRIFTED, created=3.0)])
    store.add_verdicts([samples.verdict(impossible.id, ruling, created=4.0)])
    answer = lookup(store, samples.workload, samples.target, samples.versions)
    assert answer.source is not None
    assert answer.source.id == (impossible.id if used else good.id)
    assert ("took 2x as long" in answer.why()) is True
    kinds = {Ruling.DRIFTED: "that no longer holds", Ruling.CONTRADICTED: "that contradicts physics"}
    assert all((words in answer.why()) == (ruling is kind) for kind, words in kinds.items())


def test_parts_of_versions_are_named(store, samples):
    store.add_campaign(samples.campaign)
    store.add_trials([samples.trial()])
    now = dataclasses.replace(samples.versions, llvm="23.0.0", python="3.13.1")
    why = lookup(store, samples.workload, samples.target, now).why()
    assert "Made with other versions: LLVM 22.1.0 there and 23.0.0 here, Python 3.11.7 there and 3.13.1 here." in why
