"""What to tune next: by how often it was asked for, what a call takes, and what tuning may save."""

from __future__ import annotations

import dataclasses

from anytile.core.errors import UnsupportedError
from anytile.db.lookup.ladder import lookup
from anytile.db.lookup.suggestions import suggestions
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any

SMALL, LARGE, OFTEN = (dense(Any("m"), n, 64, const=("w",)) for n in (64, 4096, 128))
ELSEWHERE = Target.parse("llvm -mcpu=haswell -threads=2")


def test_frequency_times_work_times_what_may_be_saved(store, samples):
    def answer(workload, target):
        return lookup(store, workload, target, samples.versions)

    for workload, times in ((SMALL, 3), (LARGE, 1), (OFTEN, 40)):
        for _ in range(times):
            store.record_miss(workload, samples.target)
    store.record_miss(SMALL, ELSEWHERE)
    found = suggestions(store, answer, samples.target)
    assert [(s.workload, s.asked, s.rung) for s in found] == [
        (OFTEN, 40, "default"), (LARGE, 1, "default"), (SMALL, 3, "default"),
    ]  # fmt: skip
    assert found[0].saves == 40 * OFTEN.flops({"m": 64}) / (20e9 * samples.target.threads) * 0.5
    assert {s.target for s in suggestions(store, answer)} == {samples.target, ELSEWHERE}

    # Measured at 1 GFLOP/s: a call of the other ones takes as long as that says, and what was tuned is left out.
    store.add_campaign(samples.campaign)
    seconds = OFTEN.flops({"m": 64}) / 1e9
    store.add_trials([samples.trial(workload=OFTEN, samples=(seconds,), drift=1.0)])
    large, small = suggestions(store, answer, samples.target)
    assert (large.workload, large.rung, small.workload) == (LARGE, "nearest", SMALL)
    assert abs(large.saves - LARGE.flops({"m": 64}) / 1e9 * 0.25) < 1e-9


def test_what_is_set_aside_tells_no_speed(store, samples):
    store.add_campaign(samples.campaign)
    honest, fastest = samples.trial(workload=OFTEN, samples=(1e-3,)), samples.trial(workload=OFTEN, samples=(1e-4,))
    store.add_trials([honest, fastest, samples.trial(workload=OFTEN, samples=(1e-9,))])
    store.add_verdicts([samples.verdict(fastest.id, workload=OFTEN)])
    store.record_miss(LARGE, samples.target)
    (found,) = suggestions(store, lambda w, t: lookup(store, w, t, samples.versions))
    rate = OFTEN.flops({"m": 64}) / honest.corrected
    assert abs(found.saves / (LARGE.flops({"m": 64}) / rate * 0.25) - 1) < 1e-9


def test_what_this_version_cannot_serve_is_left_out(store, samples):
    store.record_miss(SMALL, samples.target)

    def refused(workload, target):
        raise UnsupportedError("no template")

    assert suggestions(store, refused) == []


def test_a_stale_record_is_worth_tuning_again(store, samples):
    store.add_campaign(samples.campaign)
    store.add_trials([samples.trial(versions=dataclasses.replace(samples.versions, template=0))])
    store.record_miss(samples.workload, samples.target)
    (found,) = suggestions(store, lambda w, t: lookup(store, w, t, samples.versions))
    assert found.rung == "exact"
    assert found.saves > 0
