"""The list of campaigns over layers, and which of them are at work."""

from __future__ import annotations

import dataclasses

import pytest

from anytile.core.errors import UnknownRecord
from anytile.db.overview.campaigns import SILENT_S, campaigns, holding, is_live
from anytile.db.records.records import new_id
from anytile.db.store import Store


def test_the_newest_and_whatever_runs(store, samples):
    made = [dataclasses.replace(samples.campaign, id=new_id(), created=float(n),
                                state="running" if n == 2 else "finished") for n in range(1, 8)]  # fmt: skip
    for campaign in made:
        store.add_campaign(campaign)
    store.add_trials([samples.trial(campaign_id=made[1].id, created=50.0), samples.failed(campaign_id=made[6].id)])
    assert [line.created for line in campaigns(store)] == [7, 6, 5, 4, 3, 2, 1]
    newest, second, running = campaigns(store, newest=2)
    assert (newest.created, newest.trials, newest.failed, second.created) == (7, 1, 1, 6)
    assert (running.created, running.trials, running.last) == (2, 1, 50.0)
    assert is_live(running, 50.0 + SILENT_S - 1)
    assert not is_live(running, 50.0 + SILENT_S)
    assert not is_live(newest, newest.created)


def test_budgets_are_what_somebody_stored(store, samples):
    options = ({"request": {"trials": 40, "seconds": None}, "progress": {"spent": 3}}, {"request": "no"},
               {"request": {"trials": "many", "seconds": True}, "progress": [1]},
               {"request": {"trials": 10**400, "seconds": 10**400}, "progress": {"spent": -(10**400)}})  # fmt: skip
    for n, given in enumerate(options):
        store.add_campaign(dataclasses.replace(samples.campaign, id=new_id(), created=9.0 - n, options=given))
    lines = [(line.asked_trials, line.asked_seconds, line.spent) for line in campaigns(store)]
    assert lines == [(40, None, 3.0), *[(None, None, None)] * 3]


def test_a_campaign_that_was_copied_is_listed_once(database, samples):
    trials = [samples.trial(), samples.trial()]
    for name, some in (("mine", trials[:1]), ("team", trials)):
        with Store.open(database(name)) as store:
            store.add_campaign(samples.campaign)
            store.add_trials(some)
    with Store.open(f"{database('mine')};{database('team')}", readonly=True) as store:
        assert [(line.id, line.trials) for line in campaigns(store)] == [(samples.campaign.id, 2)]


def test_a_campaign_is_found_in_the_layer_that_has_it(database, samples):
    other = dataclasses.replace(samples.campaign, id=new_id(), created=samples.campaign.created - 1)
    for name, campaign in (("mine", other), ("team", samples.campaign)):
        with Store.open(database(name)) as store:
            store.add_campaign(campaign)
    with Store.open(f"{database('mine')};{database('team')}", readonly=True) as store:
        for name in (samples.campaign.id[:10], "last"):
            layer, found = holding(store, name)
            assert (layer, found.id) == (store.layers[1], samples.campaign.id)
        assert holding(store, other.id)[0] is store.layers[0]
        with pytest.raises(UnknownRecord):
            holding(store, "0bad")
