"""A server that goes away costs a campaign nothing: every record arrives, once."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from anytile.core.errors import DatabaseError, Unreachable
from anytile.db.outbox import FIRST_RETRY_S, Outbox
from anytile.db.records.leases import Batch
from anytile.db.records.records import new_id
from anytile.db.store import Store


class Weather:
    """A store whose server is there or away, and the time."""

    def __init__(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        self.store, self.away, self.now, self.said = store, False, 0.0, list[str]()
        for name in ("read", "write"):
            monkeypatch.setattr(store, name, self._or_away(getattr(store, name)))

    def _or_away(self, work: Callable[..., object]) -> Callable[..., object]:
        def attempt(*given: object) -> object:
            if self.away:
                raise Unreachable("database team: Connection refused; check the URL")
            return work(*given)

        return attempt


@pytest.fixture
def weather(open_store, monkeypatch) -> Weather:
    return Weather(open_store(), monkeypatch)


@pytest.fixture
def outbox(weather: Weather, tmp_path: Path) -> Outbox:
    return Outbox(weather.store, tmp_path / "outbox", weather.said.append, lambda: weather.now)


def test_while_the_server_is_there_nothing_waits(outbox, weather, samples):
    outbox.add_campaign(samples.campaign)
    trial, chosen = samples.trial(), samples.selection()
    outbox.append_trials([trial])
    outbox.add_selection(chosen)
    assert outbox.waiting is None
    assert outbox.trials() == weather.store.trials() == [trial]
    assert outbox.selection(samples.workload, samples.target) == chosen
    assert outbox.known_pairs("dense") == [(samples.workload, samples.target)]
    assert weather.said == []


def test_what_was_measured_meanwhile_is_delivered_once(outbox, weather, samples):
    outbox.add_campaign(samples.campaign)
    before, during, after = samples.trial(), [samples.trial(), samples.failed()], samples.trial()
    outbox.append_trials([before])
    weather.away = True
    outbox.append_trials(during)
    outbox.update_campaign(samples.campaign.id, state="interrupted")
    outbox.set_option(samples.campaign.id, "progress", 2)
    chosen = samples.selection()
    outbox.add_selection(chosen)
    assert outbox.waiting is not None
    assert outbox.trials(campaign_id=samples.campaign.id) == [before, *during]
    options = {**samples.campaign.options, "progress": 2}
    assert outbox.campaign(samples.campaign.id).options == options
    weather.away = False
    outbox.append_trials([after])  # too early to ask again, and in its order
    assert weather.store.trials() == [before]
    weather.now += FIRST_RETRY_S
    outbox.update_campaign(samples.campaign.id, state="finished", finished=9.0)
    assert outbox.waiting is None
    assert weather.store.trials() == [before, *during, after]
    assert weather.store.selections() == [chosen]
    stored = weather.store.campaign(samples.campaign.id)
    assert (stored.state, stored.finished, stored.options) == ("finished", 9.0, options)
    assert "measuring goes on, records wait in" in weather.said[0]
    assert "is back: 3 trials delivered" in weather.said[1]


@pytest.mark.parametrize("state", ["running", "finished"])
def test_a_delivery_leaves_what_others_did_meanwhile(outbox, weather, samples, state):
    outbox.add_campaign(samples.campaign)
    weather.away = True
    outbox.set_option(samples.campaign.id, "progress", {"spent": 2})
    outbox.update_campaign(samples.campaign.id, state="interrupted")
    weather.away = False
    weather.store.set_option(samples.campaign.id, "workers", ["me", "other"])
    weather.store.update_campaign(samples.campaign.id, state=state)
    weather.store.set_option(samples.campaign.id, "progress", {"spent": 3})
    weather.now += FIRST_RETRY_S
    outbox.append_trials([samples.trial()])
    assert outbox.waiting is None
    stored = weather.store.campaign(samples.campaign.id)
    assert stored.state == ("finished" if state == "finished" else "interrupted")
    assert stored.options["workers"] == ["me", "other"]
    assert stored.options["progress"] == {"spent": 3 if state == "finished" else 2}


def test_a_delivery_that_breaks_off_is_done_again(outbox, weather, samples, monkeypatch):
    outbox.add_campaign(samples.campaign)
    weather.away = True
    trials = [samples.trial() for _ in range(5)]
    outbox.append_trials(trials)
    weather.away = False
    append = weather.store.append_trials

    def stored_but_no_answer(batch: list) -> None:
        append(batch)
        weather.away = True
        raise Unreachable("database team: server closed the connection unexpectedly")

    monkeypatch.setattr(weather.store, "append_trials", stored_but_no_answer)
    weather.now += FIRST_RETRY_S
    outbox.add_selection(samples.selection())
    assert outbox.waiting is not None
    monkeypatch.setattr(weather.store, "append_trials", append)
    weather.away = False
    monkeypatch.setattr(weather.store, "close", lambda: None)  # a closed one could not be looked into
    outbox.close()
    assert outbox.waiting is None
    assert weather.store.trials() == trials
    assert len(weather.store.selections()) == 1


def test_what_a_killed_process_left_behind_is_delivered_by_the_next(weather, samples, tmp_path):
    """It dies without a word, its server away; half of its last line is on the disk."""
    folder = tmp_path / "outbox"
    weather.store.add_campaign(samples.campaign)
    trials = [samples.trial() for _ in range(3)]
    child = os.fork()
    if child == 0:
        outbox = Outbox(weather.store, folder, weather.said.append)
        outbox.campaign(samples.campaign.id)
        weather.away = True
        outbox.append_trials(trials)
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    (left,) = folder.iterdir()
    with left.open("ab") as file:
        file.write(b'{"record": "trial", "id"')
    weather.away = True
    Outbox(weather.store, folder, weather.said.append)
    assert list(folder.iterdir()) == [left]  # still away: it waits
    weather.away = False
    Outbox(weather.store, folder, weather.said.append)
    assert list(folder.iterdir()) == []
    assert weather.store.trials() == trials
    assert "3 trials of an earlier campaign delivered" in weather.said[-1]


def test_who_has_undelivered_trials_delivers_before_it_claims_or_makes_the_end(outbox, weather, samples):
    outbox.add_campaign(samples.campaign)
    leases = outbox.leases(samples.campaign.id)
    mine = leases.enter("me", {"machine": "here"})
    weather.away = True
    trial = samples.trial()
    wish = Batch("w", "t", ("a", "b"), (trial.id, new_id()))
    outbox.append_trials([trial])
    for ask in (lambda: leases.claim(mine.id, wish, 0, []), lambda: leases.settle(mine.id, [])):
        with pytest.raises(Unreachable, match="has not taken what was measured"):
            ask()
    weather.away = False  # and it is too early for the outbox to ask again by itself
    granted = leases.claim(mine.id, wish, 0, [])
    assert granted is not None
    assert granted.batch.configs == ("b",)
    assert outbox.waiting is None
    assert weather.store.trials() == [trial]


def test_a_journal_that_cannot_be_read_stops_nobody(weather, samples, tmp_path):
    folder = tmp_path / "outbox"
    first = Outbox(weather.store, folder, weather.said.append)
    first.add_campaign(samples.campaign)
    weather.away = True
    first.append_trials([samples.trial()])
    assert first.waiting is not None
    bad = first.waiting.with_name(first.waiting.name.replace(first.waiting.stem[-4:], "0000"))
    bad.write_text('{"record": "trial"}\n')
    weather.away = False
    Outbox(weather.store, folder, weather.said.append)  # the first one has its process yet, and is left alone
    assert weather.said[-1].startswith(f"{bad}: is not delivered:")
    assert first.waiting.exists()


def test_what_the_server_refuses_is_no_outage(outbox, weather, samples):
    with pytest.raises(DatabaseError, match="add its campaign first"):
        outbox.append_trials([samples.trial()])
    assert outbox.waiting is None
    weather.away = True
    with pytest.raises(Unreachable):
        outbox.campaigns()  # there is nothing to answer from
