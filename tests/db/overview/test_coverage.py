"""Coverage of a model: grades, shares, order."""

from __future__ import annotations

import dataclasses

import pytest

from anytile.core.errors import UnsupportedError
from anytile.db.lookup.ladder import lookup
from anytile.db.overview.coverage import coverage
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any

TUNED, NEAR, OLD = (dense(Any("m"), n, 64, const=("w",)) for n in (64, 128, 192))


def test_grades_and_shares(store, samples):
    old = dataclasses.replace(samples.versions, codegen=0)
    store.add_campaign(samples.campaign)
    store.add_trials([samples.trial(workload=TUNED), samples.trial(workload=OLD, versions=old)])
    asked = {TUNED: 2.0, NEAR: 3.0, OLD: 1.0}

    def answer(workload, target):
        if workload == NEAR and target != samples.target:
            raise UnsupportedError("no template here")
        return lookup(store, workload, target, samples.versions)

    found = coverage("mine", asked, samples.target, answer)
    assert found.grades == {"exact": 1, "stale": 1, "nearest": 1}
    assert [(one.workload, one.grade) for one in found.workloads] == [
        (NEAR, "nearest"), (OLD, "stale"), (TUNED, "exact"),
    ]  # fmt: skip
    whole = 2 * 64 + 3 * 128 + 192
    assert [one.share for one in found.workloads] == pytest.approx([3 * 128 / whole, 192 / whole, 2 * 64 / whole])
    assert found.tuned == pytest.approx(2 * 64 / whole)
    assert found.workloads[-1].campaign_id == samples.campaign.id

    elsewhere = coverage("mine", asked, Target.parse("llvm -mcpu=haswell"), answer)
    assert elsewhere.workloads[0].grade == "unsupported"
    assert elsewhere.tuned == 0


def test_a_model_without_kernels_is_covered_by_nothing(samples):
    found = coverage("empty", {}, samples.target, lambda workload, target: pytest.fail("nothing is asked"))
    assert (found.tuned, found.grades, found.workloads) == (0, {}, ())
