"""What `anytile db list | show | best | stats` say about records."""

from __future__ import annotations

import dataclasses

from anytile.db.records.records import Status, new_id
from anytile.db.summary import best_lines, campaign_detail, campaign_lines, stat_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any


def test_list_counts_and_orders(store, samples):
    empty = dataclasses.replace(samples.campaign, id=new_id(), created=9.0, state="interrupted")
    for c in (samples.campaign, empty):
        store.add_campaign(c)
    store.add_trials([samples.trial(), samples.failed(), samples.failed(Status.WRONG)])
    newest, oldest = campaign_lines(store.campaigns(), store.counts())
    assert (newest.id, newest.trials, newest.ok, newest.failed) == (empty.id, 0, 0, 0)
    assert (oldest.id, oldest.trials, oldest.ok, oldest.failed) == (samples.campaign.id, 3, 1, 2)
    assert (oldest.workloads, oldest.target) == (samples.campaign.workloads, samples.target)


def test_best_compares_only_what_can_be_compared(samples):
    other = Target.parse("llvm -mcpu=haswell")
    trials = [
        samples.trial(config=samples.config(tile_m=6), samples=(4e-4,), drift=2.0),
        samples.trial(config=samples.config(tile_m=8), samples=(3e-4,), drift=1.0),
        samples.trial(config=samples.config(tile_m=6), samples=(9e-4,), drift=1.0),
        samples.trial(config=samples.config(tile_m=4), samples=(1e-6,), point={"m": 1}),
        samples.trial(config=samples.config(tile_m=4), samples=(1e-6,), kind="cross"),
        samples.failed(config=samples.config(tile_m=3)),
        samples.trial(target=other, config=samples.config(tile_m=1)),
    ]
    selection = samples.selection()
    lines = best_lines(trials, [samples.selection(created=0.5), selection], top=5)
    assert [(line.target, line.rank, line.config["tile_m"]) for line in lines] == [
        (other, 1, 1),
        (samples.target, 1, 6),
        (samples.target, 2, 8),
    ]
    assert lines[1].seconds == 2e-4
    assert lines[1].gflops == 2 * 64 * 768 * 768 / 2e-4 / 1e9
    assert (lines[0].selection, lines[1].selection) == (None, selection)
    assert len(best_lines(trials, [], top=1)) == 2
    assert best_lines([], []) == []


def test_show(samples):
    small = samples.campaign.workloads[1]
    trials = [
        samples.trial(drift=0.9),
        samples.trial(kind="cross", point={"m": 1}),
        samples.trial(workload=small, samples=(5e-3,), drift=1.0),
        samples.failed(reason="signal 11\nbacktrace"),
        samples.failed(reason="signal 11"),
        samples.failed(Status.TIMEOUT, reason=""),
        samples.trial(campaign_id=new_id()),
    ]
    chosen = samples.selection()
    detail = campaign_detail(samples.campaign, trials, [chosen, samples.selection(campaign_id=new_id())])
    assert detail.trials == 6
    assert detail.statuses == {Status.OK: 3, Status.TIMEOUT: 1, Status.CRASHED: 2}
    assert detail.kinds == {"search": 5, "cross": 1}
    assert [(f.status, f.reason, f.count) for f in detail.failures] == [
        (Status.CRASHED, "signal 11", 2),
        (Status.TIMEOUT, "", 1),
    ]
    assert detail.devices == ("a machine, 2 cores",)
    assert detail.versions == ("anytile 0.1.0, template 1, codegen 1, LLVM 22.1.0, Python 3.11.7",)
    assert detail.drift == (0.9, 1.25)
    first, second = detail.workloads
    assert (first.workload, first.configs, first.points, first.selection) == (samples.workload, 1, 2, chosen)
    assert second.best is not None
    assert (second.best.seconds, second.selection) == (5e-3, None)


def test_show_of_a_campaign_without_trials(samples):
    detail = campaign_detail(samples.campaign, [], [])
    assert (detail.trials, detail.failures, detail.drift) == (0, (), (1.0, 1.0))
    assert [w.best for w in detail.workloads] == [None, None]


def test_stats(store, samples):
    store.add_campaign(samples.campaign)
    store.add_trials([samples.trial(), samples.trial(kind="cross"), samples.failed()])
    for _ in range(2):
        store.record_miss(dense(Any("m"), 1, 2), samples.target)
    stats = dataclasses.replace(store.stats(), unreadable=("conv9d()",))
    facts = {f.what: f.value for f in stat_facts(stats, store.misses())}
    assert facts["trials"] == "3 (1 cross, 2 search)"
    assert facts["failed"] == "1 (1 crashed)"
    assert facts["missed"] == "1"
    assert facts["wanted 2x"] == f"dense(m=?m, n=1, k=2, dtype=float32) on {samples.target}"
    assert facts["not readable"] == "conv9d() (upgrade anytile)"
    assert facts["database"].startswith(store.name)
