"""Many trials at once: all as they were given, all or none, and in few statements."""

from __future__ import annotations

import dataclasses

import pytest
from sqlalchemy import event

from anytile.core.errors import SpecError
from anytile.db import store as store_module


@pytest.fixture
def many(samples, monkeypatch):
    """More than are made into rows at once; with all that JSON and a server's types might change."""
    monkeypatch.setattr(store_module, "_PAGE", 20)
    odd = {
        "facts": {'a "b" é 語 \\ %s :x': 1e-300, "t": 0.1 + 0.2},
        "reason": "it's %(rows)s, \t\n\x7f {}",
        "device": "ø",
    }
    return [
        samples.failed(),
        samples.trial(samples=(1e-4, 1.0000000000000002e-4), **odd),
        samples.trial(campaign_id="", versions=None, device="", facts={}, drift=1 / 3),
        *(samples.trial(samples=(3e-4 / (1 + n),)) for n in range(60)),
    ]


def test_they_are_what_was_given_and_stored_once(store, samples, many):
    store.add_campaign(samples.campaign)
    store.add_trials(many[:5])
    store.add_trials([dataclasses.replace(many[0], reason="another"), *many[1:]])
    assert store.trials() == sorted(many, key=lambda t: t.created)


def test_one_that_is_wrong_leaves_none(store, samples, many):
    store.add_campaign(samples.campaign)
    wrong = dataclasses.replace(many[7], drift=float("nan"))
    with pytest.raises(SpecError, match="drift"):
        store.add_trials([*many[:7], wrong, *many[8:]])
    assert store.trials() == []
    assert store.stats().workloads == len(samples.campaign.workloads)


def test_a_statement_takes_many(store, samples, many):
    store.add_campaign(samples.campaign)
    said: list[str] = []
    event.listen(store._engine, "before_cursor_execute", lambda c, cursor, statement, *rest: said.append(statement))
    store.add_trials(many)
    assert len([one for one in said if one.startswith("INSERT INTO trials")]) == -(-len(many) // 20)
