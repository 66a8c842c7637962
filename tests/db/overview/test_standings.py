"""Bests and regressions: over points, versions, machines and layers."""

from __future__ import annotations

import dataclasses
import sqlite3

import pytest

from anytile.db.overview.standings import best, regressions
from anytile.db.records.records import Ruling
from anytile.db.store import Store
from anytile.db.summary import best_lines
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any

SMALL = dense(Any("m"), 64, 64, const=("w",))


@pytest.fixture
def newer(samples):
    return dataclasses.replace(samples.versions, codegen=2)


def filled(store, samples, trials):
    store.add_campaign(samples.campaign)
    store.add_trials(trials)
    return store


@pytest.mark.parametrize("top", [1, 2, 9])
def test_best_is_what_all_trials_say(store, samples, newer, top):
    trials = [samples.trial(config=samples.config(tile_m=1 + n % 7), samples=(2e-4 * (1 + n * 7 % 11),), point={"m": m},
                            versions=(samples.versions, newer, None)[n % 3], workload=w, created=float(n))
              for n in range(20) for m in (64, 64, 1)[n % 3:][:1] for w in (samples.workload, SMALL)]  # fmt: skip
    filled(store, samples, trials)
    plan = samples.selection()
    store.add_selection(plan)
    found = best(store, top)
    assert list(found.lines) == best_lines(trials, [plan], top)
    assert found.pairs == 2


def test_a_config_that_was_measured_often_is_one(store, samples):
    """The second best stands behind many trials of the best."""
    often = [samples.trial(config=samples.config(tile_m=8), samples=(2e-4 + n * 1e-7,)) for n in range(30)]
    other = samples.trial(config=samples.config(tile_m=6), samples=(5e-4,))
    filled(store, samples, [*often, other])
    assert [line.config["tile_m"] for line in best(store, 2).lines] == [8, 6]


def test_a_slow_group_fills_no_gap_of_a_fast_one(store, samples, newer):
    """The fast versions measured one config again and again before their second best."""
    again = [samples.trial(config=samples.config(tile_m=8), samples=(15e-5,)) for _ in range(9)]
    second = samples.trial(config=samples.config(tile_m=7), samples=(2e-4,))
    slow = [samples.trial(config=samples.config(tile_m=n), samples=(9e-4,), versions=newer) for n in (1, 2, 3)]
    filled(store, samples, [*again, second, *slow])
    assert [line.config["tile_m"] for line in best(store, 2).lines] == [8, 7]


def test_words_and_pages(store, samples):
    filled(store, samples, [samples.trial(), samples.trial(workload=SMALL)])
    assert [line.workload for line in best(store, words="DENSE n=64").lines] == [SMALL]
    assert best(store, words="nothing like it").pairs == 0
    assert [len(best(store, first=first, most=1).lines) for first in (0, 1, 2)] == [1, 1, 0]


def test_layers_are_one_database(database, samples):
    slow, fast = samples.trial(samples=(9e-4,)), samples.trial(samples=(2e-4,))
    for name, trials in (("mine", [slow]), ("team", [slow, fast])):
        with Store.open(database(name)) as store:
            filled(store, samples, trials)
    with Store.open(f"{database('mine')};{database('team')}", readonly=True) as store:
        (line,) = best(store).lines
        assert line.seconds == fast.corrected


def set_aside(store, samples, **changed):
    """Trials that are faster than all others and not believed, for each of the reasons that there are; and a plan."""
    made_up = samples.trial(**{"samples": (1e-9,), **changed})
    drifted = samples.trial(**{"samples": (16e-5,), **changed})
    slow_machine = samples.trial(**{"samples": (2e-3,), "drift": 9.0, **changed})
    plan = samples.selection(workload=drifted.workload)
    store.add_trials([made_up, drifted, slow_machine])
    store.add_selection(plan)
    store.add_verdicts([samples.verdict(one.id, workload=one.workload) for one in (drifted, plan)])
    return made_up, drifted, slow_machine


def test_what_is_set_aside_is_best_nowhere(store, samples):
    good, older = samples.trial(samples=(4e-4,)), samples.selection()
    filled(store, samples, [good])
    store.add_selection(older)
    made_up, drifted, _ = set_aside(store, samples)
    set_aside(store, samples, workload=SMALL)  # of which nothing else is known
    (line,) = best(store, 3).lines
    assert (line.seconds, line.selection) == (good.corrected, older)
    store.add_verdicts([samples.verdict(one.id, Ruling.BELIEVED) for one in (made_up, drifted)])
    assert best(store).lines[0].seconds == made_up.corrected


def test_what_is_set_aside_is_no_regression_and_hides_none(store, samples, newer):
    filled(store, samples, [samples.trial(samples=(4e-4,)), samples.trial(samples=(4e-4,), versions=newer)])
    set_aside(store, samples)
    assert regressions(store) == []
    store.add_trials([samples.trial(samples=(2e-4,))])
    set_aside(store, samples, versions=newer)
    assert [r.slower for r in regressions(store)] == [2.0]


def test_newer_versions_that_are_slower(store, samples, newer):
    trials = [samples.trial(samples=(1e-4,), drift=1.0), samples.trial(samples=(2e-4,), drift=1.0, versions=newer),
              samples.trial(samples=(3e-4,), drift=1.0, versions=newer), samples.trial(workload=SMALL),
              samples.trial(workload=SMALL, versions=newer)]  # fmt: skip
    filled(store, samples, trials)
    (found,) = regressions(store)
    assert (found.workload, found.target, found.device) == (samples.workload, samples.target, "a machine, 2 cores")
    assert found.slower == 2.0
    assert (found.before.versions, found.now.versions) == (samples.versions, newer)
    assert (found.before.trials, found.now.trials) == (1, 2)
    assert [v.versions.codegen for v in found.history] == [1, 2]
    assert regressions(store, tolerance=1.5) == []


@pytest.mark.parametrize(
    "changed",
    [
        {"samples": (1.04e-4,)},  # what days differ by
        {"device": "another machine"},
        {"point": {"m": 65}},
        {"kind": "cross"},
        {"versions": None},
    ],
)
def test_what_cannot_be_compared_is_no_regression(store, samples, newer, changed):
    given = {"samples": (2e-4,), "drift": 1.0, "versions": newer, **changed}
    filled(store, samples, [samples.trial(samples=(1e-4,), drift=1.0), samples.trial(**given)])
    assert regressions(store) == []


def test_versions_are_numbers(store, samples):
    """LLVM 9 is older than LLVM 22; that the newer one is faster is no news."""
    old = dataclasses.replace(samples.versions, llvm="9.0.1")
    filled(store, samples, [samples.trial(samples=(2e-4,)), samples.trial(samples=(4e-4,), versions=old)])
    assert regressions(store) == []


def test_another_template_of_a_lower_version_is_not_older(store, samples):
    """Templates count up on their own: both of these are today's, and the faster one stands for them."""
    higher = dataclasses.replace(samples.versions, template=5)
    trials = [samples.trial(samples=(2e-4,)), samples.trial(samples=(4e-4,), versions=higher, template="dense.other")]
    filled(store, samples, trials)
    assert regressions(store) == []


def test_a_template_that_became_worse(store, samples):
    newer = dataclasses.replace(samples.versions, template=2)
    filled(store, samples, [samples.trial(samples=(2e-4,)), samples.trial(samples=(4e-4,), versions=newer)])
    assert [r.slower for r in regressions(store)] == [2.0]


@pytest.mark.sqlite
@pytest.mark.parametrize(
    "change",
    [
        "trials SET corrected = 'soon'",
        "trials SET corrected = -1.0",
        "trials SET corrected = 0.0",
        "trials SET corrected = 9e999",
        "trials SET point = x'00'",
        "tool_versions SET llvm = x'00'",
        "tool_versions SET codegen = 'new'",
        "tool_versions SET template = x'00'",
        "workloads SET text = x'00'",
        "targets SET text = x'00'",
    ],
)
def test_cells_that_somebody_damaged_end_nothing(store, samples, newer, tmp_path, change):
    """What still can be compared is."""
    filled(store, samples, [samples.trial(workload=SMALL), samples.trial(workload=SMALL, versions=newer),
                            *(samples.trial(samples=(1e-4 * n,), drift=1.0, versions=v)
                              for n, v in ((1, samples.versions), (2, newer), (4, None)))])  # fmt: skip
    table = change.split()[0]
    one = {"trials": f"corrected = {2e-4}", "tool_versions": f"codegen = {newer.codegen}", "targets": "1",
           "workloads": f"text = '{samples.workload}'"}[table]  # fmt: skip
    with sqlite3.connect(tmp_path / "tuning.db") as raw:
        assert raw.execute(f"UPDATE {change} WHERE {one}").rowcount == 1
    assert regressions(store) == []
    assert best(store).pairs == {"targets": 0, "workloads": 1}.get(table, 2)
